"""Channels. One that holds messages is shared memory: its length, and an array for each field of a message.

The oldest message stands first, and what is not in use is 0, so that equal contents are equal states. Every
operation on a channel is one step that waits for the own store buffer and acts on memory at once. A channel
without room is a rendezvous of the program: a send and a receive with nothing in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from membar.diagnostics import error
from membar.languages.promela import syntax as p
from membar.languages.promela.actions import Action, Kind
from membar.languages.promela.scope import Channel, Scalar, Storage, Symbol
from membar.languages.promela.values import CellReference, ChannelNumber, Values, assignment
from membar.program import operations as op
from membar.program.expr import FALSE, TRUE, Binary, BinaryOp, Constant, Expr, Register, Select, equals
from membar.program.folding import all_of, both, either, fold, logical_not, truth
from membar.records import record, replace
from membar.source import Span
from membar.text.operators import join_balanced

FULL_FENCE = op.Fence(frozenset({"MFENCE"}))
_LENGTH = Scalar(8, signed=False)
_ANYTHING = "_"


def memory_of(channel: Channel) -> tuple[Storage, ...]:
    """The length and the fields of a channel that holds messages; nothing for a rendezvous."""
    return (
        (_length(channel), *(_field(channel, number) for number in range(len(channel.fields))))
        if (channel.capacity)
        else ()
    )


def meetings_of(channel: Channel) -> tuple[str, ...]:
    """The names of the program's channels for a rendezvous or an array of such."""
    if channel.capacity:
        return ()
    return tuple(meeting_name(channel, number) for number in range(channel.total))


def meeting_name(channel: Channel, number: int) -> str:
    """The name of the program's channel for one rendezvous."""
    return channel.name if channel.total == 1 else f"{channel.name}[{number}]"


def _length(channel: Channel) -> Storage:
    return _storage(channel, "len", _LENGTH, channel.total)


def _field(channel: Channel, number: int) -> Storage:
    return _storage(channel, str(number), channel.fields[number], channel.total * channel.capacity)


def _storage(channel: Channel, part: str, scalar: Scalar, count: int) -> Storage:
    return Storage(
        name=f"{channel.name}.{part}",
        scalar=scalar,
        dimensions=(count,) if count > 1 else (),
        own=count if count > 1 else None,
        is_shared=True,
        span=channel.span,
    )


def _is_channel(number: ChannelNumber, values: Values) -> Expr:
    """Whether this is the number of a channel."""
    last = Constant(sum(channel.total for channel in values.channels or ()))
    return both(
        fold(Binary(BinaryOp.SLT, FALSE, number.value)), fold(Binary(BinaryOp.SLE, number.value, last))
    )


@record(frozen=True, slots=True)
class _Contents:
    """A channel as it was read: its length, and the fields of each message."""

    length: Expr
    messages: tuple[tuple[Expr, ...], ...]


class Messages:
    """Statements and questions about channels, in terms of values that are read first."""

    def __init__(self, values: Values) -> None:
        self._values = values

    # Questions

    def question_value(self, question: p.Ask | p.Peek, needed: Expr = FALSE) -> Expr:
        """The value of a question about a channel that is asked where `needed` holds."""
        number = self._values.variable_channel(question.channel)
        if number is None:
            return self._answer(question, *self._values.channel(question.channel), needed)
        value: Expr = FALSE
        width = len(question.patterns) if isinstance(question, p.Peek) else 0
        for channel in self._candidates(width, number):
            is_it = fold(equals(number.value, Constant(channel.identity + channel.element)))
            answer = self._answer(question, channel, None, both(needed, is_it))
            value = fold(Select(is_it, answer, value))
        if number.choices is None:
            message = f"`{question.channel.span.flat_text}` holds no channel"
            self._values.demand(_is_channel(number, self._values), needed, message, question.span)
        return value

    def _candidates(self, width: int, number: ChannelNumber) -> Iterator[Channel]:
        """The channels that can have this number; of any, those whose messages have so many values."""
        for channel in self._values.channels or ():
            for each in channel.elements:
                if number.choices is not None:
                    is_possible = each.identity + each.element in number.choices
                else:
                    is_possible = len(channel.fields) >= width
                if is_possible:
                    yield each

    def _answer(self, question: p.Ask | p.Peek, channel: Channel, index: Expr | None, needed: Expr) -> Expr:
        if not channel.capacity:  # it never holds a message, and is never full
            if isinstance(question, p.Peek):  # an error in SPIN
                message = f"`{question.span.flat_text}` asks for a message on a rendezvous"
                self._values.demand(FALSE, needed, message, question.span)
            return TRUE if isinstance(question, p.Ask) and question.word in ("empty", "nfull") else FALSE
        if isinstance(question, p.Peek):
            contents = self._contents(channel, index)
            patterns = self._all_patterns(question.patterns)
            found = self._matching_conditions(
                channel, contents, patterns, question.span, anywhere=question.anywhere
            )
            return _any(found)
        length = self._values.load(CellReference(_length(channel), self._element(channel, index)))
        match question.word:
            case "len":
                return length
            case "empty":
                return fold(equals(length, FALSE))
            case "nempty":
                return fold(logical_not(equals(length, FALSE)))
            case "full":
                return fold(equals(length, Constant(channel.capacity)))
            case _:
                return fold(logical_not(equals(length, Constant(channel.capacity))))

    # Statements

    def actions(self, statement: p.Send | p.Receive) -> Sequence[Action]:
        """The ways in which a statement can be done; more than one where the channel is not known."""
        held = self._values.variable_channel(statement.channel)
        if held is None:
            channel, index = self._values.channel(statement.channel)
            return self.actions_on(statement, channel, index, TRUE)
        found: list[Action] = []
        expanded = self._expanded(statement)
        width = len(expanded.values if isinstance(expanded, p.Send) else expanded.patterns)
        for channel in self._candidates(width, held):
            values = self._values.again()
            number = values.variable_channel(statement.channel) or held
            is_it = fold(equals(number.value, Constant(channel.identity + channel.element)))
            found += Messages(values).actions_on(statement, channel, None, is_it)
        return found if held.choices is not None else [*found, self._no_channel(statement)]

    def _no_channel(self, statement: p.Send | p.Receive) -> Action:
        """Where a variable holds no channel at all, which is an error."""
        values = self._values.again()
        held = values.variable_channel(statement.channel)
        is_one = FALSE if held is None else _is_channel(held, values)
        name, span = statement.channel.span.flat_text, statement.span
        place = f"{span.path}:{span.line}:{span.column}"
        wrong = op.Assert(FALSE, f"`{name}` holds no channel: {place}", property=op.MEMORY)
        return Action(
            span=span,
            reads=tuple(values.reads.operations),
            condition=logical_not(is_one),
            effects=(wrong,),
            temporaries=values.reads.count,
        )

    def actions_on(
        self, statement: p.Send | p.Receive, channel: Channel, index: Expr | None, is_it: Expr
    ) -> Sequence[Action]:
        """The ways to do it on one channel, where `is_it` says that this is the one."""
        statement = self._expanded(statement)
        given = statement.values if isinstance(statement, p.Send) else statement.patterns
        if len(given) > len(channel.fields) and isinstance(statement, p.Send):
            raise error(
                "W0707",
                f"a message of {len(given)} values on `{channel.name}`",
                statement.span,
                f"its messages have {len(channel.fields)}",
            )
        whole = _filled_up(statement, len(channel.fields))
        watching = tuple(self._watched(whole, channel, index))
        found = self._whole_actions(whole, channel, index, is_it)
        if watching:
            found = [replace(action, effects=(*action.effects, *watching)) for action in found]
        if len(given) == len(channel.fields):
            return found
        place = f"{statement.span.path}:{statement.span.line}:{statement.span.column}"
        wrong = op.Assert(FALSE, f"a message of {len(given)} values on `{channel.name}`: {place}")
        return [replace(action, effects=(wrong, *action.effects)) for action in found]

    def _watched(
        self, statement: p.Send | p.Receive, channel: Channel, index: Expr | None
    ) -> Iterator[op.Operation]:
        """What a `trace` that follows the channel does at a message."""
        trace, is_send = channel.watched_by, isinstance(statement, p.Send)
        if trace is None or not trace.watches(channel.name, is_send=is_send):
            return
        if isinstance(statement, p.Receive) and statement.keeps:
            return  # which takes no message
        is_plain = not (statement.is_sorted if isinstance(statement, p.Send) else statement.anywhere)
        if not is_plain or not (is_send or channel.capacity):
            message = f"`{statement.span.flat_text}` where a `{trace.word}` follows the channel"
            raise error("W0711", message, statement.span, "expected a send, or `?` on a buffered channel")
        if isinstance(statement, p.Send):
            values: Sequence[Expr] = self._fields_of(statement, channel)
        else:
            values = self._contents(channel, index).messages[0]
        place = channel.name, self._element(channel, index)
        yield from trace.follow(statement, place, values, self._values)

    def _whole_actions(
        self, statement: p.Send | p.Receive, channel: Channel, index: Expr | None, is_it: Expr
    ) -> Sequence[Action]:
        if not channel.capacity:
            return list(self._meetings(statement, channel, index, is_it))
        if isinstance(statement, p.Send):
            action = self._send(statement, channel, index)
        else:
            action = self._receive(statement, channel, index)
        return [replace(action, condition=both(is_it, action.condition))]

    def _expanded(self, statement: p.Send | p.Receive) -> p.Send | p.Receive:
        """A statement with the fields of records in its message."""
        if isinstance(statement, p.Send):
            values = [
                leaf
                for value in statement.values
                for leaf in (self._values.leaves(value) if isinstance(value, p.Use) else (value,))
            ]
            return replace(statement, values=tuple(values))
        return replace(statement, patterns=self._all_patterns(statement.patterns))

    def _all_patterns(self, patterns: Sequence[p.Pattern]) -> tuple[p.Pattern, ...]:
        found: list[p.Pattern] = []
        for pattern in patterns:
            value = pattern.value
            leaves = self._values.leaves(value) if isinstance(value, p.Use) else [value]
            found += [replace(pattern, value=leaf) for leaf in leaves]
        return tuple(found)

    def _send(self, send: p.Send, channel: Channel, index: Expr | None) -> Action:
        sent = self._fields_of(send, channel)
        if send.is_sorted:
            contents = self._contents(channel, index)
            length = contents.length
            writes = list(self._insert_sorted(channel, index, contents, sent))
        else:
            length = self._values.load(CellReference(_length(channel), self._element(channel, index)))
            writes = [
                operation
                for number, value in enumerate(sent)
                for operation in assignment(self._slot(channel, number, index, length), value)
            ]
        longer = fold(Binary(BinaryOp.ADD, length, Constant(1)))
        writes += assignment(CellReference(_length(channel), self._element(channel, index)), longer)
        condition = fold(Binary(BinaryOp.SLT, length, Constant(channel.capacity)))
        return self._action(send.span, condition, at_once(writes))

    def _fields_of(self, send: p.Send, channel: Channel) -> list[Expr]:
        values = [self._values.of(value) for value in send.values]
        return [fold(field.cut(value)) for field, value in zip(channel.fields, values, strict=True)]

    def _insert_sorted(
        self, channel: Channel, index: Expr | None, contents: _Contents, sent: Sequence[Expr]
    ) -> Iterator[op.Operation]:
        """The message goes before the first that is greater."""
        comes_later = [
            either(
                fold(Binary(BinaryOp.SLE, contents.length, Constant(position))), _is_greater(message, sent)
            )
            for position, message in enumerate(contents.messages)
        ]
        is_behind: Expr = FALSE  # whether the new message stands before this position
        for position, message in enumerate(contents.messages):
            is_here = both(logical_not(is_behind), comes_later[position])
            for number, value in enumerate(sent):
                moved = contents.messages[position - 1][number] if position else FALSE
                new = Select(is_here, value, Select(is_behind, moved, message[number]))
                yield from assignment(self._slot(channel, number, index, Constant(position)), fold(new))
            is_behind = either(is_behind, comes_later[position])

    def _receive(self, receive: p.Receive, channel: Channel, index: Expr | None) -> Action:
        contents = self._contents(channel, index, None if receive.anywhere else 1)
        found = self._matching_conditions(
            channel, contents, receive.patterns, receive.span, anywhere=receive.anywhere
        )
        writes: list[op.Operation] = []
        taken: Expr = FALSE  # the position of the message
        if len(found) > 1:
            register = self._values.reads.fresh()
            first: Expr = Constant(len(found) - 1)
            for position in reversed(range(len(found) - 1)):
                first = Select(found[position], Constant(position), first)
            writes.append(op.Set(register, fold(first)))
            taken = Register(register)
        for number, pattern in enumerate(receive.patterns):
            target = self._target(pattern)
            if target is not None:
                value = contents.messages[len(found) - 1][number]
                for position in reversed(range(len(found) - 1)):
                    is_it = equals(taken, Constant(position))
                    value = Select(is_it, contents.messages[position][number], value)
                writes += assignment(target, fold(value))
        moved: list[op.Operation] = []
        if not receive.keeps:
            # Whether a message can be taken does not depend on those behind it: they are read afterwards.
            reads = self._values.reads.operations
            before = len(reads)
            writes += self._remove_message(channel, index, self._contents(channel, index), taken)
            moved = reads[before:]
            del reads[before:]
        return self._action(receive.span, _any(found), [*moved, *at_once(writes)])

    def _remove_message(
        self, channel: Channel, index: Expr | None, contents: _Contents, taken: Expr
    ) -> Iterator[op.Operation]:
        """Takes the message at a position out; later ones move up."""
        for position, message in enumerate(contents.messages):
            is_gone = fold(Binary(BinaryOp.SLE, taken, Constant(position)))
            for number, value in enumerate(message):
                last = position + 1 == len(contents.messages)
                moved = FALSE if last else contents.messages[position + 1][number]
                new = fold(Select(is_gone, moved, value))
                yield from assignment(self._slot(channel, number, index, Constant(position)), new)
        shorter = fold(Binary(BinaryOp.SUB, contents.length, Constant(1)))
        yield from assignment(CellReference(_length(channel), self._element(channel, index)), shorter)

    def _matching_conditions(
        self,
        channel: Channel,
        contents: _Contents,
        patterns: Sequence[p.Pattern],
        span: Span,
        *,
        anywhere: bool,
    ) -> list[Expr]:
        """For each position that may be received from, whether its message fits: the first one is taken."""
        if len(patterns) > len(channel.fields):
            raise error("W0707", f"a message of {len(patterns)} values on `{channel.name}`", span, "too many")
        patterns = (*patterns, *_anything(len(channel.fields) - len(patterns), span))
        found: list[Expr] = []
        for position, message in enumerate(contents.messages if anywhere else contents.messages[:1]):
            is_there = fold(Binary(BinaryOp.SLT, Constant(position), contents.length))
            found.append(all_of(is_there, *self._matches(patterns, message)))
        return found

    def _matches(self, patterns: Sequence[p.Pattern], message: Sequence[Expr]) -> Iterator[Expr]:
        for pattern, value in zip(patterns, message, strict=True):
            if self._is_matched(pattern):
                yield fold(equals(value, self._values.of(pattern.value)))

    def _is_matched(self, pattern: p.Pattern) -> bool:
        if pattern.is_matched or not isinstance(pattern.value, p.Use):
            return True
        use = pattern.value
        if use.name == _ANYTHING:
            return False
        return isinstance(self._values.scope.find(use.name, use.span), Symbol)

    def _target(self, pattern: p.Pattern) -> CellReference | None:
        """Where a received value goes."""
        if self._is_matched(pattern) or not isinstance(pattern.value, p.Use):
            return None
        return None if pattern.value.name == _ANYTHING else self._values.place(pattern.value)

    # A rendezvous

    def _meetings(
        self, statement: p.Send | p.Receive, channel: Channel, index: Expr | None, is_it: Expr
    ) -> Iterator[Action]:
        values = self._values
        sent = self._fields_of(statement, channel) if isinstance(statement, p.Send) else []
        for number in self._elements(channel, index):
            is_this = is_it if index is None else fold(equals(index, Constant(number)))
            name = meeting_name(channel, number)
            if isinstance(statement, p.Send):
                effects: tuple[op.Operation, ...] = (op.Send(name, tuple(sent)),)
                yield Action(
                    span=statement.span,
                    reads=tuple(values.reads.operations),
                    condition=is_this,
                    effects=effects,
                    kind=Kind.MEETING,
                    temporaries=values.reads.count,
                )
                continue
            if statement.keeps:
                raise error("W0711", "`?<…>` on a rendezvous channel", statement.span, "expected `?`")
            received = [values.reads.fresh() for _ in channel.fields]
            taken = [Register(register) for register in received]
            matches = all_of(*self._matches(statement.patterns, taken))
            writes: list[op.Operation] = []
            for pattern, value in zip(statement.patterns, taken, strict=True):
                target = self._target(pattern)
                writes += () if target is None else assignment(target, value)
            test = () if is_this == TRUE else (op.Assume(is_this, waits=True),)
            yield Action(
                span=statement.span,
                reads=(*values.reads.operations, *test, op.Receive(name, tuple(received))),
                condition=matches,
                effects=tuple(writes),
                kind=Kind.MEETING,
                temporaries=values.reads.count,
            )

    def _elements(self, channel: Channel, index: Expr | None) -> Sequence[int]:
        if index is None:
            return (channel.element,)
        if isinstance(index, Constant):
            return (index.value,)
        return range(channel.total)

    # Parts

    def _contents(self, channel: Channel, index: Expr | None, most: int | None = None) -> _Contents:
        """The messages of a channel, or at most so many of them."""
        length = self._values.load(CellReference(_length(channel), self._element(channel, index)))
        messages = tuple(
            tuple(
                self._values.load(self._slot(channel, number, index, Constant(position)))
                for number in range(len(channel.fields))
            )
            for position in range(channel.capacity)[:most]
        )
        return _Contents(length, messages)

    def _element(self, channel: Channel, index: Expr | None) -> Expr:
        return Constant(channel.element) if index is None else index

    def _slot(self, channel: Channel, number: int, index: Expr | None, position: Expr) -> CellReference:
        first = Binary(BinaryOp.MUL, self._element(channel, index), Constant(channel.capacity))
        return CellReference(_field(channel, number), fold(Binary(BinaryOp.ADD, first, position)))

    def _action(self, span: Span, condition: Expr, effects: Sequence[op.Operation]) -> Action:
        reads = self._values.reads
        return Action(
            span=span,
            reads=tuple(reads.operations),
            condition=truth(condition),
            effects=tuple(effects),
            temporaries=reads.count,
        )


def _filled_up(statement: p.Send | p.Receive, width: int) -> p.Send | p.Receive:
    """A statement whose message has all its fields: those left out are 0, and anything is received."""
    if isinstance(statement, p.Send):
        zeros = (p.Number(0, statement.span),) * (width - len(statement.values))
        return replace(statement, values=(*statement.values, *zeros))
    rest = _anything(width - len(statement.patterns), statement.span)
    return replace(statement, patterns=(*statement.patterns[:width], *rest))


def _anything(count: int, span: Span) -> tuple[p.Pattern, ...]:
    return (p.Pattern(p.Use(_ANYTHING, span), is_matched=False, span=span),) * count


def at_once(writes: Sequence[op.Operation]) -> list[op.Operation]:
    """Operations whose stores go to memory at once, after what the own store buffer holds."""
    found: list[op.Operation] = [FULL_FENCE]
    for operation in writes:
        found.append(operation)
        if isinstance(operation, op.Store):
            found.append(FULL_FENCE)
    return found


def _is_greater(message: Sequence[Expr], sent: Sequence[Expr]) -> Expr:
    """Whether a message comes after another in the order of its fields."""
    result: Expr = FALSE
    for ours, theirs in reversed(list(zip(message, sent, strict=True))):
        greater = fold(Binary(BinaryOp.SLT, theirs, ours))
        result = either(greater, both(fold(equals(theirs, ours)), result))
    return result


def _any(found: Sequence[Expr]) -> Expr:
    return join_balanced(found, either)
