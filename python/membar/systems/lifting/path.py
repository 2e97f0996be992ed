"""A path of one thread through a step of the system: its effects, and what is known before it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from membar.records import field, record, replace
from membar.source import Span
from membar.systems.lifting.values import AtHead, Count, Identity, Pointer, StateVariable, Value, Who
from membar.systems.terms import BOOL, Access, Comparison, Constructor, Literal, ProcessVariable, negation

ACTING: Final = ProcessVariable("p")
EACH: Final = ProcessVariable("j")
FIRST: Final = Access("first")
"""The thread with the number 0."""
LAST: Final = Access("last")
"""The thread with the greatest number."""

# A write: which variable, which cell, and the value.
Write: TypeAlias = tuple[str, tuple[ProcessVariable, ...], Value]


@record(frozen=True, slots=True, kw_only=True)
class Path:
    """The actions of one thread since it left an anchor.

    Attributes:
        point: where it is.
        registers: what they hold.
        known: what variables were found to hold at the start.
        who: the parameters that variables of processes were found to name.
        literals: what is assumed of the state at the start.
        others: the parameters beside the acting process.
        everyone: what is assumed of all processes that are no parameters, each called `EACH`.
        written: the write to memory.
        cleared: counters that are empty again.
        reset: scanning registers that start again.
        met: threads that a scan is done with: register and process.
        accessed: the point of the access that was done; None: none yet.
        is_read: that access only read.
        before: the registers at the access.
        fenced: the buffer must be empty before.
        atomic: the access is an RMW.
        trail: points passed since the start, or since the access.
        failed: the message of an assertion that fails.
        span: the place of the access, or of the first step.
    """

    point: int
    registers: Mapping[str, Value]
    known: Mapping[StateVariable, Value] = field(default_factory=lambda: MappingProxyType({}))
    who: Mapping[Access, ProcessVariable] = field(default_factory=lambda: MappingProxyType({}))
    literals: tuple[Literal, ...] = ()
    others: tuple[ProcessVariable, ...] = ()
    everyone: tuple[Literal, ...] = ()
    written: tuple[Write, ...] = ()
    cleared: tuple[str, ...] = ()
    reset: frozenset[str] = frozenset()
    met: tuple[tuple[str, ProcessVariable], ...] = ()
    accessed: int | None = None
    is_read: bool = False
    before: Mapping[str, Value] | None = None
    fenced: bool = False
    atomic: bool = False
    trail: frozenset[int] = frozenset()
    failed: str | None = None
    span: Span | None = None

    def with_assumptions(self, *literals: Literal) -> Path:
        """The path with more assumptions."""
        fresh = tuple(one for one in literals if one not in self.literals)
        return replace(self, literals=(*self.literals, *fresh))

    def with_known_value(self, held: StateVariable, value: Value, *literals: Literal) -> Path:
        """The path in which a variable has a known value."""
        return replace(self.with_assumptions(*literals), known={**self.known, held: value})

    def setting(self, register: str, value: Value) -> Path:
        """The path with a register set."""
        return replace(self, registers={**self.registers, register: value})

    def for_all(self, literal: Literal) -> Path:
        """The path with an assumption about all processes but the acting one."""
        return replace(self, everyone=(*self.everyone, literal))

    def parameter(self, who: Who) -> ProcessVariable | None:
        """The parameter that denotes `who`, if that is known."""
        return who if isinstance(who, ProcessVariable) else self.who.get(who)

    def another(self) -> tuple[Path, ProcessVariable]:
        """The path with one more parameter."""
        fresh = ProcessVariable(f"q{len(self.others) + 1}")
        return replace(self, others=(*self.others, fresh)), fresh


class SplitError(Exception):
    """The next step depends on something unknown: has the path for each case."""

    def __init__(self, *paths: Path) -> None:
        super().__init__("a path splits")
        self.paths = paths


def parameter_for(path: Path, who: Who) -> ProcessVariable:
    """The parameter that denotes a process; splits into the possible ones."""
    found = path.parameter(who)
    if found is not None:
        return found
    assert isinstance(who, Access)
    options: list[Path] = []
    extended, fresh = path.another()
    for base, candidate in ((path, ACTING), *((path, other) for other in path.others), (extended, fresh)):
        equation = Literal(who, Comparison.EQUAL, candidate)
        if negation(equation) not in path.literals:
            options.append(replace(base.with_assumptions(equation), who={**base.who, who: candidate}))
    raise SplitError(*options)


def is_same(path: Path, left: Who, right: Who) -> bool:
    """Whether two processes are the same; splits if that is unknown."""
    one, other = path.parameter(left) or left, path.parameter(right) or right
    if one == other:
        return True
    if isinstance(one, ProcessVariable) and isinstance(other, ProcessVariable):
        return False
    if isinstance(one, ProcessVariable) or (isinstance(other, Access) and repr(other) < repr(one)):
        one, other = other, one
    equation = Literal(one, Comparison.EQUAL, other)
    if negation(equation) in path.literals:
        return False
    if equation in path.literals:
        return True
    equal = path.with_assumptions(equation)
    if isinstance(one, Access) and isinstance(other, ProcessVariable):
        equal = replace(equal, who={**path.who, one: other})
    raise SplitError(equal, path.with_assumptions(negation(equation)))


def is_less(path: Path, left: Who, right: Who) -> bool:
    """Whether a thread's number is smaller than another's; splits if that is unknown."""
    one, other = path.parameter(left) or left, path.parameter(right) or right
    if one == other:
        return False
    return is_true(path, Literal(one, Comparison.LESS, other))


def is_true(path: Path, literal: Literal) -> bool:
    """Whether a literal holds at the start; splits if that is unknown."""
    if literal in path.literals:
        return True
    if negation(literal) in path.literals:
        return False
    raise SplitError(path.with_assumptions(literal), path.with_assumptions(negation(literal)))


def seen_name(register: str) -> str:
    """The relation that records which threads a scan has visited."""
    return f"met_{register}"


def scanned_literal(register: str, other: ProcessVariable, *, value: bool) -> Literal:
    """The literal that the acting thread's scan has visited `other`, or has not."""
    cell = Access(seen_name(register), (ACTING, other))
    return Literal(cell, Comparison.EQUAL, Constructor(BOOL, str(value)))


def has_next(path: Path, head: AtHead) -> bool:
    """Whether a scan continues, with any thread that it has not visited; splits into these and the end."""
    register = head.register
    options: list[Path] = []
    extended, fresh = path.another()
    for base, candidate in ((path, ACTING), *((path, other) for other in path.others), (extended, fresh)):
        chosen = base.with_assumptions(scanned_literal(register, candidate, value=False))
        options.append(chosen.setting(register, Identity(candidate)))
    ended = path.with_assumptions(scanned_literal(register, ACTING, value=True)).for_all(
        scanned_literal(register, EACH, value=True)
    )
    options.append(ended.setting(register, Count()))
    raise SplitError(*options)


def is_static(value: Value) -> bool:
    """Whether a value is part of the control point: it is the same in every run."""
    return isinstance(value, Count | AtHead) or (isinstance(value, Pointer) and value.index is None)
