"""The compiler driver: finding a compiler, strict and relaxed compilation, and what messages become."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

from membar.diagnostics import InputError
from membar.languages.compiled.compiler import Compiler, find_compilers, words_of_zig
from membar.languages.compiled.driver import CompileOptions, compile_file
from membar.languages.compiled.llvm import module as ir
from membar.languages.compiled.llvm.reader import read_module
from membar.languages.compiled.target import AARCH64, X86_64, Target, choose_target
from strategies.compiled_code import compilers
from strategies.compiled_code import needs_clang as needs_compiler

COMPILERS = compilers()
with_every_compiler = pytest.mark.parametrize(
    "compiler", COMPILERS or [None], ids=lambda item: str(item and item.major)
)


def compile_text(
    folder: Path, text: str, compiler: Compiler, options: CompileOptions | None = None
) -> ir.Module:
    path = folder / "a.c"
    path.write_text(text, encoding="utf-8")
    done = compile_file(str(path), compiler=compiler, target=X86_64, options=options or CompileOptions())
    return read_module(done.module)


def refusal(folder: Path, text: str, compiler: Compiler, options: CompileOptions | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        compile_text(folder, text, compiler, options)
    return caught.value


@needs_compiler
@with_every_compiler
def test_atomic_accesses_of_atomic_and_plain_objects_keep_their_orderings(
    tmp_path: Path, compiler: Compiler
) -> None:
    text = """
    #include <stdatomic.h>
    atomic_int a; int plain; _Atomic(char *) p;
    int main(void) {
      atomic_store_explicit(&a, 1, memory_order_release);
      atomic_store_explicit(&plain, 2, memory_order_relaxed);
      int old = 0;
      atomic_compare_exchange_weak_explicit(&plain, &old, 3, memory_order_acq_rel, memory_order_relaxed);
      __atomic_fetch_add(&a, 1, __ATOMIC_ACQUIRE);
      atomic_thread_fence(memory_order_seq_cst);
      return atomic_load_explicit(&a, memory_order_acquire) + (atomic_load(&p) != 0);
    }"""
    module = compile_text(tmp_path, text, compiler)
    found = [
        item
        for block in module.functions["main"].blocks
        for item in block.instructions
        if isinstance(item, ir.CompareExchange | ir.AtomicUpdate | ir.Fence)
        or (isinstance(item, ir.Load | ir.Store) and item.ordering is not None)
    ]
    orders = [getattr(item, "ordering", None) or getattr(item, "success", None) for item in found]
    assert orders == ["release", "monotonic", "acq_rel", "acquire", "seq_cst", "acquire", "seq_cst"]
    assert all(module.metadata.place(item.location) is not None for item in found)


@needs_compiler
@with_every_compiler
def test_an_access_with_an_invalid_ordering_is_an_error_and_does_not_vanish(
    tmp_path: Path, compiler: Compiler
) -> None:
    text = """#include <stdatomic.h>
    atomic_int a;
    int main(void) { atomic_store_explicit(&a, 1, memory_order_acquire); }"""
    (diagnostic,) = refusal(tmp_path, text, compiler).diagnostics
    assert diagnostic.code == "W1513"
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.line == 3


@needs_compiler
@with_every_compiler
def test_a_failure_ordering_with_a_release_part_is_taken_without_it_and_reported(
    tmp_path: Path, compiler: Compiler
) -> None:
    text = """
    #include <stdatomic.h>
    atomic_int a;
    int main(void) {
      int old = 0;
      atomic_compare_exchange_strong_explicit(&a, &old, 1, memory_order_acq_rel, memory_order_acq_rel);
    }"""
    path = tmp_path / "a.c"
    path.write_text(text, encoding="utf-8")
    done = compile_file(str(path), compiler=compiler, target=X86_64, options=CompileOptions())
    (warning,) = done.warnings
    assert "release part" in warning.message
    assert warning.primary is not None
    assert warning.primary.span.line == 6
    assert "acq_rel acquire" in done.module.text


@needs_compiler
@with_every_compiler
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("int main(void) {\n  return undeclared();\n}", 2),
        ("void *f(int x) {\n  return x;\n}\nint main(void) { return 0; }", 2),
        ("int main(void) {\n  return y;\n}", 2),
        ("int main(void) {\n  return 0\n}", 2),
    ],
)
def test_what_would_change_the_program_is_refused_with_its_place(
    tmp_path: Path, compiler: Compiler, text: str, line: int
) -> None:
    diagnostic = refusal(tmp_path, text, compiler).diagnostics[0]
    assert diagnostic.code == "W1512"
    assert diagnostic.primary is not None
    assert diagnostic.primary.span.line == line


@needs_compiler
@with_every_compiler
@pytest.mark.parametrize("type_", ["int", "volatile long"])
def test_habits_that_gcc_allows_are_allowed_and_reported(
    tmp_path: Path, compiler: Compiler, type_: str
) -> None:
    path = tmp_path / "a.c"
    text = f"{type_} x; int main(void) {{\n  long *p = &x;\n  return p == 0;\n}}"
    path.write_text(text, encoding="utf-8")
    done = compile_file(str(path), compiler=compiler, target=X86_64, options=CompileOptions())
    assert [item.code for item in done.warnings] == ["W1514"]
    assert done.warnings[0].primary is not None
    assert done.warnings[0].primary.span.line == 2
    assert done.files[0] == str(path)


@needs_compiler
@with_every_compiler
def test_an_output_of_assembly_may_be_a_cast_to_its_own_type_as_in_gcc(
    tmp_path: Path, compiler: Compiler
) -> None:
    path = tmp_path / "a.c"
    text = 'int main(void) { long x = 1; __asm__("" : "+r"((long)x)); return x != 1; }'
    path.write_text(text, encoding="utf-8")
    done = compile_file(str(path), compiler=compiler, target=X86_64, options=CompileOptions())
    assert "asm" in done.module.text
    assert not done.warnings


@needs_compiler
@with_every_compiler
def test_names_that_are_only_extensions_of_the_system_are_the_programs(
    tmp_path: Path, compiler: Compiler
) -> None:
    path = tmp_path / "a.c"
    text = "#include <unistd.h>\nstatic int gettid(void) { return 1; }\nint main(void) { return gettid(); }"
    path.write_text(text, encoding="utf-8")
    done = compile_file(str(path), compiler=compiler, target=X86_64, options=CompileOptions())
    assert "@gettid" in done.module.text


@needs_compiler
@with_every_compiler
def test_a_name_that_the_system_always_declares_is_not(tmp_path: Path, compiler: Compiler) -> None:
    text = "#include <unistd.h>\nstatic int getpid(void) { return 1; }\nint main(void) { return getpid(); }"
    assert "static declaration of 'getpid'" in refusal(tmp_path, text, compiler).diagnostics[0].message


@needs_compiler
@with_every_compiler
def test_constants_that_overflow_are_reported(tmp_path: Path, compiler: Compiler) -> None:
    path = tmp_path / "a.c"
    text = "#include <limits.h>\nint main(void) { int x = INT_MAX + 1; return x + (1 << 40) + 1 / 0; }"
    path.write_text(text, encoding="utf-8")
    done = compile_file(str(path), compiler=compiler, target=X86_64, options=CompileOptions())
    assert [item.code for item in done.warnings] == ["W1523", "W1515", "W1515"]


@needs_compiler
def test_messages_show_no_text_of_files_outside_the_program(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("password = hunter2;\n", encoding="utf-8")
    folder = tmp_path / "program"
    folder.mkdir()
    error = refusal(folder, '#include "../secret"\nint main(void) { return 0; }', COMPILERS[0])
    for diagnostic in error.diagnostics:
        shown = diagnostic.primary.span.source.text if diagnostic.primary else ""
        assert "hunter2" not in shown


@needs_compiler
def test_options_reach_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "own.h").write_text("#define VALUE N\n", encoding="utf-8")
    text = "#include <own.h>\n#ifdef GONE\n#error\n#endif\nint main(void) { return VALUE; }"
    options = CompileOptions(
        include_dirs=(str(tmp_path / "inc"),), defines=("N=41", "GONE"), undefines=("GONE",)
    )
    module = compile_text(tmp_path, text, COMPILERS[0], options)
    (block,) = module.functions["main"].blocks
    assert ir.Return(value=ir.Typed(module.functions["main"].result, ir.Number(41))) == block.instructions[-1]


def test_no_compiler_gives_one_sentence_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(InputError) as caught:
        list(find_compilers(None, {"PATH": "/nowhere"}))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "W1510"
    assert diagnostic.help is not None
    assert "install clang" in diagnostic.help


def script(folder: Path, body: str) -> str:
    path = folder / "clang"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("echo gcc version 12", "W1511"),
        ("echo clang version 9.0.1", "W1511"),
        ("exit 1", "W1511"),
        ("printf '\\377\\376'", "W1511"),
    ],
)
def test_a_compiler_that_cannot_be_used_is_refused(tmp_path: Path, body: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        list(find_compilers(script(tmp_path, body), {}))
    assert caught.value.diagnostics[0].code == code


def test_a_compiler_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        list(find_compilers(None, {"MEMBAR_CLANG": "/nowhere/clang"}))
    assert caught.value.diagnostics[0].code == "W1510"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("kill -SEGV $$", "failed with exit status"),
        ("exit 0", "wrote no LLVM IR"),
        ("echo 'clang: error: no space left' >&2; exit 1", "no space left"),
        ("printf '\\377\\376' >&2; exit 1", "failed with exit status"),
        ("exec sleep 60", "did not finish within"),
    ],
)
def test_a_compiler_that_fails_gives_one_sentence(tmp_path: Path, body: str, words: str) -> None:
    broken = Compiler((script(tmp_path, body),), 16, "a broken clang")
    path = tmp_path / "a.c"
    path.write_text("int main(void) { return 0; }", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        compile_file(str(path), compiler=broken, target=X86_64, options=CompileOptions(), seconds=2.0)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "W1516"
    assert words in diagnostic.message


def test_the_target_follows_the_model() -> None:
    assert choose_target("armv8") is AARCH64
    assert choose_target("") is X86_64


def test_what_a_compiler_that_does_not_start_says_is_reported(tmp_path: Path) -> None:
    script = tmp_path / "clang"
    script.write_text("#!/bin/sh\necho error: no room left >&2\nexit 3\n", encoding="utf-8")
    script.chmod(stat.S_IRWXU)
    with pytest.raises(InputError) as caught:
        list(find_compilers(str(script), {}))
    assert "does not start: error: no room left" in caught.value.diagnostics[0].message


@pytest.mark.skipif(find_spec("ziglang") is None, reason="needs the package ziglang")
@pytest.mark.parametrize("home", [None, os.devnull])
def test_zig_needs_no_home(tmp_path: Path, home: str | None) -> None:
    path = tmp_path / "a.c"
    path.write_text("int main(void) { return 0; }", encoding="utf-8")
    environment = {"PATH": os.defpath, "TMPDIR": str(tmp_path)} | ({} if home is None else {"HOME": home})
    words = [sys.executable, "-m", "membar", "check", "--clang", "zig", str(path)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == [path]


@needs_compiler
@pytest.mark.parametrize("word", ["-c", "-E", "@words"])
def test_options_that_ask_for_other_output_are_refused(tmp_path: Path, word: str) -> None:
    (diagnostic,) = refusal(
        tmp_path, "int main(void) {}", COMPILERS[0], CompileOptions(others=(word,))
    ).diagnostics
    assert f"`{word}` cannot be passed" in diagnostic.message


@needs_compiler
@with_every_compiler
def test_the_way_out_of_a_wrong_option_is_no_other_compiler(tmp_path: Path, compiler: Compiler) -> None:
    options = CompileOptions(standard="nope")
    (diagnostic,) = refusal(tmp_path, "int main(void) {}", compiler, options).diagnostics
    assert "nope" in diagnostic.message
    assert diagnostic.help is None


@pytest.mark.skipif(find_spec("ziglang") is None, reason="needs the package ziglang")
@pytest.mark.parametrize(("language", "header"), [("cc", "stdio.h"), ("c++", "mutex")])
@pytest.mark.parametrize("target", [X86_64, AARCH64], ids=lambda target: target.processor)
def test_zig_tells_where_headers_are_from_wherever_it_runs(
    language: str, header: str, target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (compiler,) = find_compilers("zig", os.environ)
    monkeypatch.chdir(Path(compiler.command[0]).parent)
    words_of_zig.cache_clear()
    words = words_of_zig(compiler, language, target.zig)
    assert words[0].startswith(f"--target={target.processor}-")
    folders = [Path(value) for word, value in pairwise(words) if word == "-isystem"]
    assert all(folder.is_absolute() for folder in folders)
    assert any((folder / header).is_file() for folder in folders)
