"""Runs one assembly thread on its own, step by step: enough to see what an instruction computes."""

from __future__ import annotations

from collections.abc import Mapping

from membar.languages.litmus import parse
from membar.program.expr import MASK, Expr, evaluate, signed
from membar.program.operations import Fence, Load, Operation, Rmw, Set, Store, StoreConditional
from membar.program.program import Program
from membar.source import SourceFile


def program_of(text: str) -> Program:
    """The program of a whole litmus test."""
    return parse(SourceFile("test.litmus", text))


def code(dialect: str, *instructions: str, state: str = "") -> Program:
    """A single thread with these instructions."""
    rows = "".join(f" {instruction} ;\n" for instruction in instructions)
    return program_of(f"{dialect} unit\n{{ {state} }}\n P0 ;\n{rows}forall (true)\n")


def operations(dialect: str, *instructions: str, state: str = "") -> list[Operation]:
    """What a single thread does, edge by edge."""
    (thread,) = code(dialect, *instructions, state=state).threads
    return [operation for edge in thread.edges for operation in edge.operations]


def run(dialect: str, *instructions: str, state: str = "") -> Mapping[str, int]:
    """The last values of the registers and, by their names, of the locations; reserved stores succeed."""
    machine = _Machine(code(dialect, *instructions, state=state))
    machine.run()
    return machine.registers | {cell.name: machine.memory[cell.address] for cell in machine.program.cells}


class _Machine:
    def __init__(self, program: Program) -> None:
        self.program = program
        (thread,) = program.threads
        self.thread = thread
        self.registers = {name: program.word(value) for name, value in thread.registers}
        self.memory = {cell.address: cell.initial for cell in program.cells}
        self.reserved: int | None = None

    def run(self) -> None:
        point = self.thread.entry
        for _ in range(1000):
            edges = [edge for edge in self.thread.outgoing[point] if self._value(edge.guard)]
            if not edges:
                return
            (edge,) = edges
            for operation in edge.operations:
                self._do(operation)
            point = edge.target
        raise AssertionError("does not end")

    def _value(self, expr: Expr) -> int:
        return evaluate(expr, self.registers, self.program.bases)

    def _do(self, operation: Operation) -> None:
        match operation:
            case Set(register=register, value=value):
                self.registers[register] = self._value(value)
            case Load(register=register, address=address, size=size, signed=is_signed, exclusive=exclusive):
                place = self._value(address)
                self.registers[register] = self._read(place, size, is_signed=is_signed)
                self.reserved = place if exclusive else self.reserved
            case Store(address=address, value=value, size=size):
                self._write(self._value(address), self._value(value), size)
            case StoreConditional(status=status, address=address, value=value, size=size):
                done = self.reserved == self._value(address)
                if done:
                    self._write(self._value(address), self._value(value), size)
                self.reserved = None
                self.registers[status] = 0 if done else 1
            case Rmw(register=register, address=address, value=value, size=size, condition=condition):
                place = self._value(address)
                self.registers[register] = self._read(place, size, is_signed=operation.signed)
                if self._value(condition):
                    self._write(place, self._value(value), size)
            case Fence():
                pass
            case _:
                raise AssertionError(operation)

    def _read(self, address: int, size: int, *, is_signed: bool) -> int:
        assert self.program.cell_at[address].object.size == size
        word = self.memory[address]
        return signed(word, 8 * size) & MASK if is_signed else word

    def _write(self, address: int, value: int, size: int) -> None:
        assert self.program.cell_at[address].object.size == size
        self.memory[address] = value & ((1 << (8 * size)) - 1)
