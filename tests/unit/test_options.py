"""What options say: numbers that are too large, formulas nested too deeply, and where their mistakes are."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.questions.outcome import Violated
from membar.questions.task import Options
from membar.source import SourceFile

SELF = "byte x;\nprocess A { state s; init s; trans s -> s { effect x = (x + 1) % 3; }; }\nsystem async;\n"
TWO = """byte x, y, z;
process P { state a, b; init a; trans a -> b { effect x = 1; }; }
process Q { state s; init s; trans s -> s {}; }
system async;
"""
ONE = "byte x;\nactive proctype A() { x = 1; l: x = 2; }\n"


def told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, *words: str, ending: str = "dve"
) -> str:
    """What is said about bad input; nothing else is printed."""
    path = tmp_path / f"m.{ending}"
    path.write_text(text, encoding="utf-8")
    assert cli.main(["check", str(path), *words]) == cli.BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.replace(str(tmp_path) + "/", "")


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (("--limit", "time=99999999999999999999999s"), 10**9),
        (("--limit", "time=9999999999h"), 10**9),
        (("--limit", "states=99999999999999999999"), 10**18),
        (("--limit", "executions=" + "9" * 400), 10**18),
        (("--limit", "memory=999999999999999999T"), 10**18),
        (("--buffers", "99999999999999999999"), 4096),
        (("--buffers", "4097"), 4096),
        (("--unroll", "9" * 5000), 2**31 - 1),
        (("--jobs", "99999999999"), 2**31 - 1),
    ],
)
def test_numbers_that_are_too_large_are_refused_at_the_option(
    words: tuple[str, str], most: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(tmp_path, capsys, SELF, *words)
    assert said.startswith(f"error[W0400]: argument {words[0]}: ")
    assert f"is too large: at most {most}" in said
    assert len(said) < 300


@pytest.mark.parametrize(
    "words", [("--buffers", "0"), ("--buffers", "00"), ("--unroll", "²"), ("--jobs", "-1")]
)
def test_what_is_no_number_is_refused(
    words: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "error[W0400]" in told(tmp_path, capsys, SELF, *words)


@pytest.mark.parametrize(
    "formula",
    [
        "(" * 200 + "F x == 0" + ")" * 200,
        "X " * 3000 + "x == 0",
        "X" * 3000 + " x == 0",
        "!" * 2000 + "x == 0",
        "[] " * 2000 + "x == 0",
        "x == 0 or " * 2000 + "x == 0",
        "F x == 0 -> " * 2000 + "x == 0",
        "x == 0 U " * 2000 + "x == 0",
    ],
)
def test_formulas_that_are_nested_too_deeply_are_refused(
    formula: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(tmp_path, capsys, SELF, "--ltl", formula)
    assert said.startswith("error[W1003]: ")
    assert " --> --ltl:1:" in said


@pytest.mark.parametrize(
    "formula", ["(" * 59 + "F x == 0" + ")" * 59, "X " * 99 + "x < 3", "(" * 59 + "x == 0" + ")" * 59]
)
def test_formulas_up_to_there_are_answered(formula: str) -> None:
    assert membar.check(SourceFile("self.dve", SELF), model="sc", ltl=formula).verdict == "holds"


def test_a_text_that_nobody_can_follow_down_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def deep(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr("membar.questions.programs.parse", deep)
    assert told(tmp_path, capsys, SELF).startswith("error[W0435]: ")


def test_an_array_with_too_many_elements_is_refused_before_they_are_made() -> None:
    text = "byte a[1000000000];\n" + SELF
    with pytest.raises(InputError, match="too large"):
        membar.parse(SourceFile("big.dve", text))


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("--error", "Q.s and R.s"), "--error:1:9"),
        (("--ltl", "F q == 1"), "--ltl:1:3"),
        (("--ltl", "G ("), "--ltl:1:4"),
        (("--error", "Q.s", "--ltl", "F q == 1"), "--ltl:1:3"),
        (("--error", "R.s", "--ltl", "F x == 1"), "--error:1:1"),
        (("--atomic", "list.txt"), "list.txt:4:1"),
        (("--ltl", "@formula.ltl"), "formula.ltl:4:3"),
    ],
)
def test_mistakes_in_options_are_shown_there(
    words: tuple[str, ...],
    place: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.txt").write_text("# first\nx, P.1\n\nz, P.9\n", encoding="utf-8")
    Path("formula.ltl").write_text("# comes\nG F\n (P.b or\n  zz == 1)\n", encoding="utf-8")
    assert f" --> {place}\n" in told(tmp_path, capsys, TWO, *words)


@pytest.mark.parametrize("words", [("--ltl", "G ("), ("--ltl", "G Q.s ->"), ("--error", "Q.s +")])
def test_an_option_that_ends_too_early_does_not_blame_what_membar_adds_behind_it(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(tmp_path, capsys, TWO, *words).startswith("error[W1002]: unexpected end of input\n")


def test_a_mistake_in_the_text_stays_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = told(tmp_path, capsys, TWO.replace("system async;\n", ""), "--ltl", "F x == 1")
    assert " --> m.dve:3:" in said


def test_mistakes_in_options_about_promela_are_shown_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert " --> --error:1:1\n" in told(tmp_path, capsys, ONE, "--error", "A@k", ending="pml")
    assert " --> --ltl:1:3\n" in told(tmp_path, capsys, ONE, "--ltl", "F B@l", ending="pml")


def test_a_formula_from_a_file_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.ltl").write_text("# P gets there,\n  # or not\nF\n  (P.b)\n", encoding="utf-8")
    (tmp_path / "m.dve").write_text(TWO, encoding="utf-8")
    words = ["check", str(tmp_path / "m.dve"), "--ltl", f"@{tmp_path / 'f.ltl'}"]
    assert cli.main([*words, "--fair", "processes,buffers"]) == cli.HOLDS
    assert "checked claims" in capsys.readouterr().out
    assert cli.main(words) == cli.VIOLATED
    assert f"--ltl @{tmp_path / 'f.ltl'}" in capsys.readouterr().out


def test_a_file_of_a_formula_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = told(tmp_path, capsys, TWO, "--ltl", "@nowhere.ltl")
    assert said.startswith("error[W0404]: nowhere.ltl: No such file")


@pytest.mark.parametrize("name", ["A", "A[0]"])
def test_the_only_process_of_its_kind_may_be_called_by_its_number(name: str) -> None:
    assert membar.check(SourceFile("one.pml", ONE), ltl=f"F {name}@l").verdict == "holds"


def test_legacy_errors_under_store_buffers_say_what_is_missing() -> None:
    result = membar.check(SourceFile("two.dve", TWO), model="x86-tso", words={"dve-errors": "legacy"})
    assert result.verdict == "unknown"
    assert "--model sc" in getattr(result.outcome, "reason", "")


@pytest.mark.parametrize("guard", ["0", "x == 0", "i == 0"])
@pytest.mark.parametrize("asked", [{}, {"error": "A.t"}, {"ltl": "G not A.t"}])
def test_a_guard_that_is_never_open_is_a_deadlock_whatever_else_is_asked(
    guard: str, asked: dict[str, str]
) -> None:
    text = (
        "byte x = 1;\nprocess A { byte i = 1; state s, t; init s; "
        f"trans s -> t {{ guard {guard}; }}; }}\nsystem async;\n"
    )
    outcome = membar.check(SourceFile("k.dve", text), error=asked.get("error"), ltl=asked.get("ltl")).outcome
    assert isinstance(outcome, Violated)
    assert outcome.property == "deadlock"


# Each process counts for itself, then one of them goes wrong: an order of steps that nobody notices.
COUNTING = """byte x;
process P { byte i; state a, b, bad; init a; trans a -> b { effect i = 1; }, b -> bad { effect x = 1; }; }
process Q { byte j; state a, b, c; init a; trans a -> b { effect j = 1; }, b -> c { effect j = 2; }; }
system async;
"""


@pytest.mark.parametrize("asked", [{"error": "P.bad"}, {"ltl": "G F Q.a"}])
def test_shortest_runs_are_as_short_as_those_of_the_reference(asked: dict[str, str]) -> None:
    def length(engine: str, *, shortest: bool) -> int:
        options = Options(shortest=shortest, fair=frozenset({"buffers", "processes"}))
        result = membar.check(
            SourceFile("c.dve", COUNTING),
            engine=engine,
            options=options,
            error=asked.get("error"),
            ltl=asked.get("ltl"),
        )
        assert result.witness is not None
        return len(result.witness.steps)

    short = length("states", shortest=True)
    assert short <= length("states", shortest=False)
    if "error" in asked:
        assert short == length("reference", shortest=True) == 2
    else:
        assert short == 5  # all that happens, and the store on its way to memory


def test_shortest_runs_are_not_asked_of_other_engines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(tmp_path, capsys, COUNTING, "--shortest", "--engine", "graphs")
    assert said.startswith("error[W0436]: ")


@pytest.mark.parametrize("given", ["none", ("none",), ()])
def test_fairness_may_be_nothing_in_python_too(given: str | tuple[str, ...]) -> None:
    text = SourceFile("flag.pml", "bit x; active proctype P() { do :: x = 1 - x od } ltl c { []<> (x == 1) }")
    assert membar.check(text, model="sc", fair=given).verdict == "holds"


@pytest.mark.parametrize("given", ["bufers", ("buffers", "none"), ("process",)])
def test_fairness_to_something_else_is_refused(given: str | tuple[str, ...]) -> None:
    text = SourceFile("flag.pml", "bit x; active proctype P() { x = 1 }")
    with pytest.raises(InputError, match="fair="):
        membar.check(text, model="sc", fair=given)
