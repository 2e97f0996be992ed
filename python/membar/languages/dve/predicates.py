"""DVE expressions about states: assertions, guards of properties, and what `--error` asks."""

from __future__ import annotations

from collections.abc import Mapping

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.languages.dve.arithmetic import Arithmetic, Value, literal, select_element
from membar.languages.dve.scope import Process, Scope, Variable, unknown
from membar.program.expr import Binary, BinaryOp, Constant, Expr, Register, equals
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.records import record


@record(frozen=True, slots=True)
class ProcessPoints:
    """Where processes are found in the program: a thread, and the points of it that are a state of theirs.

    Where `points` has no entry for a process, memory says where it is.
    """

    threads: Mapping[str, int]
    points: Mapping[str, Mapping[str, frozenset[int]]]


class Predicates(Arithmetic):
    """One predicate, growing: `process` says whose names are meant."""

    def __init__(self, scope: Scope, process_points: ProcessPoints, process: Process | None = None) -> None:
        self.scope = scope
        self.process_points = process_points
        self.process = process
        self.reads: dict[Observable, str] = {}

    def predicate(self, expr: Expr, text: str) -> StatePredicate:
        """The predicate that an expression of values read here makes."""
        return StatePredicate(expr, tuple((name, seen) for seen, name in self.reads.items()), text)

    def read(self, tree: x.Variable) -> Value:
        """A variable that the process sees."""
        variable = self.scope.variable(tree.name, self.process, tree.span)
        own = self.process is not None and tree.name in self.process.variables
        return self._value(variable, self.process if own else None, tree)

    def foreign(self, tree: x.ProcessVariableReference) -> Value:
        """A variable of another process."""
        process = self.scope.process(tree.process, tree.span)
        seen = tree.variable
        if seen.name not in process.variables:
            raise unknown(f"variable of `{process.name}`", seen.name, process.variables, seen.span)
        return self._value(process.variables[seen.name], process, seen)

    def in_state(self, tree: x.InState) -> Value:
        """1 or 0."""
        process = self.scope.process(tree.process, tree.span)
        if tree.state not in process.states:
            raise unknown(f"state of `{process.name}`", tree.state, process.states, tree.span)
        return Value(self.is_in(process, tree.state, tree), (0, 1))

    def is_in(self, process: Process, state: str, tree: x.InState | x.Word) -> Expr:
        """Whether a process is in a state: 1 or 0."""
        if process.name not in self.process_points.threads:
            raise error(
                "W1009", f"`{process.name}` is the property process itself", tree.span, "not allowed here"
            )
        points = self.process_points.points.get(process.name)
        if points is None:
            found = self._register(CellValue(process.state_object))
            return equals(found, Constant(process.states[state]))
        return self._register(AtPoint(self.process_points.threads[process.name], points[state]))

    def _value(self, variable: Variable, process: Process | None, tree: x.Variable) -> Value:
        count = variable.count or 1
        if (tree.index is None) is not (variable.count is None):
            is_array = variable.count is not None
            what = f"`{variable.name}` is {'an' if is_array else 'not an'} array"
            raise error("W1009", what, tree.span, f"expected {'an' if is_array else 'no'} index")
        index = literal(0) if tree.index is None else self.value(tree.index)
        known = index.constant
        if known is not None and not 0 <= known < count:
            message = f"`{tree.span.flat_text}` is out of bounds"
            raise error("W1009", message, tree.span, f"`{variable.name}` has {count} elements")
        if known is not None:
            return Value(self._element(variable, process, known), variable.type.range)
        elements = [self._element(variable, process, number) for number in range(count)]
        inside = Binary(BinaryOp.LT, index.expr, Constant(count))
        value = Binary(BinaryOp.MUL, inside, select_element(index.expr, elements))  # 0 where there is none
        low, high = variable.type.range
        return Value(value, (min(low, 0), max(high, 0)))

    def _element(self, variable: Variable, process: Process | None, index: int) -> Expr:
        if variable.constant:
            return Constant(variable.initial[index])
        if variable.object is not None:
            return self._register(CellValue(variable.object, index))
        if process is None:
            raise AssertionError("variables of nobody are in memory")
        return self._register(
            RegisterValue(self.process_points.threads[process.name], variable.element(index))
        )

    def _register(self, seen: Observable) -> Register:
        name = self.reads.setdefault(seen, f"s{len(self.reads)}")
        return Register(name)
