"""The control-flow automaton of one thread while it is built, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from membar.limits import budget
from membar.program.dependencies import reads_memory, writes_memory
from membar.program.expr import FALSE, TRUE, Expr, Register, negation, registers_of
from membar.program.merge_to_rmw import as_exchange
from membar.program.operations import (
    WARNINGS,
    Assert,
    Assume,
    Fence,
    Join,
    Operation,
    Set,
    Spawn,
    is_about_status,
)
from membar.program.program import Edge, Thread
from membar.records import record, replace
from membar.source import Span


@record(frozen=True, slots=True)
class State:
    """Where the thread is: the step being built leads from `source`, under `guard`."""

    source: int
    guard: Expr = TRUE
    operations: tuple[Operation, ...] = ()
    span: Span | None = None

    @property
    def is_fresh(self) -> bool:
        """Whether nothing has been done since `source`."""
        return self.guard == TRUE and not self.operations


def is_visible(operation: Operation) -> bool:
    """Whether other threads can notice an operation, or it can notice them."""
    return reads_memory(operation) or writes_memory(operation) or isinstance(operation, Fence | Spawn | Join)


def ends_execution(operation: Operation) -> bool:
    """Whether no execution goes on after an operation."""
    match operation:
        case Assert(condition=condition, property=kind):
            goes_on = kind in WARNINGS or is_about_status(operation)
            return condition == FALSE and not goes_on
        case Assume(condition=condition):
            return condition == FALSE
        case _:
            return False


class Automaton:
    """The edges so far, and the state at which building goes on; None where nothing arrives."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.state: State | None = State(0)
        self._points = 1
        self._registers = 0
        self._budget = budget.current()

    def point(self) -> int:
        """A new control point."""
        self._points += 1
        return self._points - 1

    def register(self, word: str = "$") -> str:
        """A new register; its `$` keeps it out of final states."""
        self._registers += 1
        return f"{word}{self._registers}"

    def emit(self, operation: Operation, span: Span | None) -> None:
        """Does something next. A step has at most one access, and an assertion is a step of its own."""
        if self.state is None:
            return
        is_check = isinstance(operation, Assert)
        visible = is_visible(operation)
        if is_check or (visible and any(map(is_visible, self.state.operations))):
            self.cut()
        state = self.state
        has_place = state.span is not None and (any(map(is_visible, state.operations)) or not visible)
        place = state.span if has_place else span
        self.state = replace(state, operations=(*state.operations, operation), span=place)
        if is_check:
            self.cut()
        if ends_execution(operation):
            self.cut()
            self.state = None

    def cut(self) -> None:
        """Ends the step being built, if it does anything."""
        if self.state is not None and not self.state.is_fresh:
            self.lead_to(self.point(), goes_on=True)

    def lead_to(self, target: int, *, goes_on: bool = False) -> None:
        """Ends the step at a control point; building goes on there or, by default, elsewhere."""
        state = self.state
        if state is None:
            return
        self._budget.spend()
        self.edges.append(
            Edge(
                source=state.source,
                target=target,
                operations=state.operations,
                guard=state.guard,
                span=state.span,
            )
        )
        self.state = State(target) if goes_on else None

    def block_until(self, condition: Expr, span: Span | None) -> None:
        """Blocks until a condition holds: one step with the access before, and without a guard or a choice.

        So an engine sees who is stuck there (`program/blocking.py`).
        """
        state = self.state
        if state is None:
            return
        visible = [at for at, item in enumerate(state.operations) if is_visible(item)]
        at = visible[0] if visible else len(state.operations)
        if at or state.guard != TRUE:
            self.state = replace(state, operations=state.operations[:at])
            self.cut()
            assert self.state is not None
            self.state = replace(self.state, operations=state.operations[at:], span=state.span)
        self.emit(Assume(condition, waits=True), span)

    def leave_out(self, what: str, span: Span | None) -> None:
        """A step that leads nowhere: it stands for executions that are not followed, and engines say so."""
        if self.state is None:
            return
        here = self.here()
        self.edges.append(Edge(source=here, target=here, span=span, unexplored=what))
        self.state = None

    def follow_only(self, condition: Expr, what: str, span: Span | None) -> None:
        """Goes on only where a condition holds; elsewhere are executions that are not followed."""
        if self.state is None or condition == TRUE:
            return
        if condition == FALSE:
            self.leave_out(what, span)
            return
        here = self.here()
        self.state = State(here, negation(condition), (), span)
        self.leave_out(what, span)
        self.state = State(here, condition, (), span)

    def here(self) -> int:
        """The control point at which building goes on, after ending the step being built."""
        self.cut()
        assert self.state is not None
        return self.state.source

    def set_all(self, pairs: Iterable[tuple[str, Expr]]) -> None:
        """Sets registers at the same time."""
        if self.state is None:
            return
        moved = [(name, value) for name, value in pairs if value != Register(name)]
        targets = {name for name, _ in moved}
        first: list[Operation] = []
        later: list[Operation] = []
        for name, value in moved:
            if targets & (set(registers_of(value)) - {name}):
                copy = self.register()
                first.append(Set(copy, value))
                later.append(Set(name, Register(copy)))
            else:
                later.append(Set(name, value))
        self.state = replace(self.state, operations=(*self.state.operations, *first, *later))


def is_warning(operation: Operation) -> bool:
    """Whether an operation is an assertion that ends no execution."""
    return isinstance(operation, Assert) and operation.property in WARNINGS


def as_one_step(edges: Sequence[Edge], span: Span | None) -> Edge:
    """Steps that follow one another as one, without warnings: an exchange if axioms can speak of one."""
    operations = [item for edge in edges for item in edge.operations if not is_warning(item)]
    has_checks = any(isinstance(item, Assert) for item in operations)
    exchange = None if has_checks else as_exchange(operations)
    return Edge(
        source=edges[0].source,
        target=edges[-1].target,
        operations=tuple(operations if exchange is None else exchange),
        guard=edges[0].guard,
        span=span or edges[0].span,
    )


def without_empty_steps(
    edges: Sequence[Edge], entry: int, kept: Iterable[int]
) -> tuple[tuple[Edge, ...], int]:
    """The automaton without steps that do nothing and are the only way on; also its entry.

    A step back to where it begins stays: it waits forever. Points in `kept` stay, too. A loop keeps its own
    beginning where another one begins with it: of one loop inside another, only one may wait.
    """
    leaving: dict[int, int] = {}
    for edge in edges:
        leaving[edge.source] = leaving.get(edge.source, 0) + 1
    staying = frozenset(kept)
    thread = Thread(name="", entry=entry, edges=tuple(edges))
    headers = {edges[index].target for index in thread.back_edges}
    follows = {
        edge.source: edge.target
        for edge in edges
        if not edge.operations
        and edge.guard == TRUE
        and not edge.unexplored
        and leaving[edge.source] == 1
        and edge.source not in staying
        and not {edge.source, edge.target} <= headers
    }

    def final(point: int) -> int:
        seen = {point}
        while point in follows and follows[point] not in seen:
            point = follows[point]
            seen.add(point)
        return point

    gone = {point for point in follows if final(point) != point}
    found = [replace(edge, target=final(edge.target)) for edge in edges if edge.source not in gone]
    return tuple(found), final(entry)
