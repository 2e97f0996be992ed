"""What breaks a constraint of C is refused at its place, reached or not; gcc, where there is one, agrees."""

from __future__ import annotations

import shutil

import pytest

import membar
import tiers
from differential.c_mutations import objection
from membar.diagnostics import InputError
from membar.source import SourceFile
from strategies.c_constraints import HEAD, RIGHT, WARNED_OF, WRONG, WRONG_OUTSIDE

MAIN = "int main(void) { return 0; }\n"
PROGRAMS = [
    *(
        (f"{HEAD}void wrong(void) {{\n{text}\n}}\nint main(void) {{ return 0; }}\n", *rest)
        for text, *rest in WRONG
    ),
    *((f"{HEAD}\n{text}\nint main(void) {{ return 0; }}\n", *rest) for text, *rest in WRONG_OUTSIDE),
]
LINE = HEAD.count("\n") + 2


@pytest.mark.parametrize(
    ("program", "code", "message"),
    [
        case if place % 4 == 0 else pytest.param(*case, marks=pytest.mark.full)
        for place, case in enumerate(PROGRAMS)
    ],
)
def test_what_is_no_c_is_refused_at_its_place(program: str, code: str, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        membar.parse(SourceFile("wrong.c", program))
    first = refusal.value.diagnostics[0]
    assert message in first.message
    assert first.code == code
    assert first.primary is not None
    assert first.primary.span.line == LINE


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the second opinion")
@pytest.mark.parametrize("start", tiers.first(1, range(0, len(PROGRAMS), 40)))
def test_gcc_refuses_it_too(start: int) -> None:
    accepted = [program for program, *_ in PROGRAMS[start : start + 40] if objection(program) is None]
    assert {text.splitlines()[LINE - 1] for text in accepted} <= WARNED_OF


def test_what_breaks_nothing_is_accepted() -> None:
    program = f"{HEAD}void right(void) {{\n{RIGHT}\n}}\n{MAIN}"
    if shutil.which("gcc") is not None:
        assert objection(program) is None
    assert membar.check(SourceFile("right.c", program)).verdict == "holds"


def test_every_finding_is_told_at_once() -> None:
    text = "int main(void) {\n  x = 1;\n  5 = 6;\n  return y;\n}\n"
    with pytest.raises(InputError) as refusal:
        membar.parse(SourceFile("several.c", text))
    assert [item.primary.span.line for item in refusal.value.diagnostics if item.primary] == [2, 3, 4]
