"""`error state …` about shared variables or several processes: a predicate on the state of the whole program.

Only engines that run states can look at it (see `Program.errors`): in an execution graph the processes have
no common present.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.diagnostics import InputError, error
from membar.languages.xcfa import syntax as x
from membar.languages.xcfa.expressions import of_type
from membar.languages.xcfa.state import not_told_apart
from membar.program.expr import Expr, Register
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Thread


def whole_state(predicate: x.Expr, module: x.Module, threads: Sequence[Thread]) -> StatePredicate:
    """The predicate on states that an expression over variables and locations means.

    Raises:
        InputError: types do not fit, or a name is unknown.
    """
    reader = _Reader(module, threads)
    expression = of_type(predicate, x.Type.BOOL, reader.value)
    return StatePredicate(expression, tuple(reader.reads.items()), predicate.span.flat_text)


class _Reader:
    """Collects what an expression looks at."""

    def __init__(self, module: x.Module, threads: Sequence[Thread]) -> None:
        self._module = module
        self._threads = threads
        self.reads: dict[str, Observable] = {}

    def value(self, use: x.Use) -> tuple[Expr, x.Type]:
        name = use.name if use.process is None else f"{use.process}.{use.name}"
        seen, kind = self._observable(use)
        self.reads[name] = seen
        return Register(name), kind

    def _observable(self, use: x.Use) -> tuple[Observable, x.Type]:
        if use.process is None:
            for variable in self._module.variables:
                if variable.name == use.name and variable.type in (x.Type.INT, x.Type.BOOL):
                    return CellValue(use.name), variable.type
        for number, process in enumerate(self._module.processes):
            if use.process in (None, process.name):
                found = self._of_process(use, number, process)
                if found is not None:
                    return found
        raise _unknown(use)

    def _of_process(self, use: x.Use, number: int, process: x.Process) -> tuple[Observable, x.Type] | None:
        (main,) = (item for item in process.procedures if item.is_main)
        if use.process is not None:
            for variable in (*process.variables, *main.variables):
                if variable.name == use.name:
                    return RegisterValue(number, use.name), variable.type
        if all(location.name != use.name for location in main.locations):
            return None
        points = frozenset(point for point, name in self._threads[number].labels if name == use.name)
        if not points:
            raise not_told_apart(use)
        return AtPoint(number, points), x.Type.BOOL


def _unknown(use: x.Use) -> InputError:
    return error(
        "W0604",
        f"unknown variable or location `{use.name}`",
        use.span,
        "not declared",
        help="write a shared variable by its name, and a variable of a process as `process.name`",
    )
