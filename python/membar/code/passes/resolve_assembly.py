"""Makes instructions of inline assembly, by the table of the processor that the program is compiled for.

Where an execution comes to what is not in the table, nothing more is known of it. Under a model of another
processor assembly is refused. Under a model of a language an idiom stands for the operation of C11 whose code
it is; what is the code of none is refused. Assembly that accesses memory must say so. Where it names that
memory as an operand, but not "memory" in its clobbers, the compiler may move other accesses across it: the
answer holds within that bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from membar.code import ir
from membar.code.assembly.aarch64 import read_aarch64
from membar.code.assembly.meaning import (
    Access,
    Await,
    Barrier,
    Calculation,
    Clock,
    Meaning,
    Nothing,
    Number,
    Reader,
    Result,
    SetRegister,
    Several,
    Unfollowed,
)
from membar.code.assembly.power import read_power
from membar.code.assembly.riscv import read_riscv
from membar.code.assembly.template import Operands, read_operands, read_statements
from membar.code.assembly.x86 import read_x86
from membar.code.checks import Checks
from membar.code.passes.link import Refuse
from membar.code.structure import has_assembly
from membar.records import record, replace
from membar.text.file_paths import name_of

READERS: Mapping[str, Reader] = {
    "x86_64": read_x86,
    "i686": read_x86,
    "aarch64": read_aarch64,
    "riscv64": read_riscv,
    "powerpc64le": read_power,
}
_FENCE, _INPUT = "__membar_fence", "__membar_input"
_BOTH_WAYS = frozenset({"acq_rel", "seq_cst"})
_SINGLE = frozenset({"armv8-lse", "armv8-ldapr", "riscv-amo"})
"""Mappings that have single instructions for read-modify-writes."""


def resolve_assembly(
    module: ir.Module, processor: str, refuse: Refuse, *, modelled: str | None = None, mapping: str = ""
) -> ir.Module:
    """The module without inline assembly.

    Args:
        module: the program.
        processor: what it was compiled for.
        refuse: makes an error at a place.
        modelled: the processor of the memory model; None for models of languages.
        mapping: how C11's operations are compiled for it.

    Raises:
        InputError: assembly that means nothing under the model.
    """
    work = _Assembly(module, processor, modelled, refuse, mapping)
    functions = {
        name: work.run(function) if has_assembly(function) else function
        for name, function in module.functions.items()
    }
    done = replace(
        module,
        functions=functions,
        objects={**module.objects, **work.texts},
        partly_checked=(*module.partly_checked, *work.parts()),
    )
    return work.checks.added_to(done)


class _Assembly:
    def __init__(
        self, module: ir.Module, processor: str, modelled: str | None, refuse: Refuse, mapping: str
    ) -> None:
        self.module, self.processor, self.modelled, self.refuse = module, processor, modelled, refuse
        self.mapping = mapping
        self.checks = Checks(module)
        self.texts: dict[str, ir.Object] = {}
        self.unclobbered: dict[tuple[str, str], set[int]] = {}

    def run(self, function: ir.Function) -> ir.Function:
        number = 0
        blocks: list[ir.Block] = []
        locals_ = {
            item.result
            for block in function.blocks
            for item in block.instructions
            if isinstance(item, ir.Slot)
        }
        for block in function.blocks:
            name, parameters = block.name, block.parameters
            done: list[ir.Instruction] = []
            for item in block.instructions:
                if not isinstance(item, ir.Assembly):
                    done.append(item)
                    continue
                number += 1
                meaning, writer = self._read(item, number)
                if isinstance(meaning, Await):
                    waits = f"assembly.{number}.wait"
                    target = ir.Jump(target=ir.Goto(waits), place=item.place)
                    blocks.append(
                        ir.Block(name=name, parameters=parameters, instructions=tuple(done), end=target)
                    )
                    name, parameters, done = f"assembly.{number}.rest", (), []
                    blocks.append(writer.wait(meaning, waits, name))
                for part in meaning.parts if isinstance(meaning, Several) else (meaning,):
                    self._write(part, writer)
                    if isinstance(part, Access) and part.kind == "update" and part.address in locals_:
                        # Nobody else sees the variable: another usual way to write a fence.
                        writer.done.append(ir.Fence(ordering="seq_cst", place=item.place))
                done += writer.finish()
            blocks.append(replace(block, name=name, parameters=parameters, instructions=tuple(done)))
        return replace(function, blocks=tuple(blocks))

    def _read(self, item: ir.Assembly, number: int) -> tuple[Meaning, _Writer]:
        statements = read_statements(item.template)
        operands = read_operands(item.constraints, item.operands)
        reader = READERS.get(self.processor)
        meaning = None if reader is None else reader(statements, operands)
        if reader is not None and all(isinstance(reader((each,), operands), Nothing) for each in statements):
            meaning = Nothing()
        if meaning is None:
            meaning = Unfollowed()
        for part in meaning.parts if isinstance(meaning, Several) else (meaning,):
            self._check(item, part, operands)
        return meaning, _Writer(item, operands, f"assembly.{number}")

    def _write(self, meaning: Meaning, writer: _Writer) -> None:
        place = writer.item.place
        match meaning:
            case Barrier(ordering=ordering) if ordering is not None:
                writer.done.append(ir.Fence(ordering=ordering, place=place))
            case Barrier(tag=tag):
                arguments = (self._text(tag or ""),)
                callee = ir.FunctionAddress(_FENCE)
                writer.done.append(ir.Call(results=(), callee=callee, arguments=arguments, place=place))
            case Access():
                writer.access(meaning)
            case Calculation(steps=steps):
                writer.calculate(steps)
            case Clock():
                writer.choose()
            case Unfollowed():
                shown = "; ".join(writer.item.template.split("\n")).replace("\t", " ").strip()
                writer.done.append(self.checks.gap(f"what the assembly `{shown}` does", place))
            case _:
                pass

    def _check(self, item: ir.Assembly, meaning: Meaning, operands: Operands) -> None:
        if isinstance(meaning, Nothing | Calculation | Clock | Unfollowed):
            return
        if not operands.has_memory_clobber and not any(slot.is_memory for slot in operands.slots):
            message = f"the assembly `{item.template}` touches memory that is no operand"
            raise self.refuse(f'{message}, and has no "memory" clobber', item.place)
        hides_register = isinstance(meaning, Access) and meaning.hides_register
        if hides_register or not operands.has_memory_clobber:
            missing = "the register that it changes" if operands.has_memory_clobber else '"memory"'
            file, line = ("", 0) if item.place is None else (name_of(item.place.file), item.place.line)
            self.unclobbered.setdefault((missing, file), set()).add(line)
        if self.modelled is not None and not _is_same(self.modelled, self.processor):
            message = f"the assembly `{item.template}` is for {self.processor}, the model for {self.modelled}"
            raise self.refuse(f"{message}: --target {self.modelled} compiles for that", item.place)
        is_stronger_pair = isinstance(meaning, Access) and meaning.is_pair and meaning.ordering in _BOTH_WAYS
        if is_stronger_pair and self.mapping in _SINGLE:
            message = f"the assembly `{item.template}` is a pair of instructions, which orders less than the"
            raise self.refuse(f"{message} single ones of --mapping {self.mapping}", item.place)
        if self.modelled is None and isinstance(meaning, Barrier) and meaning.ordering is None:
            message = f"the assembly `{item.template}` has no meaning under a model of a language"
            raise self.refuse(f"{message}: choose the model of {self.processor}", item.place)

    def parts(self) -> Iterator[tuple[str, str]]:
        """What answers assume of assembly that hides from the compiler what it changes."""
        for (missing, file), lines in self.unclobbered.items():
            where = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, sorted(lines)))} of {file}"
            yield "", f"as if the assembly in {where} named {missing} in its clobbers"

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
        for number in (*access.value, *(each for each, _ in access.results)):
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
        """An access, and what becomes of its results."""
        type_, place = self._type(access), self.item.place
        old = self._value(type_)
        new: ir.Operand | None = None
        equal: ir.Operand | None = None
        align = type_.bits // 8
        match access.kind:
            case "load":
                self.done.append(
                    ir.Load(
                        result=old, address=access.address, ordering=access.ordering, align=align, place=place
                    )
                )
            case "store":
                self.done.append(
                    ir.Store(
                        value=self._number(access.value, type_),
                        address=access.address,
                        ordering=access.ordering,
                        align=align,
                        place=place,
                    )
                )
            case "update":
                value = self._number(access.value, type_)
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
                is_needed = access.zero is not None or Result.NEW in dict(access.results).values()
                new = value if access.operation == "xchg" else None
                if is_needed and new is None:
                    new = self._compute(access.operation, (old, value), type_)
                if access.zero is not None and new is not None:
                    equal = self._compute("eq", (new, ir.Constant(0, type_)), ir.BOOL)
            case _:
                equal = self._compare(access, old, type_)
        for number, result in access.results:
            self.results[number] = self._result(result, old, new, equal, number)
        if access.zero is not None and equal is not None:
            self._show(access.zero, equal)
        if access.carry is not None:
            bit = self._compute("and", (old, ir.Constant(access.carried, type_)), type_)
            self._show(access.carry, self._compute("ne", (bit, ir.Constant(0, type_)), ir.BOOL))

    def _compare(self, access: Access, old: ir.Value, type_: ir.Int) -> ir.Value:
        """A compare-exchange; whether it stored anything."""
        done = self._value(ir.BOOL)
        expected = (
            self._number(access.expected, type_)
            if access.expected_at is None
            else self._loaded(access.expected_at)
        )
        failure = {"seq_cst": "seq_cst", "acq_rel": "acquire", "acquire": "acquire"}
        self.done.append(
            ir.CompareExchange(
                old=old,
                done=done,
                address=access.address,
                expected=expected,
                new=self._number(access.value, type_),
                success=access.ordering,
                failure=access.failure or failure.get(access.ordering, "monotonic"),
                place=self.item.place,
            )
        )
        return done

    def _number(self, parts: Sequence[Number], type_: ir.Int) -> ir.Operand:
        """An operand, or the number of two that are its halves."""
        if len(parts) == 1:
            return self._operand(parts[0], type_)
        return self._join(*(self._operand(part, ir.Int(type_.bits // 2)) for part in parts))

    def _join(self, low: ir.Operand, high: ir.Operand) -> ir.Operand:
        half = self._bits(low)
        whole = ir.Int(2 * half)
        moved = self._compute("shl", (self._convert(high, whole), ir.Constant(half, whole)), whole)
        return self._compute("or", (self._convert(low, whole), moved), whole)

    def _loaded(self, pointer: int) -> ir.Operand:
        """The 16 bytes that an operand points to, by plain loads."""
        address = self._operand(pointer, ir.PTR)
        behind, low, high = self._value(ir.PTR), self._value(ir.Int(64)), self._value(ir.Int(64))
        place = self.item.place
        index = ir.Constant(8, ir.Int(64))
        self.done.append(ir.Index(result=behind, base=address, index=index, stride=1, place=place))
        self.done += [
            ir.Load(result=low, address=address, align=8, place=place),
            ir.Load(result=high, address=behind, align=8, place=place),
        ]
        return self._join(low, high)

    def _bits(self, operand: ir.Operand) -> int:
        return operand.type.bits if isinstance(operand.type, ir.Int) else 64

    def _result(
        self,
        result: Result,
        old: ir.Value,
        new: ir.Operand | None,
        done: ir.Operand | None,
        number: int,
    ) -> ir.Operand:
        """What a register holds after an access."""
        wide, half = self._bits(old), ir.Int(64)
        match result:
            case Result.OLD:
                return self._compute("trunc", (old,), half) if wide > half.bits else old
            case Result.OLD_HIGH:
                moved = self._compute("lshr", (old, ir.Constant(half.bits, old.type)), old.type)
                return self._compute("trunc", (moved,), half)
            case Result.NEW if new is not None:
                return new
            case Result.DONE if done is not None:
                return done
            case Result.FAILED if done is not None:
                return self._compute("xor", (done, ir.Constant(1, ir.BOOL)), ir.BOOL)
            case Result.ZERO:
                return ir.Constant(0, half)
            case _:
                slot = self.operands.slots[number].result
                return ir.Undefined(half if slot is None else self.item.results[slot].type)

    def calculate(self, steps: Sequence[SetRegister]) -> None:
        """Operations on registers, each as wide as the register that it sets."""
        for step in steps:
            slot = self.operands.slots[step.register]
            known = self.item.results[slot.result].type if slot.result is not None else None
            type_ = known if isinstance(known, ir.Int) else ir.Int(64)
            sources = [
                self._convert(self.results[each], type_)
                if isinstance(each, int) and each in self.results
                else self._operand(each, type_)
                for each in step.sources
            ]
            is_move = step.operation == "move"
            self.results[step.register] = (
                sources[0] if is_move else self._compute(step.operation, sources, type_)
            )

    def choose(self) -> None:
        """Numbers from outside for all results."""
        range_ = (ir.Constant(0, ir.Int(64)), ir.Constant(1, ir.Int(64)))
        for number, slot in enumerate(self.operands.slots):
            if slot.result is not None:
                result, callee = self._value(ir.Int(64)), ir.FunctionAddress(_INPUT)
                call = ir.Call(results=(result,), callee=callee, arguments=range_, place=self.item.place)
                self.done.append(call)
                self.results[number] = result

    def wait(self, meaning: Await, name: str, after: str) -> ir.Block:
        """The block that reads memory again and again; nothing was written before."""
        type_, place = ir.Int(meaning.bits), self.item.place
        found = self._value(type_)
        value = self._operand(meaning.value, type_)
        self.done.append(
            ir.Load(
                result=found,
                address=meaning.address,
                ordering=meaning.ordering,
                align=type_.bits // 8,
                place=place,
            )
        )
        is_over = self._compute(meaning.comparison, (found, value), ir.BOOL)
        self.results[meaning.result] = found
        instructions, self.done = tuple(self.done), []
        end = ir.Branch(condition=is_over, then=ir.Goto(after), otherwise=ir.Goto(name), place=place)
        return ir.Block(name=name, instructions=instructions, end=end)

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
