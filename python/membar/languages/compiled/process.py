"""Runs a compiler: without a shell, and within limits of time, memory and output."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NoReturn

from membar.diagnostics import reason_of
from membar.languages.compiled.compiler import FOR_EVERY_COMPILER, environment_of, with_caches_of_zig
from membar.limits import budget, confinement
from membar.limits.signals import signal
from membar.records import record
from membar.source import SourceFile

LARGEST_OUTPUT = 256 * 1024 * 1024
PATIENCE = 600.0  # seconds, where no limit is given
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_NOT_RUN = 127  # as of a shell
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.05  # seconds between two looks whether a process has ended


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
            status = _finish(_start(list(words), messages.fileno(), scratch), limit)
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


def _start(words: list[str], messages: int, scratch: str) -> int:
    """Starts a command in a session of its own: it may start others, which end with it."""
    import resource  # noqa: PLC0415 - not if everything is in the cache

    readable = confinement.readable_by_compilers()
    # Rust's `env!` makes variables part of the program.
    environment = environment_of(os.environ) if readable is None else dict(FOR_EVERY_COMPILER)
    environment = with_caches_of_zig(environment, scratch)
    limits = _limits(budget.current().memory)
    try:
        # Linux can limit a process that runs. Elsewhere it limits itself before it becomes the compiler; for
        # that this whole process is copied first, which takes longer than many compilations.
        if hasattr(resource, "prlimit") and readable is None:
            process = os.posix_spawnp(
                words[0],
                words,
                environment,
                file_actions=(
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, messages, 2),
                ),
                setsid=True,
                setsigdef=_IGNORED_BY_PYTHON,
            )
            with suppress(ProcessLookupError):  # it has ended
                for kind, most in limits.items():
                    resource.prlimit(process, kind, (most, most))
            return process
        return os.fork() or _limit_and_execute(words, environment, messages, limits, readable)
    except (OSError, ValueError) as problem:  # also a null character
        raise CompilerFailureError(f"cannot be run: {reason_of(problem)}") from None


def _limit_and_execute(
    words: list[str],
    environment: Mapping[str, str],
    messages: int,
    limits: Mapping[int, int],
    readable: tuple[str, ...] | None,
) -> NoReturn:
    """Limits this process, a copy, and turns it into the compiler."""
    import resource  # noqa: PLC0415 - not if everything is in the cache

    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        os.dup2(messages, 2)
        for each in _IGNORED_BY_PYTHON:
            signal.signal(each, signal.SIG_DFL)
        for kind, most in limits.items():
            resource.setrlimit(kind, (most, most))
        if readable is not None:
            confinement.confine(readable=readable, writable=[scratch_base()])
        os.execvpe(words[0], words, environment)
    except BaseException as problem:
        os.write(messages, f"cannot be run: {problem}\n".encode(errors="replace"))
    finally:
        os._exit(_NOT_RUN)


def _finish(process: int, limit: float) -> int:
    """Waits for a process; the exit status, or the negative number of the signal that ended it."""
    deadline = time.monotonic() + limit
    done = status = 0
    try:
        _await_end(process, limit)
        pause = _SHORTEST_PAUSE
        while not done:
            done, status = os.waitpid(process, os.WNOHANG)
            if not done and time.monotonic() > deadline:
                budget.current().look()  # whose limit was it?
                raise CompilerFailureError(f"did not finish within {limit:g} s")
            if not done:
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
    finally:  # also if a limit or Ctrl-C ends the waiting
        if not done:
            with suppress(OSError):
                os.killpg(process, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status)


def _await_end(process: int, limit: float) -> None:
    """Waits until a process ends, within some time, where the system can tell it.

    To look at longer and longer intervals can double the time of a short compilation.
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
