"""Reports about histories: timelines, pictures, JSON that replays."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import membar
from membar.cli import command as cli
from membar.objects.client import Size
from membar.objects.history import Call, History
from membar.objects.orders import Ordering
from membar.reports import json as json_report
from membar.reports import pictures, terminal
from membar.reports.histories import bars

EXAMPLE = Path(__file__).parents[3] / "examples" / "c/objects/seqlock.c"


@pytest.fixture(scope="module")
def refuted() -> membar.Answer:
    return membar.check(
        EXAMPLE, client=Size(2, 1), model="x86-tso", order=Ordering.REAL_TIME, defines=("NO_FENCES",)
    )


def test_ordered_calls_do_not_overlap_and_others_do() -> None:
    calls = tuple(Call(thread=n // 2, operation=f"f{n}") for n in range(4))
    drawn = bars(History(calls, frozenset({(0, 1), (2, 3), (0, 3)})))
    assert drawn[0].last < drawn[1].first
    assert drawn[0].last < drawn[3].first
    assert drawn[1].first <= drawn[3].last
    assert drawn[0].first <= drawn[2].last


def test_calls_that_were_never_made_are_not_drawn() -> None:
    calls = (
        Call(thread=0, operation="f", pending=True),
        Call(thread=0, operation="g", pending=True, made=False),
    )
    drawn = bars(History(calls, frozenset({(0, 1)})))
    assert [(bar.call, bar.open) for bar in drawn] == [(0, True)]


def test_a_narrow_window_gets_one_line_per_call(refuted: membar.Answer) -> None:
    text = terminal.render(refuted, columns=30)
    assert "\n  T0  write(1, 2)\n  T1  read() = (0, 0)\n" in text


def test_pictures_are_drawn(refuted: membar.Answer, tmp_path: Path) -> None:
    written = pictures.save("svg", tmp_path, refuted)
    assert [path.name for path in written] == [
        "seqlock.x86-tso-clock.svg",
        "seqlock.x86-tso-clock.history.svg",
    ]
    words = "".join(ET.fromstring(written[1].read_text(encoding="utf-8")).itertext())
    assert "write(1, 2)" in words
    assert "read() = (0, 0)" in words


def test_the_witness_replays(
    refuted: membar.Answer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "w.json"
    saved.write_text(json_report.render(refuted), encoding="utf-8")
    assert json.loads(saved.read_text(encoding="utf-8"))["history"]["prefix"] == [0]
    assert cli.main(["replay", str(saved)]) == 0
    assert "the witness replays" in capsys.readouterr().out
