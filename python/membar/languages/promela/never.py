"""`never` claims: an automaton that watches, one step before each step of the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from membar.diagnostics import error
from membar.languages.promela import syntax as p
from membar.languages.promela.claim_automaton import ClaimBuilder
from membar.program.expr import FALSE, TRUE, Expr
from membar.program.folding import all_of, fold, logical_not, rename_registers
from membar.program.predicate import Observable, StatePredicate
from membar.program.temporal import AutomatonEdge, ForbiddenRuns
from membar.records import record


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


class _Builder(ClaimBuilder[_Step]):
    def __init__(self, predicate: _Predicates) -> None:
        super().__init__()
        self._predicate = predicate

    def build(self, never: p.Never) -> ForbiddenRuns:
        return self._automaton(self.read(never.body.statements), self.end)

    def _automaton(self, entry: int, end: int) -> ForbiddenRuns:
        """Jumps leave out what only leads elsewhere; points are numbered as they are reached."""
        numbers = {self.follow_jumps(entry): 0}
        todo = [self.follow_jumps(entry)]
        edges: list[AutomatonEdge] = []
        while todo:
            point = todo.pop(0)
            open_edges = len(edges)
            for step in self.leaving(point):
                guard = step.guard or self._else_condition(step.others)
                if guard.expression == FALSE:
                    continue
                target = self.follow_jumps(step.target)
                if target not in numbers:
                    numbers[target] = len(numbers)
                    todo.append(target)
                edges.append(AutomatonEdge(numbers[point], numbers[target], guard))
            if len(edges) == open_edges and point != end:  # stuck, which is not the end
                edges.append(
                    AutomatonEdge(numbers[point], numbers[point], StatePredicate(FALSE, (), "false"))
                )
        labels = {self.follow_jumps(point): name for name, point in reversed(self.labels.items())}
        names = [
            labels.get(point, "end" if point == end else f"state {number}")
            for point, number in numbers.items()
        ]
        accepting = {
            numbers[self.follow_jumps(point)]
            for name, point in self.labels.items()
            if name.startswith("accept") and self.follow_jumps(point) in numbers
        }
        return ForbiddenRuns(
            states=tuple(names),
            initial=0,
            edges=tuple(edges),
            accepting=(frozenset(accepting),),
            ends_are_errors=end in numbers,
        )

    def _else_condition(self, others: Sequence[int]) -> StatePredicate:
        """That none of the other options can be taken."""
        guards = [step.guard for point in others for step in self.leaving(point) if step.guard is not None]
        reads: dict[Observable, str] = {}
        result: Expr = TRUE
        for guard in guards:
            names: dict[str, str] = {}
            for name, seen in guard.reads:
                names[name] = reads.setdefault(seen, f"#{len(reads)}")
            result = all_of(result, logical_not(rename_registers(guard.expression, names)))
        return StatePredicate(fold(result), tuple((name, seen) for seen, name in reads.items()), "else")

    def simple(self, statement: p.Statement, source: int, target: int, others: tuple[int, ...]) -> None:
        match statement:
            case p.Test(condition):
                self.add(source, _Step(target, self._predicate(condition)))
            case p.Skip(span):
                self.add(source, _Step(target, self._predicate(p.Number(1, span))))
            case p.Check(condition):  # what an assertion forbids ends the claim, which is an error
                self.add(source, _Step(target, self._predicate(condition)))
                self.add(source, _Step(self.end, self._predicate(condition, negated=True)))
            case p.Else():
                self.add(source, _Step(target, None, others))
            case p.Block([p.Test(condition), p.Check(demanded)], word) if word:  # SPIN's form of an error
                both = p.Infix("&&", condition, demanded, statement.span)
                broken = p.Infix("&&", condition, p.Prefix("!", demanded, statement.span), statement.span)
                self.add(source, _Step(target, self._predicate(both)))
                self.add(source, _Step(self.end, self._predicate(broken)))
            case _:
                raise error(
                    "W0712",
                    "a `never` claim with side effects",
                    statement.span,
                    "expected conditions, `goto`, `if` or `do`",
                )
