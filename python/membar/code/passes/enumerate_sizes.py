"""Replaces memory of a size that only the execution knows by some for each of a few sizes.

Sizes grow in steps of what the size is a multiple of. Executions that need more elements are cut, and the
answer says so.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.lifetimes import ALLOCATE, is_call_of
from membar.code.checks import Checks
from membar.code.passes import Pass
from membar.code.structure import results
from membar.records import replace

_MOST_ELEMENTS = 8
_CUT = f"memory of more than {_MOST_ELEMENTS} elements where their number is not known"


def enumerate_sizes(module: ir.Module) -> ir.Module:
    """The module in which every allocation has a constant size."""
    checks = Checks(module)
    functions = dict(module.functions)
    for name in module.threads:
        functions[name] = _Enumeration(module.functions[name], checks).run()
    return checks.added_to(replace(module, functions=functions))


class _Enumeration:
    def __init__(self, function: ir.Function, checks: Checks) -> None:
        self.function, self.checks = function, checks
        self.number = 0
        self.slots: dict[str, list[ir.Slot]] = {}
        self.steps = {
            item.result.name: step
            for block in function.blocks
            for item in block.instructions
            if isinstance(item, ir.Compute) and (step := _step(item)) is not None
        }

    def run(self) -> ir.Function:
        blocks = [done for block in self.function.blocks for done in self._blocks(block)]
        return replace(self.function, blocks=tuple(blocks))

    def _blocks(self, block: ir.Block) -> list[ir.Block]:
        """A block, divided at each allocation of an unknown size."""
        done: list[ir.Block] = []
        name, parameters = block.name, block.parameters
        instructions: list[ir.Instruction] = []
        for item in block.instructions:
            size = _unknown_size(item)
            if size is None:
                instructions += self._ends(item) if isinstance(item, ir.Lifetime) else [item]
                continue
            self.number += 1
            prefix = f"sized/{self.number}"
            (result,) = results(item)
            if isinstance(item, ir.Slot):  # all of them are there, and one is used
                self.slots[result.name] = [
                    replace(item, result=ir.Value(f"{prefix}/{at}", result.type), count=_count(at, size))
                    for at in range(_MOST_ELEMENTS + 1)
                ]
                instructions += self.slots[result.name]
            enter = ir.Jump(target=ir.Goto(f"{prefix}/try.0"), place=item.place)
            done.append(
                ir.Block(name=name, parameters=parameters, instructions=tuple(instructions), end=enter)
            )
            done += self._choice(item, size, prefix)
            name, parameters, instructions = prefix, (result,), []
        done.append(
            ir.Block(name=name, parameters=parameters, instructions=tuple(instructions), end=block.end)
        )
        return done

    def _ends(self, item: ir.Lifetime) -> list[ir.Instruction]:
        """The lifetimes of all variables that one stands for."""
        slots = self.slots.get(item.slot.name) if isinstance(item.slot, ir.Value) else None
        return [item] if slots is None else [replace(item, slot=each.result) for each in slots]

    def _choice(self, item: ir.Instruction, size: ir.Value, prefix: str) -> list[ir.Block]:
        (result,) = results(item)
        step = 1 if isinstance(item, ir.Slot) else self.steps.get(size.name, 1)
        blocks: list[ir.Block] = []
        for number in range(_MOST_ELEMENTS + 1):
            known = ir.Constant(number * step, size.type)
            is_it = ir.Value(f"{prefix}/is.{number}", ir.BOOL)
            compare = ir.Compute(result=is_it, operation="eq", operands=(size, known), place=item.place)
            there, other = ir.Goto(f"{prefix}/size.{number}"), ir.Goto(f"{prefix}/try.{number + 1}")
            branch = ir.Branch(condition=is_it, then=there, otherwise=other, place=item.place)
            made: tuple[ir.Instruction, ...] = ()
            block = ir.Value(f"{prefix}/{number}", result.type)
            if isinstance(item, ir.Call):
                made = (replace(item, arguments=(known, *item.arguments[1:]), results=(block,)),)
            back = ir.Jump(target=ir.Goto(prefix, (block,)), place=item.place)
            blocks.append(ir.Block(name=f"{prefix}/try.{number}", instructions=(compare,), end=branch))
            blocks.append(ir.Block(name=there.block, instructions=made, end=back))
        end = ir.Unreachable(place=item.place)
        last = f"{prefix}/try.{_MOST_ELEMENTS + 1}"
        blocks.append(ir.Block(name=last, instructions=(self.checks.cut(_CUT, item.place),), end=end))
        return blocks


def _count(number: int, size: ir.Value) -> ir.Operand:
    return ir.Constant(number, size.type)


def _unknown_size(item: ir.Instruction) -> ir.Value | None:
    """The size of an allocation, or the number of elements of a variable, that is not known."""
    match item:
        case ir.Slot(count=ir.Value() as count):
            return count
        case ir.Call(arguments=(ir.Value() as size, *_)) if is_call_of(item, *ALLOCATE):
            return size
        case _:
            return None


def _step(item: ir.Compute) -> int | None:
    """The constant that a result is a multiple of."""
    match item:
        case ir.Compute(operation="mul", operands=(_, ir.Constant(value=step))) if step:
            return step
        case ir.Compute(operation="mul", operands=(ir.Constant(value=step), _)) if step:
            return step
        case ir.Compute(operation="shl", operands=(_, ir.Constant(value=shift))) if shift < 16:
            return 1 << shift
        case _:
            return None


PASS = Pass(
    name="enumerate_sizes",
    purpose="replaces an allocation of an unknown size by one for each of a few sizes",
    needs=("spawn_threads",),
    run=enumerate_sizes,
)
