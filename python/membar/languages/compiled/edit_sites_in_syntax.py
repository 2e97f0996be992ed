"""Where a C++ or Rust program can be stronger or weaker: fences between statements, orders of operations.

An order is changed where it is written, and only if the compiler has an operation of this kind with this
order at the place where the call begins: not inside macros, nor where the order is a constant or an argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from membar.diagnostics import Diagnostic, InputError
from membar.languages._c_edit_sites import edit_sites as sites_of_text
from membar.languages.compiled.compiled_operations import CompiledOperations
from membar.languages.compiled.orders_in_text import FENCES, SPELLINGS
from membar.languages.compiled.preprocessing import preprocess
from membar.languages.compiled.program import compile_source
from membar.languages.compiled.syntax_text import TEXTS
from membar.program.program import Program
from membar.source import SourceFile
from membar.text.edits import EditSite
from membar.text.file_paths import suffix

RUST: Final = "Rust"
_WRITTEN: Final = {"C++": (".cpp", ".cc", ".cxx", ".c++", ".C"), RUST: (".rs",)}


def edit_sites_in_syntax(source: SourceFile, program: Program, language: str) -> tuple[EditSite, ...]:
    """The places of a program in the files that its accesses are in.

    Raises:
        InputError: the text is not what a person wrote, or a program of Rust has several files.
    """
    if suffix(source.path) not in _WRITTEN[language]:
        message = f"`{source.path}` is not a file of source text that can be repaired"
        help_ = f"repair a file that ends in {_WRITTEN[language][0]}"
        raise InputError(Diagnostic(code="W0421", message=message, help=help_))
    found = CompiledOperations(source, program)
    others = [path for path in found.files if path != source.path]
    if language == RUST and others:
        message = f"the program is more than one file: it has atomic operations or accesses in {others[0]}"
        raise InputError(Diagnostic(code="W0421", message=message, help="repair a program of one file"))
    return tuple(_places(source, found, language))


def _places(source: SourceFile, found: CompiledOperations, language: str) -> Iterator[EditSite]:
    preprocessed = None if language == RUST else preprocess(compile_source(source))
    texts = {
        path: TEXTS[language](file, hidden=[*preprocessed.hidden_in(file)] if preprocessed else [])
        for path, file in found.files.items()
    }
    accesses = {path: sorted(found.accesses.get(path, ())) for path in texts}
    starts = {path: [start for start, _ in items] for path, items in accesses.items()}
    reached = found.called | {name for path in texts for name in texts[path].functions_at(starts[path])}
    # Among repairs of one cost the first is chosen: one in a header is one for all its users.
    for path in sorted(texts, key=lambda path: (path == source.path, path)):
        text = texts[path]
        text.drop_loops_that_run_once(accesses[path], found.repeated_in(path))
        yield from sites_of_text(
            text,
            accesses=accesses[path],
            macros={},
            fences=FENCES[language],
            compiled=lambda at, path=path: found.operations.get((path, at), ()),  # type: ignore[misc]
            reached=reached,
            spelling=SPELLINGS[language],
        )
