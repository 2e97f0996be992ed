"""Models for C count a read-modify-write as one event: compared with executions in which it is one."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import pytest
from hypothesis import given, settings

import tiers
from membar.models.evaluate import relation
from membar.models.plan import Plan
from membar.program.execution import Execution, Kind
from unit.models import naive
from unit.models.compiled import expr, plan
from unit.models.interpreter import Scope, pairs
from unit.models.naive import Pairs
from unit.models.randomly import executions

EXPRESSIONS = (
    "R", "W", "R & W", "R \\ W", "_", "id", "po", "rf", "co", "loc", "fr", "po & loc", "po \\ loc",
    "[R & W]", "rf ; [R & W]", "([R & W] ; rf)*", "(rf^-1 ; co) \\ id", "(po | rf)+", "po?", "(rf | co)*",
    "W * R", "~(po?)", "[W] ; (po & loc)? ; [W] ; (rf ; [R & W])*", "domain(rf)", "range(co)",
    "domain([R] ; po)",
    "let rec r = rf | (r ; (co | po)) in r & loc", "0", "~id", "[R] ; [W] ; po", "po ; [W] ; [R]",
)  # fmt: skip


@lru_cache
def fused(text: str) -> Plan:
    return plan(f'C "a test"\nlet it = {text}')


def one_event_each(execution: Execution) -> dict[int, int]:
    """Each event with the one that stands for it: the write of an atomic operation is its read."""
    return {event.id: event.id for event in execution.events} | {write: read for read, write in execution.amo}


def quotient(execution: Execution) -> Scope:
    """The primitives of the execution in which atomic operations are one event."""
    whole = one_event_each(execution)

    def image(found: Pairs) -> Pairs:
        return frozenset((whole[a], whole[b]) for a, b in found)

    def kind(wanted: Kind) -> Pairs:
        ids = frozenset(whole[event.id] for event in execution.events if event.kind is wanted)
        return naive.identity(ids)

    everything = naive.identity(frozenset(whole.values()))
    rf = image(frozenset(execution.rf))
    chains = [(a, b) for order in execution.co for i, a in enumerate(order) for b in order[i + 1 :]]
    co = image(frozenset(chains))
    cells = {event.id: event.cell for event in execution.events if event.cell is not None}
    return {
        "_": everything,
        "id": everything,
        "po": image(frozenset(execution.po - execution.amo)),
        "rf": rf,
        "co": co,
        "fr": naive.sequence(naive.inverse(rf), co),
        "loc": image(frozenset((a, b) for a in cells for b in cells if cells[a] == cells[b])),
        "R": kind(Kind.READ),
        "W": kind(Kind.WRITE),
        "domain": lambda found: naive.identity(naive.domain(found)),
        "range": lambda found: naive.identity(naive.range_(found)),
    }


@pytest.mark.parametrize("text", tiers.every(3, EXPRESSIONS))
@settings(max_examples=tiers.size(80))
@given(execution=executions())
def test_values_are_those_of_the_execution_with_one_event_each(text: str, execution: Execution) -> None:
    whole = one_event_each(execution)
    found = relation(fused(text), execution, "it")
    if text == "_":
        expected: Pairs = naive.identity(frozenset(whole.values()))
    else:
        expected = pairs(expr(text), quotient(execution))
    assert frozenset((whole[a], whole[b]) for a, b in found) == expected
    # Of relations, all halves are there or none; a set is shown as a part of the identity.
    if not found <= naive.identity(frozenset(whole)):
        halves: dict[int, set[int]] = {}
        for event, one in whole.items():
            halves.setdefault(one, set()).add(event)
        assert found == frozenset((a, b) for x, y in expected for a in halves[x] for b in halves[y])


@pytest.mark.parametrize("language", ["C", "RISCV"])
def test_the_first_word_of_the_header_decides(language: str) -> None:
    atomic = plan(f"{language} X\nempty amo as none")
    assert not [item for item in atomic.instructions if item.name == "amo"]
    other = plan('X86 "C"\nempty amo as none')
    assert [item for item in other.instructions if item.name == "amo"]


def test_dependencies_inside_an_operation_are_none() -> None:
    text = 'C "a test"\nempty data as none'
    model = plan(text)

    @settings(max_examples=tiers.size(30))
    @given(execution=executions())
    def check(execution: Execution) -> None:
        inside = replace(execution, data=execution.amo)
        assert relation(model, inside, "data") == execution.amo or not execution.amo

    check()
