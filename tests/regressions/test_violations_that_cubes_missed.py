"""Random systems whose unsafe states a backward search that was wrong did not reach."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar

_SYSTEMS = sorted((Path(__file__).parent / "inputs" / "cubicle").glob("*.cub"))


@pytest.mark.parametrize("path", _SYSTEMS, ids=lambda path: path.stem)
def test_cubes_find_what_instances_find(path: Path) -> None:
    assert membar.check(path, engine="instances").verdict == "violated"
    assert membar.check(path).verdict == "violated"
