"""Saved answers and witnesses, read back from JSON with errors that point into the file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import TypeVar

from msgspec import UNSET, UnsetType, to_builtins

from membar.diagnostics import refusal
from membar.models.model import Model
from membar.program.execution import INIT_THREAD, Event, Execution
from membar.program.program import Program
from membar.properties import EVERY
from membar.questions.answer import Reading
from membar.questions.outcome import Step, Verdict, Witness
from membar.records import record, replace
from membar.reports import answer_keys as form
from membar.reports import json as writer
from membar.reports._parts.document import Document, documents
from membar.reports._parts.relations import closure
from membar.source import CompilerOptions, SourceFile
from membar.systems.run import ProcessRun, ProcessStep

T = TypeVar("T")
_SHORT = 60  # characters of a value in a message
_WITNESSES = ("membar-witness", "membar-run")
# A union is a type for msgspec, not for mypy.
_ANY_WITNESS: type[form.WitnessPart | form.ProcessRunPart] = form.WitnessPart | form.ProcessRunPart  # type: ignore[assignment]


@record(frozen=True, slots=True, kw_only=True)
class Claim:
    """What an answer says of its witness, or instead of one.

    Attributes:
        file: the file that was asked about.
        verdict: one of the outcome words; `explored` where nothing was asked.
        property: the violated property, or those that hold.
        model: under which model.
        outcomes: the final states found, if the answer lists them.
        findings: the verdict of each property.
        unchecked: the properties without an answer.
        counts: how many executions satisfy the condition, and how many do not, if the answer says so.
        about: the claim that the witness is about, if it is that of one finding.
    """

    file: str
    verdict: str
    property: str
    model: str
    outcomes: frozenset[frozenset[tuple[str, int | str]]] | None
    findings: tuple[form.FindingPart, ...]
    unchecked: tuple[str, ...]
    counts: tuple[int, int] | None
    about: str = ""

    def inconsistency(self) -> str | None:
        """Where the findings contradict the rest of the answer, in words; None if they do not."""
        violated = [item.property for item in self.findings if item.verdict is Verdict.VIOLATED]
        counted = [item for item in self.findings if not item.warning]
        if self.verdict == "violated":
            verdicts = {item.property: item.verdict.value for item in counted}
            if verdicts.get(self.property) != "violated":
                found = verdicts.get(self.property, "missing")
                return f"findings: {self.property} is {found}, but the answer says violated"
        else:
            wrong = next((item.property for item in counted if item.property in violated), None)
            if wrong is not None:
                return f"findings: {wrong} is violated, but the answer says {self.verdict}"
            answered = [item.property for item in counted if item.verdict.is_answer]
            answered = answered or [i.property for i in self.findings if i.verdict is Verdict.UNKNOWN]
            if self.property != ",".join(answered):
                return f"property: it is `{self.property}`, but the findings say `{','.join(answered)}`"
        unchecked = tuple(item.property for item in self.findings if not item.verdict.is_answer)
        if self.unchecked != unchecked:
            return f"unchecked: the findings say {', '.join(unchecked) or 'nothing'}"
        return None


@record(frozen=True, slots=True, kw_only=True)
class SavedWitness:
    """A witness read back from a file.

    Attributes:
        document: the file, for errors about the witness.
        recorded: the witness as it stands there.
        source: the program's text, with the name it had.
        model_source: the model's own text as it was, if it was saved.
        reading: how the text was read.
        witness: the execution.
        claim: what the answer around it says; None for a witness alone.
    """

    document: Document
    recorded: form.WitnessPart
    source: SourceFile
    model_source: SourceFile | None
    reading: Reading
    witness: Witness
    claim: Claim | None

    def difference(self, program: Program, model: Model, again: Witness) -> str | None:
        """Which field is not what running the witness again gives, in words; None if all are.

        What is expected comes from the writer itself, so that no field that it learns to write is forgotten.
        """
        expected = writer.witness_part(self.source, program, model, again, reading=self.reading)
        # These were compared when the model was loaded.
        expected.model_file, expected.model_source = self.recorded.model_file, self.recorded.model_source
        for event, known in zip(self.recorded.events, expected.events, strict=False):
            # The steps of a client have their places in the object's text, not in its own.
            if event.line is UNSET and event.span is UNSET:
                known.line = known.span = UNSET
        return _difference(to_builtins(self.recorded), to_builtins(expected), self.document.at)


@record(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """A run of a parameterized system read back from a file, with the text and the model it is about."""

    document: Document
    recorded: form.ProcessRunPart
    source: SourceFile
    run: ProcessRun
    claim: Claim | None

    def difference(self) -> str | None:
        """Which field is not one that the run has, in words; None if all are."""
        expected = writer.process_run_part(self.source, self.recorded.model, self.run)
        return _difference(to_builtins(self.recorded), to_builtins(expected), self.document.at)


def read_answers(
    text: str, *, path: str = "witness", project: Path | None = None
) -> tuple[SavedWitness | SavedRun | Claim, ...]:
    """The answers in a text, as `--json` printed them (one or more lines), or witnesses alone.

    An answer that has no witness is only a claim. Whatever files witnesses name, messages show only text of
    those in `project`.

    Raises:
        InputError: it is not JSON, or an answer or a witness makes no sense; with the document.
    """
    folders = () if project is None else (str(project),)
    found: list[SavedWitness | SavedRun | Claim] = []
    for document in documents(SourceFile(path, text, project=folders)):
        if not isinstance(document.value, dict):
            document.fail("", "an object with a `witness`")
        if document.value.get("format") in _WITNESSES:
            found.append(_read_witness(document, document.read_as(_ANY_WITNESS), None))
            continue
        line = document.read_as(form.AnswerLine)
        claim = _claim(document, line)
        found.append(_read_answer(document, line, claim))
        found += _read_findings(document, line, claim)
    return tuple(found)


def _read_findings(
    document: Document, line: form.AnswerLine, claim: Claim
) -> Iterator[SavedWitness | SavedRun]:
    """The witnesses of single findings, each as if it were that of an answer about nothing else."""
    for number, item in enumerate(line.findings):
        if not isinstance(item.witness, UnsetType):
            alone = replace(
                claim,
                verdict=item.verdict.value,
                property=item.property,
                findings=(item,),
                unchecked=(),
                counts=None,
                about=or_none(item.claim) or "",
            )
            yield _read_witness(document.inside(f"findings[{number}].witness"), item.witness, alone)


def _read_answer(document: Document, line: form.AnswerLine, claim: Claim) -> SavedWitness | SavedRun | Claim:
    if not isinstance(line.witness, UnsetType):
        is_about_object = line.order is not UNSET  # whose final states are not listed
        if isinstance(line.witness, form.WitnessPart) and not is_about_object and line.outcomes is UNSET:
            document.miss("outcomes")
        return _read_witness(document.inside("witness"), line.witness, claim)
    # Only an `exists` that nothing satisfies is violated without an execution that shows it.
    is_shown = claim.verdict == "violated" and claim.outcomes is not None
    is_satisfied = claim.counts is not None and claim.counts[0] > 0
    if is_shown and (claim.property != "condition" or is_satisfied):
        document.miss("witness")
    return claim


def _claim(document: Document, line: form.AnswerLine) -> Claim:
    names = Counter((item.property, item.claim) for item in line.findings)
    for number, item in enumerate(line.findings):
        if item.property not in EVERY:
            document.fail(f"findings[{number}].property", "a property of membar")
        if names[item.property, item.claim] > 1:
            document.fail("findings", "one finding for each property")
    outcomes = None
    if not isinstance(line.outcomes, UnsetType):
        outcomes = frozenset(frozenset(state.items()) for state in line.outcomes)
        if len(outcomes) != len(line.outcomes):
            document.fail("outcomes", "final states that differ")
    counts = None
    if not (isinstance(line.positive, UnsetType) and isinstance(line.negative, UnsetType)):
        for name, count in (("positive", line.positive), ("negative", line.negative)):
            if isinstance(count, UnsetType):
                document.miss(name)
        assert isinstance(line.positive, int)
        assert isinstance(line.negative, int)
        counts = line.positive, line.negative
    verdict = "explored" if isinstance(line.verdict, UnsetType) else line.verdict
    return _with_fields(Claim, line, verdict=verdict, outcomes=outcomes, counts=counts)


def _read_witness(
    document: Document, part: form.WitnessPart | form.ProcessRunPart, claim: Claim | None
) -> SavedWitness | SavedRun:
    project = document.source.project
    if isinstance(part, form.ProcessRunPart):
        source = SourceFile(part.file, part.source, project=project)
        steps = tuple(
            _with_fields(
                ProcessStep, step, transition=or_none(step.transition), name=or_none(step.name) or ""
            )
            for step in part.steps
        )
        run = _with_fields(ProcessRun, part, steps=steps)
        return SavedRun(document=document, recorded=part, source=source, run=run, claim=claim)
    source = SourceFile(
        part.file,
        part.source,
        part.defines,
        part.include_dirs,
        tuple(part.replaced.items()),
        project,
        arguments=or_none(part.arguments),
        compiler=None
        if isinstance(part.compiler, UnsetType)
        else _with_fields(CompilerOptions, part.compiler),
    )
    return SavedWitness(
        document=document,
        recorded=part,
        source=source,
        model_source=_model_source(part, document),
        reading=_with_fields(Reading, part),
        witness=_witness(part, source, document),
        claim=claim,
    )


def or_none(value: T | UnsetType) -> T | None:
    """A value, or None where its key is absent."""
    return None if isinstance(value, UnsetType) else value


def _model_source(part: form.WitnessPart, document: Document) -> SourceFile | None:
    if isinstance(part.model_file, UnsetType) and isinstance(part.model_source, UnsetType):
        return None
    if isinstance(part.model_source, UnsetType):
        document.miss("model_source")
    if isinstance(part.model_file, UnsetType):
        document.miss("model_file")
    if PurePath(part.model_file).suffix not in (".cat", ".rules") or not part.model_file.isprintable():
        document.fail("model_file", "the name of a file that ends in .cat or .rules")
    return SourceFile(part.model_file, part.model_source, project=document.source.project)


def _witness(part: form.WitnessPart, source: SourceFile, document: Document) -> Witness:
    relations = part.relations
    for name in form.Relations.__struct_fields__:
        for number, chain in enumerate(getattr(relations, name)):
            for position, event in enumerate(chain):
                if not 0 <= event < len(part.events):
                    at = f"relations.{name}[{number}][{position}]"
                    document.fail(at, f"an event, 0 to {len(part.events) - 1}")
    for number, step in enumerate(part.steps):
        if not isinstance(step.event, UnsetType) and not 0 <= step.event < len(part.events):
            document.fail(f"steps[{number}].event", f"an event, 0 to {len(part.events) - 1}")
    execution = Execution(
        events=tuple(
            _event(item, n, source, len(part.threads), document) for n, item in enumerate(part.events)
        ),
        po=closure(relations.po),
        rf=relations.rf,
        co=relations.co,
        **{
            name: frozenset(getattr(relations, name))
            for name in form.Relations.__struct_fields__
            if name not in ("po", "rf", "co")
        },
        registers=tuple(tuple(sorted(registers.items())) for registers in part.registers),
    )
    steps = tuple(_with_fields(Step, step) for step in part.steps)
    return _with_fields(Witness, part, execution=execution, steps=steps)


def _event(part: form.EventPart, number: int, source: SourceFile, threads: int, document: Document) -> Event:
    at = f"events[{number}]"
    if part.id != number:
        document.fail(f"{at}.id", str(number))
    if not INIT_THREAD <= part.thread < threads:
        document.fail(f"{at}.thread", f"a thread, 0 to {threads - 1}, or {INIT_THREAD}")
    cell, span = or_none(part.cell), or_none(part.span)
    if cell is not None and isinstance(part.value, UnsetType):
        document.miss(f"{at}.value")
    if span is not None and not 0 <= span[0] <= span[1] <= len(source.text):
        document.fail(f"{at}.span", "a place inside the source")
    return Event(
        id=number,
        thread=part.thread,
        kind=part.kind,
        cell=cell,
        value=0 if cell is None or isinstance(part.value, UnsetType) else part.value,
        tags=frozenset(part.tags),
        step=part.step,
        span=source.span(*span) if span is not None else None,
    )


def _with_fields(kind: type[T], part: form.Part, **others: object) -> T:
    """A record that takes its values from the fields of a JSON object with the same names."""
    names = (name for name in part.__struct_fields__ if name in kind.__annotations__ and name not in others)
    known_values = {name: value for name in names if (value := getattr(part, name)) is not UNSET}
    return kind(**known_values, **others)


def check_fits(saved: SavedWitness, program: Program) -> None:
    """Makes sure that a saved witness speaks of the threads and cells of `program`.

    Raises:
        InputError: it does not, so the text in the file is not the one the witness was found in.
    """
    witness = saved.witness
    threads, cells = len(program.threads), len(program.cells)
    numbers = [event.thread for event in witness.execution.events] + [step.thread for step in witness.steps]
    numbers += [step.partner for step in witness.steps if step.partner is not None]
    sizes = [len(witness.choices), len(witness.execution.registers), *(len(s.buffers) for s in witness.steps)]
    if (
        any(number >= threads for number in numbers)
        or any(size > threads for size in sizes)
        or any(event.cell is not None and not 0 <= event.cell < cells for event in witness.execution.events)
    ):
        raise refusal(
            "W0452",
            f"the witness does not belong to `{saved.source.path}` as saved with it",
            help=f"it refers to threads or locations that {program.name} does not have",
        )


def _difference(recorded: object, expected: object, at: str) -> str | None:
    """Where two JSON values differ, in words; None if they do not."""
    if isinstance(recorded, dict) and isinstance(expected, dict):
        for name in {**expected, **recorded}:
            path = f"{at}.{name}" if at else name
            if name not in expected:
                return f"unknown field `{path}`"
            if name not in recorded:
                return f"{path} is missing"
            if (words := _difference(recorded[name], expected[name], path)) is not None:
                return words
        return None
    if (
        isinstance(recorded, list | tuple)
        and isinstance(expected, list | tuple)
        and len(recorded) == len(expected)
    ):
        pairs = enumerate(zip(recorded, expected, strict=True))
        found = (_difference(one, other, f"{at}[{number}]") for number, (one, other) in pairs)
        return next((words for words in found if words is not None), None)
    if type(recorded) is type(expected) and recorded == expected:
        return None
    return f"{at} is {_shorten(recorded)}, but the run gives {_shorten(expected)}"


def _shorten(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
