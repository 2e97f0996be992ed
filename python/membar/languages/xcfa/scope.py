"""What names mean: inside a procedure its variables and those around it; in predicates all variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from membar.diagnostics import Diagnostic, InputError, Label, close_matches, error
from membar.languages.xcfa import syntax as x
from membar.records import record


@record(frozen=True, slots=True)
class Local:
    """A variable of the procedure or process, and the register that holds it."""

    register: str
    type: x.Type


@record(frozen=True, slots=True)
class OfProcess:
    """A variable of a process, by the number of the process."""

    process: int
    variable: x.Variable


@record(frozen=True, slots=True)
class AtLocation:
    """Whether a process, by its number, is at a location."""

    process: int
    name: str


Named: TypeAlias = x.Variable | OfProcess | AtLocation


def named(use: x.Use, module: x.Module) -> Named:
    """What a name in a predicate means. A location's process may be left out if only one has such a location.

    Raises:
        InputError: it means nothing, or several things.
    """
    if use.process is None:
        for variable in module.variables:
            if variable.name == use.name and variable.type in (x.Type.INT, x.Type.BOOL):
                return variable
    places: list[AtLocation] = []
    for number, process in enumerate(module.processes):
        (main,) = (item for item in process.procedures if item.is_main)
        if use.process == process.name:
            for variable in (*process.variables, *main.variables):
                if variable.name == use.name:
                    return OfProcess(number, variable)
        is_meant = use.process in (None, process.name)
        if is_meant and any(location.name == use.name for location in main.locations):
            places.append(AtLocation(number, use.name))
    if len(places) == 1:
        return places[0]
    raise error(
        "W0604",
        f"unknown variable or location `{use.span.flat_text}`",
        use.span,
        "several processes have it" if places else "not declared",
        help="a shared variable is written `name`, a variable of a process `process.name`",
    )


class Scope:
    """Looks names up. `prefix` tells the registers of one call from those of all others.

    Raises:
        InputError: a name is declared twice, or a variable of a process is a mutex or condition.
    """

    def __init__(
        self,
        shared: Mapping[str, x.Variable],
        process: Sequence[x.Variable],
        procedure: x.Procedure,
        *,
        prefix: str,
    ) -> None:
        self.prefix = prefix
        self._shared = shared
        self._locals: dict[str, Local] = {}
        own = [item.variable for item in procedure.parameters] + list(procedure.variables)
        places = dict[str, x.Variable](shared)
        found: list[Diagnostic] = []
        for variable in (*process, *own):
            found += _problems(variable, places)
            places[variable.name] = variable
            is_own = any(variable is item for item in own)
            register = f"{prefix}{variable.name}" if is_own else variable.name
            self._locals[variable.name] = Local(register, variable.type)
        if found:
            raise InputError(*found)

    def variable(self, use: x.Use) -> Local | x.Variable:
        """The variable that a name means."""
        if use.process is not None:
            raise error(
                "W0604",
                f"`{use.process}.{use.name}` inside a process",
                use.span,
                "a process can access only global variables and its own",
            )
        found = self._locals.get(use.name) or self._shared.get(use.name)
        if found is None:
            known = sorted({*self._locals, *self._shared})
            close = close_matches(use.name, known, n=1)
            text = (
                f"did you mean `{close[0]}`?" if close else f"declared: {', '.join(known)}" if known else None
            )
            raise error("W0604", f"unknown variable `{use.name}`", use.span, "not declared", help=text)
        return found

    def local(self, use: x.Use) -> Local:
        """A variable of this process."""
        found = self.variable(use)
        if not isinstance(found, Local):
            raise error(
                "W0604",
                f"`{use.name}` is global",
                use.span,
                "expected a variable of the process",
                help="`local <- global` loads, `local -> global` stores",
            )
        return found

    def global_variable(self, use: x.Use, wanted: x.Type) -> x.Variable:
        """A global variable of a type."""
        found = self.variable(use)
        if isinstance(found, Local):
            raise error("W0604", f"`{use.name}` is local", use.span, "expected a global variable")
        if found.type is not wanted:
            raise error(
                "W0605", f"`{use.name}` is of type {found.type.value}", use.span, f"expected {wanted.value}"
            )
        return found


def _problems(variable: x.Variable, places: Mapping[str, x.Variable]) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    if variable.type not in (x.Type.INT, x.Type.BOOL):
        found += error(
            "W0605",
            f"`{variable.name}` is a local {variable.type.value}",
            variable.span,
            "declare it globally",
        ).diagnostics
    if variable.name in places:
        found.append(
            Diagnostic(
                code="W0603",
                message=f"variable `{variable.name}` is declared twice",
                primary=Label(variable.span, "again here"),
                others=(Label(places[variable.name].span, "first here"),),
                help="give one of the two another name",
            )
        )
    return found
