"""Accesses that consist of several: numbers put together from their pieces, and taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from membar.code import ir
from membar.code.structure import results
from membar.records import replace

_Item = TypeVar("_Item")


class Emitter:
    """Builds instructions with fresh values, all at one place."""

    def __init__(self, function: ir.Function, word: str, module: ir.Module) -> None:
        self.word = word
        self.is_little_endian, self.pointer_bits = module.is_little_endian, module.pointer_bits
        self.instructions: list[ir.Instruction] = []
        self.place: ir.Place | None = None
        self._number = max(_numbers(function, f"{word}/"), default=0)

    def value(self, type_: ir.Type) -> ir.Value:
        """A fresh value; no name of LLVM IR has a slash."""
        self._number += 1
        return ir.Value(f"{self.word}/{self._number}", type_)

    def label(self) -> str:
        """A fresh name for a block."""
        self._number += 1
        return f"{self.word}/block.{self._number}"

    def take(self) -> list[ir.Instruction]:
        """The instructions since the last time."""
        done, self.instructions = self.instructions, []
        return done

    def bits(self, type_: ir.Type) -> int:
        """The width of a type."""
        return self.pointer_bits if isinstance(type_, ir.Ptr) else type_.bits

    def compute(self, operation: str, type_: ir.Type, *operands: ir.Operand) -> ir.Value:
        """The result of an operation."""
        result = self.value(type_)
        self.instructions.append(
            ir.Compute(result=result, operation=operation, operands=operands, place=self.place)
        )
        return result

    def move_address(self, address: ir.Operand, distance: int) -> ir.Operand:
        """An address so many bytes further."""
        if distance == 0:
            return address
        if isinstance(address, ir.ObjectAddress):
            return replace(address, offset=address.offset + distance)
        result = self.value(ir.PTR)
        index = ir.Constant(distance, ir.Int(64))
        self.instructions.append(
            ir.Index(result=result, base=address, index=index, stride=1, place=self.place)
        )
        return result

    def load(self, address: ir.Operand, size: int, *, is_volatile: bool = False) -> ir.Value:
        """A plain load of so many bytes."""
        result = self.value(ir.Int(8 * size))
        self.instructions.append(
            ir.Load(result=result, address=address, is_volatile=is_volatile, place=self.place)
        )
        return result

    def store(self, value: ir.Operand, address: ir.Operand, *, is_volatile: bool = False) -> None:
        """A plain store."""
        self.instructions.append(
            ir.Store(value=value, address=address, is_volatile=is_volatile, place=self.place)
        )

    def convert(self, value: ir.Operand, type_: ir.Type) -> ir.Operand:
        """The same bits as a value of another type, cut or filled up with zeros."""
        if value.type == type_:
            return value
        if isinstance(value, ir.Undefined):
            return replace(value, type=type_)
        if isinstance(value, ir.Constant):
            return ir.Constant(value.value & ((1 << self.bits(type_)) - 1), type_)
        if isinstance(value.type, ir.Ptr):
            return self.convert(self.compute("ptrtoint", ir.Int(self.pointer_bits), value), type_)
        if isinstance(value.type, ir.Float):
            return self.convert(self.compute("bitcast", ir.Int(value.type.bits), value), type_)
        wanted = ir.Int(self.bits(type_))
        if wanted.bits != value.type.bits:
            value = self.compute("trunc" if wanted.bits < value.type.bits else "zext", wanted, value)
        if type_ == wanted:
            return value
        return self.compute("inttoptr" if isinstance(type_, ir.Ptr) else "bitcast", type_, value)

    def join_pieces(self, pieces: Iterable[ir.Operand], type_: ir.Type) -> ir.Operand:
        """A number from its pieces, given in the order of their addresses."""
        whole = ir.Int(-(-self.bits(type_) // 8) * 8)
        result: ir.Operand | None = None
        shift = 0
        for piece in self._from_low(list(pieces)):
            bits = self.bits(piece.type)
            part = self.convert(piece, whole)
            if shift:
                part = self.compute("shl", whole, part, ir.Constant(shift, whole))
            result = part if result is None else self.compute("or", whole, result, part)
            shift += bits
        assert result is not None
        return self.convert(result, type_)

    def split(self, value: ir.Operand, sizes: tuple[int, ...]) -> list[ir.Operand]:
        """The pieces of a number, in the order of their addresses."""
        whole = ir.Int(8 * sum(sizes))
        number = self.convert(value, whole)
        found: list[ir.Operand] = []
        shift = 0
        for size in self._from_low(list(sizes)):
            part = number
            if shift and isinstance(part, ir.Constant):
                part = ir.Constant(part.value >> shift, whole)
            elif shift and not isinstance(part, ir.Undefined):
                part = self.compute("lshr", whole, part, ir.Constant(shift, whole))
            found.append(self.convert(part, ir.Int(8 * size)))
            shift += 8 * size
        return list(self._from_low(found))

    def _from_low(self, items: list[_Item]) -> list[_Item]:
        return items if self.is_little_endian else items[::-1]


def _numbers(function: ir.Function, start: str) -> Iterator[int]:
    """The numbers of values and blocks whose names begin like this; passes may have removed some of them."""
    for block in function.blocks:
        values = (value for found in (block.parameters, *map(results, block.instructions)) for value in found)
        for name in (block.name, *(value.name for value in values)):
            number = name.removeprefix(start).removeprefix("block.")
            if name.startswith(start) and number.isdecimal():
                yield int(number)
