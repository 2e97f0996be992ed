"""Task descriptions of SV-COMP: files, data model, properties and expected verdicts come from the `.yml`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.questions.svcomp_tasks import task_questions

pytest_plugins = ["pytester"]

_MAIN = """extern void reach_error(void);
extern int one(void);
int main(void) {
  if (one() != sizeof(long) / 4) reach_error();
  return 0;
}
"""
_ONE = "int one(void) { return 1; }\n"
_PROPERTIES = """properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: true
  - property_file: ../properties/termination.prp
  - property_file: ../properties/valid-memsafety.prp
    expected_verdict: false
    subproperty: valid-memtrack
"""
_TASK = f"""format_version: '2.0'
# a comment
input_files:
  - 'main.c'
  - 'one.c'
{_PROPERTIES}
options:
  language: C
  data_model: ILP32
"""


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder, properties = tmp_path / "c", tmp_path / "properties"
    folder.mkdir()
    properties.mkdir()
    (folder / "main.c").write_text(_MAIN, "utf-8")
    (folder / "one.c").write_text(_ONE, "utf-8")
    for name, formulas in (
        ("unreach-call", ["G ! call(reach_error())"]),
        ("termination", ["F end"]),
        ("valid-memsafety", ["G valid-free", "G valid-deref", "G valid-memtrack"]),
    ):
        lines = [f"CHECK( init(main()), LTL({formula}) )\n" for formula in formulas]
        (properties / f"{name}.prp").write_text("".join(lines), "utf-8")
    found = folder / "task.yml"
    found.write_text(_TASK, "utf-8")
    monkeypatch.chdir(tmp_path)
    return found


@pytest.mark.usefixtures("task")
def test_each_property_is_answered_and_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "c/task.yml", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["file"] for line in lines] == ["c/main.c"] * 3
    assert [line["verdict"] for line in lines] == ["holds"] * 3
    assert [line["property"] for line in lines] == ["assertions", "deadlock,termination", "memory,leaks"]
    assert [line["task"] for line in lines] == [
        {
            "description": "c/task.yml",
            "property_file": "../properties/unreach-call.prp",
            "expected": "holds",
            "as_expected": True,
        },
        {"description": "c/task.yml", "property_file": "../properties/termination.prp"},
        {
            "description": "c/task.yml",
            "property_file": "../properties/valid-memsafety.prp",
            "expected": "violated",
            "subproperty": "valid-memtrack",
            "as_expected": False,
        },
    ]


def test_the_data_model_of_the_task_decides(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task.write_text(_TASK.replace("ILP32", "LP64"), "utf-8")
    assert cli.main(["check", "c/task.yml", "--property", "assertions"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "c/task.yml, ../properties/unreach-call.prp: expected HOLDS, which this answer contradicts" in said


def test_properties_select_property_files(task: Path) -> None:
    answer = membar.check(task, properties=["leaks"])
    assert answer.question.task is not None
    assert answer.question.task.property_file == "../properties/valid-memsafety.prp"
    with pytest.raises(InputError, match="asks about 3 properties"):
        membar.check(task)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("format_version: '2.0'", "format_version: '3.0'", 1, "unknown format `3.0`"),
        ("format_version: '2.0'", "a: 1", 1, "the key `format_version` is missing"),
        ("input_files:", "inputs:", 1, "the key `input_files` is missing"),
        ("'one.c'", "'two.c'", 5, "there is no file `c/two.c`"),
        ("'one.c'", "[]", 5, "this is no word"),
        ("termination.prp", "other.prp", 9, "there is no file `properties/other.prp`"),
        ("property_file: ../properties/termination.prp", "file: x", 9, "the key `property_file` is missing"),
        ("expected_verdict: true", "expected_verdict: maybe", 8, "`maybe` is no verdict"),
        (_PROPERTIES, "properties: []\n", 6, "this is no list"),
        ("ILP32", "ILP64", 16, "unknown data model `ILP64`"),
        ("language: C", "language: Java", 15, "tasks in `Java` are not read"),
        ("- 'main.c'", "- ['main.c", 5, "this is not YAML"),
        (_TASK, "- 1\n", 1, "this is no list of keys with values"),
        ("# a comment", "format_version: '1.0'", 2, "the key `format_version` is there twice"),
        ("'one.c'", "'two*.c'", 5, r"there is no file `c/two\*.c`"),
        ("termination.prp", "*.prp", 9, "several files match"),
    ],
)
def test_what_is_no_task_is_refused_at_its_place(
    task: Path, old: str, new: str, line: int, message: str
) -> None:
    task.write_text(_TASK.replace(old, new), "utf-8")
    with pytest.raises(InputError, match=message) as caught:
        task_questions("c/task.yml", None)
    primary = caught.value.diagnostics[0].primary
    assert primary is not None
    assert primary.span.line == line


def test_a_pattern_names_the_input_files_that_match_it(task: Path) -> None:
    text = _TASK.replace("  - 'main.c'\n  - 'one.c'\n", "  - '[mo]*.c'\n").replace("termination", "termin*")
    task.write_text(text, "utf-8")
    assert [(one.file, one.further_files) for one in task_questions("c/task.yml", None)] == [
        ("c/main.c", ("c/one.c",))
    ] * 3


@pytest.mark.usefixtures("task")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--property", "races"], "`c/task.yml` does not ask about races"),
        (["--data-model", "LP64"], "--data-model LP64, but `c/task.yml` says ILP32"),
        (["--threads", "any"], "--threads does not apply to `c/task.yml`"),
        (["--property-file", "properties/termination.prp"], "--property-file does not apply"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", "c/task.yml", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_wrong_task_stops_no_other(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (task.parent / "wrong.yml").write_text("", "utf-8")
    words = ["check", "c/wrong.yml", "c/none.yml", "c/task.yml", "--property", "assertions", "--json"]
    assert cli.main(words) == 2
    first, second, third = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["errors"][0]["code"], second["errors"][0]["code"]) == ("W1450", "W0404")
    assert third["verdict"] == "holds"


@pytest.mark.usefixtures("task")
def test_other_commands_name_the_one_that_reads_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compare", "c/task.yml", "--models", "sc"]) == 2
    assert "which only `check` reads" in capsys.readouterr().err


def test_a_task_is_a_test_of_pytest(
    task: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (task.parent / "other.yml").write_text("steps: [1]\n", "utf-8")
    plain = ("-p", "membar.cli.pytest_plugin", "-p", "no:cacheprovider")
    result = pytester.runpytest_subprocess(*plain, "--membar", str(task.parent))
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*expected VIOLATED, but the answer is HOLDS*"])
