"""Running one thread of a Program alone, for tests: an interpreter that shares nothing with the engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from membar.languages.litmus import parse
from membar.program.expr import evaluate, signed
from membar.program.operations import Assume, Fence, Load, Operation, Rmw, Set, Store
from membar.program.program import Program, Thread
from membar.source import SourceFile

MOST_STEPS = 10_000


def program_of(text: str) -> Program:
    """The program of a litmus test given as text."""
    return parse(SourceFile("test.litmus", text))


def body_of(code: str, *, parameters: str = "int* x, int* y", initial: str = "") -> Program:
    """A test with one thread."""
    return program_of(f"C one\n{{{initial}}}\nP0 ({parameters}) {{\n{code}\n}}\nforall (true)\n")


@dataclass(frozen=True)
class Ending:
    """Where a run ended: registers of the thread, and cells by name."""

    registers: Mapping[str, int]
    memory: Mapping[str, int]


class BlockedError(Exception):
    """An `Assume` did not hold."""


def endings(program: Program, thread: Thread) -> list[Ending]:
    """Every way in which the thread, alone, can end."""
    registers = {name: program.word(value) for name, value in thread.registers}
    memory = {cell.address: cell.initial for cell in program.cells}
    found: list[Ending] = []
    todo = [(thread.entry, registers, memory)]
    for _ in range(MOST_STEPS):
        if not todo:
            return found
        point, registers, memory = todo.pop()
        edges = thread.outgoing[point]
        if not edges:
            found.append(_ending(program, registers, memory))
        for edge in edges:
            if evaluate(edge.guard, registers, program.bases):
                after = (dict(registers), dict(memory))
                try:
                    for operation in edge.operations:
                        _do(program, operation, *after)
                except BlockedError:
                    continue
                todo.append((edge.target, *after))
    raise AssertionError("the thread does not end")


def _ending(program: Program, registers: dict[str, int], memory: dict[int, int]) -> Ending:
    cells = {cell.name: signed(memory[cell.address], 8 * cell.object.size) for cell in program.cells}
    return Ending({name: signed(word) for name, word in registers.items()}, cells)


def _do(program: Program, operation: Operation, registers: dict[str, int], memory: dict[int, int]) -> None:
    def word(expr: object) -> int:
        return evaluate(expr, registers, program.bases)  # type: ignore[arg-type]

    match operation:
        case Load(register=register, address=address, size=size, signed=is_signed):
            registers[register] = _extended(memory[word(address)], size, is_signed=is_signed)
        case Store(address=address, value=value, size=size):
            memory[word(address)] = word(value) & ((1 << 8 * size) - 1)
        case Rmw(register=register, address=address, size=size, signed=is_signed):
            place = word(address)
            registers[register] = _extended(memory[place], size, is_signed=is_signed)
            if word(operation.condition):
                memory[place] = word(operation.value) & ((1 << 8 * size) - 1)
        case Set(register=register, value=value):
            registers[register] = word(value)
        case Assume(condition=condition):
            if not word(condition):
                raise BlockedError
        case Fence():
            pass
        case _:
            raise AssertionError(operation)


def _extended(value: int, size: int, *, is_signed: bool) -> int:
    return (signed(value, 8 * size) if is_signed else value) & ((1 << 64) - 1)


def run(code: str, *, parameters: str = "int* x, int* y", initial: str = "") -> Ending:
    """The only ending of a thread with this code."""
    program = body_of(code, parameters=parameters, initial=initial)
    (ending,) = endings(program, program.threads[0])
    return ending
