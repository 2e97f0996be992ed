"""Processor behaviour that the paper's transition system does not model."""

from __future__ import annotations

from collections.abc import Iterator

from membar.objects.syntax import Assign, Branch, Return
from membar.objects.systems.actions import is_shifted
from membar.objects.systems.relaxed.control import Control, Item
from membar.objects.systems.relaxed.waiting import Waiting


class UnmodelledBehaviour:
    """Finds control states at which renamed registers or earlier calls would allow more."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self._about = waiting.about

    def at(self, control: Control) -> str:
        """What a processor could do in a control state and the paper's system cannot; "" if nothing."""
        for place, item in enumerate(control.items):
            if is_shifted(self._waiting.action(item)):
                return "elements of one array are accessed in program order"
            if self._waits_for_names(control, place):
                return f"registers are not renamed (label {item.line} waits for a variable of another line)"
        return self._hidden_call(control)

    def _waits_for_names(self, control: Control, place: int) -> bool:
        """Whether a line could be done at once if registers were renamed.

        Lines that only compute, and can be done now, are no obstacle: nothing observes when they execute.
        """
        later = control.items[place]
        before = range(place)
        by_name = [n for n in before if self._waiting.blocks(control.items[n], later)]
        really = [n for n in before if self._waiting.blocks(control.items[n], later, renames=True)]
        if all(self._is_unseen(control, n) for n in by_name if n not in really):
            return False
        is_forwarded = self._waiting.forwarding(control, place) is None
        return not really or (
            is_forwarded and self._waiting.forwarding(control, place, renames=True) is not None
        )

    def _is_unseen(self, control: Control, place: int) -> bool:
        action = self._waiting.action(control.items[place])
        return isinstance(action, Branch | Assign) and self._waiting.is_ready(control, place)

    def _hidden_call(self, control: Control) -> str:
        """That a following operation could begin earlier than it does; "" if it could not.

        A call waits for the return before it, and so for what is returned and for branches, and for what its
        own requirement reads. A processor waits for none of them: it guesses, and does what is ready.
        """
        waiting = frozenset(
            item for place, item in enumerate(control.items) if not self._is_unseen(control, place)
        )
        if not waiting:
            return ""
        if control.instances[-1].returned:
            return self._hidden_by_requirements(waiting, len(control.instances))
        last = control.items[-1]
        if not any(self._waiting.blocks(each, last) for each in waiting if each != last):
            return ""  # it can be done now, perhaps after unobservable steps
        line = self._waiting.lines[last.line]
        labels = (line.then, line.otherwise) if isinstance(line.action, Branch) else (last.line,)
        starts = tuple(label for label in labels if label is not None)
        if self._calls_pass(waiting, last.instance, starts):
            return f"calls wait until the previous operation has returned (here: for label {last.line})"
        return ""

    def _hidden_by_requirements(self, waiting: frozenset[Item], instance: int) -> str:
        """The same after the return, for operations that may not be called in every state."""
        asked = tuple(
            operation.lines[0].label
            for operation in self._about.operations
            if self._waiting.awaits(operation, waiting)
        )
        if self._waiting.rules.speculates and self._waiting.passes(waiting, instance, asked):
            return "calls wait until their precondition can be evaluated"
        return ""

    def _calls_pass(self, waiting: frozenset[Item], instance: int, starts: tuple[str, ...]) -> bool:
        """Whether a line of an operation that is called after these lines can be done before all of them."""
        called = tuple(operation.lines[0].label for operation in self._about.operations)
        return any(
            self._waiting.passes(before, instance + 1, called)
            for before in self._ends(waiting, instance, starts)
        )

    def _ends(
        self, waiting: frozenset[Item], instance: int, starts: tuple[str, ...]
    ) -> Iterator[frozenset[Item]]:
        """What is not done at returns that follow, if everything is done as early as possible."""
        todo = [(label, waiting) for label in starts]
        seen = set(todo)
        while todo:
            label, before = todo.pop()
            line, item = self._waiting.lines[label], Item(instance, label)
            if isinstance(line.action, Return):
                yield before
            if any(self._waiting.blocks(each, item) for each in before):
                before |= {item}
            for target in (line.then, line.otherwise):
                if target is not None and (target, before) not in seen:
                    seen.add((target, before))
                    todo.append((target, before))
