"""Witnesses of programs that look for leaks at their end are witnesses of the programs that users wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.cli import command as cli
from membar.program.remove_warnings import LOOK
from membar.source import SourceFile

RACE = """#include <pthread.h>
#include <stdlib.h>
static int *x;
static void *t(void *a) { (*x)++; return 0; }
int main(void) {
  pthread_t a;
  x = malloc(sizeof *x);
  *x = 1;
  pthread_create(&a, 0, t, 0);
  (*x)++;
  pthread_join(a, 0);
  free(x);
  return 0;
}
"""


def test_a_witness_has_no_reads_that_the_program_has_not() -> None:
    found = membar.check(SourceFile("race.c", RACE), model="rc11")
    assert found.verdict == "violated"
    witness = found.witness
    assert witness is not None
    names = {name for registers in witness.execution.registers for name, _ in registers}
    assert not any(name.startswith(LOOK) for name in names)
    last = [event for event in witness.execution.events if event.thread == 0][-1]
    assert last.span is not None
    assert last.span.line == 12


def test_a_race_before_a_free_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "race.c"
    program.write_text(RACE)
    assert cli.main(["check", str(program), "--json"]) == 1
    saved = tmp_path / "race.json"
    saved.write_text(capsys.readouterr().out)
    assert cli.main(["replay", str(saved)]) == 0
    assert "VIOLATED (races)" in capsys.readouterr().out
