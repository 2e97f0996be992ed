"""States on disk: where memory is full the search goes on; nothing is left of its files however it ends."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")

import membar
from membar.cli.command import BAD_INPUT, main
from membar.diagnostics import EngineLimitError
from membar.engines.states import explore
from membar.properties.judge import Tally
from membar.questions.outcome import INTERRUPTED
from membar.questions.task import Limits, Options, Task
from membar.source import SourceFile

LAMPORT = Path(__file__).parents[3] / "benchmarks" / "states" / "lamport.pml"
PLENTY = 1 << 30


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The directory for temporary files, empty again in the end."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield tmp_path
    assert not list(tmp_path.iterdir())


def visit(file: Path, limits: Limits, recent: int | None, **options: Any) -> Tally:
    task = Task(
        program=membar.parse(SourceFile.read(file)),
        model=membar.load_model("x86-tso"),
        properties=("deadlock",),
        options=Options(buffers=1, buffers_chosen_by_user=True, stops_early=False, **options),
        limits=limits,
    )
    return explore(task, recent=recent)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("jobs", [1, 2])
def test_all_states_are_found_on_disk(jobs: int) -> None:
    memory = visit(LAMPORT, Limits(states=6000), PLENTY)
    disk = visit(LAMPORT, Limits(states=6000, disk=PLENTY), 500, jobs=jobs)
    assert (disk.statistics.states, disk.limit) == (memory.statistics.states, memory.limit)
    assert disk.statistics.transitions == memory.statistics.transitions
    (note,) = disk.notes
    assert note.startswith("memory was full, so states were kept on disk: at most ")


@pytest.mark.usefixtures("folder")
def test_a_full_disk_leaves_the_verdict_open() -> None:
    full = visit(LAMPORT, Limits(disk=5000), 500)
    assert full.limit == "the disk limit of 4.883 KiB was reached"
    assert (full.statistics.states or 0) > 500
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, usual[1]))
    try:
        full = visit(LAMPORT, Limits(disk=PLENTY), 500)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert full.limit == "the end of the free disk space (in the directory that TMPDIR names) was reached"


def test_a_directory_that_is_not_there_leaves_the_verdict_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    with pytest.raises(EngineLimitError, match=r"a file of states in .*missing cannot be used: No such file"):
        visit(LAMPORT, Limits(disk=PLENTY), 500)


@pytest.mark.full  # about a second
def test_ctrl_c_leaves_no_files(folder: Path) -> None:
    files: list[Path] = []

    def interrupt(*_: object) -> None:
        files.extend(folder.iterdir())
        raise KeyboardInterrupt

    found = visit(LAMPORT, Limits(disk=PLENTY), 500, progress=interrupt)
    assert not files
    assert found.limit == INTERRUPTED
    assert any("on disk" in note for note in found.notes)


@pytest.mark.usefixtures("folder")
def test_states_move_where_memory_is_full() -> None:
    memory = visit(LAMPORT, Limits(states=100_000), None)
    limits = Limits(states=100_000, memory=2 << 20, disk=PLENTY)
    disk = visit(LAMPORT, limits, None)
    assert (memory.statistics.peak_bytes or 0) > 2 << 20
    assert (disk.statistics.peak_bytes or 0) < 2 << 20
    assert any("on disk" in note for note in disk.notes)
    assert (disk.statistics.states, disk.statistics.transitions) == (
        memory.statistics.states,
        memory.statistics.transitions,
    )
    # Parts of states are always in memory.
    tiny = visit(LAMPORT, Limits(memory=1 << 17, disk=PLENTY), None)
    assert tiny.limit == "the memory limit of 128 KiB was reached"


def test_where_a_limit_of_the_disk_has_no_effect_it_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(LAMPORT), "--buffers", "1", "--limit", "disk=1G"]) == BAD_INPUT
    assert "--limit disk has no effect without --limit memory" in capsys.readouterr().err
    words = ["--engine", "graphs", "--limit", "disk=1G,memory=1G"]
    assert main(["check", str(LAMPORT), *words]) == BAD_INPUT
    assert "--limit disk does not apply to the engine graphs" in capsys.readouterr().err
