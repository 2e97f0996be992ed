"""Removes from a witness the reads at the end of threads that only check for leaks.

Reports and replays use the program without its warnings, so a witness must not contain reads that serve
warnings only.
"""

from __future__ import annotations

from membar.program.execution import Execution
from membar.program.pairs import Pairs, Relation
from membar.program.remove_warnings import LOOK
from membar.questions.outcome import Witness
from membar.records import replace

_RELATIONS = (
    "po", "addr", "data", "ctrl", "amo", "lxsx", "spawn_join", "pick_addr", "pick_data", "pick_ctrl",
)  # fmt: skip


def _count_leak_reads(witness: Witness) -> tuple[int, ...]:
    """How many reads at the end of each thread serve warnings only."""
    return tuple(
        sum(name.startswith(LOOK) for name, _ in registers) for registers in witness.execution.registers
    )


def without_looks(witness: Witness) -> Witness:
    """The witness without the reads at the end of its threads that serve warnings only."""
    counts = _count_leak_reads(witness)
    if not any(counts):
        return witness
    choices = tuple(made[: len(made) - count] for made, count in zip(witness.choices, counts, strict=True))
    return replace(witness, execution=_without(witness.execution, counts), choices=choices)


def _without(execution: Execution, counts: tuple[int, ...]) -> Execution:
    gone: set[int] = set()
    for thread, count in enumerate(counts):
        own = [event.id for event in execution.events if event.thread == thread]
        gone.update(own[len(own) - count :])
    kept = [event for event in execution.events if event.id not in gone]
    number = {event.id: index for index, event in enumerate(kept)}

    def renumber(pairs: Relation) -> Relation:
        return Pairs.of((number[a], number[b]) for a, b in pairs if a in number and b in number)

    return replace(
        execution,
        events=tuple(replace(event, id=number[event.id]) for event in kept),
        rf=tuple((number[write], number[read]) for write, read in execution.rf if read in number),
        co=tuple(tuple(number[write] for write in order) for order in execution.co),
        registers=tuple(
            tuple(item for item in registers if not item[0].startswith(LOOK))
            for registers in execution.registers
        ),
        **{name: renumber(getattr(execution, name)) for name in _RELATIONS},
    )
