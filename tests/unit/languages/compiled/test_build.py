"""Building programs: targets, inputs of all kinds, recorded options, the cache, and what never happens."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from membar.diagnostics import InputError
from membar.languages.compiled.build import BuildOptions, build, require_main
from membar.languages.compiled.cache import Cache, Cached
from membar.languages.compiled.compile_commands import recorded_options
from membar.languages.compiled.compiler import Compiler
from membar.languages.compiled.driver import CompileOptions, compile_file
from membar.languages.compiled.process import Finished, run_compiler
from membar.languages.compiled.target import (
    AARCH64,
    I686,
    X86_64,
    Target,
    choose_target,
    is_of_processor,
    processor_of,
)
from strategies.compiled_code import compilers, needs_clang

MAIN = "int main(void) { return 0; }\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def compiled(path: str, target: Target = X86_64, **options: object) -> str:
    chosen = CompileOptions(**options)  # type: ignore[arg-type]
    return compile_file(path, compiler=compilers()[0], target=target, options=chosen).module.text


def script(folder: Path, body: str) -> Compiler:
    path = folder / "clang"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return Compiler((str(path),), 16, "a broken clang")


# ------------------------------------------------------------------------------------------------- targets


@pytest.mark.parametrize(
    ("mapping", "named", "data_model", "expected"),
    [
        ("armv8", None, None, AARCH64),
        ("", None, "ILP32", I686),
        ("", "i686", None, I686),
        ("armv8", "x86_64-linux-gnu", None, X86_64),
        ("armv8", None, "LP64", AARCH64),
        ("", "arm64", None, AARCH64),
    ],
)
def test_options_choose_the_target(
    mapping: str, named: str | None, data_model: str | None, expected: Target
) -> None:
    assert choose_target(mapping, named=named, data_model=data_model) is expected


@pytest.mark.parametrize(
    ("mapping", "named", "data_model", "words"),
    [
        ("", "vax", None, "is not one of"),
        ("", None, "P64", "neither ILP32 nor LP64"),
        ("armv8", None, "ILP32", "aarch64 has 64 bits"),
        ("", "i686", "LP64", "i686 has 32 bits"),
    ],
)
def test_options_that_name_no_target_are_refused(
    mapping: str, named: str | None, data_model: str | None, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        choose_target(mapping, named=named, data_model=data_model)
    assert words in caught.value.diagnostics[0].message


def test_a_processor_other_than_the_models_is_known_to_be_another() -> None:
    assert is_of_processor(X86_64, processor_of(""))
    assert is_of_processor(I686, processor_of("x86"))
    assert not is_of_processor(X86_64, processor_of("armv8"))
    assert not is_of_processor(X86_64, processor_of("armv7"))


@needs_clang
def test_a_target_that_is_not_the_models_is_a_caveat(tmp_path: Path) -> None:
    path = write(tmp_path, "a.c", MAIN)
    assert build([path], BuildOptions(target="aarch64")).caveats == ()
    (caveat,) = build([path], BuildOptions(mapping="x86", target="aarch64")).caveats
    assert "not the processor of the memory model" in caveat


@needs_clang
def test_where_headers_of_the_processor_are_missing_text_that_looks_at_it_gives_no_answer(
    tmp_path: Path,
) -> None:
    only = str(compilers()[0].command[0])
    plain = write(tmp_path, "a.c", "#include <stdlib.h>\n" + MAIN)
    try:
        compiled(plain, AARCH64)
    except InputError:
        pass
    else:
        pytest.skip("this compiler has the headers of aarch64")
    done = build([plain], BuildOptions(mapping="armv8", clang=only))
    assert (done.target, done.reason) == (X86_64, None)
    looks = write(tmp_path, "b.c", "#include <stdlib.h>\n#ifdef __aarch64__\n#endif\n" + MAIN)
    reason = build([looks], BuildOptions(mapping="armv8", clang=only)).reason
    assert reason is not None
    assert f"`__aarch64__` at {looks}:2" in reason
    (tmp_path / "other").mkdir()
    header = write(tmp_path, "other/fences.h", "#ifdef __x86_64__\n#define FENCE()\n#endif\n")
    hidden = write(tmp_path, "c.c", "#include <stdlib.h>\n#include <fences.h>\n" + MAIN)
    options = CompileOptions(include_dirs=(str(tmp_path / "other"),))
    reason = build([hidden], BuildOptions(mapping="armv8", clang=only, options=options)).reason
    assert reason is not None
    assert f"`__x86_64__` at {header}:1" in reason


# -------------------------------------------------------------------------------------------------- inputs


@needs_clang
def test_preprocessed_text_is_compiled_with_the_places_of_its_line_markers(tmp_path: Path) -> None:
    text = '# 7 "there.c"\nint x;\nint main(void) { return x + NULL; }\n'.replace("NULL", "0")
    module = compiled(write(tmp_path, "a.i", text))
    assert 'filename: "there.c"' in module
    assert "line: 8" in module


@needs_clang
@pytest.mark.parametrize(
    ("words", "target", "way_out"), [("unsigned int", X86_64, "ILP32"), ("long unsigned int", I686, "LP64")]
)
def test_a_size_type_that_contradicts_the_target_is_an_error_that_names_the_option(
    tmp_path: Path, words: str, target: Target, way_out: str
) -> None:
    path = write(tmp_path, "a.i", f"typedef {words} size_t;\n{MAIN}")
    with pytest.raises(InputError) as caught:
        compiled(path, target)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.help == f"--data-model {way_out}"
    assert diagnostic.primary is not None


@needs_clang
def test_bitcode_and_llvm_text_are_read_and_their_origin_is_told(tmp_path: Path) -> None:
    source = write(tmp_path, "a.c", MAIN)
    compiler = compilers()[0]
    target = ["-target", X86_64.zig] if compiler.is_zig else [f"--target={X86_64.triple}"]
    for name, flags in (("a.bc", ["-c", "-O1", "-g"]), ("b.bc", ["-c", "-g"]), ("c.bc", ["-c", "-g0"])):
        words = [*compiler.command, *target, *flags, "-emit-llvm", source, "-o", str(tmp_path / name)]
        subprocess.run(words, check=True, capture_output=True)
    assert "optimised" in build([str(tmp_path / "a.bc")], BuildOptions()).caveats[0]
    assert build([str(tmp_path / "b.bc")], BuildOptions()).caveats == ()
    assert "origin" in build([str(tmp_path / "c.bc")], BuildOptions()).caveats[0]
    text = compiled(source)
    done = build([write(tmp_path, "d.ll", text)], BuildOptions())
    assert done.files[0].module.text == text
    with pytest.raises(InputError) as caught:
        build([str(tmp_path / "d.ll")], BuildOptions(mapping="armv8"))
    assert caught.value.diagnostics[0].help == "--target x86_64"


@needs_clang
def test_a_text_may_be_another_than_the_one_on_the_disk(tmp_path: Path) -> None:
    path = write(tmp_path, "a.c", '#include "b.h"\nint main(void) { return B; }')
    header = write(tmp_path, "b.h", "#define B 1\n")
    assert "ret i32 1" in compiled(path)
    assert "ret i32 2" in compiled(path, replaced=((header, "#define B 2\n"),))
    assert "ret i32 3" in compiled(path, replaced=((path, "int main(void) { return 3; }"),))


@needs_clang
def test_a_program_without_main_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "a.c", "int f(void) { return 0; }")
    with pytest.raises(InputError) as caught:
        require_main([path], build([path], BuildOptions()).modules)
    assert caught.value.diagnostics[0].code == "W1521"


@needs_clang
def test_assertions_that_are_compiled_out_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path, "a.c", "#include <assert.h>\nint main(void) {\n  assert(0);\n}")
    chosen = BuildOptions(options=CompileOptions(defines=("NDEBUG",)))
    (warning,) = build([path], chosen).warnings
    assert "not checked" in warning.message
    assert warning.primary is not None
    assert warning.primary.span.line == 3


@needs_clang
@pytest.mark.parametrize("statement", ["__atomic_store_n(&x, 1, 2)", "__atomic_load_n(&x, 3)"])
def test_an_invalid_ordering_is_an_error_in_headers_of_the_system_too(tmp_path: Path, statement: str) -> None:
    (tmp_path / "system").mkdir()
    write(tmp_path / "system", "own.h", f"static int x; static inline void f(void) {{ {statement}; }}\n")
    path = write(tmp_path, "a.c", "#include <own.h>\nint main(void) { f(); }")
    with pytest.raises(InputError) as caught:
        compiled(path, system_dirs=(str(tmp_path / "system"),))
    assert caught.value.diagnostics[0].code == "W1513"


@needs_clang
def test_text_that_asks_for_a_sanitizer_is_compiled_without_the_flags_for_lifetimes(tmp_path: Path) -> None:
    text = "#if __has_feature(address_sanitizer)\n#error\n#endif\n" + MAIN
    (caveat,) = build([write(tmp_path, "a.c", text)], BuildOptions()).caveats
    assert "use after scope and left shifts: not checked" in caveat


@needs_clang
@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { return (int)(long)malloc(1); }",
        "int f() { }\n" + MAIN,
        "void *g(int x) { return (void *)x; }\n" + MAIN,
    ],
)
def test_what_gcc_lets_pass_is_let_pass_and_reported(tmp_path: Path, text: str) -> None:
    assert build([write(tmp_path, "a.c", text)], BuildOptions()).warnings


# ------------------------------------------------------------------------------------------ recorded options


def recorded(folder: Path, **entry: object) -> None:
    entries = [{"directory": str(folder), "file": "a.c", **entry}]
    (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")


def test_only_what_says_how_to_read_the_text_is_taken_from_a_recorded_command(tmp_path: Path) -> None:
    write(tmp_path, "a.c", MAIN)
    command = (
        "evil -Iinc -isystem sys -DX='1 2' -U Y -std=gnu99 -fwrapv -m32 -O2 -fplugin=x.so @args -o a.o a.c"
    )
    recorded(tmp_path, command=command)
    found = recorded_options(str(tmp_path), str(tmp_path / "a.c"))
    assert found.options == CompileOptions(
        include_dirs=(str(tmp_path / "inc"),),
        system_dirs=(str(tmp_path / "sys"),),
        defines=("X=1 2",),
        undefines=("Y",),
        standard="gnu99",
        others=("-fwrapv",),
    )
    assert found.data_model == "ILP32"
    assert found.ignored == ("-O2", "-fplugin=x.so", "@args", "-o", "a.o", "a.c")


@needs_clang
def test_a_recorded_command_runs_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "a.c", MAIN)
    witness = tmp_path / "ran"
    evil = script(tmp_path, f"touch {witness}").command[0]
    arguments = [
        evil,
        "-B",
        str(tmp_path),
        f"-fuse-ld={evil}",
        "-Xclang",
        "-load",
        f"; touch {witness}",
        "a.c",
    ]
    recorded(tmp_path, arguments=arguments)
    options = recorded_options(str(tmp_path), path).options
    build([path], BuildOptions(of_file=((path, options),)))
    assert not witness.exists()


@pytest.mark.parametrize("text", ["", "{", "{}", "[1]", "[]", '[{"file": "a.c"}]', "[" * 100_000])
def test_records_that_cannot_be_read_are_refused(tmp_path: Path, text: str) -> None:
    write(tmp_path, "compile_commands.json", text)
    with pytest.raises(InputError) as caught:
        recorded_options(str(tmp_path), str(tmp_path / "a.c"))
    assert caught.value.diagnostics[0].code == "W1517"


# ---------------------------------------------------------------------------------------------------- cache


@needs_clang
def test_what_was_compiled_is_not_compiled_again_until_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "a.c", '#include "b.h"\nint main(void) { return B; }')
    write(tmp_path, "b.h", "#define B 1\n")
    first = compiled(path)
    runs: list[object] = []

    def counted(words: Sequence[str], *, seconds: float | None = None) -> Finished:
        runs.append(words)
        return run_compiler(words, seconds=seconds)

    monkeypatch.setattr("membar.languages.compiled.driver.run_compiler", counted)
    assert compiled(path) == first
    assert not runs
    compiled(path, uses_cache=False)
    assert len(runs) == 1
    write(tmp_path, "b.h", "#define B 2\n")
    assert "ret i32 2" in compiled(path)
    assert len(runs) == 2


@needs_clang
def test_a_new_header_that_is_found_first_is_seen(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    folders = (str(tmp_path / "first"), str(tmp_path / "second"))
    write(tmp_path / "second", "b.h", "#define B 1\n")
    path = write(tmp_path, "a.c", "#include <b.h>\nint main(void) { return B; }")
    assert "ret i32 1" in compiled(path, include_dirs=folders)
    write(tmp_path / "first", "b.h", "#define B 2\n")
    assert "ret i32 2" in compiled(path, include_dirs=folders)


def test_the_cache_is_bounded_and_forgets_the_oldest_and_what_is_broken(tmp_path: Path) -> None:
    cache = Cache(tmp_path, largest=3000)
    for number in range(10):
        cache.put(f"k{number}", Cached("x" * 900, ("",), ()))
        os.utime(tmp_path / f"k{number}", (number, number))
    cache.forget_oldest()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 3000
    assert cache.find("k0") is None
    newest = cache.find("k9")
    assert isinstance(newest, Cached)
    assert newest.text == "x" * 900
    (tmp_path / "k9").write_bytes((tmp_path / "k9").read_bytes()[:-1])
    assert cache.find("k9") is None
    (tmp_path / "k9").write_bytes(b"\xff\xfe")
    assert cache.find("k9") is None


@needs_clang
def test_without_a_place_for_the_cache_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = write(tmp_path, "file", "")
    monkeypatch.setenv("XDG_CACHE_HOME", blocked)
    assert "ret i32 0" in compiled(write(tmp_path, "a.c", MAIN))


# ------------------------------------------------------------------------------------------------- failures


def test_a_compiler_that_writes_without_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membar.languages.compiled.process.LARGEST_OUTPUT", 1024 * 1024)
    endless = script(tmp_path, "exec yes >&2")
    with pytest.raises(InputError) as caught:
        compile_file(
            write(tmp_path, "a.c", MAIN),
            compiler=endless,
            target=X86_64,
            options=CompileOptions(),
            seconds=20,
        )
    assert "writes more than 1 MiB" in caught.value.diagnostics[0].message


def test_a_compiler_runs_with_plain_messages_and_without_the_users_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CPATH", "/elsewhere")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    shows = script(tmp_path, 'echo "clang: error: $LC_ALL$CPATH" >&2; exit 1')
    with pytest.raises(InputError) as caught:
        compile_file(write(tmp_path, "a.c", MAIN), compiler=shows, target=X86_64, options=CompileOptions())
    assert caught.value.diagnostics[0].message.endswith(" C")


@needs_clang
def test_the_command_that_is_shown_makes_the_same_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path, "a.c", "#include <stdatomic.h>\natomic_int x;\nint main(void) { return x; }")
    done = compile_file(path, compiler=compilers()[0], target=X86_64, options=CompileOptions())
    subprocess.run(done.command, check=True)
    assert (tmp_path / "a.ll").read_text(encoding="utf-8") == done.module.text


@needs_clang
def test_messages_about_files_outside_the_project_quote_nothing_of_them(tmp_path: Path) -> None:
    write(tmp_path, "secret", "hunter2 password;\n")
    folder = tmp_path / "program"
    folder.mkdir()
    path = write(folder, "a.c", '#include "../secret"\n' + MAIN)
    with pytest.raises(InputError) as caught:
        compiled(path)
    assert "hunter2" not in str(caught.value.diagnostics)
    with pytest.raises(InputError) as caught:
        compiled(path, project=(str(tmp_path),))
    assert "hunter2" in str(caught.value.diagnostics)
