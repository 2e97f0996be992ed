"""Symbolic values of registers along a path: numbers and thread numbers."""

from __future__ import annotations

from typing import TypeAlias

from membar.diagnostics import Diagnostic, InputError, Label
from membar.records import record
from membar.source import Span
from membar.systems.terms import Access, ProcessVariable

# How a process is named: by a parameter of the transition, or by a variable that holds it.
Who: TypeAlias = ProcessVariable | Access


@record(frozen=True, slots=True)
class Number:
    """A word that is known."""

    word: int


@record(frozen=True, slots=True)
class Identity:
    """The number of a thread, plus `offset`."""

    who: Who
    offset: int = 0


@record(frozen=True, slots=True)
class Count:
    """How many threads there are, plus `offset`."""

    offset: int = 0


@record(frozen=True, slots=True)
class StateVariable:
    """What a variable holds, not yet examined.

    Attributes:
        storage: the variable's name.
        indices: of a cell of an array.
        reader: the process that reads it, if it is shared memory.
    """

    storage: str
    indices: tuple[ProcessVariable, ...]
    reader: ProcessVariable | None = None


@record(frozen=True, slots=True)
class Sum:
    """`constant + Σ factor · variable` for variables with too many values to list; read as signed words.

    It is known to be at least `low` and at most `high`.
    """

    constant: int
    terms: tuple[tuple[int, StateVariable], ...]
    low: int
    high: int


@record(frozen=True, slots=True)
class AtHead:
    """A register that counts through all threads, before it is compared with their number."""

    register: str


@record(frozen=True, slots=True)
class Tally:
    """How many threads have added one to a variable, plus `offset`.

    Attributes:
        storage: the array that records which threads have.
        reader: the process that reads it.
        offset: added to it.
        has_own: whether the reader itself counts; otherwise it is known not to have.
    """

    storage: str
    reader: ProcessVariable
    offset: int = 0
    has_own: bool = True


@record(frozen=True, slots=True)
class Scaled:
    """The number of a thread times the size of an element."""

    identity: Identity
    factor: int


@record(frozen=True, slots=True)
class Pointer:
    """The address of a byte of an object, plus `factor` times the number of the thread `index`."""

    name: str
    offset: int
    index: Who | None = None
    factor: int = 0


Value: TypeAlias = Number | Identity | Count | StateVariable | Sum | AtHead | Tally | Scaled | Pointer


class CannotLiftError(Exception):
    """A construct that has no counterpart in a system for any number of processes."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


LIFTING = "W1201"


def refusal(what: str, span: Span | None, *, code: str = LIFTING, help: str = "") -> InputError:  # noqa: A002 - the word users see
    """The error for something that cannot be lifted."""
    return InputError(
        Diagnostic(
            code=code,
            message=f"{what}: `--threads any` does not support this",
            primary=None if span is None else Label(span, "here"),
            help=help or "check a fixed number of threads, without `--threads any`",
        )
    )
