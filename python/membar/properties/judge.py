"""The one place where what an engine found becomes a verdict.

What may be said (DESIGN §6 and §8):

    a property is broken in some execution     VIOLATED, with that execution, whatever was not looked at
    `exists`, and an execution shows it        HOLDS, with that execution, whatever was not looked at; but
                                               if there are assertions too, as in the next two lines
    otherwise, a limit was hit                 UNKNOWN
    otherwise, a step fits into no buffer      UNKNOWN
    otherwise, a bound cut something           HOLDS WITHIN; but UNKNOWN for `exists`
    otherwise                                  HOLDS; but VIOLATED, without a witness, for `exists`

A loop that was cut is no waiting loop: whether it ends is then not checked, unless some other loop is found
to wait for ever.

A race breaks a property only under a model that gives racy programs no meaning; everywhere else it is a flag.
In a program with a condition of its own a race, a deadlock or a loop that waits for ever is a flag too,
unless that property was asked for by name.
"""

from __future__ import annotations

from collections.abc import Collection

from membar.outcome import (
    Explored,
    FinalState,
    Holds,
    HoldsWithin,
    Outcome,
    Run,
    Statistics,
    Unknown,
    Violated,
    Witness,
)
from membar.program.condition import Quantifier
from membar.program.operations import WARNING, Lock
from membar.properties import PROPERTIES
from membar.properties.deadlock import is_deadlock_waiting, spins_at_locks, waits_for_locks
from membar.properties.memory import NAME as MEMORY
from membar.properties.memory import property_of
from membar.properties.property import has_operation, has_waiting_assumption, has_waiting_guard
from membar.records import field, record
from membar.source import Span
from membar.task import Task

RACE_FLAG = "data-race"
DEADLOCK_FLAG = "deadlock"
# What the text itself asks: where it asks, an answer to other questions alone is none.
_OWN_QUESTIONS = ("condition", "errors", "claims")
WAITING_FLAG = "waits-for-ever"


@record(slots=True, kw_only=True)
class Tally:
    """What an engine found: plain data that any engine can fill.

    Attributes:
        engine: its name.
        algorithm: what it did, in a few words.
        looked_for: the properties it is able to check, for this program.
        unit: what was enumerated: "executions" or "states".
        outcomes: final states of the complete executions that pass the condition's filter.
        positive: how many of those executions satisfy the condition's formula.
        negative: how many do not.
        positive_witness: the first that does.
        negative_witness: the first that does not.
        failed_assertion: an execution in which an assertion fails.
        race: an execution with a data race.
        error: a run into a state that must not be reached.
        lasso: a run for which one of the program's claims is false.
        deadlock: a run into a deadlock.
        stuck: an execution in which a thread waits for ever.
        awaits: whether turns of loops that only look ended the run of their thread.
        waiting: where threads that wait look first.
        cut: where loops end that were cut.
        unfollowed: where something is not followed at all that the front end did not write out.
        flags: flags the model raised.
        loops_cut: the loop bound, if it cut some run.
        buffers_held: the store-buffer bound, if it ever held a store back.
        unfit: that some step never happens because its stores fit into no buffer, as a sentence.
        limit: the limit that was hit, as a sentence.
        kept: every complete execution, where all were asked for.
        notes: what else the user must know.
        statistics: counters.
    """

    engine: str
    algorithm: str
    looked_for: frozenset[str]
    unit: str = "executions"
    outcomes: set[FinalState] = field(default_factory=set)
    positive: int = 0
    negative: int = 0
    positive_witness: Witness | None = None
    negative_witness: Witness | None = None
    failed_assertion: Witness | None = None
    race: Witness | None = None
    error: Witness | None = None
    lasso: Witness | None = None
    deadlock: Witness | None = None
    stuck: Witness | None = None
    awaits: bool = False
    waiting: set[Span] = field(default_factory=set)
    cut: set[Span] = field(default_factory=set)
    unfollowed: set[Span] = field(default_factory=set)
    flags: set[str] = field(default_factory=set)
    loops_cut: int | None = None
    buffers_held: int | None = None
    unfit: str | None = None
    limit: str | None = None
    kept: list[Witness] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    statistics: Statistics = field(default_factory=Statistics)


def judge(task: Task, tally: Tally) -> Outcome:
    """The outcome of `task`, given what an engine found."""
    named = [name for name in task.properties if name != "none"]
    own = [name for name in _OWN_QUESTIONS if named and PROPERTIES[name].applies(task.program, task.model)]
    run = _run(task, tally, [*own, *(name for name in named if name not in _OWN_QUESTIONS)])
    if not named:
        return Explored(run, complete=_gap(tally) is None)
    if not run.checked:
        return Unknown(run, f"the engine {tally.engine} cannot check {', '.join(named)} of this program")
    broken = _broken(task, tally, run.checked)
    if broken is not None:
        return Violated(run, *broken)
    for name in own:
        if name not in run.checked:
            return Unknown(run, f"the engine {tally.engine} cannot answer {_named(task, name)} this way")
    return _universal(task, tally, run) if task.program.condition is None else _answer(task, tally, run)


def _named(task: Task, name: str) -> str:
    """One of the program's own questions, in words."""
    names = ", ".join(f"`{claim.name}`" for claim in task.program.claims) if name == "claims" else ""
    return f"the program's {name}{names and ' '}{names}"


def is_settled(task: Task, tally: Tally) -> bool:
    """Whether looking further (a larger bound) cannot change the verdict."""
    if tally.limit is not None or _bound(tally) is None:
        return True
    outcome = judge(task, tally)
    return isinstance(outcome, Holds | Violated) and outcome.witness is not None


def _broken(task: Task, tally: Tally, checked: tuple[str, ...]) -> tuple[str, Witness] | None:
    """The property that some execution breaks, with that execution; the condition aside."""
    has_condition = task.program.condition is not None
    if tally.failed_assertion is not None:
        name = property_of(task.program, tally.failed_assertion.message)
        if name in checked or name == WARNING:  # who asks for warnings looks at what is told
            return name, tally.failed_assertion
    if "errors" in checked and tally.error is not None:
        return "errors", tally.error
    if "claims" in checked and tally.lasso is not None:
        return "claims", tally.lasso
    is_racy = (
        tally.race is not None and task.model.language_model and (not has_condition or _is_by_name(task))
    )
    if "races" in checked and tally.race is not None and is_racy:
        return "races", tally.race
    if "deadlock" in checked and tally.deadlock is not None:
        return "deadlock", tally.deadlock
    if tally.stuck is not None and "deadlock" in checked and waits_for_locks(tally.stuck.execution):
        return "deadlock", tally.stuck
    if "termination" in checked and tally.stuck is not None:
        return "termination", tally.stuck
    return None


def _is_only_flagged(task: Task, tally: Tally, name: str) -> bool:
    """Whether a broken property is only a flag beside a condition: it was not asked for by name."""
    found = {"deadlock": tally.deadlock, "termination": tally.stuck}.get(name)
    return found is not None and task.program.condition is not None and not _is_by_name(task)


def _is_by_name(task: Task) -> bool:
    """Whether the user named the properties, rather than asking for all that apply."""
    return set(task.properties) != set(PROPERTIES)


def _answer(task: Task, tally: Tally, run: Run) -> Outcome:
    """The verdict about the program's own condition."""
    condition = task.program.condition
    if condition is None:
        raise AssertionError("only a program with a condition is asked about it")
    if condition.quantifier is Quantifier.EXISTS:
        return _existential(task, tally, run)
    forall = condition.quantifier is Quantifier.FORALL
    counterexample = tally.negative_witness if forall else tally.positive_witness
    if counterexample is not None:
        return Violated(run, "condition", counterexample)
    return _universal(task, tally, run)


def _existential(task: Task, tally: Tally, run: Run) -> Outcome:
    if tally.positive_witness is not None:
        # The witness settles the condition, not the assertions in what was not looked at.
        is_all = _gap(tally) is None and _bound(tally) is None
        if is_all or "assertions" not in run.checked:
            return Holds(run, tally.positive_witness)
        return _universal(task, tally, run)
    gap = _gap(tally)
    if gap is not None:
        return Unknown(run, gap)
    bound = _bound(tally)
    if bound is not None:
        return Unknown(run, f"no such execution was found with {bound}, but there are executions beyond that")
    return Violated(run, "condition")


def _universal(task: Task, tally: Tally, run: Run) -> Outcome:
    """The verdict where nothing that was looked at is bad."""
    gap = _gap(tally)
    if gap is not None:
        return Unknown(run, gap)
    astray = tally.failed_assertion
    if astray is not None and property_of(task.program, astray.message) == MEMORY:
        # Nobody asked about it, but what such an execution does afterwards is not known.
        return Unknown(run, f"memory was not checked, and goes wrong: {astray.message}")
    bound = _bound(tally)
    if bound is None:
        return Holds(run)
    options = task.options
    chosen = (tally.loops_cut is None or options.unrolling.chosen_by_user) and (
        tally.buffers_held is None or options.buffers_chosen_by_user
    )
    return HoldsWithin(run, bound, chosen_by_user=chosen)


def _gap(tally: Tally) -> str | None:
    """Why what was looked at is not even all that there is within the bounds; or that they are too narrow.

    A bound that keeps a step from ever happening leaves out runs without any waiting store: what is left may
    be next to nothing, and every claim about fair runs is then true of it.
    """
    return tally.limit or tally.unfit


def _bound(tally: Tally) -> str | None:
    """The bounds that cut something, in words; None if nothing was cut."""
    parts = []
    if tally.loops_cut is not None:
        if tally.cut or not tally.unfollowed:
            parts.append(f"loops unrolled {_times(tally.loops_cut)}")
        if tally.unfollowed:
            parts.append("not all cases followed")
    if tally.buffers_held is not None:
        entries = "entry" if tally.buffers_held == 1 else "entries"
        parts.append(f"store buffers of at most {tally.buffers_held} {entries}")
    return " and ".join(parts) or None


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _run(task: Task, tally: Tally, asked: list[str]) -> Run:
    looked_for = _looked_for(task, tally)
    possible = [name for name in asked if name in looked_for]
    named = {"deadlock"} & set(asked) if _is_by_name(task) else set()
    applicable = [
        name for name in PROPERTIES if name in named or PROPERTIES[name].applies(task.program, task.model)
    ]
    # Where nothing that was asked applies, all of it holds trivially; then it is named all the same.
    checked = [name for name in possible if name in applicable] or possible
    checked = [name for name in checked if not _is_only_flagged(task, tally, name)]
    flags = set(tally.flags)
    if tally.race is not None:
        flags.add(RACE_FLAG)
    if tally.deadlock is not None and task.program.condition is not None:
        flags.add(DEADLOCK_FLAG)
    if tally.stuck is not None and task.model.fair and task.program.condition is not None:
        flags.add(WAITING_FLAG)
    return Run(
        model=task.model.name,
        engine=tally.engine,
        algorithm=tally.algorithm,
        guarantee=_guarantee(tally),
        checked=tuple(checked),
        unchecked=tuple(name for name in applicable if name not in checked),
        outcomes=_sorted(tally.outcomes),
        positive=tally.positive,
        negative=tally.negative,
        flags=tuple(sorted(flags)),
        executions=tuple(tally.kept),
        notes=(
            *task.model.notes,
            *tally.notes,
            *_notes_on_labels(task),
            *_notes_on_loops(tally),
            *_notes_on_bound(tally, is_answer=bool(asked)),
        ),
        statistics=tally.statistics,
    )


def _looked_for(task: Task, tally: Tally) -> frozenset[str]:
    """What the engine was able to check.

    A deadlock of threads that look at locks in loops shows only where it is known that they wait. Loops that
    were cut may or may not end; and who waits at a lock keeps others waiting, which engines do not
    follow: so without a witness nothing is said about waiting there.
    """
    found = tally.looked_for | {"memory"} if "assertions" in tally.looked_for else tally.looked_for
    if "deadlock" in found and spins_at_locks(task.program):
        found -= {"deadlock"}
    waits_otherwise = (
        has_operation(task.program, Lock)
        or has_waiting_assumption(task.program)
        or has_waiting_guard(task.program)
    )
    is_whole = tally.stuck is not None or (tally.loops_cut is None and not waits_otherwise)
    if tally.awaits and task.model.fair and is_whole:
        found |= {"termination"}
        # Who waits for a thread that ends is not in a deadlock; so only loops are left to wait in.
        if is_deadlock_waiting(task.program):
            found |= {"deadlock"}
    return found


def _notes_on_labels(task: Task) -> list[str]:
    """Which labels mean something that nobody asked about."""
    asked = {claim.name for claim in task.program.claims}
    return [
        f"labels that say something are not checked ({', '.join(item.labels)}): --property {item.claim.name}"
        for item in task.program.label_claims
        if item.claim.name not in asked and task.properties
    ]


def _notes_on_loops(tally: Tally) -> list[str]:
    """Which loops were taken for waiting ones, and which were cut."""
    notes = []
    if tally.waiting:
        places = _lines(tally.waiting)
        notes.append(f"waiting recognised at {places}: turns that only look are not repeated")
    if tally.cut and tally.loops_cut is not None:
        turns = "turn" if tally.loops_cut == 1 else "turns"
        notes.append(f"cut after {tally.loops_cut} {turns}: what repeats at {_lines(tally.cut)}")
    if tally.unfollowed:
        notes.append(
            f"not followed: other cases than those that were written out at {_lines(tally.unfollowed)}"
        )
    return notes


def _lines(spans: set[Span]) -> str:
    lines = sorted({span.line for span in spans})
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


def _notes_on_bound(tally: Tally, *, is_answer: bool) -> list[str]:
    """That nothing ended, or some step never happens, which makes what holds hold of next to nothing."""
    if tally.unfit is not None and not is_answer:
        return [tally.unfit]
    is_empty = 0 in (tally.statistics.executions, tally.statistics.classes)
    if tally.limit is not None or _bound(tally) is None or not is_empty:
        return []
    return ["no execution ended within the bound: only what they do until they are cut was checked"]


def _guarantee(tally: Tally) -> str:
    """What was enumerated."""
    if tally.limit is not None:
        return f"only the {tally.unit} found before {tally.limit.removesuffix(' was reached')}"
    return _bound(tally) or f"all {tally.unit}"


def _sorted(states: Collection[FinalState]) -> tuple[FinalState, ...]:
    """The states, which all show the same, by their values; numbers before addresses."""
    try:
        return tuple(sorted(states))
    except TypeError:  # somewhere one shows a number and another an address
        return tuple(sorted(states, key=_order))


def _order(state: FinalState) -> list[tuple[bool, int | str]]:
    return [(isinstance(value, str), value) for _, value in state]
