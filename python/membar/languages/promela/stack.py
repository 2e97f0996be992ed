"""Processes as a stack, as SPIN has them: where what is started depends on the run, and channels are values.

Each number that a process can have is a thread, which can be any of the processes that are started; while
there is none with this number it waits, at its point 0, for a message (`run[n]`) that says which one starts,
and with which arguments. `_nr_pr` counts the processes. One that has ended is taken away when no younger one
is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.promela import syntax as p
from membar.languages.promela.actions import Move, Start
from membar.languages.promela.channels import FULL_FENCE, meetings_of, memory_of
from membar.languages.promela.claims import Claims
from membar.languages.promela.declarations import (
    Declarations,
    assigned_names,
    ghost_names,
    parts_checked,
    read_trace,
)
from membar.languages.promela.labels import label_claims
from membar.languages.promela.predicates import Running
from membar.languages.promela.process import ProcessBuilder
from membar.languages.promela.remote import Mirror, RemoteReferences, edge_with_mirrors
from membar.languages.promela.scheduling import HIGHEST, Scheduling, priority_of
from membar.languages.promela.scope import Channel, Scope, Storage, storages
from membar.languages.promela.starts import has_starts, repeated_starts, started_names, starts_of
from membar.languages.promela.steps import Starter, Steps, edge_with_last, steps_of
from membar.languages.promela.values import LAST, PROCESSES, CellReference, address, assignment, constant
from membar.languages.promela.variables import Built, Instance
from membar.program.expr import FALSE, MASK, TRUE, Constant, Expr, Register, equals
from membar.program.folding import fold
from membar.program.operations import Assume, Load, Operation, Receive, Send, Set
from membar.program.program import Channel as Meeting
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.records import record, replace
from membar.source import SourceFile

_LANGUAGE: Final = "Promela"
# Set where there are too many processes, which is not followed.
_TOO_MANY = "#too many"
# Processes at a time, where the text does not say how many there are.
_MOST_AT_A_TIME = 16
_MOST = 255


@record(slots=True)
class _Code:
    """A process as one that has a certain number: its steps, whose points come after others of the thread."""

    process: p.Process
    built: Built
    steps: Steps


def stack_program(source: SourceFile, module: p.Module) -> Program:
    """The program of a text whose processes are a stack.

    Raises:
        InputError: with every diagnostic found.
    """
    first = _Stack(source, module, ())
    first.read()
    # Read again: now it is known which channels there are.
    second = _Stack(source, module, tuple(first.declarations.found))
    second.read()
    return second.program()


class _Stack:
    def __init__(self, source: SourceFile, module: p.Module, channels: tuple[Channel, ...]) -> None:
        self._source = source
        self._module = module
        self._scope = Scope()
        self.declarations = Declarations({name: fields for name, fields, _ in module.records}, constant)
        self.declarations.is_dynamic = True
        self.declarations.assigned = assigned_names(module)
        self.declarations.ghosts = ghost_names(module)
        self.declarations.has_priorities = module.has_priorities
        self.declarations.channels = channels
        self._storages: list[Storage] = []
        self._by_name = {process.name: process for process in module.processes}
        self._actives: list[p.Process] = []
        self._started: list[str] = []
        self._slots: list[list[_Code]] = []
        self._remotes = RemoteReferences()
        self._mirrored: dict[str, Storage] = {}  # memory for them, with its first values
        self._shared: dict[str, _Code] = {}  # of processes that are the same under every number
        self._is_bounded = True
        self._found: list[Diagnostic] = []

    def read(self) -> None:
        """Builds the processes of all numbers."""
        self.declarations.symbols(self._module.symbols, self._scope)
        self.declarations.trace = read_trace(self._module, self._scope)
        for item in self._module.variables:
            meaning = self.declarations.variable(item, self._scope, shared=True)
            self._scope.declare(item.name, meaning, item.span)
            self._storages += storages(meaning)
        for process in self._module.processes:
            copies = 0 if process.copies is None else constant(process.copies, self._scope)
            self._actives += [process] * copies
        self._refuse_rendezvous()
        count = self._count_processes()
        width = self._width
        first = [frozenset({process.name}) for process in self._actives]
        first += [frozenset[str]()] * (count - len(first))
        started = frozenset(self._started)
        self._remotes.processes = [names | started if number else names for number, names in enumerate(first)]
        for number in range(count):
            codes: list[_Code] = []
            if number < len(self._actives):
                codes.append(self._code(self._actives[number], number, count, width, is_started=True))
            if number:
                codes += [
                    self._code(self._by_name[name], number, count, width, is_started=False)
                    for name in self._started
                ]
            self._slots.append(codes)
        if self._found:
            raise InputError(*dict.fromkeys(self._found))

    def _refuse_rendezvous(self) -> None:
        """Whether a sender can move depends on who can receive: nothing of one process says it."""
        module = self._module
        meeting = next((channel for channel in self.declarations.found if not channel.capacity), None)
        if meeting is not None and (module.has_priorities or module.asks_enabled):
            what = "priorities" if module.has_priorities else "`enabled`"
            message = f"{what} in a text with a rendezvous"
            raise error("W0711", message, meeting.span, "expected room for a message; SPIN refuses it, too")

    def _count_processes(self) -> int:
        """How many processes there are at a time, at most; and which can be started."""
        trials: dict[str, Built] = {}
        todo = [process.name for process in self._actives]
        saved = len(self.declarations.found)
        while todo:
            name = todo.pop()
            if name in trials:
                continue
            trials[name] = self._built(self._by_name[name], Instance(name=f"{name}?", pid=0))
            todo += started_names(trials[name])
        del self.declarations.found[saved:]
        self._started = list(
            dict.fromkeys(name for built in trials.values() for name in started_names(built))
        )
        total = len(self._actives)
        for process in self._actives:
            more = self._started_by(process.name, trials, ())
            if more is None:
                self._is_bounded = False
                return max(min(_MOST, len(self._actives) + _MOST_AT_A_TIME), 2)
            total += more
        if total > _MOST:
            raise error("W0709", f"{total} processes", self._module.span, f"at most {_MOST}")
        return total

    def _started_by(self, name: str, trials: dict[str, Built], inside: tuple[str, ...]) -> int | None:
        """How many processes a process starts, with those that they start; None: no bound is known."""
        if name in inside:
            return None
        built = trials[name]
        known = starts_of(built) if name in {process.name for process in self._actives} else None
        if known is None and repeated_starts(built):
            return None
        names = [item.start.process for item in known] if known is not None else started_names(built)
        total = 0
        for each in names:
            more = self._started_by(each, trials, (*inside, name))
            if more is None:
                return None
            total += 1 + more
        return total

    def _built(self, process: p.Process, instance: Instance) -> Built:
        builder = ProcessBuilder(
            process, instance, self._scope, self.declarations, self._process_of, remotes=self._remotes
        )
        return builder.build()

    def _process_of(self, run: p.Run) -> p.Process:
        if run.process not in self._by_name:
            known = ", ".join(self._by_name)
            raise error("W0706", f"unknown process `{run.process}`", run.span, f"declared: {known}")
        return self._by_name[run.process]

    def _code(self, process: p.Process, number: int, count: int, width: int, *, is_started: bool) -> _Code:
        if not is_started and process.name in self._shared:
            return self._shared[process.name]
        name = f"{process.name}_{number}" if is_started else f"{process.name}_{number}'"
        instance = Instance(name=name, pid=number, is_started=is_started)
        built = self._built(process, instance)
        code = _Code(process, built, steps_of(built, self._starter(number, count, width)))
        if not is_started and not built.asks_number and not built.channels and not has_starts(built):
            self._shared[process.name] = code
        return code

    def _starter(self, number: int, count: int, width: int) -> Starter:
        """What starts a process in a thread: it gets the number of those that there are."""

        def start(_: Move, effect: Start) -> Sequence[tuple[Expr, tuple[Operation, ...]]]:
            found: list[tuple[Expr, tuple[Operation, ...]]] = []
            kind = Constant(1 + self._started.index(effect.process))
            values = (kind, *effect.arguments, *(FALSE for _ in range(width - 1 - len(effect.arguments))))
            before = TRUE if effect.count is None else effect.count
            for other in range(number + 1, count):
                operations: list[Operation] = [
                    FULL_FENCE,
                    *assignment(CellReference(PROCESSES, None), Constant(other + 1)),
                    FULL_FENCE,
                    Send(_start_channel(other), values),
                ]
                if effect.result is not None:
                    operations.append(Set(effect.result, Constant(other)))
                if self._module.has_priorities:
                    place = CellReference(priority_of(other, effect.span), None)
                    operations += assignment(place, Constant(effect.priority))
                found.append((fold(equals(before, Constant(other))), tuple(operations)))
            if not self._is_bounded:
                found.append((fold(equals(before, Constant(count))), (Set(_TOO_MANY, TRUE),)))
            return found

        return start

    # The parts of the program

    def program(self) -> Program:
        names = self._names()
        threads: list[Thread] = []
        running: list[Running] = []
        for number, codes in enumerate(self._slots):
            thread, shown = self._thread(number, names[number], codes)
            threads.append(thread)
            running += shown
        sizes = {item.name: item.count for item in self._objects(self.declarations.found)}
        scheduling = Scheduling(tuple(threads), sizes, self._module.span)
        claims = Claims(self._scope, running, self._module, self.declarations.channels, scheduling)
        threads = self._answering(threads, scheduling)
        threads = [self._publishing_thread(thread, number, running) for number, thread in enumerate(threads)]
        notes = [*self.declarations.notes, *(note for item in running for note in item.built.notes)]
        channels = self.declarations.found
        meetings = [Meeting(_start_channel(number), 0, self._width) for number in range(1, len(threads))]
        meetings += [
            Meeting(name, 0, len(channel.fields)) for channel in channels for name in meetings_of(channel)
        ]
        return Program(
            name=self._source.stem,
            language=_LANGUAGE,
            objects=tuple(self._objects(channels)),
            threads=tuple(threads),
            channels=tuple(meetings),
            errors=tuple(claims.errors),
            claims=tuple(claims.claims),
            label_claims=label_claims(running),
            goes_on_after_assertions=True,
            partly_checked=parts_checked(self.declarations),
            notes=tuple(dict.fromkeys((*notes, *claims.notes))),
            span=self._module.span,
        )

    @property
    def _width(self) -> int:
        """How many values the message that starts a process has."""
        known = (self._by_name[name].parameters for name in self._started)
        return 1 + max((len([*self.declarations.scalars(parameters)]) for parameters in known), default=0)

    def _names(self) -> list[str]:
        names = []
        for number, codes in enumerate(self._slots):
            kinds = {code.process.name for code in codes}
            only = next(iter(kinds)) if len(kinds) == 1 else "process"
            names.append(only if only == "init" else f"{only}_{number}")
        return names

    def _objects(self, channels: Sequence[Channel]) -> Iterator[MemoryObject]:
        yield replace(PROCESSES, initial=len(self._actives), span=self._module.span).memory()
        if self._module.asks_last:
            yield replace(LAST, span=self._module.span).memory()
        if self.declarations.trace is not None:
            yield self.declarations.trace.storage.memory()
        for storage in self._storages:
            yield storage.memory()
        for storage in self._mirrored.values():
            yield storage.memory()
        if self._module.has_priorities:
            for number in range(len(self._slots)):
                active = self._actives[number] if number < len(self._actives) else None
                given = 0 if active is None else self.declarations.priority(active.priority, self._scope)
                yield priority_of(number, self._module.span, given).memory()
        for channel in channels:
            for storage in memory_of(channel):
                yield storage.memory()

    def _thread(self, number: int, name: str, codes: Sequence[_Code]) -> tuple[Thread, list[Running]]:
        """The thread of a number; at point 0 no process has it, and at point 1 there are too many."""
        edges: list[Edge] = []
        running: list[Running] = []
        held: set[int] = set()
        ends = {0}
        labels: list[tuple[int, str]] = []
        registers: dict[str, int] = {}
        entry, offset = 0, 2
        for place, code in enumerate(codes):
            built, steps = code.built, code.steps
            is_first = place == 0 and number < len(self._actives)
            shifted = _shifted(steps, offset)
            size = 1 + max(
                (point for edge in shifted.edges for point in (edge.source, edge.target)),
                default=shifted.entry,
            )
            end = shifted.points.get(built.automaton.follow_jumps(built.end), [])
            edges += [_without_too_many(edge) for edge in shifted.edges]
            edges += [self._last_step(code, point, number) for point in end]
            ends |= set(end)
            held |= shifted.held
            for label, point in built.automaton.labels.items():
                for here in shifted.points.get(built.automaton.follow_jumps(point), ()):
                    labels.append((here, label if len(codes) == 1 else f"{code.process.name}.{label}"))
                    if label.startswith("end"):
                        ends.add(here)
            for register, value in built.registers.items():
                known = value if is_first and isinstance(value, int) else 0
                registers.setdefault(register, known)
            if is_first:
                entry = shifted.entry
            else:
                edges.append(self._first_step(code, shifted.entry, number))
            points = frozenset(range(offset, max(size, offset + 1)))
            running.append(Running(number, name, code.process.name, number, built, shifted, points))
            offset = max(size, offset + 1)
        if any(edge.target == 1 for edge in edges):
            why = f"more than {len(self._slots)} processes at a time"
            edges.append(Edge(source=1, target=1, span=codes[0].process.span, unexplored=why))
            held.add(1)  # where the run is not followed, nobody goes on
        if self._module.asks_last:
            edges = [edge_with_last(edge, number, self._module.span) for edge in edges]
        thread = Thread(
            name=name,
            entry=entry,
            edges=tuple(edges),
            registers=tuple(registers.items()),
            labels=tuple(dict.fromkeys(labels)),
            ends=frozenset(ends),
            atomic=frozenset(held),
            span=codes[0].process.span if codes else None,
        )
        return thread, running

    def _answering(self, threads: Sequence[Thread], scheduling: Scheduling) -> list[Thread]:
        """Threads whose steps compute what they ask about others."""
        if not (self._module.has_priorities or self._module.asks_enabled):
            return list(threads)

        def mirror(number: int, register: str) -> Storage:
            return self._remotes.shown(number, register, self._module.span)

        return [
            replace(
                thread,
                edges=tuple(scheduling.edge_with_answers(number, edge, mirror) for edge in thread.edges),
            )
            for number, thread in enumerate(threads)
        ]

    def _publishing_thread(self, thread: Thread, number: int, running: Sequence[Running]) -> Thread:
        """A thread whose steps write what others see of it."""
        if not self._remotes.seen:
            return thread
        mirrors = list(self._mirrors([item for item in running if item.number == number]))
        for seen, storage in self._remotes.seen.items():
            if seen.number == number and not seen.process:
                mirrors.append(Mirror(storage, register=seen.register))
        registers = dict(thread.registers)
        for mirror in mirrors:
            if mirror.register:
                first = registers.get(mirror.register, 0)
            else:
                first = thread.entry if mirror.points is None else int(thread.entry in mirror.points)
            self._mirrored[mirror.storage.name] = replace(
                mirror.storage, initial=first if isinstance(first, int) else 0
            )
        return replace(thread, edges=tuple(edge_with_mirrors(edge, mirrors) for edge in thread.edges))

    def _mirrors(self, running: Sequence[Running]) -> Iterator[Mirror]:
        """What others see of these processes.

        Raises:
            InputError: there is no such label or variable.
        """
        for item in running:
            automaton = item.built.automaton
            for seen, storage in self._remotes.seen.items():
                if (seen.number, seen.process) != (item.number, item.process):
                    continue
                if seen.register:
                    known: Collection[str] = item.built.registers
                    if seen.register in known:
                        yield Mirror(storage, register=seen.register)
                        continue
                elif not seen.label:
                    yield Mirror(storage, item.points or frozenset())
                    continue
                elif seen.label in automaton.labels:
                    place = automaton.follow_jumps(automaton.labels[seen.label])
                    yield Mirror(storage, frozenset(item.steps.points.get(place, ())))
                    continue
                else:
                    known = automaton.labels
                name = storage.name
                message = f"process `{item.process}` has no `{seen.label or seen.register}`, as in `{name}`"
                raise error("W0706", message, storage.span, f"there are: {', '.join(sorted(known))}")

    def _first_step(self, code: _Code, entry: int, number: int) -> Edge:
        """The step in which a process starts: its arguments come with a message."""
        built = code.built
        message = tuple(f"${place}" for place in range(1, self._width + 1))
        kind = Constant(1 + self._started.index(code.process.name))
        operations: list[Operation] = [
            Receive(_start_channel(number), message),
            Assume(equals(Register(message[0]), kind), waits=True),
        ]
        for register, value in built.registers.items():
            if isinstance(value, int) and value:
                operations.append(Set(register, Constant(value & MASK)))
        for parameter, register in zip(built.parameters, message[1:], strict=False):
            operations += assignment(CellReference(parameter, None), Register(register))
        operations += built.creation
        operations += [Set(register, FALSE) for register in message]
        return Edge(source=0, target=entry, operations=tuple(operations), span=code.process.span)

    def _last_step(self, code: _Code, end: int, number: int) -> Edge:
        """The step in which a process that has ended is taken away: the youngest goes first."""
        built, count = code.built, "$1"
        place = CellReference(PROCESSES, None)
        has_priorities = self._module.has_priorities
        operations: list[Operation] = [
            *([Assume(Register(HIGHEST), waits=True)] if has_priorities else []),
            FULL_FENCE,
            Load(register=count, address=address(place), size=PROCESSES.scalar.size),
            Assume(equals(Register(count), Constant(number + 1)), waits=True),
            *assignment(place, Constant(number)),
        ]
        for channel in built.channels:
            for storage in memory_of(channel):
                for cell in range(storage.count):
                    index = Constant(cell) if storage.dimensions else None
                    operations += assignment(CellReference(storage, index), FALSE)
        if has_priorities:
            operations += assignment(CellReference(priority_of(number, code.process.span), None), FALSE)
        operations += [FULL_FENCE, Set(count, FALSE)]
        operations += [Set(register, FALSE) for register in built.registers]
        return Edge(source=end, target=0, operations=tuple(operations), span=code.process.span)


def _start_channel(number: int) -> str:
    return f"run[{number}]"


def _without_too_many(edge: Edge) -> Edge:
    """An edge that leads to point 1 if it would start too many processes."""
    is_too_many = any(isinstance(item, Set) and item.register == _TOO_MANY for item in edge.operations)
    if not is_too_many:
        return edge
    kept = tuple(
        item for item in edge.operations if not (isinstance(item, Set) and item.register == _TOO_MANY)
    )
    return replace(edge, target=1, operations=kept)


def _shifted(steps: Steps, offset: int) -> Steps:
    """Steps whose points come behind others."""
    return Steps(
        steps.entry + offset,
        [replace(edge, source=edge.source + offset, target=edge.target + offset) for edge in steps.edges],
        {point: [here + offset for here in known] for point, known in steps.points.items()},
        frozenset(point + offset for point in steps.held),
    )
