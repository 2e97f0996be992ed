"""sc, x86-tso and pso on executions that tell them apart, with the axiom that forbids each."""

from __future__ import annotations

import pytest

from membar.models.evaluate import failures
from membar.models.load import load
from membar.program.execution import Execution
from unit.models.compiled import VOCABULARY
from unit.models.executions import STORE_BUFFERING, execution

# Initial writes are 0 (x) and 1 (y); thread events follow in order.
EXECUTIONS: dict[str, Execution] = {
    "SB": STORE_BUFFERING,
    "SB+mfences": execution(
        2, [["W0", "F.MFENCE", "R1"], ["W1", "F.MFENCE", "R0"]], rf=((1, 4), (0, 7)), co=((0, 2), (1, 5))
    ),
    "SB+mfence+po": execution(
        2, [["W0", "F.MFENCE", "R1"], ["W1", "R0"]], rf=((1, 4), (0, 6)), co=((0, 2), (1, 5))
    ),
    "SB+sfences+lfences": execution(
        2,
        [["W0", "F.SFENCE", "F.LFENCE", "R1"], ["W1", "F.SFENCE", "F.LFENCE", "R0"]],
        rf=((1, 5), (0, 9)),
        co=((0, 2), (1, 6)),
    ),
    "SB+locked writes": execution(
        2,
        [["R0.X", "W0.X", "R1"], ["R1.X", "W1.X", "R0"]],
        rf=((0, 2), (1, 4), (1, 5), (0, 7)),
        co=((0, 3), (1, 6)),
        amo=frozenset({(2, 3), (5, 6)}),
    ),
    # A failed compare-exchange writes nothing and still waits for the buffer.
    "SB+failed locked reads": execution(
        3,
        [["W0", "R2.X", "R1"], ["W1", "R2.X", "R0"]],
        rf=((2, 4), (1, 5), (2, 7), (0, 8)),
        co=((0, 3), (1, 6), (2,)),
    ),
    "MP": execution(2, [["W0", "W1"], ["R1", "R0"]], rf=((3, 4), (0, 5)), co=((0, 2), (1, 3))),
    "MP+sfence+po": execution(
        2, [["W0", "F.SFENCE", "W1"], ["R1", "R0"]], rf=((4, 5), (0, 6)), co=((0, 2), (1, 4))
    ),
    "MP+mfence+po": execution(
        2, [["W0", "F.MFENCE", "W1"], ["R1", "R0"]], rf=((4, 5), (0, 6)), co=((0, 2), (1, 4))
    ),
    "2+2W": execution(2, [["W0", "W1"], ["W1", "W0"]], co=((0, 5, 2), (1, 3, 4))),
    "LB": execution(2, [["R0", "W1"], ["R1", "W0"]], rf=((5, 2), (3, 4)), co=((0, 5), (1, 3))),
    "CoRR": execution(1, [["W0"], ["R0", "R0"]], rf=((1, 2), (0, 3)), co=((0, 1),)),
    "n6 (own store first)": execution(
        2, [["W0", "R0", "R1"], ["W1", "W0"]], rf=((2, 3), (1, 4)), co=((0, 6, 2), (1, 5))
    ),
    "lost update": execution(
        1,
        [["R0.X", "W0.X"], ["R0.X", "W0.X"]],
        rf=((0, 1), (0, 3)),
        co=((0, 2, 4),),
        amo=frozenset({(1, 2), (3, 4)}),
    ),
}
# The first axiom that forbids the execution; "" if it is allowed.
EXPECTED = {
    "SB": ("global-order", "", ""),
    "SB+mfences": ("global-order", "global-order", "global-order"),
    "SB+mfence+po": ("global-order", "", ""),
    "SB+sfences+lfences": ("global-order", "", ""),
    "SB+locked writes": ("global-order", "global-order", "global-order"),
    "SB+failed locked reads": ("global-order", "global-order", "global-order"),
    "MP": ("global-order", "global-order", ""),
    "MP+sfence+po": ("global-order", "global-order", "global-order"),
    "MP+mfence+po": ("global-order", "global-order", "global-order"),
    "2+2W": ("global-order", "global-order", ""),
    "LB": ("global-order", "global-order", "global-order"),
    "CoRR": ("coherence", "coherence", "coherence"),
    "n6 (own store first)": ("global-order", "", ""),
    "lost update": ("atomicity", "atomicity", "atomicity"),
}
MODELS = ("sc", "x86-tso", "pso")


@pytest.mark.parametrize("name", EXECUTIONS)
def test_verdicts(name: str) -> None:
    found: list[str] = []
    for model in MODELS:
        plan = load(model, vocabulary=VOCABULARY).plan
        assert plan is not None
        broken = [failure.check.name for failure in failures(plan, EXECUTIONS[name])]
        found.append(broken[0] if broken else "")
    assert tuple(found) == EXPECTED[name]


def test_creation_and_joining_of_threads_are_part_of_the_global_order() -> None:
    # The created thread does not see what its creator wrote before.
    for model in MODELS:
        plan = load(model, vocabulary=VOCABULARY).plan
        assert plan is not None
        base = execution(1, [["W0"], ["R0"]], rf=((0, 2),), co=((0, 1),))
        assert failures(plan, base) == ()
        ordered = Execution(
            events=base.events, po=base.po, rf=base.rf, co=base.co, spawn_join=frozenset({(1, 2)})
        )
        assert [failure.check.name for failure in failures(plan, ordered)] == ["global-order"]
