"""C through `membar check`, as a compiler reads it: every option and kind of input down to the verdict."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

import membar
from membar.cli import command
from membar.diagnostics import InputError
from membar.languages.compiled.target import X86_64
from strategies.compiled_code import compilers, needs_clang, skip_without_headers

pytestmark = needs_clang

MAIN = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef LIMIT
#define LIMIT 2
#endif
extern atomic_int x;
int get(void);
void *set(void *a) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, set, 0);
  assert(get() < LIMIT);
  pthread_join(t, 0);
}
"""
STUBS = "#include <stdatomic.h>\natomic_int x;\nint get(void) { return atomic_load(&x); }\n"
ONE = MAIN.replace("extern atomic_int x;", "atomic_int x;").replace("get(void);", "get(void) { return x; }")


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"main.c": MAIN, "stubs.c": STUBS, "one.c": ONE}.items():
        Path(name).write_text(text, encoding="utf-8")


def check(*words: str) -> int:
    return command.main(["check", *words])


def clang() -> str:
    """The value of `--clang` for the compiler at hand."""
    first = compilers()[0]
    return "zig" if first.is_zig else first.command[0]


def compile_with(*words: str) -> None:
    """Runs the compiler at hand."""
    first = compilers()[0]
    plain = ("-target", X86_64.zig, "-fno-sanitize=all") if first.is_zig else ()
    subprocess.run([*first.command, *plain, *words], check=True)


def test_several_files_are_one_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("main.c", "stubs.c") == 0
    assert check("stubs.c", "main.c", "-D", "LIMIT=1") == 1
    assert check("main.c", "--with", "stubs.c") == 0
    assert capsys.readouterr().out.count("main.c: HOLDS under rc11") == 2
    found = membar.check("main.c", further_files=("stubs.c",), defines=("LIMIT=1",))
    assert found.verdict == "violated"


def test_files_that_each_have_a_main_are_programs_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.c").write_text(ONE, encoding="utf-8")
    assert check("one.c", "other.c") == 0
    assert capsys.readouterr().out.count("HOLDS") == 2
    assert check("one.c", "other.c", "stubs.c") == 2
    assert "one.c and other.c each have a function `main`" in capsys.readouterr().err


def test_a_main_that_is_compiled_under_a_condition_is_for_another_program() -> None:
    tested = f"#if TEST_MAIN\n{ONE}\n#endif\n"
    Path("tested.c").write_text(tested, encoding="utf-8")
    assert check("tested.c", "main.c", "stubs.c") == 0


def test_a_file_without_main_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("stubs.c", "--std", "gnu11") == 2
    assert "stubs.c: the program has no function `main`" in capsys.readouterr().err


def test_a_call_that_nobody_defines_says_how_to_supply_a_body(capsys: pytest.CaptureFixture[str]) -> None:
    text = ONE.replace("{ return x; }", ";")
    Path("one.c").write_text(text, encoding="utf-8")
    assert check("one.c", "--std", "gnu11") == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "what `get` does" in shown
    assert "membar check main.c stubs.c` (line 13)" in shown


@pytest.mark.parametrize("kind", ["i", "ll", "bc"])
@pytest.mark.parametrize(("limit", "code"), [(2, 0), (1, 1)])
def test_text_that_a_compiler_wrote_is_read(kind: str, limit: int, code: int) -> None:
    flags = {"i": ["-E"], "ll": ["-S", "-g", "-emit-llvm"], "bc": ["-c", "-g", "-emit-llvm"]}[kind]
    compile_with(*flags, f"-DLIMIT={limit}", "one.c", "-o", f"one.{kind}")
    assert check(f"one.{kind}") == code


def test_code_without_the_lifetimes_of_variables_holds_only_without_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "int main(void) {\n  int *p;\n  {\n    int x = 1;\n    p = &x;\n  }\n  return *p - 1;\n}\n"
    Path("kept.c").write_text(text, encoding="utf-8")
    assert check("kept.c") == 1
    compile_with("-S", "-g", "-emit-llvm", "kept.c", "-o", "kept.ll")
    assert check("kept.ll") == 4
    assert "variables are not used after their block" in capsys.readouterr().out


def test_optimised_code_holds_only_as_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    compile_with("-O1", "-S", "-g", "-emit-llvm", "one.c", "-o", "one.ll")
    assert check("one.ll") == 4
    assert "about the optimised code in one.ll" in capsys.readouterr().out
    compile_with("-g0", "-S", "-emit-llvm", "one.c", "-o", "one.ll")
    assert check("one.ll") == 4
    said = capsys.readouterr().out
    assert "whose origin is not known" in said
    assert "compiled for x86_64 by" not in said


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("-U", "LIMIT", "-D", "LIMIT=1", "--clang", "CLANG"), 0),
        (("-include", "limit.h"), 1),
        (("--std", "gnu17", "-D", "LIMIT=1"), 1),
        (("-D", "LIMIT=1", "--no-cache"), 1),
        (("--data-model", "LP64", "-D", "LIMIT=sizeof(long)-7"), 1),
        (("--data-model", "ILP32", "-D", "LIMIT=sizeof(long)-3"), 1),
        (("--compile-commands", "build"), 1),
        (("--", "-DLIMIT=1"), 1),
    ],
)
def test_options_reach_the_compiler(words: tuple[str, ...], code: int) -> None:
    if "ILP32" in words:
        skip_without_headers("i686")
    Path("limit.h").write_text("#define LIMIT 1\n", encoding="utf-8")
    Path("build").mkdir()
    entry = {"directory": "..", "file": "one.c", "arguments": ["cc", "-DLIMIT=1", "-O2", "one.c"]}
    Path("build", "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert check("one.c", *(clang() if word == "CLANG" else word for word in words)) == code


def test_a_target_that_is_not_the_models_gives_no_plain_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("one.c", "--model", "armv8", "--target", "x86_64") == 0
    said = "compiled for x86_64, which is not the processor of the memory model"
    shown = " ".join(capsys.readouterr().out.split())
    assert "HOLDS WITHIN" in shown
    assert said in shown


def test_assembly_of_one_processor_is_refused_under_the_model_of_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = ONE.replace("x = 1;", 'x = 1; __asm__ volatile("mfence" ::: "memory");')
    Path("one.c").write_text(text, encoding="utf-8")
    assert check("one.c", "--model", "x86-tso", "--target", "x86_64") == 0
    capsys.readouterr()
    assert check("one.c", "--model", "armv8", "--target", "x86_64") == 2
    shown = capsys.readouterr().err
    assert "one.c:9" in shown
    assert "x86_64" in shown


def test_a_text_that_looks_at_a_processor_whose_headers_are_missing_is_unknown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("one.c").write_text(f"#ifdef __ARM_ARCH\n#endif\n{ONE}", encoding="utf-8")
    code = check("one.c", "--model", "armv7", "--std", "gnu11")
    assert code == 3
    said = "`__ARM_ARCH` at one.c:1 depends on the processor"
    assert said in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("words", [("--data-model", "ILP32"), ("--target", "i686"), ("--target", "riscv64")])
def test_nothing_stands_for_a_processor_that_the_user_names(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("one.c").write_text(
        "#include <assert.h>\nint main(void) { assert(sizeof(long) != 4); }\n", encoding="utf-8"
    )
    code = check("one.c", "--model", "sc", *words)
    missing = f"{' '.join(words)}: no compiler has the headers of"
    if code == 2:
        assert missing in capsys.readouterr().err
    else:
        assert code == (0 if "riscv64" in words else 1)


def test_the_report_names_compiler_and_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("one.c", "--clang", clang()) == 0
    assert "compiled for x86_64 by" in capsys.readouterr().out


def test_the_command_and_what_was_not_taken_over_are_told_on_request(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entry = {"directory": ".", "file": "one.c", "arguments": ["cc", "-DLIMIT=3", "-O2", "one.c"]}
    Path("compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert check("one.c", "-v", "--compile-commands", ".", "--clang", clang(), "--json") == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    (line,) = [note for note in notes if note.startswith("the command: ")]
    subprocess.run(shlex.split(line.removeprefix("the command: ")), check=True)
    assert "define" in Path("one.ll").read_text(encoding="utf-8")
    assert "not taken from compile_commands.json: -O2 one.c" in notes


def test_options_for_compilers_are_refused_for_other_languages(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.dve").write_text("byte x; process P { state s; init s; } system async;\n", encoding="utf-8")
    assert check("a.dve", "--std", "gnu11") == 2
    assert "--std does not apply to" in capsys.readouterr().err


def test_a_text_that_is_not_on_the_disk_is_compiled_as_it_is() -> None:
    source = membar.SourceFile("one.c", ONE.replace("LIMIT 2", "LIMIT 1"))
    assert membar.check(source, standard="gnu11").verdict == "violated"
    with pytest.raises(InputError) as caught:
        membar.check(membar.SourceFile("gone.c", "int main(void) {\n  return y;\n}\n"), standard="gnu11")
    primary = caught.value.diagnostics[0].primary
    assert primary is not None
    assert (primary.span.path, primary.span.line, primary.span.text) == ("gone.c", 2, "y")


@pytest.mark.parametrize("form", ["llvm", "code", "program"])
def test_every_stage_can_be_printed(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["translate", "one.c", "--to", form, "--model", "x86-tso"]) == 0
    words = {"llvm": "define i32 @main", "code": "func &main()", "program": "spawn set"}
    assert words[form] in capsys.readouterr().out


def test_the_code_after_a_pass_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("start_program", "inline_calls", "spawn_threads", "split_cells"):
        assert command.main(["translate", "one.c", "--to", "code", "--print-after", name]) == 0
        assert "func &" in capsys.readouterr().out
    assert command.main(["translate", "one.c", "--to", "code", "--print-after", "magic"]) == 2
    assert "no pass is called `magic`" in capsys.readouterr().err


@pytest.mark.skipif(not any(each.is_zig for each in compilers()), reason="the package ziglang is not at hand")
@pytest.mark.parametrize("model", ["rc11", "x86-tso", "armv8", "riscv", "power"])
def test_zig_has_the_headers_of_every_processor(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("one.c", "--clang", "zig", "--model", model) == 0
    assert "by zig's clang" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("%x = add i32 1, 2\n  %x = add i32 3, 4\n  ret i32 %x", "`%x` is defined twice"),
        ("ret i32 %y\n  %y = add i32 1, 2\n  ret i32 0", "behind the end of a block"),
        ("%y = add i32 %x, 2\n  %x = add i32 1, 2\n  ret i32 %y", "%x is used in 0 before it is defined"),
        ("%x = add i64 1, 2\n  ret i32 %x", "`%x` is of another type"),
        ("%x = add i9223372036854775808 1, 2\n  ret i32 0", "integers of 9223372036854775808 bits"),
        ("%x = alloca %t\n  ret i32 0", "a type without a size in memory"),
        ("%x = alloca [9223372036854775807 x i32]\n  store ptr %x, ptr @p\n  ret i32 0", "bytes"),
    ],
)  # fmt: skip
def test_llvm_ir_that_no_compiler_wrote_is_refused(
    body: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "%t = type opaque\n@p = global ptr null\n"
    Path("a.ll").write_text(f"{text}define i32 @main() {{\n  {body}\n}}\n", encoding="utf-8")
    assert check("a.ll") == 2
    assert words in " ".join(capsys.readouterr().err.split())
