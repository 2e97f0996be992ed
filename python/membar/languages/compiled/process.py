"""Runs a compiler: without a shell, and within limits of time, memory and output."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from membar.languages.compiled.compiler import environment_of
from membar.limits import budget
from membar.records import record
from membar.source import SourceFile

if TYPE_CHECKING:
    import subprocess

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
    with scratch_folder() as scratch:
        path = f"{scratch}/messages"
        with open(path, "wb") as messages:  # noqa: PTH123 - without pathlib, which takes long to load
            status = _finish(_start(words, messages.fileno(), scratch), limit)
        if status == -signal.SIGXFSZ:
            raise CompilerFailureError(f"writes more than {LARGEST_OUTPUT // 2**20} MiB")
        text = SourceFile.read(path).text
    return Finished(status, text)


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A folder that nobody else can read, for as long as it is needed."""
    names = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    base = next((name for name in names if name and os.path.isdir(name)), "/tmp")  # noqa: PTH112
    folder = f"{base}/membar-{os.urandom(8).hex()}"
    os.mkdir(folder, mode=0o700)  # noqa: PTH102
    try:
        yield folder
    finally:
        _remove(folder)


def _remove(folder: str) -> None:
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                _remove(entry.path)
            else:
                os.unlink(entry.path)  # noqa: PTH108
        os.rmdir(folder)  # noqa: PTH106


def write_text(path: str, text: str) -> None:
    """Writes a file.

    Raises:
        OSError: it cannot be written.
        ValueError: the text has a character that UTF-8 cannot encode.
    """
    with open(path, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
        file.write(text)


def _start(words: Sequence[str], messages: int, scratch: str) -> subprocess.Popen[bytes]:
    import subprocess  # noqa: PLC0415 - not if everything is in the cache

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
    import subprocess  # noqa: PLC0415 - not if everything is in the cache

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
