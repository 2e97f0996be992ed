"""A compiler mapping applied: each atomic operation of a program with the instructions it becomes."""

from __future__ import annotations

from membar.models.c_orders import PLAIN
from membar.models.mappings import CompilerMapping, code_of
from membar.program.operations import Fence, Load, Operation, Rmw, Store
from membar.program.program import Program
from membar.reports._parts.style import printable


def render(program: Program, mapping: CompilerMapping) -> str:
    """One line per place in the text and order, without plain accesses and those of a library's own code."""
    rows: dict[tuple[int, str, str], None] = {}
    for thread in program.threads:
        for edge in thread.edges:
            for operation in edge.operations:
                code = code_of(operation, mapping)
                text = printable(edge.span.flat_text) if edge.span else ""
                if edge.span and text and code is not None and PLAIN not in _words(operation):
                    rows[edge.span.line, text, code.text] = None
    width = max((len(text) for _, text, _ in rows), default=0)
    lines = [f"mapping {mapping.name}: {mapping.title}"]
    lines += [f"  {line:>4}: {text:{width}}  ->  {code}" for line, text, code in sorted(rows)]
    if not rows:
        lines.append("  no atomic operations")
    return "\n".join(lines) + "\n"


def _words(operation: Operation) -> frozenset[str]:
    match operation:
        case Load() | Store() | Fence():
            return operation.tags
        case Rmw():
            return operation.read_tags
        case _:
            return frozenset()
