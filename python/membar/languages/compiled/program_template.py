"""A C program for any number of threads: `--threads any`.

The macro that says how many threads there are is given several values. What the compiler makes of them may
differ in constants a·N + b only, and so may the programs that come out; these constants are then the number
itself. What the compiler decides before it writes code is not seen there, so the text may not compare the
macro with constants, or divide it (`number_in_text.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from membar.code import ir as code
from membar.code.linear import linear, one_module
from membar.code.lowering.context import thread_name
from membar.code.lowering.program import lower_module
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import prepare
from membar.diagnostics import EngineLimitError, InputError, error
from membar.languages.compiled.driver import HEADERS
from membar.languages.compiled.number_in_text import check_text
from membar.languages.compiled.preprocessing import Preprocessed, preprocess
from membar.languages.compiled.program import CompiledProgram, compile_source, link_source, not_covered
from membar.program.expr import Binary, BinaryOp, Constant, Expr, Register
from membar.program.program import MemoryObject, Program
from membar.program.template import NUMBER, Template
from membar.records import field_names, is_record, replace
from membar.source import SourceFile, Span, is_header_of_compiler

CODE: Final = "W1204"
_FEW: Final = (1, 2, 3, 4)
_MANY: Final = (101, 103, 107)


def parse_any_threads(source: SourceFile, macro: str) -> Template:
    """The program of a C file that creates as many threads as `macro` says, which is any number.

    Raises:
        InputError: the text is no C, C that membar does not know, or does not create them.
    """
    last = compile_source(_define_macro(source, macro, _MANY[-1]))
    _require_no_caveat(last, source, macro)
    text = preprocess(last)
    check_text(text, macro)
    _check_other_texts(last, text, source, macro)
    others = {number: compile_source(_define_macro(source, macro, number)) for number in (*_FEW, *_MANY[:-1])}
    modules = {number: link_source(each) for number, each in {**others, _MANY[-1]: last}.items()}
    try:
        found = [_program(_ending_with(modules, number), last) for number in _MANY]
    except NotSupportedError as problem:
        place = last.spans(last.spans.in_program(problem.place)) or _definition(source, macro)
        raise error(CODE, str(problem), place, "here") from None
    if found[-1][0].partly_checked:
        message = f"{found[-1][0].partly_checked[0][1]}: `--threads any` does not support this"
        raise error(CODE, message, _definition(source, macro), "here")
    for thread in found[-1][0].threads:
        for edge in thread.edges:
            if edge.unexplored:
                message = "an execution that is not followed: `--threads any` does not support this"
                raise error(CODE, message, edge.span or _definition(source, macro), "here")
    program, copied = _one_program([each for each, _ in found], source, macro), found[-1][1]
    per_thread = frozenset(item.name for item in program.objects if item.name in _elements(found))
    objects = tuple(
        replace(item, count=1, initial=item.initial[:1]) if item.name in per_thread else item
        for item in program.objects
    )
    return Template(program=replace(program, objects=objects), copied=copied, per_thread=per_thread)


def _require_no_caveat(compiled: CompiledProgram, source: SourceFile, macro: str) -> None:
    """Refuses what no proof covers.

    Raises:
        InputError: the compiler decided something itself.
        EngineLimitError: nothing can be said about the processor of the memory model.
    """
    if compiled.built.reason is not None:
        raise EngineLimitError(compiled.built.reason)
    for _, caveat in not_covered(compiled.built):
        message = f"{caveat}: `--threads any` does not support this"
        raise error(CODE, message, _definition(source, macro), "here")


def _check_other_texts(compiled: CompiledProgram, text: Preprocessed, source: SourceFile, macro: str) -> None:
    """Refuses the macro where it was not looked for: in other definitions, and outside the project.

    Raises:
        InputError: it is mentioned there.
    """
    mentions = re.compile(rf"\b{re.escape(macro)}\b")
    known = {Path(file.path).resolve() for file in text.files}
    places = [f"-D {item}" for item in source.defines if mentions.search(item.partition("=")[2])]
    for path in (path for file in compiled.built.files for path in file.files):
        is_other = (
            Path(path).resolve() not in known
            and not path.startswith("/usr/")
            and not is_header_of_compiler(path)
        )
        if is_other and not Path(path).absolute().is_relative_to(HEADERS):
            places += [path] if mentions.search(SourceFile.read(path).text) else []
    if places:
        message = f"`{places[0]}` mentions `{macro}`: `--threads any` does not support this"
        raise error(CODE, message, _definition(source, macro), "here")


def _define_macro(source: SourceFile, macro: str, number: int) -> SourceFile:
    defines = tuple(item for item in source.defines if item.split("=", 1)[0] != macro)
    return replace(source, defines=(*defines, f"{macro}={number}"))


def _ending_with(modules: Mapping[int, code.Module], number: int) -> dict[int, code.Module]:
    return {**{each: module for each, module in modules.items() if each != number}, number: modules[number]}


def _program(modules: Mapping[int, code.Module], compiled: CompiledProgram) -> tuple[Program, str]:
    """The program of the last module, and the name of the thread that is copied."""
    module, any_number = one_module(modules)
    words, path = compiled.source.arguments, compiled.source.path
    ready = prepare(module, words=words, name=path, any_number=any_number)
    assert ready.copied is not None  # `check_copies` has seen to that
    name = Path(path).stem
    return lower_module(ready, name=name, span=compiled.spans), thread_name(ready.copied)


def _elements(found: Sequence[tuple[Program, str]]) -> set[str]:
    """The objects with one element per thread."""
    counts = ([item.count for item in program.objects] for program, _ in found)
    names = [item.name for item in found[-1][0].objects]
    return {name for name, *each in zip(names, *counts, strict=True) if tuple(each) == _MANY}


def _one_program(programs: Sequence[Program], source: SourceFile, macro: str) -> Program:
    """The program for any number, given those for the numbers in `_MANY`.

    How reports call the addresses of an array depends on its size, and means nothing here.
    """
    unnamed = [replace(each, pointers=None) for each in programs]
    return _Unifying(_definition(source, macro), macro).run(unnamed)


class _Unifying:
    """Makes one program of several."""

    def __init__(self, place: Span, macro: str) -> None:
        self._place, self._macro = place, macro

    def run(self, programs: Sequence[Program]) -> Program:
        found = self._unify(programs)
        assert isinstance(found, Program)
        return found

    def _refusal(self, what: str) -> InputError:
        message = f"{what} depends on `{self._macro}`: `--threads any` does not support this"
        return error(CODE, message, self._place, "here")

    def _unify(self, values: Sequence[object]) -> object:
        last = values[-1]
        if all(each == last for each in values):
            return last
        if len({type(each) for each in values}) > 1:
            raise self._refusal("what the program does")
        if isinstance(last, Constant):
            return self._constant([each.value for each in values if isinstance(each, Constant)])
        if isinstance(last, tuple):
            tuples = [each for each in values if isinstance(each, tuple)]
            if len({len(each) for each in tuples}) > 1:
                raise self._refusal("how much the program does")
            return tuple(self._unify(each) for each in zip(*tuples, strict=True))
        if isinstance(last, MemoryObject):
            return self._object([each for each in values if isinstance(each, MemoryObject)])
        if not is_record(last):
            raise self._refusal("something")
        before = self._place
        self._place = getattr(last, "span", None) or before
        changed = {}
        for name in field_names(last):
            fields = [getattr(each, name) for each in values]
            if name != "span" and any(each != fields[-1] for each in fields):
                changed[name] = self._unify(fields)
        self._place = before
        return replace(last, **changed)  # type: ignore[type-var] # a record

    def _constant(self, values: Sequence[int]) -> Expr:
        found = linear(_MANY, values)
        if found is None:
            raise self._refusal("a number that is not a·N + b and")
        value: Expr = Register(NUMBER)
        if found.factor != 1:
            value = Binary(BinaryOp.MUL, value, Constant(found.factor))
        if found.offset:
            operator = BinaryOp.ADD if found.offset > 0 else BinaryOp.SUB
            value = Binary(operator, value, Constant(abs(found.offset)))
        return value

    def _object(self, objects: Sequence[MemoryObject]) -> MemoryObject:
        """Objects may differ in how many elements they have, one for each thread, that begin with zeros."""
        last = objects[-1]
        for each in objects:
            plain = replace(each, count=last.count, initial=last.initial)
            if plain != last or any(each.initial):
                raise self._refusal(f"`{last.name}`")
        if tuple(each.count for each in objects) != _MANY:
            raise self._refusal(f"the size of `{last.name}`")
        return replace(last, initial=())


def _definition(source: SourceFile, macro: str) -> Span:
    """Where the text defines the macro."""
    found = re.search(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(macro)}\b.*$", source.text, re.MULTILINE)
    return source.span(found.start(), found.end()) if found else source.span(0, 1)
