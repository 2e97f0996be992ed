"""Runs of parameterized systems in JSON: written with everything needed to run them again, and read back."""

from __future__ import annotations

from membar.records import record
from membar.reports._parts.answer import Object
from membar.reports._parts.claim import Claim
from membar.reports._parts.fields import Field
from membar.source import SourceFile
from membar.systems.run import ProcessRun, ProcessStep, Shown

RUN_FORMAT = "membar-run"
RUN_VERSION = 1


@record(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """A run read back from a file, with the text and the model it was found under."""

    source: SourceFile
    model: str
    run: ProcessRun
    recorded: Field
    claim: Claim | None = None

    def difference(self) -> str | None:
        """Which field is not one that a run has, in words; None if all are."""
        return self.recorded.difference(run_value(self.source, self.model, self.run))


def run_value(source: SourceFile, model: str, run: ProcessRun) -> Object:
    """A run as a JSON object."""
    return {
        "format": RUN_FORMAT,
        "version": RUN_VERSION,
        "file": source.path,
        "source": source.text,
        "model": model,
        "processes": run.processes,
        "initial": _pairs(run.initial),
        "steps": [_step(step) for step in run.steps],
        "unsafe": run.unsafe,
        "culprits": list(run.culprits),
        "views": _pairs(run.views),
    }


def _pairs(shown: tuple[Shown, ...]) -> list[list[str]]:
    return [list(pair) for pair in shown]


def _step(step: ProcessStep) -> Object:
    result: Object = {"processes": list(step.processes)}
    if step.transition is None:
        result["flush"] = True
    else:
        result |= {"transition": step.transition, "name": step.name, "reads": _pairs(step.reads)}
        result |= {"chosen": _pairs(step.chosen)}
    return result | {
        "memory": _pairs(step.memory),
        "buffers": [[_pairs(entry) for entry in entries] for entries in step.buffers],
    }


def saved_run(field: Field) -> SavedRun:
    """A run read back.

    Raises:
        InputError: it makes no sense; with the place.
    """
    if field.key("version").integer() != RUN_VERSION:
        field.key("version").fail(str(RUN_VERSION))
    processes = field.key("processes")
    if not 1 <= processes.integer() <= 64:
        processes.fail("a number of processes, 1 to 64")
    return SavedRun(
        recorded=field,
        source=SourceFile(field.key("file").text(), field.key("source").text(), project=field.source.project),
        model=field.key("model").text(),
        run=ProcessRun(
            processes=processes.integer(),
            initial=field.key("initial").tuple_of(_shown),
            steps=field.key("steps").tuple_of(_read_step),
            unsafe=field.key("unsafe").integer(),
            culprits=field.key("culprits").tuple_of(Field.integer),
            views=field.key("views").tuple_of(_shown),
        ),
    )


def _read_step(field: Field) -> ProcessStep:
    transition = field.optional("transition")
    return ProcessStep(
        transition=transition.integer() if transition else None,
        name=field.key("name").text() if transition else "",
        processes=field.key("processes").tuple_of(Field.integer),
        reads=field.key("reads").tuple_of(_shown) if transition else (),
        chosen=field.key("chosen").tuple_of(_shown) if transition else (),
        memory=field.key("memory").tuple_of(_shown),
        buffers=field.key("buffers").tuple_of(
            lambda entries: entries.tuple_of(lambda entry: entry.tuple_of(_shown))
        ),
    )


def _shown(field: Field) -> Shown:
    items = field.items()
    return (items[0].text(), items[1].text()) if len(items) == 2 else field.fail("a cell and its value")
