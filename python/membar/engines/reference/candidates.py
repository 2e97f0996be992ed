"""Candidate executions: one run per thread, then all reads-from relations, then all coherence orders.

Nothing is left out except what no model could accept, because values do not match, and what the model's own
checks reject at an early stage. So a read may take its value from a later write of its own thread, and an
RMW may have another write between its two halves: only the model rules it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import TypeAlias

from membar.diagnostics import EngineLimitError
from membar.engines.reference.exploration_budget import Budget
from membar.engines.reference.trace import Pair, Status, ThreadEvent, Trace
from membar.models.evaluate import Evaluation, Evaluator
from membar.program.execution import INIT_THREAD, Event, Execution, Kind
from membar.program.pairs import Pairs, Relation, union
from membar.program.program import Program
from membar.records import record

_Node: TypeAlias = tuple[int, int]


def combinations(
    program: Program, threads: Sequence[Sequence[Trace]], budget: Budget
) -> Iterator[tuple[Trace, ...]]:
    """Every choice of one run per thread in which all values read are written and all threads fit."""
    initial = frozenset((cell.id, cell.initial) for cell in program.cells)
    # What the threads from each position on could still supply.
    later = [frozenset[Pair]()]
    for runs in reversed(threads):
        later.append(later[-1].union(*(trace.supplies for trace in runs)))
    later.reverse()

    def extend(
        chosen: tuple[Trace, ...], supplied: frozenset[Pair], needed: frozenset[Pair]
    ) -> Iterator[tuple[Trace, ...]]:
        position = len(chosen)
        if position == len(threads):
            if spawns_and_joins_agree(program, chosen):
                yield chosen
            return
        for trace in threads[position]:
            budget.step()
            known = supplied | trace.supplies
            missing = (needed | trace.needs) - known
            if missing <= later[position + 1]:
                yield from extend((*chosen, trace), known, missing)

    yield from extend((), initial, frozenset())


def spawns_and_joins_agree(program: Program, chosen: Sequence[Trace]) -> bool:
    """Whether threads run exactly if started, and joins pass exactly if the joined thread has ended."""
    if all(thread.started for thread in program.threads) and not any(t.turns or t.waits_for for t in chosen):
        return True
    by_name = {thread.name: trace for thread, trace in zip(program.threads, chosen, strict=True)}
    spawned = [turn.thread for trace in chosen for turn in trace.turns if turn.is_spawn]
    if len(spawned) != len(set(spawned)):
        raise EngineLimitError("a thread is started more than once")
    for thread, trace in zip(program.threads, chosen, strict=True):
        born = thread.started or thread.name in spawned
        if born is (trace.status is Status.NOT_STARTED):
            return False
        if trace.waits_for is not None and by_name[trace.waits_for].status is Status.COMPLETE:
            return False
        joined = (turn.thread for turn in trace.turns if not turn.is_spawn)
        if any(by_name[name].status is not Status.COMPLETE for name in joined):
            return False
    return _happen_in_some_order(program, chosen)


def _happen_in_some_order(program: Program, chosen: Sequence[Trace]) -> bool:
    """Whether no join comes before the spawn of the thread that it waits for, directly or by others."""
    born = {thread.name for thread in program.threads if thread.started}
    left = {thread.name: list(trace.turns) for thread, trace in zip(program.threads, chosen, strict=True)}
    is_moving = True
    while is_moving:
        is_moving = False
        for name in sorted(born):
            turns = left[name]
            while turns and (turns[0].is_spawn or (turns[0].thread in born and not left[turns[0].thread])):
                turn = turns.pop(0)
                is_moving = True
                if turn.is_spawn:
                    born.add(turn.thread)
    return not any(left.values())


@record(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """The events of a combination of runs, before reads-from and coherence are chosen.

    Attributes:
        execution: with empty `rf` and `co`.
        sources: for each read, the writes of its cell that have its value.
        writes: for each cell that occurs, its initial write, then the others.
    """

    execution: Execution
    sources: tuple[tuple[int, tuple[int, ...]], ...]
    writes: tuple[tuple[int, ...], ...]

    @property
    def candidates(self) -> int:
        """How many executions have these events."""
        orders = prod(factorial(len(writes) - 1) for writes in self.writes)
        return orders * prod(len(writes) for _, writes in self.sources)


def skeleton(program: Program, chosen: Sequence[Trace]) -> Skeleton:
    """The events of `chosen` put together, initial writes of the accessed cells first."""
    cells = sorted({e.cell for trace in chosen for e in trace.events if e.cell is not None})
    events = [
        Event(id=n, thread=INIT_THREAD, kind=Kind.WRITE, cell=cell, value=program.cells[cell].initial)
        for n, cell in enumerate(cells)
    ]
    offsets = []
    for trace in chosen:
        offsets.append(len(events))
        events += [_with_number(event, event.id + offsets[-1]) for event in trace.events]

    def relation_of(name: str) -> Relation:
        found: list[Pair] = []
        for trace, offset in zip(chosen, offsets, strict=True):
            if pairs := getattr(trace, name):
                found += [(a + offset, b + offset) for a, b in pairs]
        return frozenset(found)

    writes: dict[int, list[int]] = {cell: [] for cell in cells}
    writers: dict[Pair, list[int]] = {}
    for event in events:
        if event.kind is Kind.WRITE and event.cell is not None:
            writes[event.cell].append(event.id)
            writers.setdefault((event.cell, event.value), []).append(event.id)
    sources = {written: tuple(ids) for written, ids in writers.items()}
    return Skeleton(
        execution=Execution(
            events=tuple(events),
            po=union(Pairs.of(trace.po).shift(offset) for trace, offset in zip(chosen, offsets, strict=True)),
            rf=(),
            co=(),
            addr=relation_of("addr"),
            data=relation_of("data"),
            ctrl=relation_of("ctrl"),
            pick_addr=relation_of("pick_addr"),
            pick_data=relation_of("pick_data"),
            pick_ctrl=relation_of("pick_ctrl"),
            amo=relation_of("amo"),
            lxsx=relation_of("lxsx"),
            spawn_join=_spawn_join(program, chosen, offsets),
            registers=tuple(trace.registers for trace in chosen),
        ),
        sources=tuple(
            (read.id, sources.get((read.cell, read.value), ()))
            for read in events
            if read.kind is Kind.READ and read.cell is not None
        ),
        writes=tuple(tuple(ids) for ids in writes.values()),
    )


def _with_number(event: Event, number: int) -> Event:
    # Not `replace`, which takes five times as long.
    return Event(
        id=number, thread=event.thread, kind=event.kind, cell=event.cell, value=event.value,
        tags=event.tags, step=event.step, span=event.span,
    )  # fmt: skip


def _spawn_join(program: Program, chosen: Sequence[Trace], offsets: Sequence[int]) -> Relation:
    """What precedes a spawn before the whole thread, and the whole thread before what follows its join.

    Transitive, so that threads without events pass the order on.
    """
    if not any(trace.turns for trace in chosen) or not all(trace.related for trace in chosen):
        return frozenset()
    # Each thread is a chain of nodes (thread, place): its birth, its events and turns in order, its end.
    chains = [_chain(trace, offset) for trace, offset in zip(chosen, offsets, strict=True)]
    index = {thread.name: n for n, thread in enumerate(program.threads)}
    after: dict[_Node, list[_Node]] = {}
    for n, chain in enumerate(chains):
        for place, item in enumerate(chain):
            following = after.setdefault((n, place), [])
            if place + 1 < len(chain):
                following.append((n, place + 1))
            if isinstance(item, ThreadEvent):
                other = index[item.thread]
                if item.is_spawn:
                    following.append((other, 0))
                else:
                    after.setdefault((other, len(chains[other]) - 1), []).append((n, place))
    reached = _reachable_events(after, chains)
    rows = [0] * (max((item for chain in chains for item in chain if isinstance(item, int)), default=-1) + 1)
    for n, chain in enumerate(chains):
        own = sum(1 << item for item in chain if isinstance(item, int))
        for place, item in enumerate(chain):
            if isinstance(item, int):
                rows[item] = reached[n, place] & ~own
    return Pairs(rows)


def _chain(trace: Trace, offset: int) -> list[int | ThreadEvent | None]:
    """The events (by id) and turns of a run in order, between two Nones."""
    items: list[int | ThreadEvent | None] = [None]
    for position in range(len(trace.events) + 1):
        items.extend(turn for turn in trace.turns if turn.position == position)
        items.append(offset + position if position < len(trace.events) else None)
    return items


def _reachable_events(
    after: dict[_Node, list[_Node]], chains: Sequence[Sequence[int | ThreadEvent | None]]
) -> Mapping[_Node, int]:
    """Which events come after each node, as bits."""
    found: dict[_Node, int] = dict.fromkeys(after, 0)
    is_new = True
    while is_new:  # a round takes whole threads, so that there are as many rounds as threads at most
        is_new = False
        for node in reversed(after):
            behind = found[node]
            for n, place in after[node]:
                item = chains[n][place]
                behind |= found[n, place] | (1 << item if isinstance(item, int) else 0)
            is_new = is_new or behind != found[node]
            found[node] = behind
    return found


def consistent(evaluator: Evaluator, frame: Skeleton, budget: Budget) -> Iterator[Evaluation]:
    """Every completion of `frame` by reads-from and coherence that the model accepts."""
    static = evaluator.begin(frame.execution)
    if static.failed:
        return
    reads = [read for read, _ in frame.sources]
    for writes in product(*(sources for _, sources in frame.sources)):
        budget.step()
        known = static.with_reads(tuple(zip(writes, reads, strict=True)))
        if not known.failed:
            yield from _coherent(known, frame.writes, (), budget)


def _coherent(
    known: Evaluation, cells: tuple[tuple[int, ...], ...], done: tuple[tuple[int, ...], ...], budget: Budget
) -> Iterator[Evaluation]:
    """Every coherence order of the remaining `cells` that the model accepts, cell by cell."""
    if not cells:
        whole = known.with_coherence(done)
        if not whole.failed:
            yield whole
        return
    initial, *others = cells[0]
    for order in permutations(others):
        budget.step()
        chosen = (*done, (initial, *order))
        is_choice = len(others) > 1 and len(cells) > 1
        if is_choice and known.with_coherence(chosen, partial=True).failed:
            continue
        yield from _coherent(known, cells[1:], chosen, budget)
