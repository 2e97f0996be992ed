"""The execution that is shown is one in which threads see the least of each other: figure 9 of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.objects.client import Size
from membar.program.execution import Kind
from membar.questions.outcome import Violated
from membar.source import SourceFile

EXAMPLES = Path(__file__).parents[3] / "examples"
SMALL = Size(2, 1)


def reads(found: membar.Answer) -> list[tuple[str, int, bool]]:
    """What the reading thread reads: where, what, and whether a writer wrote it."""
    assert isinstance(found.outcome, Violated)
    assert found.outcome.witness is not None
    assert found.program is not None
    execution, program = found.outcome.witness.execution, found.program
    reader = next(n for n, thread in enumerate(program.threads) if thread.name == "T1")
    source = {read: execution.events[write] for write, read in execution.rf}
    return [
        (program.cells[event.cell].name, event.value, not source[event.id].is_initial)
        for event in execution.events
        if event.thread == reader and event.kind is Kind.READ and event.cell is not None
    ]


@pytest.mark.parametrize("model", ["xc", "armv8"])
@pytest.mark.parametrize("case", ["obj", "obj, reads in order", "c", "c, reads in order"])
def test_x1_is_written_before_c_is_odd(case: str, model: str) -> None:
    if case == "obj":
        found = membar.check(EXAMPLES / "objects/seqlock.obj", client=SMALL, model=model)
    elif case == "obj, reads in order":
        text = (EXAMPLES / "objects/seqlock-armv8.obj").read_text(encoding="utf-8")
        assert text.count("23: fence;") == 1
        found = membar.check(
            SourceFile("o.obj", text.replace("23: fence;", "23: skip;")), client=SMALL, model=model
        )
    else:
        macro = "NO_FENCES" if case == "c" else "NO_FENCE_3"
        found = membar.check(EXAMPLES / "c/objects/seqlock.c", client=SMALL, model=model, defines=[macro])
    assert found.refutation is not None
    assert [call.text for call in found.refutation.history.calls] == ["write(1, 2)", "read() = (1, 0)"]
    assert reads(found) == [("c", 0, False), ("x1", 1, True), ("x2", 0, False), ("c", 0, False)]


@pytest.mark.parametrize("model", ["xc", "armv8"])
def test_with_the_fence_that_is_not_what_happens(model: str) -> None:
    found = membar.check(EXAMPLES / "c/objects/seqlock.c", client=SMALL, model=model, defines=["NO_FENCE_5"])
    assert reads(found)[0] == ("c", 2, True)  # x2 is written after c is even again
