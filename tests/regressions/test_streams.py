"""Nothing that membar writes gets lost, and no stream makes it fall over."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import tiers
from strategies.commands import CLOSED, FULL, GONE, run_membar, run_on_terminal

_STORE_BUFFERING = """\
X86 "é😀"
{ x=0; y=0; }
(* commentaire é *)
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
~exists (0:EAX=0 /\\ 1:EAX=0)
"""


@pytest.fixture
def test(tmp_path: Path) -> Path:
    """A litmus test with letters that are not ASCII."""
    path = tmp_path / "sb.litmus"
    path.write_text(_STORE_BUFFERING, encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [["--json"], ["--herd"], ["--json", "--jobs", "2"], []])
def test_results_of_litmus_go_to_the_file_while_a_terminal_shows_progress(
    tmp_path: Path, options: list[str]
) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    for number in range(12):
        (tests / f"t{number:02}.litmus").write_text(_STORE_BUFFERING.replace("é😀", f"t{number:02}"))
    (tests / "wrong.litmus").write_text("X86 wrong\n{ x=0 }\n P0 ;\n JUMP ;\nexists (x=0)\n")
    code, shown = run_on_terminal("litmus", tests, *options, output=tmp_path / "results")
    lines = (tmp_path / "results").read_text().splitlines()
    assert code == 3
    assert "error[" in shown
    if "--json" in options:
        assert [json.loads(line)["verdict"] for line in lines] == ["violated"] * 12
    elif options:
        assert sum(line.startswith('Test "t') for line in lines) == 12
    else:
        assert sum(line.startswith("VIOLATED ") and ".litmus" in line for line in lines) == 12


@pytest.mark.parametrize(
    "words",
    [
        ["repair", "FILE"],
        ["repair", "FILE", "--json"],
        ["litmus", "FILE", "--json"],
        ["litmus", "FILE", "--herd"],
        ["litmus", "FILE"],
        ["check", "FILE", "--summary", "-"],
        ["check", "FILE", "--explain", "--all"],
        ["compare", "FILE"],
        ["check", "FILE", "--model", "é"],
    ],
    ids=" ".join,
)
def test_streams_that_cannot_encode_a_letter_get_it_escaped(test: Path, words: list[str]) -> None:
    given = [str(test) if word == "FILE" else word for word in words]
    usual = run_membar(*given)
    ended = run_membar(*given, environment={"PYTHONIOENCODING": "ascii"})
    assert ended.code == usual.code
    assert "Traceback" not in ended.errors
    assert "internal error" not in ended.errors
    assert len(_without_slowest(ended.output)) == len(_without_slowest(usual.output))
    if "--json" in words:
        ours, theirs = json.loads(ended.output), json.loads(usual.output)
        assert _without_times(ours) == _without_times(theirs)


def _without_slowest(output: str) -> list[str]:
    """The lines of a report, without the list of slow tests that a campaign ends with on a busy machine."""
    return output.partition("\n\nslowest\n")[0].splitlines()


def _without_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_times(part) for key, part in value.items() if key != "seconds"}
    return [_without_times(part) for part in value] if isinstance(value, list) else value


_COMMANDS = [
    ["--version"],
    ["--help"],
    ["check", "--help"],
    ["models"],
    ["check", "FILE"],
    ["check", "FILE", "--summary", "-"],
    ["litmus", "FILE", "--json"],
    ["compare", "FILE"],
    ["repair", "FILE"],
    ["translate", "PROGRAM", "--to", "promela"],
]
_PROGRAM = "byte x;\nactive proctype p() { x = 1 }\nactive proctype q() { assert(x < 2) }\n"


@pytest.mark.parametrize(
    ("words", "kind"),
    tiers.rows(2, [(words, kind) for words in _COMMANDS for kind in (CLOSED, FULL, GONE)]),
    ids=str,
)
def test_a_result_that_cannot_be_written_is_never_success(test: Path, words: list[str], kind: str) -> None:
    program = test.with_name("program.pml")
    program.write_text(_PROGRAM)
    names = {"FILE": str(test), "PROGRAM": str(program)}
    ended = run_membar(*(names.get(word, word) for word in words), output=kind)
    if kind == GONE:
        assert ended.code == 141
        assert "error" not in ended.errors
    else:
        assert ended.code == 2
        assert ended.errors.splitlines()[-1].startswith("error[W0404]: standard output: ")
        assert "Traceback" not in ended.errors


@pytest.mark.parametrize("kind", [CLOSED, FULL, GONE])
def test_messages_that_cannot_be_written_leave_the_answer_alone(test: Path, kind: str) -> None:
    ended = run_membar("check", test, output="", errors=kind)
    assert (ended.code, "VIOLATED" in ended.output) == (1, True)
    missing = run_membar("check", test.with_name("missing.litmus"), errors=kind)
    assert (missing.code, missing.output) == (2, "")
    nothing = run_membar("check", test, output=kind, errors=kind, stdin=None)
    assert nothing.code in (2, 141)


def test_no_file_takes_the_number_of_a_closed_stream(test: Path) -> None:
    before = test.read_text()
    ended = run_membar("check", test, "--json", output=CLOSED, errors=CLOSED, stdin=None)
    assert ended.code == 2
    assert test.read_text() == before


def test_a_witness_from_a_closed_standard_input_is_an_error_and_one_in_other_bytes_is_not(test: Path) -> None:
    closed = run_membar("replay", "-", stdin=None)
    assert closed.code == 2
    assert closed.errors.startswith("error[W0404]: standard input: ")
    found = run_membar("check", test, "--json")
    again = run_membar("replay", "-", stdin=found.output, environment={"PYTHONIOENCODING": "ascii"})
    assert (again.code, again.errors) == (0, "")


@pytest.mark.parametrize("option", ["--sarif", "--junit", "--summary", "--witness"])
def test_a_file_that_cannot_be_written_is_named(test: Path, option: str) -> None:
    file = test
    if option == "--witness":
        file = test.with_name("w.c")
        file.write_text("void reach_error(void) {}\nint main(void) { reach_error(); }\n")
        target = test.with_name("w.graphml")
        target.symlink_to("/dev/full")
    else:
        target = Path("/dev/full")
    ended = run_membar("check", file, option, target)
    assert ended.code == 2
    assert ended.errors.startswith(f"error[W0404]: {target}: No space left on device")
    assert "VIOLATED" in ended.output


def test_file_names_that_are_not_utf8_reach_every_report(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/sb-\xff.litmus"
    Path(os.fsdecode(name)).write_text(_STORE_BUFFERING, encoding="utf-8")
    wanted = {
        option: tmp_path / f"out{option}" for option in ("--sarif", "--junit", "--summary", "--svg", "--dot")
    }
    words = [word for option, path in wanted.items() for word in (option, path)]
    for environment in ({}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}):
        ended = run_membar("check", name, "--json", *words, environment=environment)
        assert (ended.code, ended.errors) == (1, "")
        assert json.loads(ended.output)["file"].endswith("sb-\udcff.litmus")
        for path in wanted.values():
            assert path.exists()
        again = run_membar("replay", "-", stdin=ended.output, environment=environment)
        assert (again.code, again.errors) == (0, "")
    assert run_membar("check", name + b"x").code == 2


def test_one_file_that_cannot_be_read_does_not_cost_the_answers_about_others(test: Path) -> None:
    missing = test.with_name("missing.litmus")
    ended = run_membar("check", missing, test)
    assert ended.code == 2
    assert "VIOLATED" in ended.output
    dangling = test.with_name("dangling.litmus")
    dangling.symlink_to(missing)
    ended = run_membar("litmus", test.parent, "--json")
    assert ended.code == 3
    assert [json.loads(line)["verdict"] for line in ended.output.splitlines()] == ["violated"]
    assert f"error[W0404]: {dangling}" in ended.errors
