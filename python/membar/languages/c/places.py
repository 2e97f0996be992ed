"""Where a C program can be stronger or weaker: fences between statements, orders of atomic operations."""

from __future__ import annotations

from typing import Final

from membar.edits import Place
from membar.languages._c_places import places as places_of_text
from membar.languages._c_text import CText
from membar.languages.c.preprocess import HEADERS, preprocess
from membar.languages.compiled.configurations import configurations
from membar.languages.compiled.preprocessing import preprocess as preprocess_compiled
from membar.languages.compiled.program import compile_source
from membar.program.dependencies import spans_of_accesses
from membar.program.loops import repeated_accesses
from membar.program.program import Program
from membar.records import replace
from membar.source import SourceFile

_ORDERS: Final = ("acquire", "release", "acq_rel", "seq_cst")


def places(source: SourceFile, program: Program) -> tuple[Place, ...]:
    """The places of a program and of the files that it includes, but for the system's."""
    macros = preprocess(source).macros
    others = [preprocess(replace(source, defines=each)).macros for each in configurations(source)]
    spans, repeated = spans_of_accesses(program), repeated_accesses(program)
    included = {span.path: span.source for span in spans if not span.path.startswith(str(HEADERS))}
    files = {source.path: source, **dict(sorted(included.items()))}
    is_standard = any("stdatomic.h" in file.text for file in files.values())
    preprocessed = preprocess_compiled(compile_source(source))
    found: list[Place] = []
    for path, file in files.items():
        accesses = sorted((span.start, span.end) for span in spans if span.path == path)
        text = CText(file, hidden=[*preprocessed.hidden_in(file)])
        text.drop_loops_that_run_once(
            accesses, {(span.start, span.end) for span in repeated if span.path == path}
        )
        found += places_of_text(
            text,
            accesses=accesses,
            macros=macros,
            other_macros=others,
            fences=_fences(is_standard),
        )
    return tuple(found)


def _fences(is_standard: bool) -> dict[str, str]:  # noqa: FBT001 - one flag
    """The statement that is a fence, by its order: GCC's where the standard header is not included."""
    if is_standard:
        return {order: f"atomic_thread_fence(memory_order_{order});" for order in _ORDERS}
    return {order: f"__atomic_thread_fence(__ATOMIC_{order.upper()});" for order in _ORDERS}
