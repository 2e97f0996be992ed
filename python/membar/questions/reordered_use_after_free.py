"""Use after free through reordered accesses.

A use after free is an assertion, evaluated when the thread issues the access. Under sc and x86-tso that is
complete: no later instruction takes effect before it. Weaker models let a later store overtake the access;
another thread can observe that store and free the memory first. The search never builds such an execution,
because the thread stops at the failed assertion.

In C such an execution has a data race. By the compiler mappings, an execution of a processor without cycles
of po and rf is one of rc11; so if no execution has such a cycle, and rc11 finds neither a race nor an error,
none is missed. If some execution does have a cycle through a read of freed memory, so does one in which that
read still finds what was there: nothing that depends on the read is part of the cycle.

If rc11 finds a race, the executions of the processor itself are looked at: an access that could come after
the end of its memory is a violation (`properties/delayed_uses.py`); if there is none, the answer is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from membar.models.evaluate import relation
from membar.models.model import Model, Operational
from membar.models.plan import Check, CheckKind, CheckMode, Growth, Instruction, Op, Plan, Sort, Stage
from membar.properties.delayed_uses import take_delayed_use
from membar.properties.memory import NAME as MEMORY
from membar.questions.outcome import (
    Finding,
    Holds,
    HoldsWithin,
    Outcome,
    Unknown,
    Verdict,
    Violated,
    Witness,
    weaken_findings,
    with_notes,
)
from membar.questions.task import Options, Task
from membar.records import replace

Ask: TypeAlias = Callable[[Task], Outcome]

BOUND: Final = "executions in which no access is delayed beyond the end of its memory's lifetime"
_RACE: Final = "data-race"
_MOST_EXECUTIONS: Final = 1000


def may_miss_some(task: Task, outcome: Outcome) -> bool:
    """Whether an answer may be wrong about accesses that are delayed."""
    is_positive = isinstance(outcome, Holds | HoldsWithin)
    return task.program.ends_memory and is_positive and not keeps_order(task.model)


def keeps_order(model: Model) -> bool:
    """Whether no later action of a thread is visible before its access; or the race is found."""
    is_x86 = model.claims.fair and model.claims.mapping == "x86"
    is_ordered = is_x86 or model.operational in (Operational.SC, Operational.TSO)
    return is_ordered or model.language_model


def is_mapped(model: Model, mapping: str | None) -> bool:
    """Whether the language model covers what a processor delays, with C compiled by `mapping`."""
    return (mapping or model.claims.mapping) in model.claims.right_mappings


def without_mapping(outcome: Outcome, task: Task) -> Outcome:
    """The outcome under a model without a mapping: kept if the model itself would report a race."""
    plan = task.model.plan
    if plan is not None and any(check.name == _RACE for check in plan.checks):  # lkmm
        return _weaken_to_bound(outcome, "there is a data race") if _RACE in outcome.run.flags else outcome
    return _weaken_to_bound(outcome, f"there is no verified compiler mapping from C11 to {task.model.name}")


def language_question(task: Task, some: Task, used: float) -> Task:
    """The question under the language model, about some executions, as general as `task`."""
    options = Options(unrolling=task.options.unrolling, jobs=task.options.jobs)
    return replace(some, limits=task.limits.after(used), options=options)


def combine(outcome: Outcome, task: Task, asked: Task, found: Outcome, ask: Ask) -> Outcome:
    """The outcome, if `found`, the answer of the language, and a last question confirm it; else weaker."""
    language = task.program.language
    if isinstance(found, Violated) and found.witness is not None:
        who = _races_in_ended_memory(asked, found)
        if who:
            reason = (
                f"{who} memory whose lifetime ends, unordered (a data race in {language}): an access that"
                f" {task.model.name} delays beyond that end would go undetected"
            )
            unknown = Unknown(weaken_findings(outcome.run, Verdict.UNKNOWN, reason), reason)
            witness = _delayed_use(task, outcome, ask)
            return unknown if witness is None else _violated(unknown, witness)
        what = "a data race" if found.property == "races" else found.witness.message
        return _weaken_to_bound(outcome, f"it is wrong in {language} ({what})")
    if not isinstance(found, Holds | HoldsWithin):
        reason = found.reason if isinstance(found, Unknown) else "nothing was asked"
        return _weaken_to_bound(outcome, f"whether {language} orders it is unknown ({reason})")
    if task.model.operational is not Operational.PSO and _buffers_loads(task, outcome, ask):
        return _weaken_to_bound(outcome, "the model buffers loads here")
    return _within(outcome, found.bound) if isinstance(found, HoldsWithin) else outcome


def _races_in_ended_memory(asked: Task, found: Violated) -> str:
    """Who races in memory whose lifetime ends, as `lines 3 and 7 access`."""
    if asked.model.plan is None or found.witness is None or found.property != "races":
        return ""
    events = found.witness.execution.events
    cells = asked.program.cells
    for one, other in sorted(relation(asked.model.plan, found.witness.execution, "race")):
        cell = events[one].cell
        if cell is not None and cells[cell].object.is_hidden:
            spans = (events[one].span, events[other].span)
            lines = sorted({span.line for span in spans if span is not None})
            if len(lines) == 1:
                return f"line {lines[0]} accesses"
            return f"lines {' and '.join(map(str, lines))} access" if lines else "the program accesses"
    return ""


def _delayed_use(task: Task, outcome: Outcome, ask: Ask) -> Witness | None:
    """An execution with an access that could come after the end of its memory, if one is soon found."""
    if outcome.run.finding(MEMORY) is None or not task.model.claims.settled_order:
        return None
    limits = replace(task.limits.after(outcome.run.statistics.seconds), executions=_MOST_EXECUTIONS)
    asked = replace(task, limits=limits, options=replace(task.options, all_executions=True))
    executions = (found for found in ask(asked).run.executions if not found.message)
    uses = (take_delayed_use(task.program, task.model, found) for found in executions)
    return next((found for found in uses if found is not None), None)


def _violated(outcome: Unknown, witness: Witness) -> Violated:
    """The violation of `memory` that a witness shows; nothing is known of other properties."""
    found = Finding(MEMORY, Verdict.VIOLATED, witness.message, witness)
    findings = tuple(found if item.property == MEMORY else item for item in outcome.run.findings)
    return Violated(replace(outcome.run, findings=findings), MEMORY, witness)


def _buffers_loads(task: Task, outcome: Outcome, ask: Ask) -> bool:
    """Whether some execution has, or may have, a cycle of po and rf: the others are counted again."""
    if task.model.plan is None:
        return True
    counted = outcome.run.statistics
    model = replace(task.model, plan=without_load_buffering(task.model.plan))
    limits = task.limits.after(counted.seconds)
    others = ask(replace(task, model=model, limits=limits)).run.statistics
    is_same = (counted.executions, counted.blocked) == (others.executions, others.blocked)
    return counted.executions is None or not is_same


def without_load_buffering(plan: Plan) -> Plan:
    """The plan with one more check: no cycles of po and rf."""
    first = len(plan.instructions)
    po = Instruction(op=Op.PRIMITIVE, sort=Sort.RELATION, name="po")
    created = replace(po, name="spawn-join")
    rf = replace(po, name="rf", stage=Stage.READS, growth=Growth.GROWING)
    inside = replace(po, op=Op.UNION, name="", args=(first, first + 1))
    both = replace(rf, op=Op.UNION, name="", args=(first + 3, first + 2))
    check = Check(
        kind=CheckKind.ACYCLIC,
        slot=first + 4,
        name="no-load-buffering",
        mode=CheckMode.REQUIRE,
        stage=both.stage,
        growth=both.growth,
    )
    added = (po, created, rf, inside, both)
    return replace(plan, instructions=(*plan.instructions, *added), checks=(*plan.checks, check))


def _weaken_to_bound(outcome: Outcome, why: str) -> Outcome:
    """The outcome for executions in which no access is delayed that far."""
    bounded = _within(outcome, BOUND)
    note = f"a lifetime may end before an access that {outcome.run.model} delays: {why}"
    return with_notes(bounded, note)


def _within(outcome: Outcome, bound: str) -> HoldsWithin:
    before = outcome.bound if isinstance(outcome, HoldsWithin) else ""
    both = before if bound in before else " and ".join(filter(None, (before, bound)))
    return HoldsWithin(replace(weaken_findings(outcome.run, Verdict.WITHIN, both), guarantee=both), both)
