"""Which addresses each access can have: a small value analysis that determines the sizes of locations.

Each register, at each control point, has a set of possible values, or `ANY` when there are too many; each
address has the set of values that any thread stores there. Both only grow, so the analysis ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final, TypeAlias

from membar.program import expr as e
from membar.program.operations import Choose, Load, Operation, Rmw, Set, Store, StoreConditional
from membar.program.program import Edge, Program, Thread
from membar.records import record
from membar.source import Span

Values: TypeAlias = frozenset[int] | None
State: TypeAlias = dict[str, Values]

ANY: Final = None
NOTHING: Values = frozenset()
_ZERO: Values = frozenset({0})
_LIMIT = 64


@record(frozen=True, slots=True)
class Access:
    """A memory operation with the addresses it can have; `ANY` if they are not known."""

    size: int
    addresses: Values
    span: Span | None


def accesses(program: Program) -> tuple[Access, ...]:
    """Every memory operation of `program` that can be reached, in the order of the text."""
    return tuple(_Analysis(program).run())


def _join(left: Values, right: Values) -> Values:
    if left is ANY or right is ANY:
        return ANY
    both = left | right
    return both if len(both) <= _LIMIT else ANY


class _Analysis:
    """The fixpoint. `changed`: memory can hold more than it could, so threads must be looked at again."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.memory: dict[int, Values] = {cell.address: frozenset({cell.initial}) for cell in program.cells}
        self.all_memory_is_any = False
        self.changed = False
        self.states: list[dict[int, State]] = [
            {thread.entry: {name: frozenset({program.word(value)}) for name, value in thread.registers}}
            for thread in program.threads
        ]

    def run(self) -> Iterator[Access]:
        self.changed = True
        while self.changed:
            self.changed = False
            for thread, states in zip(self.program.threads, self.states, strict=True):
                self._visit(thread, states)
        for thread, states in zip(self.program.threads, self.states, strict=True):
            for edge in thread.edges:
                if edge.source in states:
                    yield from self._accesses(edge, states[edge.source])

    def _visit(self, thread: Thread, states: dict[int, State]) -> None:
        waiting = list(states)
        while waiting:
            point = waiting.pop()
            for edge in thread.outgoing[point]:
                if self._value(edge.guard, states[point]) == _ZERO:
                    continue
                after = self._after(edge, states[point])
                known = states.get(edge.target)
                merged = after if known is None else self._merge(known, after)
                if merged != known:
                    states[edge.target] = merged
                    waiting.append(edge.target)

    @staticmethod
    def _merge(left: State, right: State) -> State:
        return {name: _join(left.get(name, _ZERO), right.get(name, _ZERO)) for name in {*left, *right}}

    def _accesses(self, edge: Edge, before: State) -> Iterator[Access]:
        state = dict(before)
        for operation in edge.operations:
            if isinstance(operation, Load | Store | StoreConditional | Rmw):
                yield Access(operation.size, self._value(operation.address, state), edge.span)
            self._do(operation, state)

    def _after(self, edge: Edge, before: State) -> State:
        state = dict(before)
        for operation in edge.operations:
            self._do(operation, state)
        return state

    def _do(self, operation: Operation, state: State) -> None:
        match operation:
            case Set(register=register, value=value):
                state[register] = self._value(value, state)
            case Load(register=register, address=address, size=size, signed=is_signed):
                state[register] = self._load(self._value(address, state), size, is_signed=is_signed)
            case Store(address=address, value=value, size=size):
                self._store(self._value(address, state), self._value(value, state), size)
            case StoreConditional(status=status, address=address, value=value, size=size):
                self._store(self._value(address, state), self._value(value, state), size)
                state[status] = frozenset({0, 1})
            case Choose(register=register, low=low, high=high):
                state[register] = self._range_between(self._value(low, state), self._value(high, state))
            case Rmw(register=register, address=address, value=value, size=size, signed=is_signed):
                target = self._value(address, state)
                state[register] = self._load(target, size, is_signed=is_signed)
                self._store(target, self._value(value, state), size)
            case _:
                pass

    @staticmethod
    def _range_between(low: Values, high: Values) -> Values:
        if low is ANY or high is ANY or not low or not high:
            return ANY
        first, last = min(map(e.signed, low)), max(map(e.signed, high))
        return frozenset(word & e.MASK for word in range(first, last + 1)) if last - first < _LIMIT else ANY

    def _value(self, expr: e.Expr, state: State) -> Values:
        match expr:  # most of them are simple
            case e.Register(name=name):
                return state.get(name, _ZERO)
            case e.Constant(value=value):
                return frozenset((value,))
            case _:
                return self._values_of(_without_differences(expr), state)

    def _values_of(self, expr: e.Expr, state: State) -> Values:
        names = sorted(set(e.registers_of(expr)))
        choices: list[frozenset[int]] = []
        count = 1
        for name in names:
            values = state.get(name, _ZERO)
            if values is ANY:
                return ANY
            choices.append(values)
            count *= len(values)
        if count > _LIMIT:
            return ANY
        return frozenset(
            e.evaluate(expr, dict(zip(names, chosen, strict=True)), self.program.bases)
            for chosen in product(*choices)
        )

    def _load(self, addresses: Values, size: int, *, is_signed: bool) -> Values:
        if addresses is ANY or self.all_memory_is_any:
            return ANY
        found = NOTHING
        for address in addresses:
            found = _join(found, self.memory.get(address, _ZERO))
        if found is ANY:
            return ANY
        mask = (1 << (8 * size)) - 1
        return frozenset(e.signed(word, 8 * size) & e.MASK if is_signed else word & mask for word in found)

    def _store(self, addresses: Values, values: Values, size: int) -> None:
        if addresses is ANY:
            self.changed = self.changed or not self.all_memory_is_any
            self.all_memory_is_any = True
            return
        mask = (1 << (8 * size)) - 1
        stored = ANY if values is ANY else frozenset(word & mask for word in values)
        for address in addresses:
            known = self.memory.get(address, _ZERO)
            joined = _join(known, stored)
            if joined != known:
                self.memory[address] = joined
                self.changed = True


def _without_differences(expr: e.Expr) -> e.Expr:
    """`expr` with `e ^ e` and `e - e` replaced by 0: the usual way to write a false dependency."""
    if isinstance(expr, e.Binary):
        left, right = _without_differences(expr.left), _without_differences(expr.right)
        if expr.op in (e.BinaryOp.XOR, e.BinaryOp.SUB) and left == right:
            return e.Constant(0)
        return e.Binary(expr.op, left, right)
    if isinstance(expr, e.Extend):
        return e.Extend(_without_differences(expr.operand), expr.width, expr.signed)
    return expr
