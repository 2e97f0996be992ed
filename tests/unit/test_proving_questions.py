"""Systems for any number of processes: what is asked is kept in mind, and what cannot be is refused."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.languages.cubicle.formulas import MAX_DEPTH
from membar.questions import system as systems
from membar.questions.task import Limits, Options
from membar.source import SourceFile

_ALONE = """
type t = A | B | C
array S[proc] : t
init (p) { S[p] = A }
unsafe (p q) { S[p] = C }
transition go (p) requires { S[p] = A && forall_other q. S[q] = B } { S[p] := LAST }
"""
_BROKEN_INVARIANT = """
type t = A | B
array S[proc] : t
init (p) { S[p] = A }
invariant (p) { S[p] = B }
unsafe (p q) { S[p] = B && S[q] = B }
transition go (p) requires { S[p] = A } { S[p] := B }
"""
_WEAK = """
type t = A | B | C
weak array X[proc] : bool
array S[proc] : t
init (p) { X[p] = False && S[p] = A }
unsafe (p q) { S[p] = C && S[q] = C }
transition a ([p]) requires { S[p] = A } { X[p] := True; S[p] := B }
transition b ([p]) requires { S[p] = B && fence() && forall_other q. X[q] = False } { S[p] := C }
"""


def system(text: str) -> SourceFile:
    return SourceFile("system.cub", text)


@pytest.mark.parametrize("options", [Options(), Options(brab=2), Options(algorithm="generic")])
def test_a_process_of_which_nothing_is_said_is_still_there(options: Options) -> None:
    text = _ALONE.replace("LAST", "C")
    assert membar.prove(system(text), options=options).verdict == "holds"


@pytest.mark.parametrize("options", [Options(), Options(brab=2)])
def test_it_is_there_some_steps_before_too(options: Options) -> None:
    text = _ALONE.replace("LAST", "B") + "transition on (p) requires { S[p] = B } { S[p] := C }\n"
    assert membar.prove(system(text), options=options).verdict == "holds"


def test_the_process_of_which_nothing_is_said_takes_part_in_the_run() -> None:
    text = _ALONE.replace("LAST", "C").replace("S[q] = B", "S[q] = A")
    found = membar.prove(system(text))
    assert found.verdict == "violated"
    assert found.processes is not None
    assert found.processes.processes == 2


def test_an_instance_that_breaks_is_the_answer_where_there_is_no_other() -> None:
    found = membar.prove(system(_BROKEN_INVARIANT), options=Options(instances=(2,)))
    assert found.verdict == "violated"
    assert found.processes is not None
    assert any("holds only if the declared invariants" in note for note in found.outcome.run.notes)
    assert membar.prove(system(_BROKEN_INVARIANT)).verdict == "unknown"


def test_guesses_end_in_time() -> None:
    start = time.process_time()
    found = membar.prove(system(_WEAK), limits=Limits(seconds=1.0), options=Options(brab=40))
    assert found.verdict == "unknown"
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    "option",
    ["--buffers 2", "--unroll 3", "--max-unroll 3", "--no-por", "--coherence all", "-D X"],
)
def test_an_option_that_means_nothing_is_refused(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "system.cub"
    file.write_text(_WEAK, encoding="utf-8")
    assert cli.main(["check", str(file), *option.split()]) == 2
    told = capsys.readouterr().err
    assert "W0408" in told
    assert option.split(maxsplit=1)[0] in told


def test_a_program_for_any_number_of_threads_has_no_bounds_either(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "program.c"
    file.write_text("int main(void) { return 0; }", encoding="utf-8")
    assert cli.main(["check", str(file), "--threads", "any", "--unroll", "2"]) == 2
    assert "W0434" in capsys.readouterr().err


def test_a_formula_that_is_nested_too_deeply_is_told_so() -> None:
    deep = "(" * 20_000 + "S[p] = C" + ")" * 20_000
    with pytest.raises(InputError) as caught:
        systems.parse_system(system(_ALONE.replace("{ S[p] = C }", f"{{ {deep} }}")))
    found = caught.value.diagnostics[0]
    assert found.code == "W0435"
    assert "nested too deeply" in found.message
    assert found.primary is not None
    less = MAX_DEPTH // 2 - 1
    fine = "(" * less + "S[p] = C" + ")" * less
    text = _ALONE.replace("{ S[p] = C }", f"{{ {fine} }}").replace("LAST", "C")
    assert systems.parse_system(system(text)).unsafe
