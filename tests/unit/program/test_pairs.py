"""Relations as rows of bits are sets of pairs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from membar.program.execution import Event, Kind, in_order
from membar.program.pairs import EMPTY, Pairs, members, union

EVENTS = st.integers(0, 150)
SETS = st.frozensets(st.tuples(EVENTS, EVENTS), max_size=40)


@given(SETS, SETS)
def test_they_are_sets(one: frozenset[tuple[int, int]], other: frozenset[tuple[int, int]]) -> None:
    rows = Pairs.of(one)
    assert rows == one
    assert one == rows
    assert hash(rows) == hash(one)
    assert sorted(rows) == sorted(one)
    assert len(rows) == len(one)
    assert bool(rows) == bool(one)
    assert (rows == Pairs.of(other)) == (one == other)
    assert (rows == other) == (one == other)
    assert rows | other == one | other
    assert rows & Pairs.of(other) == one & other
    assert one - Pairs.of(other) == one - other
    assert union([rows, other]) == one | other
    assert all((pair in rows) == (pair in one) for pair in other)


@given(SETS, st.integers(0, 70))
def test_they_are_moved_and_written(pairs: frozenset[tuple[int, int]], offset: int) -> None:
    assert Pairs.of(pairs).shift(offset) == {(a + offset, b + offset) for a, b in pairs}
    assert Pairs.from_bytes(Pairs.of(pairs).to_bytes(151), 151) == pairs


@given(st.frozensets(st.integers(0, 500)))
def test_members_come_in_order(events: frozenset[int]) -> None:
    assert list(members(sum(1 << event for event in events))) == sorted(events)


def test_what_is_no_pair_is_not_in_it() -> None:
    assert (1, -2) not in Pairs.of({(1, 2)})
    assert (-1, 2) not in Pairs.of({(1, 2)})
    assert frozenset() == EMPTY
    assert Pairs.of({(1, 2)}) != 1


@given(st.lists(st.integers(0, 3), max_size=9), st.frozensets(st.integers(0, 3)))
def test_the_accesses_of_some_steps_have_no_order(lengths: list[int], unordered: frozenset[int]) -> None:
    steps = [step for step, length in enumerate(lengths) for _ in range(length)]
    events = [Event(id=at, thread=0, kind=Kind.READ, cell=0, step=step) for at, step in enumerate(steps)]
    assert in_order(events, unordered) == {
        (a.id, b.id) for b in events for a in events[: b.id] if a.step != b.step or b.step not in unordered
    }
