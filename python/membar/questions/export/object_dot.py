"""The concurrent flow graph of an object for Graphviz: which line follows or waits for which.

Under sc lines follow one another. Under x86-tso there are two orders, of loads and of stores, joined where a
line is in both and waits for both (figure 6 of Winter, Smith and Derrick). Under xc and armv8 a line waits
only for some earlier ones (figure 8), and hangs at 0 if for none. Both ways from a branch have their guards:
dashed, how control goes back to earlier lines; dotted, to a line that may be done before the branch. The two
halves of a read-modify-write, in the order of loads and in that of stores, are linked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from membar.objects import syntax as o
from membar.objects.algebra import term_text
from membar.objects.systems import relaxed
from membar.objects.terms import Binary, BinaryOp, Term, Unary, UnaryOp, Variable, replace_subterms
from membar.records import replace

_PAIRS: Final = ((BinaryOp.EQ, BinaryOp.NE), (BinaryOp.LT, BinaryOp.GE), (BinaryOp.LE, BinaryOp.GT))
_OPPOSITES: Final = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}


def dot(about: o.ConcurrentObject, model: str, rules: relaxed.Rules | None) -> str:
    """The graph; `rules` are those of a model that does lines out of order."""
    lines = [f'digraph "{about.name}" {{', f'  label="{about.name} under {model}";', "  node [shape=box];"]
    lines.append('  idle [label="0", shape=circle];')
    for operation in about.operations:
        lines.append(f'  subgraph "cluster_{operation.name}" {{')
        lines.append(f'    label="{operation.name}({", ".join(operation.parameters)})";')
        lines += [f"    {text}" for text in _nodes(operation, "")]
        if rules is not None:
            lines += [f"    {text}" for text in _rmw_stores(operation)]
        if model == "x86-tso":
            lines += [f"    {text}" for text in _nodes(operation, "store_")]
        lines.append("  }")
        if rules is None:
            lines.append(f"  idle -> {_node(operation.lines[0].label)};")
        lines += [f"  {text}" for text in _edges(operation, model, rules, about)]
    return "\n".join([*lines, "}"]) + "\n"


def _nodes(operation: o.Operation, order: str) -> Iterator[str]:
    for line in operation.lines:
        if not order or _in_store_order(line):
            text = " ".join(line.span.text.split()).replace("\\", "\\\\").replace('"', '\\"')
            name = f"{line.label}: {text}" if not order else f"{line.label} in memory"
            shape = ", shape=diamond" if isinstance(line.action, o.Branch) and not order else ""
            yield f'{_node(line.label, order)} [label="{name}"{shape}];'


def _in_store_order(line: o.Line) -> bool:
    full = isinstance(line.action, o.Fence) and line.action.kind is o.FenceKind.FULL
    return full or isinstance(line.action, o.Store | o.Rmw)


def _node(label: str, order: str = "") -> str:
    return f'"{order}{label}"'


def _edges(
    operation: o.Operation, model: str, rules: relaxed.Rules | None, about: o.ConcurrentObject
) -> Iterator[str]:
    if rules is not None:
        labels = {line.label for line in operation.lines}
        pairs = [pair for pair in relaxed.waits(about, rules) if pair[0] in labels]
        yield from _waiting(operation, pairs)
        yield from _control(operation, pairs)
        return
    yield from _flow(operation)
    if model == "x86-tso":
        yield from _store_order(operation)


def _rmw_stores(operation: o.Operation) -> Iterator[str]:
    """The stores of read-modify-writes, linked to their loads."""
    for line in operation.lines:
        if isinstance(line.action, o.Rmw):
            store = _node(line.label, "store_")
            yield f'{store} [label="{line.label}: store to {line.action.location.name}"];'
            yield f"{_node(line.label)} -> {store} [dir=none, style=bold];"


def _waiting(operation: o.Operation, pairs: list[tuple[str, str]]) -> Iterator[str]:
    """Which line waits for which; a line that waits for nothing has an edge from 0."""
    by_label = {line.label: line for line in operation.lines}
    late = {second for _, second in pairs}
    for line in operation.lines:
        if line.label not in late:
            yield f"idle -> {_node(line.label)};"
    for first, second in pairs:
        guard = _guard_between(by_label, first, second)
        stores = [isinstance(by_label[label].action, o.Store | o.Rmw) for label in (first, second)]
        ends = [
            _node(label, "store_" if all(stores) and isinstance(by_label[label].action, o.Rmw) else "")
            for label in (first, second)
        ]
        yield f"{ends[0]} -> {ends[1]}{_edge_attributes(guard)};"


def _control(operation: o.Operation, pairs: list[tuple[str, str]]) -> Iterator[str]:
    """Edges of the control flow along which no line waits: back, or ahead of a branch."""
    place = {line.label: number for number, line in enumerate(operation.lines)}
    for line in operation.lines:
        for target, guard in _ways(line):
            if place[target] <= place[line.label]:
                yield f"{_node(line.label)} -> {_node(target)}{_edge_attributes(guard, 'dashed')};"
            elif isinstance(line.action, o.Branch) and (line.label, target) not in pairs:
                yield f"{_node(line.label)} -> {_node(target)}{_edge_attributes(guard, 'dotted')};"


def _edge_attributes(guard: str, style: str = "") -> str:
    parts = [f'label="{guard}"'] if guard else []
    parts += [f"style={style}"] if style else []
    return f" [{', '.join(parts)}]" if parts else ""


def _ways(line: o.Line) -> Iterator[tuple[str, str]]:
    """The lines that may come next, with the guards of a branch."""
    guards = ("", "")
    if isinstance(line.action, o.Branch):
        condition = replace_subterms(line.action.condition, _short)
        guards = (term_text(condition), term_text(_opposite(condition)))
    for target, guard in zip(_targets(line), guards, strict=True):
        if target is not None:
            yield target, guard


def _short(term: Term) -> Term | None:
    """A local variable without the name of its operation, around which the picture has a box."""
    return replace(term, operation="") if isinstance(term, Variable) else None


def _opposite(condition: Term) -> Term:
    match condition:
        case Unary(op=UnaryOp.NOT, operand=operand):
            return operand
        case Binary(op=op, left=left, right=right) if op in _OPPOSITES:
            return Binary(_OPPOSITES[op], left, right)
        case _:
            return Unary(UnaryOp.NOT, condition)


def _guard_between(by_label: Mapping[str, o.Line], branch: str, later: str) -> str:
    """The guard under which a line after a branch is reached; "" if under both, or without a branch."""
    if not isinstance(by_label[branch].action, o.Branch):
        return ""
    found = [
        guard
        for target, guard in _ways(by_label[branch])
        if _comes_after_without(by_label, target, branch, later)
    ]
    return found[0] if len(found) == 1 else ""


def _comes_after_without(by_label: Mapping[str, o.Line], start: str, avoided: str, goal: str) -> bool:
    """Whether a line comes after another one without the branch between them."""
    todo, seen = [start], {avoided}
    while todo:
        label = todo.pop()
        if label == goal:
            return True
        if label not in seen:
            seen.add(label)
            todo += [target for target, _ in _ways(by_label[label])]
    return False


def _targets(line: o.Line) -> tuple[str | None, str | None]:
    return line.then, line.otherwise


def _flow(operation: o.Operation) -> Iterator[str]:
    """Program order."""
    for line in operation.lines:
        if isinstance(line.action, o.Return):
            yield f"{_node(line.label)} -> idle;"
        elif isinstance(line.action, o.Branch):
            yield f'{_node(line.label)} -> {_node(line.then or "")} [label="true"];'
            yield f'{_node(line.label)} -> {_node(line.otherwise or "")} [label="false"];'
        else:
            yield f"{_node(line.label)} -> {_node(line.then or '')};"


def _store_order(operation: o.Operation) -> Iterator[str]:
    """The order in which stores reach memory, and the lines that are in both orders."""
    by_label = {line.label: line for line in operation.lines}
    for line in operation.lines:
        if not _in_store_order(line):
            continue
        joined = "[dir=none, style=bold]" if not isinstance(line.action, o.Store) else "[style=dotted]"
        yield f"{_node(line.label)} -> {_node(line.label, 'store_')} {joined};"
        todo = [label for label in _targets(line) if label is not None]
        seen: set[str] = set()
        while todo:
            label = todo.pop()
            if label in seen:
                continue
            seen.add(label)
            if _in_store_order(by_label[label]):
                yield f"{_node(line.label, 'store_')} -> {_node(label, 'store_')};"
            else:
                todo += [each for each in _targets(by_label[label]) if each is not None]
