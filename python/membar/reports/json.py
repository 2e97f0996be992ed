"""One line of JSON per file and model, and the witness in it: enough to replay it on another machine.

`answer_keys.py` declares the keys.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from msgspec import UNSET, UnsetType, to_builtins

from membar.diagnostics import Diagnostic, InputError
from membar.models.model import Model
from membar.objects.orders import Ordering
from membar.program.execution import Event, Execution
from membar.program.printer import print_program
from membar.program.program import Program
from membar.properties import races
from membar.questions.answer import (
    Answer,
    ClientRun,
    Comparison,
    Invariant,
    Obligations,
    RaceRun,
    Reading,
    Refutation,
    TestAnswers,
)
from membar.questions.outcome import Finding, HoldsWithin, Outcome, Run, Unknown, Verdict, Violated, Witness
from membar.records import field_names
from membar.reports import Report, diagnostic
from membar.reports import answer_keys as form
from membar.reports._parts.condition import sorted_states
from membar.reports._parts.drawn import drawing_part
from membar.reports._parts.event import cell_name, line_number, meaning_of
from membar.reports._parts.relations import reduction
from membar.reports._parts.violation_place import racing_events
from membar.source import CompilerOptions, SourceFile, pattern
from membar.systems.run import ProcessRun, ProcessStep

if TYPE_CHECKING:
    from membar.objects.proof.findings import Failure
    from membar.questions.svcomp_tasks import TaskProperty

T = TypeVar("T")
_SUGGESTION = pattern(r"did you mean `(?P<name>[^`]+)`\?")


def render(answer: Answer) -> str:
    """The answer as one line; a comparison or a campaign, one for each of its answers."""
    match answer.evidence:
        case Comparison(columns=columns):
            return "".join(map(render, columns))
        case TestAnswers(tests=tests):
            return "".join(one.json for one in tests)
        case _:
            return text(drawn_line(answer))


def text(value: object) -> str:
    """A value of records and JSON objects as one line.

    Names of files may contain bytes that are not UTF-8; the standard library writes them, msgspec does not.
    """
    return json.dumps(to_builtins(value), ensure_ascii=False) + "\n"


def with_fields(kind: type[T], record: object, **others: object) -> T:
    """A JSON object that takes its values from the fields of a record with the same names."""
    own = (name for name in field_names(record) if name in kind.__annotations__ and name not in others)
    return kind(**{name: or_unset(getattr(record, name)) for name in own}, **others)


def or_unset(value: T | None) -> T | UnsetType:
    """A value whose key is absent where there is none."""
    return UNSET if value is None else value


def drawn_line(answer: Answer) -> form.AnswerLine:
    """The answer with its witness as it is drawn."""
    found = line(answer)
    match answer.evidence:
        case Witness() as witness:
            found.drawing = drawing_part(answer.source, answer.program, answer.model, witness)
        case (RaceRun() | ClientRun()) as run if run.witness is not None:
            found.drawing = drawing_part(answer.source, run.program, run.model, run.witness)
        case _:
            pass
    if found.drawing is not UNSET and answer.witness is not None:
        found.drawing.racing = racing_events(answer, answer.witness)
        options = answer.question.options
        if answer.witness.steps and options.buffers is not None and not options.unbounded_buffers:
            found.drawing.capacity = options.buffers
    return found


def error_line(file: str, problem: InputError) -> form.ErrorLine:
    """What is said instead of an answer where the input is wrong."""
    return form.ErrorLine(
        file=file, errors=tuple(map(_error, problem.diagnostics)), text=diagnostic.render_error(problem)
    )


def _error(item: Diagnostic) -> form.ErrorPart:
    found = form.ErrorPart(code=item.code, message=item.message, help=or_unset(item.help))
    if item.primary is not None:
        span = item.primary.span
        found.file, found.line, found.column = span.path, span.line, span.column
        found.span, found.expected = (span.start, span.end), item.primary.text or UNSET
        suggested = _SUGGESTION.fullmatch(item.help or "")
        if suggested is not None:
            found.replacement = suggested["name"]
    return found


def line(answer: Answer) -> form.AnswerLine:
    """The answer with the keys that tools rely on; absent where they make no sense."""
    outcome, run = answer.outcome, answer.outcome.run
    found = form.AnswerLine(
        file=answer.source.path,
        verdict=UNSET if answer.verdict == "explored" else answer.verdict,  # type: ignore[arg-type]  # a word
        guarantee=run.guarantee,
        model=run.model,
        engine=run.engine,
        algorithm=run.algorithm,
        property=outcome.property if isinstance(outcome, Violated) else ",".join(_answered_properties(run)),
        findings=tuple(_finding(item, answer) for item in run.findings),
        unchecked=run.unchecked,
        flags=run.flags,
        notes=run.notes,
        statistics=with_fields(form.Counters, run.statistics),
    )
    if answer.question.task is not None:
        found.task = _task_part(answer.question.task, outcome)
    match outcome:
        case Unknown(reason=reason):
            found.reason = reason
        case HoldsWithin(bound=bound, chosen_by_user=chosen):
            found.bound, found.chosen_by_user = bound, chosen
        case _:
            pass
    if answer.order is not None:
        found.order = answer.order
    elif isinstance(answer.subject, Program):
        _add_final_states(found, run, has_condition=answer.program.condition is not None)
    _add_evidence(found, answer)
    return found


def _task_part(task: TaskProperty, outcome: Outcome) -> form.TaskPart:
    contradicts = task.contradicts(outcome)
    return form.TaskPart(
        description=task.description,
        property_file=task.property_file,
        expected=task.expected or UNSET,  # type: ignore[arg-type]  # a word
        subproperty=task.subproperty or UNSET,
        as_expected=UNSET if contradicts is None else not contradicts,
    )


def _finding(item: Finding, answer: Answer) -> form.FindingPart:
    """The answer about one property, with its own witness if that is not the one of the whole answer."""
    found = form.FindingPart(
        property=item.property,
        verdict=item.verdict,
        reason=item.reason,
        warning=item.is_warning,
        claim=item.claim or UNSET,
    )
    # A race may be one of another model, and then its execution is not one of the model that is asked about.
    is_own = isinstance(answer.evidence, Witness) and item.witness is not answer.evidence
    is_own = is_own and item.property != races.PROPERTY.name
    if item.witness is not None and is_own and item.verdict is Verdict.VIOLATED:
        found.witness = witness_part(
            answer.source, answer.program, answer.model, item.witness, reading=answer.reading
        )
    return found


def _answered_properties(run: Run) -> tuple[str, ...]:
    """The properties that were checked; if there is no answer at all, those that were asked."""
    return run.checked or tuple(item.property for item in run.findings if item.verdict is Verdict.UNKNOWN)


def _add_final_states(found: form.AnswerLine, run: Run, *, has_condition: bool) -> None:
    """What a program can do."""
    if has_condition and run.positive + run.negative:
        found.positive, found.negative = run.positive, run.negative
        if run.statistics.classes is not None:
            found.counted = "reads-from classes"
    found.outcomes = tuple(dict(item) for item in sorted_states(run.outcomes))
    if run.executions:
        found.executions = tuple(
            form.ListedExecution(end=item.message or "complete", state=dict(item.final))
            for item in run.executions
        )


def _add_evidence(found: form.AnswerLine, answer: Answer) -> None:
    match answer.evidence:
        case Witness() as witness:
            found.witness = witness_part(
                answer.source, answer.program, answer.model, witness, reading=answer.reading
            )
        case RaceRun(program=program, model=model, witness=witness):
            found.witness = witness_part(answer.source, program, model, witness, reading=answer.reading)
        case ClientRun() as run:
            if run.refutation is not None:
                found.history = history_part(run.refutation, answer.order)
            if run.witness is not None:
                name = f"{PurePath(answer.source.path).stem}.client.mbp"
                client = SourceFile(name, print_program(run.program))
                found.witness = witness_part(client, run.program, run.model, run.witness)
        case Obligations(failure=failure, inferred=inferred) as obligations:
            found.discharged = tuple(
                form.DischargedPart(number=number, count=count) for number, count in obligations.discharged
            )
            if failure is not None:
                found.obligation = _obligation(failure, obligations)
            found.invariants = inferred or UNSET
        case ProcessRun() as run:
            found.witness = process_run_part(answer.source, answer.model.name, run)
        case Invariant() | Comparison() | TestAnswers() | None:
            pass


def witness_part(
    source: SourceFile, program: Program, model: Model, witness: Witness, *, reading: Reading | None = None
) -> form.WitnessPart:
    """A witness with everything needed to run it again: text, model, events, relations, choices, steps."""
    execution, reading = witness.execution, reading or Reading()
    return with_fields(
        form.WitnessPart,
        reading,
        version=1,
        file=source.path,
        source=source.text,
        defines=source.defines,
        include_dirs=source.include_dirs,
        replaced=dict(source.replaced),
        arguments=or_unset(source.arguments),
        compiler=_compiler(source.compiler),
        program=program.name,
        model=model.name,
        model_file=UNSET if model.source is None else model.source.path,
        model_source=UNSET if model.source is None else model.source.text,
        cycle=or_unset(witness.cycle),
        fair=UNSET if witness.cycle is None else witness.fair,
        message=witness.message,
        threads=tuple(thread.name for thread in program.threads),
        events=tuple(_event(program, source, event) for event in execution.events),
        relations=_relations(execution),
        registers=tuple(dict(registers) for registers in execution.registers),
        choices=witness.choices,
        steps=tuple(with_fields(form.StepPart, step) for step in witness.steps),
        final=witness.final,
    )


def _compiler(options: CompilerOptions | None) -> form.CompilerPart | UnsetType:
    """How a text was compiled, if the user said anything about that."""
    if options is None:
        return UNSET
    found = with_fields(form.CompilerPart, options)
    return UNSET if found == form.CompilerPart() else found


def _event(program: Program, source: SourceFile, event: Event) -> form.EventPart:
    found = form.EventPart(
        id=event.id, thread=event.thread, kind=event.kind, tags=tuple(sorted(event.tags)), step=event.step
    )
    if event.cell is not None:
        found.cell, found.location, found.value = event.cell, cell_name(program, event), event.value
        found.pointer = or_unset(program.name_of_address(event.value))
        found.meaning = or_unset(meaning_of(program, event))
    if event.span is not None and event.span.source.text == source.text:
        found.line, found.span = or_unset(line_number(event)), (event.span.start, event.span.end)
    return found


def _relations(execution: Execution) -> form.Relations:
    """The base relations, sorted; `po` without the pairs that follow from others."""
    names = form.Relations.__struct_fields__
    others = {
        name: tuple(sorted(getattr(execution, name))) for name in names if name not in ("po", "rf", "co")
    }
    return form.Relations(po=reduction(execution.po), rf=execution.rf, co=execution.co, **others)


def process_run_part(source: SourceFile, model: str, run: ProcessRun) -> form.ProcessRunPart:
    """A run of a system with everything needed to run it again."""
    about = {"version": 1, "file": source.path, "source": source.text, "model": model}
    return with_fields(form.ProcessRunPart, run, **about, steps=tuple(map(_process_step, run.steps)))


def _process_step(step: ProcessStep) -> form.ProcessStepPart:
    if step.transition is not None:
        return with_fields(form.ProcessStepPart, step)
    return form.ProcessStepPart(
        processes=step.processes, flush=True, memory=step.memory, buffers=step.buffers
    )


def history_part(refutation: Refutation, ordering: Ordering | None) -> form.HistoryPart:
    """The calls that were made, and their order."""
    from membar.reports.histories import bars, explanation  # noqa: PLC0415 - one kind of evidence

    history = refutation.history
    explained = {step.call for step in refutation.verdict.steps}
    numbers = {call: at for at, call in enumerate(n for n, item in enumerate(history.calls) if item.made)}
    return form.HistoryPart(
        calls=tuple(
            with_fields(form.Call, call, result=UNSET if call.pending else call.result)
            for call in history.calls
            if call.made
        ),
        before=tuple(
            (numbers[a], numbers[b]) for a, b in sorted(history.before) if a in numbers and b in numbers
        ),
        prefix=tuple(numbers[step.call] for step in refutation.verdict.steps),
        bars=tuple(
            form.BarPart(
                thread=history.calls[bar.call].thread,
                text=history.calls[bar.call].text,
                first=bar.first,
                last=bar.last,
                pending=bar.open,
                explained=bar.call in explained,
            )
            for bar in bars(history)
        ),
        explanation=() if ordering is None else tuple(explanation(refutation, ordering)),
    )


def _obligation(failure: Failure, evidence: Obligations) -> form.ObligationPart:
    from membar.reports.obligations import shown_values  # noqa: PLC0415 - one kind of evidence

    obligation = failure.obligation
    return form.ObligationPart(
        number=obligation.number,
        step=obligation.text,
        problem=UNSET if failure.goal is None else failure.goal.text,
        thread=evidence.thread or UNSET,
        other=evidence.other or UNSET,
        before={
            ("other." if is_other else "") + name: n for is_other, name, n in shown_values(failure.before)
        },
        after={name: n for _, name, n in shown_values(failure.after)},
    )


REPORT = Report(name="json", title="one JSON object per line", suffix=".json", render=render)
