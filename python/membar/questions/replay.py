"""Replays saved witnesses, without a search, and compares what they show with what their answers say."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from membar.engines.reference.evidence import LOOKED_FOR, evidence
from membar.engines.reference.witness_replay import is_first_state, rebuilt, rerun
from membar.engines.reference.witness_replay import replay as replay_witness
from membar.languages.compiled.compile_commands import unknown_words
from membar.languages.registry import load_model
from membar.models.load import names
from membar.models.model import Model
from membar.program.operations import WARNINGS
from membar.program.program import Program
from membar.program.removable import without_removable_dependencies
from membar.program.remove_warnings import without_warnings
from membar.properties import ASSERTED
from membar.properties.assertions import NAME as ASSERTIONS
from membar.properties.judge import Tally, judge
from membar.properties.labels import LABELS
from membar.properties.races import defines_races
from membar.properties.selection import asserting
from membar.questions import system
from membar.questions.client_search import NO_ORDER
from membar.questions.client_search import PROPERTY as LINEARIZABILITY
from membar.questions.language_races import RC11, RC20
from membar.questions.outcome import WORDS, Witness
from membar.questions.programs import for_model, parse, with_claims, with_labels
from membar.questions.task import Task
from membar.records import record, replace
from membar.reports._parts.saved import Claim, SavedRun, SavedWitness, check_fits, read_answers
from membar.reports._parts.style import printable
from membar.source import SourceFile, is_same_message

if TYPE_CHECKING:
    from membar.reports.html import Sheet

_ENDING_THE_SEARCH = ("errors", "claims", *LABELS)


@record(frozen=True, slots=True)
class Replayed:
    """The result of replaying a saved witness.

    Attributes:
        file: the file that its answer is about.
        problem: why the witness, or the answer around it, is wrong; "" if nothing is.
        shown: what the witness shows.
        source: the text that was saved with it.
        model: the model of the execution; None where there is none to draw.
        program: what the text means under the model.
        witness: the execution as it was run again.
    """

    file: str
    problem: str
    shown: str = ""
    source: SourceFile | None = None
    model: Model | None = None
    program: Program | None = None
    witness: Witness | None = None

    @property
    def is_confirmed(self) -> bool:
        """Whether the witness replays, and shows what its answer says."""
        return not self.problem

    def page(self) -> Sheet:
        """What a page shows of it; for a witness that does not replay, only the reason."""
        from membar.reports import html  # noqa: PLC0415 - only where asked for
        from membar.reports._parts.drawn import drawing_part  # noqa: PLC0415

        drawing = None
        if self.is_confirmed and self.source and self.program and self.model and self.witness:
            drawing = drawing_part(self.source, self.program, self.model, self.witness)
        return html.replay_sheet(
            self.source or SourceFile(self.file, ""),
            self.problem or self.shown,
            is_confirmed=self.is_confirmed,
            model="" if self.model is None else self.model.name,
            drawing=drawing,
        )

    def __str__(self) -> str:
        return printable(f"{self.file}: {self.problem or self.shown}")

    def __repr__(self) -> str:
        words = f"{self.file[-60:]}: {self.problem or self.shown}"
        return f"<{words if len(words) <= 190 else f'{words[:187]}...'}>"


def replay(source: SourceFile | str | Path) -> tuple[Replayed, ...]:
    """Replays the witnesses in a file that `--json` wrote; one result for each answer in it.

    Raises:
        InputError: the file is not one that membar writes, or names a program or a model that is wrong.
        OSError: a file cannot be read.
    """
    if isinstance(source, SourceFile):
        text, project = source, None
    else:
        text, project = SourceFile.read(source), Path(source).parent
    return tuple(map(_replay, read_answers(text.text, path=text.path, project=project)))


def _replay(item: SavedWitness | SavedRun | Claim) -> Replayed:
    if isinstance(item, Claim):
        words = "no verdict" if item.verdict == "explored" else _words(item.verdict, item.property)
        return Replayed(item.file, item.inconsistency() or "", f"{words}, nothing to replay")
    if isinstance(item, SavedRun):
        return Replayed(item.source.path, *_run_again(item), source=item.source)
    return _look_at(item)


def _run_again(saved: SavedRun) -> tuple[str, str]:
    """The error in a run of a parameterized system, and what it shows."""
    about = system.parse_system(saved.source)
    mismatch = system.replay(about, _shipped_model(saved), saved.run)
    mismatch = mismatch or saved.difference() or _other_text(saved.source)
    if mismatch is not None:
        return f"does not replay under {saved.recorded.model}: {mismatch}", ""
    if saved.claim is not None:
        other = _about_something_else(saved.claim, saved.recorded.model, saved.source.path)
        other = other or saved.claim.inconsistency()
        if other is None and (saved.claim.verdict, saved.claim.property) != ("violated", "errors"):
            claimed = _words(saved.claim.verdict, saved.claim.property)
            other = f"the answer says {claimed}, which it does not show"
        if other is not None:
            return other, ""
    return (
        "",
        f"the run of {saved.run.processes} processes replays under {saved.recorded.model}: VIOLATED (errors)",
    )


def _look_at(saved: SavedWitness) -> Replayed:
    """The error in a witness, and what it shows."""
    model = _model(saved)
    program, problem, shown = _replayed_program(saved, model)
    return Replayed(saved.source.path, problem, shown, saved.source, model, program, saved.witness)


def _replayed_program(saved: SavedWitness, model: Model) -> tuple[Program, str, str]:
    """The program of a witness, the error in the witness, and what it shows."""
    _refuse_unknown_words(saved)
    mapping = saved.reading.mapping
    program = parse(saved.source.compiled_for(mapping or _compiled_model(saved, model).claims.mapping))
    if saved.reading.ltl is not None:
        program = with_claims(program, saved.reading.ltl, saved.source)
    program = with_labels(program, saved.reading.labels)
    if saved.reading.weaker_dependencies:
        program = without_removable_dependencies(without_warnings(program))
    if _is_race_by_language(saved):
        mapping = None  # the language's model judges the program as it is written
    program = _restrict_to_claim(for_model(program, model, mapping=mapping), saved.claim)
    check_fits(saved, program)
    mismatch = replay_witness(program, model, saved.witness)
    if mismatch is None:
        again = saved.witness
        if not is_first_state(program, model, again):
            again = rebuilt(program, rerun(program, again), again)
        mismatch = saved.difference(program, model, again) or _other_text(saved.source)
    if mismatch is not None:
        return program, f"does not replay under {model.name}: {mismatch}", ""
    tally = evidence(program, model, saved.witness)
    verdict, broken = "", ""
    if saved.claim is not None and _properties(saved.claim)[0] in LOOKED_FOR:
        task = Task(program=program, model=model, properties=_properties(saved.claim))
        verdict, broken = _verdict(task, tally)
    words = _description(tally, broken, has_formula=program.condition is not None)
    shown = f"the witness replays under {model.name}; {words}"
    if saved.claim is None:
        return program, "", shown
    contradiction = _contradiction(saved, saved.claim, tally)
    if contradiction is not None:
        return program, f"{shown}; {contradiction}", ""
    if saved.claim.verdict == "violated" and saved.claim.property == LINEARIZABILITY:
        return program, "", f"{shown}; that it breaks {saved.claim.property} is not checked again"
    if verdict != saved.claim.verdict or (broken and broken != saved.claim.property):
        claimed = _words(saved.claim.verdict, saved.claim.property)
        return program, f"{shown}; the answer says {claimed}, which it does not show", ""
    return program, "", f"{shown}: {_words(verdict, broken)}"


def _is_race_by_language(saved: SavedWitness) -> bool:
    """Whether the model of the answer defines no races, and its witness is a race in its language."""
    claim, judging = saved.claim, saved.recorded.model
    if claim is None or judging not in (RC11, RC20) or claim.model == judging:
        return False
    is_race = (claim.verdict, claim.property) == ("violated", "races")
    return is_race and (claim.model not in names() or not defines_races(load_model(claim.model)))


def _compiled_model(saved: SavedWitness, model: Model) -> Model:
    """The model whose processor the text was compiled for: that of the question."""
    if saved.claim is not None and _is_race_by_language(saved) and saved.claim.model in names():
        return load_model(saved.claim.model)
    return model


def _refuse_unknown_words(saved: SavedWitness) -> None:
    """Refuses compiler options that could make it run something: a witness is untrusted.

    Raises:
        InputError: there are some.
    """
    compiler = saved.source.compiler
    if compiler is not None and (words := unknown_words(compiler.others)):
        saved.document.fail("compiler.others", f"options that affect only how C is read, unlike `{words[0]}`")


def _other_text(source: SourceFile) -> str | None:
    """Reports a file of the program's name here that differs from what was saved.

    Options such as `--error` and `--ltl` are written into the text, so that it may have a part more.
    """
    try:
        here = SourceFile.read(source.path).text.rstrip()
    except OSError:
        return None
    begin = next((n for n, (a, b) in enumerate(zip(here, source.text, strict=False)) if a != b), len(here))
    if source.text.rstrip().endswith(here[begin:]) and len(here) <= len(source.text):
        return None
    return f"file: `{source.path}` is not the program that was saved with the witness"


def _model(saved: SavedWitness) -> Model:
    """The model as it was saved: shipped, or the text of the user's own file.

    Raises:
        InputError: it has the name of a shipped model, and another text; or there is no text.
    """
    text = saved.model_source
    if text is None:
        return _shipped_model(saved)
    place = PurePath(text.path.replace("\\", "/"))
    if place.stem != saved.recorded.model:
        saved.document.fail("model_file", f"a file of the model {saved.recorded.model}")
    if saved.recorded.model not in names():
        return load_model(text)
    shipped = load_model(saved.recorded.model)
    if shipped.source is not None and shipped.source.text == text.text:
        if place.suffix != PurePath(shipped.source.path).suffix:
            saved.document.fail("model_file", f"the file of the shipped model {saved.recorded.model}")
        return shipped
    if _is_text_of(text.path, text.text):
        return load_model(text)
    return saved.document.fail("model_source", f"the text of the shipped model {saved.recorded.model}")


def _shipped_model(saved: SavedWitness | SavedRun) -> Model:
    """A shipped model; a witness cannot name a file instead.

    Raises:
        InputError: there is no such model.
    """
    name = saved.recorded.model
    return load_model(name) if name in names() else saved.document.fail("model", "a shipped model")


def _is_text_of(path: str, text: str) -> bool:
    """Whether there is a file with this text."""
    try:
        return SourceFile.read(path).text == text
    except OSError:
        return False


def _properties(claim: Claim) -> tuple[str, ...]:
    """The properties to check on the execution, so that the answer is the claim."""
    if claim.verdict != "violated":
        return ("condition",)
    return ("claims",) if claim.property in LABELS else (claim.property,)


def _restrict_to_claim(program: Program, claim: Claim | None) -> Program:
    """The program with only what its answer is about: one label, the assertions of the violated property."""
    broken = claim.property if claim is not None and claim.verdict == "violated" else ""
    if claim is not None:
        about = {broken} & set(LABELS)
        claims = (one for one in program.claims if (one.name in about if about else one.name not in LABELS))
        program = _about_one_claim(replace(program, claims=tuple(claims)), claim.about)
    if broken in WARNINGS or (broken and program.goes_on_after_assertions):
        program = asserting(program, {"claims"} if broken in LABELS else {broken})
    return without_warnings(program, WARNINGS - {broken})


def _about_one_claim(program: Program, name: str) -> Program:
    """The program with one of its claims only, if it has one of this name."""
    claims = tuple(claim for claim in program.claims if claim.name == name)
    errors = tuple(error for error in program.errors if name in (error.name, error.text))
    if not name or not (claims or errors):
        return program
    return replace(program, claims=claims, errors=errors)


def _verdict(task: Task, tally: Tally) -> tuple[str, str]:
    """What the execution alone proves, and the property it violates."""
    outcome = judge(task, tally)
    broken = getattr(outcome, "property", "")
    labels = [claim.name for claim in task.program.claims if claim.name in LABELS]
    return WORDS[type(outcome)], labels[0] if broken == "claims" and labels else broken


def _contradiction(saved: SavedWitness, claim: Claim, tally: Tally) -> str | None:
    """Where the answer is about something other than its witness."""
    # What refutes an object is an execution of a client, whose program, and clock, are saved with it.
    is_race_by_language = _is_race_by_language(saved)
    if claim.property != LINEARIZABILITY and not is_race_by_language:
        other = _about_something_else(claim, saved.recorded.model, saved.source.path)
        if other is not None:
            return other
    undefined = (tally.race, tally.allocation, tally.misuse)
    found = (tally.failed_assertion, *undefined, tally.error, tally.lasso, tally.deadlock, tally.stuck)
    messages = {one.message for one in found if one is not None}
    messages.add(NO_ORDER if claim.property == LINEARIZABILITY else "")
    if not any(is_same_message(message, saved.witness.message) for message in messages):
        return f"message: it does not show `{saved.witness.message}`"
    if (words := claim.inconsistency()) is not None:
        return words
    if is_race_by_language:  # what is listed and counted are executions of the question's model
        return None if claim.file == saved.source.path else "file: the witness is about another one"
    if claim.counts is not None and (tally.positive > claim.counts[0] or tally.negative > claim.counts[1]):
        return "the counts `positive` and `negative` do not include its execution"
    shown = {frozenset(state) for state in tally.outcomes}
    # A search that ends with the first bad state or run lists only what it met; that of an object, nothing.
    is_listed = claim.property not in (*_ENDING_THE_SEARCH, LINEARIZABILITY)
    if is_listed and not shown <= (claim.outcomes or frozenset()):
        return "outcomes: its final state is not among those that the answer lists"
    names = {frozenset(name for name, _ in state) for state in (*shown, *(claim.outcomes or ()))}
    return "outcomes: other locations or registers are listed" if shown and len(names) > 1 else None


def _about_something_else(claim: Claim, model: str, path: str) -> str | None:
    if claim.model != model:
        return f"the answer is about {claim.model}, its witness about {model}"
    return None if claim.file == path else f"the answer is about {claim.file}, its witness about {path}"


def _description(tally: Tally, broken: str, *, has_formula: bool) -> str:
    """What an execution shows, which may break a property."""
    if tally.failed_assertion is not None:
        if broken in ASSERTED and broken != ASSERTIONS:
            return f"it violates {broken}: {tally.failed_assertion.message}"
        return f"an assertion fails in it: {tally.failed_assertion.message}"
    parts = []
    if tally.race is not None:
        parts.append(tally.race.message)
    if tally.allocation is not None:
        parts.append(tally.allocation.message)
    if tally.misuse is not None:
        parts.append(tally.misuse.message)
    if tally.error is not None:
        parts.append(f"it {tally.error.message}")
    if tally.lasso is not None:
        parts.append(tally.lasso.message)
    if tally.deadlock is not None:
        parts.append("no thread can continue")
    if tally.stuck is not None:
        parts.append("a thread waits forever in it")
    for state in tally.outcomes:
        shown = "; ".join(f"{name}={value}" for name, value in state)
        if has_formula:
            satisfies = "satisfies" if tally.positive else "does not satisfy"
            parts.append(f"its final state [{shown}] {satisfies} the formula")
        elif not parts:
            parts.append(f"its final state is [{shown}]")
    return ", ".join(parts) or "it is incomplete, or the filter excludes it"


def _words(verdict: str, broken: str) -> str:
    return f"{verdict.upper().replace('-', ' ')}{f' ({broken})' if verdict == 'violated' and broken else ''}"
