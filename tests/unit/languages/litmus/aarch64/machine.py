"""Runs one AArch64 thread on its own, step by step: enough to see what an instruction computes."""

from __future__ import annotations

from collections.abc import Mapping

from membar.languages.litmus.dialects.aarch64 import DIALECT
from membar.languages.litmus.header import read_test
from membar.program.expr import MASK, Expr, evaluate, signed
from membar.program.operations import Choose, Fence, Load, Rmw, Set, Store
from membar.program.program import Edge, Program
from membar.source import SourceFile


def program_of(text: str) -> Program:
    """The program of a whole litmus test."""
    return DIALECT.translate(read_test(SourceFile("test.litmus", text)))


def code(*instructions: str, state: str = "") -> Program:
    """A single thread with these instructions."""
    rows = "".join(f" {instruction} ;\n" for instruction in instructions)
    return program_of(f"AArch64 unit\n{{ {state} }}\n P0 ;\n{rows}forall (true)\n")


def run(*instructions: str, state: str = "") -> Mapping[str, int]:
    """The last values of the registers and, by their names, of the locations."""
    machine = _Machine(code(*instructions, state=state))
    machine.run()
    return machine.registers | {cell.name: machine.memory[cell.address] for cell in machine.program.cells}


class _Machine:
    def __init__(self, program: Program) -> None:
        self.program = program
        (thread,) = program.threads
        self.thread = thread
        self.registers = {name: program.word(value) for name, value in thread.registers}
        self.memory = {cell.address: cell.initial for cell in program.cells}

    def run(self) -> None:
        point, steps = self.thread.entry, 0
        while edges := [e for e in self.thread.outgoing[point] if self._value(e.guard)]:
            assert len(edges) == 1
            self._follow(edges[0])
            point, steps = edges[0].target, steps + 1
            assert steps < 1000

    def _value(self, expr: Expr) -> int:
        return evaluate(expr, self.registers, self.program.bases)

    def _follow(self, edge: Edge) -> None:
        # A guess is tried both ways; the wrong one leaves a later choice without values.
        for guess in (1, 0):
            saved = dict(self.registers), dict(self.memory)
            if all(self._do(operation, guess) for operation in edge.operations):
                return
            self.registers, self.memory = saved
        raise AssertionError("no way to do this step")

    def _do(self, operation: object, guess: int) -> bool:
        match operation:
            case Set(register=register, value=value):
                self.registers[register] = self._value(value)
            case Load(register=register, address=address, size=size, signed=is_signed):
                self.registers[register] = self._read(self._value(address), size, is_signed=is_signed)
            case Store(address=address, value=value, size=size):
                self._write(self._value(address), self._value(value), size)
            case Rmw(register=register, address=address, value=value, size=size, condition=condition):
                place = self._value(address)
                self.registers[register] = self._read(place, size, is_signed=False)
                if self._value(condition):
                    self._write(place, self._value(value), size)
            case Choose(register=register, low=low, high=high):
                first, last = signed(self._value(low)), signed(self._value(high))
                if not first <= last:
                    return False
                self.registers[register] = max(first, min(guess, last)) & MASK
            case Fence():
                pass
            case _:
                raise AssertionError(operation)
        return True

    def _read(self, address: int, size: int, *, is_signed: bool) -> int:
        assert self.program.cell_at[address].object.size == size
        word = self.memory[address]
        return signed(word, 8 * size) & MASK if is_signed else word

    def _write(self, address: int, value: int, size: int) -> None:
        assert self.program.cell_at[address].object.size == size
        self.memory[address] = value & ((1 << (8 * size)) - 1)
