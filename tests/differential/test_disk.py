"""States on disk: the same answers, states and runs as in memory."""

from __future__ import annotations

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

import tiers
from differential.disk import campaign


def test_searches_on_disk_find_what_searches_in_memory_find() -> None:
    report = campaign(tiers.size(1600))
    assert report.wrong == []
    counts = report.counts
    assert counts["on disk"] >= counts["compared"] // 2
    assert min(counts[kind] for kind in ("failed_assertion", "deadlock", "error", "limit")) >= 3
