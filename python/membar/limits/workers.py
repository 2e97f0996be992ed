"""Work in child processes, which can be ended at any time.

A thread of Python cannot be stopped while it is inside z3, a regular expression or another library; a
process can. The parent gives its workers one item after the other, watches the clock and the memory of each,
and ends a worker that passes its hard limit: that item is answered by `Ended`, the others by the next worker.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import select
import signal
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Generic, NoReturn, TypeVar

from membar.diagnostics import InputError
from membar.limits import budget
from membar.limits.budget import Ended, size_text
from membar.records import field, record

if TYPE_CHECKING:
    from pickle import dumps, loads
else:
    try:  # the part in C of `pickle`, as in `membar.records.stored`
        from _pickle import dumps, loads
    except ImportError:
        from pickle import dumps, loads

Item = TypeVar("Item")
Result = TypeVar("Result")

# How much longer than its limit a worker may take before it is ended: it should end by itself.
_LONGER: Final = 1.2
# After Ctrl-C it may say what it knows, for so long.
_AFTER_INTERRUPT: Final = 1.5
_LOOK: Final = 0.02
_PAUSE: Final = 0.2
_STAGE_BYTES: Final = 200
_LENGTH: Final = struct.Struct("<Q")
_CHUNK: Final = 1 << 16
# z3 exits with it when memory runs out while it reads SMT-LIB.
_Z3_OUT_OF_MEMORY: Final = 101
# What the parent sends for Ctrl-C. A terminal sends SIGINT to both; then once is enough.
_INTERRUPT: Final = signal.SIGUSR1


class WorkerError(Exception):
    """A mistake of ours inside a worker: what, where, and its traceback as a note."""


@record(kw_only=True)
class _Worker(Generic[Item, Result]):
    """A child process, as its parent sees it."""

    process: int
    requests: int
    answers: int
    stage: mmap.mmap
    number: int | None = None
    started: float = 0.0
    received: bytearray = field(default_factory=bytearray)

    def give(self, number: int) -> None:
        self.number, self.started = number, time.monotonic()
        with suppress(BrokenPipeError):  # it has died: this is seen when it is asked for the answer
            os.write(self.requests, _LENGTH.pack(number))

    def receive(self) -> bytes | None:
        """The answer, once it is there as a whole.

        Raises:
            EOFError: the worker has ended.
        """
        chunk = os.read(self.answers, _CHUNK)
        if not chunk:
            raise EOFError
        self.received += chunk
        if len(self.received) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self.received)
        if len(self.received) < _LENGTH.size + length:
            return None
        answer = bytes(self.received[_LENGTH.size :])
        self.received.clear()
        return answer

    def current_stage(self) -> str:
        said = self.stage[:].rstrip(b"\0").decode(errors="replace")
        return f" {said}" if said else ""

    def resident(self) -> int:
        """Bytes that it holds, with all that it has started (a compiler)."""
        return sum(resident_bytes_of(process) for process in process_tree(self.process))

    def end(self) -> int:
        """Ends the process, and all that it has started, if it has not ended; how it did (`os.waitpid`)."""
        for end in (self.requests, self.answers):
            os.close(end)
        for process in process_tree(self.process):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        return status


def process_tree(process: int) -> list[int]:
    """A process and its descendants, where the system tells them."""
    found = [process]
    for one in found:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{one}/task"):  # noqa: PTH208 - without pathlib
                with suppress(OSError):  # it has ended
                    found += map(int, _content(f"/proc/{one}/task/{thread}/children").split())
    return found


def _content(path: str) -> str:
    with open(path, encoding="utf-8") as stream:  # noqa: PTH123 - without pathlib
        return stream.read()


def resident_bytes_of(process: int) -> int:
    """Bytes of memory that a process holds; 0 where the system does not say."""
    try:
        pages = _content(f"/proc/{process}/statm").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def run_alone(
    work: Callable[[], Result], *, seconds: float | None = None, memory: int | None = None
) -> Result | Ended:
    """The result of one piece of work, done in a child process.

    Raises:
        KeyboardInterrupt: Ctrl-C, with what the work then raised.
        WorkerError: a mistake of ours.
    """
    return next(WorkerPool([None], lambda _: work(), seconds=seconds, memory=memory).results())


class WorkerPool(Generic[Item, Result]):
    """Some workers, and the items that they are given."""

    def __init__(
        self,
        items: Sequence[Item],
        work: Callable[[Item], Result],
        *,
        jobs: int = 1,
        seconds: float | None = None,
        memory: int | None = None,
        on_result: Callable[[int, Result | Ended], None] | None = None,
        on_pause: Callable[[], None] | None = None,
    ) -> None:
        """The workers are started when results are asked for.

        `on_result` is called with the number and the result of each item as soon as it is there, whatever
        its turn; `on_pause` whenever nothing has come for a moment.
        """
        self._items, self._work = items, work
        self._seconds, self._memory = seconds, memory
        self._on_result, self._on_pause = on_result, on_pause
        self._jobs = max(1, min(jobs, len(items)))
        self._workers: list[_Worker[Item, Result]] = []
        self._next = 0
        self._done: dict[int, Result | Ended] = {}
        self._interrupted: float | None = None
        # A child that can read from this pipe no longer has a parent.
        self._lifeline = os.pipe()

    def results(self) -> Iterator[Result | Ended]:
        """The results, in the order of the items.

        Raises:
            KeyboardInterrupt: Ctrl-C; what a worker then said of its item comes first.
            WorkerError: a mistake of ours.
        """
        try:
            for number in range(len(self._items)):
                while number not in self._done:
                    self._go_on()
                found = self._done.pop(number)
                if isinstance(found, Ended) and self._interrupted is not None:
                    raise KeyboardInterrupt  # which may have come before the worker was ready for it
                yield found
                if self._interrupted is not None:
                    raise KeyboardInterrupt
        finally:
            for worker in self._workers:
                worker.end()
            self._workers.clear()
            for end in self._lifeline:
                os.close(end)

    def _go_on(self) -> None:
        """Gives work to those who have none, and waits a moment for answers."""
        try:
            if self._interrupted is None:
                self._assign_tasks()
            self._wait()
        except KeyboardInterrupt:
            if self._interrupted is not None or not self._workers:
                raise
            self._interrupted = time.monotonic()
            for worker in self._workers:
                # z3 listens to SIGINT, which Python ignores in a worker.
                for number in (_INTERRUPT, signal.SIGINT):
                    with suppress(ProcessLookupError):
                        os.kill(worker.process, number)

    def _assign_tasks(self) -> None:
        idle = [worker for worker in self._workers if worker.number is None]
        while self._next < len(self._items) and (idle or len(self._workers) < self._jobs):
            if not idle:
                idle.append(self._start_worker())
            idle.pop().give(self._next)
            self._next += 1

    def _wait(self) -> None:
        busy = {worker.answers: worker for worker in self._workers if worker.number is not None}
        if not busy:  # after Ctrl-C no worker gets more
            raise KeyboardInterrupt
        ready, _, _ = select.select(list(busy), [], [], self._pause(list(busy.values())))
        for end in ready:
            self._take(busy[end])
        if not ready:
            for worker in busy.values():
                self._judge(worker)
            if self._on_pause is not None:
                self._on_pause()

    def _pause(self, workers: Sequence[_Worker[Item, Result]]) -> float | None:
        """How long nobody needs to look."""
        if self._memory is not None or self._interrupted is not None:
            return _LOOK
        longest = None if self._on_pause is None else _PAUSE
        if self._seconds is None:
            return longest
        first = min(worker.started for worker in workers) + self._seconds + _LONGER
        left = max(first - time.monotonic(), 0.0)
        return left if longest is None else min(left, longest)

    def _judge(self, worker: _Worker[Item, Result]) -> None:
        """Ends a worker that has passed a limit."""
        now = time.monotonic()
        if self._interrupted is not None and now > self._interrupted + _AFTER_INTERRUPT:
            raise KeyboardInterrupt
        if self._memory is not None and worker.resident() > self._memory:
            reason = f"the memory limit of {size_text(self._memory)} was reached"
        elif self._seconds is not None and now >= worker.started + self._seconds + _LONGER:
            reason = f"the time limit of {self._seconds:g} s was reached"
        else:
            return
        self._dismiss(worker, reason + worker.current_stage())

    def _dismiss(self, worker: _Worker[Item, Result], reason: str) -> None:
        self._workers.remove(worker)
        status = worker.end()
        if worker.number is not None:
            seconds = time.monotonic() - worker.started
            died = "" if reason else _exit_text(status, self._memory) + worker.current_stage()
            self._keep(worker.number, Ended(reason or died, seconds, is_accident=bool(died)))

    def _keep(self, number: int, result: Result | Ended) -> None:
        self._done[number] = result
        if self._on_result is not None:
            self._on_result(number, result)

    def _take(self, worker: _Worker[Item, Result]) -> None:
        """Takes a part of an answer."""
        try:
            answer = worker.receive()
        except EOFError:
            self._dismiss(worker, "")
            return
        if answer is None or worker.number is None:
            return
        kind, value = loads(answer)
        if kind == "raised":
            raise value
        number, worker.number = worker.number, None
        self._keep(number, value)

    def _start_worker(self) -> _Worker[Item, Result]:
        requests, answers = os.pipe(), os.pipe()
        stage = mmap.mmap(-1, _STAGE_BYTES)
        # A Ctrl-C that comes now is seen by both when each of them is ready for it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        process = os.fork()
        if process == 0:
            self._serve(requests, answers, stage)
        os.close(requests[0])
        os.close(answers[1])
        worker = _Worker[Item, Result](process=process, requests=requests[1], answers=answers[0], stage=stage)
        self._workers.append(worker)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return worker

    def _serve(self, requests: tuple[int, int], answers: tuple[int, int], stage: mmap.mmap) -> NoReturn:
        """What the child does: one item after the other, until nobody wants more."""
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(_INTERRUPT, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            for end in (requests[1], answers[0], self._lifeline[1]):
                os.close(end)
            for other in self._workers:
                os.close(other.requests)
                os.close(other.answers)
            _exit_with_parent(self._lifeline[0])

            def note(current_stage: str) -> None:
                stage[:] = current_stage.encode()[:_STAGE_BYTES].ljust(_STAGE_BYTES, b"\0")

            budget.tell_stages_to(note)
            while request := os.read(requests[0], _LENGTH.size):
                (number,) = _LENGTH.unpack(request)
                answer = _answer(self._work, self._items[number])
                signal.signal(_INTERRUPT, signal.SIG_IGN)
                _send(answers[1], answer)
                signal.signal(_INTERRUPT, signal.default_int_handler)
        finally:  # never back into the code of the parent
            os._exit(1)


def _answer(work: Callable[[Item], Result], item: Item) -> bytes:
    """The result of the work, or what it raised, as bytes."""
    try:
        return dumps(("value", work(item)))
    except KeyboardInterrupt as interrupt:  # which may have the answer as far as it was found
        return dumps(("raised", interrupt))
    except BaseException as problem:
        with suppress(Exception):
            sent = dumps(("raised", problem))
            if isinstance(problem, (OSError, RecursionError, InputError)):
                loads(sent)
                return sent
        return dumps(("raised", _bug(problem)))


def _bug(problem: BaseException) -> WorkerError:
    import traceback  # slow to load, and hopefully never needed

    frame = traceback.extract_tb(problem.__traceback__)[-1]
    found = WorkerError(f"{type(problem).__name__}: {problem} ({frame.filename}:{frame.lineno})")
    found.add_note("".join(traceback.format_exception(problem)))
    return found


def _send(end: int, answer: bytes) -> None:
    data = memoryview(_LENGTH.pack(len(answer)) + answer)
    while data:
        data = data[os.write(end, data) :]


def _exit_with_parent(lifeline: int) -> None:
    """Ends this process when the last other end of a pipe is closed: its parent has gone."""
    with suppress(OSError, AttributeError):
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _exit_text(status: int, memory: int | None) -> str:
    """How a process ended that nobody ended, in words."""
    if not os.WIFSIGNALED(status):
        code = os.WEXITSTATUS(status)
        if code == _Z3_OUT_OF_MEMORY and memory is not None:
            return f"the memory limit of {size_text(memory)} was reached inside z3"
        return f"internal error, please report: the process ended with code {code}"
    number = os.WTERMSIG(status)
    name = signal.Signals(number).name
    if number == signal.SIGKILL:
        return "the system killed the process (SIGKILL), most likely because memory ran out"
    return f"internal error, please report: the process died ({name})"
