"""Statements become lines: one access each, with labels and where to go next."""

from __future__ import annotations

import string

from membar.diagnostics import error
from membar.objects.syntax import Action, Line, Return
from membar.records import field, record
from membar.source import Span
from membar.text.tokens import Token


@record(frozen=True, slots=True)
class Mark:
    """A place between lines that something jumps to."""

    number: int


@record(slots=True)
class _Draft:
    """A line whose targets are marks; None is the line after it. Without an action it only jumps."""

    label: str
    action: Action | None
    then: Mark | None
    otherwise: Mark | None
    span: Span


@record(slots=True)
class LineWriter:
    """Collects the lines of one operation.

    `taken` are the labels of the operations before.
    """

    operation: str
    taken: dict[str, str]
    _drafts: list[_Draft] = field(default_factory=list)
    _marks: dict[Mark, int] = field(default_factory=dict)
    _named: dict[str, Mark] = field(default_factory=dict)
    _wanted: dict[str, Token] = field(default_factory=dict)
    _label: str | None = None
    _base: str | None = None
    _after_base: int = 0
    _own: set[str] = field(default_factory=set)
    _count: int = 0

    def mark(self) -> Mark:
        """A new place, to be put somewhere."""
        self._count += 1
        return Mark(self._count)

    def place(self, mark: Mark) -> None:
        """The place is before the next line."""
        self._marks[mark] = len(self._drafts)

    def here(self) -> Mark:
        """The place before the next line."""
        mark = self.mark()
        self.place(mark)
        return mark

    def label_mark(self, token: Token) -> Mark:
        """The place of a label, which may still come."""
        self._wanted.setdefault(token.text, token)
        return self._named.setdefault(token.text, self.mark())

    def label(self, token: Token) -> None:
        """The next line has this label."""
        self._claim(token.text, token.span)
        self.place(self._named.setdefault(token.text, self.mark()))
        self._label, self._base, self._after_base = token.text, token.text, 0

    def _claim(self, label: str, span: Span) -> None:
        if label in self.taken or label in self._own:
            raise error("W1303", f"line `{label}` is declared twice", span, "choose another label")
        self._own.add(label)

    def emit(
        self, action: Action | None, span: Span, *, then: Mark | None = None, otherwise: Mark | None = None
    ) -> str:
        """One more line; gives its label."""
        label = "" if action is None else self._next_label(span)
        self._drafts.append(_Draft(label, action, then, otherwise, span))
        return label

    def _next_label(self, span: Span) -> str:
        if self._label is not None:
            label, self._label = self._label, None
            return label
        while True:
            self._after_base += 1
            if self._base is None:
                label = f"{self.operation}{self._after_base}"
            elif self._after_base < len(string.ascii_lowercase):
                label = self._base + string.ascii_lowercase[self._after_base]
            else:
                label = f"{self._base}z{self._after_base}"
            if label not in self.taken and label not in self._own:
                self._claim(label, span)
                return label

    def finish(self, span: Span) -> tuple[Line, ...]:
        """All lines, jumps resolved; where the code runs off its end, a line that returns.

        Raises:
            InputError: a label that is nowhere, or a loop without a line.
        """
        for name, token in self._wanted.items():
            if self._named[name] not in self._marks:
                raise error("W1305", f"unknown line `{name}`", token.span, "no line has this label")
        if self._falls_off_end():
            self._label, self._base = f"{self.operation}_end", self.operation
            self._claim(self._label, span)
            self.emit(Return(), span)
        lines = [
            Line(
                label=draft.label,
                action=draft.action,
                then=None if isinstance(draft.action, Return) else self._target(number, draft.then),
                otherwise=None if draft.otherwise is None else self._target(number, draft.otherwise),
                span=draft.span,
            )
            for number, draft in enumerate(self._drafts)
            if draft.action is not None
        ]
        first = self._line_at(0, self._drafts[0].span)
        lines.sort(key=lambda line: line.label != first)
        return _reachable(lines)

    def _falls_off_end(self) -> bool:
        """Whether control can come behind the last draft."""
        end = len(self._drafts)
        targets = [mark for draft in self._drafts for mark in (draft.then, draft.otherwise) if mark]
        if any(self._marks[mark] == end for mark in targets) or not self._drafts:
            return True
        last = self._drafts[-1]
        return not isinstance(last.action, Return) and last.then is None

    def _target(self, number: int, mark: Mark | None) -> str:
        place = number + 1 if mark is None else self._marks[mark]
        return self._line_at(place, self._drafts[number].span)

    def _line_at(self, place: int, span: Span) -> str:
        seen: set[int] = set()
        while self._drafts[place].action is None:
            if place in seen:
                raise error("W1312", "a loop without a step", span, "its body has no step")
            seen.add(place)
            then = self._drafts[place].then
            place = place + 1 if then is None else self._marks[then]
        return self._drafts[place].label


def _reachable(lines: list[Line]) -> tuple[Line, ...]:
    """The lines that control can come to."""
    by_label = {line.label: line for line in lines}
    seen: set[str] = set()
    todo = [lines[0].label]
    while todo:
        label = todo.pop()
        if label not in seen:
            seen.add(label)
            todo += [each for each in (by_label[label].then, by_label[label].otherwise) if each is not None]
    return tuple(line for line in lines if line.label in seen)
