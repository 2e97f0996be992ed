"""What a statement does, and when it can: the labels of a process's automaton."""

from __future__ import annotations

import enum

from membar.languages.promela.scope import Channel
from membar.program.expr import FALSE, TRUE, Expr
from membar.program.operations import Operation, Set
from membar.records import record
from membar.source import Span


class Kind(enum.Enum):
    """How it is decided whether an action can be done."""

    PLAIN = "by its condition"
    ELSE = "where no other can"
    MEETING = "where another process can meet it"
    FENCE = "where store buffers are empty"


@record(frozen=True, slots=True)
class Start:
    """Starts a process."""

    process: str
    arguments: tuple[Expr, ...]
    channels: tuple[Channel | None, ...]
    result: str | None
    span: Span
    count: Expr | None = None  # how many processes there are, where they are a stack
    priority: int = 1


@record(frozen=True, slots=True, kw_only=True)
class Action:
    """One statement.

    Attributes:
        reads: loads, and assertions about what is computed.
        condition: whether it can be done, given what was read.
        effects: what it does then.
        kind: how it is decided whether it can be done.
        temporaries: registers that mean nothing afterwards.
        others: for `else`, the points where the other options begin.
        idle: it can be done only where nothing else can happen (`timeout`).
    """

    span: Span
    reads: tuple[Operation, ...] = ()
    condition: Expr = TRUE
    effects: tuple[Operation | Start, ...] = ()
    kind: Kind = Kind.PLAIN
    temporaries: int = 0
    others: tuple[int, ...] = ()
    idle: bool = False

    @property
    def forgets(self) -> tuple[Operation, ...]:
        """Clears the temporaries, so that equal states are equal."""
        return tuple(Set(f"${number}", FALSE) for number in range(1, self.temporaries + 1))


@record(frozen=True, slots=True, kw_only=True)
class Move:
    """A step of a process.

    Attributes:
        block: the atomic block it belongs to, else None.
        is_deterministic: it belongs to a `d_step`.
        regions: the statements with `unless` that it is a part of, the outermost first.
        escape: the statement with `unless` that it leaves: it comes before the moves of that region.
    """

    source: int
    target: int
    action: Action
    block: int | None = None
    is_deterministic: bool = False
    regions: tuple[int, ...] = ()
    escape: int | None = None
