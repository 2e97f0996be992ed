from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from membar.program.execution import Execution
from membar.reports._parts.event_order import order_of
from membar.reports._parts.relations import closure, immediate_co, immediate_fr, reduction
from unit.reports.shapes import lb_execution, sb_execution
from unit.reports.sketch import executions, sketch


def test_an_interleaving_is_recognised() -> None:
    order = order_of(sb_execution((0, 1)))
    assert order.is_interleaving
    assert [unit[0].id for unit in order.steps] == [2, 3, 4, 5]


def test_store_buffering_keeps_program_order_and_breaks_one_from_read() -> None:
    order = order_of(sb_execution())
    assert order.broken_fr == ((5, 2),)
    assert not order.broken_rf
    assert not order.broken_co


def test_load_buffering_breaks_one_reads_from() -> None:
    order = order_of(lb_execution())
    assert order.broken_rf == ((3, 4),)


def test_two_plus_two_writes_break_coherence() -> None:
    _, _, execution = sketch("W x 1; W y 2", "W y 1; W x 2", co={"x": [2, 1], "y": [2, 1]})
    assert len(order_of(execution).broken_co) == 1


def test_immediate_relations_leave_out_what_follows() -> None:
    _, _, execution = sketch("W x 1; W x 2; W x 3", "R x 0")
    assert immediate_co(execution) == ((0, 1), (1, 2), (2, 3))
    assert immediate_fr(execution) == ((4, 1),)


@given(executions())
def test_the_order_has_every_step_once_and_keeps_program_order(execution: Execution) -> None:
    order = order_of(execution)
    told = [event.id for unit in order.steps for event in unit]
    assert sorted(told) == [event.id for event in execution.events if not event.is_initial]
    rank = {event: index for index, event in enumerate(told)}
    assert all(rank[a] < rank[b] for a, b in execution.po)


@given(executions())
def test_every_pair_that_contradicts_the_order_is_told(execution: Execution) -> None:
    order = order_of(execution)
    rank = {event.id: index for index, unit in enumerate(order.steps) for event in unit}

    def is_broken(pair: tuple[int, int]) -> bool:
        return pair[0] in rank and pair[1] in rank and rank[pair[0]] > rank[pair[1]]

    later = {write: chain[at + 1 :] for chain in execution.co for at, write in enumerate(chain)}
    co = {(a, b) for a, others in later.items() for b in others}
    fr = {(read, b) for write, read in execution.rf for b in later.get(write, ())}
    assert order.broken_rf == tuple(sorted(filter(is_broken, execution.rf)))
    assert order.broken_co == tuple(sorted(filter(is_broken, co)))
    assert order.broken_fr == tuple(sorted(filter(is_broken, fr)))


@given(executions())
def test_an_order_without_broken_edges_explains_every_value(execution: Execution) -> None:
    order = order_of(execution)
    memory = {event.cell: event.id for event in execution.events if event.is_initial}
    sees = {read: write for write, read in execution.rf}
    explained = True
    for unit in order.steps:
        for event in unit:
            if event.kind.value == "W":
                memory[event.cell] = event.id
            elif event.kind.value == "R":
                explained = explained and memory[event.cell] == sees[event.id]
    if order.is_interleaving:
        assert explained


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda p: p[0] < p[1])))
def test_reduction_loses_nothing(pairs: list[tuple[int, int]]) -> None:
    whole = closure(pairs)
    kept = reduction(whole)
    assert closure(kept) == whole
    assert all(kept[i] < kept[i + 1] for i, _ in enumerate(list(pairwise(kept))))
