"""The only place that turns the findings of an engine into verdicts: one for each property, and one for all.

The verdict for a property:

    some execution violates it                 VIOLATED, with that execution, whatever was not explored
    `exists`, and an execution satisfies it    HOLDS, with that execution, whatever was not explored
    otherwise, the engine cannot check it      UNKNOWN
    otherwise, the search stopped              UNKNOWN, or not checked if it stopped at another violation
    otherwise, a step fits into no buffer      UNKNOWN
    otherwise, the stack would be unwound      UNKNOWN
    otherwise, all executions are truncated    UNKNOWN, unless by a loop bound or full buffers
    otherwise, a bound truncated the search    HOLDS WITHIN; but UNKNOWN for `exists`
    otherwise, it is checked only in part      HOLDS WITHIN
    otherwise                                  HOLDS; but VIOLATED, without a witness, for `exists`

The verdict about the program is the worst over all properties that count. In a program with a condition of
its own only the condition, error states, claims and assertions count, unless properties were selected by
name: a race, a deadlock or a thread that spins forever is only flagged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from membar.program import grace_periods
from membar.program.blocking import is_decided, may_hide_deadlocks
from membar.program.condition import Quantifier
from membar.program.expand import expand
from membar.program.operations import ERRORS, WARNINGS
from membar.properties import ASSERTED, PROPERTIES, locks, memory
from membar.properties.labels import BEGINNINGS
from membar.properties.memory import property_of
from membar.properties.property import (
    has_error_state_of,
    is_asked_as,
    property_of_condition,
    property_of_error,
)
from membar.properties.races import RACE_FLAG, defines_races
from membar.properties.selection import UNDEFINED, is_about_whole_runs
from membar.properties.tally import (
    ANY_LENGTH,
    Tally,
    at_lines,
    bound_of,
    gap_of,
    has_no_complete_execution,
    lines_of,
)
from membar.questions.default_engines import FOR_BUFFERS
from membar.questions.outcome import (
    INTERRUPTED,
    NOT_ASKED,
    STOPPED,
    Explored,
    FinalState,
    Finding,
    Holds,
    HoldsWithin,
    Outcome,
    Run,
    Unknown,
    Verdict,
    Violated,
    Witness,
)
from membar.questions.task import Task
from membar.records import replace

__all__ = [
    "RACE_FLAG",
    "TRUNCATED",
    "Tally",
    "excluded_by_filter_text",
    "is_by_name",
    "is_settled",
    "judge",
    "properties_asked",
]

DEADLOCK_FLAG = "deadlock"
# How a listed execution that was truncated is marked.
TRUNCATED = "truncated by the loop bound"
WAITING_FLAG = "waits-forever"
# The questions of the program itself: if it has one, answers about other properties alone do not suffice.
OWN_QUESTIONS = ("condition", "errors", "claims")
_COUNTS_BESIDE_A_CONDITION = frozenset({*OWN_QUESTIONS, "assertions"})
# The properties of a program without questions of its own, so that there is an answer.
_ALWAYS = ("assertions",)
UNSELECTED = "was not selected, but is violated"
"""What the reason says of a property that is violated and that nobody asked about."""
# Not part of the default of every program.
_SOMETIMES_BY_DEFAULT = frozenset({"exits"}) | WARNINGS


def judge(task: Task, tally: Tally) -> Outcome:
    """The outcome of `task`, given what an engine found."""
    found = _Judgement(task, tally)
    run = _run(task, tally, found.findings())
    return found.outcome(run)


def excluded_by_filter_text(count: int) -> str:
    """How many executions the filter of a condition excludes from the list."""
    executions = "execution" if count == 1 else "executions"
    return f"{count} {executions} that the condition's filter excludes"


def is_settled(task: Task, tally: Tally) -> bool:
    """Whether a larger bound cannot change the verdict."""
    if tally.limit is not None or tally.loops_cut is None:
        return True
    outcome = judge(task, tally)
    return isinstance(outcome, Holds | Violated) and outcome.witness is not None


def properties_asked(task: Task) -> tuple[str, ...]:
    """The properties that a task gets an answer about."""
    asked = _Judgement(task, Tally(engine="", algorithm="", looked_for=frozenset())).asked
    return tuple(name for name in PROPERTIES if name in asked)


def is_by_name(task: Task) -> bool:
    """Whether the user selected properties by name, rather than all that apply."""
    return not set(PROPERTIES) - _SOMETIMES_BY_DEFAULT <= set(task.properties)


class _Judgement:
    """The findings about each property of a task."""

    def __init__(self, task: Task, tally: Tally) -> None:
        self.task, self.tally = task, tally
        self.program, self.model = task.program, task.model
        self.named = [name for name in task.properties if name != "none"]
        self._applying: dict[str, bool] = {}
        self.by_name = is_by_name(task)
        self.looked_for = _looked_for(task, tally)
        self.violations = self._violations()
        self.asked = self._asked_properties()

    def _applies(self, name: str) -> bool:
        if name not in self._applying:
            self._applying[name] = PROPERTIES[name].applies(self.program, self.model)
        return self._applying[name]

    def _asked_properties(self) -> frozenset[str]:
        """The properties that get an answer: those that apply, and those that were selected by name."""
        if not self.named:
            return frozenset()
        own = {name for name in OWN_QUESTIONS if self._applies(name)}
        others = {
            name
            for name in self.named
            if name not in OWN_QUESTIONS and (self.by_name or name in self.violations or self._applies(name))
        }
        if not own:
            others |= {name for name in _ALWAYS if name in self.named}
        return frozenset(own | others or self.named)

    def _counts(self, name: str) -> bool:
        """Whether a property counts for the verdict about the program."""
        if self.by_name:
            return True
        ends = name in self.violations and self._ends_executions(name)
        is_test = is_asked_as(self.program, "condition")
        beside = is_test and name not in _COUNTS_BESIDE_A_CONDITION and not ends
        return not beside and name not in WARNINGS

    def _violations(self) -> Mapping[str, Witness]:
        """The properties that some execution violates, the most informative first; the condition aside."""
        tally = self.tally
        found: dict[str, Witness] = {}
        if tally.failed_assertion is not None:
            found[property_of(self.program, tally.failed_assertion.message)] = tally.failed_assertion
        if tally.lasso is not None:
            found["claims"] = tally.lasso
        if tally.error is not None:
            found[property_of_error(self.program, tally.error.message)] = tally.error
        if tally.race is not None and defines_races(self.model):
            found["races"] = tally.race
        if tally.allocation is not None:
            found.setdefault(memory.NAME, tally.allocation)
        if tally.misuse is not None:
            found.setdefault(locks.NAME, tally.misuse)
        if tally.deadlock is not None:
            found["deadlock"] = tally.deadlock
        if tally.stuck is not None:
            found["termination"] = tally.stuck
        return {name: witness for name, witness in found.items() if name in self.looked_for}

    def findings(self) -> tuple[Finding, ...]:
        """One for each property that applies, and for each that was selected by name."""
        return tuple(
            self._finding(name) if name in self.asked else Finding(name, Verdict.NOT_CHECKED, NOT_ASKED)
            for name in PROPERTIES
            if name in self.asked or self._applies(name)
        )

    def _finding(self, name: str) -> Finding:
        counts = self._counts(name)
        if name in self.violations:
            witness = self.violations[name]
            return Finding(name, Verdict.VIOLATED, witness.message, witness, is_warning=not counts)
        found = (
            self._condition(name)
            if is_asked_as(self.program, name)
            else self._finding_without_violation(name)
        )
        if not counts and found.verdict is Verdict.UNKNOWN:
            return Finding(name, Verdict.NOT_CHECKED, found.reason)
        return found

    def _condition(self, name: str) -> Finding:
        """The answer to the program's own condition on final states, as a finding about a property."""
        tally, condition = self.tally, self.program.condition
        if condition is None or "condition" not in self.looked_for:
            return self._cannot(name)
        if condition.quantifier is Quantifier.EXISTS:
            if tally.positive_witness is not None:
                return Finding(name, Verdict.HOLDS, witness=tally.positive_witness)
            if (gap := self._gap(name)) is not None:
                return gap
            if (bound := bound_of(tally)) is None:
                return Finding(name, Verdict.VIOLATED)
            reason = f"no such execution was found with {bound}, but there may be some beyond it"
            return Finding(name, Verdict.UNKNOWN, reason)
        forall = condition.quantifier is Quantifier.FORALL
        counterexample = tally.negative_witness if forall else tally.positive_witness
        if counterexample is not None:
            return Finding(name, Verdict.VIOLATED, counterexample.message, counterexample)
        return self._finding_without_violation(name)

    def _finding_without_violation(self, name: str) -> Finding:
        """The finding about a property that no explored execution violates."""
        if name in self.looked_for:
            return self._universal(name)
        return self._cannot(name)

    def _universal(self, name: str) -> Finding:
        gap = self._gap(name)
        if gap is not None:
            return gap
        bound = _both(bound_of(self.tally), *self._parts([name]))
        if not bound:
            return Finding(name, Verdict.HOLDS)
        if name == "deadlock" and (places := self.tally.blocked_when_cut) is not None:
            where = f" at {lines_of(places)}" if places else ""
            reason = f"a thread is blocked{where} in an execution that the loop bound truncated"
            return Finding(name, Verdict.UNKNOWN, reason)
        if name == "termination" and bound_of(self.tally) is not None:
            bound += ": unknown for what was truncated"
        return Finding(name, Verdict.WITHIN, bound)

    def _parts(self, names: Collection[str]) -> list[str]:
        """The parts of these properties that are checked, if not all are."""
        found = (part for name, part in self.program.partly_checked if name in names or not name)
        return list(dict.fromkeys(found))

    def _gap(self, name: str) -> Finding | None:
        """Why a property is UNKNOWN although no explored execution violates it."""
        tally = self.tally
        is_settled = any(name in self.asked and self._counts(name) for name in self.violations)
        if tally.stopped and is_settled:
            return Finding(name, Verdict.NOT_CHECKED, STOPPED)
        if tally.error is not None and has_error_state_of(self.program, name):
            # Of all error states, only the first that is reached is looked for.
            verdict = Verdict.NOT_CHECKED if is_settled else Verdict.UNKNOWN
            return Finding(name, verdict, f"another error state is reached: {tally.error.message}")
        failed = next((other for other in self.violations if self._ends_executions(other)), "")
        if failed and failed not in self.named:
            reason = f"{failed} {UNSELECTED}: {self.violations[failed].message}"
            return Finding(name, Verdict.UNKNOWN, reason)
        gap = gap_of(tally) or self._unexplored()
        if gap is not None:
            return Finding(name, Verdict.UNKNOWN, gap)
        if (failed in UNDEFINED and is_settled) or (failed and is_about_whole_runs(self.program, name)):
            return Finding(name, Verdict.NOT_CHECKED, f"executions end where they violate {failed}")
        return None

    def _unexplored(self) -> str | None:
        """Truncations within the bounds that leave the verdict UNKNOWN."""
        found = sorted(self.program.gaps & self.tally.unexplored.keys())
        return f"not explored: {at_lines(found[0], self.tally.unexplored[found[0]])}" if found else None

    def _ends_executions(self, name: str) -> bool:
        """Whether executions end where they violate a property."""
        flagged = (self.tally.allocation, self.tally.misuse)
        is_end = name in ASSERTED and name != ERRORS  # a run continues from an error state
        return is_end and not any(self.violations[name] is item for item in flagged)

    def _cannot(self, name: str) -> Finding:
        reason = self._incapable
        if name == locks.NAME and not locks.flags_misuse(self.model):
            reason = f"{self.model.name} {locks.SILENT}"
        elif name == "deadlock" and grace_periods.may_never_end(self.program):
            reason = grace_periods.NOT_FOLLOWED
        return Finding(name, Verdict.UNKNOWN, reason)

    @property
    def _incapable(self) -> str:
        return f"the engine {self.tally.engine} cannot check it"

    def outcome(self, run: Run) -> Outcome:
        """The verdict about the program: the worst over all properties that count."""
        if not self.named:
            return Explored(run, complete=gap_of(self.tally) is None)
        counted = {item.property: item for item in run.findings if not item.is_warning}
        condition = self.program.condition
        asked = () if condition is None else (property_of_condition(condition),)
        for name in (*self.violations, *asked):
            found = counted.get(name)
            if found is not None and found.verdict is Verdict.VIOLATED:
                return Violated(run, name, found.witness)
        unknown = [item for item in counted.values() if item.verdict is Verdict.UNKNOWN]
        if unknown:
            return Unknown(run, self._why(unknown))
        within = [
            name for name, item in counted.items() if item.verdict is Verdict.WITHIN and self._counts(name)
        ]
        if within:
            parts = self._parts(within)
            bound = _both(bound_of(self.tally), *parts)
            is_chosen = set(parts) <= set(self.program.chosen_parts) and self._is_bound_given()
            return HoldsWithin(replace(run, guarantee=bound), bound, chosen_by_user=is_chosen)
        if not run.checked:
            return Unknown(run, "none of the selected properties could be checked")
        witness = counted["condition"].witness if "condition" in counted else None
        return Holds(run, witness)

    def _why(self, unknown: list[Finding]) -> str:
        """Why a program has no verdict."""
        beyond = [item.property for item in unknown if item.reason == self._incapable]
        known = [item.reason for item in unknown if item.reason != self._incapable]
        if known:
            return known[0]
        names = [name for name in beyond if name in OWN_QUESTIONS]
        if "claims" in names:
            claims = ", ".join(f"`{claim.name}`" for claim in self.program.claims)
            named = f" ({claims})" if claims else ""
            by_states = f"; --engine {FOR_BUFFERS[0]} can" if self.model.operational is not None else ""
            return f"the engine {self.tally.engine} cannot check LTL{named}{by_states}"
        return f"the engine {self.tally.engine} cannot check {', '.join(beyond)} of this program"

    def _is_bound_given(self) -> bool:
        """Whether the user chose all bounds that truncated the search."""
        tally, options = self.tally, self.task.options
        return (
            not tally.unexplored
            and (tally.loops_cut is None or options.unrolling.chosen_by_user)
            and (tally.buffers_held is None or options.buffers_chosen_by_user)
        )


def _both(*bounds: str | None) -> str:
    return " and ".join(filter(None, bounds))


def _run(task: Task, tally: Tally, findings: tuple[Finding, ...]) -> Run:
    flags = set(tally.flags)
    if tally.race is not None:
        flags.add(RACE_FLAG)
    is_test = is_asked_as(task.program, "condition")
    if tally.deadlock is not None and is_test:
        flags.add(DEADLOCK_FLAG)
    if tally.stuck is not None and task.model.claims.fair and is_test:
        flags.add(WAITING_FLAG)
    return Run(
        model=task.model.name,
        engine=tally.engine,
        algorithm=tally.algorithm,
        guarantee=_guarantee(tally),
        findings=findings,
        outcomes=_sort_states(tally.outcomes),
        lists_outcomes=tally.lists_outcomes,
        positive=tally.positive,
        negative=tally.negative,
        is_limited=tally.limit is not None and not tally.stopped,
        flags=tuple(sorted(flags)),
        executions=tuple(tally.kept),
        notes=(
            *task.model.notes,
            *task.program.notes,
            *_notes_on_values(task),
            *tally.notes,
            *_notes_on_filter(task, tally),
            *_notes_on_labels(task),
            *_notes_on_loops(tally),
            *_notes_on_bound(tally, is_answer=any(name != "none" for name in task.properties)),
        ),
        statistics=tally.statistics,
    )


def _notes_on_values(task: Task) -> tuple[str, ...]:
    """The note that not all out-of-thin-air values are tried, if the model may allow them."""
    if task.model.plan is None or not task.model.claims.may_guess:
        return ()
    from membar.program.value_candidates import THIN_AIR, passes_on_reads  # noqa: PLC0415 - few models may

    return (THIN_AIR,) if passes_on_reads(task.program) else ()


def _looked_for(task: Task, tally: Tally) -> frozenset[str]:
    """The properties that the engine was able to check.

    Where a thread may choose among several ways to go on, of which some block, engines do not follow who
    keeps whom waiting: so without a witness nothing is said about waiting there.
    """
    found = tally.looked_for | ASSERTED if "assertions" in tally.looked_for else tally.looked_for
    for name in ("claims", "assertions", ERRORS):
        # `G p`, or an assertion about a state, is looked for like the states that `--error` names.
        if has_error_state_of(task.program, name) and "errors" not in tally.looked_for:
            found -= {name}
        elif has_error_state_of(task.program, name) and not task.program.claims:
            found |= {name}
    if tally.unit.startswith("states") and tally.deadlock is None and may_hide_deadlocks(task.program):
        found -= {"deadlock"}
    if tally.deadlock is None and grace_periods.may_never_end(task.program):
        found -= {"deadlock"}
    if not locks.flags_misuse(task.model) and locks.relies_on_flags(task.program):
        failed = tally.failed_assertion
        if failed is None or property_of(task.program, failed.message) != locks.NAME:
            found -= {locks.NAME}
    if tally.unrolls and not tally.waiting:
        found |= {"termination"}  # every loop that was not cut has ended
    if (
        tally.awaits
        and task.model.claims.fair
        and (tally.stuck is not None or is_decided(expand(task.program)))
    ):
        found |= {"termination"}
    return found


def _notes_on_filter(task: Task, tally: Tally) -> list[str]:
    """The note that the filter of a condition excludes every execution."""
    condition = task.program.condition
    if condition is None or condition.filter is None or tally.outcomes or not tally.lists_outcomes:
        return []
    return ["the condition's filter excludes every final state that was found"]


def _notes_on_labels(task: Task) -> list[str]:
    """The note about labels whose properties were not selected."""
    asked = {claim.name for claim in task.program.claims}
    return [
        f"`{BEGINNINGS[item.claim.name]}` labels were not checked; --property {item.claim.name} checks them"
        for item in task.program.label_claims
        if item.claim.name not in asked and task.properties
    ]


def _notes_on_loops(tally: Tally) -> list[str]:
    """Notes about loops that were recognised as waiting, and about those that were truncated."""
    notes = []
    if tally.waiting:
        places = lines_of(tally.waiting)
        notes.append(f"waiting recognised at {places}: iterations that only wait are not repeated")
    if tally.cut and tally.loops_cut is not None:
        iterations = "iteration" if tally.loops_cut == 1 else "iterations"
        notes.append(f"truncated after {tally.loops_cut} {iterations}: the loop at {lines_of(tally.cut)}")
    for what, spans in sorted(tally.unexplored.items()):
        notes.append(f"not explored: {at_lines(what, spans)}")
    return notes


def _notes_on_bound(tally: Tally, *, is_answer: bool) -> list[str]:
    """The note that no execution terminated, or some step never happens, so that little was explored."""
    if tally.unfit is not None and not is_answer:
        return [tally.unfit]
    if gap_of(tally) is not None or not has_no_complete_execution(tally):
        return []
    if bound_of(tally) is not None:
        return ["no execution terminates within the bound: only truncated executions were checked"]
    if tally.failed_assertion is not None or tally.deadlock is not None or tally.stuck is not None:
        return []
    if tally.statistics.blocked:
        return ["no execution terminates: only executions that block were checked"]
    return ["no execution terminates: the model allows none"]


def _guarantee(tally: Tally) -> str:
    """What was enumerated."""
    if tally.limit is not None:
        unit, suffix = tally.unit.removesuffix(ANY_LENGTH), ANY_LENGTH * tally.unit.endswith(ANY_LENGTH)
        end = "the interruption (Ctrl-C)" if tally.limit == INTERRUPTED else tally.limit
        return f"only the {unit} found before {end.removesuffix(' was reached').rstrip(',')}{suffix}"
    return bound_of(tally) or f"all {tally.unit}"


def _sort_states(states: Collection[FinalState]) -> tuple[FinalState, ...]:
    """The states, which all show the same, by their values; numbers before addresses."""
    try:
        return tuple(sorted(states))
    except TypeError:  # somewhere one shows a number and another an address
        return tuple(sorted(states, key=_order))


def _order(state: FinalState) -> list[tuple[bool, int | str]]:
    return [(isinstance(value, str), value) for _, value in state]
