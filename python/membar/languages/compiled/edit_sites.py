"""Where a C program can be stronger or weaker: fences between statements, orders of atomic operations.

An order is changed where it is written: in the program, in a header, or in the definition of a macro; and
only if the compiler has an operation of this kind with this order there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from membar.diagnostics import Diagnostic, InputError
from membar.languages._c_edit_sites import ORDERS_OF_KIND, order_sites, renamed_call
from membar.languages._c_edit_sites import edit_sites as sites_of_text
from membar.languages._c_text import CText
from membar.languages.compiled.compiled_operations import CompiledOperations
from membar.languages.compiled.configurations import configurations
from membar.languages.compiled.functions_per_order import Families
from membar.languages.compiled.preprocessing import Preprocessed, preprocess
from membar.languages.compiled.program import compile_source
from membar.program.program import Program
from membar.records import replace
from membar.source import SourceFile, pattern
from membar.text.edits import EditSite

_ORDERS: Final = ("acquire", "release", "acq_rel", "seq_cst")
_NAME: Final = pattern(r"[A-Za-z_]\w*")
_SAYS_ORDER: Final = pattern(r"_(?:rlx|acq|rel|relaxed|acq_rel|seq_cst)\Z")
_MACRO: Final = pattern(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)(?:\([^)\n]*\))?(?P<body>(?:[^\n\\]|\\.)*)",
    re.MULTILINE | re.DOTALL,
)


def edit_sites(source: SourceFile, program: Program) -> tuple[EditSite, ...]:
    """The places of a program and of the files that it includes, but for the system's.

    Raises:
        InputError: the text is not what a person wrote.
    """
    if Path(source.path).suffix != ".c":
        message = f"`{source.path}` is what a compiler wrote, and cannot be repaired"
        way_out = "repair the C file that it was made from"
        raise InputError(Diagnostic(code="W0421", message=message, help=way_out))
    compiled = compile_source(source)
    text = preprocess(compiled)
    others = [preprocess(compiled, replace(source, defines=each)).macros for each in configurations(source)]
    return tuple(_Places(source, program, text, others).all())


class _Places:
    """The places of all files of a program."""

    def __init__(
        self, source: SourceFile, program: Program, text: Preprocessed, others: list[Mapping[str, str]]
    ) -> None:
        self._text, self._others = text, others
        self._found = found = CompiledOperations(source, program)
        files = found.files
        read = {Path(file.path).resolve() for file in files.values()}
        others_read = (file for file in text.files if Path(file.path).resolve() not in read)
        self._files = {source.path: source, **{file.path: file for file in others_read}, **files}
        self._hidden = {path: [*text.hidden_in(file)] for path, file in self._files.items()}
        self._macros = {
            match["name"]: set(_NAME.findall(match["body"]))
            for path in self._files
            for match in self._definitions(path)
        }

    def all(self) -> Iterator[EditSite]:
        """All places, file by file."""
        is_standard = any("stdatomic.h" in file.text for file in self._files.values())
        texts = {}
        # Among repairs of one cost the first is chosen: one in a header is one for all its users.
        order = sorted(self._files, key=lambda path: (path == next(iter(self._files)), path))
        for path in order:
            texts[path] = CText(self._files[path], hidden=self._hidden[path])
        reached = self._found.called | {
            name for path, text in texts.items() for name in text.functions_at(self._starts(path))
        }
        families = Families({name for text in texts.values() for name in text.functions})
        for path in order:
            text = texts[path]
            accesses = sorted(self._found.accesses.get(path, ()))
            repeated = self._found.repeated_in(path)
            text.drop_loops_that_run_once(accesses, repeated)
            found = sites_of_text(
                text,
                accesses=accesses,
                macros=self._text.macros,
                other_macros=self._others,
                fences=_fences(is_standard),
                compiled=lambda at, path=path: self._at(texts[path], at),  # type: ignore[misc]
                reached=reached,
            )
            for place in (*found, *self._renamed_calls(text, families, reached)):
                if not any(map(families.has, text.functions_at([place.span.start]))):
                    yield place
        for path in texts:
            yield from self._in_macros(path, texts)

    def _starts(self, path: str) -> list[int]:
        return [start for start, _ in self._found.accesses.get(path, ())]

    def _at(self, text: CText, at: int) -> Collection[tuple[str, str]]:
        """What the compiler has at a place; a function whose name says the order must keep it."""
        found = self._found.operations.get((text.source.path, at), ())
        said = [name for name in text.functions_at([at]) if _SAYS_ORDER.search(name)] if found else []
        return () if said else found

    def _renamed_calls(self, text: CText, families: Families, reached: Collection[str]) -> Iterator[EditSite]:
        """The calls of functions of which there is one for each order, where the program makes them."""
        for call in sorted(text.calls, key=lambda call: call.name.start):
            name = call.name.text
            kind = self._found.kinds.get(name)
            member = families.member(name)
            callers = text.functions_at([call.name.start])
            if kind is None or member is None or not callers & set(reached):
                continue
            names = {order: each for order, each in member.names.items() if order in ORDERS_OF_KIND[kind]}
            if member.order not in names:
                continue
            place = renamed_call(text, call, kind, member.order, names)
            if len(place.alternatives) == len(place.alternatives[-1].includes) > 1:  # one is the strongest
                yield place

    def _definitions(self, path: str) -> Iterator[re.Match[str]]:
        """The macros that a file defines, where the compiler sees them."""
        for match in _MACRO.finditer(self._files[path].text):
            if not any(start <= match.start() < end for start, end in self._hidden[path]):
                yield match

    def _in_macros(self, path: str, texts: Mapping[str, CText]) -> Iterator[EditSite]:
        """The places in the definitions of macros of a file."""
        for match in self._definitions(path):
            start, end = match.span("body")
            body = CText(self._files[path], start, end, is_body=True)
            if not body.calls:
                continue
            uses = [use for use in self._found.operations if self._leads_to(use, match["name"])]
            found = {each for use in uses for each in self._found.operations[use]}

            def found_orders(_: int, found: set[tuple[str, str]] = found) -> set[tuple[str, str]]:
                return found

            loops = max((texts[name].depth(at) for name, at in uses if name in texts), default=0)
            for place in order_sites(
                body, macros=self._text.macros, other_macros=self._others, compiled=found_orders
            ):
                yield replace(place, loops=loops)

    def _leads_to(self, use: tuple[str, int], macro: str) -> bool:
        """Whether what stands at a place is a macro whose definition mentions another one, or is that."""
        path, at = use
        word = _NAME.match(self._files[path].text, at) if path in self._files else None
        seen, waiting = set[str](), [] if word is None else [word[0]]
        while waiting:
            name = waiting.pop()
            if name == macro:
                return True
            if name not in seen:
                seen.add(name)
                waiting += self._macros.get(name, ())
        return False


def _fences(is_standard: bool) -> dict[str, str]:  # noqa: FBT001 - one flag
    """The statement that is a fence, by its order: GCC's where the standard header is not included."""
    if is_standard:
        return {order: f"atomic_thread_fence(memory_order_{order});" for order in _ORDERS}
    return {order: f"__atomic_thread_fence(__ATOMIC_{order.upper()});" for order in _ORDERS}
