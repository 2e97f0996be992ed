"""What the final states of a litmus test show, in the order in which herd prints it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from membar.program.condition import FinalCell, FinalRegister, Observed
from membar.records import record

OrderKey: TypeAlias = tuple[tuple[int, int, str], ...]


def natural_order(name: str) -> OrderKey:
    """Sorts `X2` before `X10`."""
    return tuple(
        (1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"([0-9]+)", name) if part
    )


def plain_label(register: FinalRegister) -> str:
    """`0:EAX`."""
    return f"{register.thread}:{register.register}"


@record(frozen=True, slots=True)
class ArrayColumn:
    """A whole array."""

    name: str
    cells: tuple[FinalCell, ...]


@record(frozen=True, slots=True)
class Element:
    """`v[1]`."""

    cell: FinalCell


# A place that the question names; a bare FinalCell is a scalar location.
Mention: TypeAlias = FinalRegister | FinalCell | ArrayColumn | Element


def in_order(
    mentions: Iterable[Mention], order: Callable[[str], OrderKey], label: Callable[[FinalRegister], str]
) -> Iterator[Observed]:
    """As herd shows final states: registers, then locations and whole arrays, then single elements."""
    unique = dict.fromkeys(mentions)
    registers = {label(item): item for item in unique if isinstance(item, FinalRegister)}
    for name, register in sorted(
        registers.items(), key=lambda pair: (pair[1].thread, order(pair[1].register))
    ):
        yield Observed(register, name)
    for item in sorted((m for m in unique if isinstance(m, FinalCell | ArrayColumn)), key=lambda m: m.name):
        if isinstance(item, FinalCell):
            yield Observed(item, item.name)
        else:
            for cell in item.cells:
                yield Observed(cell, f"{cell.name}[{cell.index}]", array=cell.name)
    elements = [item.cell for item in unique if isinstance(item, Element)]
    for cell in sorted(elements, key=lambda cell: (cell.name, cell.index)):
        yield Observed(cell, f"{cell.name}[{cell.index}]")
