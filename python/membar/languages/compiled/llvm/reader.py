"""Reads a module of LLVM IR (versions 14 to 22) as text.

Top-level entities are found first, by lines; bodies of functions and metadata are read on demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from membar.diagnostics import error
from membar.languages.compiled.llvm.calls import read_convention
from membar.languages.compiled.llvm.instructions import read_instruction
from membar.languages.compiled.llvm.metadata import Metadata
from membar.languages.compiled.llvm.module import (
    Alias,
    Block,
    Function,
    Instruction,
    Module,
    Operand,
    Parameter,
    Variable,
)
from membar.languages.compiled.llvm.operands import (
    read_address_space,
    read_type,
    read_typed,
    read_value,
    skip_attributes,
)
from membar.languages.compiled.llvm.tokens import UNREADABLE, Cursor, name_of
from membar.languages.compiled.llvm.types import OPAQUE, DataLayout, Type
from membar.source import SourceFile, pattern

LINKAGES = frozenset(
    {"private", "internal", "available_externally", "linkonce", "weak", "common", "appending", "extern_weak",
     "linkonce_odr", "weak_odr", "external"}
)  # fmt: skip
_WITHOUT_DEFINITION = frozenset({"external", "extern_weak"})
# Words before the type of a global value that say nothing about what the program does.
_NO_MEANING = frozenset(
    {"dso_local", "dso_preemptable", "default", "hidden", "protected", "dllimport", "dllexport",
     "unnamed_addr", "local_unnamed_addr", "externally_initialized"}
)  # fmt: skip
_METADATA_LINE = pattern(r"!(?P<number>[0-9]+) = (?P<rest>.*)")
_ATTRIBUTES_LINE = pattern(r"attributes (?P<number>#[0-9]+) = \{(?P<words>.*)\}")
_IGNORED = ("attributes ", "source_filename", "target ", "module asm", "$", "!", "uselistorder", "^")
_LABEL = pattern(r'(?P<name>[-a-zA-Z$._0-9]+|"[^"]*"):')
_CONTINUED = pattern(r" {6,}(?:to label |cleanup\b|catch |filter )")


def read_module(source: SourceFile) -> Module:
    """The module that a text is.

    Raises:
        InputError: the text is not LLVM IR, or has something that membar does not know.
    """
    return _Reader(source).module()


class _Reader:
    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.types: dict[str, Type] = {}
        self.variables: dict[str, Variable] = {}
        self.functions: dict[str, Function] = {}
        self.aliases: dict[str, Alias] = {}
        self.noreturn: set[str] = set()  # groups of attributes, `#3`
        self.metadata: dict[int, tuple[int, int]] = {}
        self.source_name = self.triple = self.layout = ""
        self.assembly: list[str] = []

    def module(self) -> Module:
        entities = list(self._entities())
        for start, end in entities:
            self._scan_line(start, end)
        for start, end in entities:
            self._read_entity(start, end)
        if not (self.functions or self.variables or self.triple):
            span = self.source.span(0, min(len(self.source.text), 1))
            raise error(UNREADABLE, "this is not a module of LLVM IR: no function or variable", span)
        return Module(
            source_name=self.source_name,
            triple=self.triple,
            layout=DataLayout(self.layout, self.types),
            types=self.types,
            variables=self.variables,
            functions=self.functions,
            aliases=self.aliases,
            metadata=Metadata(self.source, self.metadata),
            assembly=tuple(self.assembly),
        )

    def _entities(self) -> Iterator[tuple[int, int]]:
        """The stretches of text at the top level: a line each, a function with its body."""
        text, at = self.source.text, 0
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if text.startswith("define ", at):
                closing = text.find("\n}", at)
                if closing < 0:
                    span = self.source.span(at, end)
                    raise error(UNREADABLE, "the body of this function has no end", span, "expected `}`")
                end = closing + 2
            if text[at:end].strip() and text[at] != ";":
                yield at, end
            at = end + 1

    def _scan_line(self, start: int, end: int) -> None:
        """What other entities refer to: attributes, metadata, the target."""
        text = self.source.text
        if text.startswith("!", start):
            found = _METADATA_LINE.fullmatch(text, start, end)
            if found is not None:
                self.metadata[int(found["number"])] = found.span("rest")
        elif text.startswith("attributes ", start):
            found = _ATTRIBUTES_LINE.match(text, start, end)
            if found is not None and "noreturn" in found["words"].split():
                self.noreturn.add(found["number"])
        elif text.startswith(("target ", "source_filename", "module asm"), start):
            cursor = Cursor(self.source, start, end)
            word, kind = cursor.take(), cursor.text
            if word != "source_filename":
                cursor.take()
            cursor.accept("=")
            value = cursor.string()
            if kind == "asm":
                self.assembly.append(value)
            elif kind == "triple":
                self.triple = value
            elif kind == "datalayout":
                self.layout = value
            else:
                self.source_name = value

    def _read_entity(self, start: int, end: int) -> None:
        text = self.source.text
        if text.startswith(("define ", "declare "), start):
            self._read_function(start, end)
        elif text.startswith("%", start):
            cursor = Cursor(self.source, start, end)
            name = name_of(cursor.take())
            cursor.expect("=")
            cursor.expect("type")
            self.types[name] = OPAQUE if cursor.accept("opaque") else read_type(cursor)
        elif text.startswith("@", start):
            self._read_global(Cursor(self.source, start, end))
        elif not text.startswith(_IGNORED, start):
            raise Cursor(self.source, start, end).refuse("this is not supported at the top level of LLVM IR")

    # --------------------------------------------------------------------------- variables

    def _read_global(self, cursor: Cursor) -> None:
        name = name_of(cursor.take())
        cursor.expect("=")
        linkage = "external"
        has_linkage = cursor.text in LINKAGES
        if has_linkage:
            linkage = cursor.take()
        is_thread_local, space = False, 0
        while cursor.text not in ("global", "constant", "alias", "ifunc"):
            if cursor.accept("thread_local"):
                is_thread_local = True
                if cursor.text == "(":
                    cursor.skip_bracketed()
            elif cursor.text == "addrspace":
                space = read_address_space(cursor)
            elif cursor.text in _NO_MEANING:
                cursor.take()
            else:
                raise cursor.refuse(f"`{cursor.text}` before a global variable is not supported")
        if space:
            raise cursor.refuse(f"the address space {space} is not supported")
        span = cursor.source.span(cursor.start, cursor.end)
        kind = cursor.take()
        type_ = read_type(cursor)
        if kind in ("alias", "ifunc"):
            cursor.expect(",")
            target = read_typed(cursor)
            is_resolver = kind == "ifunc"
            self.aliases[name] = Alias(
                name=name, type=type_, linkage=linkage, target=target, is_resolver=is_resolver, span=span
            )
            return
        initialiser: Operand | None = None
        if not (has_linkage and linkage in _WITHOUT_DEFINITION):
            initialiser = read_value(cursor)
        align, debug = self._read_tail(cursor)
        self.variables[name] = Variable(
            name=name,
            type=type_,
            linkage=linkage,
            initialiser=initialiser,
            is_constant=kind == "constant",
            is_thread_local=is_thread_local,
            align=align,
            debug=debug,
            span=span,
        )

    @staticmethod
    def _read_tail(cursor: Cursor) -> tuple[int | None, int | None]:
        """What follows an initialiser: section, comdat, alignment, metadata."""
        align = debug = None
        while not cursor.is_at_end:
            if cursor.kind == "metadata":
                name = cursor.take()
                value = cursor.take()
                if name == "!dbg" and value[1:].isdecimal():
                    debug = int(value[1:])
            elif cursor.accept("align"):
                align = cursor.number()
            else:
                cursor.take()
        return align, debug

    # --------------------------------------------------------------------------- functions

    def _read_function(self, start: int, end: int) -> None:
        text = self.source.text
        is_defined = text.startswith("define ", start)
        head_end = text.find("\n", start, end) if is_defined else end
        head_end = end if head_end < 0 else head_end
        if is_defined:  # the brace that opens the body is the last sign of the line
            head_end = max(text.rfind("{", start, head_end), start)
        cursor = Cursor(self.source, start, head_end)
        cursor.take()
        while cursor.kind == "metadata":  # of declarations it stands here
            cursor.take()
            cursor.take()
        linkage = "external"
        if cursor.text in LINKAGES:
            linkage = cursor.take()
        while cursor.text in _NO_MEANING:
            cursor.take()
        convention = read_convention(cursor)
        skip_attributes(cursor)
        result = read_type(cursor)
        if cursor.kind != "symbol" or cursor.text[0] != "@":
            raise cursor.unexpected_token("the name of a function")
        name = name_of(cursor.take())
        parameters, is_variadic = self._read_parameters(cursor)
        is_noreturn, personality, debug = False, None, None
        while not cursor.is_at_end:
            word, kind = cursor.take(), cursor.kind
            is_noreturn = is_noreturn or word == "noreturn" or word in self.noreturn
            if word == "personality":
                personality = read_typed(cursor)
            if word == "!dbg" and kind == "metadata" and cursor.text[1:].isdecimal():
                debug = int(cursor.take()[1:])
        self.functions[name] = Function(
            name=name,
            linkage=linkage,
            result=result,
            parameters=parameters,
            is_variadic=is_variadic,
            convention=convention,
            is_noreturn=is_noreturn,
            personality=personality,
            debug=debug,
            span=self.source.span(start, head_end),
            read_blocks=(lambda: self._read_body(head_end + 1, end - 1, parameters)) if is_defined else None,
        )

    @staticmethod
    def _read_parameters(cursor: Cursor) -> tuple[tuple[Parameter, ...], bool]:
        cursor.expect("(")
        found: list[Parameter] = []
        unnamed = 0
        while not cursor.accept(")"):
            if cursor.accept("..."):
                cursor.expect(")")
                return tuple(found), True
            type_ = read_type(cursor)
            passing: dict[str, Type] = {}
            skip_attributes(cursor, collect=passing)
            if cursor.kind == "symbol":
                name = name_of(cursor.take())
            else:
                name, unnamed = str(unnamed), unnamed + 1
            by_value, returns_through = passing.get("byval"), passing.get("sret")
            found.append(Parameter(name=name, type=type_, by_value=by_value, returns_through=returns_through))
            if not cursor.accept(",") and cursor.text != ")":
                raise cursor.unexpected_token("`,` or `)`")
        return tuple(found), False

    def _read_body(self, start: int, end: int, parameters: tuple[Parameter, ...]) -> tuple[Block, ...]:
        blocks: list[Block] = []
        # An entry block without a label takes the first number that no unnamed parameter has.
        name = str(sum(item.name.isdecimal() for item in parameters))
        instructions: list[Instruction] = []

        def close() -> None:
            if instructions:
                blocks.append(Block(name=name, instructions=tuple(instructions)))
                instructions.clear()

        for first, last in self._lines(start, end):
            label = _LABEL.match(self.source.text, first, last)
            if label is not None:
                close()
                name = name_of(label.group())
            else:
                found = read_instruction(Cursor(self.source, first, last))
                if found is not None:
                    instructions.append(found)
        close()
        if not blocks:
            span = self.source.span(start, end)
            raise error(UNREADABLE, "this function has no instructions", span)
        return tuple(blocks)

    def _lines(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The instructions and labels of a body; those that go over several lines as one."""
        text, at = self.source.text, start
        while at < end:
            stop = _line_end(text, at, end)
            body = text[at:stop]
            stripped = body.strip()
            if not stripped or stripped[0] == ";":
                at = stop + 1
                continue
            if stripped.endswith("["):  # a switch: a line per case
                closing = re.compile(r"^\s*\]", re.MULTILINE).search(text, stop, end)
                stop = _line_end(text, closing.end(), end) if closing is not None else end
            else:
                while _CONTINUED.match(text, stop + 1, end):
                    stop = _line_end(text, stop + 1, end)
            yield at + len(body) - len(body.lstrip()), stop
            at = stop + 1


def _line_end(text: str, at: int, end: int) -> int:
    found = text.find("\n", at, end)
    return end if found < 0 else found
