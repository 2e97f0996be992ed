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
from membar.languages.xcfa.scope import OfProcess, named
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
    meanings = (named(use, module) for use in _uses(predicate))
    found = {None if isinstance(meaning, x.Variable) else meaning.process for meaning in meanings}
    if not found:
        raise error(
            "W0612",
            "a predicate without a process or variable",
            predicate.span,
            "expected `process.location` or a variable",
        )
    return found.pop() if len(found) == 1 else None


def with_error_states(thread: Thread, module: x.Module, predicates: Sequence[x.Expr]) -> Thread:
    """The thread with a failed assertion wherever one of the predicates, which are about it, may hold.

    Raises:
        InputError: types do not fit, or a name is unknown.
    """
    # Where it starts is a state too: a step of its own leads there.
    start = _first_free(thread.edges, thread.entry)
    first = Edge(source=start, target=thread.entry, span=thread.span)
    edges = [first, *thread.edges]
    for predicate in predicates:
        look = _PredicateAfterSteps(thread, module, predicate, _first_free(edges, start))
        edges += [
            new for edge in (first, *thread.edges) for new in look.ways_out(edge, is_first=edge is first)
        ]
    return replace(thread, entry=start, edges=tuple(edges))


def _first_free(edges: Iterable[Edge], known: int) -> int:
    return 1 + max((known, *(max(edge.source, edge.target) for edge in edges)))


class _PredicateAfterSteps:
    """One predicate, looked at after each step of a process."""

    def __init__(self, thread: Thread, module: x.Module, predicate: x.Expr, free: int) -> None:
        self._thread = thread
        self._predicate = predicate
        self._meanings = {use: named(use, module) for use in _uses(predicate)}
        own = [item.variable for item in self._meanings.values() if isinstance(item, OfProcess)]
        self._registers = frozenset(variable.name for variable in own)
        self._is_about_places = len(own) < len(self._meanings)
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
        text = f"error state of {self._thread.name}: {self._predicate.span.flat_text}"
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
        meaning = self._meanings[use]
        if isinstance(meaning, OfProcess):
            return Register(use.name), meaning.variable.type
        return (TRUE if self._is_at(use, point) else FALSE), x.Type.BOOL

    def _is_at(self, use: x.Use, point: int) -> bool:
        places = [place for place, name in self._thread.labels if name == use.name]
        if not places:
            raise indistinguishable_locations_error(use)
        return point in places

    def _truth(self, expr: x.Expr, point: int) -> bool | None:
        """Whether the predicate holds at a point, as far as the place alone says so."""
        match expr:
            case x.Use() if not isinstance(self._meanings[expr], OfProcess):
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


def indistinguishable_locations_error(use: x.Use) -> InputError:
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
