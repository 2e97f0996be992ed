"""`let rec` over sets and relations: equations that are solved by fixpoint iteration."""

from __future__ import annotations

from collections.abc import Callable

from membar.diagnostics import error
from membar.models.cat import syntax as cat
from membar.models.cat.graph import Graph, Node
from membar.models.cat.values import Scope, Value
from membar.models.plan import Op, Sort

# The value of a binding, in a scope, of the sort that is known so far.
Solve = Callable[[cat.Binding, Scope, Sort | None], Node]


def solution(bindings: tuple[cat.Binding, ...], scope: Scope, graph: Graph, solve: Solve) -> dict[str, Value]:
    """The values of the names of a `let rec`.

    Where the equations only ever add, this is their least solution. Where a name is taken away somewhere, it
    is what repetition from empty sets ends in, one equation after the other. That must end, so each name that
    an equation looks back to must be kept by its own equation (`r = r | …`).
    """
    for binding in bindings:
        if binding.target.is_tuple:
            raise error("W0205", "`let rec` of a group is not supported yet", binding.target.span, "a group")
    sorts = _sorts(bindings, scope, graph, solve)
    names = [binding.target.names[0] for binding in bindings]
    variables, results = _equations(bindings, sorts, scope, graph, solve)
    if _negated_recursive_name(graph.dependent(variables, results)) is None:
        graph.close(variables, results)
        return dict(zip(names, results, strict=True))
    variables, results = _solve_in_turn(bindings, sorts, scope, graph, solve)
    body = graph.dependent(variables, results)
    pairs = [
        (variable, result)
        for variable, result in zip(variables, results, strict=True)
        if any(variable in node.args for node in body)
    ]
    for variable, result in pairs:
        if variable not in _summands(result):
            _refuse(bindings, graph, body)
    graph.close([variable for variable, _ in pairs], [result for _, result in pairs])
    return dict(zip(names, results, strict=True))


def _sorts(bindings: tuple[cat.Binding, ...], scope: Scope, graph: Graph, solve: Solve) -> list[Sort | None]:
    """The sort of each name, found by trying until nothing changes."""
    sorts: list[Sort | None] = [None] * len(bindings)
    for _ in range(len(bindings) + 1):
        _, results = _equations(bindings, sorts, scope, graph, solve)
        sorts = [result.sort for result in results]
    # `let rec r = r` says nothing of its sort.
    return [sort or Sort.RELATION for sort in sorts]


def _equations(
    bindings: tuple[cat.Binding, ...], sorts: list[Sort | None], scope: Scope, graph: Graph, solve: Solve
) -> tuple[list[Node], list[Node]]:
    """Variables for the names, and the right-hand sides: all at once."""
    names = [binding.target.names[0] for binding in bindings]
    variables = [graph.variable(name, sort) for name, sort in zip(names, sorts, strict=True)]
    inner = {**scope, **dict(zip(names, variables, strict=True))}
    results = [solve(binding, inner, sort) for binding, sort in zip(bindings, sorts, strict=True)]
    return variables, results


def _solve_in_turn(
    bindings: tuple[cat.Binding, ...], sorts: list[Sort | None], scope: Scope, graph: Graph, solve: Solve
) -> tuple[list[Node], list[Node]]:
    """Variables and right-hand sides, where each equation sees the new values of those before it."""
    names = [binding.target.names[0] for binding in bindings]
    variables = [graph.variable(name, sort) for name, sort in zip(names, sorts, strict=True)]
    inner: dict[str, Value] = {**scope, **dict(zip(names, variables, strict=True))}
    results: list[Node] = []
    for binding, name, sort in zip(bindings, names, sorts, strict=True):
        results.append(solve(binding, inner, sort))
        inner[name] = results[-1]
    return variables, results


def _summands(node: Node) -> list[Node]:
    if node.op is not Op.UNION:
        return [node]
    return [part for arg in node.args for part in _summands(arg)]


def _negated_recursive_name(body: frozenset[Node]) -> Node | None:
    """Where a name that is still being computed is negated: in a complement or difference."""
    for node in sorted(body, key=lambda node: node.id):
        if node.op is Op.COMPLEMENT or (node.op is Op.DIFFERENCE and node.args[1] in body):
            return node
    return None


def _refuse(bindings: tuple[cat.Binding, ...], graph: Graph, body: frozenset[Node]) -> None:
    where = _negated_recursive_name(body)
    span = bindings[0].span if where is None else graph.spans.get(where, bindings[0].span)
    raise error(
        "W0212",
        "recursion through a complement has no least fixpoint",
        span,
        "a name of this `let rec` is subtracted here",
        help="a `let rec` may only add pairs: keep its names out of `~` and the right of `\\`, "
        "or keep what was found before: `let rec r = r | …`",
    )
