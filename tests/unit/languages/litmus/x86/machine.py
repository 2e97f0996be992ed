"""Runs one x86 thread on its own, step by step: enough to see what an instruction computes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from membar.languages.litmus import parse
from membar.program.expr import Expr, evaluate
from membar.program.operations import Fence, Load, Operation, Rmw, Set, Store
from membar.program.program import Program, Thread
from membar.source import SourceFile


def program_of(text: str) -> Program:
    """The program of a whole litmus test."""
    return parse(SourceFile("test.litmus", text))


def code(dialect: str, instructions: Iterable[str], state: str = "") -> Program:
    """A single thread with these instructions, and no question."""
    rows = "".join(f" {instruction} ;\n" for instruction in instructions)
    return program_of(f"{dialect} unit\n{{{state}}}\nP0 ;\n{rows}")


def operations(thread: Thread) -> list[Operation]:
    """What the thread does, edge by edge."""
    return [operation for edge in thread.edges for operation in edge.operations]


def run(program: Program) -> Mapping[str, int]:
    """The last values of the registers and, by their names, of the locations."""
    (thread,) = program.threads
    registers = {name: program.word(value) for name, value in thread.registers}
    memory = {cell.address: cell.initial for cell in program.cells}

    def value(expr: Expr) -> int:
        return evaluate(expr, registers, program.bases)

    def put(address: Expr, word: int, size: int) -> None:
        cell = program.cell_at[value(address)]
        assert cell.object.size == size
        memory[cell.address] = word & ((1 << 8 * size) - 1)

    def extended(word: int, size: int, *, signed: bool) -> int:
        negative = signed and word >> (8 * size - 1)
        return (word - (1 << 8 * size)) & ((1 << 64) - 1) if negative else word

    def do(operation: Operation) -> None:
        match operation:
            case Load(register=register, address=address, size=size, signed=signed):
                registers[register] = extended(memory[value(address)], size, signed=signed)
            case Store(address=address, value=stored, size=size):
                put(address, value(stored), size)
            case Rmw(register=register, address=address, value=stored, size=size, condition=condition):
                registers[register] = memory[value(address)]
                if value(condition):
                    put(address, value(stored), size)
            case Set(register=register, value=new):
                registers[register] = value(new)
            case Fence():
                pass
            case _:
                raise AssertionError(operation)

    point = thread.entry
    for _ in range(1000):
        open_edges = [edge for edge in thread.outgoing[point] if value(edge.guard)]
        if not open_edges:
            return registers | {cell.name: memory[cell.address] for cell in program.cells}
        (edge,) = open_edges
        for operation in edge.operations:
            do(operation)
        point = edge.target
    raise AssertionError("does not end")
