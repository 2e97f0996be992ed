"""Predefined sets and relations of a model: membar's events, or those of another tool's convention."""

from __future__ import annotations

from membar.models.cat.graph import Graph, Node
from membar.models.plan import Op, Sort
from membar.models.primitives import PRIMITIVES
from membar.source import Span


class Events:
    """membar's own events."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @property
    def identity(self) -> Node:
        """Every event with itself."""
        return self.graph.identity

    def primitive(self, name: str) -> Node:
        """A set or relation that the execution provides."""
        return self.graph.primitive(name, PRIMITIVES[name].sort)

    def tag(self, name: str) -> Node:
        """The events that carry a tag."""
        return self.graph.primitive(name, Sort.SET)

    def apply(self, op: Op, sort: Sort | None, args: list[Node], span: Span | None = None) -> Node:
        """An operation of the model."""
        return self.graph.apply(op, sort, args, span)


class FusedEvents(Events):
    """Events of C and RISC-V as herd counts them: an atomic instruction is *one* event that reads and writes.

    Membar has two events for it, joined by `amo`. Both together stand for the one event: every set has both
    or none, and every relation has all pairs between the events of two classes or none. All operators keep
    this property if the identity relates each half with both. So a cycle, a pair or an empty set of the model
    is there exactly if it is there among herd's events (decision 0009).
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        # Always to be had as it is: the bridge between both ways to count.
        self._amo = graph.primitive("amo", Sort.RELATION)
        self._same = self._union(graph.identity, self._amo, self._inverse(self._amo))
        self._plain_identities: dict[Node, Node] = {}

    @property
    def identity(self) -> Node:
        """Every event with itself: each half of an RMW with both."""
        return self._same

    def primitive(self, name: str) -> Node:
        """A set or relation that the execution provides, with both halves or none."""
        plain, graph = super().primitive(name), self.graph
        match name:
            case "R":
                return self._union(plain, graph.apply(Op.RANGE, Sort.SET, [self._amo]))
            case "W":
                return self._union(plain, graph.apply(Op.DOMAIN, Sort.SET, [self._amo]))
            case "FW":
                ends = graph.apply(Op.IDENTITY, Sort.RELATION, [plain])
                read = graph.apply(Op.DOMAIN, Sort.SET, [self._sequence(self._amo, ends)])
                return self._union(plain, read)
            case "amo":
                return graph.empty(Sort.RELATION)
            case "po":
                # Nothing of the thread lies between the halves, so program order treats them alike already.
                return self._difference(plain, self._amo)
            case "rf":
                return self._sequence(self._optional(self._amo), plain, self._optional(self._amo))
            case "co":
                back = self._optional(self._inverse(self._amo))
                return self._sequence(self._optional(self._amo), plain, back)
            case "addr" | "data" | "ctrl" | "pick-addr" | "pick-data" | "pick-ctrl":
                outside = self._difference(plain, self._amo)
                return self._difference(self._sequence(self._same, outside, self._same), self._same)
            case _:
                # Of these, both halves have the same by nature: location, thread, being initial or a fence.
                return plain

    def apply(self, op: Op, sort: Sort | None, args: list[Node], span: Span | None = None) -> Node:
        """An operation of the model; the identity in it is that of the fused events."""
        graph = self.graph
        match op:
            case Op.IDENTITY:
                plain = graph.apply(op, sort, args, span)
                fused = self._sequence(plain, self._same)
                self._plain_identities[fused] = plain
                return fused
            case Op.OPTIONAL:
                return self._union(args[0], self._same)
            case Op.STAR:
                return self._union(graph.apply(Op.PLUS, sort, args, span), self._same)
            case Op.SEQUENCE:
                # One side has all halves already, so the other need not add them.
                left, right = args
                if left in self._plain_identities:
                    return graph.apply(op, sort, (self._plain_identities[left], right), span)
                return graph.apply(op, sort, (left, self._plain_identities.get(right, right)), span)
            case _:
                return graph.apply(op, sort, args, span)

    def _union(self, first: Node, *others: Node) -> Node:
        for other in others:
            first = self.graph.apply(Op.UNION, first.sort, (first, other))
        return first

    def _sequence(self, first: Node, *others: Node) -> Node:
        for other in others:
            first = self.graph.apply(Op.SEQUENCE, Sort.RELATION, (first, other))
        return first

    def _difference(self, left: Node, right: Node) -> Node:
        return self.graph.apply(Op.DIFFERENCE, left.sort, (left, right))

    def _inverse(self, relation: Node) -> Node:
        return self.graph.apply(Op.INVERSE, Sort.RELATION, (relation,))

    def _optional(self, relation: Node) -> Node:
        return self.graph.apply(Op.OPTIONAL, Sort.RELATION, (relation,))
