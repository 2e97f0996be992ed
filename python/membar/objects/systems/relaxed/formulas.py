"""The meaning of formulas in a control state of a thread that executes out of order."""

from __future__ import annotations

from membar.objects import terms as t
from membar.objects.algebra import simplify
from membar.objects.syntax import Location, Store
from membar.objects.systems.moves import Memory
from membar.objects.systems.relaxed.control import Control, Done, Item, own, owner, owner_of
from membar.objects.systems.relaxed.waiting import Waiting
from membar.records import replace


class Formulas:
    """Decides what a formula says about a thread's control."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self._memory = Memory.of(waiting.about)

    def resolve(self, term: t.Term, control: Control, who: t.VariableOwner) -> t.Term:
        """The term with everything about one thread's control state evaluated.

        A thread is at the first line of its current operation that is not done; a line is pending if it has
        been met and not done.
        """
        current = len(control.instances) - 1 if control.instances else -1
        if current >= 0 and control.instances[current].returned:
            current = -1
        left = [item.line for item in control.items if item.instance == current]
        line = left[0] if current >= 0 and left else t.IDLE

        def change(part: t.Term) -> t.Term | None:
            match part:
                case t.At(lines=lines, who=asked) if asked is who:
                    return t.TRUE if line in lines else t.FALSE
                case t.Linearized(who=asked) if asked is who:
                    done = current >= 0 and control.instances[current].done is Done.YES
                    return t.TRUE if done else t.FALSE
                case t.Promised(number=number, who=asked) if asked is who:
                    return self._promised_result(control, current, number, who)
                case t.Pending(line=label, who=asked) if asked is who:
                    return t.TRUE if any(item.line == label for item in control.items) else t.FALSE
                case t.PendingValue(line=label, name=name, who=asked, which=which) if asked is who:
                    return self._pending(control, label, name, who, which)
                case t.PendingCount(line=label, who=asked) if asked is who:
                    return t.Number(len(_items_of(control, label)))
                case t.StoredBefore(line=label, than=than, who=asked) if asked is who:
                    met = [item.line for item in control.items if item.line in (label, than)]
                    return t.TRUE if met[:1] == [label] else t.FALSE
                case t.ForEach(line=label, store=store, body=body, who=asked) if asked is who:
                    return self._for_each_line(control, label, store, t.replace_subterms(body, change), who)
                case t.Sees(name=name, who=asked) if asked is who:
                    return self._memory.value(Location(name))
                case t.Deferred(who=asked) | t.DeferredResult(who=asked) if asked is who:
                    return t.FALSE
                case t.Variable(space=t.Space.LOCAL, operation=operation, who=asked) if asked is who:
                    return self._variable(control, part, operation)
                case _:
                    return None

        return simplify(t.replace_subterms(self._memory.elements(term), change))

    def _promised_result(self, control: Control, current: int, number: int, who: t.VariableOwner) -> t.Term:
        if current < 0 or control.instances[current].done is not Done.YES:
            return t.FALSE
        operation = self._waiting.about.operation(control.instances[current].operation)
        if number > operation.results:
            return t.FALSE
        return t.Variable(t.Space.LOCAL, f"@{number}", owner(current, operation.name), who)

    def _pending(
        self, control: Control, label: str, name: str | None, who: t.VariableOwner, which: t.PendingStore
    ) -> t.Term:
        met = _items_of(control, label)
        if not met or which is t.PendingStore.AWAITED:
            return t.FALSE
        return self._value(control, met[0] if which is t.PendingStore.OLDEST else met[-1], name, who)

    def _for_each_line(
        self, control: Control, label: str, store: str, body: t.Term, who: t.VariableOwner
    ) -> t.Term:
        """What is claimed of every line that has been met and not done."""

        def of(item: Item) -> t.Term:
            return t.replace_subterms(
                body,
                lambda part: (
                    self._value(control, item, part.name, who)
                    if isinstance(part, t.Bound) and part.store == store
                    else None
                ),
            )

        return t.conjunction(tuple(of(item) for item in _items_of(control, label)))

    def _value(self, control: Control, item: Item, name: str | None, who: t.VariableOwner) -> t.Term:
        """What a line stores, or a parameter of its operation."""
        action = self._waiting.action(item)
        if name is not None:
            return t.Variable(t.Space.LOCAL, name, owner_of(control, item), who)
        if not isinstance(action, Store):
            return t.FALSE
        term = own(action.value, control, item)
        return (
            term
            if who is t.VariableOwner.SELF
            else t.replace_subterms(term, lambda part: _with_thread(part, who))
        )

    def _variable(self, control: Control, variable: t.Variable, operation: str) -> t.Term:
        """A local of an operation: that of its youngest instance."""
        for number in reversed(range(len(control.instances))):
            if control.instances[number].operation == operation:
                return replace(variable, operation=owner(number, operation))
        return variable

    def keeps(self, control: Control, variable: t.Variable) -> bool:
        """Whether a variable can still matter."""
        if variable.space is not t.Space.LOCAL:
            return True
        number, _, name = variable.operation.partition(":")
        if not number.isdecimal() or int(number) >= len(control.instances):
            return False
        return control.instances[int(number)].operation == name


def _items_of(control: Control, label: str) -> list[Item]:
    return [item for item in control.items if item.line == label]


def _with_thread(part: t.Term, who: t.VariableOwner) -> t.Term | None:
    return replace(part, who=who) if isinstance(part, t.Variable) and part.space is t.Space.LOCAL else None
