"""Predefined sets and relations of a model: what they are, and their value in an execution.

Every other undefined name is a tag: the set of events that carry it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from membar.models.plan import Growth, Sort, Stage
from membar.models.relation import Mask, Rows, chains, mask_of, rows_of
from membar.program.execution import Execution, Kind
from membar.records import record

Value: TypeAlias = Mask | Rows


@record(frozen=True, slots=True, kw_only=True)
class Primitive:
    """A name that the tool provides.

    Attributes:
        name: as models write it.
        sort: set or relation.
        meaning: one sentence for the documentation.
        value: computed from an execution in which everything up to `stage` is known.
        stage: the least that must be known.
        growth: how it changes when the execution is extended.
    """

    name: str
    sort: Sort
    meaning: str
    value: Callable[[Execution], Value]
    stage: Stage = Stage.STATIC
    growth: Growth = Growth.STABLE


def events_with_tag(execution: Execution, tag: str) -> Mask:
    """The events that carry `tag`."""
    return mask_of(event.id for event in execution.events if tag in event.tags)


def tags_of(execution: Execution) -> dict[str, Mask]:
    """For each tag that occurs the events that carry it."""
    found: dict[str, Mask] = {}
    for event in execution.events:
        for tag in event.tags:
            found[tag] = found.get(tag, 0) | 1 << event.id
    return found


def _of_kind(kind: Kind) -> Callable[[Execution], Value]:
    return lambda execution: mask_of(event.id for event in execution.events if event.kind is kind)


def _initial_writes(execution: Execution) -> Value:
    return mask_of(event.id for event in execution.events if event.is_initial)


def _final_writes(execution: Execution) -> Value:
    return mask_of(order[-1] for order in execution.co if order)


def _same_cell(execution: Execution) -> Value:
    cells: dict[int, Mask] = {}
    for event in execution.events:
        if event.cell is not None:
            cells[event.cell] = cells.get(event.cell, 0) | 1 << event.id
    return [0 if event.cell is None else cells[event.cell] for event in execution.events]


def _internal(execution: Execution) -> Rows:
    threads: dict[int, Mask] = {}
    for event in execution.events:
        threads[event.thread] = threads.get(event.thread, 0) | 1 << event.id
    # An initial write belongs to no thread: it is internal only to itself.
    return [1 << event.id if event.is_initial else threads[event.thread] for event in execution.events]


def _external(execution: Execution) -> Value:
    universe = (1 << len(execution.events)) - 1
    return [universe & ~row for row in _internal(execution)]


def _pairs(field: str) -> Callable[[Execution], Value]:
    return lambda execution: rows_of(getattr(execution, field), len(execution.events))


def _table(*primitives: Primitive) -> Mapping[str, Primitive]:
    return MappingProxyType({primitive.name: primitive for primitive in primitives})


PRIMITIVES: Mapping[str, Primitive] = _table(
    Primitive(name="R", sort=Sort.SET, meaning="reads", value=_of_kind(Kind.READ)),
    Primitive(
        name="W", sort=Sort.SET, meaning="writes, the initial ones included", value=_of_kind(Kind.WRITE)
    ),
    Primitive(name="F", sort=Sort.SET, meaning="fences", value=_of_kind(Kind.FENCE)),
    Primitive(name="IW", sort=Sort.SET, meaning="initial writes", value=_initial_writes),
    Primitive(
        name="FW",
        sort=Sort.SET,
        meaning="final writes: the co-last write of each location",
        value=_final_writes,
        stage=Stage.COHERENCE,
        growth=Growth.UNSTABLE,
    ),
    Primitive(name="loc", sort=Sort.RELATION, meaning="accesses of one location", value=_same_cell),
    Primitive(
        name="int",
        sort=Sort.RELATION,
        meaning="events of one thread, each with itself too; an initial write only with itself",
        value=_internal,
    ),
    Primitive(name="ext", sort=Sort.RELATION, meaning="all pairs that are not in `int`", value=_external),
    Primitive(
        name="po",
        sort=Sort.RELATION,
        meaning="program order, transitive; initial writes are not in it",
        value=_pairs("po"),
    ),
    Primitive(name="addr", sort=Sort.RELATION, meaning="address dependencies", value=_pairs("addr")),
    Primitive(name="data", sort=Sort.RELATION, meaning="data dependencies", value=_pairs("data")),
    Primitive(name="ctrl", sort=Sort.RELATION, meaning="control dependencies", value=_pairs("ctrl")),
    Primitive(
        name="pick-addr",
        sort=Sort.RELATION,
        meaning="address dependencies through the condition of a select",
        value=_pairs("pick_addr"),
    ),
    Primitive(
        name="pick-data",
        sort=Sort.RELATION,
        meaning="data dependencies through the condition of a select",
        value=_pairs("pick_data"),
    ),
    Primitive(
        name="pick-ctrl",
        sort=Sort.RELATION,
        meaning="control dependencies through the condition of a select",
        value=_pairs("pick_ctrl"),
    ),
    Primitive(
        name="amo",
        sort=Sort.RELATION,
        meaning="read and write of one atomic read-modify-write instruction",
        value=_pairs("amo"),
    ),
    Primitive(
        name="lxsx",
        sort=Sort.RELATION,
        meaning="exclusive load and the store-conditional that closes it",
        value=_pairs("lxsx"),
    ),
    Primitive(
        name="spawn-join",
        sort=Sort.RELATION,
        meaning="creator before created thread, and that thread before what follows its join",
        value=_pairs("spawn_join"),
    ),
    Primitive(
        name="rf",
        sort=Sort.RELATION,
        meaning="reads-from: a write and each read that takes its value",
        value=_pairs("rf"),
        stage=Stage.READS,
        growth=Growth.GROWING,
    ),
    Primitive(
        name="co",
        sort=Sort.RELATION,
        meaning="coherence: a total order of the writes of each location, the initial one first",
        value=lambda execution: chains(execution.co, len(execution.events)),
        stage=Stage.COHERENCE,
        growth=Growth.GROWING,
    ),
)


def value_of(name: str, execution: Execution) -> Value:
    """The value of a primitive or, for any other name, of a tag."""
    primitive = PRIMITIVES.get(name)
    return events_with_tag(execution, name) if primitive is None else primitive.value(execution)
