"""When operations take effect: at once, with a pending store, or after one."""

from __future__ import annotations

from collections.abc import Iterator

from membar.objects.syntax import ConcurrentObject, LinearizationPoint, Operation
from membar.objects.systems.buffered.control import WAITING, Control, Status, Waiting
from membar.objects.systems.moves import Check, Effect, substitute
from membar.objects.systems.points import Points, inputs, outputs
from membar.objects.terms import FALSE, Number, Term, Variable
from membar.records import record, replace

_TWICE = "{} takes effect twice"
_OVERTAKES = "{} takes effect before an earlier operation of its thread does"


@record(frozen=True, slots=True)
class Outcome:
    """The result of a step besides its updates: the operations that take effect."""

    after: Control
    effects: tuple[Effect, ...] = ()
    updates: tuple[tuple[Variable, Term], ...] = ()
    checks: tuple[Check, ...] = ()


class Effects:
    """The effect of linearization points on a step."""

    def __init__(self, about: ConcurrentObject, points: Points) -> None:
        self._points = points
        self._constant = {
            each.name
            for each in (about.specification.operations if about.specification else ())
            if not each.updates
        }

    def now(
        self,
        operation: Operation,
        point: LinearizationPoint | None,
        after: Control,
        updates: dict[Variable, Term],
    ) -> Outcome:
        """A step that takes effect at once, if it has a point."""
        if point is None:
            return Outcome(after)
        promised, checks = self.promised_results(operation, point, after, updates)
        late = any(entry.promises for entry in after.entries) or after.waiting is not None
        if late:
            checks = (*checks, Check(FALSE, _OVERTAKES.format(operation.name)))
        effect = Effect(operation=operation.name, inputs=inputs(operation, operation.name), results=promised)
        cells = outputs(operation, operation.name)
        return Outcome(
            replace(after, status=Status.AFTER),
            (effect,),
            tuple(zip(cells, promised, strict=True)),
            checks,
        )

    def later(
        self,
        operation: Operation,
        point: LinearizationPoint,
        after: Control,
        updates: dict[Variable, Term],
        entry: int,
    ) -> Iterator[Outcome]:
        """A step that takes effect after a pending store: followed, or not."""
        promised, checks = self.promised_results(operation, point, after, updates)
        if operation.name not in self._constant:
            problem = f"{operation.name} changes the state: it cannot take effect after a pending store"
            checks = (*checks, Check(FALSE, problem))
        before = after.waiting is not None and after.waiting.entry > entry
        if before or any(each.promises for each in after.entries[entry + 1 :]):
            checks = (*checks, Check(FALSE, _OVERTAKES.format(operation.name)))
        cells = outputs(operation, operation.name)
        own = tuple(zip(cells, promised, strict=True))
        yield Outcome(replace(after, status=Status.AFTER), (), own, checks)
        if after.waiting is None:
            followed = (
                *own,
                *zip(outputs(operation, WAITING), promised, strict=True),
                *zip(inputs(operation, WAITING), inputs(operation, operation.name), strict=True),
            )
            waiting = Waiting(operation.name, entry)
            yield Outcome(replace(after, status=Status.DEFERRED, waiting=waiting), (), followed, checks)

    def promised_results(
        self,
        operation: Operation,
        point: LinearizationPoint,
        after: Control,
        updates: dict[Variable, Term],
    ) -> tuple[tuple[Term, ...], tuple[Check, ...]]:
        """The results that the operation will return, in terms before the step."""
        checks: tuple[Check, ...] = ()
        if after.status is not Status.BEFORE:
            checks = (Check(FALSE, _TWICE.format(operation.name)),)
        results = self._points.results(point)
        if results is None:
            zeros = (Number(0),) * operation.results
            return zeros, (*checks, Check(FALSE, f"`returning` is missing: {operation.name} has several"))
        return tuple(substitute(term, updates) for term in results), checks
