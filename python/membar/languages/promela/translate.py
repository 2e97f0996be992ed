"""Text → Program: which processes run, their threads, shared memory, and what is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Final

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.promela import syntax as p
from membar.languages.promela.actions import Move, Start
from membar.languages.promela.channels import meetings_of, memory_of
from membar.languages.promela.claims import ERROR_STATE, Claims
from membar.languages.promela.declarations import (
    Declarations,
    assigned_names,
    ghost_names,
    parts_checked,
    read_trace,
)
from membar.languages.promela.inlines import label_of
from membar.languages.promela.labels import label_claims
from membar.languages.promela.parser import parse
from membar.languages.promela.predicates import Running
from membar.languages.promela.process import ProcessBuilder
from membar.languages.promela.scope import Channel, Scope, Storage, storages
from membar.languages.promela.starts import Started, may_end, starts_of
from membar.languages.promela.steps import Starter, Steps, edge_with_last, steps_of
from membar.languages.promela.values import LAST, constant
from membar.languages.promela.variables import Built, Instance
from membar.program.expr import TRUE, Constant, Expr, Register, equals
from membar.program.operations import Operation, Set, Spawn
from membar.program.predicate import StatePredicate
from membar.program.program import Channel as Meeting
from membar.program.program import MemoryObject, Program, Thread
from membar.records import field, record, replace
from membar.source import SourceFile

LANGUAGE: Final = "Promela"
_MOST_PROCESSES = 255
# Counts the processes that a process has started.
_COUNT = "#started"


def parse_promela(source: SourceFile) -> Program:
    """The program of a Promela text.

    Raises:
        InputError: with every diagnostic found.
    """
    return _Translation(source).program()


def with_error(text: str, asked: str) -> str:
    """The text with one more formula: that the state which `--error` names is never reached."""
    return f"{text.rstrip()}\nltl {ERROR_STATE} {{ [] !({asked}) }}\n"


def with_ghosts(text: str, names: str) -> str:
    """The text, saying which variables no processor has: stores to them do not go through store buffers."""
    return f"{text.rstrip()}\nghost {names}\n"


def predicates(source: SourceFile, expressions: Sequence[str]) -> tuple[StatePredicate, ...]:
    """What expressions say of a state of the program; macros of the text have their meaning there.

    Raises:
        InputError: one of them is no expression about the program.
    """
    asked = (f"ltl ask_{number} {{ [] !({text}) }}\n" for number, text in enumerate(expressions))
    program = parse_promela(replace(source, text="".join((source.text.rstrip(), "\n", *asked))))
    found = {item.name: item for item in program.errors}
    return tuple(
        replace(found[f"ask_{number}"], text=" ".join(text.split()), property="errors", name="")
        for number, text in enumerate(expressions)
    )


@record(slots=True)
class _Process:
    """One that runs."""

    process: p.Process
    instance: Instance
    is_started: bool
    built: Built | None = None
    steps: Steps | None = None
    # By the action that starts it: how many were started before, and the number of the process.
    starts: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    started: list[tuple[Started, int]] = field(default_factory=list)  # all of them, in order


class _Translation:
    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._module = parse(source)
        self._found: list[Diagnostic] = []
        self._scope = Scope()
        records = {name: fields for name, fields, _ in self._module.records}
        self._declarations = Declarations(records, constant)
        self._declarations.assigned = assigned_names(self._module)
        self._declarations.ghosts = ghost_names(self._module)
        self._processes: list[_Process] = []
        self._storages: list[Storage] = []
        self._channels: list[Channel] = []
        self._starter_of: int | None = None
        self._at = 0

    def program(self) -> Program:
        self._globals()
        self._actives()
        module = self._module
        if (
            self._declarations.needs_dynamic
            or module.asks_count
            or module.asks_enabled
            or module.has_priorities
        ):
            return self._stacked()
        if self._found:
            raise InputError(*dict.fromkeys(self._found))
        while self._at < len(self._processes):
            try:
                self._build(self._processes[self._at])
            except InputError as problem:
                self._found += problem.diagnostics
            self._at += 1
        if self._declarations.needs_dynamic:
            return self._stacked()
        if any(map(self._may_use_number_again, self._processes)):
            return self._stacked()
        if self._found:
            raise InputError(*dict.fromkeys(self._found))
        names = self._names()
        for item in self._processes:
            if item.built is not None:
                item.steps = steps_of(item.built, self._starter(item, names))
        running = [
            Running(number, names[number], item.process.name, item.instance.pid, item.built, item.steps)
            for number, item in enumerate(self._processes)
            if item.built is not None and item.steps is not None
        ]
        claims = Claims(self._scope, running, self._module)
        return Program(
            name=self._source.stem,
            language=LANGUAGE,
            objects=tuple(self._objects()),
            threads=tuple(self._thread(number, names) for number in range(len(self._processes))),
            channels=tuple(self._meetings()),
            errors=tuple(claims.errors),
            claims=tuple(claims.claims),
            label_claims=label_claims(running),
            goes_on_after_assertions=True,
            partly_checked=parts_checked(self._declarations),
            notes=tuple(
                dict.fromkeys(
                    (
                        *self._declarations.notes,
                        *(note for item in running for note in item.built.notes),
                        *claims.notes,
                    )
                )
            ),
            span=self._module.span,
        )

    # What is declared

    def _stacked(self) -> Program:
        from membar.languages.promela.stack import stack_program  # noqa: PLC0415 - on demand

        return stack_program(self._source, self._module)

    def _globals(self) -> None:
        with self._collect_errors():
            self._declarations.symbols(self._module.symbols, self._scope)
            self._declarations.trace = read_trace(self._module, self._scope)
        for item in self._module.variables:
            with self._collect_errors():
                self._global(item)
        names: set[str] = set()
        for process in self._module.processes:
            if process.name in names:
                self._found += error(
                    "W0704", f"process `{process.name}` is declared twice", process.span, "again here"
                ).diagnostics
            names.add(process.name)

    @contextmanager
    def _collect_errors(self) -> Iterator[None]:
        """Keeps the diagnostics of what is done inside."""
        try:
            yield
        except InputError as problem:
            self._found += problem.diagnostics

    def _global(self, item: p.Variable) -> None:
        meaning = self._declarations.variable(item, self._scope, shared=True)
        self._scope.declare(item.name, meaning, item.span)
        if isinstance(meaning, Channel):
            self._channels.append(meaning)
        self._storages += storages(meaning)

    # Which processes run

    def _actives(self) -> None:
        for process in self._module.processes:
            with self._collect_errors():
                copies = 0 if process.copies is None else constant(process.copies, self._scope)
                if not 0 <= copies <= _MOST_PROCESSES:
                    raise error("W0705", f"{copies} processes", process.span, f"at most {_MOST_PROCESSES}")
                for _ in range(copies):
                    self._add(process, is_started=True)
        if not self._processes and not self._found:
            raise error(
                "W0709",
                "no process runs",
                self._module.span,
                "expected `active proctype` or `init`",
            )

    def _add(
        self,
        process: p.Process,
        *,
        is_started: bool,
        pid: int | None = None,
        values: tuple[int, ...] = (),
        channels: tuple[Channel | None, ...] = (),
    ) -> int:
        number = len(self._processes)
        if number >= _MOST_PROCESSES:
            if is_started:
                raise error("W0709", "too many processes", process.span, f"at most {_MOST_PROCESSES}")
            self._declarations.needs_dynamic = True
            message = f"`run {process.name}` may start more than {_MOST_PROCESSES} processes"
            hint = "expected a bound, without shared variables and choices, of the loop that starts them"
            raise error("W0709", message, process.span, hint)
        instance = Instance(
            name=f"{process.name}_{number}",
            pid=number if is_started else pid,
            is_started=is_started,
            values=values,
            channels=channels,
        )
        self._processes.append(_Process(process, instance, is_started))
        return number

    def _build(self, item: _Process) -> None:
        builder = ProcessBuilder(
            item.process, item.instance, self._scope, self._declarations, self._is_process
        )
        item.built = builder.build()
        self._channels += item.built.channels
        found = starts_of(item.built)
        if found is None:
            self._declarations.needs_dynamic = True
            return
        for before, started in enumerate(found):
            number = self._start(started, before)
            item.started.append((started, number))
            item.starts.setdefault(id(started.action), []).append((before, number))
        if any(len(numbers) > 1 for numbers in item.starts.values()):
            item.built.registers[_COUNT] = 0
            item.built.counters.add(_COUNT)

    def _may_use_number_again(self, item: _Process) -> bool:
        """Whether somebody asks for the number of a process that may be that of one that ended before."""
        return any(
            started.is_after_others
            and self._asks_number(started, number)
            and (before := self._processes[earlier].built) is not None
            and may_end(before)
            for (_, earlier), (started, number) in pairwise(item.started)
        )

    def _asks_number(self, started: Started, number: int) -> bool:
        built = self._processes[number].built
        return started.start.result is not None or (built is not None and built.asks_number)

    def _is_process(self, run: p.Run) -> p.Process:
        for process in self._module.processes:
            if process.name == run.process:
                return process
        known = ", ".join(process.name for process in self._module.processes)
        raise error("W0706", f"unknown process `{run.process}`", run.span, f"declared: {known}")

    def _start(self, started: Started, before: int) -> int:
        """The process that a `run` starts."""
        # Numbers are known where one process starts all others.
        is_sure = self._starter_of in (None, self._at)
        self._starter_of = self._at if is_sure else -1
        first = sum(item.is_started for item in self._processes)
        process = next(item for item in self._module.processes if item.name == started.start.process)
        return self._add(
            process,
            is_started=False,
            pid=first + before if is_sure else None,
            values=started.values,
            channels=started.channels,
        )

    def _starter(self, item: _Process, names: list[str]) -> Starter:
        """What starts processes: where one `run` starts several, a register counts them."""

        def start(move: Move, effect: Start) -> Sequence[tuple[Expr, tuple[Operation, ...]]]:
            found: list[tuple[Expr, tuple[Operation, ...]]] = []
            counts = item.built is not None and _COUNT in item.built.registers
            for before, number in item.starts.get(id(move.action), ()):
                operations: list[Operation] = [Spawn(names[number])]
                pid = self._processes[number].instance.pid
                if effect.result is not None:
                    operations.append(Set(effect.result, Constant(pid or 0)))
                guard: Expr = TRUE
                if counts:
                    guard = equals(Register(_COUNT), Constant(before))
                    operations.append(Set(_COUNT, Constant(before + 1)))
                found.append((guard, tuple(operations)))
            return found

        return start

    # The parts of the program

    def _names(self) -> list[str]:
        """The names of the threads: that of the process, with its number if there are several."""
        kinds = [item.process.name for item in self._processes]
        names: list[str] = []
        for number, item in enumerate(self._processes):
            pid = item.instance.pid if item.instance.pid is not None else number
            name = item.process.name if kinds.count(item.process.name) == 1 else f"{item.process.name}_{pid}"
            while name in names:
                name += "'"
            names.append(name)
        return names

    def _thread(self, number: int, names: list[str]) -> Thread:
        item = self._processes[number]
        if item.built is None or item.steps is None:
            raise AssertionError("a process that was not built")
        automaton, steps = item.built.automaton, item.steps
        labels: list[tuple[int, str]] = []
        ends: set[int] = set()
        for label, point in automaton.labels.items():
            for copy, here in enumerate(steps.points.get(automaton.follow_jumps(point), ())):
                if point != automaton.labels.get(label_of(label)) or label == label_of(label):
                    labels.append((here, label if copy == 0 else f"{label}'{copy}"))
                if label.startswith("end"):
                    ends.add(here)
        edges = steps.edges
        if self._module.asks_last:
            edges = [edge_with_last(edge, item.instance.pid, item.process.span) for edge in edges]
        return Thread(
            name=names[number],
            entry=steps.entry,
            edges=tuple(edges),
            registers=tuple(item.built.registers.items()),
            started=item.is_started,
            labels=tuple(labels),
            ends=frozenset(ends),
            atomic=steps.held,
            span=item.process.span,
        )

    def _objects(self) -> Iterator[MemoryObject]:
        if self._module.asks_last:
            yield replace(LAST, span=self._module.span).memory()
        if self._declarations.trace is not None:
            yield self._declarations.trace.storage.memory()
        for storage in self._storages:
            yield storage.memory()
        for channel in self._channels:
            for storage in memory_of(channel):
                yield storage.memory()

    def _meetings(self) -> Iterator[Meeting]:
        for channel in self._channels:
            for name in meetings_of(channel):
                yield Meeting(name, 0, len(channel.fields))
