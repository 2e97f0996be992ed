"""Unique names for everything in a translated program."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from membar.questions.export.model import Kind, Model, Variable


class Names:
    """Names that are in use; `reserved` are keywords of the language."""

    def __init__(self, reserved: Collection[str]) -> None:
        self._taken = set(reserved)

    @property
    def all_names(self) -> frozenset[str]:
        """All names in use."""
        return frozenset(self._taken)

    def fresh(self, wanted: str) -> str:
        """An unused name similar to the wanted one."""
        base = re.sub(r"\W+", "_", wanted, flags=re.ASCII).strip("_") or "v"
        if base[0].isdigit():
            base = f"v{base}"
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


def variable_names(
    model: Model, names: Names, threads: Iterable[str], *, local: bool, lists: bool
) -> dict[str, str]:
    """The names of the variables: elements of arrays with their index.

    `threads` are the names of the threads; with `local`, registers are called as in their thread, since
    others of that name are apart. Without `lists`, elements that do not begin alike are variables apart.
    """
    program = model.program
    called = list(threads)
    arrays: dict[str, str] = {}
    found: dict[str, str] = {}
    apart = set[str]()
    for item in program.objects:
        starts = {cell.initial for cell in program.cells if cell.object is item}
        if len(starts) > 1 and not lists:
            apart.add(item.name)
        else:
            arrays[item.name] = names.fresh(item.name)
    for key, variable in model.variables.items():
        if variable.kind is Kind.MEMORY:
            cell = program.cells[variable.cell]
            if cell.object.name in apart:
                found[key] = names.fresh(cell.name)
                continue
            name = arrays[cell.object.name]
            found[key] = f"{name}[{cell.index}]" if cell.object.is_array or cell.object.count > 1 else name
    for number, thread in enumerate(called):
        queue = names.fresh(f"queue_{thread}") if model.queues[number] else ""
        slots: dict[int, str] = {}
        for key, variable in model.variables.items():
            if variable.thread != number or variable.kind is Kind.REGISTER:
                continue
            if variable.kind is Kind.QUEUE:
                found[key] = f"{queue}[{variable.slot}]"
            elif variable.kind is Kind.SLOT and model.bound > 1:
                if variable.cell not in slots:
                    slots[variable.cell] = names.fresh(_preferred_name(model, variable, thread))
                found[key] = f"{slots[variable.cell]}[{variable.slot}]"
            else:
                found[key] = names.fresh(_preferred_name(model, variable, thread))
    for number, thread in enumerate(called):
        own = names if not local else Names(names.all_names)
        for key, variable in model.variables.items():
            if variable.kind is Kind.REGISTER and variable.thread == number:
                found[key] = own.fresh(variable.register if local else f"{thread}_{variable.register}")
    return found


def _preferred_name(model: Model, variable: Variable, thread: str) -> str:
    if variable.cell < 0:
        return {Kind.LENGTH: f"len_{thread}", Kind.BORN: f"born_{thread}"}[variable.kind]
    cell = model.program.cells[variable.cell].name
    prefix = "sb" if variable.kind is Kind.SLOT else "i" if model.bound == 1 else "n"
    return f"{prefix}_{cell}_{thread}"
