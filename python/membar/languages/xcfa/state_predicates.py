"""`error state …` about shared variables or several processes: a predicate on the state of the whole program.

Only engines that run states can look at it (see `Program.errors`): in an execution graph the processes have
no common present.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.languages.xcfa import syntax as x
from membar.languages.xcfa.expressions import of_type
from membar.languages.xcfa.process_predicates import indistinguishable_locations_error
from membar.languages.xcfa.scope import AtLocation, OfProcess, named
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
        match named(use, self._module):
            case x.Variable() as variable:
                return CellValue(use.name), variable.type
            case OfProcess(process, variable):
                return RegisterValue(process, use.name), variable.type
            case AtLocation(process, name):
                points = frozenset(point for point, label in self._threads[process].labels if label == name)
                if not points:
                    raise indistinguishable_locations_error(use)
                return AtPoint(process, points), x.Type.BOOL
