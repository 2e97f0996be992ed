"""Every operator of cat against the textbook, on random executions."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiers
from membar.models import relation as rel
from membar.models.evaluate import relation
from membar.models.plan import Plan
from membar.program.execution import Execution, Kind
from unit.models import naive
from unit.models.compiled import plan
from unit.models.naive import Events, Pairs
from unit.models.randomly import executions


@lru_cache
def named(text: str) -> Plan:
    return plan(f"let it = {text}")


def value(text: str, execution: Execution) -> Pairs:
    """The relation (or the identity on the set) that an expression is."""
    return relation(named(text), execution, "it")


def of_kind(execution: Execution, kind: Kind) -> Events:
    return frozenset(event.id for event in execution.events if event.kind is kind)


def po(execution: Execution) -> Pairs:
    return frozenset(execution.po)


def rf(execution: Execution) -> Pairs:
    return frozenset(execution.rf)


def co(execution: Execution) -> Pairs:
    return frozenset((a, b) for order in execution.co for i, a in enumerate(order) for b in order[i + 1 :])


def everything(execution: Execution) -> Events:
    return frozenset(range(len(execution.events)))


def all_pairs(execution: Execution) -> Pairs:
    return naive.product(everything(execution), everything(execution))


def reads(execution: Execution) -> Events:
    return of_kind(execution, Kind.READ)


def writes(execution: Execution) -> Events:
    return of_kind(execution, Kind.WRITE)


def fr(execution: Execution) -> Pairs:
    return naive.sequence(naive.inverse(rf(execution)), co(execution))


def same_thread(execution: Execution) -> Pairs:
    return frozenset(
        (a.id, b.id)
        for a in execution.events
        for b in execution.events
        if a.id == b.id or (a.thread == b.thread and not a.is_initial)
    )


def nothing(_execution: Execution) -> Pairs:
    return frozenset()


def _mutual(x: Execution) -> Pairs:
    a: Pairs = frozenset()
    b: Pairs = frozenset()
    while True:
        following = po(x) | naive.sequence(b, a), rf(x) | naive.sequence(a, b)
        if following == (a, b):
            return a | b
        a, b = following


def _nested(x: Execution) -> Pairs:
    def inner(a: Pairs) -> Pairs:
        return naive.least(lambda b: rf(x) | naive.sequence(b, a))

    return naive.least(lambda a: po(x) | naive.sequence(inner(a), inner(a)))


LAWS: dict[str, Callable[[Execution], Pairs]] = {
    "po | rf": lambda x: po(x) | rf(x),
    "po & rf": lambda x: po(x) & rf(x),
    "po \\ rf": lambda x: po(x) - rf(x),
    "po ; rf": lambda x: naive.sequence(po(x), rf(x)),
    "rf ; po ; co": lambda x: naive.sequence(rf(x), naive.sequence(po(x), co(x))),
    "~po": lambda x: all_pairs(x) - po(x),
    "rf^-1": lambda x: naive.inverse(rf(x)),
    "(po | rf)+": lambda x: naive.plus(po(x) | rf(x)),
    "(po | rf)*": lambda x: naive.plus(po(x) | rf(x)) | naive.identity(everything(x)),
    "rf?": lambda x: rf(x) | naive.identity(everything(x)),
    "[R]": lambda x: naive.identity(reads(x)),
    "[R] ; po ; [W]": lambda x: frozenset((a, b) for a, b in po(x) if a in reads(x) and b in writes(x)),
    "po ; [R]": lambda x: frozenset((a, b) for a, b in po(x) if b in reads(x)),
    "R * W": lambda x: naive.product(reads(x), writes(x)),
    "po & (R * W)": lambda x: po(x) & naive.product(reads(x), writes(x)),
    "R | W": lambda x: naive.identity(reads(x) | writes(x)),
    "_ \\ R": lambda x: naive.identity(everything(x) - reads(x)),
    "~R": lambda x: naive.identity(everything(x) - reads(x)),
    "R & W": nothing,
    "domain(rf)": lambda x: naive.identity(naive.domain(rf(x))),
    "range rf": lambda x: naive.identity(naive.range_(rf(x))),
    "0": nothing,
    "~0": all_pairs,
    "id": lambda x: naive.identity(everything(x)),
    "fr": fr,
    "rfe": lambda x: rf(x) - same_thread(x),
    "rfi": lambda x: rf(x) & same_thread(x),
    "int": same_thread,
    "ext": lambda x: all_pairs(x) - same_thread(x),
    "po-loc": lambda x: frozenset(
        (a, b) for a, b in po(x) if x.events[a].cell == x.events[b].cell and x.events[a].cell is not None
    ),
    "com": lambda x: rf(x) | co(x) | fr(x),
    "rmw": lambda x: frozenset(x.amo),
    "FW": lambda x: naive.identity(frozenset(order[-1] for order in x.co)),
    "IW": lambda x: naive.identity(frozenset(e.id for e in x.events if e.is_initial)),
    "fencerel(MFENCE)": lambda x: frozenset(
        (a, c) for a, b in po(x) for b2, c in po(x) if b == b2 and "MFENCE" in x.events[b].tags
    ),
    "co0 \\ co": nothing,
    "let rec r = po | rf | (r ; r) in r": lambda x: naive.plus(po(x) | rf(x)),
    "let rec s = IW | range([s] ; (po | rf)) in s": lambda x: naive.identity(
        naive.domain(naive.identity(frozenset(e.id for e in x.events if e.is_initial)))
        | frozenset(
            b for a, b in naive.plus(po(x) | rf(x)) if x.events[a].is_initial
        )
    ),
    "let rec a = po | (b ; a) and b = rf | (a ; b) in a | b": _mutual,
    "let rec a = po | (let rec b = rf | (b ; a) in b ; b) in a": _nested,
}  # fmt: skip


@pytest.mark.parametrize("text", tiers.every(2, LAWS))
@settings(max_examples=tiers.size(80), deadline=None)
@given(execution=executions())
def test_operator(text: str, execution: Execution) -> None:
    assert value(text, execution) == LAWS[text](execution)


@settings(max_examples=tiers.size(100), deadline=None)
@given(st.integers(1, 6), st.data())
def test_cycles_are_found(size: int, data: st.DataObject) -> None:
    event = st.integers(0, size - 1)
    pairs = data.draw(st.frozensets(st.tuples(event, event), max_size=8))
    rows = rel.rows_of(pairs, size)
    assert rel.is_acyclic(rows) == naive.is_acyclic(pairs)
    assert rel.is_irreflexive(rows) == all(a != b for a, b in pairs)
    cycle = rel.shortest_cycle(rows)
    assert (cycle is None) == naive.is_acyclic(pairs)
    if cycle is not None:
        assert cycle[0] == cycle[-1]
        assert set(pairwise(cycle)) <= pairs
        assert len(cycle) - 1 == min(
            length for length in range(1, size + 1) if any(a == b for a, b in _power(pairs, length))
        )


@settings(max_examples=tiers.size(200), deadline=None)
@given(st.integers(1, 9), st.booleans(), st.data())
def test_many_events_are_related_as_few_are(size: int, is_forward: bool, data: st.DataObject) -> None:  # noqa: FBT001 - drawn
    event = st.integers(0, size - 1)
    drawn = st.tuples(event, event).map(lambda pair: (min(pair), max(pair)) if is_forward else pair)
    left, right = (data.draw(st.frozensets(drawn, max_size=20)) for _ in range(2))
    left -= naive.identity(frozenset(range(size))) if is_forward else frozenset()
    few = rel.rows_of(left, size), rel.rows_of(right, size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rel, "_MANY", 0)
        assert rel.pairs_of(rel.sequence(*few)) == naive.sequence(left, right)
        assert rel.pairs_of(rel.plus(few[0])) == naive.plus(left)


def _power(pairs: Pairs, length: int) -> Pairs:
    result = pairs
    for _ in range(length - 1):
        result = naive.sequence(result, pairs)
    return result
