# The Rust core: private; engines call it and lift what it answers.

from typing import TypeAlias, final

# thread (-1: initial write), kind, cell, value, tag set (-1: none), step, edge
Event: TypeAlias = tuple[int, str, int | None, int, int, int, int]
# status, where it ended early (edge, operation), registers, choices
Thread: TypeAlias = tuple[str, tuple[int, int] | None, list[tuple[int, int]], list[int]]
Pairs: TypeAlias = list[tuple[int, int]]
# events, threads, rf, co, (po, addr, data, ctrl, amo, lxsx, spawn-join)
Execution: TypeAlias = tuple[
    list[Event],
    list[Thread],
    Pairs,
    list[list[int]],
    tuple[Pairs, Pairs, Pairs, Pairs, Pairs, Pairs, Pairs],
]

@final
class Plan:
    def __new__(cls, form: bytes) -> Plan: ...
    def search(
        self,
        program: bytes,
        *,
        bound: int,
        seconds: float | None = None,
        executions: int | None = None,
        memory: int | None = None,
        keep_all: bool = False,
        prune: bool = True,
    ) -> Findings: ...

@final
class Findings:
    @property
    def executions(self) -> int: ...
    @property
    def blocked(self) -> int: ...
    @property
    def cut(self) -> bool: ...
    @property
    def combinations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
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
    def kept(self) -> int: ...
    def state_witness(self, index: int) -> Execution: ...
    def remark_witness(self, index: int) -> Execution: ...
    def failure_witness(self, thread: int) -> Execution: ...
    def fault_witness(self, thread: int) -> Execution: ...
    def kept_witness(self, index: int) -> Execution: ...

def evaluate(form: bytes, registers: list[int]) -> int: ...
