"""Executions that end early with a failure are no evidence for what is asked about whole executions."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli.command import BAD_INPUT, main
from membar.diagnostics import InputError
from membar.languages.registry import load_model
from membar.source import SourceFile

ABORTS = "#include <stdlib.h>\nint main(void) { abort(); }\n"
RETURNS = "int main(void) { return 1; }\n"
DIVIDES = """int x = 0; int y = 0;
process P { state a, b; init a; trans a -> b { effect y = 1 / x; }; }
system async;
"""
NEVER = "never { accept: do :: skip od }\nactive proctype p() { assert(false) }\n"
FAILS = """program fails
memory x : i32
thread P0 {
  0 -> 1: store [&x] := 1
  1 -> 2: assert 0, "no" }
forall x = 5
"""
LEAKS = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; return 1; }\n"


@pytest.mark.parametrize(
    ("name", "text", "ltl"),
    [("aborts.c", ABORTS, "false"), ("divides.dve", DIVIDES, "F x == 2")],
)
def test_claims_do_not_hold_of_runs_that_fail(name: str, text: str, ltl: str) -> None:
    answer = membar.check(SourceFile(name, text), model="sc", ltl=ltl, properties=("claims",))
    assert answer.verdict == "unknown"


def test_runs_of_promela_go_on_after_a_failed_assertion() -> None:
    answer = membar.check(SourceFile("never.pml", NEVER), model="sc", properties=("claims",))
    assert answer.verdict == "violated"


def test_a_run_whose_main_returns_1_is_a_whole_run() -> None:
    answer = membar.check(SourceFile("returns.c", RETURNS), model="sc", ltl="false", properties=("claims",))
    assert answer.verdict == "violated"


def test_conditions_do_not_hold_of_executions_that_fail() -> None:
    assert membar.check(SourceFile("fails.mbp", FAILS), properties=("condition",)).verdict == "unknown"


def test_memory_leaks_although_main_returns_1() -> None:
    assert membar.check(SourceFile("leaks.c", LEAKS), properties=("leaks",)).verdict == "violated"


@pytest.mark.parametrize(
    "text", ['"SC"\nacylic hb\n', "acylic po\nacyclic po | rf as sc\n", '"m"\nSC model text\n']
)
def test_a_misspelt_axiom_is_not_a_title(text: str) -> None:
    with pytest.raises(InputError) as caught:
        load_model(SourceFile("own.cat", text + "acyclic po-loc | rf | co | fr as coherence\n"))
    assert caught.value.diagnostics[0].code == "W0204"


def test_an_empty_list_of_properties_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "aborts.c"
    file.write_text(ABORTS, encoding="utf-8")
    assert main(["check", str(file), "--property", ""]) == BAD_INPUT
    assert "--property names no property" in capsys.readouterr().err
