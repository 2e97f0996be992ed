"""What would give a wrong answer if a compiler were trusted blindly: each case, down to the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar
from membar.cli import command
from membar.diagnostics import InputError
from strategies.compiled_code import compilers, needs_clang

pytestmark = needs_clang

MAIN = "int main(void) { %s return 0; }\n"
CLANGS = [str(each.command[0]) if not each.is_zig else "zig" for each in compilers()]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(text: str, **options: object) -> membar.Answer:
    Path("a.c").write_text(text, encoding="utf-8")
    chosen: dict[str, object] = {"standard": "gnu17", **options}
    return membar.check("a.c", **chosen)  # type: ignore[arg-type]


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize(
    "statement",
    [
        "atomic_store_explicit(&x, 1, memory_order_acquire);",
        "atomic_load_explicit(&x, memory_order_release);",
        "__atomic_store_n(&y, 1, __ATOMIC_ACQ_REL);",
        "__atomic_load_n(&y, __ATOMIC_ACQ_REL);",
        "atomic_load_explicit(&x, 17);",
        "atomic_thread_fence(17);",
        "__atomic_thread_fence(-1);",
        "atomic_exchange_explicit(&x, 1, 6);",
        "__atomic_compare_exchange_n(&y, &y, 1, 0, __ATOMIC_SEQ_CST, 17);",
    ],
)
def test_an_access_with_an_invalid_ordering_does_not_vanish(statement: str, clang: str) -> None:
    with pytest.raises(InputError) as caught:
        check(f"#include <stdatomic.h>\natomic_int x; int y;\n{MAIN % statement}", clang=clang)
    (problem,) = caught.value.diagnostics
    assert problem.code == "W1513"
    assert problem.primary is not None
    assert problem.primary.span.line == 3


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        ("atomic_store_explicit(&x, 1, order[2]);", "violated"),
        ("atomic_load_explicit(&x, order[3]);", "violated"),
        ("__atomic_store_n(&y, 1, order[4]);", "violated"),
        ("__atomic_load_n(&y, order[2]);", "holds"),
        ("atomic_store_explicit(&x, 1, order[3]);", "holds"),
    ],
)
def test_an_invalid_ordering_that_is_chosen_at_run_time_is_an_error(
    call: str, verdict: str, clang: str
) -> None:
    text = "#include <stdatomic.h>\natomic_int x; int y, order[] = {0, 1, 2, 3, 4, 5};\n"
    found = check(text + MAIN % call, clang=clang)
    assert found.verdict == verdict
    assert getattr(found.outcome, "property", None) == (None if verdict == "holds" else "memory")


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize(
    ("value", "expected"),
    [("INT_MAX + 1", "holds-within"), ("1 << 40", "violated"), ("1 / 0", "violated"), ("1", "holds")],
)
def test_what_the_compiler_folds_is_not_taken_for_granted(value: str, expected: str, clang: str) -> None:
    text = f"#include <limits.h>\n{MAIN % f'int a = {value}; if (a == 7) return 1;'}"
    found = check(text, clang=clang)
    assert found.verdict == expected
    notes = [note for note in found.outcome.run.notes if note.startswith("a.c:2: ")]
    assert bool(notes) == (expected != "holds")


@pytest.mark.parametrize("clang", CLANGS)
def test_assertions_that_are_compiled_out_do_not_hold(clang: str) -> None:
    text = f"#include <assert.h>\n{MAIN % 'assert(0);'}"
    assert check(text, clang=clang).verdict == "violated"
    found = check(text, clang=clang, defines=("NDEBUG",))
    assert found.verdict == "holds-within"
    assert any("a.c:2: assertions are compiled out" in note for note in found.outcome.run.notes)


def test_two_definitions_of_one_inline_function_are_refused_if_they_differ() -> None:
    inline = "inline int f(void) { return %d; }\n"
    Path("b.c").write_text(f"extern {inline % 2}", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        check(f"extern {inline % 1}{MAIN % 'f();'}", further_files=("b.c",))
    assert "`f` is defined twice" in caught.value.diagnostics[0].message
    Path("b.c").write_text(f"static {inline % 2}", encoding="utf-8")
    assert check(f"static {inline % 1}{MAIN % 'f();'}", further_files=("b.c",)).verdict == "holds"


def test_recorded_commands_choose_how_to_read_and_run_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.c").write_text(MAIN % "return CODE;", encoding="utf-8")
    evil = Path("evil")
    evil.write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    evil.chmod(0o755)
    words = ["./evil", "-DCODE=0", "-fplugin=./evil", "-Xclang", "-load", "-wrapper", "./evil", "a.c"]
    entry = {"directory": str(Path.cwd()), "file": "a.c", "arguments": words}
    Path("compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert command.main(["check", "a.c", "--compile-commands", "."]) == 0
    assert not Path("ran").exists()
    assert "HOLDS" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 1", "failed with exit status 1"),
        ("kill -SEGV $$", "failed with exit status -11"),
        ("printf 'clang: error: \\377\\376 odd\\n' >&2; exit 1", "odd"),
        ("sleep 60", "did not finish within"),
    ],
)
def test_a_compiler_that_goes_wrong_is_one_sentence(
    body: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.c").write_text(MAIN % "", encoding="utf-8")
    script = '#!/bin/sh\n[ "$1" = --version ] && echo "clang version 16.0.0" && exit\n'
    Path("clang").write_text(f"{script}{body}\n", encoding="utf-8")
    Path("clang").chmod(0o755)
    code = command.main(["check", "a.c", "--clang", "./clang", "--no-cache", "--limit", "time=3s"])
    shown = capsys.readouterr()
    assert (code, words in shown.err) == (2, True) or (code, "time limit" in shown.out) == (3, True)


def test_a_home_that_cannot_be_written_is_no_reason_to_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("home").write_text("", encoding="utf-8")  # not a folder
    monkeypatch.setenv("HOME", str(Path("home").absolute()))
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path("home").absolute()))
    Path("a.c").write_text(MAIN % "", encoding="utf-8")
    for clang in CLANGS:
        assert command.main(["check", "a.c", "--clang", clang]) == 0, capsys.readouterr().err
