"""What a step does: the reads of its action and of those that come first, then its effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from membar.languages.promela.actions import Action, Start
from membar.languages.promela.channels import FULL_FENCE, at_once
from membar.languages.promela.values import GHOST
from membar.program.dependencies import registers_written
from membar.program.expr import (
    FALSE,
    TRUE,
    Constant,
    Expr,
    Register,
    substitute,
)
from membar.program.folding import both, fold
from membar.program.operations import (
    Assert,
    Assume,
    Choose,
    Fence,
    Load,
    Operation,
    Receive,
    Send,
    Set,
    Spawn,
    Store,
)
from membar.program.program import Edge
from membar.records import field, record, replace
from membar.source import Span


@record(slots=True)
class Path:
    """A step that is put together.

    Attributes:
        known: values of registers, where they are known.
        operations: what is done so far.
        guard: on registers only, before anything is done.
        waits: whether its thread may have to wait for its conditions: then they are no guards of a branch.
        is_dead: whether it can never be taken.
    """

    known: dict[str, int]
    operations: list[Operation] = field(default_factory=list)
    guard: Expr = TRUE
    waits: bool = False
    is_dead: bool = False
    temporaries: int = 0
    span: Span | None = None
    loaded: dict[tuple[Expr, int], str] = field(default_factory=dict)

    def copy(self) -> Path:
        """Another path that goes on from here."""
        return replace(
            self, known=dict(self.known), operations=list(self.operations), loaded=dict(self.loaded)
        )

    def read(self, action: Action) -> tuple[Expr, Callable[[Expr], Expr]]:
        """Does the reads of an action; returns its condition, and how its effects name what was read."""
        names: dict[str, Expr] = {}
        base = self.temporaries
        self.temporaries += action.temporaries

        def rename(expr: Expr) -> Expr:
            return fold(rename_temporaries(expr, names, base), self.known)

        for operation in action.reads:
            if isinstance(operation, Load):
                self._load(operation, names, base, rename)
            else:
                self._do(operation, rename, base)
        return rename(action.condition), rename

    def _load(self, load: Load, names: dict[str, Expr], base: int, renamed: Callable[[Expr], Expr]) -> None:
        place = renamed(load.address)
        key = (place, load.size)
        if key not in self.loaded:
            register = shift_register(load.register, base)
            self.known.pop(register, None)
            self.operations.append(replace(load, register=register, address=place))
            self.loaded[key] = register
        names[load.register] = Register(self.loaded[key])

    def assume(self, condition: Expr) -> None:
        """Goes on only where a condition holds."""
        test = fold(condition, self.known)
        if isinstance(test, Constant):
            self.is_dead = self.is_dead or not test.value
        elif self.operations or self.waits:
            self.operations.append(Assume(test, waits=True))
        else:
            self.guard = both(self.guard, test)

    def do(
        self,
        action: Action,
        renamed: Callable[[Expr], Expr],
        base: int,
        start: tuple[Operation, ...] = (),
    ) -> None:
        """Does the effects of an action; `start` is what starts a process."""
        self.span = action.span if self.span is None else _join_spans(self.span, action.span)
        for effect in action.effects:
            if not isinstance(effect, Start):
                self._do(effect, renamed, base)
                continue
            for operation in start:
                self._do(operation, renamed, base)

    def _do(self, operation: Operation, renamed: Callable[[Expr], Expr], base: int) -> None:
        done = _rename_operation(operation, renamed, base)
        if isinstance(done, Assert) and done.condition == TRUE:
            return
        if isinstance(done, Assume) and isinstance(done.condition, Constant):
            self.is_dead = self.is_dead or not done.condition.value
            return
        self.operations.append(done)
        if isinstance(done, Store | Fence | Send | Receive):
            self.loaded.clear()
        for register in registers_written(done):
            self.known.pop(register, None)
        if isinstance(done, Set) and isinstance(done.value, Constant):
            self.known[done.register] = done.value.value

    def edge(self, source: int, target: int, *, locked: bool) -> Edge:
        """The path as a step; `locked`: its stores act on memory at once."""
        operations = self.operations
        if locked and any(isinstance(item, Store) and item.tags != GHOST for item in operations):
            plain = [operation for operation in operations if operation != FULL_FENCE]
            operations = at_once(plain)
        used = {name for operation in operations for name in registers_written(operation)}
        forgets = [Set(name, FALSE) for name in sorted(used, key=_number) if name.startswith("$")]
        if self.span is None:
            raise AssertionError("a step of no statement")
        return Edge(
            source=source,
            target=target,
            operations=(*operations, *forgets),
            guard=self.guard,
            span=self.span,
        )


def rename_temporaries(expr: Expr, names: Mapping[str, Expr], base: int) -> Expr:
    """The expression with temporaries renamed."""
    return substitute(expr, lambda name: names.get(name) or Register(shift_register(name, base)))


def shift_register(register: str, base: int) -> str:
    """The name of a register; temporaries are counted on."""
    return f"${int(register[1:]) + base}" if register.startswith("$") else register


def _rename_operation(operation: Operation, renamed: Callable[[Expr], Expr], base: int) -> Operation:
    match operation:
        case Set(register, value):
            return Set(shift_register(register, base), renamed(value))
        case Load():
            register = shift_register(operation.register, base)
            return replace(operation, register=register, address=renamed(operation.address))
        case Store():
            return replace(operation, address=renamed(operation.address), value=renamed(operation.value))
        case Assert():
            return replace(operation, condition=renamed(operation.condition))
        case Assume(condition, waits):
            return Assume(renamed(condition), waits)
        case Choose(register, low, high):
            return Choose(shift_register(register, base), renamed(low), renamed(high))
        case Send(channel, values):
            return Send(channel, tuple(renamed(value) for value in values))
        case Receive(channel, registers):
            return Receive(channel, tuple(shift_register(register, base) for register in registers))
        case Fence() | Spawn():
            return operation
        case _:
            raise AssertionError(operation)


def _number(register: str) -> tuple[int, str]:
    return (int(register[1:]), "") if register.startswith("$") else (0, register)


def _join_spans(start: Span, end: Span) -> Span:
    return start.to(end) if start.source is end.source and end.start >= start.start else start
