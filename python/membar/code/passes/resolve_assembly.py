"""Makes instructions of inline assembly, by the table of the processor that the program is compiled for.

What is not in the table is refused by name. Under a model of another processor assembly is refused. Under a
model of a language an idiom stands for the operation of C11 whose code it is; what is the code of none is
refused. Assembly that touches memory must say so, or the compiler may move accesses across it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from membar.code import ir
from membar.code.assembly.aarch64 import read_aarch64
from membar.code.assembly.meaning import Access, Barrier, Meaning, Nothing, Reader
from membar.code.assembly.power import read_power
from membar.code.assembly.riscv import read_riscv
from membar.code.assembly.template import Operands, read_operands, read_statements
from membar.code.assembly.x86 import read_x86
from membar.code.passes.link import Refuse
from membar.code.structure import has_assembly
from membar.records import record, replace

READERS: Mapping[str, Reader] = {
    "x86_64": read_x86,
    "i686": read_x86,
    "aarch64": read_aarch64,
    "riscv64": read_riscv,
    "powerpc64le": read_power,
}
_FENCE = "__membar_fence"


def resolve_assembly(
    module: ir.Module, processor: str, refuse: Refuse, *, modelled: str | None = None
) -> ir.Module:
    """The module without inline assembly.

    Args:
        module: the program.
        processor: what it was compiled for.
        refuse: makes an error at a place.
        modelled: the processor of the memory model; None for models of languages.

    Raises:
        InputError: assembly that is not in the table, or means nothing under the model.
    """
    work = _Assembly(module, processor, modelled, refuse)
    functions = {
        name: work.run(function) if has_assembly(function) else function
        for name, function in module.functions.items()
    }
    return replace(module, functions=functions, objects={**module.objects, **work.texts})


class _Assembly:
    def __init__(self, module: ir.Module, processor: str, modelled: str | None, refuse: Refuse) -> None:
        self.module, self.processor, self.modelled, self.refuse = module, processor, modelled, refuse
        self.texts: dict[str, ir.Object] = {}

    def run(self, function: ir.Function) -> ir.Function:
        number = 0
        blocks = []
        for block in function.blocks:
            done: list[ir.Instruction] = []
            for item in block.instructions:
                if isinstance(item, ir.Assembly):
                    number += 1
                    done += self._resolve(item, number)
                else:
                    done.append(item)
            blocks.append(replace(block, instructions=tuple(done)))
        return replace(function, blocks=tuple(blocks))

    def _resolve(self, item: ir.Assembly, number: int) -> list[ir.Instruction]:
        statements = read_statements(item.template)
        operands = read_operands(item.constraints, item.operands)
        reader = READERS.get(self.processor)
        meaning = None if reader is None else reader(statements, operands)
        if meaning is None:
            shown = "; ".join(item.template.split("\n")).replace("\t", " ").strip()
            raise self.refuse(f"the assembly `{shown}` is not supported", item.place)
        self._check(item, meaning, operands)
        writer = _Writer(item, operands, f"assembly.{number}")
        match meaning:
            case Barrier(ordering=ordering) if ordering is not None:
                writer.done.append(ir.Fence(ordering=ordering, place=item.place))
            case Barrier(tag=tag):
                callee = ir.FunctionAddress(_FENCE)
                arguments = (self._text(tag or ""),)
                writer.done.append(ir.Call(results=(), callee=callee, arguments=arguments, place=item.place))
            case Access():
                writer.access(meaning)
            case Nothing():
                pass
        return writer.finish()

    def _check(self, item: ir.Assembly, meaning: Meaning, operands: Operands) -> None:
        if isinstance(meaning, Nothing):
            return
        if not operands.has_memory_clobber:
            message = f'the assembly `{item.template}` touches memory, but has no "memory" clobber'
            raise self.refuse(message, item.place)
        if self.modelled is not None and not _is_same(self.modelled, self.processor):
            message = f"the assembly `{item.template}` is for {self.processor}, the model for {self.modelled}"
            raise self.refuse(f"{message}: --target {self.modelled} compiles for that", item.place)
        if self.modelled is None and isinstance(meaning, Barrier) and meaning.ordering is None:
            message = f"the assembly `{item.template}` has no meaning under a model of a language"
            raise self.refuse(f"{message}: choose the model of {self.processor}", item.place)

    def _text(self, tag: str) -> ir.ObjectAddress:
        """A constant string, for a primitive."""
        name = f"tag.{tag}"
        content = tag.encode() + b"\0"
        self.texts[name] = ir.Object(
            name=name, size=len(content), align=1, content=content, is_constant=True, binding="local"
        )
        return ir.ObjectAddress(name)


def _is_same(left: str, right: str) -> bool:
    family = {"i686": "x86_64"}
    return family.get(left, left) == family.get(right, right)


@record(eq=False)
class _Writer:
    """The instructions of one piece of assembly."""

    item: ir.Assembly
    operands: Operands
    prefix: str

    def __post_init__(self) -> None:
        self.done: list[ir.Instruction] = []
        self.results: dict[int, ir.Operand] = {}
        self.fresh = 0

    def _value(self, type_: ir.Type) -> ir.Value:
        self.fresh += 1
        return ir.Value(f"{self.prefix}.{self.fresh}", type_)

    def _compute(self, operation: str, operands: Sequence[ir.Operand], type_: ir.Type) -> ir.Value:
        result = self._value(type_)
        self.done.append(
            ir.Compute(result=result, operation=operation, operands=tuple(operands), place=self.item.place)
        )
        return result

    def _convert(self, operand: ir.Operand, type_: ir.Type) -> ir.Operand:
        """A value in the width of a register that is wider or narrower; the rest of it is 0 or left out."""
        if operand.type == type_:
            return operand
        if isinstance(operand, ir.Constant) and isinstance(type_, ir.Int):
            return ir.Constant(operand.value & ((1 << type_.bits) - 1), type_)
        match operand.type, type_:
            case ir.Int(old), ir.Int(new):
                return self._compute("zext" if old < new else "trunc", (operand,), type_)
            case ir.Ptr(), ir.Int():
                return self._convert(self._compute("ptrtoint", (operand,), ir.Int(64)), type_)
            case _:
                return self._compute("inttoptr", (operand,), type_)

    def _operand(self, which: int | ir.Constant, type_: ir.Type) -> ir.Operand:
        if isinstance(which, ir.Constant):
            return self._convert(which, type_)
        value = self.operands.slots[which].value
        return ir.Undefined(type_) if value is None else self._convert(value, type_)

    def _type(self, access: Access) -> ir.Int:
        """The type of the memory: by the instruction, else by the registers."""
        if access.bits is not None:
            return ir.Int(access.bits)
        for number in (access.value, access.result):
            if isinstance(number, ir.Constant) and isinstance(number.type, ir.Int):
                return number.type
            if isinstance(number, int):
                slot = self.operands.slots[number]
                found = slot.value.type if slot.value is not None else None
                if found is None and slot.result is not None:
                    found = self.item.results[slot.result].type
                if isinstance(found, ir.Int):
                    return found
        return ir.Int(64)

    def access(self, access: Access) -> None:
        """An access, and what becomes of its result."""
        type_, place = self._type(access), self.item.place
        old = self._value(type_)
        equal: ir.Operand | None = None
        match access.kind:
            case "load":
                self.done.append(
                    ir.Load(
                        result=old,
                        address=access.address,
                        ordering=access.ordering,
                        align=type_.bits // 8,
                        place=place,
                    )
                )
            case "store":
                assert access.value is not None
                self.done.append(
                    ir.Store(
                        value=self._operand(access.value, type_),
                        address=access.address,
                        ordering=access.ordering,
                        align=type_.bits // 8,
                        place=place,
                    )
                )
            case "update":
                assert access.value is not None
                value = self._operand(access.value, type_)
                self.done.append(
                    ir.Update(
                        old=old,
                        operation=access.operation,
                        address=access.address,
                        value=value,
                        ordering=access.ordering,
                        place=place,
                    )
                )
                if access.zero is not None:
                    new = self._compute(access.operation, (old, value), type_)
                    equal = self._compute("eq", (new, ir.Constant(0, type_)), ir.BOOL)
            case _:
                assert access.value is not None
                assert access.expected is not None
                done = self._value(ir.BOOL)
                expected = self._operand(access.expected, type_)
                new_value = self._operand(access.value, type_)
                failure = {"seq_cst": "seq_cst", "acq_rel": "acquire", "acquire": "acquire"}
                self.done.append(
                    ir.CompareExchange(
                        old=old,
                        done=done,
                        address=access.address,
                        expected=expected,
                        new=new_value,
                        success=access.ordering,
                        failure=failure.get(access.ordering, "monotonic"),
                        place=place,
                    )
                )
                equal = done
        if access.result is not None:
            self.results[access.result] = old
        if access.zero is not None and equal is not None:
            self._show(access.zero, equal)

    def _show(self, where: int | ir.Operand, condition: ir.Operand) -> None:
        """Puts a flag into a register, or as a byte into memory."""
        if isinstance(where, int):
            self.results[where] = condition
            return
        byte = self._convert(condition, ir.Int(8))
        self.done.append(ir.Store(value=byte, address=where, place=self.item.place))

    def finish(self) -> list[ir.Instruction]:
        """The instructions, with every result of the assembly defined."""
        for number, slot in enumerate(self.operands.slots):
            if slot.result is None or slot.is_memory or slot.result >= len(self.item.results):
                continue
            wanted = self.item.results[slot.result]
            found = self.results.get(number)
            if found is None:  # an operand that the instructions do not change keeps its value
                found = slot.value if slot.value is not None else ir.Undefined(wanted.type)
            found = self._convert(found, wanted.type)
            self.done.append(
                ir.Compute(result=wanted, operation="bitcast", operands=(found,), place=self.item.place)
            )
        return self.done
