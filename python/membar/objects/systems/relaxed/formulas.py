"""The meaning of formulas in a control state of a thread that executes out of order."""

from __future__ import annotations

from membar.objects.algebra import simplify
from membar.objects.syntax import Location, Store
from membar.objects.systems.moves import Memory
from membar.objects.systems.relaxed.control import Control, Done, Item, own, owner, owner_of
from membar.objects.systems.relaxed.waiting import Waiting
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


class Formulas:
    """Decides what a formula says about a thread's control."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self._memory = Memory.of(waiting.about)

    def resolve(self, term: Term, control: Control, who: Who) -> Term:
        """The term with what it says about one thread's control decided.

        A thread is at the first line of its current operation that is not done; a line is pending if it has
        been met and not done.
        """
        current = len(control.instances) - 1 if control.instances else -1
        if current >= 0 and control.instances[current].returned:
            current = -1
        left = [item.line for item in control.items if item.instance == current]
        line = left[0] if current >= 0 and left else IDLE

        def change(part: Term) -> Term | None:
            match part:
                case At(lines=lines, who=asked) if asked is who:
                    return TRUE if line in lines else FALSE
                case Linearized(who=asked) if asked is who:
                    done = current >= 0 and control.instances[current].done is Done.YES
                    return TRUE if done else FALSE
                case Promised(number=number, who=asked) if asked is who:
                    return self._promised_result(control, current, number, who)
                case Pending(line=label, who=asked) if asked is who:
                    return TRUE if any(item.line == label for item in control.items) else FALSE
                case PendingValue(line=label, name=name, who=asked, which=which) if asked is who:
                    return self._pending(control, label, name, who, which)
                case PendingCount(line=label, who=asked) if asked is who:
                    return Number(len(_items_of(control, label)))
                case Ahead(line=label, than=than, who=asked) if asked is who:
                    met = [item.line for item in control.items if item.line in (label, than)]
                    return TRUE if met[:1] == [label] else FALSE
                case ForEach(line=label, store=store, body=body, who=asked) if asked is who:
                    return self._each(control, label, store, replace_subterms(body, change), who)
                case Sees(name=name, who=asked) if asked is who:
                    return self._memory.value(Location(name))
                case Deferred(who=asked) | DeferredResult(who=asked) if asked is who:
                    return FALSE
                case Variable(space=Space.LOCAL, operation=operation, who=asked) if asked is who:
                    return self._variable(control, part, operation)
                case _:
                    return None

        return simplify(replace_subterms(self._memory.elements(term), change))

    def _promised_result(self, control: Control, current: int, number: int, who: Who) -> Term:
        if current < 0 or control.instances[current].done is not Done.YES:
            return FALSE
        operation = self._waiting.about.operation(control.instances[current].operation)
        if number > operation.results:
            return FALSE
        return Variable(Space.LOCAL, f"@{number}", owner(current, operation.name), who)

    def _pending(self, control: Control, label: str, name: str | None, who: Who, which: Which) -> Term:
        met = _items_of(control, label)
        if not met or which is Which.AWAITED:
            return FALSE
        return self._value(control, met[0] if which is Which.OLDEST else met[-1], name, who)

    def _each(self, control: Control, label: str, store: str, body: Term, who: Who) -> Term:
        """What is claimed of every line that has been met and not done."""

        def of(item: Item) -> Term:
            return replace_subterms(
                body,
                lambda part: (
                    self._value(control, item, part.name, who)
                    if isinstance(part, Bound) and part.store == store
                    else None
                ),
            )

        return conjunction(tuple(of(item) for item in _items_of(control, label)))

    def _value(self, control: Control, item: Item, name: str | None, who: Who) -> Term:
        """What a line stores, or a parameter of its operation."""
        action = self._waiting.action(item)
        if name is not None:
            return Variable(Space.LOCAL, name, owner_of(control, item), who)
        if not isinstance(action, Store):
            return FALSE
        term = own(action.value, control, item)
        return term if who is Who.SELF else replace_subterms(term, lambda part: _whose(part, who))

    def _variable(self, control: Control, variable: Variable, operation: str) -> Term:
        """A local of an operation: that of its youngest instance."""
        for number in reversed(range(len(control.instances))):
            if control.instances[number].operation == operation:
                return replace(variable, operation=owner(number, operation))
        return variable

    def keeps(self, control: Control, variable: Variable) -> bool:
        """Whether a variable can still matter."""
        if variable.space is not Space.LOCAL:
            return True
        number, _, name = variable.operation.partition(":")
        if not number.isdecimal() or int(number) >= len(control.instances):
            return False
        return control.instances[int(number)].operation == name


def _items_of(control: Control, label: str) -> list[Item]:
    return [item for item in control.items if item.line == label]


def _whose(part: Term, who: Who) -> Term | None:
    return replace(part, who=who) if isinstance(part, Variable) and part.space is Space.LOCAL else None
