"""Which lines wait for which: the combined effect of the paper's counters, `before`, flags and `ready`."""

from __future__ import annotations

from membar.objects import syntax as o
from membar.objects.systems.actions import is_full, is_shifted, place_of, variables_read, variables_written
from membar.objects.systems.relaxed.control import Control, Item, Rules
from membar.objects.terms import Space, Variable, subterms


class Waiting:
    """The order in which issued lines may execute."""

    def __init__(self, about: o.ConcurrentObject, rules: Rules) -> None:
        self.about = about
        self.rules = rules
        self.lines: dict[str, o.Line] = {line.label: line for _, line in about.lines()}
        self._worth: dict[tuple[Item, ...], bool] = {}

    def action(self, item: Item) -> o.Action:
        """The action of a line."""
        return self.lines[item.line].action

    def waits(self, first: str, second: str) -> bool:
        """Whether a later line of an operation waits for an earlier one."""
        return self.blocks(Item(0, first), Item(0, second))

    def blocks(self, earlier: Item, later: Item, *, renames: bool = False) -> bool:
        """Whether the later line must wait until the earlier one is done; `renames`: on a real processor."""
        first, second = self.action(earlier), self.action(later)
        if is_full(first) or is_full(second):
            return True
        if self.share_variables(earlier, later, renames=renames):
            return True
        if self._kept_by_branch(first, second) or self._kept_by_fence(first, second):
            return True
        if is_shifted(first) and isinstance(second, o.Store):
            return True
        places = {place.name for place in (place_of(first), place_of(second)) if place is not None}
        return len(places) == 1 and place_of(first) is not None and place_of(second) is not None

    def _kept_by_branch(self, first: o.Action, second: o.Action) -> bool:
        if not isinstance(first, o.Branch):
            return (
                isinstance(second, o.Fence)
                and second.kind is o.FenceKind.CONTROL
                and isinstance(first, o.Fence)
            )
        if not self.rules.speculates:
            return True
        return isinstance(second, o.Store | o.Return) or (
            isinstance(second, o.Fence) and second.kind is o.FenceKind.CONTROL
        )

    def _kept_by_fence(self, first: o.Action, second: o.Action) -> bool:
        stores = isinstance(first, o.Store) or (
            isinstance(first, o.Fence) and first.kind is o.FenceKind.STORE
        )
        after = isinstance(second, o.Store) or (
            isinstance(second, o.Fence) and second.kind is o.FenceKind.STORE
        )
        if stores and after and (isinstance(first, o.Fence) or isinstance(second, o.Fence)):
            return True
        return isinstance(first, o.Fence) and first.kind is o.FenceKind.CONTROL and isinstance(second, o.Load)

    def share_variables(self, earlier: Item, later: Item, *, renames: bool = False) -> bool:
        """Whether one of two lines changes a variable of its operation or thread that the other one uses.

        Where registers are renamed, only what the earlier one changes and the later one reads matters.
        """
        first, second = self.action(earlier), self.action(later)
        shared = variables_written(first) & variables_read(second)
        if not renames:
            shared |= variables_written(first) & variables_written(second) | variables_read(
                first
            ) & variables_written(second)
        is_one = earlier.instance == later.instance
        return any(is_one or space is Space.PRIVATE for space, _ in shared)

    def is_ready(self, control: Control, place: int) -> bool:
        """Whether a line need not wait."""
        later = control.items[place]
        return not any(self.blocks(earlier, later) for earlier in control.items[:place])

    def forwarding(self, control: Control, place: int, *, renames: bool = False) -> int | None:
        """The store whose value a load may take before it is done: the last access to that location."""
        later = control.items[place]
        load = self.action(later)
        if not isinstance(load, o.Load) or load.location.index is not None:
            return None
        before = list(enumerate(control.items[:place]))
        same = [
            n for n, item in before if (at := place_of(self.action(item))) and at.name == load.location.name
        ]
        if not same or not isinstance(self.action(control.items[same[-1]]), o.Store):
            return None
        store = same[-1]
        for number, earlier in before:
            if number in same:
                shares = self.share_variables(earlier, later, renames=renames)
                if is_full(self.action(earlier)) or shares:
                    return None
            elif self.blocks(earlier, later, renames=renames):
                return None
        return store if self._is_known(control, store) else None

    def _is_known(self, control: Control, place: int) -> bool:
        """Whether the value of a store is available: nothing before it still changes what it reads."""
        store = control.items[place]
        return not any(self.share_variables(earlier, store) for earlier in control.items[:place])

    def is_superseded(self, control: Control, place: int) -> bool:
        """Whether a later store to the same location can execute instead."""
        store = self.action(control.items[place])
        if not isinstance(store, o.Store) or store.location.index is not None:
            return False
        for number in range(place + 1, len(control.items)):
            later = self.action(control.items[number])
            if (at := place_of(later)) is None or at.name != store.location.name:
                continue
            between = control.items[place + 1 : number]
            free = not any(self.blocks(each, control.items[number]) for each in between)
            return isinstance(later, o.Store) and free
        return False

    def is_worth_guessing(self, met: tuple[Item, ...]) -> bool:
        """Whether something after the last of these lines, a branch, can be done before all of them.

        Predictions that enable nothing yet are postponed: they can be made when the obstacle is gone.
        """
        if not self.rules.speculates:
            return False
        found = self._worth.get(met)
        if found is None:
            branch = self.lines[met[-1].line]
            starts = tuple(label for label in (branch.then, branch.otherwise) if label is not None)
            found = self._worth[met] = self.passes(frozenset(met), met[-1].instance, starts)
        return found

    def passes(self, met: frozenset[Item], instance: int, starts: tuple[str, ...]) -> bool:
        """Whether a line from one of these on can be done before all that have been met."""
        todo = [(label, met) for label in starts]
        seen = set(todo)
        while todo:
            label, waiting = todo.pop()
            line, item = self.lines[label], Item(instance, label)
            if any(self.blocks(each, item) for each in waiting):
                if not self._can_be_forwarded(line.action, waiting):
                    waiting |= {item}
                else:
                    return True
            elif not isinstance(line.action, o.Branch):
                return True
            for target in (line.then, line.otherwise):
                if target is not None and (target, waiting) not in seen:
                    seen.add((target, waiting))
                    todo.append((target, waiting))
        return False

    def _can_be_forwarded(self, action: o.Action, waiting: frozenset[Item]) -> bool:
        """Whether a load might take the value of a store that waits, and nothing stands between them."""
        if not isinstance(action, o.Load) or any(is_full(self.action(each)) for each in waiting):
            return False
        return any(
            isinstance(store := self.action(each), o.Store) and store.location.name == action.location.name
            for each in waiting
        )

    def awaits(self, operation: o.Operation, waiting: frozenset[Item]) -> bool:
        """Whether what an operation requires speaks of something that is still to be computed."""
        read = {
            (Space.PRIVATE, part.name)
            for part in subterms(operation.requires)
            if isinstance(part, Variable) and part.space is Space.PRIVATE
        }
        return any(not read.isdisjoint(variables_written(self.action(each))) for each in waiting)
