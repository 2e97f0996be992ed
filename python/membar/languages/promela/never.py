"""`never` claims: an automaton that watches, one step before each step of the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from membar.diagnostics import error
from membar.languages.promela import syntax as p
from membar.program.expr import FALSE, TRUE, Expr
from membar.program.folding import all_of, fold, logical_not, rename_registers
from membar.program.predicate import Observable, StatePredicate
from membar.program.temporal import AutomatonEdge, ForbiddenRuns
from membar.records import record
from membar.source import Span


class _Predicates(Protocol):
    def __call__(self, expr: p.Expr, *, negated: bool = False) -> StatePredicate: ...


@record(frozen=True, slots=True)
class _Step:
    """A step of the claim; without a guard it is `else`, whose other options begin at `others`."""

    target: int
    guard: StatePredicate | None
    others: tuple[int, ...] = ()


def forbidden_runs(never: p.Never, predicate: _Predicates) -> ForbiddenRuns:
    """The automaton of a claim.

    Raises:
        InputError: it does something else than to watch.
    """
    return _Builder(predicate).build(never)


class _Builder:
    def __init__(self, predicate: _Predicates) -> None:
        self._predicate = predicate
        self._points = 0
        self._end = self._point()
        self._labels: dict[str, int] = {}
        self._steps: dict[int, list[_Step]] = {}
        self._jumps: dict[int, list[int]] = {}
        self._gotos: list[tuple[int, str, Span]] = []

    def build(self, never: p.Never) -> ForbiddenRuns:
        entry, end = self._point(), self._end
        self._sequence(never.body.statements, entry, end, None)
        for source, label, span in self._gotos:
            if label not in self._labels:
                raise error(
                    "W0706", f"unknown label `{label}`", span, "no statement of the claim has this label"
                )
            self._jumps.setdefault(source, []).append(self._labels[label])
        return self._automaton(entry, end)

    def _automaton(self, entry: int, end: int) -> ForbiddenRuns:
        """Jumps leave out what only leads elsewhere; points are numbered as they are reached."""
        numbers = {self._follow_jumps(entry): 0}
        todo = [self._follow_jumps(entry)]
        edges: list[AutomatonEdge] = []
        while todo:
            point = todo.pop(0)
            open_edges = len(edges)
            for step in self._leaving(point):
                guard = step.guard or self._otherwise(step.others)
                if guard.expression == FALSE:
                    continue
                target = self._follow_jumps(step.target)
                if target not in numbers:
                    numbers[target] = len(numbers)
                    todo.append(target)
                edges.append(AutomatonEdge(numbers[point], numbers[target], guard))
            if len(edges) == open_edges and point != end:  # stuck, which is not the end
                edges.append(
                    AutomatonEdge(numbers[point], numbers[point], StatePredicate(FALSE, (), "false"))
                )
        labels = {self._follow_jumps(point): name for name, point in reversed(self._labels.items())}
        names = [
            labels.get(point, "end" if point == end else f"state {number}")
            for point, number in numbers.items()
        ]
        accepting = {
            numbers[self._follow_jumps(point)]
            for name, point in self._labels.items()
            if name.startswith("accept") and self._follow_jumps(point) in numbers
        }
        return ForbiddenRuns(
            states=tuple(names),
            initial=0,
            edges=tuple(edges),
            accepting=(frozenset(accepting),),
            ends_are_errors=end in numbers,
        )

    def _follow_jumps(self, point: int) -> int:
        seen = {point}
        while point not in self._steps and len(self._jumps.get(point, ())) == 1:
            (point,) = self._jumps[point]
            if point in seen:
                break
            seen.add(point)
        return point

    def _leaving(self, point: int) -> list[_Step]:
        found: list[_Step] = []
        todo, seen = [point], {point}
        while todo:
            here = todo.pop()
            found += self._steps.get(here, ())
            following = [target for target in self._jumps.get(here, ()) if target not in seen]
            seen.update(following)
            todo += reversed(following)
        return found

    def _otherwise(self, others: Sequence[int]) -> StatePredicate:
        """That none of the other options can be taken."""
        guards = [step.guard for point in others for step in self._leaving(point) if step.guard is not None]
        reads: dict[Observable, str] = {}
        result: Expr = TRUE
        for guard in guards:
            names: dict[str, str] = {}
            for name, seen in guard.reads:
                names[name] = reads.setdefault(seen, f"#{len(reads)}")
            result = all_of(result, logical_not(rename_registers(guard.expression, names)))
        return StatePredicate(fold(result), tuple((name, seen) for seen, name in reads.items()), "else")

    # Statements

    def _point(self) -> int:
        self._points += 1
        return self._points - 1

    def _sequence(
        self, statements: Sequence[p.Statement], source: int, target: int, after: int | None
    ) -> None:
        at = source
        for position, statement in enumerate(statements):
            following = target if position + 1 == len(statements) else self._point()
            self._statement(statement, at, following, after, ())
            at = following

    def _statement(
        self, statement: p.Statement, source: int, target: int, after: int | None, others: tuple[int, ...]
    ) -> None:
        match statement:
            case p.Labelled(label, inner, span):
                if label in self._labels:
                    raise error("W0704", f"label `{label}` is used twice", span, "again here")
                self._labels[label] = source
                self._statement(inner, source, target, after, others)
            case p.Test(condition):
                self._steps.setdefault(source, []).append(_Step(target, self._predicate(condition)))
            case p.Skip(span):
                truth = self._predicate(p.Number(1, span))
                self._steps.setdefault(source, []).append(_Step(target, truth))
            case p.Check(condition):
                self._check(condition, source, target)
            case p.Else():
                self._steps.setdefault(source, []).append(_Step(target, None, others))
            case p.Goto(label, span):
                self._gotos.append((source, label, span))
            case p.Break(span):
                if after is None:
                    raise error("W0702", "`break` outside a loop", span, "not inside `do`")
                self._jumps.setdefault(source, []).append(after)
            case p.Block([p.Test(condition), p.Check(demanded)], word) if word:  # SPIN's form of an error
                both = p.Infix("&&", condition, demanded, statement.span)
                broken = p.Infix("&&", condition, p.Prefix("!", demanded, statement.span), statement.span)
                self._steps.setdefault(source, []).append(_Step(target, self._predicate(both)))
                self._steps[source].append(_Step(self._end, self._predicate(broken)))
            case p.Block(statements, ""):
                self._sequence(statements, source, target, after)
            case p.Choice():
                self._choice(statement, source, target, after)
            case p.Declare((), _):
                self._jumps.setdefault(source, []).append(target)
            case _:
                raise error(
                    "W0712",
                    "a `never` claim with side effects",
                    statement.span,
                    "expected conditions, `goto`, `if` or `do`",
                )

    def _check(self, condition: p.Expr, source: int, target: int) -> None:
        """What an assertion forbids ends the claim, which is an error."""
        self._steps.setdefault(source, []).append(_Step(target, self._predicate(condition)))
        self._steps[source].append(_Step(self._end, self._predicate(condition, negated=True)))

    def _choice(self, choice: p.Choice, source: int, target: int, after: int | None) -> None:
        start, end = source, target
        if choice.is_loop:
            start = end = self._point()
            self._jumps.setdefault(source, []).append(start)
            after = target
        starts = [self._point() for _ in choice.options]
        for option, begin in zip(choice.options, starts, strict=True):
            self._jumps.setdefault(start, []).append(begin)
            others = tuple(other for other in starts if other != begin)
            first, *rest = option.statements
            following = self._point() if rest else end
            self._statement(first, begin, following, after, others)
            if rest:
                self._sequence(rest, following, end, after)
