"""The same program without the dependencies that a compiler may remove.

A compiler keeps what a program computes, not how: `x ^ x` is 0, behind `if (x == 1)` it may write 1 for `x`,
two branches that do the same need no test, and what follows both branches need not wait for it. So no such
dependency orders anything in the code that it makes, although a processor would keep it. What is stored in a
branch, or behind a loop, stays behind the test. `program/relevance.py` judges expressions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from membar.program import expr as e
from membar.program.dependencies import registers_written
from membar.program.folding import fold, logical_not, substitute_values
from membar.program.operations import VOLATILE, Assert, Assume, Load, Operation, Rmw, Set, Store
from membar.program.post_dominators import meeting_points
from membar.program.program import Edge, Program, Thread
from membar.program.relevance import without_irrelevant_registers
from membar.records import replace

_PLAIN = frozenset({"NA"})
_WITHOUT_ORDER = _PLAIN | {"RLX", VOLATILE}
_LARGEST_FACT = 8
_MOST_FACTS = 12
# What registers hold, and cells that only plain accesses of this thread may have changed.
_Cell: TypeAlias = tuple[e.Address, int]
_Facts: TypeAlias = dict[str | _Cell, e.Expr]


def without_removable_dependencies(program: Program) -> Program:
    """An equivalent program without such dependencies."""
    return replace(program, threads=tuple(map(_thread, program.threads)))


def _thread(thread: Thread) -> Thread:
    edges = _with_constants(thread)
    edges = _without_needless_branches(edges, thread)
    return replace(thread, edges=edges, joins=_joins(edges))


# ----------------------------------------------------------------------------------------- values


def _with_constants(thread: Thread) -> tuple[Edge, ...]:
    """The edges with expressions that use only registers which affect their values, as far as is known."""
    at: dict[int, _Facts] = {thread.entry: {}}
    todo = [thread.entry]
    while todo:
        point = todo.pop()
        for edge in thread.outgoing[point]:
            _, after = _fold_edge(edge, at[point])
            known = at.get(edge.target)
            met = after if known is None else _common_facts(known, after)
            if known is None or len(met) < len(known):
                at[edge.target] = met
                todo.append(edge.target)
    return tuple(_fold_edge(edge, at.get(edge.source, {}))[0] for edge in thread.edges)


def _common_facts(left: _Facts, right: _Facts) -> _Facts:
    return {name: value for name, value in left.items() if right.get(name) == value}


def _fold_edge(edge: Edge, facts: _Facts) -> tuple[Edge, _Facts]:
    """An edge with simpler expressions, and what is known after it."""
    known = dict(facts)
    guard = _fold(edge.guard, known)
    known.update(_registers_fixed_by(guard))
    operations: list[Operation] = []
    for operation in edge.operations:
        done = _operation(operation, known)
        operations.append(done)
        known = _after(done, known)
    return replace(edge, guard=guard, operations=tuple(operations)), known


def _fold(expr: e.Expr, facts: _Facts) -> e.Expr:
    """An expression with the same value, without registers that do not affect it."""
    values = {name: value for name, value in facts.items() if isinstance(name, str)}
    constants = {name: value for name, value in values.items() if isinstance(value, e.Constant)}
    plain = without_irrelevant_registers(substitute_values(expr, constants))
    if isinstance(plain, e.Constant) or len(constants) == len(values):
        return plain
    whole = substitute_values(substitute_values(expr, values), constants)
    simple = without_irrelevant_registers(whole)
    return simple if set(e.registers_of(simple)) < set(e.registers_of(whole)) else plain


def _operation(operation: Operation, facts: _Facts) -> Operation:
    inner = _forget_registers(facts, {operation.register}) if isinstance(operation, Rmw) else facts
    changes: dict[str, object] = {}
    for name in (*operation.ADDRESS, *operation.DATA, *operation.CONTROL):
        before = getattr(operation, name)
        used = facts if name in operation.ADDRESS else inner
        if isinstance(before, tuple):
            changes[name] = tuple(_fold(each, used) for each in before)
        elif isinstance(operation, Store) and name == "value":
            changes[name] = _value_in_memory(before, 8 * operation.size, used)
        elif before is not None:
            changes[name] = _fold(before, used)
    return replace(operation, **changes) if changes else operation  # type: ignore[arg-type]


def _value_in_memory(value: e.Expr, width: int, facts: _Facts) -> e.Expr:
    """What a store keeps of a value: the low bits, if the others depend on more registers."""
    whole = _fold(value, facts)
    low = _fold(e.Extend(value, width, signed=False), facts)
    return low if set(e.registers_of(low)) < set(e.registers_of(whole)) else whole


def _forget_registers(facts: _Facts, written: Collection[str]) -> _Facts:
    """What is still known when registers have other values."""
    if not written:
        return facts
    return {
        name: value
        for name, value in facts.items()
        if name not in written
        and (isinstance(value, e.Constant) or not any(item in written for item in e.registers_of(value)))
    }


def _after(operation: Operation, facts: _Facts) -> _Facts:
    """What is known after an operation."""
    written = set(registers_written(operation))
    known = {
        name: value
        for name, value in _forget_registers(facts, written).items()
        if not (isinstance(name, tuple) and _may_change(operation, name))
    }
    match operation:
        case Set(register=register, value=value):
            _record_facts(known, register, substitute_values(value, _registers(known)), written)
        case Load(register=register, size=size, signed=signed):
            cell = _plain_cell(operation)
            word = known.get(cell, e.Register(register)) if cell else e.Register(register)
            if size * 8 < e.WORD:
                _record_facts(known, register, e.Extend(word, size * 8, signed), set())
            elif cell in known:
                _record_facts(known, register, word, set())
            if cell:
                known.setdefault(cell, e.Register(register))
        case Store(value=value):
            cell = _plain_cell(operation)
            if cell:
                _record_facts(known, cell, substitute_values(value, _registers(known)), set())
        case _:
            pass
    changing = [name for name, value in known.items() if not isinstance(value, e.Constant)]
    for name in changing[:-_MOST_FACTS]:
        del known[name]
    return known


def _registers(facts: _Facts) -> dict[str, e.Expr]:
    return {name: value for name, value in facts.items() if isinstance(name, str)}


def _record_facts(facts: _Facts, name: str | _Cell, value: e.Expr, written: set[str]) -> None:
    parts = list(e.subexpressions(value))
    if len(parts) <= _LARGEST_FACT and written.isdisjoint(e.registers_of(value)):
        facts[name] = value


def _plain_cell(access: Load | Store) -> _Cell | None:
    """The cell of a plain access with a constant address."""
    if access.tags != _PLAIN or access.exclusive or not isinstance(access.address, e.Address):
        return None
    return access.address, access.size


def _may_change(operation: Operation, cell: _Cell) -> bool:
    """Whether the value of a cell may be another one after an operation, if no thread races with this one."""
    match operation:
        case Set() | Assert() | Assume():
            return False
        case Load(tags=tags):
            return not tags <= _WITHOUT_ORDER
        case Store(tags=tags, address=e.Address(name=name)):
            return name == cell[0].name or not tags <= _WITHOUT_ORDER
        case _:
            return True


def _registers_fixed_by(guard: e.Expr) -> Iterable[tuple[str, e.Constant]]:
    """The registers whose values a true condition determines."""
    match guard:
        case e.Binary(op=e.BinaryOp.EQ, left=e.Register(name=name), right=e.Constant() as value):
            yield name, value
        case e.Binary(op=e.BinaryOp.EQ, left=e.Constant() as value, right=e.Register(name=name)):
            yield name, value
        case e.Binary(op=e.BinaryOp.AND, left=left, right=right):
            yield from _registers_fixed_by(left)
            yield from _registers_fixed_by(right)
        case e.Unary(op=e.UnaryOp.NOT, operand=e.Register(name=name)):
            yield name, e.FALSE
        case e.Unary(op=e.UnaryOp.NOT, operand=e.Binary(op=e.BinaryOp.NE, left=left, right=right)):
            yield from _registers_fixed_by(e.Binary(e.BinaryOp.EQ, left, right))
        case _:
            return


# ----------------------------------------------------------------------------------------- branches


def _without_needless_branches(edges: tuple[Edge, ...], thread: Thread) -> tuple[Edge, ...]:
    """The edges with one branch instead of two that do the same."""
    kept = frozenset(
        {*thread.exits, *thread.ends, *thread.committed, *thread.atomic, *dict(thread.labels), thread.entry}
    )
    while True:
        fewer = _reachable(_with_one_way(_with_one_point(edges, kept)), thread.entry)
        if fewer == edges:
            return edges
        edges = fewer


def _edges_by_source(edges: tuple[Edge, ...]) -> dict[int, list[Edge]]:
    found: dict[int, list[Edge]] = {}
    for edge in edges:
        found.setdefault(edge.source, []).append(edge)
    return found


def _with_one_point(edges: tuple[Edge, ...], kept: frozenset[int]) -> tuple[Edge, ...]:
    """The edges with equivalent control points merged."""
    same: dict[int, int] = {}
    known: dict[tuple[Edge, ...], int] = {}
    for point, own in _edges_by_source(edges).items():
        if point not in kept:
            same[point] = known.setdefault(tuple(replace(edge, source=0) for edge in own), point)
    return tuple(replace(edge, target=same.get(edge.target, edge.target)) for edge in edges)


def _with_one_way(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """The edges without branches that do not matter, or that are decided."""
    found: list[Edge] = []
    for own in _edges_by_source(edges).values():
        open_ones = [edge for edge in own if edge.guard != e.FALSE] or own
        match open_ones:
            case [first, second] if _are_alike(first, second):
                found.append(replace(first, guard=e.TRUE))
            case _:
                found += open_ones
    return tuple(found)


def _are_alike(first: Edge, second: Edge) -> bool:
    """Whether one of two edges can always be taken, and both do the same."""
    return replace(first, guard=e.TRUE) == replace(second, guard=e.TRUE) and (
        fold(logical_not(first.guard)) == second.guard or first.guard == fold(logical_not(second.guard))
    )


def _reachable(edges: tuple[Edge, ...], entry: int) -> tuple[Edge, ...]:
    leaving = _edges_by_source(edges)
    seen, todo = {entry}, [entry]
    while todo:
        for edge in leaving.get(todo.pop(), ()):
            if edge.target not in seen:
                seen.add(edge.target)
                todo.append(edge.target)
    return tuple(edge for edge in edges if edge.source in seen)


def _joins(edges: tuple[Edge, ...]) -> tuple[tuple[int, int], ...]:
    """Where the paths of branches join, if there is no loop in which a thread may wait forever before."""
    leaving = _edges_by_source(edges)
    return tuple(
        (branch, point) for branch, point in meeting_points(edges) if not _has_loop(leaving, branch, point)
    )


def _has_loop(leaving: Mapping[int, list[Edge]], branch: int, end: int) -> bool:
    """Whether a path from a branch can run forever before it reaches a point."""
    done: set[int] = set()
    open_points: list[int] = [branch]
    rest = [iter(leaving[branch])]
    while rest:
        edge = next(rest[-1], None)
        if edge is None:
            rest.pop()
            done.add(open_points.pop())
        elif edge.target in open_points:
            return True
        elif edge.target != end and edge.target not in done:
            open_points.append(edge.target)
            rest.append(iter(leaving.get(edge.target, ())))
    return False
