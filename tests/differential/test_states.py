"""The state search of the core: equal to the reference simulator, state by state."""

from __future__ import annotations

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from differential.states import Report, campaign, compare
from unit.engines.texts import parse

# Random programs that show a mistake: `strategies.machines.machine_program` under the model of its number.
SHOWN_BY = {
    "a fence does nothing": 6,
    "what waits for all buffers waits only for the own one": 13,
    "an atomic write goes into the buffer": 1,
    "a locked instruction acts on the buffer": 17,
    "a load looks at memory only": 4,
    "a load takes the oldest entry of its buffer": 455,
    "a buffer takes one entry more than it may": 1,
    "nobody learns that the bound held a store back": 1,
    "a step that fits into no buffer is taken for one that waits for room": 1,
    "an assumption that waits stops the run": 0,
    "a lock is taken although somebody has it": 15,
    "a thread is joined although its stores wait in its buffer": 22,
    "a store comes between an exclusive load and its store": 49,
    "a reservation outlives a store by somebody else": 49,
    "the newest entry reaches memory first": 13,
    "stores overtake a barrier on their way to memory": 244,
    "only the first open edge of a control point is taken": 21,
    "threads move before they are started": 7,
    "a final state is seen although entries wait in a buffer": 2,
    "a state in which one thread has ended is no deadlock": 11,
    "states that differ only in the last word of memory are taken for equal": 3,
    "a channel takes one message more than it may": 114,
    "threads move although another one is at a committed point": 7,
    "who may wait forever is taken for stuck": 41,
    "the reduction does not ask what others do to a cell": 4,
    "only the first store of a step is remembered": 37,
    "why a step is not taken is not remembered": 1,
}
# Programs made for a mistake that random ones seldom show.
MADE_FOR = {
    "equal contents of the buffers of a thread are told apart by their order": """program orders
        memory x : i32  memory y : i32
        thread P0 {
          0 -> 1: store [&x] := 1
          1 -> 3: store [&y] := 1
          0 -> 2: store [&y] := 1
          2 -> 3: store [&x] := 1 }""",
    "a thread receives what it sends itself": """program alone
        channel c : 0 of 1
        thread P0 {
          0 -> 1: send c (1)
          0 -> 2: receive c (r) }""",
    "the reduction puts threads off forever": """program idle
        thread P0 { 0 -> 0: r := 0 }
        thread P1 { 0 -> 1: r := 1  1 -> 2: assert 0 }""",
    "the reduction does not ask what the property looks at": """program together
        thread P0 { 0 -> 1: r := 1  1 -> 2: r := 2 }
        thread P1 { 0 -> 1: r := 1  1 -> 2: r := 2 }
        error a & b where a = at 0 {1}, b = at 1 {1}""",
    "a step is remembered by the first cell that it reads only": """program pair
        memory x : i32  memory y : i32
        thread P0 { 0 -> 1: r := load [&x]; s := load [&y] }
        thread P1 { 0 -> 1: store [&y] := 1 }""",
    "threads move although another one is inside an atomic block": """program block
        thread P0 { atomic 1  0 -> 1: r := 1  1 -> 2: r := 2 }
        thread P1 { 0 -> 1: r := 1 }""",
    "edges are taken although others come first": """program ranks
        memory x : i32
        thread P0 {
          0 -> 1: r := load [&x]; wait r == 1
          0 -> 2 rank 1: r := 2
          2 -> 3 timeout: r := 3 }
        thread P1 { 0 -> 1: store [&x] := 1 }""",
    "a message is received although others come first": """program offers
        memory x : i32
        channel c : 0 of 1
        thread P0 {
          0 -> 1: receive c (r); s := load [&x]; wait r == s
          0 -> 2 rank 1: receive c (r)
          0 -> 3 rank 1: send c (2)
          1 -> 4: send c (r) }
        thread P1 { 0 -> 1: send c (1) 1 -> 2: receive c (r) }
        thread P2 { 0 -> 1: store [&x] := 1  0 -> 2: receive c (r) }""",
    "nobody receives where something else comes first": """program beside
        channel c : 0 of 1
        thread P0 { 0 -> 1: r := 1  0 -> 2 rank 1: receive c (r) }
        thread P1 { 0 -> 1: send c (1) }
        error a where a = at 0 {2}""",
    "error states are looked for in final states only": """program passing
        thread P0 { 0 -> 1: r := 1  1 -> 2: r := 2 }
        error a where a = at 0 {1}""",
}


def test_states_transitions_outcomes_and_runs_are_those_of_the_reference() -> None:
    report = campaign(20, states=800)
    assert report.wrong == []
    counts = report.counts
    assert counts["compared"] >= 120
    assert (
        min(counts[kind] for kind in ("failed_assertion", "deadlock", "error", "buffers_held", "unfit")) >= 4
    )
    assert counts["several outcomes"] >= 15
    assert counts["states reduced"] < counts["states of live registers"] < counts["states"]


@pytest.mark.parametrize("seed", sorted(set(SHOWN_BY.values())))
def test_programs_on_which_mistakes_show_are_explored_rightly(seed: int) -> None:
    assert campaign(1, first=seed, states=300, every=False).wrong == []


@pytest.mark.parametrize("what", MADE_FOR)
def test_programs_made_for_a_mistake_are_explored_rightly(what: str) -> None:
    right = Report()
    compare(parse(MADE_FOR[what]), "pso", 1, right, states=100)
    assert right.wrong == []
