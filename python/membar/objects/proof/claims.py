"""The invariants of a proof: the annotations, and what the checker adds."""

from __future__ import annotations

from membar.objects import terms as t
from membar.objects.syntax import Claim, ConcurrentObject, Operation
from membar.objects.systems.points import Points, outputs
from membar.records import record


@record(frozen=True, slots=True)
class Named:
    """A formula, and its name in a report."""

    formula: t.Term
    text: str


@record(frozen=True, slots=True)
class Claims:
    """Abs, Inv and D, each a conjunction."""

    abstraction: tuple[Named, ...]
    invariants: tuple[Named, ...]
    between: tuple[Named, ...]


def claims(about: ConcurrentObject) -> Claims:
    """The annotations of an object, and the claim that operations return the promised results."""
    return Claims(
        tuple(name_claim(claim, "abstraction") for claim in about.abstraction),
        (*(name_claim(claim, "invariant") for claim in about.invariants), *_promises(about)),
        tuple(name_claim(claim, "between") for claim in about.between),
    )


def name_claim(claim: Claim, kind: str) -> Named:
    """A claim of the file, whatever the thread's control state is."""
    formula = claim.formula
    if claim.lines is not None:
        formula = t.Binary(t.BinaryOp.IMPLIES, t.At(claim.lines), formula)
    return Named(formula, f"{kind} {' '.join(claim.span.text.split())} (line {claim.span.line})")


def _promises(about: ConcurrentObject) -> tuple[Named, ...]:
    """The claim that results promised at a linearization point are still those that will be returned."""
    found: list[Named] = []
    points = Points(about)
    for operation in about.operations:
        results = _common_results(points, operation)
        if results is None or not operation.results:
            continue
        lines = frozenset(line.label for line in operation.lines)
        kept = t.conjunction(
            tuple(
                t.equals(cell, result)
                for cell, result in zip(outputs(operation, operation.name), results, strict=True)
            )
        )
        formula = t.Binary(t.BinaryOp.IMPLIES, t.conjunction((t.At(lines), t.Linearized())), kept)
        found.append(Named(formula, f"{operation.name} returns what its linearization point determined"))
    return tuple(found)


def _common_results(points: Points, operation: Operation) -> tuple[t.Term, ...] | None:
    """What all linearization points of an operation promise, where it is about its own variables."""
    own = [point for point in points.about.points if point.operation == operation.name]
    found = {points.results(point) for point in own}
    if len(found) != 1:
        return None
    (results,) = found
    if results is None:
        return None
    spaces = {part.space for result in results for part in t.subterms(result) if isinstance(part, t.Variable)}
    return results if spaces <= {t.Space.LOCAL} else None
