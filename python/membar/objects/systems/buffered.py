"""A thread with a store buffer (x86-tso), or with memory alone (sc).

The paper has two counters per operation: pc_L runs through all lines, pc_S through those that write memory;
and per variable a sequence of values that have been stored and not flushed. Here the lines whose stores are
pending stand in one sequence, oldest first, with a value each: pc_S with its flags says the same, except for
steps in which it only follows a branch that has been taken. A load takes the youngest pending store to its
own variable. Read-modify-writes and full fences wait until nothing is pending, as in the paper.

An operation takes effect with the access of its linearization point: a store when it reaches memory, and a
load that a pending store serves right after that store. Since a thread may end any number of operations
before that, one of them, which one is open, is followed (`waiting`): what holds of it holds of each.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from membar.objects.algebra import simplified
from membar.objects.syntax import (
    Assign,
    Branch,
    ConcurrentObject,
    Fence,
    FenceKind,
    Line,
    LinearizationPoint,
    Load,
    Location,
    Operation,
    Return,
    Rmw,
    Store,
)
from membar.objects.systems.actions import rmw_outcomes, with_loaded
from membar.objects.systems.moves import Check, Effect, Kind, Memory, Move, ThreadSystem, substituted
from membar.objects.systems.points import Points, arguments, inputs, outputs
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
)

_WAITING = "@deferred"
LONGEST = 8


class Status(enum.Enum):
    """Whether the current operation has taken effect."""

    NONE = "no operation"
    BEFORE = "has not taken effect"
    PROMISED = "takes effect when a pending store does"
    DEFERRED = "takes effect after a pending store"
    AFTER = "has taken effect"


@dataclass(frozen=True, slots=True)
class Entry:
    """A pending store: its line, whether its operation takes effect with it, and whether that returned."""

    line: str
    promises: bool = False
    returned: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """The followed operation that takes effect after a pending store, the `entry`th."""

    operation: str
    entry: int
    returned: bool = False


@dataclass(frozen=True, slots=True)
class Control:
    """Where a thread is: its next line, what is pending, and who has taken effect."""

    line: str = IDLE
    status: Status = Status.NONE
    entries: tuple[Entry, ...] = ()
    waiting: Waiting | None = None


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a load can take its value from: a pending store (its number), or memory."""

    entry: int | None
    value: Term
    condition: Term


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a step comes to besides its updates: who takes effect."""

    after: Control
    effects: tuple[Effect, ...] = ()
    updates: tuple[tuple[Variable, Term], ...] = ()
    checks: tuple[Check, ...] = ()


def system(
    about: ConcurrentObject, *, name: str, is_buffered: bool, in_real_time: bool = False
) -> ThreadSystem:
    """The system of an object; `in_real_time`: operations must have taken effect when they return."""
    machine = _Machine(about, is_buffered, in_real_time)
    return ThreadSystem(
        name=name,
        about=about,
        start=Control(),
        moves=lambda control: tuple(machine.moves(_control(control))),
        resolved=lambda term, control, who: machine.resolved(term, _control(control), who),
        described=lambda control: described(_control(control)),
        too_long=lambda control: len(_control(control).entries) > LONGEST,
        keeps=lambda control, variable: machine.keeps(_control(control), variable),
        is_done=lambda control: _control(control).line == IDLE and not _control(control).entries,
    )


def _control(control: Hashable) -> Control:
    if not isinstance(control, Control):
        raise TypeError(f"{control} is no control of this system")
    return control


def described(control: Control) -> str:
    """A control in words."""
    place = "between operations" if control.line == IDLE else f"before line {control.line}"
    if control.line != IDLE:
        place += f", {control.status.value}" if control.status is not Status.BEFORE else ""
    if control.entries:
        place += f", pending: {', '.join(entry.line for entry in control.entries)}"
    if control.waiting is not None:
        line = control.entries[control.waiting.entry].line
        place += f"; a {control.waiting.operation} takes effect after {line}"
    return place


def kept(number: int) -> str:
    """Who keeps the variables of the pending store with this number."""
    return f"@{number}"


class _Machine:
    """The moves of a thread."""

    def __init__(self, about: ConcurrentObject, is_buffered: bool, in_real_time: bool) -> None:  # noqa: FBT001
        self._about = about
        self._is_buffered = is_buffered
        self._in_real_time = in_real_time
        self._memory = Memory.of(about)
        self._points = Points(about)
        self._lines: dict[str, tuple[Operation, Line]] = {
            line.label: (operation, line) for operation, line in about.lines()
        }
        self._constant = {
            each.name
            for each in (about.specification.operations if about.specification else ())
            if not each.updates
        }

    def moves(self, control: Control) -> Iterator[Move]:
        """What can happen next."""
        if control.line == IDLE:
            for operation in self._about.operations:
                yield self._call(operation, control)
        else:
            operation, line = self._lines[control.line]
            for move in self._step(operation, line, control):
                yield replace(move, guard=simplified(move.guard))
        if control.entries:
            yield self._flush(control)

    def _call(self, operation: Operation, control: Control) -> Move:
        fresh = tuple((Variable(Space.LOCAL, name, operation.name), Number(0)) for name in operation.locals)
        given = inputs(operation, operation.name)
        chosen = arguments(operation)
        return Move(
            kind=Kind.INVOKE,
            line=operation.lines[0].label,
            text=f"calls {operation.name}",
            guard=substituted(operation.requires, dict(zip(given, chosen, strict=True))),
            updates=(*fresh, *zip(given, chosen, strict=True)),
            after=replace(control, line=operation.lines[0].label, status=Status.BEFORE),
        )

    # Steps of the program

    def _step(self, operation: Operation, line: Line, control: Control) -> Iterator[Move]:
        match line.action:
            case Load():
                yield from self._load(operation, line, line.action, control)
            case Store():
                yield from self._store(operation, line, line.action, control)
            case Rmw():
                if not control.entries:
                    yield from self._rmw(operation, line, line.action, control)
            case Fence(kind=kind):
                if kind is not FenceKind.FULL or not control.entries:
                    yield from self._plain(operation, line, control, line.then)
            case Assign(target=target, value=value, private=private):
                space = Space.PRIVATE if private else Space.LOCAL
                variable = Variable(space, target, "" if private else operation.name)
                yield from self._plain(operation, line, control, line.then, updates=((variable, value),))
            case Branch(condition=condition):
                yield from self._plain(operation, line, control, line.then, guard=condition)
                yield from self._plain(operation, line, control, line.otherwise, guard=negation(condition))
            case Return(results=results):
                yield from self._return(operation, line, results, control)

    def _plain(
        self,
        operation: Operation,
        line: Line,
        control: Control,
        then: str | None,
        *,
        guard: Term = TRUE,
        updates: tuple[tuple[Variable, Term], ...] = (),
    ) -> Iterator[Move]:
        """A step that does not touch memory."""
        after = replace(control, line=then or IDLE)
        for alternative in self._points.at(line):
            done = self._now(operation, alternative.point, after, dict(updates))
            yield _move(line, conjunction((guard, alternative.condition)), updates, done)

    def _load(self, operation: Operation, line: Line, load: Load, control: Control) -> Iterator[Move]:
        target = Variable(Space.LOCAL, load.target, operation.name)
        after = replace(control, line=line.then or IDLE)
        for source in self._sources(load.location, control):
            updates = ((target, with_loaded(load.value, source.value)),)
            for alternative in self._points.at(line):
                condition = with_loaded(alternative.condition, source.value)
                guard = conjunction((source.condition, condition))
                checks = self._memory.inside(load.location)
                if alternative.point is None or source.entry is None:
                    done = self._now(operation, alternative.point, after, dict(updates))
                    yield _move(line, guard, updates, done, checks)
                    continue
                for done in self._later(operation, alternative.point, after, dict(updates), source.entry):
                    yield _move(line, guard, updates, done, checks)

    def _sources(self, location: Location, control: Control) -> Iterator[_Source]:
        """Where a load can find its value: the youngest matching store, else memory."""
        others: list[Term] = []
        for number in reversed(range(len(control.entries))):
            store = self._stored(control.entries[number])
            if store.location.name != location.name:
                continue
            value = Variable(Space.LOCAL, "value", kept(number))
            if location.index is None:
                yield _Source(number, value, TRUE)
                return
            same = equals(location.index, Variable(Space.LOCAL, "index", kept(number)))
            yield _Source(number, value, conjunction((*others, same)))
            others.append(negation(same))
        yield _Source(None, self._memory.value(location), conjunction(tuple(others)))

    def _stored(self, entry: Entry) -> Store:
        action = self._lines[entry.line][1].action
        if not isinstance(action, Store):
            raise TypeError(f"line {entry.line} does not store")
        return action

    def _store(self, operation: Operation, line: Line, store: Store, control: Control) -> Iterator[Move]:
        after = replace(control, line=line.then or IDLE)
        checks = self._memory.inside(store.location)
        for alternative in self._points.at(line):
            if not self._is_buffered:
                updates = self._memory.stored(store.location, store.value)
                done = self._now(operation, alternative.point, after, dict(updates))
                yield _move(line, alternative.condition, updates, done, checks)
                continue
            owner = kept(len(control.entries))
            pushed = [(Variable(Space.LOCAL, "value", owner), store.value)]
            if store.location.index is not None:
                pushed.append((Variable(Space.LOCAL, "index", owner), store.location.index))
            pushed += zip(inputs(operation, owner), inputs(operation, operation.name), strict=True)
            entry = Entry(line.label, promises=alternative.point is not None)
            buffered = replace(after, entries=(*after.entries, entry))
            done = _Outcome(buffered)
            if alternative.point is not None:
                promised, problems = self._promised(operation, alternative.point, after, {})
                own = tuple(zip(outputs(operation, operation.name), promised, strict=True))
                done = _Outcome(replace(buffered, status=Status.PROMISED), (), own, problems)
            yield _move(line, alternative.condition, tuple(pushed), done, checks)

    def _rmw(self, operation: Operation, line: Line, rmw: Rmw, control: Control) -> Iterator[Move]:
        old = self._memory.value(rmw.location)
        after = replace(control, line=line.then or IDLE)
        for guard, new, result in rmw_outcomes(rmw, old):
            updates = () if new is None else self._memory.stored(rmw.location, new)
            if rmw.target is not None:
                updates = (*updates, (Variable(Space.LOCAL, rmw.target, operation.name), result))
            for alternative in self._points.at(line):
                condition = with_loaded(alternative.condition, old)
                done = self._now(operation, alternative.point, after, dict(updates))
                yield _move(
                    line,
                    conjunction((guard, condition)),
                    updates,
                    done,
                    self._memory.inside(rmw.location),
                )

    def _return(
        self, operation: Operation, line: Line, results: tuple[Term, ...], control: Control
    ) -> Iterator[Move]:
        for alternative in self._points.at(line):
            done = self._now(operation, alternative.point, control, {})
            status = done.after.status
            checks: list[Check] = list(done.checks)
            updates = list(done.updates)
            entries, waiting = done.after.entries, done.after.waiting
            if status is Status.BEFORE:
                checks.append(Check(FALSE, f"{operation.name} returns and has not taken effect"))
            else:
                promised = outputs(operation, operation.name)
                given = tuple(substituted(cell, dict(done.updates)) for cell in promised)
                same = conjunction(tuple(equals(*pair) for pair in zip(given, results, strict=True)))
                checks.append(Check(same, f"{operation.name} returns something else than was promised"))
            if status is Status.PROMISED:
                number = max(index for index, entry in enumerate(entries) if entry.promises)
                updates += list(zip(outputs(operation, kept(number)), results, strict=True))
                returned = replace(entries[number], returned=True)
                entries = (*entries[:number], returned, *entries[number + 1 :])
            if waiting is not None and status is Status.DEFERRED:
                waiting = replace(waiting, returned=True)
            if self._in_real_time and status in (Status.PROMISED, Status.DEFERRED):
                checks.append(Check(FALSE, f"{operation.name} returns before it takes effect"))
            after = replace(done.after, line=IDLE, status=Status.NONE, entries=entries, waiting=waiting)
            finished = replace(done, after=after, checks=tuple(checks), updates=tuple(updates))
            move = _move(line, alternative.condition, (), finished)
            yield replace(move, kind=Kind.RETURN, results=results)

    # Taking effect

    def _now(
        self,
        operation: Operation,
        point: LinearizationPoint | None,
        after: Control,
        updates: dict[Variable, Term],
    ) -> _Outcome:
        """A step that takes effect at once, if it has a point."""
        if point is None:
            return _Outcome(after)
        promised, checks = self._promised(operation, point, after, updates)
        late = any(entry.promises for entry in after.entries) or after.waiting is not None
        if late:
            checks = (*checks, Check(FALSE, _OVERTAKES.format(operation.name)))
        effect = Effect(operation=operation.name, inputs=inputs(operation, operation.name), results=promised)
        cells = outputs(operation, operation.name)
        return _Outcome(
            replace(after, status=Status.AFTER),
            (effect,),
            tuple(zip(cells, promised, strict=True)),
            checks,
        )

    def _later(
        self,
        operation: Operation,
        point: LinearizationPoint,
        after: Control,
        updates: dict[Variable, Term],
        entry: int,
    ) -> Iterator[_Outcome]:
        """A step that takes effect after a pending store: followed, or not."""
        promised, checks = self._promised(operation, point, after, updates)
        if operation.name not in self._constant:
            problem = f"{operation.name} changes the state: it cannot take effect after a pending store"
            checks = (*checks, Check(FALSE, problem))
        before = after.waiting is not None and after.waiting.entry > entry
        if before or any(each.promises for each in after.entries[entry + 1 :]):
            checks = (*checks, Check(FALSE, _OVERTAKES.format(operation.name)))
        cells = outputs(operation, operation.name)
        own = tuple(zip(cells, promised, strict=True))
        yield _Outcome(replace(after, status=Status.AFTER), (), own, checks)
        if after.waiting is None:
            followed = (
                *own,
                *zip(outputs(operation, _WAITING), promised, strict=True),
                *zip(inputs(operation, _WAITING), inputs(operation, operation.name), strict=True),
            )
            waiting = Waiting(operation.name, entry)
            yield _Outcome(replace(after, status=Status.DEFERRED, waiting=waiting), (), followed, checks)

    def _promised(
        self,
        operation: Operation,
        point: LinearizationPoint,
        after: Control,
        updates: dict[Variable, Term],
    ) -> tuple[tuple[Term, ...], tuple[Check, ...]]:
        """The results that the operation will return, in terms before the step."""
        checks: tuple[Check, ...] = ()
        if after.status is not Status.BEFORE:
            checks = (Check(FALSE, _TWICE.format(operation.name)),)
        results = self._points.results(point)
        if results is None:
            zeros = (Number(0),) * operation.results
            return zeros, (*checks, Check(FALSE, f"`returning` is missing: {operation.name} has several"))
        return tuple(substituted(term, updates) for term in results), checks

    # Stores reach memory

    def _flush(self, control: Control) -> Move:
        first, rest = control.entries[0], control.entries[1:]
        operation, line = self._lines[first.line]
        store = self._stored(first)
        index = Variable(Space.LOCAL, "index", kept(0)) if store.location.index is not None else None
        value = Variable(Space.LOCAL, "value", kept(0))
        updates = dict(self._memory.stored(Location(store.location.name, index), value))
        for number, entry in enumerate(rest):
            updates |= dict(self._shifted(entry, number))
        status, effects = control.status, []
        if first.promises:
            effects.append(self._fulfilled(operation, first))
            if not first.returned:
                status = Status.AFTER
        waiting = control.waiting
        if waiting is not None:
            if waiting.entry == 0:
                effects.append(self._waited(waiting))
                status = status if waiting.returned else Status.AFTER
                waiting = None
            else:
                waiting = replace(waiting, entry=waiting.entry - 1)
        return Move(
            kind=Kind.FLUSH,
            line=line.label,
            text=f"the store of line {line.label} reaches memory",
            updates=tuple(updates.items()),
            effects=tuple(effects),
            after=Control(control.line, status, rest, waiting),
        )

    def _shifted(self, entry: Entry, number: int) -> Iterator[tuple[Variable, Term]]:
        """The variables of a pending store move on by one."""
        operation, _ = self._lines[entry.line]
        names = ["value", *operation.parameters]
        if self._stored(entry).location.index is not None:
            names.append("index")
        if entry.promises and entry.returned:
            names += [cell.name for cell in outputs(operation, "")]
        for name in names:
            yield Variable(Space.LOCAL, name, kept(number)), Variable(Space.LOCAL, name, kept(number + 1))

    def _fulfilled(self, operation: Operation, entry: Entry) -> Effect:
        """The operation of the oldest pending store takes effect."""
        owner = kept(0) if entry.returned else operation.name
        return Effect(
            operation=operation.name, inputs=inputs(operation, kept(0)), results=outputs(operation, owner)
        )

    def _waited(self, waiting: Waiting) -> Effect:
        operation = self._about.operation(waiting.operation)
        return Effect(
            operation=operation.name,
            inputs=inputs(operation, _WAITING),
            results=outputs(operation, _WAITING),
        )

    def keeps(self, control: Control, variable: Variable) -> bool:
        """Whether a variable can still matter: private ones, the operation's, those of what is pending."""
        owner = variable.operation
        if variable.space is not Space.LOCAL:
            return True
        if owner == _WAITING:
            return control.waiting is not None
        if owner.startswith("@"):
            return owner.removeprefix("@").isdecimal() and int(owner[1:]) < len(control.entries)
        return control.line != IDLE and self._lines[control.line][0].name == owner

    # Formulas

    def resolved(self, term: Term, control: Control, who: Who) -> Term:
        """The term with what it says about one thread's control decided."""

        def own(variable: Variable) -> Variable:
            return replace(variable, who=who)

        def change(part: Term) -> Term | None:
            match part:
                case At(lines=lines, who=asked) if asked is who:
                    return TRUE if control.line in lines else FALSE
                case Linearized(who=asked) if asked is who:
                    return FALSE if control.status in (Status.BEFORE, Status.NONE) else TRUE
                case Pending(line=line, who=asked) if asked is who:
                    return TRUE if _oldest(control, line) is not None else FALSE
                case PendingValue(line=line, name=name, who=asked) if asked is who:
                    number = _oldest(control, line)
                    if number is None or (_is_result(name) and not control.entries[number].returned):
                        return FALSE
                    return own(Variable(Space.LOCAL, name or "value", kept(number)))
                case Sees(name=name, who=asked) if asked is who:
                    return self._seen(name, control, who)
                case Deferred(line=line, who=asked) if asked is who:
                    return TRUE if _waits_for(control, line) else FALSE
                case DeferredResult(line=line, number=number, who=asked) if asked is who:
                    if not _waits_for(control, line):
                        return FALSE
                    return own(Variable(Space.LOCAL, f"@{number}", _WAITING))
                case _:
                    return None

        return simplified(replaced(self._memory.elements(term), change))

    def _seen(self, name: str, control: Control, who: Who) -> Term:
        source = next(iter(self._sources(Location(name), control)))
        value = source.value
        return replace(value, who=who) if isinstance(value, Variable) and source.entry is not None else value


_TWICE = "{} takes effect twice"
_OVERTAKES = "{} takes effect before an earlier operation of its thread does"


def _oldest(control: Control, line: str) -> int | None:
    return next((number for number, entry in enumerate(control.entries) if entry.line == line), None)


def _is_result(name: str | None) -> bool:
    return name is not None and name.startswith("@")


def _waits_for(control: Control, line: str) -> bool:
    return control.waiting is not None and control.entries[control.waiting.entry].line == line


def _move(
    line: Line,
    guard: Term,
    updates: tuple[tuple[Variable, Term], ...],
    done: _Outcome,
    checks: tuple[Check, ...] = (),
) -> Move:
    return Move(
        kind=Kind.STEP,
        line=line.label,
        text=f"line {line.label}: {' '.join(line.span.text.split())}",
        guard=guard,
        updates=(*updates, *done.updates),
        effects=done.effects,
        checks=(*checks, *done.checks),
        after=done.after,
    )
