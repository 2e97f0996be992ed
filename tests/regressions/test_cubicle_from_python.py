"""`membar.check` refused Cubicle files, which the command line takes."""

from __future__ import annotations

from pathlib import Path

import membar

_FLAGS = Path(__file__).parents[2] / "examples" / "cubicle" / "flags-fenced.cub"


def test_a_file_and_its_name_are_both_answered() -> None:
    assert membar.check(_FLAGS).verdict == "holds"
    assert membar.check(str(_FLAGS)).verdict == "holds"
