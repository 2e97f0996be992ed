"""The compiled form of a memory model: a straight line of set and relation operations, then checks.

Every instruction fills the slot of its own index. The Python evaluator and the Rust core both run a plan; it
is the semantics of a model.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from membar.records import field, record

if TYPE_CHECKING:
    from membar.source import Span


class Sort(enum.Enum):
    """What a slot holds."""

    SET = "set"
    RELATION = "relation"


class Op(enum.Enum):
    """How a slot is computed from earlier slots."""

    PRIMITIVE = "primitive"  # named: po, rf, co, loc, R, W, a tag, …
    EMPTY = "empty"
    UNIVERSE = "universe"  # of its sort: all events, or all pairs
    UNION = "|"
    INTERSECTION = "&"
    DIFFERENCE = "\\"
    COMPLEMENT = "~"
    SEQUENCE = ";"
    INVERSE = "^-1"
    PLUS = "+"
    STAR = "*"
    OPTIONAL = "?"
    IDENTITY = "[]"  # set → relation
    PRODUCT = "×"  # two sets → relation
    DOMAIN = "domain"
    RANGE = "range"
    VARIABLE = "variable"  # a `let rec` name: starts empty, see Fixpoint


class Stage(enum.IntEnum):
    """The least that must be known before a slot can be computed."""

    STATIC = 0  # events, po, dependencies, values
    READS = 1  # and rf
    COHERENCE = 2  # and co (or the final writes)


class Growth(enum.IntEnum):
    """How a slot changes when an execution is extended by events, rf and co edges."""

    STABLE = 0  # what holds of the events present stays as it is
    GROWING = 1  # pairs are only added
    UNSTABLE = 2  # pairs may disappear


@record(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One slot: `op` applied to the slots `args`, or the primitive `name`."""

    op: Op
    sort: Sort
    args: tuple[int, ...] = ()
    name: str = ""
    stage: Stage = Stage.STATIC
    growth: Growth = Growth.STABLE


@record(frozen=True, slots=True, kw_only=True)
class Fixpoint:
    """A `let rec` group: the least fixpoint.

    Slots `first` … `last` (inclusive; the VARIABLE slots among them) are computed again and again: each
    variable starts empty and takes the value of its result slot, until nothing changes. Fixpoints may nest.
    """

    first: int
    last: int
    variables: tuple[int, ...]
    results: tuple[int, ...]


class CheckKind(enum.Enum):
    """The condition that a check requires of a slot."""

    ACYCLIC = "acyclic"
    IRREFLEXIVE = "irreflexive"
    EMPTY = "empty"


class CheckMode(enum.Enum):
    """The consequence of a failed check."""

    REQUIRE = "require"  # the execution is not allowed
    FLAG = "flag"  # the execution is allowed and the flag is raised (when the check *succeeds* as written)
    UNDEFINED_UNLESS = "undefined_unless"  # the whole program is undefined (a data race)


@record(frozen=True, slots=True, kw_only=True)
class Check:
    """A named axiom. `negated` inverts the test (`~empty`)."""

    kind: CheckKind
    slot: int
    name: str
    negated: bool = False
    mode: CheckMode = CheckMode.REQUIRE
    stage: Stage = Stage.COHERENCE
    growth: Growth = Growth.UNSTABLE
    span: Span | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Plan:
    """A whole model."""

    instructions: tuple[Instruction, ...]
    fixpoints: tuple[Fixpoint, ...]
    checks: tuple[Check, ...]
    shown: tuple[tuple[str, int], ...] = ()  # relations to draw, by name
    names: tuple[tuple[str, int], ...] = ()  # every top-level `let`, for explanations and tests

    def __hash__(self) -> int:
        """Quick, as plans are keys and have hundreds of parts; equal plans have parts of equal sizes."""
        return hash((len(self.instructions), len(self.checks), len(self.names), len(self.shown)))
