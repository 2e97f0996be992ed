"""Chooses the search of the core for a task, by the model's claims and the shape of the program.

The exactly-once search is for models that claim it (`Model.exploration`), and for programs that cannot
buffer loads (`models/load_buffering.py`); `program/dependency_order.py` decides which programs suit the
dependency-aware one. That analysis takes longer than the general search of most litmus tests, so the general
search is tried first, except for programs with loops, which the other searches need not truncate as early.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.models.model import CLASSES, DEPENDENCY_AWARE, EXACTLY_ONCE, GENERAL
from membar.models.plan import CheckMode, Plan, Stage
from membar.program.allocations import ALLOC
from membar.program.blocking import has_waiting_step
from membar.program.dependencies import reads_memory, writes_memory
from membar.program.expr import evaluate, registers_of
from membar.program.operations import Fence, Store, StoreConditional
from membar.program.program import Program, Thread
from membar.program.symmetry import groups
from membar.questions.task import Coherence, Task

SYMMETRY = "symmetry"
# Steps of the general search times accesses that are quick: a few hundredths of a second.
_QUICK = 200_000


def exploration(task: Task, program: Program) -> str:
    """The search to begin with: what the model allows for all programs, unless every candidate is asked for.

    Two things only the general search has room for: in a step without order a write may stand after a read
    of its own thread and be read by it; and a fence that names a location is in `loc` with its accesses.
    """
    if _is_filtered(task) or _needs_general_search(program):
        return GENERAL
    if task.options.coherence is Coherence.OBSERVED and why_not_classes(task, program) is None:
        return CLASSES
    if task.model.claims.search == EXACTLY_ONCE:
        return EXACTLY_ONCE
    return careful_exploration(task, program) if _has_loops(program) else GENERAL


def trial_steps(task: Task, program: Program) -> int | None:
    """After how many steps of the general search to choose with care; None if there is no other."""
    model = task.model
    has_others = model.claims.load_buffering or model.claims.search == DEPENDENCY_AWARE
    if _is_filtered(task) or _needs_general_search(program) or _has_loops(program) or not has_others:
        return None
    accesses = 1
    for thread in program.threads:
        for edge in thread.edges:
            accesses += sum(reads_memory(item) + writes_memory(item) for item in edge.operations)
    return _QUICK // accesses


def careful_exploration(task: Task, program: Program) -> str:
    """The search for a program that takes the general one long."""
    from membar.models.load_buffering import keeps_loads_before_stores
    from membar.program.dependency_order import obstacle

    if keeps_loads_before_stores(program, task.model, bound=task.options.unrolling.largest_bound):
        return EXACTLY_ONCE
    if task.model.claims.search == DEPENDENCY_AWARE and obstacle(program) is None:
        return DEPENDENCY_AWARE
    return GENERAL


def may_go_first(task: Task, program: Program, chosen: str) -> bool:
    """Whether the exactly-once search may be tried before the general one, which was `chosen`.

    It is for all executions without cycles of po and rf of models that say what load buffering is. Of models
    that look for races it is not known what comes first.
    """
    if chosen != GENERAL or _is_filtered(task) or _needs_general_search(program):
        return False
    return bool(task.model.claims.load_buffering) and not task.model.language_model


def why_not_classes(task: Task, program: Program) -> str | None:
    """Why every execution counts by itself, although only what is observed should; None if it does not."""
    if task.model.claims.search != EXACTLY_ONCE:
        return f"the model {task.model.name} does not claim what this needs"
    if task.options.all_executions:
        return "every execution is listed"
    if _remarks_need_coherence(task.model.plan):
        return f"flags of the model {task.model.name} observe coherence"
    if _is_filtered(task) or _needs_general_search(program):
        return "the general search is used"
    if "await" not in task.options.reductions_off and any(thread.back_edges for thread in program.threads):
        return "whether a loop waits forever depends on coherence"
    if has_waiting_step(program):
        return "whether a thread is in a deadlock depends on coherence"
    is_asked_for = task.options.coherence_chosen_by_user
    if not is_asked_for and SYMMETRY not in task.options.reductions_off and groups(program):
        return "identical threads are explored up to symmetry"
    if not has_rival_writers(program):
        return "no two threads write one location, so every execution is its own class"
    return None


def _remarks_need_coherence(plan: Plan | None) -> bool:
    checks = () if plan is None else plan.checks
    return any(check.mode is not CheckMode.REQUIRE and check.stage is Stage.COHERENCE for check in checks)


def _needs_general_search(program: Program) -> bool:
    for thread in program.threads:
        for edge in thread.edges:
            for operation in edge.operations:
                if isinstance(operation, Fence) and operation.address is not None:
                    return True
                if edge.unordered and writes_memory(operation):
                    return True
    return False


def _has_loops(program: Program) -> bool:
    return any(thread.back_edges for thread in program.threads)


def _is_filtered(task: Task) -> bool:
    return "prune" in task.options.reductions_off


# Which threads write which locations: whether a program has any choice of coherence order.


def has_rival_writers(program: Program) -> bool:
    """Whether two threads may write one location, other than by RMWs.

    If not, the order of the writes follows from what reads see: one thread's stores stand in program order,
    and an RMW directly after what it reads. Locks must be expanded (`expand`).
    """
    known: dict[int, str] = {}
    anywhere: str | None = None  # who stores to addresses that are computed
    for thread in program.threads:
        for word in _stored_addresses(program, thread):
            if anywhere not in (None, thread.name):
                return True
            if word is None:
                if any(other != thread.name for other in known.values()):
                    return True
                anywhere = thread.name
            elif known.setdefault(word, thread.name) != thread.name:
                return True
    return False


def _stored_addresses(program: Program, thread: Thread) -> Iterator[int | None]:
    """The addresses of a thread's stores; None for those that depend on a register.

    The beginning of memory is no rival: unless it comes before all else there, the program has no meaning.
    """
    for operation in thread.operations:
        if isinstance(operation, Store | StoreConditional) and ALLOC not in operation.tags:
            address = operation.address
            is_constant = next(registers_of(address), None) is None
            yield evaluate(address, {}, program.bases) if is_constant else None
