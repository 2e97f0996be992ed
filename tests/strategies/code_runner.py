"""Runs code IR of one thread: bytes of memory, one instruction after the other. The oracle of the passes.

What was never set reads as garbage, the same everywhere: a defined result does not depend on it.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.arithmetic import compute, overflows, signed

_FIRST = 0x10000
_STEPS = 200_000
_GARBAGE = 0xA5


class StuckError(Exception):
    """The program did something undefined, or something that this runner does not know."""


class Runner:
    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.memory: dict[int, int] = {}
        self.bases: dict[str, int] = {}
        self.functions = {name: 0x1000 + 16 * number for number, name in enumerate(module.functions)}
        self.next = _FIRST
        self.steps = 0
        for item in module.objects.values():
            self.bases[item.name] = self._allocate(item.size, item.align)
        for item in module.objects.values():
            base = self.bases[item.name]
            if item.content is not None:
                unset = {at for first, end in item.unset for at in range(first, end)}
                for offset, byte in enumerate(item.content):
                    if offset not in unset:
                        self.memory[base + offset] = byte
            for offset, target in item.addresses:
                self._write(base + offset, self._operand(target, {}), 8)

    def run(self, name: str, *arguments: int) -> tuple[int, ...]:
        function = self.module.functions[name]
        if not function.blocks:
            raise StuckError(f"{name} is not defined")
        values = {item.name: value for item, value in zip(function.parameters, arguments, strict=True)}
        blocks = {block.name: block for block in function.blocks}
        block = function.blocks[0]
        while True:
            for item in block.instructions:
                self._step(item, values)
            end = block.end
            if isinstance(end, ir.Return):
                return tuple(self._operand(item, values) for item in end.values)
            target = self._target(end, values)
            given = [self._operand(item, values) for item in target.arguments]
            block = blocks[target.block]
            values.update(zip((item.name for item in block.parameters), given, strict=True))

    def _target(self, end: ir.Terminator, values: dict[str, int]) -> ir.Goto:
        self.steps += 1
        if self.steps > _STEPS:
            raise StuckError("too many steps")
        match end:
            case ir.Jump(target=target):
                return target
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                return then if self._operand(condition, values) else otherwise
            case ir.Switch(value=value, cases=cases, default=default):
                return dict(cases).get(self._operand(value, values), default)
            case _:
                raise StuckError("unreachable")

    def _allocate(self, size: int, align: int) -> int:
        self.next = -(-self.next // max(align, 16)) * max(align, 16)
        base = self.next
        self.next += size + 16
        return base

    def _bits(self, type_: ir.Type) -> int:
        return self.module.pointer_bits if isinstance(type_, ir.Ptr) else type_.bits

    def _size(self, type_: ir.Type) -> int:
        return (self._bits(type_) + 7) // 8

    def _operand(self, operand: ir.Operand, values: dict[str, int]) -> int:
        match operand:
            case ir.Value(name):
                return values[name]
            case ir.Constant(value):
                return value
            case ir.ObjectAddress(name, offset):
                return self.bases[name] + offset
            case ir.FunctionAddress(name):
                return self.functions[name]
            case ir.Undefined(type_):
                return int.from_bytes([_GARBAGE] * 16) & ((1 << self._bits(type_)) - 1)

    def _read(self, address: int, size: int) -> int:
        found = [self.memory.get(address + offset, _GARBAGE) for offset in range(size)]
        return int.from_bytes(found, "little")

    def _write(self, address: int, value: int, size: int) -> None:
        for offset, byte in enumerate((value & ((1 << 8 * size) - 1)).to_bytes(size, "little")):
            self.memory[address + offset] = byte

    def _step(self, item: ir.Instruction, values: dict[str, int]) -> None:
        def get(operand: ir.Operand) -> int:
            return self._operand(operand, values)

        match item:
            case ir.Compute():
                self._compute(item, values)
            case ir.Index(result=result, base=base, index=index, stride=stride, count=count):
                number = signed(get(index), self._bits(index.type))
                if count is not None and not 0 <= number <= count:
                    raise StuckError("index out of bounds")
                values[result.name] = (get(base) + number * stride) & ((1 << 64) - 1)
            case ir.Load(result=result, address=address):
                found = self._read(get(address), self._size(result.type))
                values[result.name] = found & ((1 << self._bits(result.type)) - 1)
            case ir.Store(value=value, address=address):
                self._write(get(address), get(value), self._size(value.type))
            case ir.CompareExchange():
                size = self._size(item.old.type)
                old = self._read(get(item.address), size)
                done = old == get(item.expected)
                if done:
                    self._write(get(item.address), get(item.new), size)
                values[item.old.name], values[item.done.name] = old, int(done)
            case ir.Update():
                size, bits = self._size(item.old.type), self._bits(item.old.type)
                old = self._read(get(item.address), size)
                given = get(item.value)
                new = given if item.operation == "xchg" else compute(item.operation, (old, given), bits, bits)
                self._write(get(item.address), new or 0, size)
                values[item.old.name] = old
            case ir.Slot(result=result, size=size, align=align, count=count_):
                total = size * (1 if count_ is None else get(count_))
                values[result.name] = self._allocate(total, align)
            case ir.Copy(target=target, source=source, length=length):
                data = [self._read(get(source) + offset, 1) for offset in range(get(length))]
                self.memory.update((get(target) + offset, byte) for offset, byte in enumerate(data))
            case ir.Fill(target=target, byte=byte_, length=length):
                for offset in range(get(length)):
                    self.memory[get(target) + offset] = get(byte_)
            case ir.Call(results=results, callee=callee, arguments=arguments):
                names = {number: name for name, number in self.functions.items()}
                found_values = self.run(names[get(callee)], *(get(each) for each in arguments))
                values.update(zip((each.name for each in results), found_values, strict=True))
            case ir.Fence() | ir.Lifetime():
                pass
            case _:
                raise StuckError(f"{type(item).__name__} is not known")

    def _compute(self, item: ir.Compute, values: dict[str, int]) -> None:
        if item.operation == "select":
            chosen = item.operands[1] if self._operand(item.operands[0], values) else item.operands[2]
            values[item.result.name] = self._operand(chosen, values)
            return
        numbers = tuple(self._operand(each, values) for each in item.operands)
        bits = self._bits(item.operands[0].type)
        if "signed-overflow" in item.checks:
            left, right = numbers
            if overflows(item.operation, left, right, bits, is_signed=True):
                raise StuckError("signed overflow")
        found = compute(item.operation, numbers, bits, self._bits(item.result.type))
        if found is None:
            raise StuckError(f"{item.operation} is undefined here")
        values[item.result.name] = found
