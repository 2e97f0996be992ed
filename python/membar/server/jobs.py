"""Runs each request of the page in a process of its own, and ends it when it is cancelled or too large.

A process that is ready for the next request waits beside those that work, so that nobody waits for Python to
start. Requests beyond those that run wait in a queue; beyond the queue they are told that the server is busy.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from membar.diagnostics import InputError
from membar.limits.budget import size_text
from membar.limits.workers import process_tree, resident_bytes_of
from membar.records import record

_TICK: Final = 0.25  # seconds between two words about progress, and two looks at the memory
_AFTER_CANCEL: Final = 2.0  # seconds in which a process may say what it has found
_LONGER: Final = 3.0  # seconds beyond its limit after which a process is ended
_LONGEST_LINE: Final = 64 << 20  # bytes of an answer


class BusyError(Exception):
    """The server has more to do than it takes on."""


@record(eq=False)
class Worker:
    """A process that answers one request, with a folder that only it uses."""

    process: asyncio.subprocess.Process
    folder: Path

    async def end(self) -> None:
        """Ends the process, and all that it has started, and removes its folder."""
        for process in process_tree(self.process.pid):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        await self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@record(eq=False, kw_only=True)
class Job:
    """A request that is being answered."""

    name: str
    seconds: float
    memory: int
    worker: Worker | None = None
    cancelled: float | None = None  # when
    started: float = 0.0

    def cancel(self) -> None:
        """Asks the process, once, to stop and say what it has found."""
        if self.cancelled is not None:
            return
        self.cancelled = time.monotonic()
        if self.worker is not None:
            with suppress(ProcessLookupError):
                self.worker.process.send_signal(signal.SIGINT)


class Jobs:
    """All requests that run or wait."""

    def __init__(self, *, at_once: int, waiting: int) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._most = at_once + waiting
        self._jobs: dict[str, Job] = {}
        self._spare: asyncio.Task[Worker] | None = None
        self._home = Path(tempfile.mkdtemp(prefix="membar-serve-"))
        self._compilers = chosen_compilers()

    def prepare(self) -> None:
        """Starts a process for the next request."""
        if self._spare is None:
            self._spare = asyncio.create_task(self._start())

    async def close(self) -> None:
        """Ends everything."""
        for job in list(self._jobs.values()):
            if job.worker is not None:
                await job.worker.end()
        if self._spare is not None:
            self._spare.cancel()
            with suppress(asyncio.CancelledError, OSError, EOFError):
                await (await self._spare).end()
        shutil.rmtree(self._home, ignore_errors=True)

    def cancel(self, name: str) -> bool:
        """Cancels a request; whether there is one of this name."""
        job = self._jobs.get(name)
        if job is not None:
            job.cancel()
        return job is not None

    @property
    def is_full(self) -> bool:
        """Whether no more requests are taken."""
        return len(self._jobs) >= self._most

    async def run(self, body: bytes, *, seconds: float, memory: int) -> AsyncIterator[tuple[str, Any]]:
        """The events of a request: its name, progress, and the answer, or why there is none.

        If nobody listens any more, the process is ended.

        Raises:
            BusyError: too many requests wait.
        """
        if self.is_full:
            raise BusyError
        job = Job(name=secrets.token_urlsafe(12), seconds=seconds, memory=memory)
        self._jobs[job.name] = job
        try:
            yield "job", {"job": job.name}
            async with self._slots:
                async for event in self._answer(job, body):
                    yield event
        finally:
            del self._jobs[job.name]

    async def _answer(self, job: Job, body: bytes) -> AsyncIterator[tuple[str, Any]]:
        try:
            job.worker = await self._ready_worker()
        except (OSError, EOFError):
            yield "answer", {"ended": "the process for this check could not be started"}
            return
        reading = None
        try:
            if job.cancelled is not None:  # while it waited
                yield "answer", {"ended": "cancelled before it was started"}
                return
            job.started = time.monotonic()
            stdin, stdout = job.worker.process.stdin, job.worker.process.stdout
            if stdin is None or stdout is None:
                raise AssertionError("both are pipes")
            with suppress(ConnectionError):
                stdin.write(body.replace(b"\n", b" ") + b"\n")
                await stdin.drain()
                stdin.close()
            words = ""
            reading = asyncio.ensure_future(stdout.readline())
            while True:
                await asyncio.wait([reading], timeout=_TICK)
                if not reading.done():
                    reason = self._reason_to_end(job)
                    if reason:
                        yield "answer", {"ended": reason}
                        return
                    yield "progress", {"seconds": time.monotonic() - job.started, "text": words}
                    continue
                line = reading.result()
                if not line:
                    yield "answer", {"ended": await _death(job.worker)}
                    return
                found = json.loads(line)
                if found["event"] == "progress":
                    words = found["data"]["text"]
                elif found["event"] in ("answer", "refused"):
                    found["data"]["seconds"] = time.monotonic() - job.started
                    yield found["event"], found["data"]
                    return
                reading = asyncio.ensure_future(stdout.readline())
        finally:
            if reading is not None:
                reading.cancel()
            self.prepare()  # not before: it would compete with this one
            await asyncio.shield(job.worker.end())

    def _reason_to_end(self, job: Job) -> str:
        """Why a process must be ended now; "": it need not."""
        if job.worker is None:
            return ""
        now = time.monotonic()
        if job.cancelled is not None and now - job.cancelled > _AFTER_CANCEL:
            return "cancelled before anything was found"
        if now - job.started > job.seconds + _LONGER:
            return f"the time limit of {job.seconds:g} s was reached"
        held = sum(map(resident_bytes_of, process_tree(job.worker.process.pid)))
        return f"the memory limit of {size_text(job.memory)} was reached" if held > job.memory else ""

    async def _ready_worker(self) -> Worker:
        """The process that is ready, or a new one."""
        spare, self._spare = self._spare, None
        worker = None
        if spare is not None:
            with suppress(OSError, EOFError):
                worker = await spare
        if worker is not None and worker.process.returncode is not None:  # somebody ended it
            await worker.end()
            worker = None
        return worker or await self._start()

    async def _start(self) -> Worker:
        """A process that has loaded everything and waits for a request.

        Raises:
            OSError, EOFError: it could not be started.
        """
        folder = Path(tempfile.mkdtemp(prefix="check-", dir=self._home))
        cache = self._home / "cache"
        cache.mkdir(exist_ok=True)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "membar.server.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=folder,
            env=worker_environment(folder, cache, self._compilers),
            limit=_LONGEST_LINE,
            start_new_session=True,
        )
        worker = Worker(process, folder)
        if process.stdout is None:
            raise AssertionError("it is a pipe")
        try:
            is_ready = bool(await process.stdout.readline())
        except BaseException:
            await worker.end()
            raise
        if not is_ready:
            await worker.end()
            raise EOFError
        return worker


def worker_environment(folder: Path, cache: Path, compilers: Mapping[str, str]) -> dict[str, str]:
    """What a process that checks a program knows of the user: where compilers are, and nothing else."""
    python = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    places = {"HOME": str(folder), "TMPDIR": str(folder), "XDG_CACHE_HOME": str(cache)}
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", **places, **compilers, **python}


def chosen_compilers() -> dict[str, str]:
    """The compilers that the user has chosen, as variables; rustup's choice depends on the user's home."""
    from membar.languages.compiled.rust.compiler import find_rustc  # noqa: PLC0415 - only the server asks

    found = {name: os.environ[name] for name in ("MEMBAR_CLANG",) if name in os.environ}
    with suppress(InputError, OSError):
        found["MEMBAR_RUSTC"] = find_rustc(None, os.environ).path
    return found


async def _death(worker: Worker) -> str:
    """How a process ended without an answer, in words."""
    code = await worker.process.wait()
    if code == -signal.SIGKILL:
        return "the system killed the process of this check, most likely because memory ran out"
    return f"internal error, please report: the process of this check ended with code {code}"
