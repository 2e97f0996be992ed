"""Functions that recur: the same text is parsed and lowered once, however many tests contain it.

Families of litmus tests are combinations of a few threads, so that every second function of a campaign was
met before, and nearly every statement of the others. Such a function or statement is read *at home*, in a
source of its own, and what comes out is moved to where it stands in a test. One with errors is left to be
read in place, where its diagnostics can point to.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from membar.languages.litmus.dialects.c.language import Language
from membar.languages.litmus.dialects.c.lowering import Code, lower
from membar.languages.litmus.dialects.c.parser import in_order
from membar.languages.litmus.dialects.c.syntax import Block, Function, Parameter, Placed, Statement
from membar.languages.litmus.dialects.c.tokens import KEPT, plain_functions
from membar.program.expr import Address
from membar.program.program import Edge, MemoryObject
from membar.source import SourceFile, Span

# An address that is a parameter, by name and offset, with element size and count of the object there.
Pointed: TypeAlias = tuple[str, int, int, int]


def known_functions(body: Span, language: Language) -> tuple[Function, ...] | None:
    """The functions of a code section, sorted by number; None if it takes a closer look or has errors."""
    places = plain_functions(body)
    if places is None:
        return None
    found: list[Function] = []
    for place in places:
        function = _parse_alone(place.text, language)
        if function is None:
            return None
        found.append(_moved_function(function, place))
    found.sort(key=lambda function: function.number)
    return tuple(found) if [function.number for function in found] == list(range(len(found))) else None


def known_code(
    function: Function,
    addresses: Mapping[str, Address],
    objects: Mapping[str, MemoryObject],
    language: Language,
    variables: tuple[str, ...],
) -> Code | None:
    """As `lower`, for a function that `known_functions` gave; None for others, or if there are errors."""
    if function.place is None:
        return None
    pointed = tuple(_target_of(address, objects) for address in addresses.values())
    code = _code_of_single_function(function.place.text, language, pointed, variables)
    return None if code is None else _moved_code(code, function.place)


def _target_of(address: Address, objects: Mapping[str, MemoryObject]) -> Pointed:
    item = objects.get(address.name)
    shape = (0, 0) if item is None else (item.size, item.count)
    return (address.name, address.offset, *shape)


@lru_cache(maxsize=KEPT)
def _parse_alone(text: str, language: Language) -> Function | None:
    """The only function of a text; None if there are others, or errors."""
    return _by_statements(text, language) or _only_function(text, language)


def _by_statements(text: str, language: Language) -> Function | None:
    """The function of a text, put together from statements; None if it is more than a row of correct ones."""
    head, brace, rest = text.partition("{")
    function = _head(head, language)
    if function is None or "{" in rest:
        return None
    *pieces, last = rest.split(";")
    if last.strip() != "}":
        return None
    found: list[Placed] = []
    at = len(head) + len(brace)
    for piece in pieces:
        bare = piece.lstrip()
        if bare:
            statement = _statement(bare, language)
            if statement is None:
                return None
            found.append(Placed(statement, at + len(piece) - len(bare) - len(_OPENING)))
        at += len(piece) + 1
    return Function(function.number, function.parameters, Block(tuple(found)), function.span, is_whole=True)


@lru_cache(maxsize=KEPT)
def _head(text: str, language: Language) -> Function | None:
    """What stands before the code of a function, as a function without code."""
    return _only_function(f"{text}{{}}", language)


# A statement is read in a function: elsewhere `(*` opens a comment.
_OPENING: Final = "P0(){"


@lru_cache(maxsize=KEPT)
def _statement(text: str, language: Language) -> Statement | None:
    """The statement with this text and a semicolon; None if that is not one, or has errors."""
    function = _only_function(f"{_OPENING}{text};}}", language)
    statements = () if function is None else function.body.statements
    return statements[0] if len(statements) == 1 else None


def _only_function(text: str, language: Language) -> Function | None:
    functions, diagnostics = in_order(SourceFile("", text).span(0, len(text)), language)
    return functions[0] if len(functions) == 1 and not diagnostics else None


@lru_cache(maxsize=KEPT)
def _code_of_single_function(
    text: str, language: Language, pointed: tuple[Pointed, ...], variables: tuple[str, ...]
) -> Code | None:
    """The automaton of a function whose parameters are these addresses; None if it has errors."""
    function = _parse_alone(text, language)
    if function is None:
        return None
    names = dict.fromkeys(parameter.name for parameter in function.parameters)
    addresses = {name: Address(*where[:2]) for name, where in zip(names, pointed, strict=True)}
    objects = {
        name: MemoryObject(name=name, size=size, count=count) for name, _, size, count in pointed if size
    }
    code = lower(function, addresses, objects, language, variables)
    return None if code.diagnostics else code


def _moved_function(function: Function, place: Span) -> Function:
    """A function, whose body stays at home, with its parameters where it stands."""
    parameters = tuple(
        Parameter(parameter.name, parameter.type, _relocate(parameter.span, place))
        for parameter in function.parameters
    )
    span = _relocate(function.span, place)
    return Function(function.number, parameters, function.body, span, is_whole=True, place=place)


def _moved_code(code: Code, place: Span) -> Code:
    edges = tuple(
        Edge(
            source=edge.source,
            target=edge.target,
            operations=edge.operations,
            guard=edge.guard,
            unordered=edge.unordered,
            span=None if edge.span is None else _relocate(edge.span, place),
        )
        for edge in code.edges
    )
    return Code(entry=code.entry, edges=edges, joins=code.joins, locals=code.locals, diagnostics=())


def _relocate(span: Span, place: Span) -> Span:
    return Span(place.source, place.start + span.start, place.start + span.end)


def forget() -> None:
    """Forgets all functions, for measurements."""
    _parse_alone.cache_clear()
    _head.cache_clear()
    _statement.cache_clear()
    _code_of_single_function.cache_clear()
