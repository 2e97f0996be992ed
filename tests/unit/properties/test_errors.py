"""States that must not be reached, and claims about runs: answered, or said not to be."""

from __future__ import annotations

from dataclasses import replace

import pytest

import membar
from membar.diagnostics import InputError
from membar.program.expr import Binary, BinaryOp, Constant, Register
from membar.program.predicate import AtPoint, CellValue, RegisterValue, StatePredicate
from membar.program.program import Program
from membar.program.temporal import Atom, Claim, globally
from membar.program.validate import validate
from membar.properties import PROPERTIES
from membar.questions import engine_answer
from membar.questions.outcome import Outcome, Unknown, Violated
from membar.questions.task import Options, Task
from membar.source import SourceFile

_TEXT = """
program "two-stores"
memory x : i32
memory y : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: store [&y] := 1
}
thread P1 {
  0 -> 1: r0 := load [&y]
}
"""


def _program() -> Program:
    return membar.parse(SourceFile("two-stores.mbp", _TEXT))


def _memory_has(name: str, value: int) -> StatePredicate:
    return StatePredicate(
        Binary(BinaryOp.EQ, Register("it"), Constant(value)), (("it", CellValue(name)),), f"{name} == {value}"
    )


def _both(left: StatePredicate, right: StatePredicate) -> StatePredicate:
    named = [(f"{side}{name}", seen) for side, one in (("a", left), ("b", right)) for name, seen in one.reads]
    (first, _), (second, _) = named
    expression = Binary(
        BinaryOp.AND,
        Binary(BinaryOp.EQ, Register(first), Constant(0)),
        Binary(BinaryOp.EQ, Register(second), Constant(1)),
    )
    return StatePredicate(expression, tuple(named))


def _verdict(program: Program, model: str, engine: str = "reference") -> Outcome:
    loaded = membar.load_model(model)
    options = Options(buffers=2, buffers_chosen_by_user=True)
    task = Task(program=program, model=loaded, properties=tuple(PROPERTIES), options=options)
    return engine_answer.answer(task, engine_answer.load_engine(engine))


@pytest.mark.parametrize(("model", "is_reached"), [("x86-tso", False), ("pso", True)])
def test_a_state_in_which_the_second_store_overtook_the_first_is_reached_only_under_pso(
    model: str, *, is_reached: bool
) -> None:
    predicate = _both(_memory_has("x", 0), _memory_has("y", 1))
    outcome = _verdict(replace(_program(), errors=(predicate,)), model)
    assert isinstance(outcome, Violated) is is_reached
    if isinstance(outcome, Violated):
        assert outcome.property == "errors"


def test_an_error_may_speak_of_registers_and_control_points() -> None:
    program = _program()
    last = max(edge.target for edge in program.threads[1].edges)
    ended_with_1 = StatePredicate(
        Binary(BinaryOp.AND, Register("there"), Register("value")),
        (("there", AtPoint(1, frozenset({last}))), ("value", RegisterValue(1, "r0"))),
    )
    assert isinstance(_verdict(replace(program, errors=(ended_with_1,)), "sc"), Violated)
    elsewhere = replace(ended_with_1, reads=(("there", AtPoint(1, frozenset({999}))), ended_with_1.reads[1]))
    assert not isinstance(_verdict(replace(program, errors=(elsewhere,)), "sc"), Violated)


@pytest.mark.parametrize("engine", ["graphs", "reference"])
def test_what_an_engine_cannot_look_for_is_unknown(engine: str) -> None:
    claim = Claim("always", globally(Atom(_memory_has("x", 0))))
    outcome = _verdict(replace(_program(), claims=(claim,)), "sc", engine)
    assert isinstance(outcome, Unknown)
    assert "LTL" in outcome.reason


def test_a_predicate_that_speaks_of_nothing_is_refused() -> None:
    for predicate in (_memory_has("z", 0), StatePredicate(Register("unbound"), ())):
        with pytest.raises(InputError):
            validate(replace(_program(), errors=(predicate,)))


def test_the_api_names_both_properties() -> None:
    assert {"errors", "claims"} <= set(membar.properties.PROPERTIES)
