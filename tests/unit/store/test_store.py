"""Campaigns that keep their answers: what is taken from a store, what is not, and what survives."""

from __future__ import annotations

import hashlib
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from membar import cli
from membar.cli.command import main
from membar.cli.commands import litmus
from membar.diagnostics import InputError
from membar.languages.registry import load_model
from membar.questions import campaign, recording, store, store_keys
from membar.questions.ask import ask
from membar.questions.campaign import Campaign
from membar.questions.campaign_matrix import Matrix, differences, runs, side
from membar.questions.task import Limits, Options, Unrolling
from membar.records import replace
from membar.reports.litmus_table import reason_group

EXAMPLES = Path(__file__).parents[3] / "examples" / "litmus"
SB = """X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
MODELS = ("sc", "x86-tso")


def answers(tests: Sequence[str | Path], at: Path | None, **more: object) -> list[campaign.TestAnswer]:
    found: list[campaign.TestAnswer] = []
    fields = {"models": [load_model(name) for name in MODELS], "texts": ("states",), **more}
    ask(Campaign(tests=tests, store=at, on_answer=found.append, **fields))  # type: ignore[arg-type]
    return found


def timeless(found: Sequence[campaign.TestAnswer]) -> list[campaign.TestAnswer]:
    return [replace(one, seconds=0.0, is_lasting=False, is_stored=False) for one in found]


def digest(path: Path) -> str:
    """What the last run of a store says, whatever it took."""
    with store.open_to_read(path) as connection:
        rows = connection.execute(
            "SELECT run_test.path, cell.model, answer.verdict, answer.allowed, answer.states, answer.reason"
            " FROM cell JOIN answer ON answer.id = cell.answer JOIN run_test ON run_test.run = cell.run"
            " AND run_test.place = cell.test WHERE cell.run = (SELECT max(id) FROM run) ORDER BY 1, 2"
        ).fetchall()
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


@pytest.fixture
def test(tmp_path: Path) -> Path:
    path = tmp_path / "sb.litmus"
    path.write_text(SB, encoding="utf-8")
    return path


def test_a_campaign_with_a_store_answers_as_one_without(tmp_path: Path) -> None:
    tests = campaign.tests_in([EXAMPLES])
    plain = answers(tests, None)
    first = answers(tests, tmp_path / "r.db")
    again = answers(tests, tmp_path / "r.db", jobs=2)
    assert timeless(first) == timeless(plain) == timeless(again)
    assert not any(one.is_stored for one in first)
    assert all(one.is_stored for one in again)
    with store.open_to_read(tmp_path / "r.db") as connection:
        (run,) = runs(connection)  # the same question is the same run
        assert (run.tests, run.cells, run.answered) == (len(tests), len(plain), len(plain))
        assert run.ended is not None


def test_models_of_the_languages_are_columns(tmp_path: Path) -> None:
    tests = campaign.tests_in([EXAMPLES])
    found = answers(tests, tmp_path / "r.db", models=())
    assert timeless(found) == timeless(answers(tests, None, models=()))
    with store.open_to_read(tmp_path / "r.db") as connection:
        matrix = Matrix(connection, 1)
        matrix.read_further(connection)
    assert {name for name, _ in matrix.models} == {one.model for one in found}
    width = len(matrix.models)
    for place, one in enumerate(found):
        column = [name for name, _ in matrix.models].index(one.model)
        assert matrix.cells()[place * width + column] == ("A" if one.allowed else "F")


def _taken(found: Sequence[campaign.TestAnswer]) -> int:
    return sum(one.is_stored for one in found)


def test_nothing_is_taken_where_something_that_matters_differs(
    test: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = tmp_path / "r.db"
    answers([test], at)
    assert _taken(answers([test], at)) == 2
    changes: list[Mapping[str, object]] = [
        {"options": Options(unrolling=Unrolling(exact=3, chosen_by_user=True))},
        {"options": Options(reductions_off=frozenset({"symmetry"}))},
        {"engine": "reference"},
        {"texts": ("states", "herd")},
    ]
    for change in changes:
        assert _taken(answers([test], at, **change)) == 0, change
        assert _taken(answers([test], at, **change)) == 2, change
    assert _taken(answers([test], at, options=Options(jobs=2))) == 2  # only how fast
    for module in (store_keys, recording):
        monkeypatch.setattr(module, "__version__", "99.0")
    assert _taken(answers([test], at)) == 0
    monkeypatch.setattr(store_keys, "build_digest", lambda: "another build")
    assert _taken(answers([test], at)) == 0
    test.write_text(SB.replace("$1  | MOV", "$2  | MOV"), encoding="utf-8")
    assert _taken(answers([test], at)) == 0


def test_a_test_that_was_moved_is_known_and_one_that_was_renamed_is_not(test: Path, tmp_path: Path) -> None:
    answers([test], tmp_path / "r.db")
    (tmp_path / "other").mkdir()
    moved = test.rename(tmp_path / "other" / test.name)
    assert _taken(answers([moved], tmp_path / "r.db")) == 2
    assert _taken(answers([moved], tmp_path / "r.db", texts=("states", "json"))) == 0  # which has the path
    assert _taken(answers([moved.rename(tmp_path / "sb2.litmus")], tmp_path / "r.db")) == 0


def test_a_change_of_a_model_or_of_what_it_includes_counts_and_its_comment_does_not(
    test: Path, tmp_path: Path
) -> None:
    model, part = tmp_path / "mine.cat", tmp_path / "part.cat"
    model.write_text('(* Mine. *)\ninclude "part.cat"\nacyclic strong as order\n', encoding="utf-8")
    part.write_text("let strong = po | rf | co | fr\n", encoding="utf-8")

    def again() -> list[campaign.TestAnswer]:
        return answers([test], tmp_path / "r.db", models=[load_model(str(model))])

    assert [one.allowed for one in again()] == [False]
    assert _taken(again()) == 1
    part.write_text("let strong = po-loc | rf | co | fr\n", encoding="utf-8")
    found = again()
    assert [(one.allowed, one.is_stored) for one in found] == [(True, False)]
    model.write_text(model.read_text(encoding="utf-8").replace("Mine", "Still mine"), encoding="utf-8")
    assert _taken(again()) == 1
    model.with_suffix(".claims").write_text("tags: any\n", encoding="utf-8")
    assert _taken(again()) == 0
    with store.open_to_read(tmp_path / "r.db") as connection:
        assert [run.id for run in runs(connection)] == [1, 2, 3]
        found_ = differences(side(connection, "1"), side(connection, "2"))
        assert found_.cells == [(str(test), "mine", "forbidden", "allowed")]


def test_another_limit_asks_only_what_a_limit_left_open(test: Path, tmp_path: Path) -> None:
    def found(limits: Limits) -> list[tuple[str, bool]]:
        told = answers([test], tmp_path / "r.db", limits=limits)
        return [(one.verdict, one.is_stored) for one in told]

    small = Limits(executions=3)
    assert found(small) == [("violated", False), ("unknown", False)]
    assert found(small) == [("violated", True), ("unknown", True)]
    assert found(Limits(executions=100)) == [("violated", True), ("holds", False)]
    assert found(Limits(seconds=100)) == [("violated", True), ("holds", True)]
    assert found(small) == [("violated", True), ("holds", True)]


def test_bad_input_and_accidents_are_shown_but_never_taken(
    test: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = tmp_path / "bad.litmus"
    bad.write_text("X86 bad\n{}\n P0 ;\n MOX ;\nexists (x=1)\n", encoding="utf-8")
    real = campaign.answer_case

    def answer(case: campaign.Case, plan: Campaign) -> campaign.TestAnswer:
        if case.model is not None and getattr(case.model, "name", "") == "x86-tso":
            if case.path == str(test):
                os.kill(os.getpid(), signal.SIGKILL)
            raise ZeroDivisionError("two\nlines")
        return real(case, plan)

    monkeypatch.setattr(recording, "answer_case", answer)
    found = answers([bad, test], tmp_path / "r.db")
    assert [one.verdict for one in found] == ["error", "unknown", "violated", "unknown"]
    assert found[1].reason == "internal error, please report: ZeroDivisionError: two lines"
    assert "SIGKILL" in found[3].reason
    monkeypatch.setattr(recording, "answer_case", real)
    again = answers([bad, test], tmp_path / "r.db")
    assert [one.verdict for one in again] == ["error", "error", "violated", "holds"]
    assert [one.is_stored for one in again] == [False, False, True, False]
    with store.open_to_read(tmp_path / "r.db") as connection:
        (run,) = runs(connection)
        assert connection.execute("SELECT count(*) FROM answer").fetchone() == (4,)
        matrix = Matrix(connection, run.id)
        matrix.read_further(connection)
        assert [r.startswith("bad input: error[W") for r in matrix.reasons] == [True]
        assert matrix.cells() == "ĀĀFA"


COMMAND = [
    *(sys.executable, "-m", "membar", "litmus", str(EXAMPLES)),
    *("--models", "sc,x86-tso,armv8,rc11", "--lines", "none"),
]


def _killed_after(seconds: float, at: Path) -> int:
    """Ends a campaign with SIGKILL; how many answers it had stored."""
    process = subprocess.Popen(
        [*COMMAND, "--store", str(at), "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(seconds)
    process.kill()
    process.wait()
    if not at.exists() or not at.stat().st_size:
        return 0
    with sqlite3.connect(at) as connection:
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'answer'").fetchone()
        return int(connection.execute("SELECT count(*) FROM answer").fetchone()[0]) if tables[0] else 0


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.full) for n in range(1, 12))])
def test_a_campaign_that_was_killed_is_continued(seed: int, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole.db", tmp_path / "broken.db"
    subprocess.run([*COMMAND, "--store", str(whole)], stdout=subprocess.DEVNULL, check=False)
    pick = random.Random(seed)
    kept = 0
    for _ in range(1 + seed % 3):
        before, kept = kept, _killed_after(pick.uniform(0.25, 1.3), broken)
        assert kept >= before
    found = subprocess.run([*COMMAND, "--store", str(broken)], capture_output=True, text=True, check=False)
    assert found.returncode == 3, found.stderr
    if kept:
        assert f"{kept} of 84 answers taken from the store" in found.stdout
    assert digest(whole) == digest(broken)
    with store.open_to_read(broken) as connection:
        (run,) = runs(connection)
        assert run.answered == 84


def test_an_interrupted_campaign_says_how_to_go_on(
    test: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = recording._complete

    def complete(plan: Campaign, case: campaign.Case, found: Any) -> campaign.TestAnswer:
        if case.model is not None and getattr(case.model, "name", "") == "x86-tso":
            raise KeyboardInterrupt
        return real(plan, case, found)

    monkeypatch.setattr(recording, "_complete", complete)
    words = ["litmus", str(test), "--models", "sc,x86-tso", "--store", str(tmp_path / "r.db")]
    assert main(words) == 130
    said = capsys.readouterr().err
    assert f"interrupted: 1 of 2 answers; they are stored in {tmp_path / 'r.db'}" in said
    monkeypatch.setattr(recording, "_complete", real)
    assert _taken(answers([test], tmp_path / "r.db")) >= 1


def test_a_campaign_is_also_a_page_up_to_some_size(
    test: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, words = tmp_path / "a.html", ["litmus", str(test), "--models", "sc,x86-tso"]
    for store_ in ([], ["--store", str(tmp_path / "r.db")], ["--store", str(tmp_path / "r.db")]):
        page.unlink(missing_ok=True)
        assert main([*words, "--html", str(page), *store_]) == 0
        shown = page.read_text(encoding="utf-8")
        assert '"model": "sc"' in shown
        assert '"model": "x86-tso"' in shown
    capsys.readouterr()
    monkeypatch.setattr(litmus, "_MOST_IN_A_PAGE", 1)
    assert main([*words, "--html", str(page)]) == 2
    assert "membar serve" in capsys.readouterr().err.splitlines()[-1]


def test_two_cannot_write_one_store(test: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_HANDOVER", 0.1)
    with store.open_to_write(tmp_path / "r.db"), pytest.raises(Exception, match="another `membar litmus"):
        answers([test], tmp_path / "r.db")


def _state(path: Path) -> tuple[str, bool]:
    """The state of the last run, and whether it says when it ended."""
    with store.open_to_read(path) as connection:
        last = runs(connection)[-1]
        return last.state, last.ended is not None


def test_a_reader_sees_whether_a_run_is_being_written(
    test: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = tmp_path / "r.db"
    seen = []
    real = recording._complete

    def complete(plan: Campaign, case: campaign.Case, found: Any) -> campaign.TestAnswer:
        seen.append(_state(at))
        return real(plan, case, found)

    monkeypatch.setattr(recording, "_complete", complete)
    answers([test], at)
    assert seen
    assert set(seen) == {("running", False)}
    assert _state(at) == ("complete", True)
    assert not Path(f"{at}-lock").exists()

    for problem, state in ((KeyboardInterrupt, "interrupted"), (ZeroDivisionError, "failed")):

        def fail(*_: object, what: type[BaseException] = problem) -> campaign.TestAnswer:
            raise what

        monkeypatch.setattr(recording, "_complete", fail)
        with pytest.raises(problem):
            answers([test], at, options=Options(unrolling=Unrolling(exact=len(state))))
        assert _state(at) == (state, True)


def test_a_run_whose_writer_was_killed_is_not_running(test: Path, tmp_path: Path) -> None:
    at = tmp_path / "r.db"
    slow = tmp_path / "slow.litmus"  # an enumeration that takes minutes
    threads = 7
    rows = [[f" P{n} " for n in range(threads)], *[[f" MOV [x],${k} "] * threads for k in (1, 2, 3)]]
    program = "\n".join("|".join(row) + ";" for row in rows)
    slow.write_text(f"X86 slow\n{{ x=0; }}\n{program}\nexists (x=7)\n", encoding="utf-8")
    words = [sys.executable, "-m", "membar", "litmus", str(test), str(slow), "--store", str(at)]
    words += ["--models", "x86-tso", "--engine", "reference", "--lines", "none"]
    writer = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    state = ""
    while state != "running":
        assert writer.poll() is None
        assert time.monotonic() < end
        time.sleep(0.05)
        try:
            state, _ = _state(at)
        except (InputError, IndexError):  # not yet made
            continue
    writer.kill()
    writer.wait()
    died = time.monotonic()
    while _state(at)[0] == "running":  # its child processes hold the lock until they end
        assert time.monotonic() < died + 10
        time.sleep(0.05)
    assert _state(at) == ("killed", False)
    answers([test], at)
    with store.open_to_read(at) as connection:
        assert [run.state for run in runs(connection)] == ["killed", "complete"]
        stored = connection.execute("SELECT state FROM run ORDER BY id").fetchall()
        assert stored == [("killed",), ("complete",)]


def _refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 2
    message = capsys.readouterr().err
    assert message.startswith("error[W04")
    assert "Traceback" not in message
    return message.splitlines()[0]


def test_files_that_are_no_stores(test: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("my notes, " * 200, encoding="utf-8")
    database = tmp_path / "other.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE mine (x)")
    later = tmp_path / "later.db"
    answers([test], later)
    with sqlite3.connect(later) as connection:
        connection.execute("PRAGMA user_version = 7")
    commands = (
        ("litmus", str(test), "--store"),
        ("compare", "1", "2", "--store"),
    )
    for words in commands:
        assert f"`{other}` is not a store of results" in _refused(capsys, *words, str(other))
        assert f"`{database}` is not a store of results" in _refused(capsys, *words, str(database))
        assert "has schema version 7; this membar reads version 2" in _refused(capsys, *words, str(later))
    assert other.read_text(encoding="utf-8").startswith("my notes, my notes")
    assert "cannot open the store" in _refused(capsys, "compare", "1", "2", "--store", str(tmp_path / "none"))
    missing = tmp_path / "no" / "r.db"
    assert "No such file" in _refused(capsys, "litmus", str(test), "--store", str(missing))
    assert "directory" in _refused(capsys, "litmus", str(test), "--store", str(tmp_path)).lower()


def test_a_full_disk_is_one_sentence_and_keeps_what_was_stored(tmp_path: Path) -> None:
    at = tmp_path / "r.db"
    words = [*COMMAND, "--store", str(at), "--jobs", "1"]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    found = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=limited)
    assert found.returncode == 2
    assert found.stderr.count("error[") == 1
    assert f"cannot use the store `{at}`" in found.stderr
    assert "what was stored before is kept" in found.stderr
    again = subprocess.run(words, capture_output=True, text=True, check=False)
    assert again.returncode == 3
    assert digest(at)


def test_stored_results_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = str(tmp_path / "r.db")
    fenced = SB.replace(" MOV EAX", " MFENCE | MFENCE ;\n MOV EAX", 1)
    for name, text in (("a", SB), ("b", fenced)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sb.litmus").write_text(text, encoding="utf-8")
        assert main(["litmus", str(tmp_path / name), "--models", "sc,x86-tso", "--store", at]) == 0
    capsys.readouterr()
    assert main(["compare", "sc@1", "x86-tso@1", "--store", at]) == 1
    assert "differ on 1 of 1 tests" in capsys.readouterr().out.replace("test that", "tests that")
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--store", at, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["differences"] == [
        {"test": "sb.litmus", "model": "x86-tso", "left": "allowed", "right": "forbidden"}
    ]
    assert (found["compared"], found["runs"]) == (2, [1, 2])
    assert main(["compare", "sc", "x86-tso", "--store", at]) == 0
    assert "has no model, run or folder `7`" in _refused(capsys, "compare", "1", "7", "--store", at)
    assert "cannot be compared with" in _refused(capsys, "compare", "1", "sc", "--store", at)
    assert "--models does not apply" in _refused(capsys, "compare", "1", "2", "--store", at, "--models", "sc")


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["litmus", str(EXAMPLES / "store-buffering.litmus"), str(EXAMPLES / "wait-for-flag.litmus")]

    def shown(*more: str) -> list[str]:
        main([*words, *more])
        lines = capsys.readouterr().out.splitlines()
        return [line for line in lines if ".litmus " in line and not line.startswith(" ")]

    assert [line.split()[1:] for line in shown("--models", "sc,x86-tso")] == [
        ["forbidden", "allowed"],
        ["forbidden", "forbidden"],
    ]
    assert len(shown("--models", "sc,x86-tso", "--lines", "answers")) == 4
    assert len(shown("--models", "sc,x86-tso", "--lines", "differing")) == 1
    assert shown("--lines", "none") == []
    again = f"{Path(cli.__file__).parents[1]}/models/sc.cat"
    assert "are called `sc`" in _refused(capsys, *words, "--models", f"sc,{again}")
    assert "--expect states one answer" in _refused(capsys, *words, "--models", "sc", "--expect", "x.csv")


@pytest.mark.parametrize(
    ("reason", "group"),
    [
        ("the model sc does not define `A` (line 12)", "the model sc does not define `A`"),
        ("`x` at line 3 is not known\nmore", "`x` is not known"),
        ("the time limit of 1 s was reached", "the time limit of 1 s was reached"),
    ],
)
def test_reasons_are_grouped_without_lines(reason: str, group: str) -> None:
    assert reason_group(reason) == group


def test_the_schema_is_documented(tmp_path: Path) -> None:
    page = (EXAMPLES.parents[1] / "docs" / "reference" / "store.md").read_text(encoding="utf-8")
    assert f"Schema, version {store.SCHEMA_VERSION}" in page
    schema = page.partition("Schema, version")[2]
    rows = {row.split("`")[1]: row for row in schema.splitlines() if row.startswith("| `")}
    query = page.partition("```sql\n")[2].partition("```")[0]
    with store.open_to_write(tmp_path / "r.db") as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE sql NOT NULL")]
        assert rows.keys() == set(tables) - {"sqlite_sequence"}
        for table, row in rows.items():
            for (column,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)):
                assert f"`{column}`" in row, (table, column)
        assert connection.execute(query).fetchall() == []
