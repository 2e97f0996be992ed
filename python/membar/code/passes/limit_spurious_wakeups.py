"""Lets a wait for a condition end spuriously once, in a loop that otherwise only looks.

In `while (…) pthread_cond_wait(…);` waking up spuriously and waiting again is like not waking up, so once
is as good as often, and the loop ends with the signals. What the library does for the wait, also in its
headers, does not count as anything but looking. In other loops, and outside loops, every wait may end
spuriously.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.blocks import is_in_header_or_library, is_in_library, place_in_program
from membar.code.loops import Loop, natural_loops
from membar.code.passes import Pass
from membar.code.structure import targets
from membar.records import record, replace

_WAKES, _CHOOSE = "__membar_wakes", "__membar_choose"
_BYTE, _WORD = ir.Int(8), ir.Int(64)


def limit_spurious_wakeups(module: ir.Module) -> ir.Module:
    """The module with a flag for each such loop that says whether a wait has ended spuriously."""
    functions = {
        name: _limit_in(function) if any(map(_wakes_in, function.blocks)) else function
        for name, function in module.functions.items()
    }
    return replace(module, functions=functions)


def _wakes_in(block: ir.Block) -> list[ir.Call]:
    return [item for item in block.instructions if _is_call(item, _WAKES) and isinstance(item, ir.Call)]


def _is_call(item: ir.Instruction, name: str) -> bool:
    return isinstance(item, ir.Call) and item.callee == ir.FunctionAddress(name)


def _limit_in(function: ir.Function) -> ir.Function:
    number = 0
    for loop in natural_loops(function.blocks):
        if _only_looks(function, loop):
            number += 1
            function = _WakeupLimiter(function, loop, f"woken.{number}").run()
    return function


def _only_looks(function: ir.Function, loop: Loop) -> bool:
    """Whether a loop waits for a condition and does nothing else but looking."""
    inside = [block for block in function.blocks if block.name in loop.blocks]
    wakes = [item for block in inside for item in _wakes_in(block)]
    if not wakes:
        return False
    library = {_folder(item.place) for item in wakes}
    waits = {place_in_program(item) for item in wakes}
    if _has_own_values(function, loop):
        return False
    unnamed = {  # the compiler's own, for the parts of one expression
        item.result
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Slot) and not item.variable
    }
    return all(
        isinstance(item, ir.Load | ir.Compute | ir.Index | ir.Lifetime | ir.Slot)
        or _folder(item.place) in library
        or is_in_library(item.place)
        or (is_in_header_or_library(item.place) and place_in_program(item) in waits)
        or (isinstance(item, ir.Store) and (item.place is None or item.address in unnamed))
        for block in inside
        for item in block.instructions
    )


def _has_own_values(function: ir.Function, loop: Loop) -> bool:
    """Whether an iteration computes something for the next one, such as how many there were."""
    header = next(block for block in function.blocks if block.name == loop.header)
    return any(
        argument != parameter
        for block in function.blocks
        if block.name in loop.blocks
        for target in targets(block.end)
        if target.block == loop.header
        for argument, parameter in zip(target.arguments, header.parameters, strict=True)
    )


def _folder(place: ir.Place | None) -> str:
    return "" if place is None else place.file.rpartition("/")[0]


@record(eq=False)
class _WakeupLimiter:
    """One function, with a flag for one loop."""

    function: ir.Function
    loop: Loop
    name: str

    def run(self) -> ir.Function:
        flag = ir.Value(self.name, ir.PTR)
        clear = ir.Store(value=ir.Constant(0, _BYTE), address=flag)
        blocks = []
        for block in self.function.blocks:
            instructions = list(block.instructions)
            if block.name in self.loop.blocks:
                instructions = [new for old in instructions for new in self._instruction(old, flag)]
            elif any(target.block == self.loop.header for target in targets(block.end)):
                instructions.append(clear)
            blocks.append(replace(block, instructions=tuple(instructions)))
        slot = ir.Slot(result=flag, size=1, align=1)
        blocks[0] = replace(blocks[0], instructions=(slot, *blocks[0].instructions))
        return replace(self.function, blocks=tuple(blocks))

    def _instruction(self, item: ir.Instruction, flag: ir.Value) -> list[ir.Instruction]:
        if not isinstance(item, ir.Call) or not _is_call(item, _WAKES):
            return [item]
        (result,) = item.results
        was, is_first, most, chosen, after = (
            ir.Value(f"{result.name}.{self.name}.{number}", type_)
            for number, type_ in enumerate((_BYTE, ir.BOOL, _WORD, _WORD, _BYTE))
        )
        place = item.place
        again = ir.Value(f"{result.name}.{self.name}.5", _BYTE)
        return [
            ir.Load(result=was, address=flag, place=place),
            ir.Compute(result=is_first, operation="eq", operands=(was, ir.Constant(0, _BYTE)), place=place),
            ir.Compute(result=most, operation="zext", operands=(is_first,), place=place),
            ir.Call(
                results=(chosen,),
                callee=ir.FunctionAddress(_CHOOSE),
                arguments=(ir.Constant(0, _WORD), most),
                place=place,
            ),
            ir.Compute(result=result, operation="ne", operands=(chosen, ir.Constant(0, _WORD)), place=place),
            ir.Compute(result=after, operation="trunc", operands=(chosen,), place=place),
            ir.Compute(result=again, operation="or", operands=(was, after), place=place),
            ir.Store(value=again, address=flag, place=place),
        ]


PASS = Pass(
    name="limit_spurious_wakeups",
    purpose="lets a wait for a condition end spuriously once, in a loop that otherwise only looks",
    needs=("inline_calls",),
    run=limit_spurious_wakeups,
)
