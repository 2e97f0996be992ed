"""Races under a model that does not define them: checked under that of the language, rc11 or rc20.

The answer under the model itself does not change; races are an additional finding.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.languages.registry import load_model
from membar.limits.budget import current
from membar.models.model import Model
from membar.program.program import Program
from membar.properties.judge import RACE_FLAG
from membar.questions.answer import RaceRun
from membar.questions.engine_answer import add_findings, default_model
from membar.questions.outcome import HoldsWithin, Outcome, Unknown, Violated, with_notes
from membar.questions.task import Limits, Options, Task, Unrolling
from membar.records import replace

RC11, RC20 = "rc11", "rc20"
GIVEN_UP = "no time was left to check for data races"
_MOST_EXECUTIONS = 1000
_ROUNDS = 2
_LONGEST = 20.0  # seconds: blocked executions do not count as executions


def language_model(program: Program) -> str:
    """The model of the language in which a program is written; that of C if it is not compiled."""
    return RC20 if default_model(program) == RC20 else RC11


def quick_question(program: Program) -> Task:
    """Whether some of a program's executions have a race, for a warning: it may miss one."""
    return Task(
        program=program,
        model=load_model(language_model(program)),
        properties=("races",),
        limits=Limits(executions=_MOST_EXECUTIONS, seconds=_LONGEST),
        options=Options(unrolling=Unrolling(exact=_ROUNDS)),
    )


def flag(outcome: Outcome, found: Outcome | None, path: str) -> Outcome:
    """The outcome, with a flag if a compiled program that was checked as machine code has a data race."""
    if isinstance(found, Unknown) and _is_late(found):
        return with_notes(outcome, GIVEN_UP)
    if not isinstance(found, Violated) or found.property != "races":
        return outcome
    language = "C" if found.run.model == RC11 else "C++ and Rust"
    note = (
        f"plain accesses are treated as machine accesses; in {language} they are a data race, which is"
        f" undefined behaviour: membar check {path} --model {found.run.model}"
    )
    return _with_race_flag(with_notes(outcome, note))


def _is_late(found: Outcome) -> bool:
    """Whether a follow-up question ran out of time."""
    return current().remaining_seconds == 0.0 or found.run.statistics.seconds >= _LONGEST


def _with_race_flag(outcome: Outcome) -> Outcome:
    flags = tuple(sorted({*outcome.run.flags, RACE_FLAG}))
    return replace(outcome, run=replace(outcome.run, flags=flags))


def whole_question(task: Task) -> Task:
    """Whether any execution of a program has a race, as far as the loop bounds of a task go."""
    given = task.options
    return replace(
        task,
        model=load_model(language_model(task.program)),
        properties=("races",),
        options=Options(unrolling=given.unrolling, jobs=given.jobs, progress=given.progress),
    )


def explain(races: Outcome, model: Model, ignored: Sequence[str]) -> Outcome:
    """The answer of the language's model as one about a model that defines no races, without executions.

    Args:
        races: what the model of the language says.
        model: the model of the question.
        ignored: options of the question that this search does not look at.
    """
    run = races.run
    why = f"by the definition of {run.model} (engine {run.engine}), as {model.name} defines no races"
    findings = tuple(
        replace(item, reason=f"{item.reason}; {why}" if item.reason else why)
        for item in run.findings
        if item.property == "races"
    )
    note = f"races are those {why}"
    if ignored:
        names = " and ".join(filter(None, [", ".join(ignored[:-1]), ignored[-1]]))
        note += f"; {names} {'has' if len(ignored) == 1 else 'have'} no effect on that"
    run = replace(
        run,
        model=model.name,
        findings=findings,
        outcomes=(),
        lists_outcomes=False,
        executions=(),
        positive=0,
        negative=0,
        notes=(*run.notes, note),
    )
    return replace(races, run=run)


def combine(outcome: Outcome, races: Outcome) -> Outcome:
    """The answer under the model of the question, with the finding about races."""
    notes = [note for note in races.run.notes if note not in outcome.run.notes]
    both = add_findings(with_notes(outcome, *notes), races.run.findings)
    if isinstance(races, Violated):
        both = _with_race_flag(both)
        # As where the model defines races: a race is shown rather than a final state.
        is_graver = not isinstance(both, Violated) or both.property == "condition"
        return Violated(both.run, "races", races.witness) if is_graver else both
    if isinstance(both, Violated | Unknown):
        return both
    guarantee = both.run.guarantee
    if races.run.guarantee != guarantee:
        guarantee = f"{guarantee}; about races: {races.run.guarantee}"
    run = replace(both.run, guarantee=guarantee)
    match both, races:
        case _, Unknown(reason=reason):
            return Unknown(run, reason)
        case HoldsWithin(bound=bound, chosen_by_user=chosen), HoldsWithin() as other:
            bound = bound if bound == other.bound else f"{bound} and {other.bound}"
            return HoldsWithin(run, bound, chosen_by_user=chosen and other.chosen_by_user)
        case _, HoldsWithin(bound=bound, chosen_by_user=chosen):
            return HoldsWithin(run, bound, chosen_by_user=chosen)
        case _:
            return replace(both, run=run)


def shown_race(outcome: Outcome, program: Program, model: Model) -> RaceRun | None:
    """The execution that shows a violation of `races`, with the final state that the program observes."""
    if not isinstance(outcome, Violated) or outcome.property != "races" or outcome.witness is None:
        return None
    from membar.engines.reference.witness_replay import rebuilt, rerun  # noqa: PLC0415 - most answers have no witness

    witness = rebuilt(program, rerun(program, outcome.witness), outcome.witness)
    return RaceRun(program=program, model=model, witness=replace(outcome.witness, final=witness.final))
