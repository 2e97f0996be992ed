"""Many tests at once: `membar litmus` on files and folders, in one process or several."""

from __future__ import annotations

import gc
import os
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from membar.diagnostics import UNFIT, InputError, refusal, unfit_input
from membar.limits.budget import Ended, LimitError, limit_resources
from membar.models.model import Model
from membar.program.condition import Quantifier
from membar.questions.answer import Answer, TestAnswers, make_answer
from membar.questions.ask import ask, unknown_answer
from membar.questions.outcome import Explored, Holds, HoldsWithin, Outcome, Run, Unknown, Verdict, Violated
from membar.questions.programs import nothing_read
from membar.questions.question import Question
from membar.questions.safety import Safety
from membar.records import field, record, replace
from membar.reports import diagnostic, herd
from membar.reports._parts.report_facts import warnings_of
from membar.source import SourceFile
from membar.text.file_paths import files_in, is_below, plain, resolve, stem

if TYPE_CHECKING:
    from pathlib import Path

    from membar.questions.expectations import Expectation
    from membar.reports.answer_keys import ExplanationPart


@record(frozen=True, slots=True, kw_only=True)
class TestAnswer:
    """One test's answer as plain data, so that it can be sent between processes.

    Attributes:
        path: the file.
        name: the test's name; the file's if it could not be read.
        model: the model's name; empty if the test could not be read.
        verdict: one of the outcome words, or `error` for bad input.
        holds: whether the condition holds; None if unanswered.
        allowed: whether the model allows the outcome that the condition is about, or a violation if there is
            no condition, or one for all executions; None if unanswered.
        undefined: whether the program is undefined (a data race).
        final_states: how many there are.
        states: final states in herd's text form, if the campaign asks for them.
        reason: why there is no verdict, the bound, warnings, what is violated, or the rendered diagnostics.
        herd: herd's text block, if the campaign asks for it.
        json: the JSON line, if the campaign asks for it.
        sarif: the SARIF results, if the campaign asks for them.
        report: the report about a violation, if the campaign asks for it.
        html: what a page shows of it, as JSON, if it is asked for.
        unwritten: the rendered diagnostic of a picture that could not be written.
        seconds: wall time, reading the file included.
        is_lasting: no limit has a part in it, so that it is the same under any other.
        is_accident: what was to answer went wrong, so that another attempt may succeed.
        is_stored: it was taken from a store.
    """

    path: str
    name: str
    model: str = ""
    verdict: str
    holds: bool | None = None
    allowed: bool | None = None
    undefined: bool = False
    final_states: int = 0
    states: tuple[str, ...] = ()
    reason: str = ""
    herd: str = ""
    json: str = ""
    sarif: tuple[dict[str, Any], ...] = ()
    report: str = ""
    html: str = ""
    unwritten: str = ""
    seconds: float = 0.0
    is_lasting: bool = False
    is_accident: bool = False
    is_stored: bool = False

    @property
    def is_answered(self) -> bool:
        """Whether the test got a verdict."""
        return self.verdict not in ("error", "unknown")


@record(frozen=True, slots=True)
class Case:
    """One test under one model.

    Attributes:
        path: the file.
        model: the model; None: that of its language.
        source: its text, if that was read already.
    """

    path: str
    model: Model | str | None = None
    source: SourceFile | None = None


@record(frozen=True, slots=True, kw_only=True)
class Campaign(Question):
    """The answer about each of many tests; most fields as in `Safety`, limits per test.

    Attributes:
        source: what was asked about as a whole.
        tests: the files.
        named: the files and folders that the user named; empty: the tests themselves.
        models: loaded models, each test is asked about under each of them; empty: `model` alone.
        engine: engine.
        folders: where pictures go, by format.
        mapping: the compiler's table for tests in C; by default the model's own.
        texts: what answers carry along: `json`, `herd`, `states`, `sarif`, `report`, `html`, each rendered
            only where somebody reads it.
        jobs: how many processes answer tests; several, or supervised, are child processes, and one that
            passes the limits is ended.
        is_supervised: whether a child process answers even where one is enough.
        store: the file that keeps answers; those that it has are not looked for again.
        command: what the store says about the options of this run.
        judge: how an answer differs from what is expected, for the store.
        on_answer: called with each answer, in the order of the tests, and for each in that of the models.
    """

    LIMITS_EACH: ClassVar = True

    source: SourceFile = field(default_factory=lambda: SourceFile("litmus tests", ""))
    tests: Sequence[str | Path] = ()
    named: tuple[str, ...] = ()
    models: Sequence[Model] = ()
    engine: str | None = None
    folders: tuple[tuple[str, Path], ...] = ()
    mapping: str | None = None
    texts: tuple[str, ...] = ()
    jobs: int = 1
    is_supervised: bool = False
    store: Path | None = None
    command: str = ""
    judge: Callable[[TestAnswer], str | None] | None = None
    on_answer: Callable[[TestAnswer], None] | None = None

    @property
    def all_models(self) -> tuple[Model | None, ...]:
        """The models under which each test is checked, loaded; None: that of its language."""
        if self.models:
            return tuple(self.models)
        if self.model is None:
            return (None,)
        from membar.languages.registry import load_model  # noqa: PLC0415 - one campaign of many has none

        return (load_model(self.model, include_dirs=self.include_dirs),)

    def answer(self) -> Answer:
        """The answers about all tests; explored completely if each has a verdict."""
        found = []
        with collect_garbage_rarely():
            for one in self._answers():
                found.append(one)
                if self.on_answer is not None:
                    self.on_answer(one)
        model = (
            self.model
            if isinstance(self.model, Model)
            else Model(name=str(self.model or ""), title="", documentation="")
        )
        run = Run(model=model.name, engine=self.engine or "", algorithm="campaign", guarantee="see each test")
        subject = nothing_read(self.source, "litmus")
        outcome = Explored(run, all(one.is_answered for one in found))
        return make_answer(self, subject, model, outcome, evidence=TestAnswers(tuple(found)))

    def _answers(self) -> Iterator[TestAnswer]:
        if self.store is not None:
            from membar.questions.recording import recorded_answers  # noqa: PLC0415 - only where asked for

            yield from recorded_answers(self, self.store)
            return
        cases = [Case(str(test), model) for test in self.tests for model in self.models or (self.model,)]
        if self.jobs <= 1 and not self.is_supervised:
            for case in cases:
                yield answer_case(case, self)
            return
        from membar.limits.workers import WorkerPool  # noqa: PLC0415 - many run in this process

        crew = WorkerPool(
            cases,
            partial(answer_case, campaign=self),
            jobs=self.jobs,
            seconds=self.limits.seconds,
            memory=self.limits.memory,
        )
        for case, found in zip(cases, crew.results(), strict=True):
            yield give_up(case, self, found) if isinstance(found, Ended) else found


def tests_in(paths: Sequence[str | Path]) -> tuple[str, ...]:
    """The litmus files named by `paths`; folders are searched, results sorted, duplicates removed.

    Raises:
        OSError: a path does not exist.
        InputError: there are no tests.
    """
    found: dict[str, None] = {}
    for path in (plain(str(path)) for path in paths):
        if stat.S_ISDIR(os.stat(path).st_mode):  # noqa: PTH116 - without pathlib, which takes long to load
            found.update(dict.fromkeys(files_in(path, ".litmus")))
        else:
            found[path] = None
    if not found and paths:
        folders = ", ".join(map(str, paths))
        raise refusal("W0404", f"there are no .litmus files in {folders}")
    return tuple(found)


@contextmanager
def collect_garbage_rarely() -> Iterator[None]:
    """Postpones Python's search for cyclic garbage, of which a test leaves little.

    What is there already, compiled models above all, is not looked at again and again.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


# Columns of a report that goes into a page.
_PAGE = 100
# Objects made before garbage is looked for: some hundred tests, a few megabytes.
_OBJECTS = 100_000


def give_up(case: Case, campaign: Campaign, ended: Ended) -> TestAnswer:
    """The answer about a test whose process was killed."""
    source = case.source or SourceFile(case.path, "")
    found = unknown_answer(_question(source, case.model, campaign), ended.reason, ended.seconds)
    answer = as_data(found, seconds=ended.seconds, texts=campaign.texts)
    return replace(answer, is_accident=True) if ended.is_accident else answer


def answer_case(case: Case, campaign: Campaign) -> TestAnswer:
    """One test, answered within the limits; bad input becomes an answer too, so that others continue."""
    start = time.perf_counter()
    limits = campaign.limits
    try:
        with limit_resources(seconds=limits.seconds, memory=limits.memory):
            return _answer(case, campaign, start)
    except LimitError as limit:
        seconds = time.perf_counter() - start
        return give_up(case, campaign, Ended(limit.reason, seconds))


def _answer(case: Case, campaign: Campaign, start: float) -> TestAnswer:
    path = case.path
    try:
        result = ask(_question(case.source or SourceFile.read(path), case.model, campaign))
    except InputError as problem:
        if not _is_inside(path, campaign.named):
            problem = _without_text(path, problem)
        return refused_test(path, problem, texts=campaign.texts)
    except UNFIT as problem:
        return refused_test(path, unfit_input(problem, path), texts=campaign.texts)
    unwritten = _draw(result, campaign.folders)
    found = as_data(result, seconds=time.perf_counter() - start, texts=campaign.texts)
    return replace(found, unwritten=unwritten) if unwritten else found


def _question(source: SourceFile, model: Model | str | None, campaign: Campaign) -> Safety:
    """The question about one test."""
    return Safety(
        source=source,
        model=model,
        engine=campaign.engine,
        limits=campaign.limits,
        options=campaign.options,
        include_dirs=campaign.include_dirs,
        mapping=campaign.mapping,
    )


def _draw(result: Answer, folders: Sequence[tuple[str, Path]]) -> str:
    """Writes the pictures; returns errors about those that cannot be written."""
    problems = []
    for kind, folder in folders:
        from membar.reports import pictures  # noqa: PLC0415 - only where asked for

        try:
            pictures.save(kind, folder, result)
        except OSError as problem:
            problems.append(diagnostic.render_error(unfit_input(problem)))
    return "".join(problems)


def _is_inside(path: str, named: Sequence[str]) -> bool:
    """Whether the user named a file or its folder; a link in the folder may lead out of it."""
    if not named or path in named:
        return True
    return any(is_below(resolve(path), resolve(folder)) for folder in named)


def _without_text(path: str, problem: InputError) -> InputError:
    """The error in a file that the user did not name, without quoting the file."""
    return refusal(
        problem.diagnostics[0].code,
        f"`{path}` cannot be checked; it is a link out of the folder, and its text is not shown",
        help=f"to see what is wrong, name the file itself: membar litmus {path}",
    )


def refused_test(path: str, problem: InputError, *, texts: Collection[str] = ()) -> TestAnswer:
    """The answer about a file that is not valid input; see `Campaign.texts`."""
    reason = diagnostic.render_error(problem)
    found: tuple[dict[str, Any], ...] = ()
    if "sarif" in texts:
        from membar.reports import sarif  # noqa: PLC0415 - only where asked for

        found = sarif.refusal_results(path, problem)
    page = ""
    if "html" in texts:
        import json  # noqa: PLC0415 - only where asked for

        message = problem.diagnostics[0].message
        page = json.dumps({"file": path, "source": "", "text": reason, "message": message})
    return TestAnswer(path=path, name=stem(path), verdict="error", reason=reason, sarif=found, html=page)


def as_data(answer: Answer, *, seconds: float, texts: Collection[str] = ()) -> TestAnswer:
    """An answer as plain data; see `Campaign.texts`."""
    outcome = answer.outcome
    holds = {Holds: True, HoldsWithin: True, Violated: False}.get(type(outcome))
    return TestAnswer(
        path=answer.source.path,
        name=answer.subject.name,
        model=answer.model.name,
        verdict=answer.verdict,
        holds=holds,
        allowed=None if holds is None else holds == _asks_for_existence(answer.subject),
        undefined=bool(herd.undefining_checks(answer.model) & frozenset(outcome.run.flags)),
        final_states=len(outcome.run.outcomes),
        states=herd.state_lines(answer.program, outcome.run) if "states" in texts else (),
        reason=_reason(outcome),
        herd=herd.render(answer) if "herd" in texts else "",
        json=_json(answer) if "json" in texts else "",
        sarif=_sarif(answer) if "sarif" in texts else (),
        report=_report_text(answer) if "report" in texts else "",
        html=page_data(answer) if "html" in texts else "",
        seconds=seconds,
        is_lasting=_is_lasting(outcome),
    )


def _is_lasting(outcome: Outcome) -> bool:
    """Whether a larger or smaller limit cannot change an answer, nor what is said beside it.

    How far loops are followed may depend on the time, so that an answer within a bound is not lasting.
    """
    run = outcome.run
    is_open = any(item.verdict is Verdict.UNKNOWN for item in run.findings)
    return isinstance(outcome, Holds | Violated) and not run.is_limited and not is_open


def _asks_for_existence(subject: object) -> bool:
    """Whether a test holds if some execution has the outcome, rather than if none has."""
    condition = getattr(subject, "condition", None)
    return condition is not None and condition.quantifier is Quantifier.EXISTS


def _json(answer: Answer) -> str:
    from membar.reports import json as report  # noqa: PLC0415 - only where asked for

    return report.text(report.line(answer))  # without the drawing: there are very many


def _sarif(answer: Answer) -> tuple[dict[str, Any], ...]:
    from membar.reports import sarif  # noqa: PLC0415 - only where asked for

    return sarif.results(answer)


def page_data(answer: Answer, explanation: ExplanationPart | None = None) -> str:
    """What a page shows of an answer, as JSON."""
    import json  # noqa: PLC0415 - only where asked for

    from membar.reports import html  # noqa: PLC0415

    return json.dumps(html.sheet(answer, explanation))


def _report_text(answer: Answer) -> str:
    """The report for people, of what is violated."""
    from membar.reports import terminal  # noqa: PLC0415 - only where asked for

    return terminal.render(answer, columns=_PAGE) if isinstance(answer.outcome, Violated) else ""


def _reason(outcome: Outcome) -> str:
    match outcome:
        case Unknown(reason=reason):
            return reason
        case HoldsWithin(bound=bound):
            return "; ".join([bound, *_warnings(outcome)])
        case Violated(property=name, witness=witness):
            return f"{name}: {witness.message}" if witness is not None and witness.message else name
        case _:
            return "; ".join(_warnings(outcome))


def _warnings(outcome: Outcome) -> list[str]:
    return [item.reason for item in warnings_of(outcome.run)]


def expected_tests(answers: Iterable[TestAnswer], known: Mapping[str, Expectation]) -> int:
    """The number of tests that have an expectation."""
    from membar.questions.expectations import expectation_of  # noqa: PLC0415 - only where asked for

    return sum(expectation_of(item.path, item.name, known) is not None for item in answers)


def compare(answers: Iterable[TestAnswer], known: Mapping[str, Expectation]) -> dict[str, str]:
    """The disagreements with known answers, by path; tests without an answer or expectation are skipped.

    The answers must have their `states`.
    """
    from membar.questions.expectations import disagreement, expectation_of  # noqa: PLC0415 - only where asked for

    found: dict[str, str] = {}
    for item in answers:
        expected = expectation_of(item.path, item.name, known)
        if expected is None or not item.is_answered:
            continue
        text = disagreement(
            expected, states=frozenset(item.states), holds=item.holds, undefined=item.undefined
        )
        if text is not None:
            found[item.path] = text
    return found
