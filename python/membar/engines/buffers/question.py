"""A task in the form of the core's searches: the lowered program, and which states count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

from membar.diagnostics import EngineLimitError
from membar.engines.reference.machine import Machine
from membar.engines.reference.state import FLUSH_ALL, LOCKED
from membar.models.model import Operational
from membar.program.expand import expand
from membar.program.lowering import LoweredProgram, lower_program
from membar.program.operations import Fence, Receive, Send, Spawn, Store, Unlock
from membar.program.predicate import StatePredicate, places_of
from membar.program.program import Program, Thread
from membar.properties.final_state import Observer
from membar.properties.property import has_operation

if TYPE_CHECKING:
    from membar import _core
    from membar.task import Task

Places: TypeAlias = Sequence[Sequence[tuple[int, int]]]

# The numbers by which the core knows what a tag does.
_TAGS = {"MFENCE": 0, FLUSH_ALL: 1, LOCKED: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """What is handed to the core.

    Attributes:
        machine: the store-buffer machine of the reference, which replays runs.
        observer: what final states show.
        program: the compact form.
        core: the program and the question in the core.
    """

    machine: Machine
    observer: Observer
    program: LoweredProgram
    core: _core.StoreBuffers
    errors: tuple[StatePredicate, ...]

    def reached(self, points: Sequence[int]) -> str:
        """Which error state it is to have the threads at these control points."""
        for predicate in self.errors:
            if any(
                all(self.program.points[thread].index(point) == points[thread] for thread, point in place)
                for place in places_of(predicate) or ()
            ):
                return predicate.text or "an error state"
        return "an error state"


def lowered(task: Task, *, places: Places = (), fault: int | None = None) -> Lowered:
    """The question of `task` for the core.

    Args:
        task: program, model and properties.
        places: error states: threads by number, and control points where they must not be together.
        fault: the mistake to make on purpose, for tests.

    Raises:
        EngineLimitError: the model has no store buffers, or the program has what they give no meaning to.
    """
    discipline = task.model.operational
    if discipline is None:
        raise EngineLimitError(f"the model {task.model.name} has no store-buffer reading")
    if discipline is Operational.CAM:
        raise EngineLimitError("the bound of the buffers is part of the meaning of cam")
    program = task.program
    if has_operation(program, Send, Receive):
        raise EngineLimitError("the engine buffers has no channels")
    machine = Machine(program, discipline, None)
    if discipline is Operational.PSO:
        _refuse_marks(program)
    observer = Observer(program)
    # Without a question about final states their registers would only make states different.
    terms = observer.terms if program.condition is not None or not task.properties else ()
    form = lower_program(expand(program), _TAGS, terms)
    core = extension().StoreBuffers(
        form.form,
        discipline=discipline.value,
        places=[
            [(thread, form.points[thread].index(point)) for thread, point in place]
            for place in (*places, *_error_places(task))
        ],
        deadlocks="deadlock" in task.properties,
        fault=fault,
    )
    return Lowered(machine=machine, observer=observer, program=form, core=core, errors=program.errors)


def _error_places(task: Task) -> Places:
    """Where the error states of the program are.

    Raises:
        EngineLimitError: one of them is about more than control points.
    """
    found: list[Sequence[tuple[int, int]]] = []
    for predicate in task.program.errors if task.properties else ():
        places = places_of(predicate)
        if places is None:
            raise EngineLimitError(
                f"the engine buffers looks at control points only; this is about more: {predicate.text}"
            )
        found += places
    return found


def extension() -> ModuleType:
    """The extension module.

    Raises:
        EngineLimitError: it is not installed.
    """
    try:
        from membar import _core  # noqa: PLC0415 - everything but this engine works without it
    except ImportError:
        raise EngineLimitError(
            "the engine buffers needs membar's Rust core, which this installation lacks"
        ) from None
    return _core


def _refuse_marks(program: Program) -> None:
    """Under pso, what must keep its place among stores to several locations fits into none of the buffers."""
    for thread in program.threads:
        for edge in thread.edges:
            for operation in edge.operations:
                if isinstance(operation, Fence) and "SFENCE" in operation.tags:
                    raise EngineLimitError("SFENCE orders buffers of pso that the engine keeps apart")
                if isinstance(operation, Spawn) and _stores(thread):
                    raise EngineLimitError(
                        "a thread that stores and starts another is not supported under pso"
                    )


def _stores(thread: Thread) -> bool:
    return any(isinstance(op, Store | Unlock) for edge in thread.edges for op in edge.operations)
