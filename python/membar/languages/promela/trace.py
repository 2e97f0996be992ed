"""`trace` and `notrace`: in which order messages are sent and received.

The declaration is a deterministic automaton. It follows the sends on the channels that it sends on, and the
receives from those that it receives from; other messages do not matter. A `trace` fails where no step of it
fits, a `notrace` where all of its steps have fitted. Its state is memory that no processor has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from membar.diagnostics import error
from membar.languages.promela import syntax as p
from membar.languages.promela.claim_automaton import ClaimBuilder
from membar.languages.promela.scope import Scope, Storage
from membar.languages.promela.values import PROCESSES, CellReference, Values, assignment, constant
from membar.program import operations as op
from membar.program.expr import FALSE, Constant, Expr, Select, equals
from membar.program.folding import all_of, either, fold, logical_not
from membar.records import record, replace

_NOTHING_FITS = 255
_MOST_STATES = 250
_ANYTHING = "_"


@record(frozen=True, slots=True)
class Event:
    """A step of the automaton: a message on a channel, or an element of an array of channels.

    In `fields`, None fits any value.
    """

    source: int
    target: int
    channel: str
    element: int
    is_send: bool
    fields: tuple[int | None, ...]

    def fits(self, state: Expr, element: Expr, message: Sequence[Expr]) -> Expr:
        """Whether the step is taken."""
        wanted = (
            fold(equals(value, Constant(field)))
            for field, value in zip(self.fields, message, strict=False)
            if field is not None
        )
        is_here = fold(equals(element, Constant(self.element)))
        return all_of(fold(equals(state, Constant(self.source))), is_here, *wanted)

    @property
    def place(self) -> tuple[str, int, bool]:
        """What it is about: sends, or receives, of one channel."""
        return self.channel, self.element, self.is_send

    def is_beside(self, other: Event) -> bool:
        """Whether both may fit one message in one state."""
        pairs = zip(self.fields, other.fields, strict=False)
        same = (self.source, self.place) == (other.source, other.place)
        return same and all(one is None or two is None or one == two for one, two in pairs)


@record(frozen=True, slots=True)
class Trace:
    """The automaton; `end` is the number of its last state, where it can be reached."""

    word: str
    events: tuple[Event, ...]
    end: int | None
    is_always_complete: bool
    storage: Storage

    def watches(self, channel: str, *, is_send: bool) -> bool:
        """Whether it follows the sends, or the receives, of a channel."""
        return any(event.channel == channel and event.is_send is is_send for event in self.events)

    def follow(
        self,
        statement: p.Send | p.Receive,
        channel: tuple[str, Expr],
        message: Sequence[Expr],
        values: Values,
    ) -> Iterator[op.Operation]:
        """What a step with a message on an element of a channel does to the automaton."""
        name, element = channel
        is_send, span = isinstance(statement, p.Send), statement.span
        cell = CellReference(self.storage, None)
        state = values.load(cell)
        following: Expr = Constant(_NOTHING_FITS)
        is_followed: Expr = FALSE
        for event in self.events:
            if event.channel == name and event.is_send is is_send:
                is_followed = either(is_followed, equals(element, Constant(event.element)))
                following = Select(event.fits(state, element, message), Constant(event.target), following)
        following = fold(Select(is_followed, following, state))
        wrong = _NOTHING_FITS if self.word == "trace" else self.end
        if wrong is not None:
            reason = "no event fits" if self.word == "trace" else "all events fitted"
            place = f"{span.path}:{span.line}:{span.column}"
            test = fold(logical_not(equals(following, Constant(wrong))))
            yield op.Assert(test, f"{self.word}: {reason}: {place}")
        yield from assignment(cell, following)


def trace_of(module: p.Module, scope: Scope) -> Trace:
    """The trace of a text that has one.

    Raises:
        InputError: there are several, or it does something else than to watch.
    """
    if len(module.traces) > 1:
        raise error("W0712", "a second `trace`", module.traces[1].span, "expected at most one")
    return _Builder(scope).trace(module.traces[0])


class _Builder(ClaimBuilder[tuple[int, p.Send | p.Receive]]):
    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self._scope = scope

    def trace(self, declared: p.Trace) -> Trace:
        word = "notrace" if declared.is_forbidden else "trace"
        entry = self.read(declared.body.statements)
        numbers = {self.follow_jumps(entry): 0}
        todo = [self.follow_jumps(entry)]
        events: list[Event] = []
        while todo:
            point = todo.pop(0)
            for after, statement in self.leaving(point):
                target = self.follow_jumps(after)
                if target not in numbers:
                    numbers[target] = len(numbers)
                    todo.append(target)
                event = self._event(statement, numbers[point], numbers[target])
                for other in events:
                    if event.is_beside(other):
                        message = f"a `{word}` with two events that fit the same message"
                        raise error("W0712", message, statement.span, "expected at most one")
                events.append(event)
        if len(numbers) > _MOST_STATES:
            raise error("W0712", f"a `{word}` of {len(numbers)} states", declared.span, "too large")
        stops = {self.end} | {point for label, point in self.labels.items() if label.startswith("end")}
        return Trace(
            word,
            tuple(events),
            numbers.get(self.end),
            declared.is_forbidden or {self.follow_jumps(point) for point in stops} >= set(numbers),
            replace(PROCESSES, name=word, is_ghost=True, span=declared.span),
        )

    def simple(self, statement: p.Statement, source: int, target: int, others: tuple[int, ...]) -> None:  # noqa: ARG002
        if not isinstance(statement, p.Send | p.Receive):
            message = "a statement of a `trace` that is no message"
            raise error("W0712", message, statement.span, "expected `c!…` or `c?…`, `goto`, `if` or `do`")
        self.add(source, (target, statement))

    def _event(self, statement: p.Send | p.Receive, source: int, target: int) -> Event:
        channel = statement.channel
        is_send = isinstance(statement, p.Send)
        if isinstance(statement, p.Send):
            is_plain, given = not statement.is_sorted, list(statement.values)
        else:
            is_plain = not statement.anywhere and not statement.keeps
            given = [pattern.value for pattern in statement.patterns]
        if not is_plain or channel.field is not None:
            message = f"`{statement.span.flat_text}` in a `trace`"
            raise error("W0711", message, statement.span, "expected `c!…` or `c?…`, where `c` is a channel")
        fields = tuple(
            None if isinstance(value, p.Use) and value.name == _ANYTHING else constant(value, self._scope)
            for value in given
        )
        element = 0 if channel.index is None else constant(channel.index, self._scope)
        return Event(source, target, channel.name, element, is_send, fields)
