"""The first line named another model and properties than the question; limits were counted in bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import membar
from membar.cli.command import UNKNOWN, main
from membar.limits.budget import count_reason, size_text
from membar.source import SourceFile

RACE = """\
#include <pthread.h>
int x;
static void *set(void *p) { x = 1; return p; }
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, set, 0);
  x = 2;
  pthread_join(one, 0);
  return 0;
}
"""
KEPT = "#include <stdlib.h>\nint *g;\nint main(void) { g = malloc(4); return 0; }\n"
_FORMULA = "CHECK( init(main()), LTL({}) )\n"


def test_races_by_rc11_are_reported_under_the_model_that_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "race.c"
    path.write_text(RACE, encoding="utf-8")
    assert main(["check", str(path), "--model", "sc", "--engine", "states", "--property", "races"]) == 1
    first, *others = capsys.readouterr().out.splitlines()
    assert first.endswith("VIOLATED under sc (engine graphs; checked races)")
    assert others[0].split(maxsplit=1) == [
        "violated",
        "races: by the definition of rc11 (engine graphs), as sc defines",
    ]


def test_the_first_line_names_only_properties_that_have_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kept.c"
    path.write_text(KEPT, encoding="utf-8")
    main(["check", str(path), "--property", "leaks"])
    assert "(engine graphs; checked leaks)" in capsys.readouterr().out


def test_properties_asked_by_name_are_unknown_where_nothing_was_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "race.c"
    path.write_text(RACE, encoding="utf-8")
    words = ["--property", "races,memory", "--limit", "time=0s", "--json"]
    assert main(["check", str(path), *words]) == UNKNOWN
    answer = json.loads(capsys.readouterr().out)
    assert [(item["property"], item["verdict"]) for item in answer["findings"]] == [
        ("races", "unknown"),
        ("memory", "unknown"),
    ]
    assert all(item["reason"] == answer["reason"] for item in answer["findings"])


@pytest.mark.parametrize(
    ("formula", "verdict"), [("G valid-memcleanup", "violated"), ("G valid-memtrack", "unknown")]
)
def test_memory_to_which_a_pointer_leads_does_not_violate_memtrack(
    formula: str, verdict: str, tmp_path: Path
) -> None:
    asked = tmp_path / "asked.prp"
    asked.write_text(_FORMULA.format(formula), encoding="utf-8")
    result = membar.check(SourceFile("kept.c", KEPT), property_file=asked)
    assert result.verdict == verdict


def test_other_violations_stand_beside_memory_that_is_not_freed(tmp_path: Path) -> None:
    asked = tmp_path / "asked.prp"
    asked.write_text("".join(map(_FORMULA.format, ("G valid-deref", "G valid-memtrack"))), encoding="utf-8")
    text = KEPT.replace("return 0", "int *p = 0; return *p")
    result = membar.check(SourceFile("kept.c", text), property_file=asked)
    assert result.verdict == "violated"
    assert result.outcome.run.finding("memory") is not None


@pytest.mark.parametrize(
    ("shift", "verdict"),
    [
        ("3 31", "violated"),
        ("1 31", "holds"),
        ("1 30", "holds"),
        ("5 30", "violated"),
        ("-1 31", "holds"),
        ("-3 31", "violated"),
    ],
)
def test_a_left_shift_that_loses_bits_overflows(shift: str, verdict: str) -> None:
    value, amount = shift.split()
    text = f"int z = {value};\nint main(void) {{ int a = z << {amount}; return 0; }}\n"
    result = membar.check(SourceFile("shift.c", text), properties=["overflow"])
    assert result.verdict == verdict


def test_limits_are_told_in_units_that_people_use() -> None:
    assert [size_text(size) for size in (10, 2**20, 60 * 2**20, 2**30, 3 * 2**29)] == [
        "10 bytes",
        "1 MiB",
        "60 MiB",
        "1 GiB",
        "1.5 GiB",
    ]
    assert count_reason(1, "execution") == "the limit of 1 execution was reached"
    assert count_reason(2, "state") == "the limit of 2 states was reached"


def test_a_thread_that_waits_for_ever_is_named() -> None:
    result = membar.check(Path(__file__).parents[2] / "examples/program/wait-forever.mbp", model="sc")
    finding = result.outcome.run.finding("termination")
    assert finding is not None
    assert finding.reason == "P1 waits forever: nothing that it reads will change"
