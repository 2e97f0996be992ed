"""Runs a compiler: without a shell, and within limits of time, memory and output."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from membar.diagnostics import reason_of
from membar.languages.compiled.compiler import environment_of
from membar.limits import budget, confinement
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
    folder = f"{scratch_base()}/membar-{os.urandom(8).hex()}"
    os.mkdir(folder, mode=0o700)  # noqa: PTH102
    try:
        yield folder
    finally:
        _remove(folder)


def scratch_base() -> str:
    """The folder in which scratch folders are made."""
    names = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return next((name for name in names if name and os.path.isdir(name)), "/tmp")  # noqa: PTH112


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
    import resource  # noqa: PLC0415 - not if everything is in the cache
    import subprocess  # noqa: PLC0415

    readable = confinement.readable_by_compilers()
    # Rust's `env!` makes variables part of the program.
    environment = environment_of(os.environ) if readable is None else {"LC_ALL": "C"}
    for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"):  # the home may be read-only
        environment.setdefault(name, scratch)
    limits = _limits(budget.current().memory)
    # Linux can limit a process that runs. Elsewhere it limits itself before it becomes the compiler; for
    # that this whole process is copied first, which takes longer than many compilations.
    limits_others = hasattr(resource, "prlimit") and readable is None
    try:
        process = subprocess.Popen(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=messages,
            env=environment,
            start_new_session=True,  # it may start others, which end with it
            preexec_fn=None if limits_others else partial(_keep_to, limits, readable),  # noqa: PLW1509
        )
    except (OSError, ValueError, subprocess.SubprocessError) as problem:  # also a null character
        raise CompilerFailureError(f"cannot be run: {reason_of(problem)}") from None
    if limits_others:
        with suppress(ProcessLookupError):  # it has ended
            for kind, most in limits.items():
                resource.prlimit(process.pid, kind, (most, most))
    return process


def _finish(process: subprocess.Popen[bytes], limit: float) -> int:
    import subprocess  # noqa: PLC0415 - not if everything is in the cache

    deadline = time.monotonic() + limit
    try:
        _await_end(process.pid, limit)
        return process.wait(timeout=max(deadline - time.monotonic(), 0.0))
    except subprocess.TimeoutExpired:
        budget.current().look()  # whose limit was it?
        raise CompilerFailureError(f"did not finish within {limit:g} s") from None
    finally:  # also if a limit or Ctrl-C ends the waiting
        if process.returncode is None:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _await_end(process: int, limit: float) -> None:
    """Waits until a process ends, within some time, where the system can tell it.

    `Popen.wait` looks at longer and longer intervals, which can double the time of a short compilation.
    """
    import select  # noqa: PLC0415 - not if everything is in the cache

    if sys.platform != "linux":
        return
    try:
        end = os.pidfd_open(process)
    except OSError:
        return
    try:
        watched = select.poll()
        watched.register(end, select.POLLIN)
        watched.poll(limit * 1000)
    finally:
        os.close(end)


def _limits(memory: int | None) -> dict[int, int]:
    """What keeps a compiler that went wild from filling the disk or the memory."""
    import resource  # noqa: PLC0415 - not if everything is in the cache

    limits = {resource.RLIMIT_FSIZE: LARGEST_OUTPUT, resource.RLIMIT_CORE: 0}
    if memory is not None:  # address space, of which a compiler reserves more than it uses
        limits[resource.RLIMIT_AS] = max(memory, 2**30)
    return limits


def _keep_to(limits: dict[int, int], readable: tuple[str, ...] | None) -> None:
    import resource  # noqa: PLC0415 - not if everything is in the cache

    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))
    if readable is not None:
        confinement.confine(readable=readable, writable=[scratch_base()])
