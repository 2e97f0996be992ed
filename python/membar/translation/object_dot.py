"""The concurrent flow graph of an object for Graphviz: which line follows or waits for which.

Under sc lines follow one another. Under x86-tso there are two orders, of loads and of stores, joined where a
line is in both and waits for both (figure 6 of Winter, Smith and Derrick). Under xc and armv8 a line waits
only for some earlier ones (figure 8); how control goes back to earlier lines is dashed.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.objects.syntax import (
    Branch,
    ConcurrentObject,
    Fence,
    FenceKind,
    Line,
    Operation,
    Return,
    Rmw,
    Store,
)
from membar.objects.systems import relaxed


def dot(about: ConcurrentObject, model: str, rules: relaxed.Rules | None) -> str:
    """The graph; `rules` are those of a model that does lines out of order."""
    lines = [f'digraph "{about.name}" {{', f'  label="{about.name} under {model}";', "  node [shape=box];"]
    lines.append('  idle [label="0", shape=circle];')
    for operation in about.operations:
        lines.append(f'  subgraph "cluster_{operation.name}" {{')
        lines.append(f'    label="{operation.name}({", ".join(operation.parameters)})";')
        lines += [f"    {text}" for text in _nodes(operation, "")]
        if model == "x86-tso":
            lines += [f"    {text}" for text in _nodes(operation, "store_")]
        lines.append("  }")
        lines.append(f"  idle -> {_node(operation.lines[0].label)};")
        lines += [f"  {text}" for text in _edges(operation, model, rules, about)]
    return "\n".join([*lines, "}"]) + "\n"


def _nodes(operation: Operation, order: str) -> Iterator[str]:
    for line in operation.lines:
        if not order or _in_store_order(line):
            text = " ".join(line.span.text.split()).replace("\\", "\\\\").replace('"', '\\"')
            name = f"{line.label}: {text}" if not order else f"{line.label} in memory"
            shape = ", shape=diamond" if isinstance(line.action, Branch) and not order else ""
            yield f'{_node(line.label, order)} [label="{name}"{shape}];'


def _in_store_order(line: Line) -> bool:
    full = isinstance(line.action, Fence) and line.action.kind is FenceKind.FULL
    return full or isinstance(line.action, Store | Rmw)


def _node(label: str, order: str = "") -> str:
    return f'"{order}{label}"'


def _edges(
    operation: Operation, model: str, rules: relaxed.Rules | None, about: ConcurrentObject
) -> Iterator[str]:
    labels = [line.label for line in operation.lines]
    if rules is not None:
        for first, second in relaxed.waits(about, rules):
            if first in labels:
                yield f"{_node(first)} -> {_node(second)};"
        for line in operation.lines:
            for target in _targets(line):
                if target is not None and labels.index(target) <= labels.index(line.label):
                    yield f"{_node(line.label)} -> {_node(target)} [style=dashed];"
        return
    yield from _flow(operation)
    if model == "x86-tso":
        yield from _store_order(operation)


def _targets(line: Line) -> tuple[str | None, str | None]:
    return line.then, line.otherwise


def _flow(operation: Operation) -> Iterator[str]:
    """Program order."""
    for line in operation.lines:
        if isinstance(line.action, Return):
            yield f"{_node(line.label)} -> idle;"
        elif isinstance(line.action, Branch):
            yield f'{_node(line.label)} -> {_node(line.then or "")} [label="true"];'
            yield f'{_node(line.label)} -> {_node(line.otherwise or "")} [label="false"];'
        else:
            yield f"{_node(line.label)} -> {_node(line.then or '')};"


def _store_order(operation: Operation) -> Iterator[str]:
    """The order in which stores reach memory, and the lines that are in both orders."""
    by_label = {line.label: line for line in operation.lines}
    for line in operation.lines:
        if not _in_store_order(line):
            continue
        joined = "[dir=none, style=bold]" if not isinstance(line.action, Store) else "[style=dotted]"
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
