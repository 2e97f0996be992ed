"""A task in the form of the core's searches: the lowered program, and which states count."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError
from membar.engines.buffers.errors import errors_of
from membar.engines.reference.machine import Machine
from membar.engines.reference.state import ATOMIC, FLUSH_ALL, LOCKED
from membar.models.model import Operational
from membar.program.atomicity import require_uncommitted
from membar.program.expand import expand
from membar.program.lowering import LoweredProgram, lower_program
from membar.program.operations import Fence, Receive, Send, Spawn, Store, Unlock
from membar.program.program import Program, Thread
from membar.properties.final_state import Observer
from membar.properties.property import has_operation

if TYPE_CHECKING:
    from membar import _core
    from membar.task import Task

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
        shows_endings: whether final states are asked about.
        looks_at_data: whether an error state depends on more than control points.
    """

    machine: Machine
    observer: Observer
    program: LoweredProgram
    core: _core.StoreBuffers
    shows_endings: bool
    looks_at_data: bool


def lowered(task: Task, *, fault: int | None = None) -> Lowered:
    """The question of `task` for the core.

    Args:
        task: program, model and properties.
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
    require_uncommitted(program, "buffers")
    machine = Machine(program, discipline, None)
    _refuse_atomic_writes(program)
    if discipline is Operational.PSO:
        _refuse_marks(program)
    observer = Observer(program)
    # Without a question about final states their registers would only make states different.
    shows_endings = program.condition is not None or not task.properties
    errors = errors_of(program, observer.terms if shows_endings else ())
    form = lower_program(expand(program), _TAGS, errors.terms)
    core = extension().StoreBuffers(
        form.form,
        discipline=discipline.value,
        places=[
            [(thread, form.points[thread].index(point)) for thread, point in place] for place in errors.places
        ],
        predicates=errors.codes,
        looks=[
            (
                look.thread,
                [number for number, point in enumerate(form.points[look.thread]) if point in look.points],
            )
            for look in errors.looks
        ],
        deadlocks="deadlock" in task.properties,
        fault=fault,
    )
    return Lowered(
        machine=machine,
        observer=observer,
        program=form,
        core=core,
        shows_endings=shows_endings,
        looks_at_data=bool(errors.codes),
    )


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


def _refuse_atomic_writes(program: Program) -> None:
    """Barnat's atomic writes pass no buffer; the core has no word for them."""
    stores = (op for thread in program.threads for edge in thread.edges for op in edge.operations)
    for operation in stores:
        if isinstance(operation, Store) and operation.tags & ATOMIC.keys():
            raise EngineLimitError("the engine buffers has no atomic writes: use --buffers N")


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
