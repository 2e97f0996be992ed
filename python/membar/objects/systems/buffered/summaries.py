"""Buffers of any length: stores that no formula mentions individually are summarised.

Explicit are the oldest and the youngest pending store of every kind (line, and whether its operation takes
effect with it and has returned), and the store that a tracked operation waits for. Loads, the oldest store
and annotations about single stores need no more. Of the others only their kinds are known: one or more of
each, anywhere between the oldest and the youngest of its kind.

An annotation about every pending store is stated for two arbitrary ones per kind, `some` and `next`: what is
proved of them holds for each. When the oldest store of a kind reaches memory, the oldest summarised one,
`next`, becomes explicit, at any place where it can be. See docs/decisions/0045-buffers-of-any-length.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.objects.syntax import ConcurrentObject
from membar.objects.systems.buffered.buffer import Buffer
from membar.objects.systems.buffered.control import Control, Entry, describe, owner_name
from membar.objects.systems.buffered.formulas import Formulas, Stores
from membar.objects.systems.buffered.machine import BufferedMachine
from membar.objects.systems.moves import Kind, Move
from membar.objects.terms import Space, Term, Variable, VariableOwner, conjunction
from membar.records import record, replace

Kinds = frozenset[Entry]


@record(frozen=True, slots=True)
class Summarised:
    """A control state of explicit stores, and the kinds of which there are more."""

    control: Control = Control()
    kinds: Kinds = frozenset()


@record(frozen=True, slots=True)
class _Slot:
    """An explicit store after a step: its kind, and who kept it before it moved up."""

    entry: Entry
    owner: str
    is_awaited: bool = False


@record(frozen=True, slots=True)
class _Form:
    """A buffer on its way to a summary.

    Attributes:
        slots: the explicit stores.
        kinds: of the others.
        some: kinds whose `some` is a store that was explicit, and who kept that.
        is_renewed: `next` is `some` from now on.
    """

    slots: tuple[_Slot, ...]
    kinds: Kinds
    some: tuple[tuple[Entry, str], ...] = ()
    is_renewed: bool = False


class Summaries:
    """A thread whose buffer is summarised."""

    def __init__(self, about: ConcurrentObject, buffer: Buffer, machine: BufferedMachine) -> None:
        self._buffer = buffer
        self._machine = machine
        self._formulas = Formulas(about, buffer)

    def moves(self, summary: Summarised) -> Iterator[Move]:
        """The possible next moves: steps of the explicit stores, with every summary of the result."""
        for move in self._machine.moves(summary.control):
            after = move.after
            if not isinstance(after, Control):
                raise TypeError(f"{after} is not the control of a buffer")
            gone = summary.control.entries[0] if move.kind is Kind.FLUSH else None
            form = _form(after, summary.kinds)
            for pulled in _make_explicit(form, gone):
                for short in self._absorb(pulled):
                    yield self._with(move, after, short)

    def resolve(self, term: Term, summary: Summarised, who: VariableOwner) -> Term:
        """The term with everything about one thread's control state evaluated, for both open stores."""
        if not summary.kinds:
            return self._formulas.resolve(term, summary.control, who)
        either = [
            self._formulas.resolve(term, summary.control, who, stores) for stores in _open_stores(summary)
        ]
        return either[0] if either[0] == either[1] else conjunction(tuple(either))

    def keeps(self, summary: Summarised, variable: Variable) -> bool:
        """Whether a variable can still matter."""
        owners = {owner for stores in _open_stores(summary) for _, owner in stores}
        return variable.operation in owners or self._formulas.keeps(summary.control, variable)

    def _absorb(self, form: _Form) -> Iterator[_Form]:
        """The buffer without explicit stores that nothing refers to."""
        place = next((at for at in range(len(form.slots)) if not self._is_asked_for(form, at)), None)
        if place is None:
            yield form
            return
        slot = form.slots[place]
        slots = (*form.slots[:place], *form.slots[place + 1 :])
        left = replace(form, slots=slots, kinds=form.kinds | {slot.entry})
        some = (*(each for each in form.some if each[0] != slot.entry), (slot.entry, slot.owner))
        yield from self._absorb(replace(left, some=some, is_renewed=True))
        if slot.entry in form.kinds:
            yield from self._absorb(left)

    def _is_asked_for(self, form: _Form, place: int) -> bool:
        slot = form.slots[place]
        same = [at for at, each in enumerate(form.slots) if each.entry == slot.entry]
        is_single = slot.entry.promises and not slot.entry.returned
        is_shifted = self._buffer.store_of(slot.entry).location.index is not None
        return place in (same[0], same[-1]) or slot.is_awaited or is_single or is_shifted

    def _with(self, move: Move, after: Control, form: _Form) -> Move:
        """The move with its stores where they are in the end."""
        then = dict(move.updates)

        def move_variables(entry: Entry, new: str, old: str) -> Iterator[tuple[Variable, Term]]:
            for name in self._buffer.names(entry):
                source = Variable(Space.LOCAL, name, old)
                yield Variable(Space.LOCAL, name, new), then.get(source, source)

        updates = dict(then)
        for number, slot in enumerate(form.slots):
            if slot.owner != owner_name(number):
                updates |= dict(move_variables(slot.entry, owner_name(number), slot.owner))
        absorbed = dict(form.some)
        for entry in sorted(form.kinds, key=repr) if form.is_renewed else ():
            owner = absorbed.get(entry, some_of(entry))
            updates |= dict(move_variables(entry, next_of(entry), owner))
            if entry in absorbed:
                updates |= dict(move_variables(entry, some_of(entry), owner))
        waiting = after.waiting
        if waiting is not None:
            number = next(at for at, slot in enumerate(form.slots) if slot.is_awaited)
            waiting = replace(waiting, entry=number)
        entries = tuple(slot.entry for slot in form.slots)
        short = replace(after, entries=entries, waiting=waiting)
        return replace(move, updates=tuple(updates.items()), after=Summarised(short, form.kinds))


def _form(after: Control, kinds: Kinds) -> _Form:
    """The buffer after a step, as the step left it."""
    awaited = None if after.waiting is None else after.waiting.entry
    slots = tuple(
        _Slot(entry, owner_name(number), number == awaited) for number, entry in enumerate(after.entries)
    )
    return _Form(slots, kinds)


def _make_explicit(form: _Form, gone: Entry | None) -> Iterator[_Form]:
    """The buffer in which the oldest store of the kind that is `gone` is explicit again, if there is one."""
    if gone is None or gone not in form.kinds:
        yield form
        return
    same = [at for at, slot in enumerate(form.slots) if slot.entry == gone]
    for place in range(same[0] + 1):
        slots = (*form.slots[:place], _Slot(gone, next_of(gone)), *form.slots[place:])
        for kinds in (form.kinds, form.kinds - {gone}):
            yield replace(form, slots=slots, kinds=kinds, is_renewed=True)
    if len(same) > 1:
        yield form


def _open_stores(summary: Summarised) -> tuple[Stores, Stores]:
    """The stores that are left open: `some` of every kind, and `next` of every kind."""
    kinds = sorted(summary.kinds, key=repr)
    return tuple((kind, some_of(kind)) for kind in kinds), tuple((kind, next_of(kind)) for kind in kinds)


def some_of(entry: Entry) -> str:
    """Who keeps a store of a kind that is left open."""
    return f"@some {_kind(entry)}"


def next_of(entry: Entry) -> str:
    """Who keeps the store of a kind that becomes explicit next."""
    return f"@next {_kind(entry)}"


def _kind(entry: Entry) -> str:
    return (
        entry.line
        + (" that takes effect" if entry.promises else "")
        + (" and returned" if entry.returned else "")
    )


def in_words(summary: Summarised) -> str:
    """A summary in words."""
    text = describe(summary.control)
    between = sorted({kind.line for kind in summary.kinds})
    return f"{text}; more between them, of {', '.join(between)}" if between else text
