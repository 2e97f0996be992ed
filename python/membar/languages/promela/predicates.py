"""Expressions about a whole state: shared memory, variables and labels of every process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from membar.diagnostics import InputError, error
from membar.languages.promela import syntax as p
from membar.languages.promela.channels import Messages
from membar.languages.promela.scheduling import Scheduling, cell_of, priority_of
from membar.languages.promela.scope import Channel, Scope, Storage
from membar.languages.promela.steps import Steps
from membar.languages.promela.values import CellReference, Reads, Values, constant
from membar.languages.promela.variables import Built
from membar.program.expr import FALSE, TRUE, Constant, Expr, Register, Select, equals
from membar.program.folding import both, fold, logical_not, truth
from membar.program.operations import Load
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.records import record
from membar.source import without_parentheses

_MOST_CELLS = 256


@record(frozen=True, slots=True)
class Running:
    """A thread of the program, as its process was written.

    Attributes:
        number: of the thread.
        points: the control points at which it is this process, where processes are a stack; else None.
    """

    number: int
    thread: str
    process: str
    pid: int | None
    built: Built
    steps: Steps
    points: frozenset[int] | None = None


class StateReader:
    """Reads one predicate."""

    def __init__(
        self,
        scope: Scope,
        running: Sequence[Running],
        channels: Sequence[Channel] | None = None,
        scheduling: Scheduling | None = None,
    ) -> None:
        self._scope = scope
        self.channels = channels
        self._scheduling = scheduling
        self._running = running
        self._seen: dict[Observable, str] = {}
        self.notes: list[str] = []

    def predicate(self, expr: p.Expr, *, negated: bool = False) -> StatePredicate:
        """The predicate that an expression is, or that it does not hold."""
        value = fold(truth(self._value(expr)))
        reads = tuple((name, seen) for seen, name in self._seen.items())
        if not negated:
            return StatePredicate(value, reads, expr.span.flat_text)
        if isinstance(expr, p.Prefix) and expr.sign == "!":
            text = without_parentheses(expr.operand.span.flat_text)
        else:
            text = f"!({without_parentheses(expr.span.flat_text)})"
        return StatePredicate(logical_not(value), reads, text)

    def _value(self, expr: p.Expr) -> Expr:
        """The value of an expression; the parts that only formulas have are replaced first."""
        return _StateValues(self).of(expr)

    def look(self, seen: Observable) -> Expr:
        """The value of something in the state."""
        return Register(self._seen.setdefault(seen, f"#{len(self._seen)}"))

    def at(self, remote: p.Remote) -> Expr:
        """Whether a process is at a label."""
        return self._of_process(remote, lambda item: self._at_label(item, remote))

    def _at_label(self, item: Running, remote: p.Remote) -> Expr:
        automaton = item.built.automaton
        if remote.label not in automaton.labels:
            known = ", ".join(sorted(automaton.labels))
            raise error(
                "W0706",
                f"process `{item.process}` has no label `{remote.label}`",
                remote.span,
                f"labels: {known}" if known else "it has none",
            )
        points = item.steps.points.get(automaton.follow_jumps(automaton.labels[remote.label]), [])
        return self.look(AtPoint(item.number, frozenset(points)))

    def local(self, remote: p.Remote) -> Expr:
        """The value of a variable of a process."""
        return self._of_process(remote, lambda item: self._variable(item, remote))

    def _variable(self, item: Running, remote: p.Remote) -> Expr:
        variable = remote.variable
        if variable is None:
            raise AssertionError("neither a label nor a variable")
        if variable.name not in item.built.variables or variable.field is not None:
            known = ", ".join(sorted(item.built.variables))
            raise error(
                "W0706",
                f"process `{item.process}` has no variable `{variable.name}`",
                variable.span,
                f"variables: {known}" if known else "it has none",
            )
        storage = item.built.variables[variable.name]
        return self.cell(storage, self._index(storage, variable), item.number)

    def _of_process(self, remote: p.Remote, value_in: Callable[[Running], Expr]) -> Expr:
        """Something of the process that a name means; on a stack, of the first that there is then."""
        if remote.number is not None and not _is_constant(remote.number, self._scope):
            return self._of_any_process(remote, value_in)
        found = self._processes(remote)
        if not found:
            return FALSE
        if found[0].points is None:
            return value_in(found[0])
        value: Expr = FALSE
        for item in reversed(found):
            is_there = self.look(AtPoint(item.number, item.points or frozenset()))
            value = Select(is_there, value_in(item), value)
        return value

    def _of_any_process(self, remote: p.Remote, value_in: Callable[[Running], Expr]) -> Expr:
        """Something of the process with a number that is computed; 0 if there is none with this name."""
        found = [item for item in self._running if item.process == remote.process and item.pid is not None]
        if not found or remote.number is None:
            known = ", ".join(sorted({item.process for item in self._running}))
            message = f"unknown process in `{remote.span.flat_text}`"
            raise error("W0706", message, remote.span, f"processes: {known}")
        number = fold(self._value(remote.number))
        value: Expr = FALSE
        for item in found:
            test = fold(equals(number, Constant(item.pid or 0)))
            if item.points is not None:
                test = both(test, self.look(AtPoint(item.number, item.points)))
            value = Select(test, value_in(item), value)
        return value

    def _index(self, storage: Storage, variable: p.Use) -> Expr | None:
        if (storage.own is None) is not (variable.index is None):
            what = "no array" if storage.own is None else "an array"
            raise error("W0707", f"`{variable.name}` is {what}", variable.span, "expected a value")
        return None if variable.index is None else fold(self._value(variable.index))

    def cell(self, storage: Storage, index: Expr | None, thread: int | None) -> Expr:
        """The value of a cell of a variable."""
        if index is None:
            return self._cell(storage, 0, thread)
        if isinstance(index, Constant):
            if index.value >= storage.count:
                raise error(
                    "W0705", f"index of `{storage.name}` out of bounds", storage.span, "declared here"
                )
            return self._cell(storage, index.value, thread)
        if storage.count > _MOST_CELLS:
            raise error(
                "W0705", f"`{storage.name}` is too large", storage.span, f"at most {_MOST_CELLS} elements"
            )
        value: Expr = FALSE
        for number in reversed(range(storage.count)):
            value = Select(equals(index, Constant(number)), self._cell(storage, number, thread), value)
        return value

    def _cell(self, storage: Storage, cell: int, thread: int | None) -> Expr:
        if thread is None:
            return self.look(CellValue(storage.name, cell))
        return self.look(RegisterValue(thread, storage.register(cell)))

    def _processes(self, remote: p.Remote) -> list[Running]:
        """The processes that `P`, `P[i]` or `P_i` may mean, none if no `P` has this number.

        Of several the first counts, as in SPIN.
        """
        name, number = remote.process, remote.number
        pid = None if number is None else constant(number, self._scope)
        found = [
            item
            for item in self._running
            if (item.process == name and pid in (None, item.pid)) or (number is None and item.thread == name)
        ]
        if not found:
            known = ", ".join(f"{item.process}[{item.pid}]" for item in self._running)
            if any(item.process == name for item in self._running):
                self.notes.append(f"`{remote.span.flat_text}` is always 0, as in SPIN; processes: {known}")
                return []
            raise error(
                "W0706", f"unknown process in `{remote.span.flat_text}`", remote.span, f"processes: {known}"
            )
        found.sort(key=lambda item: (item.pid is None, item.pid or 0))
        if len(found) > 1:
            first = found[0]
            numbered = f"{name}[{first.pid}]" if first.pid is not None else first.thread
            many = (
                "that there is"
                if first.points is not None
                else f"of {len(found)} processes `{name}`, {numbered}"
            )
            self.notes.append(f"`{remote.span.flat_text}` means the first {many}, as in SPIN")
        return found

    def no_progress(self) -> Expr:
        """Whether no process is at a label `progress…`."""
        value: Expr = TRUE
        for item in self._running:
            automaton = item.built.automaton
            points = {
                point
                for label, place in automaton.labels.items()
                if label.startswith("progress")
                for point in item.steps.points.get(automaton.follow_jumps(place), [])
            }
            if points:
                value = both(value, logical_not(self.look(AtPoint(item.number, frozenset(points)))))
        return value

    def control_point(self, question: p.ProcessQuestion) -> Expr:
        """The number of the control point of a process; SPIN has other numbers for the same points."""
        self.notes.append(
            f"`{question.span.flat_text}` is a number of membar's own: compare such numbers only"
        )
        number = fold(self._value(question.number))
        value: Expr = FALSE
        for item in self._running:
            if item.pid is not None:
                here = self._point_of(item)
                value = Select(fold(equals(number, Constant(item.pid))), here, value)
        return fold(value)

    def _point_of(self, item: Running) -> Expr:
        points = {item.steps.entry}
        points |= {point for edge in item.steps.edges for point in (edge.source, edge.target)}
        value: Expr = FALSE
        for point in sorted(points):
            here = self.look(AtPoint(item.number, frozenset({point})))
            value = Select(here, Constant(point + 1), value)
        return value

    def answer(self, question: p.ProcessQuestion) -> Expr:
        """`enabled(e)` or `get_priority(e)`; 0 if there is no such process."""
        if self._scheduling is None:
            raise AssertionError("the processes of such a text are a stack")
        wanted = fold(self._value(question.number))
        result: Expr = FALSE
        for number in range(1 + max(item.number for item in self._running)):
            is_it = fold(equals(wanted, Constant(number)))
            if is_it == FALSE:
                continue
            if question.word == "enabled":
                found = self._scheduling.enabled(number, self)
            else:
                found = self.look(CellValue(priority_of(number, question.span).name))
            result = fold(Select(is_it, found, result))
        return result

    def is_at(self, number: int, point: int) -> Expr:
        """Whether a thread is at a control point."""
        return self.look(AtPoint(number, frozenset({point})))

    def register(self, number: int, name: str) -> Expr:
        """A register of a thread."""
        return self.look(RegisterValue(number, name))

    def memory(self, load: Load) -> Expr:
        """What a load reads."""
        name, index = cell_of(load)
        if isinstance(index, Constant):
            return self.look(CellValue(name, index.value))
        value: Expr = FALSE
        for number in range(1 if self._scheduling is None else self._scheduling.sizes[name]):
            value = Select(equals(index, Constant(number)), self.look(CellValue(name, number)), value)
        return value

    def is_thread(self, name: str) -> bool:
        """Whether a thread of the program has this name."""
        return any(name in (item.thread, item.process) for item in self._running)

    def has_label(self, name: str, label: str) -> bool:
        """Whether a process has this label."""
        return any(
            label in item.built.automaton.labels
            for item in self._running
            if name in (item.thread, item.process)
        )

    @property
    def scope(self) -> Scope:
        """The global names."""
        return self._scope


class _StateValues(Values):
    """Expressions about a state: shared variables are read from memory, and processes can be named."""

    def __init__(self, reader: StateReader) -> None:
        super().__init__(
            reader.scope, Reads(), special=_refuse, ask=_question_value, channels=reader.channels
        )
        self._reader = reader

    def of(self, expr: p.Expr, needed: Expr = FALSE) -> Expr:
        match expr:
            case p.Remote(label=label) if label is not None:
                return self._reader.at(expr)
            case p.Remote():
                return self._reader.local(expr)
            case p.Special("np_"):
                return self._reader.no_progress()
            case p.ProcessQuestion("pc_value"):
                return self._reader.control_point(expr)
            case p.ProcessQuestion():
                return self._reader.answer(expr)
            case p.Use(name, span, None, p.Use() as part) if self._is_process(name):
                if self._reader.has_label(name, part.name):
                    return self._reader.at(p.Remote(name, None, part.name, None, span))
                return self._reader.local(p.Remote(name, None, None, part, span))
            case _:
                return super().of(expr, needed)

    def _is_process(self, name: str) -> bool:
        return not self.scope.has(name) and self._reader.is_thread(name)

    def load(self, place: CellReference) -> Expr:
        return self._reader.cell(place.storage, place.index, None)


def _is_constant(expr: p.Expr, scope: Scope) -> bool:
    try:
        constant(expr, scope)
    except InputError:
        return False
    return True


def _refuse(special: p.Special) -> Expr:
    raise error(
        "W0711", f"`{special.word}` in a formula is not supported", special.span, "expected a variable"
    )


def _question_value(values: Values, question: p.Ask | p.Peek, _: Expr) -> Expr:
    return Messages(values).question_value(question)
