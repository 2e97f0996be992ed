"""The statements of `never` and `trace` as an automaton: what leads from one point to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from membar.diagnostics import error
from membar.languages.promela import syntax as p
from membar.source import Span

_Step = TypeVar("_Step")


class ClaimBuilder(Generic[_Step]):
    """Puts statements between points; what a single statement is, others say (`simple`)."""

    def __init__(self) -> None:
        self._points = 0
        self.end = self.point()
        self.labels: dict[str, int] = {}
        self.steps: dict[int, list[_Step]] = {}
        self.jumps: dict[int, list[int]] = {}
        self._gotos: list[tuple[int, str, Span]] = []

    def read(self, statements: Sequence[p.Statement]) -> int:
        """Reads all statements; returns the point where they begin."""
        entry = self.point()
        self._sequence(statements, entry, self.end, None)
        for source, label, span in self._gotos:
            if label not in self.labels:
                raise error(
                    "W0706", f"unknown label `{label}`", span, "no statement of the claim has this label"
                )
            self.jumps.setdefault(source, []).append(self.labels[label])
        return entry

    def simple(self, statement: p.Statement, source: int, target: int, others: tuple[int, ...]) -> None:
        """Adds the steps of a statement; `others` are where the other options begin, for `else`."""
        raise NotImplementedError

    def add(self, source: int, step: _Step) -> None:
        """Adds a step."""
        self.steps.setdefault(source, []).append(step)

    def follow_jumps(self, point: int) -> int:
        """Where one really is who is sent to `point`."""
        seen = {point}
        while point not in self.steps and len(self.jumps.get(point, ())) == 1:
            (point,) = self.jumps[point]
            if point in seen:
                break
            seen.add(point)
        return point

    def leaving(self, point: int) -> list[_Step]:
        """The steps that leave a point."""
        found: list[_Step] = []
        todo, seen = [point], {point}
        while todo:
            here = todo.pop()
            found += self.steps.get(here, ())
            following = [target for target in self.jumps.get(here, ()) if target not in seen]
            seen.update(following)
            todo += reversed(following)
        return found

    def point(self) -> int:
        """A new point."""
        self._points += 1
        return self._points - 1

    def _sequence(
        self, statements: Sequence[p.Statement], source: int, target: int, after: int | None
    ) -> None:
        at = source
        for position, statement in enumerate(statements):
            following = target if position + 1 == len(statements) else self.point()
            self._statement(statement, at, following, after, ())
            at = following

    def _statement(
        self, statement: p.Statement, source: int, target: int, after: int | None, others: tuple[int, ...]
    ) -> None:
        match statement:
            case p.Labelled(label, inner, span):
                if label in self.labels:
                    raise error("W0704", f"label `{label}` is used twice", span, "again here")
                self.labels[label] = source
                self._statement(inner, source, target, after, others)
            case p.Goto(label, span):
                self._gotos.append((source, label, span))
            case p.Break(span):
                if after is None:
                    raise error("W0702", "`break` outside a loop", span, "not inside `do`")
                self.jumps.setdefault(source, []).append(after)
            case p.Block(statements, ""):
                self._sequence(statements, source, target, after)
            case p.Choice():
                self._choice(statement, source, target, after)
            case p.Declare((), _):
                self.jumps.setdefault(source, []).append(target)
            case _:
                self.simple(statement, source, target, others)

    def _choice(self, choice: p.Choice, source: int, target: int, after: int | None) -> None:
        start, end = source, target
        if choice.is_loop:
            start = end = self.point()
            self.jumps.setdefault(source, []).append(start)
            after = target
        starts = [self.point() for _ in choice.options]
        for option, begin in zip(choice.options, starts, strict=True):
            self.jumps.setdefault(start, []).append(begin)
            others = tuple(other for other in starts if other != begin)
            first, *rest = option.statements
            following = self.point() if rest else end
            self._statement(first, begin, following, after, others)
            if rest:
                self._sequence(rest, following, end, after)
