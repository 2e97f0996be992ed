"""Any number of processes: backward reachability on cubes, under sc and x86-tso.

    SystemTask ─ form ─▶ the core ─ cubes or a trace ─▶ proof, or a run that the simulator follows ─▶ Outcome

The user's invariants are bad states too, so that a fixpoint proves them. If that fails they are assumed, and
the answer is UNKNOWN, with what would hold under that assumption. docs/explanation/any-number-of-threads.md
says how.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError
from membar.engines import Capabilities, Space, SystemEngine, extension
from membar.questions.outcome import (
    INTERRUPTED,
    Holds,
    InterruptError,
    Outcome,
    Run,
    Statistics,
    Unknown,
    Violated,
)
from membar.questions.task import SystemTask

if TYPE_CHECKING:
    from membar import _core
    from membar.systems.run import ProcessRun
    from membar.systems.system import ParameterizedSystem

NAME = "cubes"
_UNSAFE = "errors"
_ANY_NUMBER = "any number of processes"
# A search of more cubes starts again with guesses, which are tested with this many processes.
_LARGE = 100
_GUESSES = 3
_SECONDS_FOR_GUESSES = 2.0
_NOTHING = "none"
_NO_RUN = "an error state seems reachable, but no concrete run reaches it"


def run(task: SystemTask) -> Outcome:
    """Answers `task`.

    Raises:
        EngineLimitError: the system or the model is out of reach, or the engine has no such algorithm.
        InterruptError: Ctrl-C.
    """
    match task.options.algorithm:
        case None | "backward":
            return _Search(task).run()
        case "generic":
            return analyse_all_write_orders(task)
        case other:
            raise EngineLimitError(f"the engine cubes has no algorithm {other}")


def closed_search(task: SystemTask) -> tuple[_core.CubeSystem, _core.CubeFindings] | None:
    """The core and the cubes from which a proof is read; None if there is no proof."""
    looking = _Search(task)
    found = looking.find_proof()
    return None if found is None else (looking.core, found)


def analyse_all_write_orders(task: SystemTask) -> Outcome:
    """The outcome of the analysis without the reduction.

    Raises:
        EngineLimitError: the model is none of those the engine knows.
    """
    from membar.engines.cubes import generic  # brings z3 along
    from membar.engines.instances import has_store_buffers
    from membar.engines.instances.search import follow_schedule, machine
    from membar.systems.mapping import sequential

    start = time.monotonic()
    has_buffers = has_store_buffers(task.model)
    system = task.system if has_buffers else sequential(task.system)
    limits = task.limits

    def should_stop() -> bool:
        return limits.seconds is not None and time.monotonic() - start > limits.seconds

    found = generic.search(system, nodes=limits.states, should_stop=should_stop, guesses=task.options.brab)

    def describe_run(guarantee: str) -> Run:
        return Run(
            model=task.model.name,
            engine=NAME,
            algorithm="backward reachability on cubes, every order of writes",
            guarantee=guarantee,
            statistics=Statistics(nodes=found.nodes, seconds=time.monotonic() - start),
        )

    if found.stopped is not None:
        return Unknown(describe_run(_NOTHING), limits.reason(found.stopped) or _NO_RUN)
    if found.initial is None:
        size = system.size
        return Holds(
            describe_run(_ANY_NUMBER if size is None else f"exactly {size} processes"), proof=found.proof
        )
    schedule = generic.number_processes(found.initial.schedule())
    least = max((process for _, processes in schedule for process in processes), default=1)
    for count in (least, least + 1) if system.size is None else (system.size,):
        shown = follow_schedule(machine(task.system, count, buffered=has_buffers), schedule)
        if shown is not None:
            return Violated(
                describe_run("one run, with a fixed number of processes"), _UNSAFE, processes=shown
            )
    return Unknown(describe_run(_NOTHING), _NO_RUN)


class _Search:
    """A system handed to the core, and what comes back."""

    def __init__(self, task: SystemTask) -> None:
        from membar.engines.cubes.encoding import form_of
        from membar.engines.instances import has_store_buffers
        from membar.systems.mapping import sequential

        self.task = task
        self.buffered = has_store_buffers(task.model)
        self.system: ParameterizedSystem = task.system if self.buffered else sequential(task.system)
        self.core = self._within_limits(lambda: extension(NAME).CubeSystem(form_of(self.system)))
        self.started = time.monotonic()
        self.nodes = 0

    @staticmethod
    def _within_limits(work: Callable[[], _core.CubeSystem]) -> _core.CubeSystem:
        try:
            return work()
        except OverflowError as large:
            raise EngineLimitError(str(large)) from None

    def find_proof(self) -> _core.CubeFindings | None:
        """The cubes of a proof, if the search ends with one."""
        found = self._first()
        return found if _is_closed(found) else None

    def run(self) -> Outcome:
        found = self._first()
        if _is_closed(found):
            return self._holds(found)
        if found.trace is not None and found.trace.goal < len(self.system.unsafe):
            violation = self._follow_trace(found)
            if violation is not None:
                return Violated(
                    self._describe_run("one run, with a fixed number of processes"),
                    _UNSAFE,
                    processes=violation,
                )
        return self._outcome_if_invariants_hold(found) if self.system.invariants else self._unknown(found)

    def _first(self) -> _core.CubeFindings:
        """What a search finds that believes nothing.

        A search that grows large is begun again with guesses: they lead to fewer cubes, if to any proof, and
        each cube has to be checked. If they lead to none soon, the search goes on without them.
        """
        limits = self.task.limits
        may_guess = self.task.options.brab is None and (limits.states is None or limits.states > _LARGE)
        if not may_guess:
            return self._search(trust=False)
        found = self._search(trust=False, nodes=_LARGE)
        if found.stopped != "states":
            return found
        seconds = _SECONDS_FOR_GUESSES
        if limits.seconds is not None:
            seconds = min(seconds, (limits.seconds - self._seconds()) / 2)
        guessed = self._search(trust=False, guesses=_GUESSES, seconds=seconds)
        return guessed if _is_closed(guessed) else self._search(trust=False)

    def _search(
        self,
        *,
        trust: bool,
        guesses: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
    ) -> _core.CubeFindings:
        limits = self.task.limits
        left = None if limits.seconds is None else max(limits.seconds - self._seconds(), 0.0)
        try:
            found = self.core.search(
                trust=trust,
                guesses=guesses or self.task.options.brab,
                seconds=left if seconds is None else max(seconds, 0.0),
                nodes=nodes or limits.states,
                memory=limits.memory,
            )
        except OverflowError as large:
            raise EngineLimitError(str(large)) from None
        self.nodes += found.nodes
        if found.stopped == "request":
            raise InterruptError(Unknown(self._describe_run(_NOTHING), INTERRUPTED))
        return found

    def _seconds(self) -> float:
        return time.monotonic() - self.started

    def _holds(self, found: _core.CubeFindings) -> Outcome:
        from membar.engines.cubes.proof import event_cube

        fixed = self.core.fixed
        proof = tuple(event_cube(self.system, cube, fixed=fixed) for cube in found.cubes)
        size = self.system.size
        guarantee = _ANY_NUMBER if size is None else f"exactly {size} processes"
        return Holds(self._describe_run(guarantee), proof=proof)

    def _outcome_if_invariants_hold(self, found: _core.CubeFindings) -> Outcome:
        """What would hold if the user's invariants did."""
        believed = self._search(trust=True)
        if believed.stopped is None and believed.trace is None:
            names = ", ".join(
                cube.name or f"number {at + 1}" for at, cube in enumerate(self.system.invariants)
            )
            return Unknown(
                self._describe_run(_NOTHING),
                f"holds only if the declared invariants ({names}) do, which were not proved",
            )
        if believed.trace is not None:
            violation = self._follow_trace(believed)
            if violation is not None:
                return Violated(
                    self._describe_run("one run, with a fixed number of processes"),
                    _UNSAFE,
                    processes=violation,
                )
        return self._unknown(found)

    def _unknown(self, found: _core.CubeFindings) -> Outcome:
        reason = self.task.limits.reason(found.stopped or "") or _NO_RUN
        return Unknown(self._describe_run(_NOTHING), reason)

    def _follow_trace(self, found: _core.CubeFindings) -> ProcessRun | None:
        """A run of concrete processes along the trace; a variable may name one that takes no part."""
        from membar.engines.instances.search import follow_schedule, machine

        if found.trace is None:
            return None
        processes = found.trace.processes
        schedule = [(number, tuple(one + 1 for one in taking)) for number, taking in found.trace.steps]
        size = self.system.size
        for count in (processes, processes + 1) if size is None else (size,):
            shown = follow_schedule(machine(self.task.system, count, buffered=self.buffered), schedule)
            if shown is not None:
                return shown
        return None

    def _describe_run(self, guarantee: str) -> Run:
        return Run(
            model=self.task.model.name,
            engine=NAME,
            algorithm="backward reachability on cubes",
            guarantee=guarantee,
            statistics=Statistics(nodes=self.nodes, seconds=self._seconds()),
        )


def _is_closed(found: _core.CubeFindings) -> bool:
    """Whether a search ended with a proof."""
    return found.stopped is None and found.trace is None


ENGINE = SystemEngine(
    name=NAME,
    title="any number of processes, backward reachability (.cub)",
    can=Capabilities(
        models=lambda model: model.name in ("sc", "x86-tso"),
        properties=frozenset({"errors"}),
        options=frozenset({"--algorithm", "--brab", "--certificate"}),
        explores=Space.STATES,
        holds="a fixpoint was reached, and z3 has checked the certificate",
        violated="a run of some number of processes replays",
    ),
    run=run,
)
