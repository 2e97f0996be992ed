"""Claims about whole runs: LTL formulas, and automata that accept the forbidden runs.

The derived operators (`F`, `G`, `->`, `<->`, `W`) are defined in terms of these by the functions below, so
that no other code needs to know them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from membar.program.predicate import StatePredicate
from membar.records import field, record

if TYPE_CHECKING:
    from membar.source import Span


@record(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool


@record(frozen=True, slots=True)
class Atom:
    """The predicate is true of the first state."""

    predicate: StatePredicate


@record(frozen=True, slots=True)
class Not:
    """The operand does not hold."""

    operand: Formula


@record(frozen=True, slots=True)
class And:
    """Both hold."""

    left: Formula
    right: Formula


@record(frozen=True, slots=True)
class Or:
    """One of the two holds."""

    left: Formula
    right: Formula


@record(frozen=True, slots=True)
class Next:
    """It holds from the second state on."""

    operand: Formula


@record(frozen=True, slots=True)
class Until:
    """`right` holds some time, and `left` at all times before."""

    left: Formula
    right: Formula


@record(frozen=True, slots=True)
class Release:
    """`right` holds up to and including the time at which `left` does, or forever."""

    left: Formula
    right: Formula


Formula: TypeAlias = Truth | Atom | Not | And | Or | Next | Until | Release

TRUE = Truth(value=True)
FALSE = Truth(value=False)


def finally_(operand: Formula) -> Formula:
    """`F p`: some time."""
    return Until(TRUE, operand)


def globally(operand: Formula) -> Formula:
    """`G p`: at all times."""
    return Release(FALSE, operand)


def implies(left: Formula, right: Formula) -> Formula:
    """`p -> q`."""
    return Or(Not(left), right)


def equivalent(left: Formula, right: Formula) -> Formula:
    """`p <-> q`."""
    return Or(And(left, right), And(Not(left), Not(right)))


def weak_until(left: Formula, right: Formula) -> Formula:
    """`p W q`: `p U q`, or `p` forever."""
    return Release(right, Or(left, right))


@record(frozen=True, slots=True, kw_only=True)
class Words:
    """How a language writes the operators of LTL; where it has no `F` and `G`, `U` and `R` say the same."""

    not_: str
    and_: str
    or_: str
    until: str = "U"
    release: str = "R"
    finally_: str = ""
    globally: str = ""


def formula_text(formula: Formula, words: Words, atom: Callable[[Atom], str]) -> str:
    """A formula in the words of a language; all operators with two operands are in parentheses."""

    def text(part: Formula) -> str:
        return formula_text(part, words, atom)

    match formula:
        case Truth(value):
            return "true" if value else "false"
        case Atom():
            return atom(formula)
        case Not(operand):
            return f"{words.not_}{text(operand)}"
        case Next(operand):
            return f"X {text(operand)}"
        case Until(Truth(value=True), right) if words.finally_:
            return f"{words.finally_} {text(right)}"
        case Release(Truth(value=False), right) if words.globally:
            return f"{words.globally} {text(right)}"
        case And(left, right):
            return f"({text(left)} {words.and_} {text(right)})"
        case Or(left, right):
            return f"({text(left)} {words.or_} {text(right)})"
        case Until(left, right):
            return f"({text(left)} {words.until} {text(right)})"
        case Release(left, right):
            return f"({text(left)} {words.release} {text(right)})"


@record(frozen=True, slots=True)
class AutomatonEdge:
    """A step of an automaton, possible where the program's state *before* its own step satisfies `guard`."""

    source: int
    target: int
    guard: StatePredicate


@record(frozen=True, slots=True)
class ForbiddenRuns:
    """A Büchi automaton that accepts what must not happen: a never claim, a DVE property process.

    It moves with every step of the program (and alone when the program has ended); a run that it can follow
    forever, visiting a state of each set of `accepting` infinitely often, is a violation. So is, where
    `ends_are_errors`, a run that brings it to a state without leaving edges (Promela's never claims).
    """

    states: tuple[str, ...]
    initial: int
    edges: tuple[AutomatonEdge, ...]
    accepting: tuple[frozenset[int], ...]
    ends_are_errors: bool = False


@record(frozen=True, slots=True)
class Claim:
    """A named statement about all runs of a program; if `is_endless`, about those that do not end."""

    name: str
    body: Formula | ForbiddenRuns
    text: str = ""
    span: Span | None = field(default=None, compare=False, repr=False)
    is_endless: bool = False

    @property
    def violation(self) -> str:
        """What a run is that shows the claim to be false, in words."""
        if isinstance(self.body, ForbiddenRuns):
            return f"a run that {self.text or self.name} forbids"
        said = f": {self.text}" if self.text not in ("", self.name) else ""
        return f"a run that violates {self.name}{said}"


@record(frozen=True, slots=True)
class LabelClaim:
    """What labels of a text say of all runs; it counts only where it is asked for by its name.

    Attributes:
        claim: what they say.
        labels: which they are.
        unseen: why some of them cannot be followed, as a sentence; empty if all can.
    """

    claim: Claim
    labels: tuple[str, ...]
    unseen: str = ""


def subformulas(formula: Formula) -> Iterator[Formula]:
    """A formula and every formula in it, left to right."""
    yield formula
    match formula:
        case Truth() | Atom():
            pass
        case Not(operand) | Next(operand):
            yield from subformulas(operand)
        case And(left, right) | Or(left, right) | Until(left, right) | Release(left, right):
            yield from subformulas(left)
            yield from subformulas(right)


def has_next(formula: Formula) -> bool:
    """Whether a formula speaks of the next state: then it may notice that a state is repeated."""
    return any(isinstance(part, Next) for part in subformulas(formula))


def predicates_of(claims: Iterable[Claim]) -> Iterator[StatePredicate]:
    """Every predicate that the claims use."""
    for claim in claims:
        if isinstance(claim.body, ForbiddenRuns):
            yield from (edge.guard for edge in claim.body.edges)
        else:
            yield from (part.predicate for part in subformulas(claim.body) if isinstance(part, Atom))
