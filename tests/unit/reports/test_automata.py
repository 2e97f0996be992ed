"""`--show-automaton`: the automata of claims as text and as pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from membar.cli import command as cli

TEXT = """bool b;
active proctype Q() { do :: b = !b od }
ltl live { [] <> b }
ltl early { (b == 0) U (b == 1) }
"""


def test_automata_are_printed_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.pml"
    path.write_text(TEXT, encoding="utf-8")
    words = ["check", str(path), "--model", "sc", "--property", "claims", "--show-automaton"]
    assert cli.main([*words, "--svg", str(tmp_path / "pictures")]) == cli.HOLDS
    shown = capsys.readouterr().out
    assert "runs that violate live (2 states, mark 0 infinitely often):" in shown
    assert "    -> 1  if !b  mark 0" in shown
    assert "runs that violate early" in shown
    drawn = sorted((tmp_path / "pictures").glob("*.automaton.svg"))
    assert [item.name for item in drawn] == ["m.early.automaton.svg", "m.live.automaton.svg"]
    root = ET.fromstring(drawn[1].read_text(encoding="utf-8"))
    circles = root.findall("{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 2
