"""Which threads are found to be identical, what is said of others, and that answers stay the same."""

from __future__ import annotations

import pytest

import membar
from membar.diagnostics import InputError
from membar.engines.reference.witness_replay import replay
from membar.engines.states import explore
from membar.program.program import Program
from membar.questions.task import Options, Task
from membar.source import SourceFile
from unit.engines.texts import model

FISCHER = """
byte x = 255, in; bool flag[3];
active [3] proctype P() {
again:
  (x == 255);
  flag[_pid] = 1;
  x = _pid;
  if :: x == _pid -> in++; assert(in <= LIMIT); in--; x = 255 :: else fi;
  flag[_pid] = 0;
  goto again
}
"""


def promela(text: str) -> Program:
    return membar.parse(SourceFile("test.pml", text))


def question(program: Program, name: str = "sc", *, symmetric: tuple[str, ...] = ()) -> Task:
    options = Options(buffers=1, buffers_chosen_by_user=True, symmetric=symmetric)
    return Task(program=program, model=model(name), properties=("assertions", "deadlock"), options=options)


def sizes(task: Task) -> tuple[int, int]:
    """How many states there are with symmetry and without; both find the same."""
    few, many = explore(task, reduced=False, symmetric=True), explore(task, reduced=False, symmetric=False)
    for one, other in ((few.failed_assertion, many.failed_assertion), (few.deadlock, many.deadlock)):
        assert (one is None) == (other is None)
        assert one is None or replay(task.program, task.model, one) is None
    return few.statistics.states or 0, many.statistics.states or 0


@pytest.mark.parametrize("name", ["sc", "x86-tso", "pso"])
def test_threads_with_numbers_and_cells_of_their_own_are_identical(name: str) -> None:
    text = FISCHER.replace("in++; assert(in <= LIMIT); in--;", "skip;")  # which fails with store buffers
    few, many = sizes(question(promela(text), name))
    assert 4 * few < many < 6.1 * few


def test_a_violation_that_is_found_among_classes_replays() -> None:
    task = question(promela(FISCHER.replace("LIMIT", "1")))
    tally = explore(task, reduced=False, symmetric=True)
    assert tally.failed_assertion is not None
    assert replay(task.program, task.model, tally.failed_assertion) is None


def test_threads_that_are_started_are_identical_once_all_of_them_run() -> None:
    program = promela("""
        byte x, got[4];
        proctype P(byte id) { x++; got[id] = 1; x++; got[id] = 2 }
        init { atomic { run P(1); run P(2); run P(3) } (x == 6); assert(got[1] == 2) }
    """)
    # The assertion distinguishes P(1), so only the other two may be exchanged.
    assert question_note(program) == ["P_2, P_3"]


def question_note(program: Program) -> list[str]:
    words = "states are counted up to the exchange of identical threads: "
    notes = explore(question(program)).notes
    return [note.removeprefix(words) for note in notes if note.startswith(words)]


SAME = """
byte x = 255, y; bool flag[2]; chan c = [1] of {{ byte }};
active [2] proctype P() {{ byte k; {step} }}
"""


@pytest.mark.parametrize(
    "step",
    [
        "flag[_pid] = 1",
        "x = _pid; (x == _pid)",
        "x = _pid; k = x; flag[k] = 1",
        "x = 1 - _pid",  # which is the number of the thread as well
        "if :: _pid == 0 -> x = 7 :: else -> x = 3 fi",
        "x != 255 -> k = x; y = flag[k]",
        "y = y + 1",
    ],
)
def test_numbers_that_are_kept_and_compared_do_not_distinguish_threads(step: str) -> None:
    assert question_note(promela(SAME.format(step=step))) == ["P_0, P_1"]


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("x = _pid; x = 1 - _pid", "is not the number of the thread"),
        ("x = _pid; (x < 1)", "computes with the number"),
        ("x = _pid; x = x + 1", "also holds other values|computes with"),
        ("x = _pid; x = 0", "number of one thread"),
        ("flag[0] = 1; flag[_pid] = 0", "a cell of one of the threads"),
        ("if :: _pid == 0 -> y = 1 :: else fi", "differs from that of the others"),
        ("c!_pid; c?k; flag[k] = 1", "also holds other values"),  # free places of a queue hold 0
        ("for (k : 0 .. 1) { flag[k] = 1 } flag[_pid] = 0", "a cell of one of the threads"),
    ],
)
def test_what_else_is_done_with_numbers_distinguishes_threads(step: str, why: str) -> None:
    program = promela(SAME.format(step=step))
    assert question_note(program) == []
    with pytest.raises(InputError, match=why):
        explore(question(program, symmetric=("P",)))


def test_an_error_names_the_place_where_declared_threads_differ() -> None:
    program = promela(SAME.format(step="x = _pid;\n (x < 1)"))
    with pytest.raises(InputError) as caught:
        explore(question(program, symmetric=("P",)))
    primary = caught.value.diagnostics[0].primary
    assert primary is not None
    assert (primary.span.line, primary.span.column) == (4, 2)
    with pytest.raises(InputError, match="no such thread"):
        explore(question(program, symmetric=("Q",)))
