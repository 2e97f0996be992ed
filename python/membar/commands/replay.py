"""`membar replay WITNESS`: runs saved witnesses again, without search, and looks at what they show."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from membar import api, proving
from membar.cli import HOLDS, VIOLATED
from membar.engines.reference.evidence import LOOKED_FOR, evidence
from membar.engines.reference.replay import replay as replay_witness
from membar.linearizability import PROPERTY as LINEARIZABILITY
from membar.models.model import Model
from membar.program.warnings import without_warnings
from membar.properties.judge import Tally, judge
from membar.reports import json
from membar.reports._parts.saved_run import SavedRun
from membar.source import SourceFile
from membar.task import Task

_ENDING_THE_SEARCH = ("errors", "claims")


def run(chosen: argparse.Namespace) -> int:
    """Says of each witness whether it is an execution of its program, and shows what its answer claims."""
    text = sys.stdin.read() if chosen.witness == "-" else SourceFile.read(chosen.witness).text
    code = HOLDS
    for item in json.witnesses_from_json(text, path=chosen.witness):
        if isinstance(item, json.Claim):
            sys.stdout.write(f"{item.file}: no witness to replay (verdict {item.verdict})\n")
            continue
        problem, shown = _run_again(item) if isinstance(item, SavedRun) else _looked_at(item)
        if problem:
            code = VIOLATED
        sys.stdout.write(f"{item.source.path}: {problem or shown}\n")
    return code


def _run_again(saved: SavedRun) -> tuple[str, str]:
    """What is wrong with a run of a parameterized system, and what it shows."""
    system = proving.parse_system(saved.source)
    mismatch = proving.replay(system, api.load_model(saved.model), saved.run)
    if mismatch is not None:
        return f"does not replay under {saved.model}: {mismatch}", ""
    return "", f"the run of {saved.run.processes} processes replays under {saved.model}: VIOLATED (unsafe)"


def _looked_at(saved: json.SavedWitness) -> tuple[str, str]:
    """What is wrong with a witness, and what it shows."""
    model = _model(saved)
    program = api.parse(saved.source)
    if saved.ltl is not None:
        program = api.claiming(program, saved.ltl)
    program = api.with_labels(program, saved.labels)
    program = without_warnings(api.for_model(program, model, mapping=saved.mapping))
    json.check_fits(saved, program)
    mismatch = replay_witness(program, model, saved.witness)
    if mismatch is not None:
        return f"does not replay under {model.name}: {mismatch}", ""
    tally = evidence(program, model, saved.witness)
    shown = f"the witness replays under {model.name}; {_in_words(tally)}"
    if saved.claim is None:
        return "", shown
    contradiction = _contradiction(saved, saved.claim, tally)
    if contradiction is not None:
        return f"{shown}; {contradiction}", ""
    if saved.claim.verdict == "violated" and saved.claim.property not in LOOKED_FOR:
        return "", f"{shown}; that it breaks {saved.claim.property} is not checked again"
    task = Task(program=program, model=model, properties=_properties(saved.claim))
    verdict, broken = _verdict(task, tally)
    if verdict != saved.claim.verdict or (broken and broken != saved.claim.property):
        claimed = _words(saved.claim.verdict, saved.claim.property)
        return f"{shown}; the answer says {claimed}, which it does not show", ""
    return "", f"{shown}: {_words(verdict, broken)}"


def _model(saved: json.SavedWitness) -> Model:
    """The model as it was saved: shipped, or the text of the user's own file."""
    from membar.models.load import names  # noqa: PLC0415 - rarely needed

    text = saved.model_source
    if text is None or saved.model in names():
        return api.load_model(saved.model)
    place = Path(text.path)
    if place.is_file() and place.read_text(encoding="utf-8") == text.text:
        return api.load_model(str(place))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / place.name
        copy.write_text(text.text, encoding="utf-8")
        return api.load_model(str(copy), include_dirs=(place.parent,))


def _properties(claim: json.Claim) -> tuple[str, ...]:
    """What must be asked of the one execution, so that the answer is the claim."""
    return (claim.property,) if claim.verdict == "violated" else ("condition",)


def _verdict(task: Task, tally: Tally) -> tuple[str, str]:
    """What the execution proves by itself, and the property it breaks."""
    outcome = judge(task, tally)
    return api.WORDS[type(outcome)], getattr(outcome, "property", "")


def _contradiction(saved: json.SavedWitness, claim: json.Claim, tally: Tally) -> str | None:
    """Where the answer speaks of something else than its witness."""
    # What refutes an object is an execution of a client, whose program, and clock, are saved with it.
    if claim.property != LINEARIZABILITY:
        if claim.model != saved.model:
            return f"the answer is about {claim.model}, its witness about {saved.model}"
        if claim.file != saved.source.path:
            return f"the answer is about {claim.file}, its witness about {saved.source.path}"
    # A search that ends with the first bad state or run lists only what it has met.
    listed = None if claim.property in _ENDING_THE_SEARCH else claim.outcomes
    if listed is not None and not {frozenset(state) for state in tally.outcomes} <= listed:
        return "its final state is not among those that the answer lists"
    return None


def _in_words(tally: Tally) -> str:
    """What an execution shows."""
    if tally.failed_assertion is not None:
        return f"an assertion fails in it: {tally.failed_assertion.message}"
    parts = []
    if tally.race is not None:
        parts.append(tally.race.message)
    if tally.error is not None:
        parts.append(f"it {tally.error.message}")
    if tally.lasso is not None:
        parts.append(f"{tally.lasso.message} of it")
    if tally.deadlock is not None:
        parts.append("no thread can go on")
    if tally.stuck is not None:
        parts.append("a thread waits for ever in it")
    for state in tally.outcomes:
        shown = "; ".join(f"{name}={value}" for name, value in state)
        satisfies = "satisfies" if tally.positive else "does not satisfy"
        parts.append(f"its final state [{shown}] {satisfies} the formula")
    return ", ".join(parts) or "it is not over, or the filter leaves it out"


def _words(verdict: str, broken: str) -> str:
    return f"{verdict.upper().replace('-', ' ')}{f' ({broken})' if verdict == 'violated' and broken else ''}"
