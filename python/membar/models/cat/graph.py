"""Expressions of a model as a graph with hash-consed nodes, simplified during construction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from membar.models.plan import Op, Sort
from membar.records import record

if TYPE_CHECKING:
    from membar.source import Span


@record(frozen=True, slots=True)
class Node:
    """An operation on earlier nodes.

    `sort` is None where it is not known: `{}` fits both, and so does a parameter of a function that is
    checked before it is applied.
    """

    id: int
    op: Op
    sort: Sort | None
    args: tuple[Node, ...]
    name: str = ""

    def __hash__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return self is other


@record(frozen=True, slots=True)
class Recursion:
    """A `let rec` group: its variables, what each of them is equal to, and all nodes that depend on them.

    The body of an outer group contains the whole body of an inner one that depends on it.
    """

    variables: tuple[Node, ...]
    results: tuple[Node, ...]
    body: frozenset[Node]


class Graph:
    """Builds hash-consed nodes."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[Op, Sort | None, tuple[int, ...], str], Node] = {}
        self._count = 0
        self.spans: dict[Node, Span] = {}
        self.recursions: list[Recursion] = []
        self._group: dict[Node, Recursion] = {}

    def primitive(self, name: str, sort: Sort) -> Node:
        """A primitive or a tag."""
        return self._node(Op.PRIMITIVE, sort, (), name)

    def variable(self, name: str, sort: Sort | None) -> Node:
        """A new variable, different from all others."""
        return self._node(Op.VARIABLE, sort, (), f"{name}#{self._count}")

    def empty(self, sort: Sort | None) -> Node:
        """The empty set or relation."""
        return self._node(Op.EMPTY, sort, ())

    def universe(self, sort: Sort) -> Node:
        """All events, or all pairs."""
        return self._node(Op.UNIVERSE, sort, ())

    @property
    def identity(self) -> Node:
        """Every event with itself."""
        return self._node(Op.IDENTITY, Sort.RELATION, (self.universe(Sort.SET),))

    def apply(self, op: Op, sort: Sort | None, args: Sequence[Node], span: Span | None = None) -> Node:
        """`op` on `args`, simplified."""
        simpler = self._simplify(op, sort, args)
        if simpler is not None:
            return simpler
        ordered = sorted(args, key=lambda node: node.id) if op in (Op.UNION, Op.INTERSECTION) else args
        before = self._count
        node = self._node(op, sort, tuple(ordered))
        if span is not None and self._count > before:
            self.spans[node] = span
        return node

    def close(self, variables: Sequence[Node], results: Sequence[Node]) -> Recursion:
        """Makes the variables equal to the results, as the least fixpoint. Inner groups are closed first."""
        body = self.dependent(variables, results)
        recursion = Recursion(tuple(variables), tuple(results), body)
        if any(result in body for result in results):
            self.recursions.append(recursion)
            self._group.update(dict.fromkeys(variables, recursion))
        return recursion

    def mentions(self, node: Node, variable: Node) -> bool:
        """Whether `variable` is among the parts of `node`."""
        return node is variable or node in self.dependent((variable,), (node,))

    def substitute(self, node: Node, variable: Node, value: Node) -> Node:
        """`node` with `value` for `variable`; not for parts of a recursion."""
        if node is variable:
            return value
        if not self.mentions(node, variable):
            return node
        return self.apply(node.op, node.sort, [self.substitute(arg, variable, value) for arg in node.args])

    def dependent(self, variables: Sequence[Node], results: Sequence[Node]) -> frozenset[Node]:
        """The variables, and what among the parts of `results` is made of them."""
        reached: set[Node] = set()
        todo = list(results)
        while todo:
            node = todo.pop()
            if node not in reached:
                reached.add(node)
                todo.extend(self._dependencies_of(node))
        body: set[Node] = set(variables)
        size = 0
        while len(body) > size:
            size = len(body)
            body.update(node for node in reached if any(part in body for part in self._dependencies_of(node)))
        return frozenset(body)

    def _dependencies_of(self, node: Node) -> tuple[Node, ...]:
        """The nodes that a node depends on; a variable depends on all equations of its group."""
        group = self._group.get(node)
        return node.args if group is None else group.results

    def _node(self, op: Op, sort: Sort | None, args: tuple[Node, ...], name: str = "") -> Node:
        key = (op, sort, tuple(arg.id for arg in args), name)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Node(self._count, op, sort, args, name)
            self._count += 1
        return node

    def _simplify(self, op: Op, sort: Sort | None, args: Sequence[Node]) -> Node | None:
        if len(args) == 2:
            return self._simplify_binary(op, sort, args[0], args[1])
        return self._simplify_unary(op, sort, args[0])

    def _simplify_unary(self, op: Op, sort: Sort | None, arg: Node) -> Node | None:
        if arg.op is Op.EMPTY:
            match op:
                case Op.COMPLEMENT:
                    # The complement of `{}` depends on what `{}` is; by itself it is a set.
                    return self.universe(sort or Sort.SET)
                case Op.STAR | Op.OPTIONAL:
                    return self.identity
                case _:
                    return self.empty(sort)
        if arg.op is Op.UNIVERSE:
            match op:
                case Op.COMPLEMENT:
                    return self.empty(sort)
                case Op.INVERSE | Op.PLUS | Op.STAR | Op.OPTIONAL:
                    return arg
                case Op.DOMAIN | Op.RANGE:
                    return self.universe(Sort.SET)
                case _:
                    return None
        return self._simplify_nested(op, arg)

    def _simplify_nested(self, op: Op, arg: Node) -> Node | None:
        match op, arg.op:
            case (Op.COMPLEMENT, Op.COMPLEMENT) | (Op.INVERSE, Op.INVERSE):
                return arg.args[0]
            case (Op.PLUS, Op.PLUS | Op.STAR) | (Op.STAR, Op.STAR) | (Op.OPTIONAL, Op.OPTIONAL | Op.STAR):
                return arg
            case (Op.STAR, Op.PLUS | Op.OPTIONAL) | (Op.PLUS, Op.OPTIONAL) | (Op.OPTIONAL, Op.PLUS):
                return self.apply(Op.STAR, Sort.RELATION, arg.args)
            case (Op.INVERSE | Op.PLUS, Op.IDENTITY):
                return arg
            case (Op.DOMAIN | Op.RANGE, Op.IDENTITY):
                return arg.args[0]
            case _:
                return None

    def _simplify_binary(self, op: Op, sort: Sort | None, left: Node, right: Node) -> Node | None:
        match op:
            case Op.UNION:
                return _neutral_or_same(left, right, neutral=Op.EMPTY) or _absorbing(left, right, Op.UNIVERSE)
            case Op.INTERSECTION:
                if Op.EMPTY in (left.op, right.op):
                    return self.empty(sort)
                return _neutral_or_same(left, right, neutral=Op.UNIVERSE)
            case Op.DIFFERENCE:
                if left is right or left.op is Op.EMPTY or right.op is Op.UNIVERSE:
                    return self.empty(sort)
                if right.op is Op.EMPTY:
                    return left
                return self.apply(Op.COMPLEMENT, sort, (right,)) if left.op is Op.UNIVERSE else None
            case Op.SEQUENCE | Op.PRODUCT if Op.EMPTY in (left.op, right.op):
                return self.empty(Sort.RELATION)
            case Op.SEQUENCE:
                if left is self.identity:
                    return right
                return left if right is self.identity else None
            case Op.PRODUCT if left.op is Op.UNIVERSE and right.op is Op.UNIVERSE:
                return self.universe(Sort.RELATION)
            case _:
                return None


def _neutral_or_same(left: Node, right: Node, *, neutral: Op) -> Node | None:
    if left is right or right.op is neutral:
        return left
    return right if left.op is neutral else None


def _absorbing(left: Node, right: Node, op: Op) -> Node | None:
    if left.op is op:
        return left
    return right if right.op is op else None


def below(roots: Iterable[Node]) -> list[Node]:
    """All nodes that `roots` depend on, themselves included, arguments before their users."""
    # A node is made after its arguments, so the order of ids will do.
    found: set[Node] = set()
    todo = list(roots)
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo.extend(node.args)
    return sorted(found, key=lambda node: node.id)
