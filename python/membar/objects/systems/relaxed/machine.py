"""The moves of a thread that executes its lines out of order."""

from __future__ import annotations

from collections.abc import Iterator

from membar.diagnostics import EngineLimitError
from membar.objects import syntax as o
from membar.objects.algebra import simplify
from membar.objects.systems.actions import rmw_outcomes, with_loaded
from membar.objects.systems.moves import Check, Effect, Kind, Memory, Move, substitute
from membar.objects.systems.points import Alternative, Points, arguments, outputs
from membar.objects.systems.relaxed.control import (
    Control,
    Done,
    Instance,
    Item,
    for_instance,
    own,
    owner,
    owner_of,
)
from membar.objects.systems.relaxed.waiting import Waiting
from membar.objects.terms import FALSE, TRUE, Number, Space, Term, Variable, conjunction, equals, negation
from membar.records import replace


class OutOfOrderMachine:
    """The moves of one thread."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self._about = waiting.about
        self._lines = waiting.lines
        self._memory = Memory.of(self._about)
        self._points = Points(self._about)

    def moves(self, control: Control) -> Iterator[Move]:
        """The possible next moves."""
        if not control.instances or control.instances[-1].returned:
            for operation in self._about.operations:
                if not self._waiting.awaits(operation, frozenset(control.items)):
                    yield self._call(operation, control)
        for place, item in enumerate(control.items):
            is_open = item.guess is None and isinstance(self._waiting.action(item), o.Branch)
            if is_open and self._waiting.is_worth_guessing(control.items[: place + 1]):
                yield from self._guesses(control, place)
            for move in self._execute(control, place):
                yield replace(move, guard=simplify(move.guard))
            if self._waiting.rules.eliminates and self._waiting.is_superseded(control, place):
                yield self._eliminate(control, place)

    def _lines_from(self, instance: int, label: str | None) -> tuple[Item, ...]:
        """The lines from a label up to the next branch or return.

        Raises:
            EngineLimitError: there is none.
        """
        found: list[Item] = []
        while label is not None:
            if any(item.line == label for item in found):
                raise EngineLimitError(
                    f"the loop at label {label} has no exit: it would be issued infinitely often at once"
                )
            line = self._lines[label]
            found.append(Item(instance, label))
            if isinstance(line.action, o.Branch | o.Return):
                break
            label = line.then
        return tuple(found)

    def _call(self, operation: o.Operation, control: Control) -> Move:
        number = len(control.instances)
        name = owner(number, operation.name)
        given = tuple(Variable(Space.LOCAL, each, name) for each in operation.parameters)
        chosen = arguments(operation)
        own = (Variable(Space.LOCAL, each, operation.name) for each in operation.parameters)
        fresh = tuple((Variable(Space.LOCAL, each, name), Number(0)) for each in operation.locals)
        items = self._lines_from(number, operation.lines[0].label)
        return Move(
            kind=Kind.INVOKE,
            line=operation.lines[0].label,
            text=f"calls {operation.name}",
            guard=substitute(operation.requires, dict(zip(own, chosen, strict=True))),
            updates=(*fresh, *zip(given, chosen, strict=True)),
            after=Control((*control.instances, Instance(operation.name)), (*control.items, *items)),
        )

    def _guesses(self, control: Control, place: int) -> Iterator[Move]:
        """Predicts a branch, the last issued line, and issues what follows."""
        item = control.items[place]
        line = self._lines[item.line]
        for guess, target in ((True, line.then), (False, line.otherwise)):
            items = (
                *control.items[:place],
                replace(item, guess=guess),
                *self._lines_from(item.instance, target),
            )
            yield Move(
                kind=Kind.STEP,
                line=item.line,
                text=f"the branch at label {item.line} is guessed to be {'taken' if guess else 'not taken'}",
                after=replace(control, items=items),
            )

    def _execute(self, control: Control, place: int) -> Iterator[Move]:
        item = control.items[place]
        source = self._waiting.forwarding(control, place)
        if source is not None:
            yield from self._forward(control, place, source)
        if not self._waiting.is_ready(control, place):
            return
        line, name = self._lines[item.line], owner_of(control, item)
        match line.action:
            case o.Load(target=target, location=location, value=value):
                loaded = self._memory.value(self._local(location, control, item))
                yield from self._load(control, place, target, own(value, control, item), loaded)
            case o.Store(location=location, value=value):
                where = self._local(location, control, item)
                updates = self._memory.store(where, own(value, control, item))
                yield from self._finish(control, place, updates, checks=self._memory.inside(where))
            case o.Rmw():
                yield from self._rmw(control, place, line.action)
            case o.Fence():
                yield from self._finish(control, place, ())
            case o.Assign(target=target, value=value, private=private):
                space = Space.PRIVATE if private else Space.LOCAL
                variable = Variable(space, target, "" if private else name)
                yield from self._finish(control, place, ((variable, own(value, control, item)),))
            case o.Branch(condition=condition):
                yield from self._decide(control, place, own(condition, control, item))
            case o.Return(results=results):
                given = tuple(own(result, control, item) for result in results)
                yield from self._return(control, place, given)

    def _forward(self, control: Control, place: int, source: int) -> Iterator[Move]:
        item, giver = control.items[place], control.items[source]
        load, store = self._waiting.action(item), self._waiting.action(giver)
        if isinstance(load, o.Load) and isinstance(store, o.Store):
            value = own(store.value, control, giver)
            term = own(load.value, control, item)
            for move in self._load(control, place, load.target, term, value):
                if move.effects:
                    problem = Check(FALSE, "takes effect by a value that is not in memory yet")
                    yield replace(move, checks=(*move.checks, problem))
                else:
                    yield replace(move, text=f"{move.text} (from label {giver.line}, not in memory yet)")

    def _load(self, control: Control, place: int, target: str, term: Term, value: Term) -> Iterator[Move]:
        item = control.items[place]
        variable = Variable(Space.LOCAL, target, owner_of(control, item))
        checks: tuple[Check, ...] = ()
        action = self._waiting.action(item)
        if isinstance(action, o.Load):
            checks = self._memory.inside(self._local(action.location, control, item))
        updates = ((variable, with_loaded(term, value)),)
        yield from self._finish(control, place, updates, value=value, checks=checks)

    def _rmw(self, control: Control, place: int, rmw: o.Rmw) -> Iterator[Move]:
        item = control.items[place]
        location = self._local(rmw.location, control, item)
        old = self._memory.value(location)
        operands = tuple(own(each, control, item) for each in rmw.operands)
        for guard, new, result in rmw_outcomes(replace(rmw, operands=operands), old):
            updates = () if new is None else self._memory.store(location, new)
            if rmw.target is not None:
                target = Variable(Space.LOCAL, rmw.target, owner_of(control, item))
                updates = (*updates, (target, result))
            yield from self._finish(
                control, place, updates, guard=guard, value=old, checks=self._memory.inside(location)
            )

    def _decide(self, control: Control, place: int, condition: Term) -> Iterator[Move]:
        item = control.items[place]
        line = self._lines[item.line]
        if item.guess is not None:
            guard = condition if item.guess else negation(condition)
            yield from self._finish(control, place, (), guard=guard)
            return
        for guard, target in ((condition, line.then), (negation(condition), line.otherwise)):
            met = self._lines_from(item.instance, target)
            yield from self._finish(control, place, (), guard=guard, met=met)

    def _return(self, control: Control, place: int, results: tuple[Term, ...]) -> Iterator[Move]:
        item = control.items[place]
        instance = control.instances[item.instance]
        operation = self._about.operation(instance.operation)
        promised = outputs(operation, owner_of(control, item))
        for move in self._finish(control, place, (), results=results):
            after = dict(move.updates)
            checks = list(move.checks)
            updates = move.updates
            if instance.done is Done.YES or move.effects:
                given = (substitute(cell, after) for cell in promised)
                same = conjunction(tuple(equals(*pair) for pair in zip(given, results, strict=True)))
                checks.append(
                    Check(same, f"{operation.name} does not return what its linearization point determined")
                )
            else:
                updates = (*updates, *zip(promised, results, strict=True))
            yield replace(move, kind=Kind.RETURN, results=results, checks=tuple(checks), updates=updates)

    def _eliminate(self, control: Control, place: int) -> Move:
        item = control.items[place]
        line = self._lines[item.line]
        checks: tuple[Check, ...] = ()
        if any(alternative.point is not None for alternative in self._points.at(line)):
            checks = (Check(FALSE, f"the store at label {line.label} may be skipped"),)
        return _collect_finished(
            Move(
                kind=Kind.STEP,
                line=line.label,
                text=f"the store at label {line.label} is skipped, as a later one follows",
                checks=checks,
                after=control,
            ),
            control.instances,
            (*control.items[:place], *control.items[place + 1 :]),
            self._about,
        )

    def _finish(
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
        """Executes the line: it takes effect if it is a linearization point."""
        item = control.items[place]
        line = self._lines[item.line]
        rest = (*control.items[:place], *control.items[place + 1 :], *met)
        for alternative in self._points.at(line):
            condition = own(alternative.condition, control, item)
            if value is not None:
                condition = with_loaded(condition, value)
            instances, effects, more, problems = self._effect(control, item, alternative, dict(updates))
            if results is not None:
                ended = replace(instances[item.instance], returned=True)
                instances = (*instances[: item.instance], ended, *instances[item.instance + 1 :])
            move = Move(
                kind=Kind.STEP,
                line=line.label,
                text=f"label {line.label}: {' '.join(line.span.text.split())}",
                guard=conjunction((guard, condition)),
                updates=(*updates, *more),
                effects=effects,
                checks=(*checks, *problems),
                after=control,
            )
            yield _collect_finished(move, instances, rest, self._about)

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
            promised = tuple(substitute(for_instance(term, name), updates) for term in told)
            more = tuple(zip(cells, promised, strict=True))
        given = tuple(Variable(Space.LOCAL, each, name) for each in operation.parameters)
        effect = Effect(operation=operation.name, inputs=given, results=promised)
        done = replace(instance, done=Done.YES)
        instances = (*control.instances[:number], done, *control.instances[number + 1 :])
        return instances, (effect,), more, tuple(problems)

    def _local(self, location: o.Location, control: Control, item: Item) -> o.Location:
        index = location.index
        return location if index is None else o.Location(location.name, own(index, control, item))


def _collect_finished(
    move: Move, instances: tuple[Instance, ...], items: tuple[Item, ...], about: o.ConcurrentObject
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
