"""A folder without litmus tests is an error: a run over the wrong folder succeeded."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.cli.command import BAD_INPUT, main


def test_a_folder_without_tests_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", str(tmp_path)]) == BAD_INPUT
    assert "there are no .litmus files in" in capsys.readouterr().err
