"""Passes the unnamed arguments of functions with `...` in memory, one after the other.

The compiler has written out how `va_arg` finds them: in registers that the function saved, or, when these are
used up, in memory. `va_start` says here that they are used up.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.emitter import Emitter
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.records import replace

_START, _COPY, _END = (ir.FunctionAddress(f"llvm.va_{word}") for word in ("start", "copy", "end"))
_AREA = ir.Value("unnamed arguments", ir.PTR)
# What a `va_list` of a size holds: offset and value of numbers, and where the address of the arguments is.
_X86_64, _AARCH64 = 24, 32
_USED_UP = {_X86_64: ((0, 48), (4, 176)), _AARCH64: ((24, 0), (28, 0))}
_ADDRESS_AT = {_X86_64: 8, _AARCH64: 0}
_POINTERS = {_X86_64: (16,), _AARCH64: (8, 16)}


def pass_unnamed_arguments(module: ir.Module) -> ir.Module:
    """The module in which functions with unnamed arguments get their address.

    Raises:
        NotSupportedError: an argument or a `va_list` that is laid out in another way.
    """
    variadic = {
        name for name, function in module.functions.items() if function.is_variadic and function.blocks
    }
    uses = any(
        isinstance(item, ir.Call) and item.callee in (_START, _COPY, _END)
        for function in module.functions.values()
        for block in function.blocks
        for item in block.instructions
    )
    if not variadic and not uses:
        return module
    size = _size_of_list(module)
    functions = {
        name: _Passing(module, function, variadic, size).run() if function.blocks else function
        for name, function in module.functions.items()
    }
    return replace(module, functions=functions)


def _size_of_list(module: ir.Module) -> int:
    """The size of a `va_list`, by the variables that `va_start` begins; without one, that of an address."""
    for function in module.functions.values():
        slots: dict[str, int] = {}
        for block in function.blocks:
            for item in block.instructions:
                match item:
                    case ir.Slot(result=result, size=size):
                        slots[result.name] = size
                    case ir.Index(result=result, base=ir.Value(name=name)) if name in slots:
                        slots[result.name] = slots[name]
                    case ir.Call(arguments=(ir.Value(name=name),)) if item.callee == _START and name in slots:
                        return slots[name]
                    case _:
                        pass
    return module.pointer_bits // 8


class _Passing:
    """Rewrites one function."""

    def __init__(self, module: ir.Module, function: ir.Function, variadic: set[str], size: int) -> None:
        self.module, self.function = module, function
        self.variadic, self.size = variadic, size
        self.unit = module.pointer_bits // 8
        self.emit = Emitter(function, "unnamed", module)

    def run(self) -> ir.Function:
        blocks = []
        for block in self.function.blocks:
            for item in block.instructions:
                self.emit.place = item.place
                if isinstance(item, ir.Call):
                    self._call(item)
                else:
                    self.emit.instructions.append(item)
            blocks.append(replace(block, instructions=tuple(self.emit.take())))
        if self.function.name not in self.variadic:
            return replace(self.function, blocks=tuple(blocks))
        parameters = (*self.function.parameters, _AREA)
        return replace(self.function, parameters=parameters, is_variadic=False, blocks=tuple(blocks))

    def _call(self, call: ir.Call) -> None:
        if call.callee == _START:
            self._start(call.arguments[0], call)
        elif call.callee == _COPY:
            target, source = call.arguments
            length = ir.Constant(self.size, ir.Int(64))
            self.emit.instructions.append(
                ir.Copy(target=target, source=source, length=length, place=call.place)
            )
        elif isinstance(call.callee, ir.FunctionAddress) and call.callee.name in self.variadic:
            self._pass(call, self.module.functions[call.callee.name])
        elif call.callee != _END:
            self.emit.instructions.append(call)

    def _start(self, where: ir.Operand, call: ir.Call) -> None:
        if self.function.name not in self.variadic:
            raise NotSupportedError("`va_start` in a function without unnamed arguments", call.place)
        if self.size == self.unit:  # the list is the address of the next argument
            self.emit.store(_AREA, where)
            return
        if self.size not in _USED_UP:
            raise NotSupportedError(f"a `va_list` of {self.size} bytes", call.place)
        for offset, number in _USED_UP[self.size]:
            self.emit.store(ir.Constant(number, ir.Int(32)), self.emit.move_address(where, offset))
        for offset in _POINTERS[self.size]:
            self.emit.store(ir.Constant(0, ir.PTR), self.emit.move_address(where, offset))
        self.emit.store(_AREA, self.emit.move_address(where, _ADDRESS_AT[self.size]))

    def _pass(self, call: ir.Call, callee: ir.Function) -> None:
        """Stores the unnamed arguments of a call."""
        named = len(callee.parameters)
        unnamed = call.arguments[named:]
        sizes = [-(-self.emit.bits(each.type) // (8 * self.unit)) * self.unit for each in unnamed]
        if any(self.emit.bits(each.type) > 64 for each in unnamed):
            raise NotSupportedError("an unnamed argument of more than 64 bits", call.place)
        area = self.emit.value(ir.PTR)
        self.emit.instructions.append(
            ir.Slot(result=area, size=sum(sizes), align=2 * self.unit, place=call.place)
        )
        offset = 0
        for each, size in zip(unnamed, sizes, strict=True):
            self.emit.store(each, self.emit.move_address(area, offset))
            offset += size
        arguments = (*call.arguments[:named], area)
        if [item.type for item in callee.parameters] != [each.type for each in call.arguments[:named]]:
            raise NotSupportedError(f"a call of `{callee.name}` with other arguments", call.place)
        self.emit.instructions.append(replace(call, arguments=arguments))


PASS = Pass(
    name="pass_unnamed_arguments",
    purpose="passes the unnamed arguments of functions with `...` in memory",
    needs=("resolve_indirect_calls",),
    run=pass_unnamed_arguments,
)
