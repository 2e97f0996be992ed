"""The mutation tester tells a change that a test notices from one that no test notices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mutants import core
from mutants.mutator import Mutant, mutants

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = '''"""A toy."""

def is_small(number: int) -> bool:
    """Whether a number has one digit."""
    return number < 10

def is_early(hour: int) -> bool:
    return hour < 12

def is_late(hour: int) -> bool:
    return hour > 22

class Counter:
    def __init__(self) -> None:
        self.count = 0

    @property
    def is_new(self) -> bool:
        return self.count == 0
'''
TEST = """import toy

def test_both_sides_of_the_limit():
    assert toy.is_small(9)
    assert not toy.is_small(10)

def test_one_side_only():
    assert toy.is_early(6)

def test_new():
    assert toy.Counter().is_new
"""


def found(body: str) -> list[Mutant]:
    return list(mutants("m", f"def f(a, b):\n    {body}\n"))


def after(body: str) -> list[str]:
    return [mutant.after for mutant in found(body)]


def test_mutants_have_a_qualified_name_and_a_line() -> None:
    names = {(mutant.function, mutant.line) for mutant in mutants("toy", PROGRAM)}
    assert names >= {("is_small", 5), ("is_early", 8), ("Counter.is_new", 19)}


def test_each_kind_of_change() -> None:
    assert after("return a < b") == ["a <= b"]
    assert after("return a and b") == ["a or b", "b", "a"]
    assert after("return not a") == ["not not a"]
    assert after("return a | b") == ["a & b"]
    assert after("a += 1") == ["a -= 1", "2"]
    assert after("return any(a)") == ["all(a)"]
    assert after("a.add(b)") == ["nothing"]
    assert after("return [x for x in a if x]") == ["for x in a"]
    assert after("yield a") == ["yield from ()"]


def test_texts_and_what_is_raised_stay() -> None:
    assert found('"""Only a docstring of 1."""') == []
    assert found("raise ValueError(1 + 2)") == []
    assert found("return f'{a + 1}'") == []


def test_killed_and_surviving_mutants_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text(PROGRAM)
    (tmp_path / "test_toy.py").write_text(TEST)
    done = _session(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "survived: toy:is_early line 8: `hour < 12` becomes `hour <= 12`" in done.stdout
    assert "not called: toy:is_late line 11: `hour > 22` becomes `hour >= 22`" in done.stdout
    assert "toy:is_small" not in done.stdout.replace("toy:is_small line 5: `10` becomes `11`", "")
    # Noticed: `<=` and 11 for is_small, both changes of `is_new`, and the other beginning of the count.
    assert "5 killed, 0 out of time, 2 survived, 2 not called" in done.stdout


def test_tests_that_fail_anyway_say_nothing_about_mutants(tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text(PROGRAM)
    (tmp_path / "test_toy.py").write_text(TEST.replace("is_early(6)", "is_early(13)"))
    done = _session(tmp_path)
    assert done.returncode == 2
    assert "a test fails without any change" in done.stdout


def _session(folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "mutants.session", "toy", "--tests", str(folder / "test_toy.py")]
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{folder}"}
    return subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_span_of_rust_is_replaced() -> None:
    text = "fn f() -> bool {\n    a == b\n}\n"
    span = {"start": {"line": 2, "column": 7}, "end": {"line": 2, "column": 9}}
    assert core.changed(text, span, "!=") == "fn f() -> bool {\n    a != b\n}\n"
