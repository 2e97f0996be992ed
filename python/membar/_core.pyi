# The Rust core: private; engines call it and lift what it answers.

from collections.abc import Callable, Sequence
from typing import Self, TypeAlias, final

__all__ = [
    "AnySize",
    "BufferFindings",
    "CubeFindings",
    "Findings",
    "Plan",
    "RunAnswer",
    "StateSpace",
    "StoreBuffers",
    "VisitedStates",
    "class_faults",
    "evaluate",
    "faults",
]

# thread (-1: initial write), kind, cell, value, tag set (-1: none), step, edge
_Event: TypeAlias = tuple[int, str, int | None, int, int, int, int]
# status, where it ended early (edge, operation), registers, choices
_Thread: TypeAlias = tuple[str, tuple[int, int] | None, list[tuple[int, int]], list[int]]
_Pairs: TypeAlias = list[tuple[int, int]]
# thread, edge (None: a flush), values or what is flushed, and who receives: thread, edge, values
_BufferMove: TypeAlias = tuple[int, int | None, list[int], tuple[int, int, list[int]] | None]
# events, threads, rf, co, (po, addr, data, ctrl, amo, lxsx, spawn-join, pick-addr, pick-data, pick-ctrl)
_Execution: TypeAlias = tuple[
    list[_Event],
    list[_Thread],
    _Pairs,
    list[list[int]],
    tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes],  # rows of bits
]

@final
class Plan:
    def __new__(cls, form: bytes) -> Plan: ...
    def search(
        self,
        program: bytes,
        *,
        bound: int,
        guesses: Sequence[tuple[int, int]] | None = None,
        seconds: float | None = None,
        executions: int | None = None,
        memory: int | None = None,
        steps: int | None = None,
        keep_all: bool = False,
        prune: bool = True,
        progress: Callable[[int, int, float], None] | None = None,
    ) -> Findings: ...
    def search_exactly_once(
        self,
        program: bytes,
        *,
        bound: int,
        order: int | None = None,
        seconds: float | None = None,
        executions: int | None = None,
        memory: int | None = None,
        keep_all: bool = False,
        stop_at_failure: bool = False,
        jobs: int = 1,
        in_place: bool = False,
        progress: Callable[[int, int, float], None] | None = None,
        symmetric: tuple[list[list[int]], bool] | None = None,
        signs: tuple[int, int, int] | None = None,
        verify: bool = False,
        fault: int | None = None,
    ) -> Findings: ...
    def search_classes(
        self,
        program: bytes,
        *,
        bound: int,
        seconds: float | None = None,
        executions: int | None = None,
        memory: int | None = None,
        keep_all: bool = False,
        stop_at_failure: bool = False,
        progress: Callable[[int, int, float], None] | None = None,
        verify: bool = False,
        fault: int | None = None,
    ) -> Findings: ...

@final
class Findings:
    @property
    def executions(self) -> int: ...
    @property
    def explored(self) -> int: ...
    @property
    def symmetric(self) -> list[list[int]]: ...
    @property
    def blocked(self) -> int: ...
    @property
    def cut(self) -> bool: ...
    @property
    def combinations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def duplicates(self) -> int: ...
    @property
    def surprises(self) -> int: ...
    @property
    def contradictions(self) -> int: ...
    @property
    def classes(self) -> int: ...
    @property
    def stopped(self) -> str | None: ...
    @property
    def states(self) -> list[tuple[tuple[int, ...], int]]: ...
    @property
    def remarks(self) -> list[int]: ...
    @property
    def failures(self) -> list[int]: ...
    @property
    def faults(self) -> list[int]: ...
    @property
    def stuck(self) -> int: ...
    @property
    def deadlocks(self) -> int: ...
    @property
    def truncated(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def waits(self) -> list[tuple[int, int]]: ...
    @property
    def cuts(self) -> list[tuple[int, int]]: ...
    @property
    def signs(self) -> list[list[tuple[int, int]]]: ...
    @property
    def kept(self) -> int: ...
    def state_witness(self, index: int) -> _Execution: ...
    def remark_witness(self, index: int) -> _Execution: ...
    def failure_witness(self, thread: int) -> _Execution: ...
    def fault_witness(self, thread: int) -> _Execution: ...
    def stuck_witness(self) -> _Execution: ...
    def deadlock_witness(self) -> _Execution: ...
    def kept_witness(self, index: int) -> _Execution: ...

@final
class StoreBuffers:
    def __new__(
        cls,
        program: bytes,
        *,
        discipline: str,
        places: Sequence[Sequence[tuple[int, int]]] | None = None,
        predicates: Sequence[bytes] | None = None,
        looks: Sequence[tuple[int, Sequence[int]]] | None = None,
        deadlocks: bool = False,
        ends: Sequence[Sequence[int]] | None = None,
        asserts: Sequence[tuple[int, int]] | None = None,
        committed: Sequence[Sequence[int]] | None = None,
        fault: int | None = None,
    ) -> Self: ...
    def forward(
        self,
        *,
        sleep: bool = True,
        acceleration: bool = True,
        only_first: bool = False,
        seconds: float | None = None,
        states: int | None = None,
        memory: int | None = None,
    ) -> BufferFindings: ...
    def backward(
        self,
        *,
        seconds: float | None = None,
        states: int | None = None,
        memory: int | None = None,
    ) -> BufferFindings: ...
    def bounded(
        self,
        *,
        bound: int,
        only_first: bool = False,
        seconds: float | None = None,
        states: int | None = None,
        memory: int | None = None,
    ) -> BufferFindings: ...
    def run_to(
        self,
        goal: tuple[str, Sequence[int]],
        *,
        largest: int | None = None,
        seconds: float | None = None,
        states: int | None = None,
        memory: int | None = None,
    ) -> list[_BufferMove] | None: ...
    @staticmethod
    def faults() -> list[str]: ...

@final
class BufferFindings:
    def run_to(self, goal: tuple[str, Sequence[int]]) -> list[_BufferMove] | None: ...
    @property
    def goals(self) -> list[tuple[str, list[int]]]: ...
    @property
    def stored(self) -> int: ...
    @property
    def visited(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def error_states(self) -> int: ...
    @property
    def held(self) -> bool: ...
    @property
    def is_exact(self) -> bool: ...
    @property
    def stopped(self) -> str | None: ...
    @property
    def unbounded(self) -> list[tuple[int, list[int], list[int], list[str]]]: ...
    @property
    def cycles(self) -> list[tuple[int, list[tuple[int, int]], str]]: ...

_CubePlace: TypeAlias = tuple[int, int, int, list[int]]
_CubeEvents: TypeAlias = tuple[
    list[list[_CubePlace]],
    list[tuple[int, int]],
    list[tuple[int, list[int]]],
    list[tuple[int, list[int]]],
    list[tuple[_CubePlace, list[int]]],
]
_Cube: TypeAlias = tuple[
    int,
    list[tuple[_CubePlace, int]],
    list[tuple[str, _CubePlace, _CubePlace]],
    list[tuple[str, list[tuple[int, _CubePlace]], int]],
    _CubeEvents,
]

@final
class AnySize:
    def __new__(cls, form: bytes, *, fault: int | None = None) -> Self: ...
    @property
    def fixed(self) -> bool: ...
    def search(
        self,
        *,
        trust: bool = False,
        guesses: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        memory: int | None = None,
        progress: Callable[[int, int, float], object] | None = None,
    ) -> CubeFindings: ...
    def search_without(
        self, found: CubeFindings, *, cube: int, literal: int, seconds: float | None = None
    ) -> CubeFindings: ...
    @staticmethod
    def faults() -> list[str]: ...

# thread, edge (None: flush), the same of who received at once, values read and chosen or (cell, value)
_Step: TypeAlias = tuple[int, int | None, tuple[int, int, list[int]] | None, list[int]]

@final
class StateSpace:
    def __new__(
        cls, program: bytes, *, discipline: str, bound: int, registers: str, fault: int | None = None
    ) -> Self: ...
    def explore(
        self,
        *,
        stop_at_failure: bool = False,
        stop_at_deadlock: bool = False,
        keep_finals: bool = False,
        reduced: bool = False,
        jobs: int = 1,
        round_size: int | None = None,
        seconds: float | None = None,
        states: int | None = None,
        memory: int | None = None,
        progress: Callable[[int, int, float], None] | None = None,
    ) -> VisitedStates: ...
    def find_run(
        self,
        automaton: bytes,
        *,
        fair_buffers: bool = False,
        fair_processes: bool = False,
        shortest: bool = False,
        seconds: float | None = None,
        states: int | None = None,
        memory: int | None = None,
        progress: Callable[[int, int, float], None] | None = None,
    ) -> RunAnswer: ...
    @staticmethod
    def faults() -> list[str]: ...

@final
class CubeFindings:
    @property
    def stopped(self) -> str | None: ...
    @property
    def trace(self) -> tuple[list[tuple[int, list[int]]], int, int, list[int]] | None: ...
    @property
    def cubes(self) -> list[_Cube]: ...
    @property
    def nodes(self) -> int: ...
    @property
    def made(self) -> int: ...
    @property
    def covered(self) -> int: ...
    @property
    def deleted(self) -> int: ...
    @property
    def restarts(self) -> int: ...
    @property
    def processes(self) -> int: ...

@final
class VisitedStates:
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def blocked(self) -> int: ...
    @property
    def held(self) -> bool: ...
    @property
    def unfit(self) -> tuple[int, int] | None: ...
    @property
    def bytes(self) -> int: ...
    @property
    def failure(self) -> tuple[int, int] | None: ...
    @property
    def errors(self) -> list[int | None]: ...
    @property
    def deadlock(self) -> int | None: ...
    @property
    def fault(self) -> int | None: ...
    @property
    def endings(self) -> list[tuple[list[int], int, int]]: ...
    @property
    def finals(self) -> list[int]: ...
    @property
    def stopped(self) -> str | None: ...
    def run_to(self, state: int, last: int | None = None) -> list[_Step]: ...

@final
class RunAnswer:
    @property
    def lasso(self) -> tuple[list[_Step | None], list[_Step | None]] | None: ...
    @property
    def fault(self) -> bool: ...
    @property
    def failed(self) -> bool: ...
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def held(self) -> bool: ...
    @property
    def unfit(self) -> tuple[int, int] | None: ...
    @property
    def bytes(self) -> int: ...
    @property
    def stopped(self) -> str | None: ...

def faults() -> tuple[list[str], list[str]]: ...
def class_faults() -> list[str]: ...
def evaluate(form: bytes, registers: list[int]) -> int: ...
