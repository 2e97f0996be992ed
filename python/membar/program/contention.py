"""Which threads write which locations: whether a program has any choice of coherence order."""

from __future__ import annotations

from collections.abc import Iterator

from membar.program.allocations import ALLOC
from membar.program.expr import evaluate, registers_of
from membar.program.operations import Store, StoreConditional
from membar.program.program import Program, Thread


def has_rival_writers(program: Program) -> bool:
    """Whether two threads may write one location, other than by RMWs.

    If not, the order of the writes follows from what reads see: one thread's stores stand in program order,
    and an RMW directly behind what it reads. Locks must be expanded (`expand`).
    """
    known: dict[int, str] = {}
    anywhere: str | None = None  # who stores to addresses that are computed
    for thread in program.threads:
        for word in _stored_addresses(program, thread):
            if anywhere not in (None, thread.name):
                return True
            if word is None:
                if any(other != thread.name for other in known.values()):
                    return True
                anywhere = thread.name
            elif known.setdefault(word, thread.name) != thread.name:
                return True
    return False


def _stored_addresses(program: Program, thread: Thread) -> Iterator[int | None]:
    """The addresses of a thread's stores; None for those that depend on a register.

    The beginning of memory is no rival: unless it comes before all else there, the program has no meaning.
    """
    for edge in thread.edges:
        for operation in edge.operations:
            if isinstance(operation, Store | StoreConditional) and ALLOC not in operation.tags:
                address = operation.address
                is_constant = next(registers_of(address), None) is None
                yield evaluate(address, {}, program.bases) if is_constant else None
