"""The arguments with which clients call the operations of an `.obj` object.

Annotations in the text choose them, as in C files. Without one an argument is fresh if the object only
copies it. If the object examines it (`data_independence.py`), clients also use each number that it meets in
the text, and one of two numbers that several calls share, as long as there are not too many clients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from membar.objects.algebra import evaluate_term
from membar.objects.annotations import Choice, Kind, ObjectNotes, Operation, Parameter, read_calls
from membar.objects.client import Size, number_of_clients
from membar.objects.data_independence import ParameterUse, parameter_uses
from membar.objects.syntax import ConcurrentObject
from membar.objects.syntax import Operation as Code
from membar.objects.terms import Space, Variable, subterms
from membar.records import replace

_FEW_CLIENTS: Final = 400
_MOST_NUMBERS: Final = 8
_LARGEST: Final = 1 << 62


def has_only_copies(item: ConcurrentObject) -> bool:
    """Whether neither code nor specification examines an argument."""
    return not any(place.is_examined for places in parameter_uses(item).values() for place in places)


def notes_of(item: ConcurrentObject, size: Size) -> ObjectNotes:
    """The calls of clients of a size: as annotated, or else with as many kinds of arguments as fit.

    Raises:
        InputError: a note is wrong.
    """
    said = {
        operation.name: operation
        for operation in read_calls(
            item.source, {operation.name: len(operation.parameters) for operation in item.operations}
        )
    }
    looked = parameter_uses(item)
    numbers = [value for places in looked.values() for place in places for value in place.constants]
    shared = _unused_numbers(numbers)
    beyond = max([0, *(value for value in numbers if value < _LARGEST)])
    attempts: list[Callable[[ParameterUse], Parameter]] = [
        lambda place: _parameter(place, shared, is_fresh=True),
        lambda place: _parameter(place, shared, is_fresh=False),
        lambda place: _parameter(place, (), is_fresh=True),
    ]
    for attempt in attempts:
        parameters = {name: tuple(map(attempt, places)) for name, places in looked.items()}
        found = _notes(item, said, parameters, beyond)
        if number_of_clients(found, size) <= _FEW_CLIENTS:
            return found
    fresh = {name: tuple(Parameter(Kind.FRESH) for _ in places) for name, places in looked.items()}
    return _notes(item, said, fresh, beyond)


def _unused_numbers(numbers: list[int]) -> tuple[int, int]:
    """Two numbers that several calls may get, besides those in the text."""
    first, second = sorted(set(range(1, len(numbers) + 3)) - set(numbers))[:2]
    return first, second


def _parameter(place: ParameterUse, shared: tuple[int, ...], *, is_fresh: bool) -> Parameter:
    """The possible values of a parameter, given how it is examined."""
    if not place.is_examined:
        return Parameter(Kind.FRESH)
    near = sorted((value for value in place.constants if abs(value) < _LARGEST), key=abs)[:_MOST_NUMBERS]
    values = tuple(sorted({*near, *(shared if place.has_partners else ())}))
    return Parameter(Kind.FRESH if is_fresh or not place.has_partners else Kind.VALUES, values)


def _notes(
    item: ConcurrentObject,
    said: dict[str, Operation],
    parameters: dict[str, tuple[Parameter, ...]],
    beyond: int,
) -> ObjectNotes:
    operations = tuple(
        said.get(code.name)
        or Operation(name=code.name, parameters=parameters[code.name], threads=None, span=code.span)
        for code in item.operations
    )
    notes = ObjectNotes(
        specification=None, specified_at=None, operations=operations, begin=None, beyond=beyond
    )
    fresh = notes.first_fresh
    allowed = tuple(
        _allowed_operation(operation, item.operation(operation.name), fresh)
        if operation.name not in said
        else operation
        for operation in operations
    )
    return replace(notes, operations=allowed)


def _allowed_operation(operation: Operation, code: Code, fresh: int) -> Operation:
    """The operation without arguments that its `requires` never allows, whatever private variables are."""
    used = {part for part in subterms(code.requires) if isinstance(part, Variable)}
    if any(variable.space is Space.PRIVATE for variable in used):
        return operation
    kept = tuple(choice for choice in operation.choices if _is_allowed(code, choice, fresh))
    places = [{choice[number] for choice in kept} for number in range(len(code.parameters))]
    return replace(operation, parameters=tuple(map(_parameter_of, places)), allowed=kept)


def _is_allowed(code: Code, choice: Choice, fresh: int) -> bool:
    given = {
        name: fresh if value is None else value for name, value in zip(code.parameters, choice, strict=True)
    }
    return bool(evaluate_term(code.requires, lambda variable: given[variable.name]))


def _parameter_of(values: set[int | None]) -> Parameter:
    """The parameter that takes just these."""
    numbers = tuple(sorted(value for value in values if value is not None))
    return Parameter(Kind.FRESH if None in values else Kind.VALUES, numbers)
