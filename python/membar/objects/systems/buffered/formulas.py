"""The meaning of formulas in a control state of a thread with a store buffer."""

from __future__ import annotations

from typing import TypeAlias

from membar.objects import terms as t
from membar.objects.algebra import simplify
from membar.objects.syntax import ConcurrentObject, Location
from membar.objects.systems.buffered.buffer import Buffer
from membar.objects.systems.buffered.control import VALUE, WAITING, Control, Entry, Status, owner_name
from membar.objects.systems.moves import Memory
from membar.records import replace

# A pending store, and who keeps its variables.
Store: TypeAlias = tuple[Entry, str]
Stores: TypeAlias = tuple[Store, ...]


class Formulas:
    """Decides what a formula says about a thread's control."""

    def __init__(self, about: ConcurrentObject, buffer: Buffer) -> None:
        self._memory = Memory.of(about)
        self._buffer = buffer

    def resolve(self, term: t.Term, control: Control, who: t.VariableOwner, besides: Stores = ()) -> t.Term:
        """The term with everything about one thread's control state evaluated.

        `besides` are pending stores that are not in the control: what is claimed of every one is claimed of
        them too.
        """

        def change(part: t.Term) -> t.Term | None:
            match part:
                case t.At(lines=lines, who=asked) if asked is who:
                    return t.TRUE if control.line in lines else t.FALSE
                case t.Linearized(who=asked) if asked is who:
                    return t.FALSE if control.status in (Status.BEFORE, Status.NONE) else t.TRUE
                case t.Promised(number=number, who=asked) if asked is who:
                    return self._promised_result(number, control, who)
                case t.Pending(line=line, who=asked) if asked is who:
                    return t.TRUE if _numbers(control, line) else t.FALSE
                case t.PendingValue(line=line, name=name, who=asked, which=which) if asked is who:
                    place = _number(control, line, which)
                    if place is None:
                        return t.FALSE
                    return _value((control.entries[place], owner_name(place)), name, who)
                case t.PendingCount(line=line, who=asked) if asked is who:
                    return t.Number(len(_numbers(control, line)))
                case t.StoredBefore(line=line, than=than, who=asked) if asked is who:
                    return t.TRUE if _is_ahead(control, line, than) else t.FALSE
                case t.ForEach(line=line, store=store, body=body, who=asked) if asked is who:
                    stores = (*_stores(control), *besides)
                    return _for_each_store(stores, line, store, t.replace_subterms(body, change), who)
                case t.Sees(name=name, who=asked) if asked is who:
                    return self._value_read(name, control, who)
                case t.Deferred(line=line, who=asked) if asked is who:
                    return t.TRUE if _awaited_store(control, line) is not None else t.FALSE
                case t.DeferredResult(line=line, number=number, who=asked) if asked is who:
                    if _awaited_store(control, line) is None:
                        return t.FALSE
                    return t.Variable(t.Space.LOCAL, f"@{number}", WAITING, who)
                case _:
                    return None

        return simplify(t.replace_subterms(self._memory.elements(term), change))

    def _promised_result(self, number: int, control: Control, who: t.VariableOwner) -> t.Term:
        if control.status in (Status.BEFORE, Status.NONE):
            return t.FALSE
        operation, _ = self._buffer.lines[control.line]
        if number > operation.results:
            return t.FALSE
        return t.Variable(t.Space.LOCAL, f"@{number}", operation.name, who)

    def _value_read(self, name: str, control: Control, who: t.VariableOwner) -> t.Term:
        source = next(iter(self._buffer.sources(Location(name), control)))
        value = source.value
        return (
            replace(value, who=who) if isinstance(value, t.Variable) and source.entry is not None else value
        )

    def keeps(self, control: Control, variable: t.Variable) -> bool:
        """Whether a variable can still matter: private ones, the operation's, those of what is pending."""
        owner = variable.operation
        if variable.space is not t.Space.LOCAL:
            return True
        if owner == WAITING:
            return control.waiting is not None
        if owner.startswith("@"):
            return owner.removeprefix("@").isdecimal() and int(owner[1:]) < len(control.entries)
        return control.line != t.IDLE and self._buffer.lines[control.line][0].name == owner


def _stores(control: Control) -> Stores:
    return tuple((entry, owner_name(number)) for number, entry in enumerate(control.entries))


def _numbers(control: Control, line: str) -> list[int]:
    return [number for number, entry in enumerate(control.entries) if entry.line == line]


def _number(control: Control, line: str, which: t.PendingStore) -> int | None:
    """Where the store is that a formula means."""
    if which is t.PendingStore.AWAITED:
        return _awaited_store(control, line)
    found = _numbers(control, line)
    if not found:
        return None
    return found[0] if which is t.PendingStore.OLDEST else found[-1]


def _awaited_store(control: Control, line: str) -> int | None:
    """The pending store of a line after which the followed operation takes effect."""
    if control.waiting is None or control.entries[control.waiting.entry].line != line:
        return None
    return control.waiting.entry


def _is_ahead(control: Control, line: str, than: str) -> bool:
    found = [entry.line for entry in control.entries if entry.line in (line, than)]
    return found[:1] == [line]


def _value(store: Store, name: str | None, who: t.VariableOwner) -> t.Term:
    entry, owner = store
    if name is not None and name.startswith("@") and not entry.returned:
        return t.FALSE
    return t.Variable(t.Space.LOCAL, name or VALUE, owner, who)


def _for_each_store(stores: Stores, line: str, bound: str, body: t.Term, who: t.VariableOwner) -> t.Term:
    def of(store: Store) -> t.Term:
        return t.replace_subterms(
            body,
            lambda part: (
                _value(store, part.name, who) if isinstance(part, t.Bound) and part.store == bound else None
            ),
        )

    return t.conjunction(tuple(of(store) for store in stores if store[0].line == line))
