"""`error state …`: a predicate on one process that must never hold.

In an execution graph the processes have no common state: there is no moment at which a predicate on shared
variables, or on two processes at once, could be evaluated (`state_predicates.py` leaves those to other
engines). One process has states: its locations and variables follow one another in program order. So each
step after which the predicate may hold gets a copy that leads to a separate point, which only a state that
satisfies the predicate passes, into a failed assertion of `errors`. The steps themselves do not change, so no
dependency is added to the program. Copies that no state passes are blocked executions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from membar.diagnostics import InputError, error
from membar.languages.xcfa import syntax as x
from membar.languages.xcfa.expressions import of_type
from membar.program.dependencies import registers_written
from membar.program.expr import FALSE, TRUE, Expr, Register
from membar.program.operations import ERRORS, Assert, Assume
from membar.program.program import Edge, Thread
from membar.records import replace


def process_of(predicate: x.Expr, module: x.Module) -> int | None:
    """The number of the process that a predicate is about; None: several, or shared variables.

    Raises:
        InputError: it is about nothing, or a name is unknown.
    """
    found = {_process(use, module) for use in _uses(predicate)}
    if not found:
        raise error(
            "W0612",
            "a predicate without a process or variable",
            predicate.span,
            "expected `process.location` or a variable",
        )
    return found.pop() if len(found) == 1 else None


def with_error_states(thread: Thread, process: x.Process, predicates: Sequence[x.Expr]) -> Thread:
    """The thread of `process` with a failed assertion wherever one of the predicates may hold.

    Raises:
        InputError: types do not fit, or a name is unknown.
    """
    # Where it starts is a state too: a step of its own leads there.
    start = _first_free(thread.edges, thread.entry)
    first = Edge(source=start, target=thread.entry, span=thread.span)
    edges = [first, *thread.edges]
    for predicate in predicates:
        look = _Look(thread, process, predicate, _first_free(edges, start))
        edges += [
            new for edge in (first, *thread.edges) for new in look.ways_out(edge, is_first=edge is first)
        ]
    return replace(thread, entry=start, edges=tuple(edges))


def _first_free(edges: Iterable[Edge], known: int) -> int:
    return 1 + max((known, *(max(edge.source, edge.target) for edge in edges)))


class _Look:
    """One predicate, looked at after each step of a process."""

    def __init__(self, thread: Thread, process: x.Process, predicate: x.Expr, free: int) -> None:
        self._process = process
        self._predicate = predicate
        (main,) = (item for item in process.procedures if item.is_main)
        self._variables = {item.name: item.type for item in (*process.variables, *main.variables)}
        self._locations = {item.name for item in main.locations}
        self._points = {name: point for point, name in thread.labels}
        used = {use.name for use in _uses(predicate)}
        self._registers = frozenset(used & self._variables.keys())
        self._is_about_places = not used <= self._variables.keys()
        self._next = free

    def ways_out(self, edge: Edge, *, is_first: bool) -> Iterator[Edge]:
        """The step once more, to where the predicate is looked at."""
        test = of_type(self._predicate, x.Type.BOOL, lambda use: self._value(use, edge.target))
        changes = any(self._registers & {*registers_written(op)} for op in edge.operations)
        if not (is_first or changes or self._is_about_places):
            return
        if self._truth(self._predicate, edge.target) is False:
            return
        look = self._fresh()
        text = f"error state of {self._process.name}: {self._predicate.span.flat_text}"
        yield replace(edge, target=look)
        yield Edge(
            source=look,
            target=self._fresh(),
            operations=(Assume(test), Assert(FALSE, text, property=ERRORS)),
            span=self._predicate.span,
        )

    def _fresh(self) -> int:
        self._next += 1
        return self._next - 1

    def _value(self, use: x.Use, point: int) -> tuple[Expr, x.Type]:
        if use.name in self._variables:
            return Register(use.name), self._variables[use.name]
        return (TRUE if self._is_at(use, point) else FALSE), x.Type.BOOL

    def _is_at(self, use: x.Use, point: int) -> bool:
        if use.name in self._points:
            return self._points[use.name] == point
        if use.name in self._locations:
            raise not_told_apart(use)
        raise error(
            "W0604",
            f"process `{self._process.name}` has no variable or location `{use.name}`",
            use.span,
            "expected one of the process or of its main procedure",
        )

    def _truth(self, expr: x.Expr, point: int) -> bool | None:
        """Whether the predicate holds at a point, as far as the place alone says so."""
        match expr:
            case x.Use(name=name) if name not in self._variables:
                return self._is_at(expr, point)
            case x.Prefix("not", operand):
                inner = self._truth(operand, point)
                return None if inner is None else not inner
            case x.Infix("and" | "or" as sign, left, right):
                parts = (self._truth(left, point), self._truth(right, point))
                decides = sign == "or"
                if decides in parts:
                    return decides
                return None if None in parts else not decides
            case _:
                return None


def not_told_apart(use: x.Use) -> InputError:
    """Why nothing can be said about a final location that shares its point with another."""
    message = f"`{use.name}` is the same control point as another final location"
    return error("W0612", message, use.span, "final locations cannot be distinguished")


def _uses(expr: x.Expr) -> Iterator[x.Use]:
    match expr:
        case x.Use():
            yield expr
        case x.Prefix(_, operand):
            yield from _uses(operand)
        case x.Infix(_, left, right):
            yield from _uses(left)
            yield from _uses(right)
        case x.Conditional(condition, then, otherwise):
            for part in (condition, then, otherwise):
                yield from _uses(part)
        case _:
            return


def _process(use: x.Use, module: x.Module) -> int | None:
    """The process that a name belongs to, None for shared variables.

    A location's process may be left out if there is only one of that name.
    """
    if use.process is not None:
        for number, process in enumerate(module.processes):
            if process.name == use.process:
                return number
        raise error("W0604", f"unknown process `{use.process}`", use.span, "not declared")
    if any(variable.name == use.name for variable in module.variables):
        return None
    having = [
        number
        for number, process in enumerate(module.processes)
        for procedure in process.procedures
        if procedure.is_main and any(location.name == use.name for location in procedure.locations)
    ]
    if len(having) == 1:
        return having[0]
    reason = "several processes have it" if having else "not declared"
    raise error(
        "W0604",
        f"unknown location `{use.name}`",
        use.span,
        reason,
        help="write `process.location` or `process.variable`",
    )
