"""Clients of random objects run step by step, on memory or on store buffers, with a clock: what they return.

Written without the checker's own notions: no execution graphs, no messages, no memoised search. A run notes
at each call which other calls are over. Under `real-time` a call is over when it returns, under `flush` (and
under `causal`, which is the same for messages through FIFO buffers) when all that its thread stored until
then is in memory. Then all orders of the calls are tried.

    python tests/differential/objects.py FIRST LAST        compares that many objects, all orders and models
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import membar
from membar.objects.client import Size
from membar.objects.orders import Ordering
from membar.objects.spec import SHIPPED
from membar.source import SourceFile
from strategies.objects import Access, RandomObject, RandomOperation, random_object

Planned: TypeAlias = tuple[RandomOperation, int | None]
Record: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""Of each call, in the order of threads: its result, and the calls that were over when it was made."""
QUESTIONS: Final = (
    ("sc", Ordering.CAUSAL),
    ("sc", Ordering.REAL_TIME),
    ("x86-tso", Ordering.CAUSAL),
    ("x86-tso", Ordering.FLUSH),
    ("x86-tso", Ordering.REAL_TIME),
)


@dataclass(frozen=True, slots=True)
class Machine:
    """A state of the run of a client.

    Attributes:
        memory: the values of the locations.
        places: per thread, the call it is in and the next access there; an access of -1: not called yet.
        values: per thread, the last value loaded.
        buffers: per thread, stores on their way: location and value; a marker (None, call) is what a call
            that has returned leaves behind them.
        over: the calls that are over.
        records: of each call that was made, its number, result and what was over when it was made.
    """

    memory: tuple[int, int]
    places: tuple[tuple[int, int], ...]
    values: tuple[int, ...]
    buffers: tuple[tuple[tuple[int | None, int], ...], ...]
    over: frozenset[int]
    records: frozenset[tuple[int, int, frozenset[int]]]


def records(threads: tuple[tuple[Planned, ...], ...], *, buffered: bool, clock: bool) -> set[Record]:
    """What every run of a client notes."""
    count = len(threads)
    start = Machine((0, 0), ((0, -1),) * count, (0,) * count, ((),) * count, frozenset(), frozenset())
    seen, todo, found = {start}, [start], set[Record]()
    while todo:
        state = todo.pop()
        after = list(_steps(state, threads, buffered=buffered, clock=clock))
        if not after:
            noted = {number: (result, tuple(sorted(over))) for number, result, over in state.records}
            found.add(tuple(noted[number] for number in sorted(noted)))
        for item in after:
            if item not in seen:
                seen.add(item)
                todo.append(item)
    return found


def _steps(
    state: Machine, threads: tuple[tuple[Planned, ...], ...], *, buffered: bool, clock: bool
) -> Iterator[Machine]:
    for thread, calls in enumerate(threads):
        if state.buffers[thread]:
            yield _flushed(state, thread)
        call, access = state.places[thread]
        if call == len(calls):
            continue
        number = sum(len(item) for item in threads[:thread]) + call
        operation, argument = calls[call]
        if access < 0:
            noted = state.records | {(number, 0, state.over)}
            yield replace(_moved(state, thread, (call, 0), value=0), records=noted)
        elif access == len(operation.body):
            yield _returned(state, thread, number, operation, clock=clock)
        else:
            yield from _accessed(state, thread, operation.body[access], argument or 0, buffered=buffered)


def _moved(state: Machine, thread: int, place: tuple[int, int], *, value: int | None = None) -> Machine:
    places = (*state.places[:thread], place, *state.places[thread + 1 :])
    values = state.values
    if value is not None:
        values = (*values[:thread], value, *values[thread + 1 :])
    return replace(state, places=places, values=values)


def _with_buffer(state: Machine, thread: int, buffer: tuple[tuple[int | None, int], ...]) -> Machine:
    return replace(state, buffers=(*state.buffers[:thread], buffer, *state.buffers[thread + 1 :]))


def _flushed(state: Machine, thread: int) -> Machine:
    (place, value), *rest = state.buffers[thread]
    shorter = _with_buffer(state, thread, tuple(rest))
    if place is None:
        return replace(shorter, over=state.over | {value})
    return replace(shorter, memory=_stored(state.memory, place, value))


def _stored(memory: tuple[int, int], place: int, value: int) -> tuple[int, int]:
    return (value, memory[1]) if place == 0 else (memory[0], value)


def _returned(
    state: Machine, thread: int, number: int, operation: RandomOperation, *, clock: bool
) -> Machine:
    result = state.values[thread] if operation.returns else 0
    noted = frozenset(
        (number, result, over) if owner == number else (owner, old, over)
        for owner, old, over in state.records
    )
    after = replace(_moved(state, thread, (state.places[thread][0] + 1, -1)), records=noted)
    if clock or not state.buffers[thread]:
        return replace(after, over=state.over | {number})
    return _with_buffer(after, thread, (*state.buffers[thread], (None, number)))


def _accessed(
    state: Machine, thread: int, access: Access, argument: int, *, buffered: bool
) -> Iterator[Machine]:
    call, index = state.places[thread]
    place = "xy".find(access.location) if access.location else 0
    pending = [value for where, value in state.buffers[thread] if where == place]
    value = pending[-1] if pending else state.memory[place]
    onward = (call, index + 1)
    match access.kind:
        case "load":
            yield _moved(state, thread, onward, value=value)
        case "store":
            put = state.values[thread] + 1 if access.computed else argument
            if buffered:
                after = _moved(state, thread, onward)
                yield _with_buffer(after, thread, (*state.buffers[thread], (place, put)))
            else:
                yield replace(_moved(state, thread, onward), memory=_stored(state.memory, place, put))
        case _ if state.buffers[thread]:
            return  # fences and atomic accesses wait for the buffer
        case "fence":
            yield _moved(state, thread, onward)
        case kind:
            put = argument if kind == "swap" else value + 1
            after = _moved(state, thread, onward, value=value)
            yield replace(after, memory=_stored(state.memory, place, put))


def explained(threads: tuple[tuple[Planned, ...], ...], record: Record, specification: str) -> bool:
    """Whether some order of the calls gives these results on the specification, and agrees with the run."""
    calls = [(owner, *planned) for owner, mine in enumerate(threads) for planned in mine]
    before = [set(over) for _, over in record]
    for number, (owner, _, _) in enumerate(calls):
        before[number] |= {other for other in range(number) if calls[other][0] == owner}
    for line in permutations(range(len(calls))):
        if any(line.index(other) > line.index(number) for number in line for other in before[number]):
            continue
        instance = SHIPPED[specification]()
        for number in line:
            _, operation, argument = calls[number]
            inputs = () if argument is None else (argument,)
            result = getattr(instance, operation.name)(*inputs)
            if operation.returns and result != record[number][0]:
                break
        else:
            return True
    return False


def is_linearizable(item: RandomObject, size: Size, model: str, ordering: Ordering) -> bool:
    """Whether every run of every client is explained."""
    buffered, clock = model == "x86-tso", ordering is Ordering.REAL_TIME
    for calls in range(1, size.calls + 1):
        for chosen in product(product(item.operations, repeat=calls), repeat=size.threads):
            threads = tuple(
                tuple(
                    (operation, thread * calls + index + 1 if operation.takes else None)
                    for index, operation in enumerate(mine)
                )
                for thread, mine in enumerate(chosen)
            )
            for record in records(threads, buffered=buffered, clock=clock):
                if not explained(threads, record, item.specification):
                    return False
    return True


def asked(item: RandomObject, size: Size, model: str, ordering: Ordering) -> membar.Answer:
    """The checker's answer."""
    return membar.check(SourceFile("random.c", item.text), client=size, model=model, order=ordering)


def disagreement(seed: int, size: Size, seen: Counter[str]) -> str | None:
    """What the checker and the runs say differently about an object, under all models and orders."""
    item = random_object(Random(seed))
    for model, ordering in QUESTIONS:
        expected = "holds-within" if is_linearizable(item, size, model, ordering) else "violated"
        seen[f"{model} {ordering.value} {expected}"] += 1
        found = asked(item, size, model, ordering).verdict
        if found != expected:
            return f"object {seed}, {model}, {ordering.value}: {found}, not {expected}\n{item.text}"
    return None


def main() -> None:
    """Compares the objects that the command line names."""
    seen: Counter[str] = Counter()
    wrong = [
        text
        for seed in range(int(sys.argv[1]), int(sys.argv[2]))
        if (text := disagreement(seed, Size(2, 2), seen)) is not None
    ]
    for name, number in sorted(seen.items()):
        print(f"{number:6} {name}")  # noqa: T201 - a command
    print("\n".join(wrong) or "no disagreement")  # noqa: T201


if __name__ == "__main__":
    main()
