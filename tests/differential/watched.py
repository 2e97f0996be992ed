"""Items judged in other processes, each within a time: what hangs is killed, what dies is told."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import connection
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess

T = TypeVar("T")
_FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Killed:
    """The item's process hung, and was killed after that many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Died:
    """The item's process ended by itself, without an answer."""

    code: int | None


@dataclass(slots=True)
class _Worker(Generic[T]):
    """A process that answers for one item after the other."""

    process: ForkProcess
    pipe: connection.Connection
    item: int = -1
    since: float = 0.0

    def give(self, item: int) -> None:
        self.item, self.since = item, time.monotonic()
        self.pipe.send(item)

    def stop(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()

    def answer(self, most_seconds: float) -> T | Killed | Died | None:
        """What became of its item; None while it is at it."""
        try:
            if self.pipe.poll():
                found: T = self.pipe.recv()
                return found
        except (EOFError, OSError):
            self.process.join()
            return Died(self.process.exitcode)
        taken = time.monotonic() - self.since
        return Killed(taken) if taken > most_seconds else None


def judged(
    judge: Callable[[int], T], items: Iterable[int], *, jobs: int, most_seconds: float, memory: int
) -> Iterator[tuple[int, T | Killed | Died]]:
    """What `judge` says of each item, in the order in which it says so.

    Args:
        judge: called in another process; what it returns is pickled.
        items: one process after the other takes the next.
        jobs: how many processes.
        most_seconds: of the clock, for one item.
        memory: address space of a process, in bytes.
    """
    rest = iter(items)
    workers = list[_Worker[T]]()
    try:
        for _, item in zip(range(jobs), rest, strict=False):
            workers.append(_started(judge, memory))
            workers[-1].give(item)
        while workers:
            connection.wait([each.pipe for each in workers], timeout=min(1.0, most_seconds / 4))
            for at, worker in reversed(list(enumerate(workers))):
                answer = worker.answer(most_seconds)
                if answer is None:
                    continue
                yield worker.item, answer
                following = next(rest, None)
                if following is None or isinstance(answer, Killed | Died):
                    worker.stop()
                    workers[at : at + 1] = [] if following is None else [_started(judge, memory)]
                if following is not None:
                    workers[at].give(following)
    finally:
        for worker in workers:
            worker.stop()


def _started(judge: Callable[[int], T], memory: int) -> _Worker[T]:
    ours, theirs = _FORK.Pipe()
    process = _FORK.Process(target=_serve, args=(judge, theirs, ours, memory), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _serve(
    judge: Callable[[int], T], pipe: connection.Connection, other: connection.Connection, memory: int
) -> None:
    # Held open here, the other end would keep this process waiting for a parent that has gone.
    other.close()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory, hard))
    try:
        while True:
            pipe.send(judge(pipe.recv()))
    except (EOFError, KeyboardInterrupt):
        return
