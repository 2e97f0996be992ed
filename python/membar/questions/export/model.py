"""A program whose store buffers are ordinary variables: the common input of the printers for other tools.

Variables are named by keys, and expressions use the keys as registers. A step's guards, and the values that
it writes, refer to the state before it: all of its writes happen at once.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from membar.diagnostics import Diagnostic, InputError, Label
from membar.program.expr import Expr, Register
from membar.records import field, record

if TYPE_CHECKING:
    from membar.models.model import Operational
    from membar.program.program import Program
    from membar.source import Span

Interval: TypeAlias = tuple[int, int]
INT32: Interval = (-(1 << 31), (1 << 31) - 1)


class Kind(enum.Enum):
    """The purpose of a variable."""

    MEMORY = "m"  # a location of shared memory
    REGISTER = "r"  # a register of a thread
    SLOT = "s"  # a buffered store of a location by a thread: slot 0 is the newest
    COUNT = "n"  # how many slots are taken: Barnat's indicator, where there is one slot
    QUEUE = "q"  # the order of a thread's buffered stores: numbers of locations, oldest first, 0 for none
    LENGTH = "l"  # how long the queue is
    BORN = "b"  # whether a thread has been started
    AT = "p"  # whether a thread is at a control point: 1 or 0; printers know how to say it


@record(frozen=True, slots=True, kw_only=True)
class Variable:
    """One variable; `cell` and `slot` are -1 where there is none."""

    kind: Kind
    thread: int = -1
    cell: int = -1
    slot: int = -1
    register: str = ""
    initial: int = 0

    @property
    def key(self) -> str:
        """Its name in expressions."""
        return f"{self.kind.value}:{self.thread}:{self.cell}:{self.slot}:{self.register}"

    @property
    def atom(self) -> Register:
        """Its value."""
        return Register(self.key)


def at(thread: int, point: int) -> Register:
    """1 where a thread is at a control point, else 0."""
    return Variable(kind=Kind.AT, thread=thread, slot=point).atom


def place_of(key: str) -> tuple[int, int] | None:
    """The thread and control point that the key of `at` denotes; None for other keys."""
    kind, thread, _, slot, _ = key.split(":", 4)
    return (int(thread), int(slot)) if kind == Kind.AT.value else None


@record(frozen=True, slots=True, kw_only=True)
class GuardedStep:
    """What a thread, or a store on its way to memory, may do.

    Attributes:
        thread: whose step it is, or whose store.
        source: the control point before; -1 for a store that reaches memory.
        target: the control point after.
        guards: all must be other than 0, in this order.
        writes: keys and their new values.
        pushes: numbers that enter the thread's queue, in order.
        failure: the message of the assertion that fails in it; then it ends the run and writes nothing.
        span: where it comes from.
    """

    thread: int
    source: int = -1
    target: int = -1
    guards: tuple[Expr, ...] = ()
    writes: tuple[tuple[str, Expr], ...] = ()
    pushes: tuple[int, ...] = ()
    failure: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Model:
    """A program under a store-buffer discipline, as steps on variables.

    Attributes:
        program: what it is made from.
        discipline: sc, tso, pso or cam.
        bound: k; of no meaning under sc.
        variables: by key, in the order in which they are declared.
        steps: of all threads, in the order of their edges.
        flushes: by which stores reach memory.
        queues: for each thread, how many entries its queue can have; 0 where it has none.
        ranges: the smallest and largest value of each variable.
    """

    program: Program
    discipline: Operational
    bound: int
    variables: Mapping[str, Variable]
    steps: tuple[GuardedStep, ...]
    flushes: tuple[GuardedStep, ...]
    queues: tuple[int, ...]
    ranges: Mapping[str, Interval]


ENDLESS = "a claim about infinite runs"


def untranslatable(what: str, span: Span | None = None, *, help: str | None = None) -> InputError:  # noqa: A002
    """The error that something has no translation."""
    label = None if span is None else Label(span, "not translated")
    return InputError(Diagnostic(code="W1101", message=what, primary=label, help=help))
