"""Which processes can take a step into a cube: a single cell usually rules a process out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from membar.records import record
from membar.systems import terms as t
from membar.systems.events import EventCube, EventKind
from membar.systems.mapping import Renaming, places, process_renamed
from membar.systems.system import Assign, Transition, Update, Value

Cell: TypeAlias = tuple[str, tuple[t.Process, ...]]
# A symbol, and the constructor that a cell of it has after the step.
Left: TypeAlias = tuple[str, Value]


def values_of(literals: t.Conjunction) -> dict[Cell, Value]:
    """The registers that literals equate with a constructor."""
    return {
        (one.left.symbol, one.left.indices): one.right
        for one in literals
        if one.comparison is t.Comparison.EQUAL
        and isinstance(one.left, t.Access)
        and one.left.reader is None
        and isinstance(one.right, t.Constructor)
    }


def cell_of(update: Assign, names: Renaming) -> Cell:
    """The cell that an assignment sets."""
    return update.symbol, tuple([process_renamed(index, names) for index in update.indices])


@record(frozen=True, slots=True)
class Leaving:
    """The values of cells after a transition that are known for every acting process.

    Attributes:
        cells: what the guard says of cells that stay as they are, and what assignments make of others.
        of_parameters: those of one parameter alone.
        of_all: those of nobody.
        updated: the symbols of which cells are changed.
    """

    cells: tuple[tuple[Cell, Value], ...]
    of_parameters: Mapping[t.ProcessVariable, tuple[Left, ...]]
    of_all: tuple[Left, ...]
    updated: frozenset[str]


def leaving(transition: Transition) -> Leaving:
    """The known values of cells after a transition."""
    updated = frozenset(update.symbol for update in transition.updates)
    cells = [item for item in values_of(transition.guard).items() if item[0][0] not in updated]
    cells += [
        ((update.symbol, update.indices), update.value)
        for update in transition.updates
        if isinstance(update, Assign) and isinstance(update.value, t.Constructor)
    ]
    of_parameters: dict[t.ProcessVariable, list[Left]] = {one: [] for one in transition.parameters}
    further: list[tuple[Cell, Value]] = []
    of_all: list[Left] = []
    for (symbol, indices), value in cells:
        if not indices:
            of_all.append((symbol, value))
        elif len(indices) == 1 and isinstance(indices[0], t.ProcessVariable) and indices[0] in of_parameters:
            of_parameters[indices[0]].append((symbol, value))
        else:
            further.append(((symbol, indices), value))
    of_one = {one: tuple(said) for one, said in of_parameters.items()}
    return Leaving(tuple(further), of_one, tuple(of_all), updated)


class Facts:
    """The known values of cells in a cube.

    Attributes:
        cells: those that are a constructor.
        waiting: those for whose value a read waits.
        accesses: all that it speaks of, by symbol.
    """

    def __init__(self, cube: EventCube) -> None:
        self.cells = values_of(cube.literals)
        self.waiting = {
            (place.symbol, place.indices)
            for event in cube.events
            if event.kind is EventKind.READ
            for place in event.locations
        }
        self.accesses: dict[str, list[t.Access]] = {}
        for place in dict.fromkeys(places(cube.literals)):
            if isinstance(place, t.Access):
                self.accesses.setdefault(place.symbol, []).append(place)
        self._spoken = self.waiting | {
            (place.symbol, place.indices) for found in self.accesses.values() for place in found
        }
        self._symbols = {symbol for symbol, _ in self._spoken}
        self._of_all: dict[str, Value] = {}
        self._of: dict[t.Process, dict[str, Value]] = {}
        for (symbol, indices), value in self.cells.items():
            if not indices:
                self._of_all[symbol] = value
            elif len(indices) == 1:
                self._of.setdefault(indices[0], {})[symbol] = value

    def may_change_mentioned_cell(self, update: Update, names: Renaming) -> bool:
        """Whether an update may change a cell that the cube mentions or waits for."""
        if not isinstance(update, Assign):
            return update.symbol in self._symbols
        return update.symbol in self._symbols and cell_of(update, names) in self._spoken

    def waits_for(self, update: Update, names: Renaming) -> bool:
        """Whether a pending read may take its value from an update."""
        if not isinstance(update, Assign):
            return any(symbol == update.symbol for symbol, _ in self.waiting)
        return cell_of(update, names) in self.waiting

    def allows(self, left: Leaving) -> bool:
        """Whether a step that leaves these values may lead into the cube from outside, for any process."""
        said = self._of_all
        return not self._symbols.isdisjoint(left.updated) and all(
            said.get(symbol, value) == value for symbol, value in left.of_all
        )

    def allows_of(self, left: tuple[Left, ...], process: t.Process) -> bool:
        """Whether a step that leaves this of a process may lead into the cube."""
        said = self._of.get(process)
        return said is None or all(said.get(symbol, value) == value for symbol, value in left)
