"""What a search may spend, and what it says meanwhile: jobs, limits, Ctrl-C, progress, early ends."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import membar
from membar.engines import graphs
from membar.limits.progress import in_words
from membar.program.encoding import encode_program
from membar.program.expand import expand
from membar.questions.outcome import Explored, InterruptError, Violated
from membar.questions.task import Limits, Options
from unit.core.test_graphs import contention, parse, run

pytest.importorskip("membar._core", reason="the Rust core is not built: nothing to run")


def test_a_guess_has_two_digits() -> None:
    assert in_words(123_456, 0, 0.0, 2.0) == "123,456 executions, 61,728 per second"
    assert in_words(123_456, 44, 0.3, 2.0) == (
        "123,456 executions, 44 blocked, 61,750 per second, perhaps 30 % of 410,000"
    )


def test_a_terminal_shows_progress_and_control_c_shows_what_was_found(tmp_path: Path) -> None:
    file = tmp_path / "long.mbp"
    file.write_text(contention(6, 4), encoding="utf-8")
    watched, stderr = pty.openpty()
    program = "import sys; from membar.cli.command import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "check", str(file), "--model", "sc", "--coherence", "all"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True)
    os.close(stderr)  # so that reading fails when the process ends
    seen = b""
    while b" per second" not in seen:
        seen += os.read(watched, 1000)
    process.send_signal(signal.SIGINT)
    report, _ = process.communicate(timeout=30)
    os.close(watched)
    assert process.returncode == 130
    assert "UNKNOWN" in report
    assert "only the executions found before the interruption (Ctrl-C)" in report


@pytest.mark.parametrize("jobs", [1, 2])
def test_control_c_stops_a_long_search_at_once_and_says_what_was_found(jobs: int) -> None:
    run(contention(2, 1), "sc", properties=())  # everything is imported before the signal comes
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    started = time.monotonic()
    timer.start()
    with pytest.raises(InterruptError) as interrupt:
        run(contention(6, 4), "sc", properties=(), options=Options(jobs=jobs))
    timer.join()
    assert time.monotonic() - started < 5
    outcome = interrupt.value.outcome
    assert isinstance(outcome, Explored)
    assert not outcome.complete
    assert outcome.run.statistics.executions
    assert outcome.run.guarantee == "only the executions found before the interruption (Ctrl-C)"


def test_what_another_signal_raises_is_raised() -> None:
    def too_late(_signal: int, _frame: object) -> None:
        raise TimeoutError

    run(contention(2, 1), "sc", properties=())
    before = signal.signal(signal.SIGUSR1, too_late)
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGUSR1))
    timer.start()
    try:
        with pytest.raises(TimeoutError):
            run(contention(6, 4), "sc", properties=())
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("jobs", [2, 3])
@pytest.mark.parametrize("limits", [Limits(seconds=0.2), Limits(executions=50), Limits(memory=20_000)])
def test_limits_are_kept_by_several_workers(jobs: int, limits: Limits) -> None:
    options = Options(jobs=jobs, all_executions=limits.memory is not None)
    outcome = run(contention(6, 4), "sc", properties=(), limits=limits, options=options)
    assert isinstance(outcome, Explored)
    assert not outcome.complete
    assert "limit" in outcome.run.guarantee
    assert outcome.run.statistics.seconds < 5
    if limits.executions is not None:
        executions = outcome.run.statistics.executions or 0
        assert limits.executions <= executions <= limits.executions + jobs


def test_a_limit_that_is_just_enough_stops_nobody() -> None:
    whole = run(contention(3, 2), "sc", properties=()).run.statistics.executions
    limits = Limits(executions=whole)
    outcome = run(contention(3, 2), "sc", properties=(), limits=limits, options=Options(jobs=2))
    assert isinstance(outcome, Explored)
    assert outcome.complete


def test_progress_is_told_with_a_guess_at_the_total() -> None:
    for jobs in (1, 2):
        told: list[str] = []
        options = Options(jobs=jobs, progress=told.append)
        run(contention(6, 4), "sc", properties=(), limits=Limits(seconds=1.6), options=options)
        assert told
        assert all(" executions, " in text and " per second" in text for text in told)


def test_the_guess_is_a_part_and_grows() -> None:
    model = membar.load_model("sc").plan
    assert model is not None
    encoded, compiled = graphs.compile_for_core(model)
    program = expand(parse(contention(4, 3)))
    form = encode_program(program, encoded.tags, ()).form
    parts: list[float] = []
    for jobs in (1, 2):
        parts.clear()
        compiled.search_exactly_once(form, bound=1, jobs=jobs, progress=lambda *told: parts.append(told[2]))
        assert parts
        assert all(0.0 <= part <= 1.000001 for part in parts)
        assert parts[0] <= parts[-1]


ASSERTING = """program asserting
memory x : i32
thread P0 {
  0 -> 1: r := load [&x]
  1 -> 2: assert r != 2
}
thread P1 { 0 -> 1: store [&x] := 1 1 -> 2: store [&x] := 2 2 -> 3: store [&x] := 3 }
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_first_failed_assertion_is_enough_unless_all_is_asked(jobs: int) -> None:
    outcome = run(ASSERTING, "sc", options=Options(jobs=jobs))
    assert isinstance(outcome, Violated)
    assert outcome.property == "assertions"
    assert outcome.run.guarantee == "only the executions found before the first violation"
    for options in (Options(jobs=jobs, stops_early=False), Options(jobs=jobs, all_executions=True)):
        whole = run(ASSERTING, "sc", options=options)
        assert isinstance(whole, Violated)
        assert whole.run.guarantee == "all executions"
        assert whole.run.statistics.executions == 3


def test_final_states_are_never_cut_short() -> None:
    outcome = run(ASSERTING + "exists x = 3", "sc")
    assert isinstance(outcome, Violated)
    assert outcome.run.guarantee == "all executions"


def test_jobs_that_cannot_be_used_are_noted() -> None:
    for model, expected in (("sc", False), ("armv8", True)):
        notes = run(contention(2, 1), model, options=Options(jobs=2)).run.notes
        assert any("--jobs has no effect" in note for note in notes) is expected


@pytest.mark.parametrize("model", ["armv8", "imm"])
def test_a_program_that_takes_the_general_search_long_is_looked_at_with_care(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for quick in (1 << 40, 1):
        monkeypatch.setattr("membar.engines.graphs.search_choice._QUICK", quick)
        found.append(run(contention(3, 3), model, properties=()).run)
    general, careful = found
    assert general.algorithm == "general search"
    assert careful.algorithm == "exactly-once search"
    assert careful.outcomes == general.outcomes
    assert careful.statistics.executions == general.statistics.executions == 1680
