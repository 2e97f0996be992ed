"""Declarations → what the names stand for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import error
from membar.languages.promela import syntax as p
from membar.languages.promela.initial_values import AtCreation
from membar.languages.promela.scope import (
    BIT,
    BYTE,
    MOST_ELEMENTS,
    Channel,
    Meaning,
    Record,
    Scalar,
    Scope,
    Storage,
    Symbol,
    scalar,
)
from membar.program.expr import Expr
from membar.source import Span

if TYPE_CHECKING:
    from membar.languages.promela.trace import Trace

_MOST_MESSAGES = 255
_MOST_SYMBOLS = 255


class Declarations:
    """Gives names their meaning; `records` are the `typedef`s, `constant` computes constant expressions."""

    def __init__(
        self,
        records: Mapping[str, tuple[p.Variable, ...]],
        constant: Callable[[p.Expr, Scope], int],
    ) -> None:
        self._records = records
        self.constant = constant
        # Whether processes are a stack and channels values, and whether the text needs that.
        self.is_dynamic = False
        self.assigned: frozenset[str] = frozenset()  # names that statements assign to
        self.ghosts: frozenset[str] = frozenset()  # global variables that no processor has
        self.has_priorities = False  # of processes
        self.needs_dynamic = False
        # All channels: those of the last reading of the text, and of this one.
        self.channels: tuple[Channel, ...] = ()
        self.found: list[Channel] = []
        self.notes: list[str] = []
        self.trace: Trace | None = None

    def symbols(self, groups: Sequence[tuple[str, Sequence[tuple[str, Span]]]], scope: Scope) -> None:
        """`mtype = { … }`: SPIN numbers the names of each declaration from the last to the first.

        Each kind (`mtype:fruit = { … }`) has numbers of its own.
        """
        below: dict[str, int] = {}
        for family, names in groups:
            for position, (name, span) in enumerate(names):
                value = below.get(family, 0) + len(names) - position
                if value > _MOST_SYMBOLS:
                    raise error("W0705", f"{value} symbolic names", span, f"at most {_MOST_SYMBOLS}")
                scope.declare(name, Symbol(value), span)
            below[family] = below.get(family, 0) + len(names)

    def priority(self, given: p.Expr | None, scope: Scope) -> int:
        """The priority that a process is given, or that all have by default.

        Raises:
            InputError: there is no such priority.
        """
        value = 1 if given is None else self.constant(given, scope)
        if given is not None and not 0 <= value <= _MOST_SYMBOLS:
            raise error("W0705", f"priority {value}", given.span, "expected 1 to 255")
        return max(value, 1)

    def scalars(self, items: Sequence[p.Variable]) -> Iterator[p.Variable]:
        """The scalars among parameters: those of a record are all its fields, in order."""
        for item in items:
            if item.type is p.Type.RECORD:
                yield from self.scalars(self._records[item.record])
            else:
                yield item

    def variable(
        self, item: p.Variable, scope: Scope, *, shared: bool, rename: str | None = None, initial: bool = True
    ) -> Meaning:
        """What a declared variable stands for; `rename` is the name of its memory or registers."""
        return self._meaning(item, rename or item.name, (), scope, shared=shared, initial=initial)

    def _meaning(
        self,
        item: p.Variable,
        name: str,
        dimensions: tuple[int, ...],
        scope: Scope,
        *,
        shared: bool,
        initial: bool,
    ) -> Meaning:
        count = None if item.count is None else _first_value(item.count, scope)
        if count is not None and not 1 <= count <= MOST_ELEMENTS:
            raise error("W0705", f"an array of {count} elements", item.span, f"expected 1 to {MOST_ELEMENTS}")
        inner = dimensions if count is None else (*dimensions, count)
        if item.type is p.Type.CHAN and isinstance(item.initial, p.ChannelShape):
            if item.name not in self.assigned:
                return self._channel(item, name, count, scope, item.initial)
            self.needs_dynamic = True
            return self._variable_channel(item, name, inner, scope, item.initial, shared=shared)
        if item.type is p.Type.CHAN and not self.is_dynamic:
            self.needs_dynamic = True
        if item.type is p.Type.RECORD:
            return self._record(item, name, inner, count, scope, shared=shared)
        kind = scalar(item.type, item.width)
        if count is not None:
            kind = _in_bytes(kind)
        value = 0
        listed: tuple[int, ...] = ()
        if isinstance(item.initial, p.Listed):
            listed = self._initial_values(item, item.initial, count, kind, scope)
        elif initial and item.initial is not None and not isinstance(item.initial, p.ChannelShape):
            known = self.found if self.is_dynamic else None
            value = kind.fits(_first_value(item.initial, scope, known))
        return Storage(
            name=name,
            scalar=kind,
            dimensions=inner,
            own=count,
            is_shared=shared,
            initial=value,
            listed=listed,
            is_channel=item.type is p.Type.CHAN,
            is_ghost=shared and name.partition(".")[0] in self.ghosts,
            span=item.span,
        )

    def _initial_values(
        self, item: p.Variable, given: p.Listed, count: int | None, kind: Scalar, scope: Scope
    ) -> tuple[int, ...]:
        if count is None or len(given.values) > count:
            what = "is not an array" if count is None else f"has {count} elements"
            message = f"`{item.name}` {what}"
            raise error("W0705", message, given.span, f"{len(given.values)} initial values are given")
        return tuple(kind.fits(_first_value(value, scope)) for value in given.values)

    def _record(
        self,
        item: p.Variable,
        name: str,
        dimensions: tuple[int, ...],
        count: int | None,
        scope: Scope,
        *,
        shared: bool,
    ) -> Record:
        if isinstance(item.initial, p.Listed):
            raise error(
                "W0705", f"initial values for the record `{name}`", item.span, "set its fields instead"
            )
        if item.initial is not None:
            where = f"line {item.span.line}: `{item.name}` is a record"
            self.notes.append(f"{where}: its initial value is ignored, as in SPIN")
        fields: dict[str, Meaning] = {}
        for field in self._records[item.record]:
            part = f"{name}.{field.name}"
            if not isinstance(field.initial, p.ChannelShape):
                fields[field.name] = self._meaning(
                    field, part, dimensions, scope, shared=shared, initial=True
                )
                continue
            if not shared:
                message = "a channel with messages of its own inside a local record"
                raise error("W0711", message, item.span, "declare the record outside all processes")
            self.needs_dynamic = True
            own = () if field.count is None else (_first_value(field.count, scope),)
            inner = (*dimensions, *own)
            fields[field.name] = self._variable_channel(
                field, part, inner, scope, field.initial, shared=shared
            )
        return Record(fields, count)

    def _variable_channel(
        self,
        item: p.Variable,
        name: str,
        dimensions: tuple[int, ...],
        scope: Scope,
        shape: p.ChannelShape,
        *,
        shared: bool,
    ) -> Storage:
        """A variable that holds a channel of its own first, and may hold others later."""
        own = dimensions[-1] if item.count is not None else None
        total = math.prod(dimensions) if dimensions else None
        channel = self._channel(item, f"{name}'", total, scope, shape)
        return Storage(
            name=name,
            scalar=scalar(item.type),
            dimensions=dimensions,
            own=own,
            is_shared=shared,
            listed=tuple(channel.identity + element for element in range(channel.total)),
            initial=channel.identity,
            is_channel=True,
            is_fixed=name.partition(".")[0] not in self.assigned,
            span=item.span,
        )

    def _channel(
        self, item: p.Variable, name: str, count: int | None, scope: Scope, shape: p.ChannelShape
    ) -> Channel:
        capacity = self.constant(shape.capacity, scope)
        if not 0 <= capacity <= _MOST_MESSAGES:
            raise error(
                "W0705",
                f"a channel of {capacity} messages",
                shape.span,
                f"expected 0 to {_MOST_MESSAGES}",
            )
        fields: list[Scalar] = []
        for kind, width, record in shape.fields:
            fields += self._message_field(kind, width, record, scope)
        if len(fields) == 1:
            fields = [_in_bytes(fields[0])]
        if any(kind is p.Type.CHAN for kind, _, _ in shape.fields):
            self.needs_dynamic = True
        channel = Channel(
            name=name,
            capacity=capacity,
            fields=tuple(fields),
            count=count,
            total=count or 1,
            identity=1 + sum(known.total for known in self.found),
            watched_by=self._watcher(item, name),
            span=item.span,
        )
        self.found.append(channel)
        return channel

    def _watcher(self, item: p.Variable, name: str) -> Trace | None:
        """The `trace` that follows a channel."""
        trace = self.trace
        if trace is None or not any(event.channel == item.name for event in trace.events):
            return None
        if name != item.name:
            message = f"`{item.name}` in a `{trace.word}`"
            raise error("W0711", message, item.span, "expected a global channel that nobody assigns to")
        return trace

    def _message_field(self, kind: p.Type, width: int, record: str, scope: Scope) -> Iterator[Scalar]:
        """The scalars of one field of a message: those of a record are all its fields, in order."""
        if kind is not p.Type.RECORD:
            yield scalar(kind, width)
            return
        for item in self._records[record]:
            count = 1 if item.count is None else self.constant(item.count, scope)
            for _ in range(count):
                yield from self._message_field(item.type, item.width, item.record, scope)


def _in_bytes(kind: Scalar) -> Scalar:
    """The values of an element of an array, or of the only field of a message: SPIN has a byte for a bit."""
    return BYTE if kind == BIT else kind


def read_trace(module: p.Module, scope: Scope) -> Trace | None:
    """The `trace` or `notrace` of a text, if it has one."""
    if not module.traces:
        return None
    from membar.languages.promela.trace import trace_of  # noqa: PLC0415 - on demand

    return trace_of(module, scope)


def parts_checked(declarations: Declarations) -> tuple[tuple[str, str], ...]:
    """What is not checked of the text, by property."""
    trace = declarations.trace
    if trace is None or trace.is_always_complete:
        return ()
    return (("deadlock", f"without the question whether the `{trace.word}` is complete where a run ends"),)


def _first_value(expr: p.Expr, scope: Scope, channels: Sequence[Channel] | None = None) -> int:
    """The first value of a variable, which may depend on those of variables declared before.

    It may be one of the `channels`, where these are values.
    """

    def special(part: p.Special) -> Expr:
        raise error("W0708", f"`{part.span.flat_text}` is not a constant", part.span, "expected a constant")

    return AtCreation(
        scope, {}, is_started=True, special=special, channels=channels, has_channels=False
    ).value(expr)


def ghost_names(module: p.Module) -> frozenset[str]:
    """The variables that `ghost` names.

    Raises:
        InputError: one of them is no global variable, or a channel.
    """
    known = {item.name: item for item in module.variables}
    for name, span in module.ghosts:
        if name not in known or known[name].type is p.Type.CHAN:
            raise error("W0706", f"`{name}` is not a global variable", span, f"there are {', '.join(known)}")
    return frozenset(name for name, _ in module.ghosts)


def assigned_names(module: p.Module) -> frozenset[str]:
    """The names that statements of processes assign to, or receive into."""
    return frozenset(name for process in module.processes for name in _names(process.body))


def _names(statement: p.Statement) -> Iterator[str]:
    match statement:
        case p.Assign(target=target) | p.Select(target=target) | p.Store(target=target):
            yield target.name
        case p.Receive(patterns=patterns):
            yield from (item.value.name for item in patterns if isinstance(item.value, p.Use))
        case p.Labelled(statement=inner):
            yield from _names(inner)
        case p.Unless(statement=inner, escape=escape):
            yield from _names(inner)
            yield from _names(escape)
        case p.Block(statements=inner_ones):
            for each in inner_ones:
                yield from _names(each)
        case p.Choice(options=options):
            for option in options:
                yield from _names(option)
        case p.For(body=body, target=target) | p.ForEach(body=body, target=target):
            yield target.name
            yield from _names(body)
        case _:
            return
