"""Error states in the encoding of the core: control points, or predicates."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from math import prod
from typing import TypeAlias

from membar.program.condition import FinalCell, FinalRegister, Term
from membar.program.encoding import expression_code, pack
from membar.program.expr import WORD, Expr, Extend, Register, substitute
from membar.program.predicate import AtPoint, CellValue, RegisterValue, StatePredicate
from membar.program.program import Program, Thread
from membar.records import record

# Conjunctions of a thread and a control point.
Places: TypeAlias = Sequence[Sequence[tuple[int, int]]]

# A predicate about control points alone is spelled out if it has at most so many combinations of them.
_MOST_PLACES = 20_000


@record(frozen=True, slots=True, kw_only=True)
class Errors:
    """What the core is asked.

    Attributes:
        places: control points that are errors whatever memory holds.
        codes: predicates as packed code, over `terms` and then `looks`.
        terms: what states show, in this order.
        looks: what is asked about control points.
    """

    places: Places
    codes: tuple[bytes, ...]
    terms: tuple[Term, ...]
    looks: tuple[AtPoint, ...]


def errors_of(program: Program, shown: Iterable[Term]) -> Errors:
    """The error states of `program`; `shown` comes first among the terms."""
    places: list[Sequence[tuple[int, int]]] = []
    others: list[StatePredicate] = []
    for predicate in program.errors:
        found = places_of(predicate, program)
        if found is None:
            others.append(predicate)
        else:
            places += found
    terms = list(shown)
    looks: list[AtPoint] = []
    for _, seen in itertools.chain.from_iterable(predicate.reads for predicate in others):
        if isinstance(seen, AtPoint):
            looks.append(seen)
        elif (term := _term(seen, program)) not in terms:
            terms.append(term)
    codes = tuple(_code(predicate, program, terms, looks) for predicate in others)
    return Errors(places=tuple(places), codes=codes, terms=tuple(terms), looks=tuple(looks))


def places_of(predicate: StatePredicate, program: Program) -> Places | None:
    """Where threads must not be together; None if more than that decides, or there are too many places."""
    looks = [seen for _, seen in predicate.reads]
    if not all(isinstance(seen, AtPoint) for seen in looks):
        return None
    threads = sorted({seen.thread for seen in looks if isinstance(seen, AtPoint)})
    if any(not program.threads[thread].started for thread in threads):
        return None  # before it is started a thread is nowhere
    points = [_points(program.threads[thread]) for thread in threads]
    if prod(map(len, points)) > _MOST_PLACES:
        return None
    found = []
    for combination in itertools.product(*points):
        at = dict(zip(threads, combination, strict=True))
        if predicate.holds(lambda seen: int(isinstance(seen, AtPoint) and at[seen.thread] in seen.points)):  # noqa: B023 - used at once
            found.append(tuple(at.items()))
    return found


def _points(thread: Thread) -> list[int]:
    return sorted({thread.entry, *(point for edge in thread.edges for point in (edge.source, edge.target))})


def _term(seen: CellValue | RegisterValue, program: Program) -> Term:
    if isinstance(seen, RegisterValue):
        return FinalRegister(seen.thread, seen.register, WORD)
    item = program.object(seen.name)
    return FinalCell(seen.name, seen.index, 8 * item.size, item.signed)


def _code(
    predicate: StatePredicate, program: Program, terms: Sequence[Term], looks: Sequence[AtPoint]
) -> bytes:
    values: dict[str, Expr] = {}
    for name, seen in predicate.reads:
        if isinstance(seen, AtPoint):
            values[name] = Register(f"look {looks.index(seen)}")
            continue
        term = _term(seen, program)
        place = Register(f"term {terms.index(term)}")
        is_signed = isinstance(term, FinalCell) and term.signed
        values[name] = Extend(place, term.width, signed=True) if is_signed else place
    numbers = {f"term {number}": number for number in range(len(terms))}
    numbers |= {f"look {number}": len(terms) + number for number in range(len(looks))}
    code: list[int] = []
    expression_code(substitute(predicate.expression, values.get), numbers, program.bases, code)
    return pack([len(code), *code])
