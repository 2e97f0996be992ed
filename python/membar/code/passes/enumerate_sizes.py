"""Replaces memory of a size that only the execution knows by some for each of a few sizes.

These are the sizes that are expected from what the program stores, or else they grow in steps of what the
size is a multiple of. Branches that no expected value takes are left out: what they lead to would make more
sizes. Executions that need another size, or take such a branch, are cut, and the answer says so. Memory that
is not modelled, because it is too large, as of a negative size, or aligned to an unknown number, leaves what
follows unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.analyses.blocks import HEADER
from membar.code.analyses.instruction_order import Position
from membar.code.analyses.lifetimes import ALLOCATE, is_call_of, positions
from membar.code.checks import Checks
from membar.code.passes import Pass
from membar.code.rewrite import with_targets
from membar.code.structure import reachable, results
from membar.records import replace

if TYPE_CHECKING:
    from membar.code.analyses.expected_values import ExpectedValues

_MOST_ELEMENTS = 8
_CUT = f"memory of more than {_MOST_ELEMENTS} elements where their number is not known"
_UNEXPECTED = "memory of another size than expected"
_BRANCH = "a case that was not expected from what the program stores"
_MOST_BYTES = 1 << 24
_MANY = 8
"""In programs that allocate in more places, branches are looked at although all sizes are known."""


def enumerate_sizes(module: ir.Module) -> ir.Module:
    """The module in which every allocation has a constant size."""
    checks = Checks(module)
    expected = _expected_values(module)
    functions = dict(module.functions)
    for name in module.threads:
        function = functions[name]
        sizes = {} if expected is None else _expected_sizes(function, expected)
        if expected is not None:
            function = _without_unexpected(function, expected, checks)
        functions[name] = _Enumeration(function, checks, sizes).run()
    return checks.added_to(replace(module, functions=functions))


def _expected_values(module: ir.Module) -> ExpectedValues | None:
    """What is expected of a module in which memory has unknown sizes, or is allocated in many places."""
    allocating = [item for _, item in positions(module) if is_call_of(item, *ALLOCATE)]
    is_unknown = any(_unknown_size(item) is not None for item in allocating)
    if module.copied is not None or not (is_unknown or len(allocating) > _MANY):
        return None
    from membar.code.analyses.expected_values import ExpectedValues, NothingExpectedError  # noqa: PLC0415 - on demand

    try:
        return ExpectedValues(module)
    except NothingExpectedError:
        return None


def _expected_sizes(function: ir.Function, expected: ExpectedValues) -> dict[str, tuple[int, ...]]:
    """The expected sizes of allocations, by the name of the result."""
    found: dict[str, tuple[int, ...]] = {}
    for block in function.blocks:
        for index, item in enumerate(block.instructions):
            if isinstance(item, ir.Call) and _unknown_size(item) is not None:
                sizes = expected.sizes(Position(function.name, block.name, index))
                if sizes is not None and len(sizes) <= _MOST_ELEMENTS + 1:
                    found[item.results[0].name] = sizes
    return found


def _without_unexpected(function: ir.Function, expected: ExpectedValues, checks: Checks) -> ir.Function:
    """The function in which branches that are not expected to be taken lead to the end of the execution."""
    if not expected.is_reached(function.name, function.blocks[0].name):
        return function  # nobody is expected to start this thread
    blocks: list[ir.Block] = []
    for block in function.blocks:
        if not expected.is_reached(function.name, block.name):
            continue
        numbers = count()
        cut = f"{block.name}/unexpected"
        is_cut = False

        def lead(target: ir.Goto, block: ir.Block = block, numbers: Iterator[int] = numbers) -> ir.Goto:
            nonlocal is_cut
            if expected.is_taken(function.name, block.name, next(numbers)):
                return target
            is_cut = True
            return ir.Goto(f"{block.name}/unexpected")

        blocks.append(replace(block, end=with_targets(block.end, lead)))
        if is_cut:
            place = block.end.place
            end = ir.Unreachable(place=place)
            blocks.append(ir.Block(name=cut, instructions=(checks.cut(_BRANCH, place),), end=end))
    return replace(function, blocks=tuple(reachable(blocks)))


class _Enumeration:
    def __init__(
        self, function: ir.Function, checks: Checks, expected: Mapping[str, tuple[int, ...]]
    ) -> None:
        self.function, self.checks, self.expected = function, checks, expected
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
        return replace(self.function, blocks=tuple(reachable(blocks)))

    def _blocks(self, block: ir.Block) -> list[ir.Block]:
        """A block, divided at each allocation of an unknown size."""
        done: list[ir.Block] = []
        name, parameters, end = block.name, block.parameters, block.end
        instructions: list[ir.Instruction] = []
        for item in block.instructions:
            if (gap := self._unmodelled(item)) is not None:
                end = ir.Unreachable(place=item.place)
                instructions.append(gap)
                break
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
        done.append(ir.Block(name=name, parameters=parameters, instructions=tuple(instructions), end=end))
        return done

    def _unmodelled(self, item: ir.Instruction) -> ir.Call | None:
        """What stands for an allocation of too much memory, or with an unknown alignment; None otherwise."""
        if not isinstance(item, ir.Call) or not is_call_of(item, *ALLOCATE):
            return None
        size, second = item.arguments
        if isinstance(size, ir.Constant) and size.value > _MOST_BYTES:
            what = f"memory of {size.value} bytes, of which membar models at most {_MOST_BYTES}"
            return self.checks.gap(what, item.place)
        if is_call_of(item, ALLOCATE[1]) and not _is_alignment(second):
            return self.checks.gap(f"memory whose alignment is not a number up to {HEADER}", item.place)
        return None

    def _ends(self, item: ir.Lifetime) -> list[ir.Instruction]:
        """The lifetimes of all variables that one stands for."""
        slots = self.slots.get(item.slot.name) if isinstance(item.slot, ir.Value) else None
        return [item] if slots is None else [replace(item, slot=each.result) for each in slots]

    def _choice(self, item: ir.Instruction, size: ir.Value, prefix: str) -> list[ir.Block]:
        (result,) = results(item)
        step = 1 if isinstance(item, ir.Slot) else self.steps.get(size.name, 1)
        expected = self.expected.get(result.name)
        sizes = expected or tuple(number * step for number in range(_MOST_ELEMENTS + 1))
        blocks: list[ir.Block] = []
        for number, bytes_ in enumerate(sizes):
            known = ir.Constant(bytes_, size.type)
            is_it = ir.Value(f"{prefix}/is.{number}", ir.BOOL)
            compare = ir.Compute(result=is_it, operation="eq", operands=(size, known), place=item.place)
            there, other = ir.Goto(f"{prefix}/size.{number}"), ir.Goto(f"{prefix}/try.{number + 1}")
            branch = ir.Branch(condition=is_it, then=there, otherwise=other, place=item.place)
            made: tuple[ir.Instruction, ...] = ()
            block = ir.Value(f"{prefix}/{number}", result.type)
            if isinstance(item, ir.Call):
                made = (replace(item, arguments=(known, *item.arguments[1:]), results=(block,)),)
            back: ir.Jump | ir.Unreachable = ir.Jump(target=ir.Goto(prefix, (block,)), place=item.place)
            if made and (gap := self._unmodelled(made[0])) is not None:
                made, back = (gap,), ir.Unreachable(place=item.place)
            blocks.append(ir.Block(name=f"{prefix}/try.{number}", instructions=(compare,), end=branch))
            blocks.append(ir.Block(name=there.block, instructions=made, end=back))
        end = ir.Unreachable(place=item.place)
        last = f"{prefix}/try.{len(sizes)}"
        cut = self.checks.cut(_CUT if expected is None else _UNEXPECTED, item.place)
        blocks.append(ir.Block(name=last, instructions=(cut,), end=end))
        return blocks


def _is_alignment(operand: ir.Operand) -> bool:
    return isinstance(operand, ir.Constant) and 0 < operand.value <= HEADER


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
