"""Claims about whole runs: LTL formulas, and automata that accept the forbidden runs.

The derived operators (`F`, `G`, `->`, `<->`, `W`, and `Z`, `O`, `H`, `T` of the past) are defined in terms of
these by the functions below, so that no other code needs to know them. `PREFIXES` and `INFIXES` are the names
that SPIN and NuSMV give them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
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


@record(frozen=True, slots=True)
class Previous:
    """There is a state before this one, and it held there."""

    operand: Formula


@record(frozen=True, slots=True)
class Since:
    """`right` held some time up to now, and `left` at all times after that."""

    left: Formula
    right: Formula


Formula: TypeAlias = Truth | Atom | Not | And | Or | Next | Until | Release | Previous | Since

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


def exclusive(left: Formula, right: Formula) -> Formula:
    """`p xor q`."""
    return Not(equivalent(left, right))


def weak_previous(operand: Formula) -> Formula:
    """`Z p`: it held in the state before this one, or there is none."""
    return Not(Previous(Not(operand)))


def once(operand: Formula) -> Formula:
    """`O p`: some time up to now."""
    return Since(TRUE, operand)


def historically(operand: Formula) -> Formula:
    """`H p`: at all times up to now."""
    return Not(once(Not(operand)))


def triggered(left: Formula, right: Formula) -> Formula:
    """`p T q`: `q` at all times after and including the last at which `p` held, or always up to now."""
    return Not(Since(Not(left), Not(right)))


PREFIXES: Mapping[str, Callable[[Formula], Formula]] = MappingProxyType(
    {
        "G": globally, "[]": globally, "always": globally,
        "F": finally_, "<>": finally_, "eventually": finally_,
        "X": Next, "next": Next,
        "Y": Previous, "Z": weak_previous, "H": historically, "O": once,
        "!": Not, "not": Not,
    }
)  # fmt: skip
"""Operators with one operand, as SPIN (`[]`, `always`) and NuSMV (`G`, and `Y Z H O` of the past) have it."""
INFIXES: Mapping[str, Callable[[Formula, Formula], Formula]] = MappingProxyType(
    {
        "U": Until, "until": Until, "stronguntil": Until,
        "R": Release, "V": Release, "release": Release,
        "W": weak_until, "weakuntil": weak_until,
        "S": Since, "T": triggered,
        "&&": And, "&": And, "and": And, "/\\": And,
        "||": Or, "|": Or, "or": Or, "\\/": Or,
        "xor": exclusive, "xnor": equivalent,
        "->": implies, "implies": implies, "imply": implies,
        "<->": equivalent, "equivalent": equivalent,
    }
)  # fmt: skip
"""Operators with two operands, by the names that SPIN and NuSMV give them."""
STATE_OPERATORS = frozenset(("!", "not", "&&", "&", "and", "/\\", "||", "|", "or", "\\/", "xor", "xnor")) | {
    "->", "implies", "imply", "<->", "equivalent",
}  # fmt: skip
"""Those of them that speak of one state only."""


def is_prefix(word: str, following: str, second: str = "") -> bool:
    """Whether a word is a prefix operator here, by the next two: `G`, `next` and the like can be names too.

    So can `U`, `W` and the like if something of a process of that name follows: `F W.c`.
    """
    if word not in PREFIXES or not word[0].isalpha():
        return word in PREFIXES
    starts_name = following[:1].isalnum() or following[:1] == "_"
    return following in ("(", "{", "[]", "<>", "!") or (
        starts_name and (following not in INFIXES or second in (".", ":", "@"))
    )


@record(frozen=True, slots=True, kw_only=True)
class Words:
    """The syntax of LTL operators in a language; without `F` and `G`, `U` and `R` are used."""

    not_: str
    and_: str
    or_: str
    until: str = "U"
    release: str = "R"
    finally_: str = ""
    globally: str = ""


def formula_text(formula: Formula, words: Words, atom: Callable[[Atom], str]) -> str:
    """A formula in the syntax of a language; binary operators are in parentheses."""

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
        case Previous(operand):
            return f"Y {text(operand)}"
        case Since(left, right):
            return f"({text(left)} S {text(right)})"
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
        """A description of a run that violates the claim."""
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
        case Not(operand) | Next(operand) | Previous(operand):
            yield from subformulas(operand)
        case (
            And(left, right)
            | Or(left, right)
            | Until(left, right)
            | Release(left, right)
            | Since(left, right)
        ):
            yield from subformulas(left)
            yield from subformulas(right)


def has_next(formula: Formula) -> bool:
    """Whether a formula refers to the next or previous state: then it may be sensitive to stuttering."""
    return any(isinstance(part, Next | Previous) for part in subformulas(formula))


def has_past(formula: Formula) -> bool:
    """Whether a formula has operators of the past."""
    return any(isinstance(part, Previous | Since) for part in subformulas(formula))


def predicates_of(claims: Iterable[Claim]) -> Iterator[StatePredicate]:
    """Every predicate that the claims use."""
    for claim in claims:
        if isinstance(claim.body, ForbiddenRuns):
            yield from (edge.guard for edge in claim.body.edges)
        else:
            yield from (part.predicate for part in subformulas(claim.body) if isinstance(part, Atom))
