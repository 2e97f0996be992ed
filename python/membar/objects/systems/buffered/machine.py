"""The moves of a thread with a store buffer, or with memory alone."""

from __future__ import annotations

from collections.abc import Iterator

from membar.objects import syntax as o
from membar.objects import terms as t
from membar.objects.algebra import simplify
from membar.objects.systems.actions import rmw_outcomes, with_loaded
from membar.objects.systems.buffered.buffer import Buffer
from membar.objects.systems.buffered.control import INDEX, VALUE, Control, Entry, Status, owner_name
from membar.objects.systems.buffered.effects import Effects, Outcome
from membar.objects.systems.moves import Check, Kind, Memory, Move, substitute
from membar.objects.systems.points import Points, arguments, inputs, outputs
from membar.records import replace


class BufferedMachine:
    """The moves of a thread."""

    def __init__(
        self, about: o.ConcurrentObject, buffer: Buffer, *, is_buffered: bool, in_real_time: bool
    ) -> None:
        self._about = about
        self._buffer = buffer
        self._is_buffered = is_buffered
        self._in_real_time = in_real_time
        self._memory = Memory.of(about)
        self._points = Points(about)
        self._effects = Effects(about, self._points)

    def moves(self, control: Control) -> Iterator[Move]:
        """The possible next moves."""
        if control.line == t.IDLE:
            for operation in self._about.operations:
                yield self._call(operation, control)
        else:
            operation, line = self._buffer.lines[control.line]
            for move in self._step(operation, line, control):
                yield replace(move, guard=simplify(move.guard))
        if control.entries:
            yield self._buffer.flush(control)

    def _call(self, operation: o.Operation, control: Control) -> Move:
        fresh = tuple(
            (t.Variable(t.Space.LOCAL, name, operation.name), t.Number(0)) for name in operation.locals
        )
        given = inputs(operation, operation.name)
        chosen = arguments(operation)
        return Move(
            kind=Kind.INVOKE,
            line=operation.lines[0].label,
            text=f"calls {operation.name}",
            guard=substitute(operation.requires, dict(zip(given, chosen, strict=True))),
            updates=(*fresh, *zip(given, chosen, strict=True)),
            after=replace(control, line=operation.lines[0].label, status=Status.BEFORE),
        )

    def _step(self, operation: o.Operation, line: o.Line, control: Control) -> Iterator[Move]:
        match line.action:
            case o.Load():
                yield from self._load(operation, line, line.action, control)
            case o.Store():
                yield from self._store(operation, line, line.action, control)
            case o.Rmw():
                if not control.entries:
                    yield from self._rmw(operation, line, line.action, control)
            case o.Fence(kind=kind):
                if kind is not o.FenceKind.FULL or not control.entries:
                    yield from self._plain(operation, line, control, line.then)
            case o.Assign(target=target, value=value, private=private):
                space = t.Space.PRIVATE if private else t.Space.LOCAL
                variable = t.Variable(space, target, "" if private else operation.name)
                yield from self._plain(operation, line, control, line.then, updates=((variable, value),))
            case o.Branch(condition=condition):
                yield from self._plain(operation, line, control, line.then, guard=condition)
                yield from self._plain(operation, line, control, line.otherwise, guard=t.negation(condition))
            case o.Return(results=results):
                yield from self._return(operation, line, results, control)

    def _plain(
        self,
        operation: o.Operation,
        line: o.Line,
        control: Control,
        then: str | None,
        *,
        guard: t.Term = t.TRUE,
        updates: tuple[tuple[t.Variable, t.Term], ...] = (),
    ) -> Iterator[Move]:
        """A step that does not access memory."""
        after = replace(control, line=then or t.IDLE)
        for alternative in self._points.at(line):
            done = self._effects.now(operation, alternative.point, after, dict(updates))
            yield _move(line, t.conjunction((guard, alternative.condition)), updates, done)

    def _load(self, operation: o.Operation, line: o.Line, load: o.Load, control: Control) -> Iterator[Move]:
        target = t.Variable(t.Space.LOCAL, load.target, operation.name)
        after = replace(control, line=line.then or t.IDLE)
        for source in self._buffer.sources(load.location, control):
            updates = ((target, with_loaded(load.value, source.value)),)
            for alternative in self._points.at(line):
                condition = with_loaded(alternative.condition, source.value)
                guard = t.conjunction((source.condition, condition))
                checks = self._memory.inside(load.location)
                if alternative.point is None or source.entry is None:
                    done = self._effects.now(operation, alternative.point, after, dict(updates))
                    yield _move(line, guard, updates, done, checks)
                    continue
                for done in self._effects.later(
                    operation, alternative.point, after, dict(updates), source.entry
                ):
                    yield _move(line, guard, updates, done, checks)

    def _store(
        self, operation: o.Operation, line: o.Line, store: o.Store, control: Control
    ) -> Iterator[Move]:
        after = replace(control, line=line.then or t.IDLE)
        checks = self._memory.inside(store.location)
        for alternative in self._points.at(line):
            if not self._is_buffered:
                updates = self._memory.store(store.location, store.value)
                done = self._effects.now(operation, alternative.point, after, dict(updates))
                yield _move(line, alternative.condition, updates, done, checks)
                continue
            owner = owner_name(len(control.entries))
            pushed = [(t.Variable(t.Space.LOCAL, VALUE, owner), store.value)]
            if store.location.index is not None:
                pushed.append((t.Variable(t.Space.LOCAL, INDEX, owner), store.location.index))
            pushed += zip(inputs(operation, owner), inputs(operation, operation.name), strict=True)
            entry = Entry(line.label, promises=alternative.point is not None)
            buffered = replace(after, entries=(*after.entries, entry))
            done = Outcome(buffered)
            if alternative.point is not None:
                promised, problems = self._effects.promised_results(operation, alternative.point, after, {})
                own = tuple(zip(outputs(operation, operation.name), promised, strict=True))
                done = Outcome(replace(buffered, status=Status.PROMISED), (), own, problems)
            yield _move(line, alternative.condition, tuple(pushed), done, checks)

    def _rmw(self, operation: o.Operation, line: o.Line, rmw: o.Rmw, control: Control) -> Iterator[Move]:
        old = self._memory.value(rmw.location)
        after = replace(control, line=line.then or t.IDLE)
        for guard, new, result in rmw_outcomes(rmw, old):
            updates = () if new is None else self._memory.store(rmw.location, new)
            if rmw.target is not None:
                updates = (*updates, (t.Variable(t.Space.LOCAL, rmw.target, operation.name), result))
            for alternative in self._points.at(line):
                condition = with_loaded(alternative.condition, old)
                done = self._effects.now(operation, alternative.point, after, dict(updates))
                yield _move(
                    line,
                    t.conjunction((guard, condition)),
                    updates,
                    done,
                    self._memory.inside(rmw.location),
                )

    def _return(
        self, operation: o.Operation, line: o.Line, results: tuple[t.Term, ...], control: Control
    ) -> Iterator[Move]:
        for alternative in self._points.at(line):
            done = self._effects.now(operation, alternative.point, control, {})
            status = done.after.status
            checks: list[Check] = list(done.checks)
            updates = list(done.updates)
            entries, waiting = done.after.entries, done.after.waiting
            if status is Status.BEFORE:
                checks.append(Check(t.FALSE, f"{operation.name} returns and has not taken effect"))
            else:
                promised = outputs(operation, operation.name)
                given = tuple(substitute(cell, dict(done.updates)) for cell in promised)
                same = t.conjunction(tuple(t.equals(*pair) for pair in zip(given, results, strict=True)))
                checks.append(
                    Check(same, f"{operation.name} does not return what its linearization point determined")
                )
            if status is Status.PROMISED:
                number = max(index for index, entry in enumerate(entries) if entry.promises)
                updates += list(zip(outputs(operation, owner_name(number)), results, strict=True))
                returned = replace(entries[number], returned=True)
                entries = (*entries[:number], returned, *entries[number + 1 :])
            if waiting is not None and status is Status.DEFERRED:
                waiting = replace(waiting, returned=True)
            if self._in_real_time and status in (Status.PROMISED, Status.DEFERRED):
                checks.append(Check(t.FALSE, f"{operation.name} returns before it takes effect"))
            after = replace(done.after, line=t.IDLE, status=Status.NONE, entries=entries, waiting=waiting)
            finished = replace(done, after=after, checks=tuple(checks), updates=tuple(updates))
            move = _move(line, alternative.condition, (), finished)
            yield replace(move, kind=Kind.RETURN, results=results)


def _move(
    line: o.Line,
    guard: t.Term,
    updates: tuple[tuple[t.Variable, t.Term], ...],
    done: Outcome,
    checks: tuple[Check, ...] = (),
) -> Move:
    return Move(
        kind=Kind.STEP,
        line=line.label,
        text=f"label {line.label}: {' '.join(line.span.text.split())}",
        guard=guard,
        updates=(*updates, *done.updates),
        effects=done.effects,
        checks=(*checks, *done.checks),
        after=done.after,
    )
