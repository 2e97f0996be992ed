"""Reads a store: its runs, tests × models as one character per cell, one test in full, two sides compared."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from membar.diagnostics import InputError, refusal
from membar.questions.store import has_writer
from membar.records import record
from membar.reports.litmus_table import reason_group

# One character per cell; in small letters where the answer is not as expected. From FIRST_REASON on: the
# number of the reason why there is no answer.
WAITING: Final = "."
OUTCOMES: Final = {"allowed": "A", "forbidden": "F", "forbidden within a bound": "W", "undefined": "U"}
FIRST_REASON: Final = 0x100
_MOST_REASONS: Final = 0xC000  # below the surrogates
# Times as characters: each step is 18 % longer, from a tenth of a millisecond to a day.
_SHORTEST: Final = 1e-4
_LONGER: Final = 1.18
_FIRST_TIME: Final = 0x5D
_BY_LANGUAGE: Final = "by language"


@record(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of a campaign.

    Attributes:
        id: its number.
        version: of membar.
        build: a digest of membar's files.
        command: the options, as the command line had them.
        started: when, in UTC.
        ended: when its writer stopped; None: it still runs, or was killed.
        state: `running`; `complete`: every test was answered; `interrupted` by Ctrl-C; `failed`: an error,
            such as a full disk, ended it; `killed`: its writer is gone and could not say why. The last three
            are continued by the same command.
        tests: how many.
        cells: how many answers there will be.
        answered: how many there are.
    """

    id: int
    version: str
    build: str
    command: str
    started: str
    ended: str | None
    state: str
    tests: int
    cells: int
    answered: int


def runs(connection: sqlite3.Connection) -> list[Run]:
    """The runs of a store, oldest first."""
    is_written = has_writer(connection)  # before the rows: a writer first says that it ends
    rows = connection.execute(
        "SELECT id, version, build, command, started, ended, state,"
        " (SELECT count(*) FROM run_test WHERE run = run.id),"
        " (SELECT count(*) FROM run_model WHERE run = run.id),"
        " (SELECT count(*) FROM cell WHERE run = run.id) FROM run ORDER BY id"
    )
    return [
        Run(
            id=id_,
            version=version,
            build=build,
            command=command,
            started=started,
            ended=ended,
            state="killed" if state == "running" and not is_written else state,
            tests=tests,
            cells=tests * models,
            answered=answered,
        )
        for id_, version, build, command, started, ended, state, tests, models, answered in rows
    ]


class Matrix:
    """The cells of a run as text, read further when more was written.

    Attributes:
        run: the run.
        models: the columns: names with titles.
        reasons: why answers are missing, without line numbers.
        last: the number of the last cell that was read.
    """

    def __init__(self, connection: sqlite3.Connection, run: int) -> None:
        self.run, self.last = run, 0
        asked = connection.execute(
            "SELECT place, name, title FROM run_model WHERE run = ? ORDER BY place", (run,)
        ).fetchall()
        self.models: list[tuple[str, str]] = [(name, title) for _, name, title in asked if name]
        self._columns = {(place, ""): n for n, (place, name, _) in enumerate(a for a in asked if a[1])}
        self._is_named = {place: bool(name) for place, name, _ in asked}
        self.reasons: list[str] = []
        self._reason_numbers: dict[str, int] = {}
        self.tests: int = connection.execute(
            "SELECT count(*) FROM run_test WHERE run = ?", (run,)
        ).fetchone()[0]
        self._cells: dict[tuple[int, int], str] = {}
        self._times: dict[tuple[int, int], float] = {}

    def read_further(self, connection: sqlite3.Connection) -> list[tuple[int, int, int, str]]:
        """Reads the cells that were written since; returns their number, test, column and character."""
        new = []
        rows = connection.execute(
            "SELECT cell.id, cell.test, cell.model, cell.differs, answer.model, answer.verdict,"
            " answer.allowed, answer.undefined, answer.reason, answer.seconds"
            " FROM cell JOIN answer ON answer.id = cell.answer WHERE cell.run = ? AND cell.id > ?"
            " ORDER BY cell.id",
            (self.run, self.last),
        )
        for number, test, place, differs, model, verdict, allowed, undefined, reason, seconds in rows:
            column = self._column(place, model)
            word = outcome(verdict, allowed, undefined)
            sign = OUTCOMES[word] if word else self._reason(verdict, reason)
            self._cells[test, column] = sign = sign.lower() if differs and word else sign
            self._times[test, column] = seconds
            self.last = number
            new.append((number, test, column, sign))
        return new

    def _column(self, place: int, model: str) -> int:
        """The column of an answer; of tests under the models of their languages, that of the model."""
        key = (place, "" if self._is_named[place] else model or _BY_LANGUAGE)
        if key not in self._columns:
            self._columns[key] = len(self.models)
            self.models.append((key[1], ""))
        return self._columns[key]

    def _reason(self, verdict: str, reason: str) -> str:
        text = reason_group(reason)
        text = f"bad input: {text}" if verdict == "error" else text
        number = self._reason_numbers.get(text)
        if number is None:
            number = min(len(self.reasons), _MOST_REASONS)
            if number == len(self.reasons):
                self.reasons.append(text)
            self._reason_numbers[text] = number
        return chr(FIRST_REASON + number)

    def cells(self) -> str:
        """One character for each test and model, test by test."""
        width = len(self.models)
        found = [WAITING] * (self.tests * width)
        for (test, column), sign in self._cells.items():
            found[test * width + column] = sign
        return "".join(found)

    def times(self) -> str:
        """How long each answer took, in the same order."""
        width = len(self.models)
        found = [" "] * (self.tests * width)
        for (test, column), seconds in self._times.items():
            found[test * width + column] = time_sign(seconds)
        return "".join(found)

    def totals(self) -> str:
        """How long the answers about each test took together."""
        found = [0.0] * self.tests
        for (test, _), seconds in self._times.items():
            found[test] += seconds
        return "".join(map(time_sign, found))


def time_sign(seconds: float) -> str:
    """A time as one character."""
    step = round(math.log(max(seconds, _SHORTEST) / _SHORTEST, _LONGER))
    return chr(_FIRST_TIME + step)


def outcome(verdict: str, allowed: int | None, undefined: int) -> str:
    """What an answer says about the outcome; "" if there is none."""
    if verdict in ("error", "unknown") or allowed is None:
        return ""
    if undefined:
        return "undefined"
    if allowed:
        return "allowed"
    return "forbidden within a bound" if verdict == "holds-within" else "forbidden"


def names(connection: sqlite3.Connection, run: int) -> list[tuple[str, str]]:
    """The name and the language of each test of a run."""
    return connection.execute(
        "SELECT name, language FROM run_test WHERE run = ? ORDER BY place", (run,)
    ).fetchall()


def one_test(connection: sqlite3.Connection, run: int, test: int) -> dict[str, Any] | None:
    """A test of a run with its text and all answers; None: there is no such test."""
    found = connection.execute(
        "SELECT path, name, language, content FROM run_test LEFT JOIN text ON text.id = run_test.text"
        " WHERE run = ? AND place = ?",
        (run, test),
    ).fetchone()
    if found is None:
        return None
    path, name, language, text = found
    answers = connection.execute(
        "SELECT coalesce(nullif(run_model.name, ''), answer.model) AS model, run_model.text AS model_text,"
        " answer.verdict, answer.allowed, answer.undefined, answer.final_states, answer.reason,"
        " answer.seconds, cell.differs FROM cell JOIN answer ON answer.id = cell.answer"
        " JOIN run_model ON run_model.run = cell.run AND run_model.place = cell.model"
        " WHERE cell.run = ? AND cell.test = ? ORDER BY cell.model",
        (run, test),
    )
    heads = [head[0] for head in answers.description]
    shown = [dict(zip(heads, row, strict=True)) for row in answers]
    for one in shown:
        one["outcome"] = outcome(one["verdict"], one.pop("allowed"), one.pop("undefined"))
    return {"path": path, "name": name, "language": language, "text": text or "", "answers": shown}


# Two sides compared.

Outcomes = Mapping[tuple[str, str], str]
"""By test and model: what an answer says of the outcome; "": there is none."""


@record(frozen=True, slots=True, kw_only=True)
class Side:
    """Some results of a store.

    Attributes:
        kind: `model`, `run` or `folder`.
        title: what they are called.
        run: the run that they are from.
        outcomes: by what is compared: the path of a test, below the folder if it is one, and, unless this is
            one model, the model.
    """

    kind: str
    title: str
    run: int
    outcomes: Outcomes


@record(frozen=True, slots=True, kw_only=True)
class Differences:
    """Two sides compared.

    Attributes:
        left: one side.
        right: the other.
        compared: how many cells both answered.
        halves: how many only one side answered.
        unanswered: how many neither answered.
        alone: how many are on one side only.
        cells: where they differ: the test, the model (""; models are compared), and what each side says.
    """

    left: Side
    right: Side
    compared: int
    halves: int
    unanswered: int
    alone: int
    cells: Sequence[tuple[str, str, str, str]]


def differences(left: Side, right: Side) -> Differences:
    """Where two sides differ; only cells that both answered count.

    Raises:
        InputError: they are of different kinds.
    """
    if left.kind != right.kind:
        raise refusal(
            "W0456",
            f"a {left.kind} (`{left.title}`) cannot be compared with a {right.kind} (`{right.title}`)",
            help="compare two models, two runs or two folders; MODEL@RUN is a model in an earlier run",
        )
    both = [key for key in left.outcomes if key in right.outcomes]
    answered = [key for key in both if left.outcomes[key] and right.outcomes[key]]
    unanswered = sum(not left.outcomes[key] and not right.outcomes[key] for key in both)
    return Differences(
        left=left,
        right=right,
        compared=len(answered),
        halves=len(both) - len(answered) - unanswered,
        unanswered=unanswered,
        alone=len(left.outcomes) + len(right.outcomes) - 2 * len(both),
        cells=[
            (*key, left.outcomes[key], right.outcomes[key])
            for key in answered
            if _class(left.outcomes[key]) != _class(right.outcomes[key])
        ],
    )


def _class(word: str) -> str:
    """An outcome that is forbidden within a bound counts as forbidden."""
    return "forbidden" if word.startswith("forbidden") else word


def side(connection: sqlite3.Connection, word: str) -> Side:
    """The results that a word names: a run by number, a model (of run N: `MODEL@N`), a folder.

    Raises:
        InputError: none.
    """
    known = [run.id for run in runs(connection)]
    if not known:
        raise refusal("W0456", "the store has no run yet", help="`membar litmus DIR --store FILE` makes one")
    number = word.removeprefix("run:")
    if number.isdecimal():
        if int(number) not in known:
            raise _nothing_to_compare_error(connection, word, known)
        return Side(
            kind="run",
            title=f"run {number}",
            run=int(number),
            outcomes=_outcomes_of_run(connection, int(number)),
        )
    name, _, at = word.partition("@")
    run = int(at) if at.isdecimal() and int(at) in known else known[-1]
    if not at or str(run) == at:
        found = {key: said for key, said in _outcomes_of_run(connection, run).items() if key[1] == name}
        if found:
            return Side(
                kind="model",
                title=word,
                run=run,
                outcomes={(path, ""): said for (path, _), said in found.items()},
            )
    folder = PurePath(word)
    for run in reversed(known):
        inside = {
            (str(PurePath(path).relative_to(folder)), model): said
            for (path, model), said in _outcomes_of_run(connection, run).items()
            if PurePath(path).is_relative_to(folder)
        }
        if inside:
            return Side(kind="folder", title=word, run=run, outcomes=inside)
    raise _nothing_to_compare_error(connection, word, known)


def _outcomes_of_run(connection: sqlite3.Connection, run: int) -> dict[tuple[str, str], str]:
    rows: Iterable[Sequence[Any]] = connection.execute(
        "SELECT run_test.path, coalesce(nullif(run_model.name, ''), answer.model), answer.verdict,"
        " answer.allowed, answer.undefined FROM cell JOIN answer ON answer.id = cell.answer"
        " JOIN run_test ON run_test.run = cell.run AND run_test.place = cell.test"
        " JOIN run_model ON run_model.run = cell.run AND run_model.place = cell.model"
        " WHERE cell.run = ? ORDER BY cell.test, cell.model",
        (run,),
    )
    return {(path, model): outcome(*answer) for path, model, *answer in rows}


def _nothing_to_compare_error(connection: sqlite3.Connection, word: str, known: Sequence[int]) -> InputError:
    models = list(dict.fromkeys(model for _, model in _outcomes_of_run(connection, known[-1]) if model))
    return refusal(
        "W0456",
        f"the store has no model, run or folder `{word}`",
        help=f"runs {', '.join(map(str, known))}; models of the last one: {', '.join(models) or 'none yet'}",
    )
