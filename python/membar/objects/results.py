"""Decodes final states of a client: which calls were made, which returned, and their results."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from membar.objects.history import Call, Result
from membar.objects.orders import CALL, DONE, LOST, RESULT, CallPosition
from membar.program import condition as c
from membar.program.dependencies import registers_written
from membar.program.expr import WORD, Address
from membar.program.program import Program
from membar.records import record, replace


@record(frozen=True, slots=True)
class ShownCall:
    """What final states show of one call: labels of its beginning, its end and its results."""

    begun: str
    done: str
    results: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """All of them."""
        return (self.begun, self.done, *self.results)


def shown_calls(program: Program, places: Sequence[CallPosition]) -> tuple[ShownCall, ...]:
    """The labels that final states show of each call."""
    found = []
    for place in places:
        thread = program.threads[place.thread]
        names = {name for item in thread.operations for name in registers_written(item)}
        results = itertools.takewhile(
            names.__contains__, (f"{RESULT}{place.index}.{n}" for n in itertools.count())
        )
        marks = (f"{CALL}{place.index}", f"{DONE}{place.index}", *results)
        begun, done, *others = (f"{place.thread}:{name}" for name in marks)
        found.append(ShownCall(begun, done, tuple(others)))
    return tuple(found)


def shown_losses(program: Program) -> tuple[str, ...]:
    """The labels under which final states show that a thread may have lost a part of a number."""
    return tuple(
        f"{number}:{LOST}" for number, thread in enumerate(program.threads) if LOST in dict(thread.registers)
    )


def _term(label: str) -> c.FinalRegister:
    thread, _, register = label.partition(":")
    return c.FinalRegister(int(thread), register, WORD)


def question(
    observed: Sequence[ShownCall], formula: c.Formula, losses: Sequence[str] = ()
) -> c.FinalCondition:
    """The condition that no execution ends as the formula says."""
    labels = [*(label for item in observed for label in item.labels), *losses]
    shown = tuple(c.Observed(_term(label), label) for label in labels)
    return c.FinalCondition(quantifier=c.Quantifier.NOT_EXISTS, formula=formula, observed=shown)


def with_results(
    calls: tuple[Call, ...], observed: Sequence[ShownCall], values: Mapping[str, int | str]
) -> tuple[Call, ...]:
    """The calls with their results in a final state."""
    found = []
    for call, item in zip(calls, observed, strict=True):
        results = tuple(values[label] for label in item.results)
        result: Result = None if not results else results[0] if len(results) == 1 else results
        if not values[item.done]:
            found.append(replace(call, pending=True, made=bool(values[item.begun])))
        else:
            found.append(replace(call, result=result))
    return tuple(found)


def formula_of(calls: tuple[Call, ...], observed: Sequence[ShownCall], program: Program) -> c.Formula:
    """The formula that the calls returned exactly these results."""
    parts = []
    for call, item in zip(calls, observed, strict=True):
        wanted: list[tuple[str, int | str]] = [
            (item.begun, int(call.made)),
            (item.done, int(not call.pending)),
        ]
        if not call.pending and call.result is not None:
            results = call.result if isinstance(call.result, tuple) else (call.result,)
            wanted += zip(item.results, results, strict=True)
        for label, value in wanted:
            shown = _address(value, program) if isinstance(value, str) else value
            parts.append(c.Compare(_term(label), c.Comparison.EQ, shown))
    return c.And(tuple(parts))


def _address(name: str, program: Program) -> Address:
    """The address that final states show by this name."""
    word = next(cell.address for cell in program.cells if cell.name.removesuffix("[0]") == name)
    base = next(item for item in program.objects if program.bases[item.name] <= word)
    return Address(base.name, word - program.bases[base.name])
