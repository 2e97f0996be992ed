"""The notes of an answer about LTL claims.

Which runs count (fairness); whether a claim holds vacuously; whether it is sensitive to stuttering, which
matters where flushes of store buffers are steps; and which variables only claims read, so that `--ghost`
should keep them out of store buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from membar.models.model import Model, Operational
from membar.program import temporal as t
from membar.program.expr import TRUE, addresses_of
from membar.program.operations import Assert, Load, Rmw, Store
from membar.program.predicate import CellValue, StatePredicate
from membar.program.program import Edge, Program
from membar.questions.outcome import Finding, Holds, HoldsWithin, Outcome, Verdict
from membar.records import replace
from membar.source import without_parentheses

# Each occurrence of a proposition is one more search.
_MOST_OCCURRENCES: Final = 12
_FAIR: Final = {
    "buffers": "every store leaves its buffer eventually",
    "processes": "a process that can always move does so eventually",
}


def notes_on_runs(program: Program, model: Model, fair: frozenset[str]) -> Iterator[str]:
    """Notes on the claims of a program, whatever the answer is."""
    has_buffers = model.operational is not Operational.SC
    if program.claims:
        yield _fairness(fair if has_buffers else fair - {"buffers"})
    if not has_buffers:
        return
    for claim in program.claims:
        if may_count_steps(claim):
            yield (
                f"{claim.name} may depend on how often a state is repeated (it is not stutter-invariant):"
                " a store that leaves its buffer is a step, too"
            )
    if ghosts := only_claimed(program):
        yield (
            f"only claims read {', '.join(ghosts)}: --ghost {','.join(ghosts)} makes stores to"
            f" {'it' if len(ghosts) == 1 else 'them'} visible at once"
        )


def _fairness(fair: frozenset[str]) -> str:
    if not fair:
        unfair = "also those in which a process that can always move never does"
        return f"claims are about all runs, {unfair}; --fair processes ignores these"
    said = " and ".join(_FAIR[name] for name in sorted(fair))
    rest = "" if "processes" in fair else "; a process may wait forever although it can move"
    return f"claims are about runs in which {said} (--fair {','.join(sorted(fair))}){rest}"


def may_count_steps(claim: t.Claim) -> bool:
    """Whether a claim may be sensitive to stuttering; formulas without `X` and `Y` never are.

    An automaton does not if each of its steps can be repeated: at its source or its target there is a step
    to the same state under the same condition, or under none.
    """
    if not isinstance(claim.body, t.ForbiddenRuns):
        return t.has_next(claim.body)
    loops = {(edge.source, edge.guard) for edge in claim.body.edges if edge.source == edge.target}
    free = {edge.source for edge in claim.body.edges if edge.source == edge.target and _is_true(edge.guard)}
    return any(
        not {edge.source, edge.target} & free
        and not {(edge.source, edge.guard), (edge.target, edge.guard)} & loops
        for edge in claim.body.edges
    )


def _is_true(guard: StatePredicate) -> bool:
    return guard.expression == TRUE


def only_claimed(program: Program) -> tuple[str, ...]:
    """Variables that claims read and that threads only write, count or assert something about."""
    claimed = {
        seen.name
        for predicate in (*program.errors, *t.predicates_of(program.claims))
        for _, seen in predicate.reads
        if isinstance(seen, CellValue)
    }
    written: set[str] = set()
    for edge in (edge for thread in program.threads for edge in thread.edges):
        stored = _objects(edge, lambda item: isinstance(item, Store))
        written |= {name for name, tags in stored if "GHOST" not in tags}
        claimed -= {name for name, tags in stored if "GHOST" in tags}
        if any(isinstance(item, Assert) for item in edge.operations) and not stored:
            continue
        loaded = _objects(edge, lambda item: isinstance(item, Load | Rmw))
        claimed -= {name for name, _ in loaded} - {name for name, _ in stored}
    return tuple(item.name for item in program.objects if item.name in claimed & written)


def _objects(edge: Edge, is_one: Callable[[object], bool]) -> set[tuple[str, frozenset[str]]]:
    """The objects that operations of a kind access, with their tags."""
    return {
        (found.name, frozenset(getattr(item, "tags", ())))
        for item in edge.operations
        if is_one(item) and isinstance(item, Load | Store | Rmw)
        for found in addresses_of(item.address)
    }


# Vacuity


def vacuous_parts(program: Program, outcome: Outcome, holds: Callable[[Program], bool]) -> Iterator[str]:
    """Notes on claims that hold vacuously: they would hold even if some part of them were false.

    A claim that does not depend on an occurrence of a proposition holds even with `false` in its place:
    Kupferman and Vardi, "Vacuity detection in temporal model checking". Negated occurrences are left out:
    that `G (p -> F q)` holds because `F q` is always true is nothing to worry about. `holds` asks a program
    with another claim.
    """
    for finding in outcome.run.findings:
        if finding.property != "claims" or finding.verdict not in (Verdict.HOLDS, Verdict.WITHIN):
            continue
        for claim, predicate in _claims_of(program, finding):
            found = _vacuity_of(program, claim, holds) if claim else _assumption(program, predicate, holds)
            if found:
                yield f"{finding.claim or 'the claim'} holds vacuously: {found}"


def _claims_of(program: Program, finding: Finding) -> Iterator[tuple[t.Claim | None, StatePredicate | None]]:
    is_only = len(program.claims) + sum(item.property == "claims" for item in program.errors) == 1
    for claim in program.claims:
        if is_only or claim.name == finding.claim:
            yield claim, None
    for item in program.errors:
        if item.property == "claims" and (is_only or finding.claim in (item.name, item.text)):
            yield None, item


def _vacuity_of(program: Program, claim: t.Claim, holds: Callable[[Program], bool]) -> str:
    if isinstance(claim.body, t.ForbiddenRuns):
        return ""
    count = sum(isinstance(part, t.Atom) for part in t.subformulas(claim.body))
    changes = [without_occurrence(claim.body, number) for number in range(min(count, _MOST_OCCURRENCES))]
    for changed, atom, is_positive in changes:
        if is_positive and holds(replace(program, claims=(replace(claim, body=changed),), errors=())):
            return f"it would hold even if `{without_parentheses(atom.predicate.text)}` were always false"
    return ""


def _assumption(program: Program, forbidden: StatePredicate | None, holds: Callable[[Program], bool]) -> str:
    if forbidden is None or forbidden.assumed is None:
        return ""
    unreached = replace(forbidden.assumed, property="claims", name="assumption")
    if not holds(replace(program, claims=(), errors=(unreached,))):
        return ""
    return f"`{forbidden.assumed.text}` is never true"


def without_occurrence(formula: t.Formula, number: int) -> tuple[t.Formula, t.Atom, bool]:
    """The formula with one atom made as bad as possible, that atom, and whether it is not negated."""
    left = [number]
    found: list[tuple[t.Atom, bool]] = []

    def change(part: t.Formula, *, is_positive: bool) -> t.Formula:
        match part:
            case t.Truth():
                return part
            case t.Atom():
                left[0] -= 1
                if left[0] != -1:
                    return part
                found.append((part, is_positive))
                return t.Truth(value=not is_positive)
            case t.Not(operand):
                return t.Not(change(operand, is_positive=not is_positive))
            case t.Next(operand) | t.Previous(operand):
                return type(part)(change(operand, is_positive=is_positive))
            case (
                t.And(one, other) | t.Or(one, other) | t.Until(one, other) | t.Release(one, other)
                | t.Since(one, other)
            ):  # fmt: skip
                parts = (change(one, is_positive=is_positive), change(other, is_positive=is_positive))
                return type(part)(*parts)

    changed = change(formula, is_positive=True)
    return changed, *found[0]


def with_notes(outcome: Outcome, notes: Iterator[str]) -> Outcome:
    """The outcome with more notes, none of them twice."""
    more = tuple(dict.fromkeys((*outcome.run.notes, *notes)))
    return replace(outcome, run=replace(outcome.run, notes=more))


def is_settled(outcome: Outcome) -> bool:
    """Whether a property holds, perhaps within a bound."""
    return isinstance(outcome, Holds | HoldsWithin)
