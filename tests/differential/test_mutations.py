"""Broken files of every kind, in one process and as commands: a slice of `mutations.py`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from differential import mutations
from differential.mutations import (
    STREAMS,
    Broken,
    campaign,
    command_campaign,
    kinds_of_files,
    originals,
    run_here,
)
from membar.cli import command as cli


def test_broken_files_of_every_kind_end_with_a_sentence() -> None:
    kinds = kinds_of_files()
    counts, wrong = campaign(4 * len(kinds), 2026, kinds)
    assert wrong == []
    assert sum(counts.values()) == 4 * len(kinds)
    assert sum(count for outcome, count in counts.items() if not outcome.endswith("code 2")) >= 15


def test_no_kind_of_standard_output_loses_a_line() -> None:
    kinds = [kind for kind in kinds_of_files() if kind.startswith("litmus")]
    counts, wrong = command_campaign(len(STREAMS), 2026, kinds)
    assert wrong == []
    assert sum(counts.values()) == len(STREAMS)


@pytest.mark.parametrize("kind", kinds_of_files())
def test_what_is_broken_was_whole(kind: str) -> None:
    item = originals(kind)[0]
    with tempfile.TemporaryDirectory() as folder:
        whole = Broken(kind, item.name, item.text.encode(), item.words, item.others)
        assert run_here(whole.write(Path(folder))).code != 2


def test_a_traceback_and_silence_are_defects(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_words: object) -> int:
        raise IndexError

    item = mutations.broken(1, 1, ["cat"])
    monkeypatch.setattr(cli, "main", fails)
    assert [kind for kind, _ in mutations.judge_here(item).wrong] == [mutations.TRACEBACK]
    monkeypatch.setattr(cli, "main", lambda _words: 2)
    assert mutations.SILENT in [kind for kind, _ in mutations.judge_here(item).wrong]
