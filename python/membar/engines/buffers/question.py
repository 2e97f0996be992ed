"""Encodes a task for the core's searches: the encoded program, and which states are errors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import EngineLimitError
from membar.engines import extension
from membar.engines.buffers.channels import RECEIVES, SENDS, Unchannelled, without_channels
from membar.engines.buffers.errors import errors_of
from membar.engines.reference.machine import Machine
from membar.engines.reference.state import FLUSH_ALL, LOCKED
from membar.engines.states.encoding import encode_states
from membar.models.model import Operational
from membar.program.atomicity import require_plain_edges
from membar.program.encoding import EncodedProgram, encode_program
from membar.program.expand import expand
from membar.program.loops import stop_at_unexplored
from membar.program.operations import Assert, Fence, Spawn
from membar.program.program import Program
from membar.properties import PROPERTIES
from membar.properties.final_state import Observer
from membar.properties.judge import is_by_name
from membar.records import record

if TYPE_CHECKING:
    from membar import _core
    from membar.questions.task import Task

# The numbers by which the core knows what a tag does.
_TAGS = {"MFENCE": 0, FLUSH_ALL: 1, LOCKED: 2, "ATOMIC": 3, "ATOMIC-ALL": 4, SENDS: 6, RECEIVES: 7}
# Under pso, stores may overtake one another, but not this.
_PSO_TAGS = _TAGS | {"SFENCE": 5}


@record(frozen=True, slots=True, kw_only=True)
class EncodedTask:
    """What is handed to the core.

    Attributes:
        machine: the store-buffer machine of the reference, which replays runs.
        observer: what final states show.
        program: the compact form.
        unchannelled: the program before it was made compact.
        core: the program and the question in the core.
        shows_endings: whether final states are asked about.
        looks_at_data: whether an error state depends on more than control points.
        seeks_deadlocks: whether a deadlock would be an answer.
        asserts: the edges, with their threads, whose failing assertions would be.
    """

    machine: Machine
    observer: Observer
    program: EncodedProgram
    unchannelled: Unchannelled
    core: _core.StoreBuffers
    shows_endings: bool
    looks_at_data: bool
    seeks_deadlocks: bool
    asserts: frozenset[tuple[int, int]]

    def is_asked(self, goal: _core.Goal) -> bool:
        """Whether something that was reached breaks what is asked; the program's condition aside."""
        match goal.kind:
            case "failure":
                return (goal.thread, goal.edge) in self.asserts
            case "deadlock":
                return self.seeks_deadlocks
            case "ending":
                return False
            case _:
                return True


def encode_task(task: Task) -> EncodedTask:
    """The question of `task` for the core.

    Raises:
        EngineLimitError: the model has no store buffers, or the program has what they give no meaning to.
    """
    discipline = task.model.operational
    if discipline is None:
        raise EngineLimitError(f"the model {task.model.name} has no store-buffer semantics")
    if discipline is Operational.CAM:
        raise EngineLimitError("cam is defined by its buffer bound")
    program = stop_at_unexplored(task.program)
    machine = Machine(program, discipline, None)
    _refuse_late_commitment(program)
    observer = Observer(program)
    # Without a question about final states their registers would only make states different.
    shows_endings = program.condition is not None or not task.properties
    errors = errors_of(program, observer.terms if shows_endings else ())
    asserts = frozenset(_asserting_edges(task))
    unchannelled = without_channels(program)
    tags = _PSO_TAGS if discipline is Operational.PSO else _TAGS
    form = encode_program(expand(unchannelled.program), tags, errors.terms, by_states=True)
    core = extension("buffers").StoreBuffers(
        form.form,
        explicit=encode_states(machine.program, discipline, errors.terms).form,
        discipline="marked" if discipline is Operational.PSO and _has_marks(program) else discipline.value,
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
        deadlocks=_seeks_deadlocks(task) or (program.condition is not None and "deadlock" in task.properties),
        ends=_point_numbers(form, [thread.ends for thread in program.threads]),
        asserts=sorted(asserts),
        committed=_point_numbers(form, [thread.committed for thread in program.threads]),
    )
    return EncodedTask(
        machine=machine,
        observer=observer,
        program=form,
        unchannelled=unchannelled,
        core=core,
        shows_endings=shows_endings,
        looks_at_data=bool(errors.codes),
        seeks_deadlocks=_seeks_deadlocks(task),
        asserts=asserts,
    )


def _seeks_deadlocks(task: Task) -> bool:
    """Whether a deadlock breaks what is asked, rather than being beside the point."""
    program, model = task.program, task.model
    if "deadlock" not in task.properties:
        return False
    if is_by_name(task):
        return True
    # Where no property says anything of the program, all of them are named, and a deadlock breaks one.
    applicable = {name for name, item in PROPERTIES.items() if item.applies(program, model)}
    return program.condition is None and (not applicable or "deadlock" in applicable)


def _asserting_edges(task: Task) -> Iterator[tuple[int, int]]:
    """The edges, with their threads, whose failing assertions break a property that is asked about."""
    for number, thread in enumerate(task.program.threads):
        for place, edge in enumerate(thread.edges):
            if any(_is_asked(operation, task) for operation in edge.operations):
                yield number, place


def _is_asked(operation: object, task: Task) -> bool:
    if not isinstance(operation, Assert):
        return False
    return not task.properties or operation.property in task.properties


def _point_numbers(form: EncodedProgram, points: Sequence[Collection[int]]) -> list[list[int]]:
    """Control points of each thread by the numbers that the core knows them by."""
    return [
        [number for number, point in enumerate(known) if point in wanted]
        for known, wanted in zip(form.points, points, strict=True)
    ]


def _refuse_late_commitment(program: Program) -> None:
    """The core has a step between the end of what a new thread waits for and its beginning."""
    for thread in program.threads:
        require_plain_edges(thread, "buffers")
        if not thread.started and thread.entry in thread.committed:
            raise EngineLimitError(f"thread {thread.name} begins at a committed control point when started")


def _has_marks(program: Program) -> bool:
    """Whether something keeps its place among stores: a fence of them, or the start of a thread."""
    return any(
        isinstance(op, Spawn) or (isinstance(op, Fence) and "SFENCE" in op.tags) for op in program.operations
    )
