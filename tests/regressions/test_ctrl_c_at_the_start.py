"""Ctrl-C before the command line was ready for it ended in a traceback, or in another exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SB = Path(__file__).parents[2] / "examples" / "litmus/store-buffering.litmus"
# Runs `python -m membar` and presses Ctrl-C when a certain module is looked for.
_PRESSED = """
import os, runpy, signal, sys

class Presses:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.kill(first, signal.SIGINT)

wanted, first = sys.argv[1], os.getpid()  # not a worker
sys.meta_path.insert(0, Presses())
sys.argv = ["membar", *sys.argv[2:]]
runpy.run_module("membar", run_name="__main__")
"""
_EARLY = (
    "membar.cli.command",
    "membar.reports.streams",
    "membar.limits.process",
)
_LATER = (
    "membar.limits.budget",
    "membar.cli.arguments",
    "membar.cli.commands.check",
    "membar.questions.safety",
    "membar.engines.graphs",
)


def _ended(module: str, *words: str) -> tuple[int, str]:
    command = [sys.executable, "-c", _PRESSED, module, "check", str(SB), *words]
    # Whoever runs the tests may ignore Ctrl-C, and then children do too.
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("module", _EARLY)
def test_before_it_is_ready_the_process_ends_at_once(module: str) -> None:
    assert _ended(module) == (-signal.SIGINT, "")


@pytest.mark.parametrize("limit", [(), ("--limit", "time=60s")])
@pytest.mark.parametrize("module", _LATER)
def test_afterwards_it_says_so(module: str, limit: tuple[str, ...]) -> None:
    code, errors = _ended(module, *limit)
    assert code == 130
    assert "Traceback" not in errors
    assert "W0499" not in errors
