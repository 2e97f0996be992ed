"""One line of JSON per file and model, and the witness in it: enough to replay it on another machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path, PurePath

from membar.diagnostics import Diagnostic, InputError
from membar.models.model import Model
from membar.program.execution import INIT_THREAD, Event, Execution, Kind
from membar.program.pairs import Relation
from membar.program.printer import print_program
from membar.program.program import Program
from membar.questions.answer import Answer, ClientRun, Invariant, Obligations, Reading
from membar.questions.outcome import Step, Witness
from membar.records import record, replace
from membar.reports import Report
from membar.reports._parts.answer import Object, common
from membar.reports._parts.claim import Claim, check_keys, claim_of
from membar.reports._parts.condition import sorted_states
from membar.reports._parts.event import cell_name, line_number
from membar.reports._parts.fields import Field, documents
from membar.reports._parts.relations import closure, reduction
from membar.reports._parts.saved_run import RUN_FORMAT, SavedRun, run_value, saved_run
from membar.source import SourceFile

__all__ = ["REPORT", "Claim", "SavedWitness", "render", "value", "witness_value", "witnesses_from_json"]
FORMAT = "membar-witness"
VERSION = 1


def render(answer: Answer) -> str:
    """The answer as one line."""
    return json.dumps(value(answer), ensure_ascii=False, separators=(", ", ": ")) + "\n"


def value(answer: Answer) -> Object:
    """The answer as a JSON object with the keys that tools rely on; absent where they make no sense."""
    result = common(answer.source, answer.outcome)
    if answer.order is not None:
        result["order"] = answer.order.value
    elif isinstance(answer.subject, Program):
        result |= _about_program(answer)
    match answer.evidence:
        case Witness() as witness:
            result["witness"] = _with_reading(
                witness_value(answer.source, answer.program, answer.model, witness), answer.reading
            )
        case ClientRun() as run:
            if run.refutation is not None:
                from membar.reports import histories  # noqa: PLC0415 - one kind of evidence

                result["history"] = histories.value(run.refutation)
            if run.witness is not None:
                name = f"{PurePath(answer.source.path).stem}.client.mbp"
                client = SourceFile(name, print_program(run.program))
                result["witness"] = witness_value(client, run.program, run.model, run.witness)
        case Obligations() as evidence:
            from membar.reports import obligations  # noqa: PLC0415 - one kind of evidence

            result |= obligations.value(evidence)
        case Invariant() | None:
            pass
        case run:
            result["witness"] = run_value(answer.source, answer.model.name, run)
    return result


def _about_program(answer: Answer) -> Object:
    """What a program can do."""
    run, result = answer.outcome.run, Object()
    if answer.program.condition is not None and run.positive + run.negative:
        result |= {"positive": run.positive, "negative": run.negative}
        if run.statistics.classes is not None:
            result["counted"] = "reads-from classes"
    result["outcomes"] = [dict(item) for item in sorted_states(run.outcomes)]
    if run.executions:
        result["executions"] = [
            {"end": item.message or "complete", "state": dict(item.final)} for item in run.executions
        ]
    return result


def _with_reading(witness: Object, reading: Reading) -> Object:
    """A witness with how its text was read."""
    for name in ("mapping", "ltl"):
        if (kept := getattr(reading, name)) is not None:
            witness[name] = kept
    if reading.labels:
        witness["labels"] = list(reading.labels)
    return witness


def witness_value(source: SourceFile, program: Program, model: Model, witness: Witness) -> Object:
    """A witness with everything needed to run it again: text, model, events, relations, choices, steps."""
    execution = witness.execution
    result: Object = {
        "format": FORMAT,
        "version": VERSION,
        "file": source.path,
        "source": source.text,
        **({"defines": list(source.defines)} if source.defines else {}),
        **({"include_dirs": list(source.include_dirs)} if source.include_dirs else {}),
        **({"replaced": dict(source.replaced)} if source.replaced else {}),
        **({"arguments": list(source.arguments)} if source.arguments is not None else {}),
        "program": program.name,
        "model": model.name,
    }
    if model.source is not None:
        result["model_file"] = model.source.path
        result["model_source"] = model.source.text
    if witness.cycle is not None:
        result |= {"cycle": witness.cycle, "fair": list(witness.fair)}
    return result | {
        "message": witness.message,
        "threads": [thread.name for thread in program.threads],
        "events": [_event(program, source, event) for event in execution.events],
        "relations": _relations(execution),
        "registers": [dict(registers) for registers in execution.registers],
        "choices": [list(values) for values in witness.choices],
        "steps": [_step(step) for step in witness.steps],
        "final": [list(pair) for pair in witness.final],
    }


def _event(program: Program, source: SourceFile, event: Event) -> Object:
    """`value` is the raw word; `location` and `line` are for readers and are not read back."""
    result: Object = {"id": event.id, "thread": event.thread, "kind": event.kind.value}
    if event.cell is not None:
        result |= {"cell": event.cell, "location": cell_name(program, event), "value": event.value}
    if event.tags:
        result["tags"] = sorted(event.tags)
    result["step"] = event.step
    if event.span is not None and event.span.source.text == source.text:
        result |= {"line": line_number(event), "span": [event.span.start, event.span.end]}
    return result


def _relations(execution: Execution) -> Object:
    """The base relations, sorted; `po` without the pairs that follow from others."""

    def pairs(relation: Relation) -> list[list[int]]:
        return [list(pair) for pair in sorted(relation)]

    return {
        "po": [list(pair) for pair in reduction(execution.po)],
        "rf": [list(pair) for pair in execution.rf],
        "co": [list(chain) for chain in execution.co],
        "addr": pairs(execution.addr),
        "data": pairs(execution.data),
        "ctrl": pairs(execution.ctrl),
        "pick_addr": pairs(execution.pick_addr),
        "pick_data": pairs(execution.pick_data),
        "pick_ctrl": pairs(execution.pick_ctrl),
        "amo": pairs(execution.amo),
        "lxsx": pairs(execution.lxsx),
        "spawn_join": pairs(execution.spawn_join),
    }


def _step(step: Step) -> Object:
    result: Object = {"thread": step.thread, "action": step.action}
    if step.partner is not None:
        result["partner"] = step.partner
    if step.event is not None:
        result["event"] = step.event
    return result | {
        "memory": [list(pair) for pair in step.memory],
        "buffers": [[list(pair) for pair in buffer] for buffer in step.buffers],
    }


@record(frozen=True, slots=True, kw_only=True)
class SavedWitness:
    """A witness read back from a file.

    Attributes:
        source: the program's text, with the name it had.
        program: the program's name.
        model: the model's name.
        model_source: the model's own text as it was, if it was saved.
        mapping: the compiler mapping, if it was not the model's own.
        ltl: what was claimed of all runs, where the text has no words for it.
        labels: what was asked about labels of the text.
        witness: the execution.
        recorded: the witness as it stands in the file.
        claim: what the answer around it says; None for a witness alone.
    """

    source: SourceFile
    program: str
    model: str
    model_source: SourceFile | None
    mapping: str | None
    ltl: str | None
    labels: tuple[str, ...]
    witness: Witness
    recorded: Field
    claim: Claim | None = None


def witnesses_from_json(
    text: str, *, path: str = "witness", project: Path | None = None
) -> tuple[SavedWitness | SavedRun | Claim, ...]:
    """The answers in a text, as `--json` printed them (one or more lines), or witnesses alone.

    An answer that has no witness is only a claim. Whatever files witnesses name, messages show only text of
    those in `project`.

    Raises:
        InputError: it is not JSON, or an answer or a witness makes no sense; with the place.
    """
    folders = () if project is None else (str(project),)
    found = documents(SourceFile(path, text, project=folders))
    return tuple(_answer(document) for document in found)


def _answer(document: Field) -> SavedWitness | SavedRun | Claim:
    if not isinstance(document.value, dict):
        document.fail("an object with a `witness`")
    if document.value.get("format") == RUN_FORMAT:
        return saved_run(document)
    if document.value.get("format") == FORMAT:
        return _saved(document)
    check_keys(document)
    witness = document.optional("witness")
    if witness is not None and witness.key("format").value == RUN_FORMAT:
        return replace(saved_run(witness), claim=claim_of(document))
    if witness is None:
        claim = claim_of(document)
        # Only an `exists` that nothing satisfies is violated without an execution that shows it.
        is_shown = claim.verdict == "violated" and claim.outcomes is not None
        if is_shown and claim.property != "condition":
            document.key("witness")
        return claim
    if document.optional("order") is None:  # not about an object, whose final states nobody lists
        document.key("outcomes")
    return replace(_saved(witness), claim=claim_of(document))


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
        raise InputError(
            Diagnostic(
                code="W0452",
                message=f"the witness does not belong to `{saved.source.path}` as saved with it",
                help=f"it speaks of threads or locations that {program.name} does not have",
            )
        )


def _saved(field: Field) -> SavedWitness:
    if field.key("format").value != FORMAT:
        field.key("format").fail(f'"{FORMAT}"')
    if field.key("version").integer() != VERSION:
        field.key("version").fail(str(VERSION))
    replaced = field.optional("replaced")
    source = SourceFile(
        field.key("file").text(),
        field.key("source").text(),
        _texts(field.optional("defines")),
        _texts(field.optional("include_dirs")),
        tuple((path, text.text()) for path, text in replaced.entries()) if replaced else (),
        field.source.project,
        arguments=_texts(arguments) if (arguments := field.optional("arguments")) else None,
    )
    return SavedWitness(
        source=source,
        program=field.key("program").text(),
        model=field.key("model").text(),
        model_source=_model_source(field),
        mapping=mapping.text() if (mapping := field.optional("mapping")) else None,
        ltl=ltl.text() if (ltl := field.optional("ltl")) else None,
        labels=_texts(field.optional("labels")),
        witness=_witness(field, source),
        recorded=field,
    )


def _model_source(field: Field) -> SourceFile | None:
    if field.optional("model_source") is None and field.optional("model_file") is None:
        return None
    text, file = field.key("model_source"), field.key("model_file")
    name = PurePath(file.text())
    if name.suffix not in (".cat", ".rules") or not file.text().isprintable():
        file.fail("the name of a file that ends in .cat or .rules")
    return SourceFile(file.text(), text.text(), project=field.source.project)


def difference(saved: SavedWitness, program: Program, model: Model, again: Witness) -> str | None:
    """Which field of a saved witness is not what running it again gives, in words; None if all are.

    What is expected comes from the writer itself, so that no field that it learns to write goes unchecked.
    """
    expected = witness_value(saved.source, program, model, again)
    for name, value in (("mapping", saved.mapping), ("ltl", saved.ltl), ("labels", list(saved.labels))):
        if value:
            expected[name] = value
    for name in ("model_file", "model_source"):  # compared when the model was loaded
        expected[name] = saved.recorded.value_at(name)
    for event, known in zip(saved.recorded.key("events").items(), expected["events"], strict=False):
        # The steps of a client have their places in the object's text, not in its own.
        if event.optional("line") is None and event.optional("span") is None:
            known.pop("line", None)
            known.pop("span", None)
    return saved.recorded.difference(expected)


def _texts(field: Field | None) -> tuple[str, ...]:
    return () if field is None else tuple(item.text() for item in field.items())


def _witness(field: Field, source: SourceFile) -> Witness:
    threads = len(field.key("threads").items())
    events = tuple(
        _read_event(item, i, source, threads) for i, item in enumerate(field.key("events").items())
    )

    def identity(item: Field) -> int:
        number = item.integer()
        return number if 0 <= number < len(events) else item.fail(f"an event, 0 to {len(events) - 1}")

    def pairs(name: str) -> frozenset[tuple[int, int]]:
        return frozenset(_pair(item, identity) for item in relations.key(name).items())

    def newer(name: str) -> frozenset[tuple[int, int]]:
        """A relation that witnesses of older versions do not have."""
        return frozenset() if relations.optional(name) is None else pairs(name)

    relations = field.key("relations")
    execution = Execution(
        events=events,
        po=closure(pairs("po")),
        rf=relations.key("rf").tuple_of(lambda item: _pair(item, identity)),
        co=relations.key("co").tuple_of(lambda chain: chain.tuple_of(identity)),
        addr=pairs("addr"),
        data=pairs("data"),
        ctrl=pairs("ctrl"),
        pick_addr=newer("pick_addr"),
        pick_data=newer("pick_data"),
        pick_ctrl=newer("pick_ctrl"),
        amo=pairs("amo"),
        lxsx=pairs("lxsx"),
        spawn_join=pairs("spawn_join"),
        registers=field.key("registers").tuple_of(
            lambda item: tuple(sorted((name, value.integer()) for name, value in item.entries()))
        ),
    )
    cycle, fair = field.optional("cycle"), field.optional("fair")
    return Witness(
        cycle=cycle.integer() if cycle else None,
        fair=fair.tuple_of(Field.text) if fair else (),
        execution=execution,
        final=field.key("final").tuple_of(_shown),
        choices=field.key("choices").tuple_of(lambda item: item.tuple_of(Field.integer)),
        steps=field.key("steps").tuple_of(lambda item: _read_step(item, identity)),
        message=field.key("message").text(),
    )


def _pair(field: Field, identity: Callable[[Field], int]) -> tuple[int, int]:
    items = field.items()
    return (identity(items[0]), identity(items[1])) if len(items) == 2 else field.fail("a pair of events")


def _read_event(field: Field, position: int, source: SourceFile, threads: int) -> Event:
    if field.key("id").integer() != position:
        field.key("id").fail(str(position))
    kind = field.key("kind")
    if kind.value not in {k.value for k in Kind}:
        kind.fail("`R`, `W` or `F`")
    if not INIT_THREAD <= field.key("thread").integer() < threads:
        field.key("thread").fail(f"a thread, 0 to {threads - 1}, or {INIT_THREAD}")
    cell, tags, span = (field.optional(name) for name in ("cell", "tags", "span"))
    start, end = span.pair() if span else (0, 0)
    if span and not 0 <= start <= end <= len(source.text):
        span.fail("a place inside the source")
    return Event(
        id=position,
        thread=field.key("thread").integer(),
        kind=Kind(kind.value),
        cell=cell.integer() if cell else None,
        value=field.key("value").integer() if cell else 0,
        tags=frozenset(tags.tuple_of(Field.text)) if tags else frozenset(),
        step=field.key("step").integer(),
        span=source.span(start, end) if span else None,
    )


def _read_step(field: Field, identity: Callable[[Field], int]) -> Step:
    event, partner = field.optional("event"), field.optional("partner")
    return Step(
        thread=field.key("thread").integer(),
        partner=partner.integer() if partner else None,
        action=field.key("action").text(),
        event=identity(event) if event else None,
        memory=field.key("memory").tuple_of(Field.entry),
        buffers=field.key("buffers").tuple_of(lambda buffer: buffer.tuple_of(Field.entry)),
    )


def _shown(field: Field) -> tuple[str, int | str]:
    items = field.items()
    return (items[0].text(), items[1].shown()) if len(items) == 2 else field.fail("a label and its value")


REPORT = Report(name="json", title="one JSON object per line", suffix=".json", render=render)
