"""What pictures leave out, what they mark, and their colours."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import membar
from membar.cli.command import main
from membar.diagnostics import InputError
from membar.program.program import Program
from membar.questions.outcome import Witness
from membar.reports import pictures, svg
from membar.reports._parts.palette import DARK, LIGHT, Palette
from membar.reports._parts.picture import MOST, picture_of
from membar.source import SourceFile
from unit.reports.sketch import sketch
from unit.reports.test_html import SB
from unit.reports.test_pictures import texts

EXAMPLES = Path(__file__).parents[3] / "examples"


def long_witness() -> tuple[Program, Witness]:
    """Two threads that work on their own for long, and pass a message once."""
    own = "; ".join(f"W z {n}" for n in range(1, 20))
    others = "; ".join(f"W u {n}" for n in range(1, 20))
    _, program, execution = sketch(f"{own}; W x 1; W y 1", f"R y 1; R x 0; {others}")
    return program, Witness(execution=execution, final=())


def test_a_long_execution_is_folded_to_what_threads_see_of_each_other() -> None:
    program, witness = long_witness()
    picture = picture_of(program, witness)
    assert sorted(picture.folded.values()) == ["19 more, line 1", "19 more, line 2"]
    shown = texts(svg.render(program, witness))
    assert {"x ← 1", "y ← 1", "y → 1", "x → 0", "19 more, line 1"} <= set(shown)
    assert not any(word.startswith("z ←") for word in shown)
    everything = texts(svg.render(program, witness, is_full=True))
    assert sum(word.startswith("z ←") for word in everything) == 19


def test_relations_of_a_folded_picture_are_those_of_the_execution() -> None:
    program, witness = long_witness()
    picture = picture_of(program, witness)
    events = picture.execution.events
    assert [event.id for event in events] == list(range(len(events)))
    kept = {(events[a].cell, events[a].value, events[b].value) for a, b in picture.execution.rf}
    original = witness.execution
    assert kept == {
        (original.events[a].cell, original.events[a].value, original.events[b].value) for a, b in original.rf
    }
    assert all(events[a].thread == events[b].thread for a, b in picture.execution.po)
    assert len(events) < MOST


def test_racing_accesses_failing_reads_and_repeated_parts_are_marked() -> None:
    race = membar.check(EXAMPLES / "c/peterson-plain.c", properties=["races"])
    assert "they race" in texts(race.render("svg"))
    assert race.render("svg").count(LIGHT.bad) >= 4
    failure = membar.check(EXAMPLES / "c/peterson-release.c", model="x86-tso")
    assert "this fails" in texts(failure.render("svg"))
    lasso = membar.check(EXAMPLES / "promela/peterson-repeated-sync.pml", ltl="G F p0@inside")
    assert "again and again" in texts(lasso.render("svg"))


def test_internal_events_are_hidden_unless_everything_is_asked_for() -> None:
    answer = membar.check(EXAMPLES / "c/heap/treiber-early-free.c", model="sc")
    witness = answer.witness
    assert witness is not None
    plain, full = (picture_of(answer.program, witness, is_full=is_full) for is_full in (False, True))
    assert len(plain.execution.events) < len(full.execution.events)


def test_the_cycle_of_an_explanation_is_drawn(tmp_path: Path) -> None:
    test = tmp_path / "sb.litmus"
    test.write_text(SB, encoding="utf-8")
    folder = tmp_path / "pictures"
    main(["check", str(test), "-m", "sc", "--explain", "--svg", str(folder), "--theme", "dark"])
    (drawn,) = folder.iterdir()
    assert drawn.name == "store-buffering.sc.cycle.svg"
    text = drawn.read_text(encoding="utf-8")
    words = texts(text)
    assert any(word.startswith("forbidden by") for word in words)
    assert {word for word in words if re.match(r"\d ", word)} == {"1 po", "2 fr", "3 po", "4 fr"}
    assert {"po: program order", "fr: does not see"} <= set(words)
    assert DARK.paper in text
    assert LIGHT.paper not in text


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_colours_have_contrast_and_stay_apart_without_red_and_green(palette: Palette) -> None:
    for name, least in (("ink", 7.0), ("faint", 4.5), ("bad", 4.5), ("rf", 4.5), ("co", 4.5), ("fr", 4.5)):
        assert contrast(getattr(palette, name), palette.paper) >= least
    assert contrast(palette.po, palette.paper) >= 3
    seen = [lightness_and_blue(getattr(palette, name)) for name in ("rf", "co", "fr")]
    assert all(distance(a, b) > 40 for n, a in enumerate(seen) for b in seen[n + 1 :])


def channels(color: str) -> list[float]:
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(one: str, other: str) -> float:
    light = sorted(
        sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), channels(x), strict=True)) for x in (one, other)
    )
    return (light[1] + 0.05) / (light[0] + 0.05)


def lightness_and_blue(color: str) -> tuple[float, float]:
    """What is left of a colour for eyes that do not tell red from green (Machado et al. 2009)."""
    red, green, blue = channels(color)
    matrix = (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    )
    r, g, b = (max(0.0, row[0] * red + row[1] * green + row[2] * blue) for row in matrix)
    x = (
        0.4124 * r + 0.3576 * g + 0.1805 * b,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        0.0193 * r + 0.1192 * g + 0.9505 * b,
    )
    _, y, z = (
        (v / w) ** (1 / 3) if v / w > 0.008856 else 7.787 * v / w + 16 / 116
        for v, w in zip(x, (0.9505, 1, 1.089), strict=True)
    )
    return 116 * y - 16, 200 * (y - z)


def distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    return math.dist(one, other)


def test_a_picture_as_png(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="resvg-py draws PNGs")
    answer = membar.check(SourceFile("sb.litmus", SB), model="x86-tso")
    (written,) = pictures.save("png", tmp_path, answer)
    data = written.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    size = ET.fromstring(answer.render("svg")).attrib
    assert int.from_bytes(data[16:20]) == pytest.approx(2 * float(size["width"]), abs=2)


def test_without_its_library_png_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    answer = membar.check(SourceFile("sb.litmus", SB), model="x86-tso")
    with pytest.raises(InputError) as problem:
        pictures.save("png", tmp_path, answer)
    assert problem.value.diagnostics[0].code == "W0457"
