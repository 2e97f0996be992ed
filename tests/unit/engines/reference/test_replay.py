from __future__ import annotations

from dataclasses import replace

import pytest

from membar.engines.reference.witness_replay import replay
from membar.program.program import Program
from membar.questions.outcome import Holds, Violated, Witness
from unit.engines.texts import model, parse, program, run

SB = program(
    "store [&x] := 1; r := load [&y]", "store [&y] := 1; r := load [&x]", ask=r"exists 0:r = 0 /\ 1:r = 0"
)
SPAWN = parse(
    """program p memory x : i32
    thread main { 0 -> 1: store [&x] := 1 1 -> 2: spawn a 2 -> 3: join a 3 -> 4: s := load [&x]
      4 -> 5 when s == 7: spawn b 4 -> 5 when s != 7 }
    thread a spawned { 0 -> 1: r := rmw [&x] := r + 1 }
    thread b spawned { 0 -> 1: store [&x] := 9 }
    exists 0:s = 2"""
)
LOOP = parse(
    """program p memory x : i32 memory y : i32
    thread A { 0 -> 1: r := load [&x] 1 -> 0 when r == 0 1 -> 2 when r != 0 2 -> 3: assert 0, "reached" }
    thread B { 0 -> 1: s := load [&y] 1 -> 0 when s == 0 1 -> 2 when s != 0 }
    thread C { 0 -> 1: lock [&y] 1 -> 2: store [&x] := 1 2 -> 3: unlock [&y] }"""
)
CHOICES = program(
    "c := choose 1 to 2; a := load [&x] exclusive; s := store_conditional [&x] := c; lock [&y]",
    "send m (7)",
    "receive m (q); store [&z] := q",
    more="channel m : 0 of 1",
    ask=r"exists x = 2 /\ z = 7",
)


def witness_of(subject: Program, name: str, buffers: int | None) -> Witness:
    outcome = run(subject, name, buffers=buffers)
    assert isinstance(outcome, Holds | Violated)
    assert outcome.witness is not None
    return outcome.witness


@pytest.mark.parametrize(
    ("subject", "name", "buffers"),
    [
        (SB, "x86-tso", None),
        (SB, "pso", None),
        (SB, "x86-tso", 2),
        (SB, "cam", 1),
        (SPAWN, "sc", None),
        (SPAWN, "armv8", None),
        (SPAWN, "pso", 2),
        (LOOP, "sc", None),
        (LOOP, "x86-tso", 2),
        (CHOICES, "x86-tso", 2),
    ],
)
def test_witnesses_replay(subject: Program, name: str, buffers: int | None) -> None:
    assert replay(subject, model(name), witness_of(subject, name, buffers)) is None


def mismatch(name: str, witness: Witness) -> str:
    found = replay(SB, model(name), witness)
    assert found is not None
    return found


def test_a_stronger_model_refuses_the_witness() -> None:
    assert "coherence" not in mismatch("sc", witness_of(SB, "x86-tso", None))
    assert "global-order" in mismatch("sc", witness_of(SB, "x86-tso", None))
    assert "step" in mismatch("sc", witness_of(SB, "x86-tso", 2))


def test_tampering_is_noticed() -> None:
    good = witness_of(SB, "x86-tso", None)
    execution = good.execution
    assert "threads" in mismatch("x86-tso", replace(good, choices=good.choices[:1]))
    assert "left over" in mismatch("x86-tso", replace(good, choices=((0, 0), (0,))))
    assert "events" in mismatch("x86-tso", replace(good, choices=((), (0,))))
    assert "event 3" in mismatch("x86-tso", replace(good, choices=((1,), (0,))))
    assert "final state" in mismatch("x86-tso", replace(good, final=(("0:r", 1), ("1:r", 0))))
    for wrong, words in (
        (replace(execution, rf=execution.rf[:1]), "exactly one write"),
        (replace(execution, rf=((4, execution.rf[0][1]), execution.rf[1])), "cannot read"),
        (replace(execution, co=((0, 4), (1, 2))), "does not list"),
        (replace(execution, po=frozenset()), "po differs"),
        (replace(execution, data=frozenset({(2, 3)})), "data differs"),
    ):
        assert words in mismatch("x86-tso", replace(good, execution=wrong))


def test_tampered_steps_are_noticed() -> None:
    good = witness_of(SB, "x86-tso", 2)
    swapped = (good.steps[1], good.steps[0], *good.steps[2:])
    assert mismatch("x86-tso", replace(good, steps=swapped)) == "following the steps gives other steps"
    assert "step 1 (flush x = 1) is not possible" in mismatch(
        "x86-tso", replace(good, steps=(good.steps[-1], *good.steps[:-1]))
    )
    assert "no store-buffer semantics" in mismatch("armv8", good)
