"""The meaning of formulas in a control state of a thread with a store buffer."""

from __future__ import annotations

from typing import TypeAlias

from membar.objects.algebra import simplify
from membar.objects.syntax import ConcurrentObject, Location
from membar.objects.systems.buffered.buffer import Buffer
from membar.objects.systems.buffered.control import VALUE, WAITING, Control, Entry, Status, owner_name
from membar.objects.systems.moves import Memory
from membar.objects.terms import (
    FALSE,
    IDLE,
    TRUE,
    Ahead,
    At,
    Bound,
    Deferred,
    DeferredResult,
    ForEach,
    Linearized,
    Number,
    Pending,
    PendingCount,
    PendingValue,
    Promised,
    Sees,
    Space,
    Term,
    Variable,
    Which,
    Who,
    conjunction,
    replace_subterms,
)
from membar.records import replace

# A pending store, and who keeps its variables.
Store: TypeAlias = tuple[Entry, str]
Stores: TypeAlias = tuple[Store, ...]


class Formulas:
    """Decides what a formula says about a thread's control."""

    def __init__(self, about: ConcurrentObject, buffer: Buffer) -> None:
        self._memory = Memory.of(about)
        self._buffer = buffer

    def resolve(self, term: Term, control: Control, who: Who, besides: Stores = ()) -> Term:
        """The term with what it says about one thread's control decided.

        `besides` are pending stores that are not in the control: what is claimed of every one is claimed of
        them too.
        """

        def change(part: Term) -> Term | None:
            match part:
                case At(lines=lines, who=asked) if asked is who:
                    return TRUE if control.line in lines else FALSE
                case Linearized(who=asked) if asked is who:
                    return FALSE if control.status in (Status.BEFORE, Status.NONE) else TRUE
                case Promised(number=number, who=asked) if asked is who:
                    return self._promised_result(number, control, who)
                case Pending(line=line, who=asked) if asked is who:
                    return TRUE if _numbers(control, line) else FALSE
                case PendingValue(line=line, name=name, who=asked, which=which) if asked is who:
                    place = _number(control, line, which)
                    if place is None:
                        return FALSE
                    return _value((control.entries[place], owner_name(place)), name, who)
                case PendingCount(line=line, who=asked) if asked is who:
                    return Number(len(_numbers(control, line)))
                case Ahead(line=line, than=than, who=asked) if asked is who:
                    return TRUE if _is_ahead(control, line, than) else FALSE
                case ForEach(line=line, store=store, body=body, who=asked) if asked is who:
                    stores = (*_stores(control), *besides)
                    return _each(stores, line, store, replace_subterms(body, change), who)
                case Sees(name=name, who=asked) if asked is who:
                    return self._value_read(name, control, who)
                case Deferred(line=line, who=asked) if asked is who:
                    return TRUE if _awaited_store(control, line) is not None else FALSE
                case DeferredResult(line=line, number=number, who=asked) if asked is who:
                    if _awaited_store(control, line) is None:
                        return FALSE
                    return Variable(Space.LOCAL, f"@{number}", WAITING, who)
                case _:
                    return None

        return simplify(replace_subterms(self._memory.elements(term), change))

    def _promised_result(self, number: int, control: Control, who: Who) -> Term:
        if control.status in (Status.BEFORE, Status.NONE):
            return FALSE
        operation, _ = self._buffer.lines[control.line]
        if number > operation.results:
            return FALSE
        return Variable(Space.LOCAL, f"@{number}", operation.name, who)

    def _value_read(self, name: str, control: Control, who: Who) -> Term:
        source = next(iter(self._buffer.sources(Location(name), control)))
        value = source.value
        return replace(value, who=who) if isinstance(value, Variable) and source.entry is not None else value

    def keeps(self, control: Control, variable: Variable) -> bool:
        """Whether a variable can still matter: private ones, the operation's, those of what is pending."""
        owner = variable.operation
        if variable.space is not Space.LOCAL:
            return True
        if owner == WAITING:
            return control.waiting is not None
        if owner.startswith("@"):
            return owner.removeprefix("@").isdecimal() and int(owner[1:]) < len(control.entries)
        return control.line != IDLE and self._buffer.lines[control.line][0].name == owner


def _stores(control: Control) -> Stores:
    return tuple((entry, owner_name(number)) for number, entry in enumerate(control.entries))


def _numbers(control: Control, line: str) -> list[int]:
    return [number for number, entry in enumerate(control.entries) if entry.line == line]


def _number(control: Control, line: str, which: Which) -> int | None:
    """Where the store is that a formula means."""
    if which is Which.AWAITED:
        return _awaited_store(control, line)
    found = _numbers(control, line)
    if not found:
        return None
    return found[0] if which is Which.OLDEST else found[-1]


def _awaited_store(control: Control, line: str) -> int | None:
    """The pending store of a line after which the followed operation takes effect."""
    if control.waiting is None or control.entries[control.waiting.entry].line != line:
        return None
    return control.waiting.entry


def _is_ahead(control: Control, line: str, than: str) -> bool:
    found = [entry.line for entry in control.entries if entry.line in (line, than)]
    return found[:1] == [line]


def _value(store: Store, name: str | None, who: Who) -> Term:
    entry, owner = store
    if name is not None and name.startswith("@") and not entry.returned:
        return FALSE
    return Variable(Space.LOCAL, name or VALUE, owner, who)


def _each(stores: Stores, line: str, bound: str, body: Term, who: Who) -> Term:
    def of(store: Store) -> Term:
        return replace_subterms(
            body,
            lambda part: (
                _value(store, part.name, who) if isinstance(part, Bound) and part.store == bound else None
            ),
        )

    return conjunction(tuple(of(store) for store in stores if store[0].line == line))
