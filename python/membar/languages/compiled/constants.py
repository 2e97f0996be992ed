"""Constants of LLVM IR as operands of code IR, and initial values of global variables as bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator, Mapping

from membar.code import ir as code
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.types import (
    Array,
    DataLayout,
    Integer,
    Pointer,
    Simple,
    Struct,
    Type,
    UnsizedTypeError,
    Vector,
)
from membar.records import record

_FIRST_LABEL, _MOST_LABELS = 0x1000_0000, 0x1000
_FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << min(b, 128),
    "lshr": lambda a, b: a >> min(b, 128),
}


MOST_BYTES = 1 << 31  # of an object


class UnsupportedError(Exception):
    """Something that code IR cannot say; the text says what."""


def scalar_type(type_: Type, layout: DataLayout) -> code.Type:
    """The type of a scalar."""
    found = layout.resolve(type_)
    match found:
        case Integer(bits):
            return code.Int(bits)
        case Pointer(space=0):
            return code.PTR
        case Simple(name) if name in _FLOATS:
            return code.Float(_FLOATS[name])
        case Vector():
            raise UnsupportedError("vectors of bits, or of unknown length, are not supported")
        case Pointer():
            raise UnsupportedError("pointers into other address spaces are not supported")
        case Simple("x86_fp80" | "fp128" | "ppc_fp128"):
            raise UnsupportedError("computing with `long double` is not supported: use `double`")
        case Simple("token"):  # what names a coroutine
            raise UnsupportedError("coroutines are not supported")
        case _:
            raise UnsupportedError(f"values of type {getattr(found, 'name', found)} are not supported")


def flatten(type_: Type, layout: DataLayout, offset: int = 0) -> Iterator[tuple[int, Type]]:
    """The scalars that a type consists of, with their offsets."""
    found = layout.resolve(type_)
    match found:
        case Struct(fields):
            for index, field in enumerate(fields):
                yield from flatten(field, layout, offset + layout.offset(found, index))
        case Array(count, element):
            size = layout.size(element)
            for index in range(count):
                yield from flatten(element, layout, offset + index * size)
        case Vector(count, element, False) if layout.bits(element) == 8 * layout.size(element):
            yield from flatten(Array(count, element), layout, offset)
        case Simple("void"):
            return
        case _:
            yield offset, found


def path_to(type_: Type, path: tuple[int, ...], layout: DataLayout) -> tuple[int, int]:
    """Which of the scalars of a type belong to a member: the number of the first, and how many."""
    first = 0
    for step in path:
        found = layout.resolve(type_)
        if isinstance(found, Struct) and 0 <= step < len(found.fields):
            before, type_ = found.fields[:step], found.fields[step]
            first += sum(sum(1 for _ in flatten(field, layout)) for field in before)
        elif isinstance(found, Array):
            type_ = found.element
            first += step * sum(1 for _ in flatten(type_, layout))
        else:
            raise UnsupportedError("a member of something that has none is not supported")
    return first, sum(1 for _ in flatten(type_, layout))


class Constants:
    """Reads the constants of one module; aliases of the names `elsewhere` do not count."""

    def __init__(self, module: llvm.Module, elsewhere: Collection[str] = ()) -> None:
        self._module, self._elsewhere = module, elsewhere
        self._layout = module.layout

    def scalars(self, type_: Type, value: llvm.Operand) -> list[code.Operand]:
        """A constant, taken apart."""
        parts = [part for _, part in flatten(type_, self._layout)]
        match value:
            case llvm.ConstantExpression("splat", (each,)):
                return self.scalars(each.type, each.value) * len(parts)
            case llvm.Aggregate(elements=elements):
                return [item for each in elements for item in self.scalars(each.type, each.value)]
            case llvm.Bytes(content):
                return [code.Constant(byte, code.Int(8)) for byte in content]
            case llvm.Word("zeroinitializer" | "none"):
                return [code.Constant(0, scalar_type(part, self._layout)) for part in parts]
            case llvm.Word("undef" | "poison" as word):
                kinds = [scalar_type(part, self._layout) for part in parts]
                return [code.Undefined(kind, is_poison=word == "poison") for kind in kinds]
            case _:
                return [self.scalar(type_, value)]

    def scalar(self, type_: Type, value: llvm.Operand) -> code.Operand:
        """A constant that is one scalar."""
        kind = scalar_type(type_, self._layout)
        match value:
            case llvm.Number(number):
                bits = self._layout.bits(type_)
                return code.Constant(number & ((1 << bits) - 1), kind)
            case llvm.Word("null" | "zeroinitializer" | "none"):
                return code.Constant(0, kind)
            case llvm.Word("undef" | "poison" as word):
                return code.Undefined(kind, is_poison=word == "poison")
            case llvm.Word(text):
                return _float(text, kind)
            case llvm.Global(name):
                return self.address(name)
            case llvm.ConstantExpression():
                return self._expression(kind, value)
            case llvm.BlockAddress(function, block):
                return code.Constant(self.label(function, block), kind)
            case _:
                raise UnsupportedError("this constant is not supported")

    def label(self, function: str, block: str) -> int:
        """The number that stands for the address of a label: no other label and no object has it."""
        functions = list(self._module.functions)
        blocks = [item.name for item in self._module.functions[function].blocks]
        if block not in blocks or len(blocks) > _MOST_LABELS:
            raise UnsupportedError(f"the address of a label of `{function}`, which has none or too many")
        return _FIRST_LABEL + functions.index(function) * _MOST_LABELS + blocks.index(block)

    def address(self, name: str) -> code.ObjectAddress | code.FunctionAddress:
        """The address of a global variable or function, through aliases."""
        found = self._named_address(name)
        if name in self._module.aliases and name in self._elsewhere:  # a weak alias
            is_function = isinstance(found, code.FunctionAddress)
            return code.FunctionAddress(name) if is_function else code.ObjectAddress(name)
        return found

    def _named_address(self, name: str) -> code.ObjectAddress | code.FunctionAddress:
        module, seen = self._module, set[str]()
        while name in module.aliases and name not in seen:
            seen.add(name)
            alias = module.aliases[name]
            if alias.is_resolver:
                raise UnsupportedError(f"`{name}` is chosen when the program starts (ifunc): not supported")
            target = alias.target.value
            if not isinstance(target, llvm.Global):
                found = self.scalar(alias.target.type, target)
                if isinstance(found, code.ObjectAddress | code.FunctionAddress):
                    return found
                raise UnsupportedError(f"the alias `{name}` is not supported")
            name = target.name
        return code.FunctionAddress(name) if name in module.functions else code.ObjectAddress(name)

    def _expression(self, kind: code.Type, value: llvm.ConstantExpression) -> code.Operand:
        operands = [self.scalar(item.type, item.value) for item in value.operands]
        match value.operation:
            case "getelementptr":
                return self._element(value, operands)
            case "bitcast" | "addrspacecast" | "inttoptr" | "ptrtoint" | "ptrtoaddr":
                return _with_type(operands[0], kind)
            case "trunc" | "zext" if isinstance(operands[0], code.Constant):
                bits = kind.bits if isinstance(kind, code.Int) else 64
                return code.Constant(operands[0].value & ((1 << bits) - 1), kind)
            case "add" | "sub" if isinstance(operands[0], code.ObjectAddress):
                return _move_address(operands[0], operands[1], value.operation, kind)
            case operation if operation in ARITHMETIC:
                left, right = operands
                if isinstance(left, code.Constant) and isinstance(right, code.Constant):
                    bits = kind.bits if isinstance(kind, code.Int) else 64
                    found = ARITHMETIC[operation](left.value, right.value)
                    return code.Constant(found & ((1 << bits) - 1), kind)
            case _:
                pass
        raise UnsupportedError(f"the constant expression `{value.operation}` is not supported here")

    def _element(self, value: llvm.ConstantExpression, operands: list[code.Operand]) -> code.Operand:
        if value.type is None:
            raise UnsupportedError("an address without an element type is not supported")
        base, *indices = operands
        numbers = []
        for index in indices:
            if not isinstance(index, code.Constant):
                raise UnsupportedError("a constant address with an index that is not a number")
            numbers.append(_signed(index))
        offset = self.element_offset(value.type, numbers)
        match base:
            case code.ObjectAddress(name, before):
                return code.ObjectAddress(name, before + offset)
            case code.Constant(number):
                return code.Constant((number + offset) & ((1 << 64) - 1), code.PTR)
            case code.FunctionAddress() if offset == 0:
                return base
        raise UnsupportedError("this constant address is not supported")

    def element_offset(self, type_: Type, indices: list[int]) -> int:
        """The bytes that constant indices of a `getelementptr` move an address by."""
        offset = indices[0] * self._layout.size(type_)
        for index in indices[1:]:
            found = self._layout.resolve(type_)
            if isinstance(found, Struct):
                offset += self._layout.offset(found, index)
                type_ = found.fields[index]
            elif isinstance(found, Array | Vector):
                type_ = found.element
                offset += index * self._layout.size(type_)
            else:
                raise UnsupportedError("an index into something that has no elements")
        return offset

    def initial(self, variable: llvm.Variable) -> code.Object:
        """A global variable with its first bytes."""
        try:
            size = self._layout.size(variable.type)
            align = variable.align or self._layout.align(variable.type)
        except UnsizedTypeError:  # declared here, defined elsewhere
            size, align = 0, 1
        if size > MOST_BYTES:
            raise UnsupportedError(f"an object of {size} bytes is not supported")
        content = None if variable.initialiser is None else bytearray(size)
        addresses: list[tuple[int, code.ObjectAddress | code.FunctionAddress]] = []
        unset: list[tuple[int, int]] = []
        if content is not None and variable.initialiser is not None:
            _Initialiser(self, self._layout, content, addresses, unset).fill(
                variable.type, variable.initialiser, 0
            )
        return code.Object(
            name=variable.name,
            size=size,
            align=align,
            content=None if content is None else bytes(content),
            addresses=tuple(addresses),
            unset=tuple(unset),
            is_constant=variable.is_constant,
            is_thread_local=variable.is_thread_local,
        )


@record(eq=False)
class _Initialiser:
    """Writes an initial value into bytes; notes where addresses stand, and which bytes nobody set."""

    constants: Constants
    layout: DataLayout
    content: bytearray
    addresses: list[tuple[int, code.ObjectAddress | code.FunctionAddress]]
    unset: list[tuple[int, int]]

    def fill(self, type_: Type, value: llvm.Operand, at: int) -> None:
        """Writes a value of a type at an offset."""
        found = self.layout.resolve(type_)
        match value:
            case llvm.Word("zeroinitializer" | "null"):
                return
            case llvm.Word("undef" | "poison"):
                self.unset.append((at, at + self.layout.size(found)))
            case llvm.Bytes(data):
                self.content[at : at + len(data)] = data
            case llvm.Aggregate(elements=elements) if isinstance(found, Struct):
                self._fill_struct(found, elements, at)
            case llvm.ConstantExpression("splat", (each,)) if isinstance(found, Vector):
                self.fill(found, llvm.Aggregate("<", (each,) * found.count), at)
            case llvm.Aggregate(elements=elements):
                for each in elements:
                    self.fill(each.type, each.value, at)
                    at += self.layout.size(each.type)
            case _:
                self._fill_scalar(found, value, at)

    def _fill_struct(self, type_: Struct, elements: tuple[llvm.Typed, ...], at: int) -> None:
        end = 0
        for index, each in enumerate(elements):
            start = self.layout.offset(type_, index)
            if start > end:
                self.unset.append((at + end, at + start))
            self.fill(each.type, each.value, at + start)
            end = start + self.layout.size(each.type)
        if end < self.layout.size(type_):
            self.unset.append((at + end, at + self.layout.size(type_)))

    def _fill_scalar(self, type_: Type, value: llvm.Operand, at: int) -> None:
        operand = self.constants.scalar(type_, value)
        if isinstance(operand, code.ObjectAddress | code.FunctionAddress):
            self.addresses.append((at, operand))
            return
        if not isinstance(operand, code.Constant):
            raise UnsupportedError("this initial value is not supported")
        size = self.layout.store_size(type_)
        data = operand.value.to_bytes(size, "little")
        self.content[at : at + size] = data if self.layout.is_little_endian else data[::-1]


def _signed(constant: code.Constant) -> int:
    bits = constant.type.bits if isinstance(constant.type, code.Int) else 64
    return constant.value - (1 << bits) if constant.value >> (bits - 1) else constant.value


def _with_type(operand: code.Operand, kind: code.Type) -> code.Operand:
    match operand:
        case code.Constant(value):
            bits = kind.bits if isinstance(kind, code.Int | code.Float) else 64
            return code.Constant(value & ((1 << bits) - 1), kind)
        case code.ObjectAddress(name, offset):
            return code.ObjectAddress(name, offset, kind)
        case code.FunctionAddress(name):
            return code.FunctionAddress(name, kind)
        case _:
            return operand


def _move_address(
    address: code.ObjectAddress, by: code.Operand, operation: str, kind: code.Type
) -> code.ObjectAddress:
    if not isinstance(by, code.Constant):
        raise UnsupportedError("a constant address moved by something that is not a number")
    distance = _signed(by) if operation == "add" else -_signed(by)
    return code.ObjectAddress(address.name, address.offset + distance, kind)


def _float(text: str, kind: code.Type) -> code.Constant:
    """A floating-point constant as its bits; LLVM writes hexadecimal ones as a double."""
    if isinstance(kind, code.Float) and kind.bits not in (32, 64):
        raise UnsupportedError(f"floating-point constants of {kind.bits} bits (`_Float16`) are not supported")
    if not isinstance(kind, code.Float):
        raise UnsupportedError(f"the constant `{text}` is not supported")
    number = (
        struct.unpack(">d", int(text, 16).to_bytes(8, "big"))[0] if text.startswith("0x") else float(text)
    )
    form = ">d" if kind.bits == 64 else ">f"
    return code.Constant(int.from_bytes(struct.pack(form, number), "big"), kind)
