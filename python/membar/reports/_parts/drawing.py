"""The edges of an execution worth drawing, and what they mean: shared by the reports that draw."""

from __future__ import annotations

from membar.program.execution import Execution
from membar.program.pairs import Relation
from membar.records import record
from membar.reports._parts.relations import immediate_co, immediate_fr, immediate_po

DEPENDENCIES = ("addr", "data", "ctrl", "pick-addr", "pick-data", "pick-ctrl")

MEANINGS = {
    "po": "program order",
    "rf": "is read by",
    "co": "is overwritten next by",
    "fr": "does not see",
    "addr": "address dependency",
    "data": "data dependency",
    "ctrl": "control dependency",
    "pick-addr": "decides the address",
    "pick-data": "decides the value",
    "pick-ctrl": "decides the condition",
    "amo": "one atomic step",
    "lxsx": "exclusive pair",
    "spawn": "thread start or end",
}


@record(frozen=True, slots=True)
class DrawnEdge:
    """An arrow from one event to another, named by its relation; in a forbidden cycle, with its number."""

    source: int
    target: int
    relation: str
    number: int = 0

    @property
    def text(self) -> str:
        """What stands beside it; "" for program order, which needs no word."""
        if self.number:
            return f"{self.number} {self.relation}"
        return "" if self.relation == "po" else self.relation

    @property
    def is_dependency(self) -> bool:
        """Whether it is a dependency: drawn thinner and dashed."""
        return self.relation in DEPENDENCIES


def drawn_edges(execution: Execution) -> tuple[DrawnEdge, ...]:
    """Immediate program order, rf, immediate coherence and from-read, dependencies, RMW pairs."""
    groups = (
        ("po", immediate_po(execution)),
        ("addr", sorted(execution.addr)),
        ("data", sorted(execution.data)),
        ("ctrl", _first_targets(execution.ctrl)),
        ("pick-addr", sorted(execution.pick_addr - execution.addr)),
        ("pick-data", sorted(execution.pick_data - execution.data)),
        ("pick-ctrl", _first_targets(execution.pick_ctrl - execution.ctrl)),
        ("amo", sorted(execution.amo)),
        ("lxsx", sorted(execution.lxsx)),
        ("spawn", _spawns(execution)),
        ("rf", sorted(execution.rf)),
        ("co", _visible_co(execution)),
        ("fr", immediate_fr(execution)),
    )
    return tuple(DrawnEdge(a, b, name) for name, pairs in groups for a, b in pairs)


def _first_targets(control: Relation) -> list[tuple[int, int]]:
    """Control dependencies to the first event after the branch only: the rest follows in program order."""
    nearest: dict[int, int] = {}
    for a, b in sorted(control):
        nearest[a] = min(b, nearest.get(a, b))
    return sorted(nearest.items())


def _visible_co(execution: Execution) -> list[tuple[int, int]]:
    """Coherence between neighbours; from the initial write only where something else is said by it."""
    return [(a, b) for a, b in immediate_co(execution) if not execution.events[a].is_initial]


def _spawns(execution: Execution) -> list[tuple[int, int]]:
    """Creation and joining: per pair of threads, the last event before and the first event after."""
    ends: dict[tuple[int, int], tuple[int, int]] = {}
    for a, b in sorted(execution.spawn_join):
        key = (execution.events[a].thread, execution.events[b].thread)
        last, first = ends.get(key, (a, b))
        ends[key] = (max(last, a), min(first, b))
    return sorted(ends.values())
