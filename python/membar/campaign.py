"""Many tests at once: `membar litmus` on files and folders, in one process or several."""

from __future__ import annotations

import gc
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from membar import api
from membar.diagnostics import InputError
from membar.expectations import Expectation, disagreement
from membar.linearizability import ObjectResult
from membar.object_proofs import ProofResult
from membar.outcome import Holds, HoldsWithin, Outcome, Unknown, Violated
from membar.program.program import Program
from membar.program.warnings import warnings_in
from membar.proving import SystemResult
from membar.records import field, record
from membar.reports import diagnostic, herd, json
from membar.task import Limits, Options


@record(frozen=True, slots=True, kw_only=True)
class Campaign:
    """How every test is to be answered; most fields as in `api.check`, limits per test.

    Attributes:
        model: memory model; by default each language's own.
        engine: engine.
        limits: per test.
        options: loop bounds and the like.
        include_dirs: for cat includes.
        folders: where pictures go, by format.
        texts: what answers carry along: `json`, `herd`, `states`, `sarif`, `told`, each rendered only where
            somebody reads it.
    """

    model: str | None = None
    engine: str | None = None
    limits: Limits = field(default_factory=Limits)
    options: Options = field(default_factory=Options)
    include_dirs: tuple[Path, ...] = ()
    folders: tuple[tuple[str, Path], ...] = ()
    texts: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Answer:
    """One test's answer as plain data, so that it can cross a process border.

    Attributes:
        path: the file.
        name: the test's name; the file's if it could not be read.
        model: the model's name; empty if the test could not be read.
        verdict: one of the outcome words, or `error` for bad input.
        holds: whether the condition holds; None if unanswered.
        undefined: whether the program is undefined (a data race).
        final_states: how many there are.
        states: final states in herd's text form, if the campaign asks for them.
        reason: why there is no verdict, the bound, warnings, what is violated, or the rendered diagnostics.
        herd: herd's text block, if the campaign asks for it.
        json: the JSON line, if the campaign asks for it.
        sarif: the SARIF results, if the campaign asks for them.
        told: the report about a violation, if the campaign asks for it.
        seconds: wall time, reading the file included.
    """

    path: str
    name: str
    model: str = ""
    verdict: str
    holds: bool | None = None
    undefined: bool = False
    final_states: int = 0
    states: tuple[str, ...] = ()
    reason: str = ""
    herd: str = ""
    json: str = ""
    sarif: tuple[dict[str, Any], ...] = ()
    told: str = ""
    seconds: float = 0.0

    @property
    def is_answered(self) -> bool:
        """Whether the test got a verdict."""
        return self.verdict not in ("error", "unknown")


def tests_in(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The litmus files named by `paths`; folders are searched, results sorted, duplicates removed.

    Raises:
        OSError: a path does not exist.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(sorted(path.rglob("*.litmus"))))
        else:
            path.stat()
            found[path] = None
    return tuple(found)


def run(tests: Sequence[Path], campaign: Campaign, *, jobs: int = 1) -> Iterator[Answer]:
    """The answers, in the order of `tests`, as they come."""
    if jobs <= 1:
        with collecting_rarely():
            for test in tests:
                yield answer(test, campaign)
        return
    from functools import partial  # noqa: PLC0415 - with the next one, rarely needed
    from multiprocessing import Pool  # noqa: PLC0415 - slow to import

    # Leaving the block, for whatever reason, ends the workers at once.
    with Pool(jobs, initializer=_begin_worker) as pool:
        yield from pool.imap(partial(answer, campaign=campaign), tests, chunksize=4)


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Puts off Python's search for cyclic garbage, of which a test leaves little.

    What is there already, compiled models above all, is not looked at again and again.
    """
    before = gc.get_threshold()
    _collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


# Columns of a report that goes into a page.
_PAGE = 100
# Objects made before garbage is looked for: some hundred tests, a few megabytes.
_OBJECTS = 100_000


def _collect_rarely() -> None:
    gc.freeze()
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])


def _begin_worker() -> None:
    """Ctrl-C reaches every process of a terminal; only the one that talks to the user answers."""
    import signal  # noqa: PLC0415 - in workers only

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _collect_rarely()


def answer(path: Path, campaign: Campaign) -> Answer:
    """One test, answered; bad input becomes an answer too, so that the others go on."""
    start = time.perf_counter()
    try:
        result = api.check(
            path,
            model=campaign.model,
            engine=campaign.engine,
            limits=campaign.limits,
            options=campaign.options,
            include_dirs=campaign.include_dirs,
        )
    except InputError as problem:
        return refusal(path, problem, texts=campaign.texts)
    for kind, folder in campaign.folders:
        from membar import pictures  # noqa: PLC0415 - only where asked for

        pictures.save(kind, folder, result)
    return as_data(result, seconds=time.perf_counter() - start, texts=campaign.texts)


def refusal(path: Path, problem: InputError, *, texts: Collection[str] = ()) -> Answer:
    """The answer about a file that is not valid input; see `Campaign.texts`."""
    reason = diagnostic.render_error(problem)
    found: tuple[dict[str, Any], ...] = ()
    if "sarif" in texts:
        from membar.reports import sarif  # noqa: PLC0415 - only where asked for

        found = sarif.refused(str(path), problem)
    return Answer(path=str(path), name=path.stem, verdict="error", reason=reason, sarif=found)


def as_data(result: api.Result, *, seconds: float, texts: Collection[str] = ()) -> Answer:
    """A result as plain data; see `Campaign.texts`."""
    outcome = result.outcome
    return Answer(
        path=result.source.path,
        name=result.program.name,
        model=result.model.name,
        verdict=result.verdict,
        holds={Holds: True, HoldsWithin: True, Violated: False}.get(type(outcome)),
        undefined=bool(herd.undefining_checks(result.model) & frozenset(outcome.run.flags)),
        final_states=len(outcome.run.outcomes),
        states=herd.state_lines(result.program, outcome.run) if "states" in texts else (),
        reason=_reason(outcome),
        herd=herd.render(result) if "herd" in texts else "",
        json=json.render(result) if "json" in texts else "",
        sarif=_sarif(result) if "sarif" in texts else (),
        told=_told(result) if "told" in texts else "",
        seconds=seconds,
    )


def _sarif(result: api.Result | SystemResult | ObjectResult | ProofResult) -> tuple[dict[str, Any], ...]:
    from membar.reports import sarif  # noqa: PLC0415 - only where asked for

    if isinstance(result, SystemResult):
        return sarif.system_results(result)
    nothing = Program(name=Path(result.source.path).stem, language="C", objects=(), threads=())
    if isinstance(result, ProofResult):
        result = api.Result(result.source, nothing, result.model, result.outcome)
    if isinstance(result, ObjectResult):
        program = result.program or nothing
        result = api.Result(result.source, program, result.judging, result.outcome)
    return sarif.results(result)


def _told(result: api.Result | SystemResult | ObjectResult | ProofResult) -> str:
    """The report for people, of what is violated."""
    from membar.reports import histories, processes, terminal  # noqa: PLC0415 - only where asked for

    if not isinstance(result.outcome, Violated) or isinstance(result, ProofResult):
        return ""
    if isinstance(result, SystemResult):
        return processes.render(result, columns=_PAGE)
    if isinstance(result, ObjectResult):
        return histories.render(result, columns=_PAGE)
    return terminal.render(result, columns=_PAGE)


def proved(result: SystemResult, *, seconds: float, texts: Collection[str] = ()) -> Answer:
    """The answer about a system for any number of processes as plain data; see `Campaign.texts`."""
    return Answer(
        path=result.source.path,
        name=result.system.name,
        model=result.model.name,
        verdict=result.verdict,
        holds={Holds: True, HoldsWithin: True, Violated: False}.get(type(result.outcome)),
        reason=_reason(result.outcome),
        sarif=_sarif(result) if "sarif" in texts else (),
        told=_told(result) if "told" in texts else "",
        seconds=seconds,
    )


def judged(result: ObjectResult | ProofResult, *, seconds: float, texts: Collection[str] = ()) -> Answer:
    """The answer about an object as plain data; see `Campaign.texts`."""
    return Answer(
        path=result.source.path,
        name=Path(result.source.path).stem,
        model=result.model.name,
        verdict=result.verdict,
        holds={Holds: True, HoldsWithin: True, Violated: False}.get(type(result.outcome)),
        reason=_reason(result.outcome),
        sarif=_sarif(result) if "sarif" in texts else (),
        told=_told(result) if "told" in texts else "",
        seconds=seconds,
    )


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
    return [note for _, note in warnings_in(outcome.run.notes)]


def compare(answers: Iterable[Answer], known: Mapping[str, Expectation]) -> dict[str, str]:
    """The disagreements with known answers, by path; tests without an answer or expectation are left out.

    The answers must have their `states`.
    """
    found: dict[str, str] = {}
    for item in answers:
        expected = known.get(Path(item.path).name) or known.get(item.name)
        if expected is None or not item.is_answered:
            continue
        text = disagreement(
            expected, states=frozenset(item.states), holds=item.holds, undefined=item.undefined
        )
        if text is not None:
            found[item.path] = text
    return found
