"""`error state …` and `--error`: states of one process that must not be reached."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from unit.languages.xcfa.texts import codes, problems, process, source

WRITER = process("1 -> x", name="w")
# The variable is 1 between two steps only; at the end it is 0.
PASSING = """process p { main procedure run() { var l : int
init loc a loc m final loc b a -> m { l <- x } m -> b { l := 0 } } }"""
TWO = "var x : int\n" + WRITER + PASSING


def verdict(text: str, *, error: str | None = None, model: str = "sc", engine: str = "graphs") -> str:
    return membar.check(source(text), model=model, engine=engine, error=error).verdict


@pytest.mark.parametrize("engine", ["graphs", "reference"])
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("p.l = 1", "violated"),
        ("p.l = 2", "holds"),
        ("p.l + 1 = 2 and p.m", "violated"),
        ("p.l = 1 and p.b", "holds"),
        ("p.l = 0 and p.a", "violated"),
        ("p.l = 1 and not p.m", "holds"),
        ("not (p.a or p.m or p.b)", "holds"),
        ("m", "violated"),
        ("w.b", "violated"),
        ("final p.l = 1", "holds"),
        ("final x = 1", "violated"),
        ("state p.l = 1", "violated"),
    ],
)
def test_what_is_reached(error: str, expected: str, engine: str) -> None:
    assert verdict(TWO, error=error, engine=engine) == expected


def test_it_is_the_same_in_the_file() -> None:
    assert verdict(TWO + "\nerror state p.l = 1") == "violated"
    assert verdict(TWO + "\nerror state p.l = 2\nerror state not (p.a or p.m or p.b)") == "holds"
    assert verdict(TWO + "\nerror state p.l = 2 error state w.b error final x = 7") == "violated"


def test_a_location_that_no_run_reaches() -> None:
    text = """process p { main procedure run() { var l : int
    init loc a loc m final loc b a -> m { assume l = 1 } a -> b { } m -> b { } } }"""
    assert verdict(text, error="p.m") == "holds"
    assert verdict(text, error="p.b") == "violated"


def test_looking_adds_no_dependency() -> None:
    """Load buffering stays possible under armv8, whatever is looked at."""
    body = """process {} {{ main procedure run() {{ var l : int
    init loc a loc m final loc b a -> m {{ l <- {} }} m -> b {{ 1 -> {} }} }} }}
    """
    text = "var x : int var y : int\n" + body.format("p", "x", "y") + body.format("q", "y", "x")
    asked = text + "error final p.l = 1 and q.l = 1"
    assert verdict(asked, model="armv8") == "violated"
    for engine in ("graphs", "reference"):
        looked_at = asked + " error state p.l = 2 error state q.l = 2 and q.m"
        result = membar.check(source(looked_at), model="armv8", engine=engine)
        assert getattr(result.outcome, "property", "") == "errors"
        assert result.witness is not None
        assert result.witness.final == (("p.l", 1), ("q.l", 1))


@pytest.mark.parametrize("model", ["sc", "x86-tso", "bajczi-fixed-weak"])
def test_an_asserting_program_says_the_same(model: str) -> None:
    """The state after the last step, looked at and led into an error location."""
    for first, second in product((0, 1), repeat=2):
        test = f"l = {first} and k = {second}"
        reader = """process r { main procedure run() { var l : int var k : int
        init loc a loc m final loc b error loc e a -> m { l <- x k <- y } m -> b { } %s } }"""
        writer = process("1 -> y 1 -> x", name="w")
        shared = "var x : int var y : int\n" + writer
        led = shared + reader % f"m -> e {{ assume {test} }}"
        plain = shared + reader.replace("error loc e", "") % ""
        looked = test.replace("l =", "r.l =").replace("k =", "r.k =")
        assert verdict(plain, error=f"r.m and {looked}", model=model) == verdict(led, model=model)


def test_a_witness_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.xcfa"
    path.write_text(TWO, encoding="utf-8")
    assert cli.main(["check", str(path), "--error", "p.l = 1", "--json"]) == cli.VIOLATED
    saved = tmp_path / "w.json"
    saved.write_text(capsys.readouterr().out, encoding="utf-8")
    assert cli.main(["replay", str(saved)]) == cli.HOLDS
    assert "error state of p: p.l = 1: VIOLATED (errors)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("predicate", "code"),
    [
        ("true", "W0612"),
        ("x = 1 and p.nobody", "W0604"),
        ("x and p.m", "W0605"),
        ("p.nobody", "W0604"),
        ("q.l = 1", "W0604"),
        ("nowhere", "W0604"),
        ("b", "W0604"),
        ("p.l", "W0605"),
        ("p.m + 1 = 2", "W0605"),
        ("p.l = ", "W0602"),
    ],
)
def test_what_cannot_be_asked(predicate: str, code: str) -> None:
    assert codes(problems(f"{TWO} error state {predicate}")) == [code]


OVERTAKING = "var x : int\nvar y : int\n" + process("1 -> x\n1 -> y", name="w") + process("skip", name="p")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("x = 1 and y = 0", {"sc": "violated", "x86-tso": "violated", "pso": "violated"}),
        ("x = 0 and y = 1", {"sc": "holds", "x86-tso": "holds", "pso": "violated"}),
        ("w.b and x = 0", {"sc": "holds", "x86-tso": "violated", "pso": "violated"}),
        ("w.a and p.b", {"sc": "violated", "x86-tso": "violated", "pso": "violated"}),
        ("w.a and w.b and x = 0", {"sc": "holds", "x86-tso": "holds", "pso": "holds"}),
    ],
)
def test_states_of_the_whole_program_are_looked_at_on_the_machine(
    error: str, expected: dict[str, str]
) -> None:
    for model, word in expected.items():
        assert membar.check(source(OVERTAKING), model=model, error=error).verdict == word, model


def test_a_model_without_a_machine_does_not_know_states_of_the_whole_program() -> None:
    assert membar.check(source(OVERTAKING), model="armv8", error="x = 0 and y = 1").verdict == "unknown"


def test_final_locations_are_one() -> None:
    text = "process p { main procedure run() { init loc a final loc b final loc c a -> b { } a -> c { } } }"
    assert codes(problems(f"{text} error state p.c")) == ["W0612"]


def test_litmus_tests_have_a_question_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(__file__).resolve().parents[4] / "examples" / "litmus/store-buffering.litmus"
    assert cli.main(["check", str(example), "--error", "x=1"]) == cli.BAD_INPUT
    assert "W0405" in capsys.readouterr().err
