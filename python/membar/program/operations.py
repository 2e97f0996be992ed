"""The operations of a thread's edges: the closed set that every engine supports.

Tags are ordering annotations (`MFENCE`, `A`, `L`, `ACQ`, `SC`, …). They appear in cat models as sets of
events under exactly these names; engines never interpret them.
"""

from __future__ import annotations

from typing import TypeAlias

from membar.program.expr import TRUE, Expr
from membar.records import record

Tags: TypeAlias = frozenset[str]
NO_TAGS: Tags = frozenset()


@record(frozen=True, slots=True, kw_only=True)
class Load:
    """`register := memory[address]`, `size` bytes, zero- or sign-extended.

    `exclusive` opens an RMW that a later exclusive `Store` or a `StoreConditional` of the
    same cell and thread closes (load-linked, or one half of a pair instruction).
    """

    register: str
    address: Expr
    size: int
    signed: bool = False
    tags: Tags = NO_TAGS
    exclusive: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Store:
    """`memory[address] := value`. `exclusive` closes the RMW that an exclusive load opened."""

    address: Expr
    value: Expr
    size: int
    tags: Tags = NO_TAGS
    exclusive: bool = False


@record(frozen=True, slots=True, kw_only=True)
class StoreConditional:
    """A store-conditional: writes and sets `status` to 0, or does nothing and sets it to 1.

    It can succeed only if the thread's last exclusive load was of the same cell and no other
    store-conditional came between. Failure is always possible. `carries` says that what depends on the
    status of a success depends on the write (RISC-V), else on nothing (Arm).
    """

    status: str
    address: Expr
    value: Expr
    size: int
    tags: Tags = NO_TAGS
    carries: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Rmw:
    """One atomic RMW.

    The old value goes to `register`; then, if `condition` holds, `value` is written. Both may use
    `register` (they see the old value): exchange, fetch-op and compare-exchange are all of this form.
    `failed_tags` are the tags of the read when nothing is written (None: the same as `read_tags`).
    """

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
class Fence:
    """A fence of the kinds named by its tags.

    It may name a location (the grace period of an SRCU structure): models see it in `loc`, but nothing is
    read or written there.
    """

    tags: Tags
    address: Expr | None = None


@record(frozen=True, slots=True)
class Set:
    """`register := value`, local to the thread."""

    register: str
    value: Expr


@record(frozen=True, slots=True)
class Assume:
    """Executions in which `condition` is 0 stop here: blocked, not counted as complete.

    With `waits`, the step blocks: it can only be taken later, when the condition holds, and until then none
    of it has happened. A thread that can never go on is in a deadlock, not out of the question. So a call
    that blocks is one step: an access, and an assumption that waits.
    """

    condition: Expr
    waits: bool = False


OVERFLOW, LEAKS = "overflow", "leaks"
WARNINGS = frozenset({OVERFLOW, LEAKS})
"""The properties whose assertions only warn, unless they are asked for by name."""


@record(frozen=True, slots=True)
class Assert:
    """A violation of `property` if `condition` is 0 here; perhaps only a warning (`WARNINGS`)."""

    condition: Expr
    message: str = ""
    property: str = "assertions"


@record(frozen=True, slots=True)
class Choose:
    """`register :=` any value from `low` to `high`, both included, compared as signed numbers.

    With `retries`, a value other than `low` says that something fails which may succeed the next time, and
    `low` that nothing is decided (a weak compare-exchange): a loop that tries again does not wait forever.
    """

    register: str
    low: Expr
    high: Expr
    retries: bool = False


@record(frozen=True, slots=True)
class Spawn:
    """Starts a thread that was declared with `started=False`. What precedes it happens before that thread."""

    thread: str


@record(frozen=True, slots=True)
class Join:
    """Waits until the thread has ended. All of that thread happens before what follows."""

    thread: str


@record(frozen=True, slots=True, kw_only=True)
class Lock:
    """Waits until the cell is 0, then makes it 1, atomically. `tags` go to its read and its write."""

    address: Expr
    size: int
    tags: Tags = NO_TAGS


@record(frozen=True, slots=True, kw_only=True)
class Unlock:
    """Makes the cell 0."""

    address: Expr
    size: int
    tags: Tags = NO_TAGS


@record(frozen=True, slots=True)
class Send:
    """Puts a message into a channel; waits while it is full. Capacity 0: meets a `Receive`."""

    channel: str
    values: tuple[Expr, ...]


@record(frozen=True, slots=True)
class Receive:
    """Takes the oldest message of a channel into registers; waits while it is empty."""

    channel: str
    registers: tuple[str, ...]


Operation: TypeAlias = (
    Load | Store | StoreConditional | Rmw | Fence | Set | Assume | Assert | Choose
    | Spawn | Join | Lock | Unlock | Send | Receive
)  # fmt: skip
