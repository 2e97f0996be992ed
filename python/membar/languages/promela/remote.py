"""What statements read of other processes: `P[i]@label` and `P[i]:x`.

A process sees shared memory only. So what others ask for is kept there, too: whether a process with a certain
number is at a label, and the values of its variables. Each step that changes it writes it, at once; no
processor has such memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.diagnostics import error
from membar.languages.promela import syntax as p
from membar.languages.promela.scheduling import enabled_register, priority_of
from membar.languages.promela.scope import Scalar, Storage
from membar.languages.promela.values import CellReference, Values, assignment
from membar.program.dependencies import registers_written
from membar.program.expr import FALSE, TRUE, Constant, Expr, Register, Select, equals
from membar.program.folding import fold, logical_not
from membar.program.operations import Operation
from membar.program.program import Edge
from membar.records import record, replace
from membar.source import Span


@record(frozen=True, slots=True)
class Seen:
    """Something of the process with a number: a label, or a register; neither: whether it exists.

    Without the name of a process it is of the thread, whatever process it is, and its control point.
    """

    number: int
    process: str
    label: str = ""
    register: str = ""


@record(frozen=True, slots=True)
class Mirror:
    """Memory that says whether a thread is at one of these points, or the value of a register.

    Without either it says at which point the thread is.
    """

    storage: Storage
    points: frozenset[int] | None = None
    register: str = ""


class RemoteReferences:
    """What the statements of a text ask.

    Attributes:
        processes: by number, the names of the processes that can have it; empty while that is not known.
        seen: what they ask for, and where it is kept.
    """

    def __init__(self) -> None:
        self.processes: Sequence[frozenset[str]] = ()
        self.seen: dict[Seen, Storage] = {}

    def answer(self, question: p.ProcessQuestion, values: Values, asker: int) -> Expr:
        """The answer to `enabled(e)`, `pc_value(e)` or `get_priority(e)`; 0 if there is no such process."""
        wanted = fold(values.of(question.number))
        if question.word == "enabled":
            message = f"`{question.span.flat_text}` asks about the process itself"
            values.demand(logical_not(equals(wanted, Constant(asker))), TRUE, message, question.span)
        result: Expr = FALSE
        for number in range(len(self.processes)):
            is_it = fold(equals(wanted, Constant(number)))
            if is_it == FALSE:
                continue
            if question.word == "enabled":
                found: Expr = TRUE if number == asker else Register(enabled_register(number))
            elif question.word == "pc_value":
                found = values.load(CellReference(self.shown(number, "", question.span), None))
            else:
                found = values.load(CellReference(priority_of(number, question.span), None))
            result = fold(Select(is_it, found, result))
        return result

    def shown(self, number: int, register: str, span: Span) -> Storage:
        """Memory with a register of the thread with a number; without a name, with its control point."""
        return self._storage(Seen(number, "", register=register), span)

    def value(self, remote: p.Remote, values: Values) -> Expr:
        """The value of a reference; 0 if there is no such process."""
        numbers = [number for number, names in enumerate(self.processes) if remote.process in names]
        if not self.processes:
            return Register("#remote")  # the text is read again, with the processes that there are
        if not numbers:
            known = ", ".join(sorted(frozenset[str]().union(*self.processes)))
            raise error("W0706", f"unknown process `{remote.process}`", remote.span, f"declared: {known}")
        wanted = None if remote.number is None else fold(values.of(remote.number))
        result: Expr = FALSE
        for number in reversed(numbers):
            if wanted is None:  # the first that there is
                test = values.load(self._cell(Seen(number, remote.process), remote.span))
            else:
                test = fold(equals(wanted, Constant(number)))
            if test != FALSE:
                result = fold(Select(test, self._look(number, remote, values), result))
        return result

    def _look(self, number: int, remote: p.Remote, values: Values) -> Expr:
        if remote.label is not None:
            seen = Seen(number, remote.process, label=remote.label)
        else:
            seen = Seen(number, remote.process, register=_register(remote, values))
        return values.load(self._cell(seen, remote.span))

    def _cell(self, seen: Seen, span: Span) -> CellReference:
        return CellReference(self._storage(seen, span), None)

    def _storage(self, seen: Seen, span: Span) -> Storage:
        if seen not in self.seen:
            part = f"@{seen.label}" if seen.label else f":{seen.register}" if seen.register else ""
            self.seen[seen] = Storage(
                name=f"{seen.process or 'process'}[{seen.number}]{part}",
                scalar=Scalar(32, signed=True) if seen.register else Scalar(16, signed=False),
                dimensions=(),
                own=None,
                is_shared=True,
                is_ghost=True,
                span=span,
            )
        return self.seen[seen]


def _register(remote: p.Remote, values: Values) -> str:
    """The register of the variable that a reference names."""
    variable = remote.variable
    if variable is None:
        raise AssertionError("neither a label nor a variable")
    index = None if variable.index is None else fold(values.of(variable.index))
    if variable.field is not None or not (index is None or isinstance(index, Constant)):
        message = f"`{remote.span.flat_text}` in a statement"
        raise error("W0711", message, remote.span, "expected a scalar, or an element with a constant index")
    return variable.name if index is None else f"{variable.name}[{index.value}]"


def edge_with_mirrors(edge: Edge, mirrors: Sequence[Mirror]) -> Edge:
    """An edge that also writes what others see of its thread."""
    added: list[Operation] = []
    written = {name for operation in edge.operations for name in registers_written(operation)}
    for mirror in mirrors:
        cell = CellReference(mirror.storage, None)
        if mirror.register:
            if mirror.register in written:
                added += assignment(cell, Register(mirror.register))
        elif mirror.points is None:
            if edge.source != edge.target:
                added += assignment(cell, Constant(edge.target))
        elif (edge.source in mirror.points) is not (edge.target in mirror.points):
            added += assignment(cell, Constant(int(edge.target in mirror.points)))
    return replace(edge, operations=(*edge.operations, *added)) if added else edge
