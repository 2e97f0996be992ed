"""Functions that recur: the same text is parsed and lowered once, however many tests contain it.

Families of litmus tests are combinations of a few threads, so that every second function of a campaign was
met before. Such a function is read *at home*, in a source of its own, and what comes out is moved to where
it stands in a test. One with errors is left to be read in place, where its diagnostics can point to.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from membar.frontends.litmus.dialects.c.language import Language
from membar.frontends.litmus.dialects.c.lowering import Code, lower
from membar.frontends.litmus.dialects.c.parser import in_order
from membar.frontends.litmus.dialects.c.syntax import Function, Parameter
from membar.frontends.litmus.dialects.c.tokens import KEPT, plain_functions
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
        function = _at_home(place.text, language)
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
    pointed = tuple(_pointed(address, objects) for address in addresses.values())
    code = _code_at_home(function.place.text, language, pointed, variables)
    return None if code is None else _moved_code(code, function.place)


def _pointed(address: Address, objects: Mapping[str, MemoryObject]) -> Pointed:
    item = objects.get(address.name)
    shape = (0, 0) if item is None else (item.size, item.count)
    return (address.name, address.offset, *shape)


@lru_cache(maxsize=KEPT)
def _at_home(text: str, language: Language) -> Function | None:
    """The only function of a text; None if there are others, or errors."""
    functions, diagnostics = in_order(SourceFile("", text).span(0, len(text)), language)
    return functions[0] if len(functions) == 1 and not diagnostics else None


@lru_cache(maxsize=KEPT)
def _code_at_home(
    text: str, language: Language, pointed: tuple[Pointed, ...], variables: tuple[str, ...]
) -> Code | None:
    """The automaton of a function whose parameters are these addresses; None if it has errors."""
    function = _at_home(text, language)
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
        Parameter(parameter.name, parameter.type, _moved(parameter.span, place))
        for parameter in function.parameters
    )
    span = _moved(function.span, place)
    return Function(function.number, parameters, function.body, span, is_whole=True, place=place)


def _moved_code(code: Code, place: Span) -> Code:
    edges = tuple(
        Edge(
            source=edge.source,
            target=edge.target,
            operations=edge.operations,
            guard=edge.guard,
            unordered=edge.unordered,
            span=None if edge.span is None else _moved(edge.span, place),
        )
        for edge in code.edges
    )
    return Code(entry=code.entry, edges=edges, joins=code.joins, locals=code.locals, diagnostics=())


def _moved(span: Span, place: Span) -> Span:
    return Span(place.source, place.start + span.start, place.start + span.end)


def forget() -> None:
    """Forgets all functions, for measurements."""
    _at_home.cache_clear()
    _code_at_home.cache_clear()
