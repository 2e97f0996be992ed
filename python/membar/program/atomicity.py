"""What axiomatic models cannot express: steps with several accesses, and committed control points.

An operational model executes a step atomically. Axioms relate single accesses and let other threads act
between the accesses of one step, so the two may disagree. Only an `unordered` step (a pair instruction) is
exempt: it promises nothing about the order of its accesses.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.diagnostics import EngineLimitError
from membar.program.dependencies import reads_memory, writes_memory
from membar.program.program import Edge, Program, Thread


def require_single_accesses(program: Program, *, runs_buffers: bool = True) -> None:
    """Checks that axioms can express `program`; `runs_buffers`: the model has store buffers, too.

    Raises:
        EngineLimitError: some step makes several accesses in order.
    """
    for thread, edge in _wide_steps(program):
        where = f"line {edge.span.line}" if edge.span else f"from control point {edge.source}"
        raise EngineLimitError(
            f"axiomatic models cannot express an atomic step with several accesses "
            f"(thread {thread.name}, {where}); {advise_buffers(runs_buffers=runs_buffers)}"
        )


def advise_buffers(*, runs_buffers: bool) -> str:
    """What to do where axioms cannot express a program; `runs_buffers`: its model has store buffers."""
    if runs_buffers:
        return "use store buffers: --buffers N"
    return "use a model with store buffers: --model x86-tso --buffers N"


def has_wide_steps(program: Program) -> bool:
    """Whether some step makes several accesses in order, so that axioms cannot express `program`."""
    return next(_wide_steps(program), None) is not None


def _wide_steps(program: Program) -> Iterator[tuple[Thread, Edge]]:
    for thread in program.threads:
        for edge in thread.edges:
            if len(edge.operations) > 1 and not edge.unordered and _accesses(edge) > 1:
                yield thread, edge


def require_uncommitted(program: Program, engine: str) -> None:
    """Checks that no control point of `program` blocks other threads, and no edge another edge.

    Raises:
        EngineLimitError: some does, which `engine` cannot follow.
    """
    for thread in program.threads:
        if thread.committed:
            raise EngineLimitError(
                f"the engine {engine} does not support committed control points (thread {thread.name}); "
                f"use --engine reference with --buffers"
            )
        require_plain_edges(thread, engine)


def require_plain_edges(thread: Thread, engine: str) -> None:
    """Checks that a thread has no atomic blocks of several steps, and that its edges depend on no others.

    Raises:
        EngineLimitError: it has what `engine` cannot follow.
    """
    what = ""
    if thread.atomic:
        what = "atomic blocks of several steps"
    elif any(edge.idle for edge in thread.edges):
        what = "steps that are taken only where nothing else can happen"
    elif any(edge.rank for edge in thread.edges):
        what = "steps that are taken only where others cannot be"
    if what:
        message = f"the engine {engine} does not support {what} (thread {thread.name}); use --engine states"
        raise EngineLimitError(message)


def _accesses(edge: Edge) -> int:
    return sum(reads_memory(operation) or writes_memory(operation) for operation in edge.operations)
