"""A thread that does its lines out of order: Armv8 as Winter, Smith and Derrick derive it, and XC.

The paper has, per address, a counter for loads and one for stores, sets `before`, flags and `ready`, and
pc_ret. All of them say when a line may be done although earlier ones have not been: here these are kept, in
program order, and `_blocks` says which of them a line must wait for. Mended, against the letter of the paper:

- branches are guessed one by one, when they are met, not once per operation: else no loop could be left
  after its second round; and a guess counts only if the condition agrees, which the paper's rule forgets;
- a load of what the thread itself is about to store may take that value (forwarding), or wait for the store
  and read memory: replacing it for good would hide stores of other threads;
- a line that changes a variable waits for an earlier branch that reads it;
- an operation returns when its branches are decided: a guess has no results;
- flags of control fences have the indices of those of branches.

Reads and writes of one local variable stay in order, as in the paper: registers are not renamed. Each
read-modify-write is a full fence. Operations of one thread may overlap, each with variables of its own; one
is called when the one before has returned, and what it requires is known. Where a processor could do more
than that, `beyond` says so.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from membar.diagnostics import EngineLimitError
from membar.objects.algebra import simplified
from membar.objects.syntax import (
    Action,
    Assign,
    Branch,
    ConcurrentObject,
    Fence,
    FenceKind,
    Line,
    Load,
    Location,
    Operation,
    Return,
    Rmw,
    Store,
)
from membar.objects.systems.actions import (
    is_full,
    is_shifted,
    place_of,
    rmw_outcomes,
    variables_read,
    variables_written,
    with_loaded,
)
from membar.objects.systems.moves import Check, Effect, Kind, Memory, Move, ThreadSystem, substituted
from membar.objects.systems.points import Alternative, Points, arguments, outputs
from membar.objects.terms import (
    FALSE,
    IDLE,
    TRUE,
    At,
    Deferred,
    DeferredResult,
    Linearized,
    Number,
    Pending,
    PendingValue,
    Sees,
    Space,
    Term,
    Variable,
    Who,
    conjunction,
    equals,
    negation,
    replaced,
    subterms,
)

LONGEST = 14


class Done(enum.Enum):
    """Whether an operation has taken effect."""

    NO = "has not taken effect"
    YES = "has taken effect"


@dataclass(frozen=True, slots=True)
class Instance:
    """A run of an operation."""

    operation: str
    done: Done = Done.NO
    returned: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A line that has been met and not done; a branch may be guessed."""

    instance: int
    line: str
    guess: bool | None = None


@dataclass(frozen=True, slots=True)
class Control:
    """The operations that are not over, oldest first, and what is left of them, in program order."""

    instances: tuple[Instance, ...] = ()
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """What distinguishes the models.

    Attributes:
        speculates: loads behind a branch may be done before it.
        eliminates: a store may be dropped where a later one to its location can be done instead.
    """

    speculates: bool
    eliminates: bool = False


def system(about: ConcurrentObject, *, name: str, rules: Rules, in_real_time: bool = False) -> ThreadSystem:
    """The system of an object."""
    machine = _Machine(about, rules, in_real_time)
    return ThreadSystem(
        name=name,
        about=about,
        start=Control(),
        moves=lambda control: tuple(machine.moves(_control(control))),
        resolved=lambda term, control, who: machine.resolved(term, _control(control), who),
        described=lambda control: described(_control(control)),
        too_long=lambda control: len(_control(control).items) > LONGEST,
        keeps=lambda control, variable: machine.keeps(_control(control), variable),
        is_done=lambda control: not _control(control).instances,
        beyond=lambda control: machine.beyond(_control(control)),
    )


def waits(about: ConcurrentObject, rules: Rules) -> Iterator[tuple[str, str]]:
    """Pairs of lines of an operation, in the order of the text, of which the later waits for the earlier.

    Pairs that follow from others are left out.
    """
    machine = _Machine(about, rules, in_real_time=False)
    for operation in about.operations:
        labels = [line.label for line in operation.lines]
        kept = {
            (first, second)
            for number, first in enumerate(labels)
            for second in labels[number + 1 :]
            if machine.waits(first, second)
        }
        for first, second in sorted(kept, key=lambda pair: (labels.index(pair[0]), labels.index(pair[1]))):
            if not any((first, middle) in kept and (middle, second) in kept for middle in labels):
                yield first, second


def _control(control: Hashable) -> Control:
    if not isinstance(control, Control):
        raise TypeError(f"{control} is no control of this system")
    return control


def described(control: Control) -> str:
    """A control in words."""
    if not control.instances:
        return "between operations, with nothing left to do"
    texts = []
    for number, instance in enumerate(control.instances):
        left = [
            f"{item.line}{'' if item.guess is None else ' (guessed)'}"
            for item in control.items
            if item.instance == number
        ]
        text = f"{instance.operation}, left: {', '.join(left) or 'nothing'}"
        text += "; returned" if instance.returned else ""
        text += f"; {instance.done.value}" if instance.done is Done.YES else ""
        texts.append(text)
    return " | ".join(texts)


def owner(number: int, operation: str) -> str:
    """Who has the local variables of the instance with this number."""
    return f"{number}:{operation}"


class _Machine:
    def __init__(self, about: ConcurrentObject, rules: Rules, in_real_time: bool) -> None:  # noqa: FBT001
        self._about = about
        self._rules = rules
        self._in_real_time = in_real_time
        self._memory = Memory.of(about)
        self._points = Points(about)
        self._lines: dict[str, Line] = {line.label: line for _, line in about.lines()}
        self._worth: dict[tuple[Item, ...], bool] = {}

    def _is_worth_guessing(self, met: tuple[Item, ...]) -> bool:
        """Whether something behind the last of these lines, a branch, can be done before all of them.

        Guesses that help nobody yet are put off: they can be made when what is in the way is done.
        """
        found = self._worth.get(met)
        if found is None:
            branch = self._lines[met[-1].line]
            starts = tuple(label for label in (branch.then, branch.otherwise) if label is not None)
            found = self._worth[met] = self._passes(frozenset(met), met[-1].instance, starts)
        return found

    def _passes(self, met: frozenset[Item], instance: int, starts: tuple[str, ...]) -> bool:
        """Whether a line from one of these on can be done before all that have been met."""
        todo = [(label, met) for label in starts]
        seen = set(todo)
        while todo:
            label, waiting = todo.pop()
            line, item = self._lines[label], Item(instance, label)
            if any(self._blocks(each, item) for each in waiting):
                if not self._can_be_forwarded(line.action, waiting):
                    waiting |= {item}
                else:
                    return True
            elif not isinstance(line.action, Branch):
                return True
            for target in (line.then, line.otherwise):
                if target is not None and (target, waiting) not in seen:
                    seen.add((target, waiting))
                    todo.append((target, waiting))
        return False

    def _can_be_forwarded(self, action: Action, waiting: frozenset[Item]) -> bool:
        """Whether a load might take the value of a store that waits, and nothing stands between them."""
        if not isinstance(action, Load) or any(is_full(self._action(each)) for each in waiting):
            return False
        return any(
            isinstance(store := self._action(each), Store) and store.location.name == action.location.name
            for each in waiting
        )

    # What can happen

    def moves(self, control: Control) -> Iterator[Move]:
        """What can happen next."""
        if not control.instances or control.instances[-1].returned:
            for operation in self._about.operations:
                if not self._awaited(operation, frozenset(control.items)):
                    yield self._call(operation, control)
        for place, item in enumerate(control.items):
            is_open = item.guess is None and isinstance(self._action(item), Branch)
            if is_open and self._rules.speculates and self._is_worth_guessing(control.items[: place + 1]):
                yield from self._guesses(control, place)
            for move in self._done(control, place):
                yield replace(move, guard=simplified(move.guard))
            if self._rules.eliminates and self._is_superseded(control, place):
                yield self._eliminated(control, place)

    def _action(self, item: Item) -> Action:
        return self._lines[item.line].action

    def _met(self, instance: int, label: str | None) -> tuple[Item, ...]:
        """The lines from a label up to the next branch or return.

        Raises:
            EngineLimitError: there is none.
        """
        found: list[Item] = []
        while label is not None:
            if any(item.line == label for item in found):
                raise EngineLimitError(
                    f"the loop from line {label} on is left by no branch: all of it is met at once"
                )
            line = self._lines[label]
            found.append(Item(instance, label))
            if isinstance(line.action, Branch | Return):
                break
            label = line.then
        return tuple(found)

    def _call(self, operation: Operation, control: Control) -> Move:
        number = len(control.instances)
        name = owner(number, operation.name)
        given = tuple(Variable(Space.LOCAL, each, name) for each in operation.parameters)
        chosen = arguments(operation)
        own = (Variable(Space.LOCAL, each, operation.name) for each in operation.parameters)
        fresh = tuple((Variable(Space.LOCAL, each, name), Number(0)) for each in operation.locals)
        items = self._met(number, operation.lines[0].label)
        return Move(
            kind=Kind.INVOKE,
            line=operation.lines[0].label,
            text=f"calls {operation.name}",
            guard=substituted(operation.requires, dict(zip(own, chosen, strict=True))),
            updates=(*fresh, *zip(given, chosen, strict=True)),
            after=Control((*control.instances, Instance(operation.name)), (*control.items, *items)),
        )

    def _guesses(self, control: Control, place: int) -> Iterator[Move]:
        """A branch is guessed, and what follows is met; it is the last line that was."""
        item = control.items[place]
        line = self._lines[item.line]
        for guess, target in ((True, line.then), (False, line.otherwise)):
            items = (*control.items[:place], replace(item, guess=guess), *self._met(item.instance, target))
            yield Move(
                kind=Kind.STEP,
                line=item.line,
                text=f"line {item.line} is guessed to be {'taken' if guess else 'not taken'}",
                after=replace(control, items=items),
            )

    # What must wait

    def waits(self, first: str, second: str) -> bool:
        """Whether a later line of an operation waits for an earlier one."""
        return self._blocks(Item(0, first), Item(0, second))

    def _blocks(self, earlier: Item, later: Item, *, renames: bool = False) -> bool:
        """Whether the later line must wait until the earlier one is done; `renames`: on a real processor."""
        first, second = self._action(earlier), self._action(later)
        if is_full(first) or is_full(second):
            return True
        if self._share_variables(earlier, later, renames=renames):
            return True
        if self._kept_by_branch(first, second) or self._kept_by_fence(first, second):
            return True
        if is_shifted(first) and isinstance(second, Store):
            return True
        places = {place.name for place in (place_of(first), place_of(second)) if place is not None}
        return len(places) == 1 and place_of(first) is not None and place_of(second) is not None

    def _kept_by_branch(self, first: Action, second: Action) -> bool:
        if not isinstance(first, Branch):
            return isinstance(second, Fence) and second.kind is FenceKind.CONTROL and isinstance(first, Fence)
        if not self._rules.speculates:
            return True
        return isinstance(second, Store | Return) or (
            isinstance(second, Fence) and second.kind is FenceKind.CONTROL
        )

    def _kept_by_fence(self, first: Action, second: Action) -> bool:
        stores = isinstance(first, Store) or (isinstance(first, Fence) and first.kind is FenceKind.STORE)
        after = isinstance(second, Store) or (isinstance(second, Fence) and second.kind is FenceKind.STORE)
        if stores and after and (isinstance(first, Fence) or isinstance(second, Fence)):
            return True
        return isinstance(first, Fence) and first.kind is FenceKind.CONTROL and isinstance(second, Load)

    def _share_variables(self, earlier: Item, later: Item, *, renames: bool = False) -> bool:
        """Whether one of two lines changes a variable of its operation or thread that the other one uses.

        Where registers are renamed, only what the earlier one changes and the later one reads matters.
        """
        first, second = self._action(earlier), self._action(later)
        shared = variables_written(first) & variables_read(second)
        if not renames:
            shared |= variables_written(first) & variables_written(second) | variables_read(
                first
            ) & variables_written(second)
        is_one = earlier.instance == later.instance
        return any(is_one or space is Space.PRIVATE for space, _ in shared)

    def _is_ready(self, control: Control, place: int) -> bool:
        later = control.items[place]
        return not any(self._blocks(earlier, later) for earlier in control.items[:place])

    def _forwarding(self, control: Control, place: int, *, renames: bool = False) -> int | None:
        """The store whose value a load may take before it is done: the last access to that location."""
        later = control.items[place]
        load = self._action(later)
        if not isinstance(load, Load) or load.location.index is not None:
            return None
        before = list(enumerate(control.items[:place]))
        same = [
            n for n, item in before if (at := place_of(self._action(item))) and at.name == load.location.name
        ]
        if not same or not isinstance(self._action(control.items[same[-1]]), Store):
            return None
        store = same[-1]
        for number, earlier in before:
            if number in same:
                shares = self._share_variables(earlier, later, renames=renames)
                if is_full(self._action(earlier)) or shares:
                    return None
            elif self._blocks(earlier, later, renames=renames):
                return None
        return store if self._is_known(control, store) else None

    def _is_known(self, control: Control, place: int) -> bool:
        """Whether the value of a store is there: nothing before it still changes what it reads."""
        store = control.items[place]
        return not any(self._share_variables(earlier, store) for earlier in control.items[:place])

    def _is_superseded(self, control: Control, place: int) -> bool:
        """Whether a later store to the same location can be done in its stead."""
        store = self._action(control.items[place])
        if not isinstance(store, Store) or store.location.index is not None:
            return False
        for number in range(place + 1, len(control.items)):
            later = self._action(control.items[number])
            if (at := place_of(later)) is None or at.name != store.location.name:
                continue
            between = control.items[place + 1 : number]
            free = not any(self._blocks(each, control.items[number]) for each in between)
            return isinstance(later, Store) and free
        return False

    # What a processor could do beyond the system

    def beyond(self, control: Control) -> str:
        """What a processor could do at a control and the paper's system cannot; "" if nothing."""
        for place, item in enumerate(control.items):
            if is_shifted(self._action(item)):
                return "elements of one array are accessed in program order"
            if self._waits_for_names(control, place):
                return f"registers are not renamed (line {item.line} waits for the variable of another line)"
        return self._hidden_call(control)

    def _waits_for_names(self, control: Control, place: int) -> bool:
        """Whether a line could be done at once if registers were renamed.

        Lines that only compute, and can be done now, are no obstacle: nobody sees when they are.
        """
        later = control.items[place]
        before = range(place)
        by_name = [n for n in before if self._blocks(control.items[n], later)]
        really = [n for n in before if self._blocks(control.items[n], later, renames=True)]
        if all(self._is_unseen(control, n) for n in by_name if n not in really):
            return False
        is_forwarded = self._forwarding(control, place) is None
        return not really or (is_forwarded and self._forwarding(control, place, renames=True) is not None)

    def _is_unseen(self, control: Control, place: int) -> bool:
        action = self._action(control.items[place])
        return isinstance(action, Branch | Assign) and self._is_ready(control, place)

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
        if not any(self._blocks(each, last) for each in waiting if each != last):
            return ""  # it can be done now, perhaps after steps that nobody sees
        line = self._lines[last.line]
        labels = (line.then, line.otherwise) if isinstance(line.action, Branch) else (last.line,)
        starts = tuple(label for label in labels if label is not None)
        if self._calls_pass(waiting, last.instance, starts):
            return f"calls wait for the return of the operation before (here: for line {last.line})"
        return ""

    def _hidden_by_requirements(self, waiting: frozenset[Item], instance: int) -> str:
        """The same after the return, for operations that may not be called in every state."""
        asked = tuple(
            operation.lines[0].label
            for operation in self._about.operations
            if self._awaited(operation, waiting)
        )
        if self._rules.speculates and self._passes(waiting, instance, asked):
            return "calls wait until what they require is known"
        return ""

    def _calls_pass(self, waiting: frozenset[Item], instance: int, starts: tuple[str, ...]) -> bool:
        """Whether a line of an operation that is called after these lines can be done before all of them."""
        called = tuple(operation.lines[0].label for operation in self._about.operations)
        return any(
            self._passes(before, instance + 1, called) for before in self._ends(waiting, instance, starts)
        )

    def _ends(
        self, waiting: frozenset[Item], instance: int, starts: tuple[str, ...]
    ) -> Iterator[frozenset[Item]]:
        """What is not done at returns that follow, if everything is done as early as possible."""
        todo = [(label, waiting) for label in starts]
        seen = set(todo)
        while todo:
            label, before = todo.pop()
            line, item = self._lines[label], Item(instance, label)
            if isinstance(line.action, Return):
                yield before
            if any(self._blocks(each, item) for each in before):
                before |= {item}
            for target in (line.then, line.otherwise):
                if target is not None and (target, before) not in seen:
                    seen.add((target, before))
                    todo.append((target, before))

    def _awaited(self, operation: Operation, waiting: frozenset[Item]) -> bool:
        """Whether what an operation requires speaks of something that is still to be computed."""
        read = {
            (Space.PRIVATE, part.name)
            for part in subterms(operation.requires)
            if isinstance(part, Variable) and part.space is Space.PRIVATE
        }
        return any(not read.isdisjoint(variables_written(self._action(each))) for each in waiting)

    # Doing a line

    def _done(self, control: Control, place: int) -> Iterator[Move]:
        item = control.items[place]
        source = self._forwarding(control, place)
        if source is not None:
            yield from self._forwarded(control, place, source)
        if not self._is_ready(control, place):
            return
        line, name = self._lines[item.line], self._owner(control, item)
        match line.action:
            case Load(target=target, location=location, value=value):
                loaded = self._memory.value(self._local(location, control, item))
                yield from self._loaded(control, place, target, self._own(value, control, item), loaded)
            case Store(location=location, value=value):
                where = self._local(location, control, item)
                updates = self._memory.stored(where, self._own(value, control, item))
                yield from self._finished(control, place, updates, checks=self._memory.inside(where))
            case Rmw():
                yield from self._rmw(control, place, line.action)
            case Fence():
                yield from self._finished(control, place, ())
            case Assign(target=target, value=value, private=private):
                space = Space.PRIVATE if private else Space.LOCAL
                variable = Variable(space, target, "" if private else name)
                yield from self._finished(control, place, ((variable, self._own(value, control, item)),))
            case Branch(condition=condition):
                yield from self._decided(control, place, self._own(condition, control, item))
            case Return(results=results):
                given = tuple(self._own(result, control, item) for result in results)
                yield from self._returned(control, place, given)

    def _owner(self, control: Control, item: Item) -> str:
        return owner(item.instance, control.instances[item.instance].operation)

    def _own(self, term: Term, control: Control, item: Item) -> Term:
        """A term of a line, about the variables of its instance."""
        return renamed(term, self._owner(control, item))

    def _local(self, location: Location, control: Control, item: Item) -> Location:
        index = location.index
        return location if index is None else Location(location.name, self._own(index, control, item))

    def _forwarded(self, control: Control, place: int, source: int) -> Iterator[Move]:
        item, giver = control.items[place], control.items[source]
        load, store = self._action(item), self._action(giver)
        if isinstance(load, Load) and isinstance(store, Store):
            value = self._own(store.value, control, giver)
            term = self._own(load.value, control, item)
            for move in self._loaded(control, place, load.target, term, value):
                if move.effects:
                    problem = Check(FALSE, "takes effect by a value that is not in memory yet")
                    yield replace(move, checks=(*move.checks, problem))
                else:
                    yield replace(move, text=f"{move.text} (from line {giver.line}, not in memory yet)")

    def _loaded(self, control: Control, place: int, target: str, term: Term, value: Term) -> Iterator[Move]:
        item = control.items[place]
        variable = Variable(Space.LOCAL, target, self._owner(control, item))
        checks: tuple[Check, ...] = ()
        action = self._action(item)
        if isinstance(action, Load):
            checks = self._memory.inside(self._local(action.location, control, item))
        updates = ((variable, with_loaded(term, value)),)
        yield from self._finished(control, place, updates, value=value, checks=checks)

    def _rmw(self, control: Control, place: int, rmw: Rmw) -> Iterator[Move]:
        item = control.items[place]
        location = self._local(rmw.location, control, item)
        old = self._memory.value(location)
        operands = tuple(self._own(each, control, item) for each in rmw.operands)
        for guard, new, result in rmw_outcomes(replace(rmw, operands=operands), old):
            updates = () if new is None else self._memory.stored(location, new)
            if rmw.target is not None:
                target = Variable(Space.LOCAL, rmw.target, self._owner(control, item))
                updates = (*updates, (target, result))
            yield from self._finished(
                control, place, updates, guard=guard, value=old, checks=self._memory.inside(location)
            )

    def _decided(self, control: Control, place: int, condition: Term) -> Iterator[Move]:
        item = control.items[place]
        line = self._lines[item.line]
        if item.guess is not None:
            guard = condition if item.guess else negation(condition)
            yield from self._finished(control, place, (), guard=guard)
            return
        for guard, target in ((condition, line.then), (negation(condition), line.otherwise)):
            met = self._met(item.instance, target)
            yield from self._finished(control, place, (), guard=guard, met=met)

    def _returned(self, control: Control, place: int, results: tuple[Term, ...]) -> Iterator[Move]:
        item = control.items[place]
        instance = control.instances[item.instance]
        operation = self._about.operation(instance.operation)
        promised = outputs(operation, self._owner(control, item))
        for move in self._finished(control, place, (), results=results):
            after = dict(move.updates)
            checks = list(move.checks)
            updates = move.updates
            if instance.done is Done.YES or move.effects:
                given = (substituted(cell, after) for cell in promised)
                same = conjunction(tuple(equals(*pair) for pair in zip(given, results, strict=True)))
                checks.append(Check(same, f"{operation.name} returns something else than was promised"))
            else:
                updates = (*updates, *zip(promised, results, strict=True))
                if self._in_real_time:
                    checks.append(Check(FALSE, f"{operation.name} returns before it takes effect"))
            yield replace(move, kind=Kind.RETURN, results=results, checks=tuple(checks), updates=updates)

    def _eliminated(self, control: Control, place: int) -> Move:
        item = control.items[place]
        line = self._lines[item.line]
        checks: tuple[Check, ...] = ()
        if any(alternative.point is not None for alternative in self._points.at(line)):
            checks = (Check(FALSE, f"the store of line {line.label} may be left out"),)
        return _collected(
            Move(
                kind=Kind.STEP,
                line=line.label,
                text=f"the store of line {line.label} is left out, as a later one follows",
                checks=checks,
                after=control,
            ),
            control.instances,
            (*control.items[:place], *control.items[place + 1 :]),
            self._about,
        )

    def _finished(
        self,
        control: Control,
        place: int,
        updates: tuple[tuple[Variable, Term], ...],
        *,
        guard: Term = TRUE,
        value: Term | None = None,
        checks: tuple[Check, ...] = (),
        met: tuple[Item, ...] = (),
        results: tuple[Term, ...] | None = None,
    ) -> Iterator[Move]:
        """The line is done: it takes effect if it is a linearization point."""
        item = control.items[place]
        line = self._lines[item.line]
        rest = (*control.items[:place], *control.items[place + 1 :], *met)
        for alternative in self._points.at(line):
            condition = self._own(alternative.condition, control, item)
            if value is not None:
                condition = with_loaded(condition, value)
            instances, effects, more, problems = self._effect(control, item, alternative, dict(updates))
            if results is not None:
                ended = replace(instances[item.instance], returned=True)
                instances = (*instances[: item.instance], ended, *instances[item.instance + 1 :])
            move = Move(
                kind=Kind.STEP,
                line=line.label,
                text=f"line {line.label}: {' '.join(line.span.text.split())}",
                guard=conjunction((guard, condition)),
                updates=(*updates, *more),
                effects=effects,
                checks=(*checks, *problems),
                after=control,
            )
            yield _collected(move, instances, rest, self._about)

    def _effect(
        self, control: Control, item: Item, alternative: Alternative, updates: dict[Variable, Term]
    ) -> tuple[
        tuple[Instance, ...], tuple[Effect, ...], tuple[tuple[Variable, Term], ...], tuple[Check, ...]
    ]:
        point = alternative.point
        if point is None:
            return control.instances, (), (), ()
        number = item.instance
        instance = control.instances[number]
        operation = self._about.operation(instance.operation)
        name = owner(number, operation.name)
        problems: list[Check] = []
        if instance.done is Done.YES:
            problems.append(Check(FALSE, f"{operation.name} takes effect twice"))
        if any(each.done is Done.NO for each in control.instances[:number]):
            text = f"{operation.name} takes effect before an earlier operation of its thread does"
            problems.append(Check(FALSE, text))
        cells = outputs(operation, name)
        more: tuple[tuple[Variable, Term], ...] = ()
        if instance.returned:
            promised: tuple[Term, ...] = cells
        else:
            told = self._points.results(point)
            if told is None:
                problems.append(Check(FALSE, f"`returning` is missing: {operation.name} has several"))
                told = (Number(0),) * operation.results
            promised = tuple(substituted(renamed(term, name), updates) for term in told)
            more = tuple(zip(cells, promised, strict=True))
        given = tuple(Variable(Space.LOCAL, each, name) for each in operation.parameters)
        effect = Effect(operation=operation.name, inputs=given, results=promised)
        done = replace(instance, done=Done.YES)
        instances = (*control.instances[:number], done, *control.instances[number + 1 :])
        return instances, (effect,), more, tuple(problems)

    def keeps(self, control: Control, variable: Variable) -> bool:
        """Whether a variable can still matter."""
        if variable.space is not Space.LOCAL:
            return True
        number, _, name = variable.operation.partition(":")
        if not number.isdecimal() or int(number) >= len(control.instances):
            return False
        return control.instances[int(number)].operation == name

    # Formulas

    def resolved(self, term: Term, control: Control, who: Who) -> Term:
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
                case Pending(line=label, who=asked) if asked is who:
                    return TRUE if any(item.line == label for item in control.items) else FALSE
                case PendingValue(line=label, name=name, who=asked) if asked is who:
                    return self._pending(control, label, name, who)
                case Sees(name=name, who=asked) if asked is who:
                    return self._memory.value(Location(name))
                case Deferred(who=asked) | DeferredResult(who=asked) if asked is who:
                    return FALSE
                case Variable(space=Space.LOCAL, operation=operation, who=asked) if asked is who:
                    return self._variable(control, part, operation)
                case _:
                    return None

        return simplified(replaced(self._memory.elements(term), change))

    def _pending(self, control: Control, label: str, name: str | None, who: Who) -> Term:
        item = next((each for each in control.items if each.line == label), None)
        if item is None:
            return FALSE
        action = self._action(item)
        if name is not None:
            return Variable(Space.LOCAL, name, self._owner(control, item), who)
        if not isinstance(action, Store):
            return FALSE
        term = self._own(action.value, control, item)
        return term if who is Who.SELF else replaced(term, lambda part: _whose(part, who))

    def _variable(self, control: Control, variable: Variable, operation: str) -> Term:
        """A local of an operation: that of its youngest instance."""
        for number in reversed(range(len(control.instances))):
            if control.instances[number].operation == operation:
                return replace(variable, operation=owner(number, operation))
        return variable


def _whose(part: Term, who: Who) -> Term | None:
    return replace(part, who=who) if isinstance(part, Variable) and part.space is Space.LOCAL else None


def renamed(term: Term, name: str) -> Term:
    """A term of an operation about the variables of an instance."""

    def change(part: Term) -> Term | None:
        if isinstance(part, Variable) and part.space is Space.LOCAL:
            return replace(part, operation=name)
        return None

    return replaced(term, change)


def _collected(
    move: Move, instances: tuple[Instance, ...], items: tuple[Item, ...], about: ConcurrentObject
) -> Move:
    """The move with operations that are over taken out, and the others moved up."""
    kept = [
        number
        for number, instance in enumerate(instances)
        if not instance.returned or any(item.instance == number for item in items)
    ]
    checks = list(move.checks)
    for number, instance in enumerate(instances):
        if number not in kept and instance.done is Done.NO:
            checks.append(Check(FALSE, f"{instance.operation} ends and has not taken effect"))
    updates = dict(move.updates)
    final = dict(updates)
    for new, old in enumerate(kept):
        if new != old:
            operation = about.operation(instances[old].operation)
            names = [*operation.parameters, *operation.locals]
            names += [cell.name for cell in outputs(operation, "")]
            for name in names:
                source = Variable(Space.LOCAL, name, owner(old, operation.name))
                final[Variable(Space.LOCAL, name, owner(new, operation.name))] = updates.get(source, source)
                final.pop(source, None)
    after = Control(
        tuple(instances[number] for number in kept),
        tuple(replace(item, instance=kept.index(item.instance)) for item in items),
    )
    return replace(move, updates=tuple(final.items()), checks=tuple(checks), after=after)
