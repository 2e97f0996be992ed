"""Types of LLVM IR, and how they are laid out in memory."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TypeAlias

from membar.records import record


@record(frozen=True, slots=True)
class Simple:
    """A type without parameters: `void`, `label`, `metadata`, `token`, `opaque`, `float` or another."""

    name: str


@record(frozen=True, slots=True)
class Integer:
    """`iN`."""

    bits: int


@record(frozen=True, slots=True)
class Pointer:
    """`ptr`, or `T*` as LLVM 14 writes it: then `pointee` is T."""

    pointee: Type | None = None
    space: int = 0


@record(frozen=True, slots=True)
class Array:
    """`[count x element]`."""

    count: int
    element: Type


@record(frozen=True, slots=True)
class Vector:
    """`<count x element>`; `is_scalable` if the count is multiplied by an unknown number."""

    count: int
    element: Type
    is_scalable: bool = False


@record(frozen=True, slots=True)
class Struct:
    """`{ fields }`, or `<{ fields }>` without padding."""

    fields: tuple[Type, ...]
    is_packed: bool = False


@record(frozen=True, slots=True)
class Named:
    """`%name`, defined elsewhere in the module."""

    name: str


@record(frozen=True, slots=True)
class Signature:
    """The type of a function."""

    result: Type
    parameters: tuple[Type, ...]
    is_variadic: bool = False


Type: TypeAlias = Simple | Integer | Pointer | Array | Vector | Struct | Named | Signature

LABEL = Simple("label")
METADATA = Simple("metadata")
TOKEN = Simple("token")
OPAQUE = Simple("opaque")
SIMPLE: Mapping[str, Simple] = {
    name: Simple(name)
    for name in (
        "void", "label", "metadata", "token", "opaque",
        "half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128", "x86_mmx", "x86_amx",
    )
}  # fmt: skip

_FLOAT_BITS = {
    "half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128, "ppc_fp128": 128,
}  # fmt: skip


class UnsizedTypeError(Exception):
    """A type has no size in memory: a function, a label, an opaque structure, a scalable vector."""


class DataLayout:
    """Sizes, alignments and offsets, as a module's `target datalayout` line and its named types say."""

    def __init__(self, text: str, named: Mapping[str, Type]) -> None:
        self.text = text
        self.named = named
        self.is_little_endian = True
        self._pointer_bits: dict[int, int] = {0: 64}
        self._pointer_align: dict[int, int] = {0: 8}
        # What LLVM assumes where the line says nothing.
        self._integer_align = {1: 1, 8: 1, 16: 2, 32: 4, 64: 4}
        self._float_align = {16: 2, 32: 4, 64: 8, 80: 16, 128: 16}
        self._vector_align = {64: 8, 128: 16}
        for item in text.split("-"):
            with suppress(ValueError):  # LLVM has no such word
                self._read(item)

    def _read(self, item: str) -> None:
        kind, _, rest = item[:1], "", item[1:]
        numbers = rest.split(":")
        if kind in "eE" and not rest:
            self.is_little_endian = kind == "e"
        elif kind == "p" and len(numbers) >= 3:
            space = int(numbers[0] or 0)
            self._pointer_bits[space] = int(numbers[1])
            self._pointer_align[space] = int(numbers[2]) // 8
        elif kind in "ifv" and len(numbers) >= 2 and numbers[0].isdecimal():
            table = {"i": self._integer_align, "f": self._float_align, "v": self._vector_align}[kind]
            table[int(numbers[0])] = max(int(numbers[1]) // 8, 1)

    def resolve(self, type_: Type) -> Type:
        """The definition of a named type; any other type as it is."""
        while isinstance(type_, Named):
            type_ = self.named.get(type_.name, OPAQUE)
        return type_

    def pointer_bits(self, space: int = 0) -> int:
        """The width of an address."""
        return self._pointer_bits.get(space, self._pointer_bits[0])

    def bits(self, type_: Type) -> int:
        """The bits that a value of the type has."""
        found = self.resolve(type_)
        match found:
            case Integer(bits):
                return bits
            case Pointer(space=space):
                return self.pointer_bits(space)
            case Simple(name) if name in _FLOAT_BITS:
                return _FLOAT_BITS[name]
            case Vector(count, element, False):
                return count * self.bits(element)
            case Array() | Struct():
                return 8 * self.size(found)
            case _:
                raise UnsizedTypeError("a type without a size in memory is not supported here")

    def size(self, type_: Type) -> int:
        """The distance in bytes of two neighbours in an array of this type."""
        found = self.resolve(type_)
        match found:
            case Array(count, element):
                return count * self.size(element)
            case Struct():
                return self._fields(found)[1]
            case _:
                return _round_up(self.store_size(found), self.align(found))

    def store_size(self, type_: Type) -> int:
        """The bytes that a store of this type may overwrite."""
        found = self.resolve(type_)
        if isinstance(found, Array | Struct):
            return self.size(found)
        return (self.bits(found) + 7) // 8

    def align(self, type_: Type) -> int:
        """The alignment of the type where nothing else is said, in bytes."""
        found = self.resolve(type_)
        match found:
            case Integer(bits):
                return _align_of(self._integer_align, bits)
            case Pointer(space=space):
                return self._pointer_align.get(space, self._pointer_align[0])
            case Simple(name) if name in _FLOAT_BITS:
                return self._float_align.get(_FLOAT_BITS[name], 16)
            case Vector():
                return self._vector_align.get(self.bits(found), _power_of_two(self.store_size(found)))
            case Array(_, element):
                return self.align(element)
            case Struct(fields, is_packed):
                return 1 if is_packed else max((self.align(field) for field in fields), default=1)
            case _:
                raise UnsizedTypeError("a type without a size in memory is not supported here")

    def offset(self, struct: Struct, index: int) -> int:
        """Where a field begins."""
        offsets = self._fields(struct)[0]
        if not 0 <= index < len(offsets):
            raise UnsizedTypeError("a member of a structure that has fewer is not supported")
        return offsets[index]

    def _fields(self, struct: Struct) -> tuple[list[int], int]:
        """The offset of each field, and the size of the whole."""
        offsets, end = [], 0
        for field in struct.fields:
            if not struct.is_packed:
                end = _round_up(end, self.align(field))
            offsets.append(end)
            end += self.size(field)
        return offsets, end if struct.is_packed else _round_up(end, self.align(struct))


def _align_of(table: Mapping[int, int], bits: int) -> int:
    """The alignment of the narrowest known integer that is wide enough; of the widest, if none is."""
    wide = [known for known in table if known >= bits]
    return table[min(wide)] if wide else table[max(table)]


def _round_up(number: int, step: int) -> int:
    return -(-number // step) * step


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()
