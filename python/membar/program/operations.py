"""The operations of a thread's edges: the closed set that every engine supports.

Tags are ordering annotations (`MFENCE`, `A`, `L`, `ACQ`, `SC`, …). They appear in cat models as sets of
events under exactly these names; engines never interpret them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeAlias

from membar.program.expr import TRUE, Expr
from membar.records import record

Tags: TypeAlias = frozenset[str]
NO_TAGS: Tags = frozenset()
VOLATILE = "VOLATILE"
"""The word of plain accesses that a compiler keeps as they are."""


class Footprint:
    """What an operation reads, writes and is tagged with: the names of its fields, by their role.

    Analyses go by these names (`program/dependencies.py`), so that a new operation says here what it does.
    """

    __slots__ = ()

    ADDRESS: ClassVar[tuple[str, ...]] = ()
    """Expressions that decide which cell is accessed."""
    DATA: ClassVar[tuple[str, ...]] = ()
    """Expressions that decide the value that is stored, set or sent."""
    CONTROL: ClassVar[tuple[str, ...]] = ()
    """Expressions that decide whether the operation, or what follows it, happens."""
    RESULTS: ClassVar[tuple[str, ...]] = ()
    """Registers that get a new value."""
    TAGS: ClassVar[tuple[str, ...]] = ()
    """Ordering annotations."""


@record(frozen=True, slots=True, kw_only=True)
class Load(Footprint):
    """`register := memory[address]`, `size` bytes, zero- or sign-extended.

    `exclusive` opens an RMW that a later exclusive `Store` or a `StoreConditional` of the
    same cell and thread closes (load-linked, or one half of a pair instruction).
    """

    ADDRESS = ("address",)
    RESULTS = ("register",)
    TAGS = ("tags",)

    register: str
    address: Expr
    size: int
    signed: bool = False
    tags: Tags = NO_TAGS
    exclusive: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Store(Footprint):
    """`memory[address] := value`. `exclusive` closes the RMW that an exclusive load opened."""

    ADDRESS = ("address",)
    DATA = ("value",)
    TAGS = ("tags",)

    address: Expr
    value: Expr
    size: int
    tags: Tags = NO_TAGS
    exclusive: bool = False


@record(frozen=True, slots=True, kw_only=True)
class StoreConditional(Footprint):
    """A store-conditional: writes and sets `status` to 0, or does nothing and sets it to 1.

    It can succeed only if the thread's last exclusive load was of the same cell and no other
    store-conditional came between. Failure is always possible. `carries` says that what depends on the
    status of a success depends on the write (RISC-V), else on nothing (Arm).
    """

    ADDRESS = ("address",)
    DATA = ("value",)
    RESULTS = ("status",)
    TAGS = ("tags",)

    status: str
    address: Expr
    value: Expr
    size: int
    tags: Tags = NO_TAGS
    carries: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Rmw(Footprint):
    """One atomic RMW.

    The old value goes to `register`; then, if `condition` holds, `value` is written. Both may use
    `register` (they see the old value): exchange, fetch-op and compare-exchange are all of this form.
    `failed_tags` are the tags of the read when nothing is written (None: the same as `read_tags`).
    """

    ADDRESS = ("address",)
    DATA = ("value",)
    CONTROL = ("condition",)
    RESULTS = ("register",)
    TAGS = ("read_tags", "write_tags", "failed_tags")

    register: str
    address: Expr
    value: Expr
    size: int
    condition: Expr = TRUE
    signed: bool = False
    read_tags: Tags = NO_TAGS
    write_tags: Tags = NO_TAGS
    failed_tags: Tags | None = None


@record(frozen=True, slots=True)
class Fence(Footprint):
    """A fence of the kinds named by its tags.

    It may name a location (the grace period of an SRCU structure): models see it in `loc`, but nothing is
    read or written there.
    """

    ADDRESS = ("address",)
    TAGS = ("tags",)

    tags: Tags
    address: Expr | None = None


@record(frozen=True, slots=True)
class Set(Footprint):
    """`register := value`, local to the thread."""

    DATA = ("value",)
    RESULTS = ("register",)

    register: str
    value: Expr


@record(frozen=True, slots=True)
class Assume(Footprint):
    """Executions in which `condition` is 0 stop here: blocked, not counted as complete.

    With `waits`, the step blocks: it can only be taken later, when the condition holds, and until then none
    of it has happened. A thread that can never go on is in a deadlock, not out of the question. So a call
    that blocks is one step: an access, and an assumption that waits.
    """

    CONTROL = ("condition",)

    condition: Expr
    waits: bool = False


ASSERTIONS, ERRORS, MEMORY = "assertions", "errors", "memory"
OVERFLOW, LEAKS, LOCKS, EXITS = "overflow", "leaks", "locks", "exits"
WARNING_FLAGS: Mapping[str, str] = {OVERFLOW: "signed-overflow", LEAKS: "memory-leak"}
"""The properties whose assertions only warn, unless they are asked for by name; each with its flag."""
WARNINGS = frozenset(WARNING_FLAGS)

_FAILURE = "other than 0"
NONZERO_RETURN = f"main returns a value {_FAILURE}"
"""Begins the message of the assertion at the end of `main`."""


@record(frozen=True, slots=True)
class Assert(Footprint):
    """A violation of `property` if `condition` is 0 here; perhaps only a warning (`WARNINGS`)."""

    CONTROL = ("condition",)

    condition: Expr
    message: str = ""
    property: str = ASSERTIONS


def is_about_status(operation: Assert) -> bool:
    """Whether an assertion is about the status of a process that ends here in any case."""
    return operation.property == EXITS and _FAILURE in operation.message


@record(frozen=True, slots=True)
class Choose(Footprint):
    """`register :=` any value from `low` to `high`, both included, compared as signed numbers.

    With `retries`, a value other than `low` says that something fails which may succeed the next time, and
    `low` that nothing is decided (a weak compare-exchange): a loop that tries again does not wait forever.
    """

    DATA = ("low", "high")
    RESULTS = ("register",)

    register: str
    low: Expr
    high: Expr
    retries: bool = False


@record(frozen=True, slots=True)
class Spawn(Footprint):
    """Starts a thread that was declared with `started=False`. What precedes it happens before that thread."""

    thread: str


@record(frozen=True, slots=True)
class Join(Footprint):
    """Waits until the thread has ended. All of that thread happens before what follows."""

    thread: str


@record(frozen=True, slots=True, kw_only=True)
class Lock(Footprint):
    """Waits until the cell is 0, then makes it 1, atomically. `tags` go to its read and its write."""

    ADDRESS = ("address",)
    TAGS = ("tags",)

    address: Expr
    size: int
    tags: Tags = NO_TAGS


@record(frozen=True, slots=True, kw_only=True)
class Unlock(Footprint):
    """Makes the cell 0."""

    ADDRESS = ("address",)
    TAGS = ("tags",)

    address: Expr
    size: int
    tags: Tags = NO_TAGS


@record(frozen=True, slots=True)
class Send(Footprint):
    """Puts a message into a channel; waits while it is full. Capacity 0: meets a `Receive`."""

    DATA = ("values",)

    channel: str
    values: tuple[Expr, ...]


@record(frozen=True, slots=True)
class Receive(Footprint):
    """Takes the oldest message of a channel into registers; waits while it is empty."""

    RESULTS = ("registers",)

    channel: str
    registers: tuple[str, ...]


Operation: TypeAlias = (
    Load | Store | StoreConditional | Rmw | Fence | Set | Assume | Assert | Choose
    | Spawn | Join | Lock | Unlock | Send | Receive
)  # fmt: skip
