"""`ParameterizedSystem`: a transition system over arrays indexed by any number of processes.

Beside `Program` the second kind of subject: a language builds it, engines run it. Quantifiers, disjunctions,
predicates and `let` are gone: a transition's guard is a conjunction of literals and of universal guards, and
a disjunctive guard has become several transitions of one name.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from membar.records import field, record

if TYPE_CHECKING:
    from membar.source import Span
    from membar.systems.terms import (
        Abstract,
        Conjunction,
        Enumeration,
        Process,
        ProcessVariable,
        Term,
        Type,
    )


class SymbolKind(enum.Enum):
    """What may change: constants never do."""

    CONSTANT = "const"
    VARIABLE = "var"


@record(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A declared constant, variable (`dimensions` 0) or array indexed by `dimensions` processes.

    A weak symbol is shared memory under a memory model. In a system with weak symbols the others are
    registers: a transition touches only the acting process's own cell of them (constants aside).
    """

    name: str
    type: Type
    dimensions: int = 0
    kind: SymbolKind = SymbolKind.VARIABLE
    weak: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Cube:
    """`exists parameters, pairwise distinct. literals`: bad states, or states excluded by an invariant.

    Reads of weak symbols (each with its `reader`) all happen at one instant.
    """

    parameters: tuple[ProcessVariable, ...]
    literals: Conjunction
    name: str = ""
    span: Span | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Init:
    """`forall parameters. one of the alternatives`: parameters range over all processes, equal ones too.

    What it does not mention is arbitrary. Weak symbols are read plainly: all buffers are empty.
    """

    parameters: tuple[ProcessVariable, ...]
    alternatives: tuple[Conjunction, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class ForallOther:
    """`for every process that is not a parameter of the transition: one of the alternatives`."""

    variable: ProcessVariable
    alternatives: tuple[Conjunction, ...]


@record(frozen=True, slots=True)
class AnyValue:
    """`?`: any value of the updated symbol's type."""


Value: TypeAlias = "Term | AnyValue"


@record(frozen=True, slots=True)
class Case:
    """What a cell becomes where `condition` holds."""

    condition: Conjunction
    value: Value


@record(frozen=True, slots=True)
class Assign:
    """`symbol[indices] := value`: one variable or one cell."""

    symbol: str
    indices: tuple[Process, ...]
    value: Value


@record(frozen=True, slots=True)
class AssignAll:
    """`symbol[binders] := case …`: every cell by its first matching case; without one it stays.

    A variable (no binders) may be assigned by cases too. A cell of a weak array that stays is not written.
    """

    symbol: str
    binders: tuple[ProcessVariable, ...]
    cases: tuple[Case, ...]


Update: TypeAlias = "Assign | AssignAll"


@record(frozen=True, slots=True, kw_only=True)
class Transition:
    """A step of the system: some pairwise distinct processes that satisfy the guard do all updates at once.

    Attributes:
        name: as written; the parts of a split transition share it.
        parameters: pairwise distinct; those that `exists` introduced come last.
        declared: how many of them the user wrote.
        acting: the process that reads and writes weak symbols; None in systems without them, if not named.
        guard: all of these hold.
        universal: and all of these.
        updates: simultaneous, right-hand sides read the old state; no cell is assigned twice.
        fence: it waits until the acting process's buffer is empty.
        atomic: reads *and* writes weak symbols (before any splitting): the acting process's buffer is empty
            before and after it. Implies nothing about `fence`, which is as written.
    """

    name: str
    parameters: tuple[ProcessVariable, ...]
    declared: int
    acting: ProcessVariable | None = None
    guard: Conjunction = ()
    universal: tuple[ForallOther, ...] = ()
    updates: tuple[Update, ...] = ()
    fence: bool = False
    atomic: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@record(frozen=True, kw_only=True)
class ParameterizedSystem:
    """A system for any number of processes, or for exactly `size` of them.

    Attributes:
        name: the file's name.
        language: the language's name for it; for reports only.
        size: the number of processes, where it is fixed; only then are there `ProcessConstant`s.
        outsiders: whether a value of type `proc` may name something that is no process (where `init` says
            that a variable differs from every process, as for a directory's home node).
        types: the declared ones; `bool` is not among them.
        symbols: in the order of declaration.
        init: the initial states, to which the negation of every invariant is conjoined.
        unsafe: states that must not be reached, at least one.
        invariants: states that the user says are never reached (`init` excludes them; that no step leads
            there must be proved, or the verdict says "assuming").
        transitions: all steps.
    """

    name: str
    language: str
    size: int | None = None
    outsiders: bool = False
    types: tuple[Enumeration | Abstract, ...] = ()
    symbols: tuple[Symbol, ...]
    init: Init
    unsafe: tuple[Cube, ...]
    invariants: tuple[Cube, ...] = ()
    transitions: tuple[Transition, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    @cached_property
    def symbol(self) -> Mapping[str, Symbol]:
        """The symbols by name."""
        return {symbol.name: symbol for symbol in self.symbols}

    @property
    def is_weak(self) -> bool:
        """Whether some symbol is memory under a memory model."""
        return any(symbol.weak for symbol in self.symbols)
