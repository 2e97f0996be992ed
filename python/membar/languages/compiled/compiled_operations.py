"""Which atomic operations a compiler has at which places of the text, with their orders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from membar.languages._c_edit_sites import FAILURE
from membar.program.dependencies import accesses_memory
from membar.program.loops import repeated_accesses
from membar.program.operations import Fence, Load, Operation, Rmw, Store, Tags
from membar.program.program import Program
from membar.source import SourceFile, pattern

_ORDER_OF: Final = {
    "RLX": "relaxed",
    "ACQ": "acquire",
    "REL": "release",
    "ACQ_REL": "acq_rel",
    "SC": "seq_cst",
}
_IN_CHAIN: Final = pattern(r"(?:^in |← )(?:\w+::)*(\w+)")  # see `Span.calls`


class CompiledOperations:
    """The operations of a program by the places of its text.

    Attributes:
        files: the files that have some, the program's own first.
        accesses: by file, where memory is accessed.
        operations: by file and beginning, the kinds and orders of the operations there.
        called: the functions that operations are in.
        kinds: functions, and what kind of operation they do.
    """

    def __init__(self, source: SourceFile, program: Program) -> None:
        self.files = {source.path: source}
        self.accesses: dict[str, set[tuple[int, int]]] = {source.path: set()}
        self.operations: dict[tuple[str, int], set[tuple[str, str]]] = {}
        self.called: set[str] = set()
        self._repeated = {(span.path, span.start, span.end) for span in repeated_accesses(program)}
        known: dict[str, set[str]] = {}
        for thread in program.threads:
            for edge in thread.edges:
                if edge.span is None:
                    continue
                span = edge.span
                chain = _IN_CHAIN.findall(span.calls)
                self.called.update(chain)
                self.files.setdefault(span.path, span.source)
                if accesses_memory(edge):
                    self.accesses.setdefault(span.path, set()).add((span.start, span.end))
                found = self.operations.setdefault((span.path, span.start), set())
                kinds = {kind for operation in edge.operations for kind, _ in _orders_of(operation)}
                for name in chain:
                    known.setdefault(name, set()).update(kinds - {FAILURE})
                for operation in edge.operations:
                    found.update(_orders_of(operation))
        self.kinds = {name: _kind_of(kinds) for name, kinds in known.items() if kinds}

    def repeated_in(self, path: str) -> set[tuple[int, int]]:
        """The accesses of a file that a thread may make more than once."""
        return {(start, end) for name, start, end in self._repeated if name == path}


def _kind_of(kinds: set[str]) -> str:
    """The kind of operation that a function does; one that also reads memory is a read-modify-write."""
    return next(kind for kind in ("rmw", "store", "load", "fence") if kind in kinds)


def _orders_of(operation: Operation) -> Iterator[tuple[str, str]]:
    """The kinds and orders of an operation, in the words of C."""
    match operation:
        case Load(tags=tags):
            yield from _orders_in("load", tags)
            yield from _orders_in(FAILURE, tags)  # of a weak compare-exchange that fails without a cause
        case Store(tags=tags):
            yield from _orders_in("store", tags)
        case Fence(tags=tags):
            yield from _orders_in("fence", tags)
        case Rmw():
            yield from _orders_in("rmw", operation.read_tags)
            yield from _orders_in(FAILURE, operation.failed_tags or frozenset())
        case _:
            pass


def _orders_in(kind: str, tags: Tags) -> Iterator[tuple[str, str]]:
    for tag in tags:
        if tag in _ORDER_OF:
            yield kind, _ORDER_OF[tag]
