"""The names that every file of rules may use, in terms of membar's own sets and relations.

In the thesis, `po` and `mo` are edges between neighbours, and every initial write is po-before the first node
of every thread: without that, its fence rule would allow reading an initial value too late.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from membar.models.cat.graph import Graph, Node
from membar.models.plan import Op, Sort
from membar.models.rules.formula import Facts

PREDEFINED: Mapping[str, str] = MappingProxyType(
    {
        "W": "writes, the initial ones included",
        "R": "reads",
        "F": "fences",
        "A": "all nodes: writes, reads and fences",
        "I": "initial writes (membar's extension)",
        "po": "from a node to the next of its thread, and from initial writes to the first of each thread",
        "rf": "from a write to each read that takes its value",
        "mo": "from each write to the next write of the same variable; the initial one comes first",
        "rmw": "from the read to the write of one atomic read-modify-write (likewise)",
        "start": "from the creating to the created thread, and from that to what follows its join (likewise)",
    }
)


class Base:
    """The predefined names as nodes, and paths computed from what is transitive already."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        initial = graph.primitive("IW", Sort.SET)
        self.accesses = self._union(graph.primitive("R", Sort.SET), graph.primitive("W", Sort.SET), Sort.SET)
        self.of_threads = graph.apply(Op.COMPLEMENT, Sort.SET, (initial,))
        first = graph.apply(Op.PRODUCT, Sort.RELATION, (initial, self.of_threads))
        order = self._union(graph.primitive("po", Sort.RELATION), first, Sort.RELATION)
        coherence = graph.primitive("co", Sort.RELATION)
        pairs = (graph.primitive("amo", Sort.RELATION), graph.primitive("lxsx", Sort.RELATION))
        self._nodes = {
            "W": graph.primitive("W", Sort.SET),
            "R": graph.primitive("R", Sort.SET),
            "F": graph.primitive("F", Sort.SET),
            "A": graph.universe(Sort.SET),
            "I": initial,
            "po": self._neighbours(order),
            "rf": graph.primitive("rf", Sort.RELATION),
            "mo": self._neighbours(coherence),
            "rmw": self._union(*pairs, Sort.RELATION),
            "start": graph.primitive("spawn-join", Sort.RELATION),
        }
        reads, writes = self._nodes["R"], self._nodes["W"]
        self.facts = Facts(
            classes={
                graph.primitive("loc", Sort.RELATION): self.accesses,
                graph.primitive("int", Sort.RELATION): self.of_threads,
            },
            ends={
                self._nodes["rf"]: (writes, reads),
                self._nodes["mo"]: (writes, writes),
                self._nodes["rmw"]: (reads, writes),
                coherence: (writes, writes),
            },
        )
        self._closures = {self._nodes["po"]: order, self._nodes["mo"]: coherence}

    def node(self, name: str) -> Node:
        """A predefined name."""
        return self._nodes[name]

    def paths(self, graph: Node) -> Node:
        """SUCC: the transitive closure."""
        known = self._closures.get(graph)
        if known is not None:
            return known
        return self._graph.apply(Op.PLUS, Sort.RELATION, (self.with_paths(graph),))

    def with_paths(self, graph: Node) -> Node:
        """A graph with the same paths, in which neighbours were replaced by the orders they come from.

        It only grows when an execution is extended, whereas neighbours stop being neighbours.
        """
        if graph in self._closures:
            return self._closures[graph]
        if graph.op is Op.UNION:
            return self._union(self.with_paths(graph.args[0]), self.with_paths(graph.args[1]), Sort.RELATION)
        return graph

    def _neighbours(self, order: Node) -> Node:
        longer = self._graph.apply(Op.SEQUENCE, Sort.RELATION, (order, order))
        return self._graph.apply(Op.DIFFERENCE, Sort.RELATION, (order, longer))

    def _union(self, left: Node, right: Node, sort: Sort) -> Node:
        return self._graph.apply(Op.UNION, sort, (left, right))
