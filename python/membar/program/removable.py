"""The same program without the dependencies that a compiler may remove.

A compiler keeps what a program computes, not how: `x ^ x` is 0, behind `if (x == 1)` it may write 1 for `x`,
two branches that do the same need no test, and what follows both branches need not wait for it. So no such
dependency orders anything in the code that it makes, although a processor would keep it. What is stored in a
branch, or behind a loop, stays behind the test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from membar.program import expr as e
from membar.program.dependencies import registers_written
from membar.program.operations import Operation, Rmw, Set
from membar.program.post_dominators import meeting_points
from membar.program.program import Edge, Program, Thread
from membar.records import replace

_ZERO_OF_EQUALS = frozenset({e.BinaryOp.SUB, e.BinaryOp.XOR, e.BinaryOp.NE, e.BinaryOp.LT, e.BinaryOp.SLT})
_ONE_OF_EQUALS = frozenset({e.BinaryOp.EQ, e.BinaryOp.LE, e.BinaryOp.SLE})
_ITSELF = frozenset({e.BinaryOp.AND, e.BinaryOp.OR})
_WITHOUT_ZERO = frozenset({e.BinaryOp.ADD, e.BinaryOp.OR, e.BinaryOp.XOR})
_Facts = Mapping[str, e.Constant]


def without_removable_dependencies(program: Program) -> Program:
    """An equivalent program without such dependencies."""
    return replace(program, threads=tuple(map(_thread, program.threads)))


def _thread(thread: Thread) -> Thread:
    edges = _with_constants(thread)
    edges = _without_needless_branches(edges, thread)
    return replace(thread, edges=edges, joins=_joins(edges))


# ----------------------------------------------------------------------------------------- expressions


def simplify(expr: e.Expr) -> e.Expr:
    """An expression with the same value, without registers that do not affect it."""
    parts = tuple(map(simplify, e.children(expr)))
    expr = e.with_children(expr, parts)
    if parts and all(isinstance(part, e.Constant) for part in parts):
        return e.Constant(e.evaluate(expr, {}, {}))
    match expr:
        case e.Binary(op=op, left=left, right=right):
            return _binary(op, left, right)
        case e.Select(condition=e.Constant(value=value), then=then, otherwise=otherwise):
            return then if value else otherwise
        case e.Select(then=then, otherwise=otherwise) if then == otherwise:
            return then
        case _:
            return expr


def _binary(op: e.BinaryOp, left: e.Expr, right: e.Expr) -> e.Expr:
    if left == right:
        if op in _ZERO_OF_EQUALS:
            return e.FALSE
        if op in _ONE_OF_EQUALS:
            return e.TRUE
        if op in _ITSELF:
            return left
    zeros = [side for side in (left, right) if side == e.FALSE]
    if op in (e.BinaryOp.AND, e.BinaryOp.MUL) and zeros:
        return e.FALSE
    if op is e.BinaryOp.AND and e.Constant(e.MASK) in (left, right):
        return right if left == e.Constant(e.MASK) else left
    if op in _WITHOUT_ZERO and zeros:
        return right if left == e.FALSE else left
    if op in (e.BinaryOp.REM, e.BinaryOp.SREM) and right == e.TRUE:
        return e.FALSE
    return e.Binary(op, left, right)


# ----------------------------------------------------------------------------------------- constants


def _with_constants(thread: Thread) -> tuple[Edge, ...]:
    """The edges with constants instead of registers whose values are implied by guards."""
    at: dict[int, dict[str, e.Constant]] = {thread.entry: {}}
    todo = [thread.entry]
    while todo:
        point = todo.pop()
        for edge in thread.outgoing[point]:
            _, after = _fold_edge(edge, at[point])
            known = at.get(edge.target)
            met = dict(after if known is None else known.items() & after.items())
            if known is None or met != known:
                at[edge.target] = met
                todo.append(edge.target)
    return tuple(_fold_edge(edge, at.get(edge.source, {}))[0] for edge in thread.edges)


def _fold_edge(edge: Edge, facts: _Facts) -> tuple[Edge, dict[str, e.Constant]]:
    """An edge with known constants substituted, and what is known after it."""
    known = dict(facts)
    guard = _fold(edge.guard, known)
    known.update(_told_by(guard))
    operations: list[Operation] = []
    for operation in edge.operations:
        done = _operation(operation, known)
        operations.append(done)
        for name in registers_written(operation):
            known.pop(name, None)
        if isinstance(done, Set) and isinstance(done.value, e.Constant):
            known[done.register] = done.value
    return replace(edge, guard=guard, operations=tuple(operations)), known


def _fold(expr: e.Expr, facts: _Facts) -> e.Expr:
    return simplify(e.substitute(expr, facts.get))


def _operation(operation: Operation, facts: _Facts) -> Operation:
    own = {operation.register} if isinstance(operation, Rmw) else set[str]()
    inner = {name: value for name, value in facts.items() if name not in own}
    changes: dict[str, object] = {}
    for name in (*operation.ADDRESS, *operation.DATA, *operation.CONTROL):
        before = getattr(operation, name)
        used = facts if name in operation.ADDRESS else inner
        if isinstance(before, tuple):
            changes[name] = tuple(_fold(each, used) for each in before)
        elif before is not None:
            changes[name] = _fold(before, used)
    return replace(operation, **changes) if changes else operation  # type: ignore[arg-type]


def _told_by(guard: e.Expr) -> Iterable[tuple[str, e.Constant]]:
    """The registers whose values a true condition determines."""
    match guard:
        case e.Binary(op=e.BinaryOp.EQ, left=e.Register(name=name), right=e.Constant() as value):
            yield name, value
        case e.Binary(op=e.BinaryOp.EQ, left=e.Constant() as value, right=e.Register(name=name)):
            yield name, value
        case e.Binary(op=e.BinaryOp.AND, left=left, right=right):
            yield from _told_by(left)
            yield from _told_by(right)
        case e.Unary(op=e.UnaryOp.NOT, operand=e.Register(name=name)):
            yield name, e.FALSE
        case e.Unary(op=e.UnaryOp.NOT, operand=e.Binary(op=e.BinaryOp.NE, left=left, right=right)):
            yield from _told_by(e.Binary(e.BinaryOp.EQ, left, right))
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


def _leaving(edges: tuple[Edge, ...]) -> dict[int, list[Edge]]:
    found: dict[int, list[Edge]] = {}
    for edge in edges:
        found.setdefault(edge.source, []).append(edge)
    return found


def _with_one_point(edges: tuple[Edge, ...], kept: frozenset[int]) -> tuple[Edge, ...]:
    """The edges with equivalent control points merged."""
    same: dict[int, int] = {}
    known: dict[tuple[Edge, ...], int] = {}
    for point, own in _leaving(edges).items():
        if point not in kept:
            same[point] = known.setdefault(tuple(replace(edge, source=0) for edge in own), point)
    return tuple(replace(edge, target=same.get(edge.target, edge.target)) for edge in edges)


def _with_one_way(edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """The edges without branches that do not matter, or that are decided."""
    found: list[Edge] = []
    for own in _leaving(edges).values():
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
        simplify(e.negation(first.guard)) == second.guard or first.guard == simplify(e.negation(second.guard))
    )


def _reachable(edges: tuple[Edge, ...], entry: int) -> tuple[Edge, ...]:
    leaving = _leaving(edges)
    seen, todo = {entry}, [entry]
    while todo:
        for edge in leaving.get(todo.pop(), ()):
            if edge.target not in seen:
                seen.add(edge.target)
                todo.append(edge.target)
    return tuple(edge for edge in edges if edge.source in seen)


def _joins(edges: tuple[Edge, ...]) -> tuple[tuple[int, int], ...]:
    """Where the paths of branches join, if there is no loop in which a thread may wait forever before."""
    leaving = _leaving(edges)
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
