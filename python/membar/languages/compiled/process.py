"""Runs a compiler: without a shell, and within limits of time, memory and output."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from membar.languages.compiled.compiler import environment_of
from membar.limits import budget
from membar.records import record

LARGEST_OUTPUT = 256 * 1024 * 1024
PATIENCE = 600.0  # seconds, where no limit is given


class CompilerFailureError(Exception):
    """The compiler did not do its work; the message continues `the compiler …`."""


@record(frozen=True, slots=True)
class Finished:
    """What a compiler left: its exit status and its messages."""

    status: int
    messages: str


def run_compiler(words: Sequence[str], *, seconds: float | None = None) -> Finished:
    """Runs a command line.

    Raises:
        CompilerFailureError: it cannot be run, takes too long, or writes too much.
    """
    left = budget.current().remaining_seconds
    limit = min(item for item in (seconds, left, PATIENCE) if item is not None)
    with tempfile.TemporaryDirectory(prefix="membar-") as scratch:
        path = Path(scratch, "messages")
        with path.open("wb") as messages:
            status = _finish(_start(words, messages.fileno(), scratch), limit)
        if status == -signal.SIGXFSZ:
            raise CompilerFailureError(f"writes more than {LARGEST_OUTPUT // 2**20} MiB")
        text = path.read_bytes().decode("utf-8", errors="replace")
    return Finished(status, text)


def _start(words: Sequence[str], messages: int, scratch: str) -> subprocess.Popen[bytes]:
    environment = environment_of(os.environ)
    for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"):  # the home may be read-only
        environment.setdefault(name, scratch)
    try:
        return subprocess.Popen(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=messages,
            env=environment,
            start_new_session=True,  # it may start others, which end with it
            preexec_fn=_limits(budget.current().memory),  # noqa: PLW1509 - nothing else works on all systems
        )
    except (OSError, ValueError, subprocess.SubprocessError) as problem:  # also a null character
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise CompilerFailureError(f"cannot be run: {reason}") from None


def _finish(process: subprocess.Popen[bytes], limit: float) -> int:
    try:
        return process.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        budget.current().look()  # whose limit was it?
        raise CompilerFailureError(f"did not finish within {limit:g} s") from None
    finally:  # also if a limit or Ctrl-C ends the waiting
        if process.returncode is None:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _limits(memory: int | None) -> Callable[[], None]:
    """Keeps a compiler that went wild from filling the disk or the memory."""

    def limit() -> None:
        import resource  # noqa: PLC0415 - in the child only

        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_OUTPUT, LARGEST_OUTPUT))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory is not None:
            most = max(memory, 2**30)  # address space, of which a compiler reserves more than it uses
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

    return limit
