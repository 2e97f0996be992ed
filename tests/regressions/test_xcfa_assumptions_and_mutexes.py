"""XCFA: an assumption that does not hold ends the execution, and a mutex is given back by its holder."""

from __future__ import annotations

import pytest

import membar

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

from membar.questions.outcome import Verdict
from membar.source import SourceFile

_ENGINES = pytest.mark.parametrize("engine", ["graphs", "states", "reference", "buffers"])
_WRITER = "process q { main procedure r() { init loc a final loc b a -> b { 1 -> x } } }\n"
_ONE_ASSUMPTION = """var x : int
main process p { main procedure r() {
  var l : int
  init loc a final loc b
  a -> b { l <- x assume l = 1 }
} }
"""
_SEVERAL_ASSUMPTIONS = """var x : int
main process p { main procedure r() {
  var l : int
  init loc a loc m final loc b
  a -> m { l <- x }
  m -> b { assume l = 2 }
  m -> b { assume l = 3 }
  m -> b { assume l = 4 }
} }
"""
_WRONG_EDGE = """var m : mutex
var x : int
process p { main procedure r() {
  var l : int
  init loc a loc h final loc b
  a -> h { lock m }
  h -> b { l <- x assume l = 1 unlock m }
  h -> b { l <- x assume l = 0 unlock m }
} }
process q { main procedure r() { init loc a final loc b a -> b { lock m 1 -> x unlock m } } }
"""


def _mutexes(statements: str, other: str = "skip", end: str = "") -> str:
    processes = "".join(
        f"process {name} {{ main procedure r() {{ init loc a final loc b a -> b {{ {text} }} }} }}\n"
        for name, text in (("p", statements), ("q", other))
    )
    return f"var m : mutex\nvar c : condition\nvar x : int\n{processes}{end}"


@_ENGINES
@pytest.mark.parametrize(
    "text", [_ONE_ASSUMPTION, _ONE_ASSUMPTION + _WRITER, _SEVERAL_ASSUMPTIONS + _WRITER, _WRONG_EDGE]
)
def test_an_assumption_that_does_not_hold_is_no_deadlock(text: str, engine: str) -> None:
    source = SourceFile("t.xcfa", text)
    assert membar.check(source, engine=engine).verdict == "holds"
    assert membar.check(source, engine=engine, properties=["deadlock"]).verdict == "holds"


@_ENGINES
@pytest.mark.parametrize(
    "text",
    [
        _mutexes("unlock m"),
        _mutexes("lock m unlock m unlock m"),
        _mutexes("lock m", "unlock m"),
        _mutexes("wait c with m"),
        _mutexes("unlock m", end="error final x = 1\n"),
    ],
)
def test_a_mutex_that_is_not_held_is_not_given_back(text: str, engine: str) -> None:
    for properties in (None, ["locks"]):
        result = membar.check(SourceFile("t.xcfa", text), model="sc", engine=engine, properties=properties)
        finding = result.outcome.run.finding("locks")
        assert finding is not None
        assert (result.verdict, finding.verdict) == ("violated", Verdict.VIOLATED)
        assert "which it does not hold" in finding.reason


@_ENGINES
def test_a_mutex_that_is_held_is_given_back(engine: str) -> None:
    source = SourceFile("t.xcfa", _mutexes("lock m 1 -> x unlock m", "lock m 2 -> x unlock m"))
    assert membar.check(source, model="sc", engine=engine).verdict == "holds"
    assert membar.check(source, model="sc", engine=engine, properties=["locks"]).verdict == "holds"
