"""A campaign whose answers are stored: tests that have an answer in the store are not checked again.

Child processes answer; only this process writes, in one transaction per fifth of a second. An answer is
passed on only after it was committed, so every answer that a user has seen is stored.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from membar import __version__
from membar.diagnostics import InputError
from membar.languages.registry import language_of
from membar.limits.budget import Ended
from membar.limits.workers import WorkerPool
from membar.models.model import Model
from membar.questions import store
from membar.questions.campaign import Campaign, Case, TestAnswer, answer_case, give_up
from membar.questions.expectations import expected_in
from membar.questions.store_keys import answer_key, build_digest, plan_digest, question_digest, text_digest
from membar.records import record
from membar.source import SourceFile

_TRANSACTION: Final = 0.2  # seconds of work in one transaction
_TEXTS: Final = ("herd", "html", "json", "report", "sarif")


def recorded_answers(campaign: Campaign, path: Path) -> Iterator[TestAnswer]:
    """The answers of a campaign, in the order of its tests; those in the store are reused.

    Raises:
        InputError: the store cannot be used.
    """
    sources = [_read(test) for test in campaign.tests]
    cases = [
        Case(str(test), model, source)
        for test, source in zip(campaign.tests, sources, strict=True)
        for model in campaign.all_models
    ]
    with store.open_to_write(path) as connection:
        recording = _begin(connection, campaign, sources)
        try:
            yield from _answer_and_record(campaign, cases, recording)
        except (KeyboardInterrupt, GeneratorExit):
            recording.end("interrupted")
            raise
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk: readers see that there is no writer
                recording.end("failed")
            raise
        recording.end("complete")


def _answer_and_record(
    campaign: Campaign, cases: Sequence[Case], recording: _Recording
) -> Iterator[TestAnswer]:
    # Pictures are drawn when a test is answered.
    known = {} if campaign.folders else recording.take_stored(cases)
    missing = [number for number in range(len(cases)) if number not in known]

    def keep(place: int, found: TestAnswer | Ended) -> None:
        number = missing[place]
        recording.add(number, _complete(campaign, cases[number], found))

    crew = WorkerPool(
        missing,
        lambda number: _answer_safely(cases[number], campaign),
        jobs=campaign.jobs,
        seconds=campaign.limits.seconds,
        memory=campaign.limits.memory,
        on_result=keep,
        on_pause=recording.commit,
    )
    new = crew.results() if missing else iter(())
    held: list[TestAnswer] = []
    try:
        for number, case in enumerate(cases):
            held.append(known.get(number) or _complete(campaign, case, next(new)))
            if not recording.is_pending:
                yield from held
                held.clear()
    except KeyboardInterrupt:
        recording.commit()
        yield from held
        raise
    finally:
        recording.commit()
    yield from held


def _answer_safely(case: Case, campaign: Campaign) -> TestAnswer | Ended:
    """The answer about a test; a bug in membar affects this test, not the campaign."""
    try:
        return answer_case(case, campaign)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as problem:  # a panic of the core is no `Exception`
        what = " ".join(f"{type(problem).__name__}: {problem}".split())
        return Ended(f"internal error, please report: {what}", 0.0, is_accident=True)


def _complete(campaign: Campaign, case: Case, found: TestAnswer | Ended) -> TestAnswer:
    return give_up(case, campaign, found) if isinstance(found, Ended) else found


@record(kw_only=True)
class _Recording:
    """A run that is being written.

    Attributes:
        connection: the store.
        campaign: what is asked.
        run: the row of the run.
        keys: of each case, one for an answer in which no limit has a part, and one for others; None: its
            answer is never taken from the store.
        claims: of each case, the verdict that the file itself states; "" if it states none.
        columns: how many models each test is asked about.
        is_pending: something is written, but not committed.
        began: when the transaction began.
    """

    connection: sqlite3.Connection
    campaign: Campaign
    run: int
    keys: Sequence[tuple[bytes, bytes] | None]
    claims: Sequence[str]
    columns: int
    is_pending: bool = False
    began: float = 0.0

    def take_stored(self, cases: Sequence[Case]) -> dict[int, TestAnswer]:
        """The answers that are already in the store, which become part of this run."""
        found = {}
        self._begin()
        for number, (case, keys) in enumerate(zip(cases, self.keys, strict=True)):
            for key in keys or ():
                row = self.connection.execute(_STORED, (key,)).fetchone()
                if row is not None:
                    found[number] = answer = _answer(case, row)
                    self._fill(number, row[0], answer)
                    break
        self.commit()
        return found

    def add(self, number: int, answer: TestAnswer) -> None:
        """Stores an answer for a case; errors and crashes are not reused later."""
        self._begin()
        keys = None if answer.verdict == "error" or answer.is_accident else self.keys[number]
        texts = {name: getattr(answer, name) for name in _TEXTS if getattr(answer, name)}
        (row,) = self.connection.execute(
            _ADD,
            (
                None if keys is None else keys[0] if answer.is_lasting else keys[1],
                answer.name,
                answer.model,
                answer.verdict,
                answer.allowed,
                answer.holds,
                answer.undefined,
                answer.final_states,
                json.dumps(answer.states),
                answer.reason,
                json.dumps(texts),
                answer.seconds,
                _now(),
            ),
        ).fetchone()
        self._fill(number, row, answer)
        if time.monotonic() - self.began >= _TRANSACTION:
            self.commit()

    def _fill(self, number: int, answer_row: int, answer: TestAnswer) -> None:
        """Assigns an answer to a case of this run, if it is not assigned already."""
        test, model = divmod(number, self.columns)
        differs = self._difference(number, answer)
        before = self.connection.execute(
            "SELECT answer, differs FROM cell WHERE run = ? AND test = ? AND model = ?",
            (self.run, test, model),
        ).fetchone()
        if before == (answer_row, differs):
            return
        self.connection.execute(
            "INSERT OR REPLACE INTO cell (run, test, model, answer, differs) VALUES (?, ?, ?, ?, ?)",
            (self.run, test, model, answer_row, differs),
        )
        if before is not None:  # no other run refers to an error or a crash
            self.connection.execute("DELETE FROM answer WHERE id = ? AND key IS NULL", (before[0],))

    def _difference(self, number: int, answer: TestAnswer) -> str | None:
        """How an answer differs from its expectation: by `--expect`, or by a comment of the file."""
        if not answer.is_answered:
            return None
        judged = self.campaign.judge(answer) if self.campaign.judge is not None else None
        claimed = self.claims[number]
        if judged is None and claimed and claimed != answer.verdict:
            return f"its comment expects {claimed.replace('-', ' ').upper()}"
        return judged

    def _begin(self) -> None:
        if not self.is_pending:
            self.connection.execute("BEGIN IMMEDIATE")
            self.is_pending, self.began = True, time.monotonic()

    def commit(self) -> None:
        """Makes what was written permanent."""
        if self.is_pending:
            self.is_pending = False
            if self.connection.in_transaction:  # a full disk ends it
                self.connection.execute("COMMIT")

    def end(self, state: str) -> None:
        """Records that nothing more is written, and why: `complete`, `interrupted` or `failed`."""
        self.connection.execute("UPDATE run SET ended = ?, state = ? WHERE id = ?", (_now(), state, self.run))


_COLUMNS: Final = (
    "name, model, verdict, allowed, holds, undefined, final_states, states, reason, texts, seconds"
)
_STORED: Final = f"SELECT id, {_COLUMNS} FROM answer WHERE key = ?"
_ADD: Final = (
    f"INSERT INTO answer (key, {_COLUMNS}, answered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (key) DO UPDATE SET seconds = excluded.seconds RETURNING id"
)


def _answer(case: Case, row: Sequence[Any]) -> TestAnswer:
    """A row of the store as the answer about a file."""
    _, name, model, verdict, allowed, holds, undefined, final_states, states, reason, texts, seconds = row
    kept = json.loads(texts)
    return TestAnswer(
        path=case.path,
        name=name,
        model=model,
        verdict=verdict,
        allowed=None if allowed is None else bool(allowed),
        holds=None if holds is None else bool(holds),
        undefined=bool(undefined),
        final_states=final_states,
        states=tuple(json.loads(states)),
        reason=reason,
        herd=kept.get("herd", ""),
        json=kept.get("json", ""),
        report=kept.get("report", ""),
        html=kept.get("html", ""),
        sarif=tuple(kept.get("sarif", ())),
        seconds=seconds,
        is_stored=True,
    )


def _begin(
    connection: sqlite3.Connection,
    campaign: Campaign,
    sources: Sequence[SourceFile | None],
) -> _Recording:
    """The run of a campaign: a new one, or an earlier one with exactly the same question."""
    models = campaign.all_models
    lasting = [question_digest(campaign, model, has_limits=False) for model in models]
    questions = [question_digest(campaign, model) for model in models]
    has_texts = any(name in campaign.texts for name in _TEXTS)
    keys, claims = list[tuple[bytes, bytes] | None](), list[str]()
    for source in sources:
        stated = _claims(source)
        is_litmus = source is not None and language_of(source).name == "litmus"
        for model, *both in zip(models, lasting, questions, strict=True):
            first, second = (answer_key(one, source, has_texts=has_texts) if source else b"" for one in both)
            keys.append((first, second) if is_litmus else None)
            claims.append("" if model is None else stated.get(model.name, ""))
    texts = [None if source is None else source.text for source in sources]
    paths = [str(test) for test in campaign.tests]
    plan = plan_digest([questions, campaign.command, list(zip(paths, texts, strict=True))])
    connection.execute("BEGIN IMMEDIATE")
    found = connection.execute("SELECT id FROM run WHERE plan = ?", (plan,)).fetchone()
    run = found[0] if found is not None else _new_run(connection, campaign, plan, paths, texts)
    # The holder of the lock is the only writer.
    connection.execute("UPDATE run SET state = 'killed' WHERE state = 'running'")
    connection.execute("UPDATE run SET state = 'running', ended = NULL WHERE id = ?", (run,))
    connection.execute("COMMIT")
    return _Recording(
        connection=connection, campaign=campaign, run=run, keys=keys, claims=claims, columns=len(models)
    )


def _new_run(
    connection: sqlite3.Connection,
    campaign: Campaign,
    plan: bytes,
    paths: Sequence[str],
    texts: Sequence[str | None],
) -> int:
    run: int
    (run,) = connection.execute(
        "INSERT INTO run (plan, version, build, command, started, state)"
        " VALUES (?, ?, ?, ?, ?, 'running') RETURNING id",
        (plan, __version__, build_digest(), campaign.command, _now()),
    ).fetchone()
    connection.executemany(
        "INSERT INTO run_model (run, place, name, title, digest, text) VALUES (?, ?, ?, ?, ?, ?)",
        [(run, place, *_model_columns(campaign, model)) for place, model in enumerate(campaign.all_models)],
    )
    kept = [None if text is None else text_digest(text) for text in texts]
    connection.executemany(
        "INSERT OR IGNORE INTO text (digest, content) VALUES (?, ?)",
        [
            (digest, text.encode("utf-8", "replace").decode())
            for digest, text in zip(kept, texts, strict=True)
            if digest is not None and text is not None
        ],
    )
    connection.executemany(
        "INSERT INTO run_test (run, place, path, name, language, text)"
        " VALUES (?, ?, ?, ?, ?, (SELECT id FROM text WHERE digest = ?))",
        [
            (run, place, path, *_title(path, text), digest)
            for place, (path, text, digest) in enumerate(zip(paths, texts, kept, strict=True))
        ],
    )
    return run


def _model_columns(campaign: Campaign, model: Model | None) -> tuple[str, str, str, str]:
    if model is None:
        return "", "the model of each test's language", "", ""
    text = "" if model.source is None else model.source.text
    return model.name, model.title, question_digest(campaign, model), text


def _title(path: str, text: str | None) -> tuple[str, str]:
    """The name of a test before it is answered, and its language: `X86`, `C`, `Promela`."""
    source = SourceFile(path, text or "")
    name = Path(path).stem
    try:
        language = language_of(source).name
    except InputError:
        return name, ""
    if language != "litmus":
        return name, language
    words = source.text.split(maxsplit=2)
    return (words[1] if len(words) > 1 else name), (words[0] if words else language)


def _claims(source: SourceFile | None) -> dict[str, str]:
    """The verdicts that a file states for itself, by model."""
    if source is None or "xpected" not in source.text:
        return {}
    try:
        return {item.model: item.verdict for item in expected_in(source) if not item.any_threads}
    except InputError:
        return {}


def _read(test: str | Path) -> SourceFile | None:
    """The text of a regular file; other files are read by the process that answers."""
    try:
        return SourceFile.read(test) if Path(test).is_file() else None
    except OSError:
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
