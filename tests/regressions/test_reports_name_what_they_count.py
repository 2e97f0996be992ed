"""Reports name the bound of each property, the search that they describe and what was counted."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli.command import main
from membar.languages.compiled.program_files import first_and_others

EXAMPLES = Path(__file__).parents[2] / "examples"
PETERSON = str(EXAMPLES / "litmus" / "peterson.litmus")
STORE_BUFFERING = EXAMPLES / "litmus" / "store-buffering.litmus"
DVE = str(EXAMPLES / "dve" / "peterson.dve")


def _report(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["check", *arguments])
    return " ".join(capsys.readouterr().out.split())


def test_a_bound_beside_a_violation_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = _report(capsys, str(EXAMPLES / "promela" / "peterson-once.pml"), "--model", "x86-tso")
    assert "holds within deadlock: store buffers of at most 2 entries" in found
    assert "explored for claims, only the states found before the first violation" in found


@pytest.mark.parametrize(
    ("model", "advice"), [("armv8", "--model x86-tso --buffers N"), ("sc", ": --buffers N")]
)
def test_store_buffers_are_advised_where_the_model_has_them(
    capsys: pytest.CaptureFixture[str], model: str, advice: str
) -> None:
    found = _report(capsys, DVE, "--model", model, "--engine", "graphs")
    assert advice in found
    assert "engine graphs; unknown: assertions, deadlock)" in found


def test_states_are_not_called_executions(capsys: pytest.CaptureFixture[str]) -> None:
    assert "2 of 8 terminal states satisfy" in _report(capsys, PETERSON, "--engine", "states")


def test_a_double_negation_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert "reaches P_0.CS and P_1.CS " in _report(capsys, DVE)


def test_unknown_models_list_what_membar_models_lists() -> None:
    with pytest.raises(membar.InputError, match=r"sc, x86-tso, x86-tso-clock"):
        membar.check(STORE_BUFFERING, model="foo")


def test_files_that_include_their_main_are_programs(tmp_path: Path) -> None:
    (tmp_path / "main.h").write_text("int main(void) { return 0; }\n")
    (tmp_path / "helper.h").write_text("int helper(void);\n")
    including, other = tmp_path / "one.c", tmp_path / "two.c"
    including.write_text('#include "main.h"\n')
    other.write_text('  # include "main.h"\n')
    assert first_and_others([str(including), str(other)]) is None
    other.write_text('#include "helper.h"\nint helper(void) { return 0; }\n')
    assert first_and_others([str(other), str(including)]) == (str(including), (str(other),))
