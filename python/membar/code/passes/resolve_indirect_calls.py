"""Replaces calls through pointers by a choice between direct calls of all functions they may point to.

So are threads started whose function is only known when the program runs, once calls have been inlined.

A pointer that points to none of them is a violation where it is called. If the code does not show everything
that it may point to, the executions in which it points elsewhere are cut, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from membar.code import ir
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.virtual_functions import VirtualFunctions, distance_in_table
from membar.code.checks import Checks
from membar.code.passes import Pass
from membar.code.primitives import SPAWN
from membar.records import record, replace

_NO_FUNCTION = "a call through a pointer that does not point to a function of this type"
_NOT_SHOWN = "calls of functions that the program does not show"


def resolve_indirect_calls(module: ir.Module) -> ir.Module:
    """The module with direct calls only."""
    return _resolve(module, _called_pointer)


def resolve_thread_functions(module: ir.Module) -> ir.Module:
    """The module in which the function of every thread is known where it is started."""
    return _resolve(module, _started_pointer)


def _called_pointer(item: ir.Instruction) -> ir.Operand | None:
    is_call = isinstance(item, ir.Call) and not isinstance(item.callee, ir.FunctionAddress)
    return item.callee if is_call and isinstance(item, ir.Call) else None


def _started_pointer(item: ir.Instruction) -> ir.Operand | None:
    if not isinstance(item, ir.Call) or item.callee != SPAWN:
        return None
    return None if isinstance(item.arguments[0], ir.FunctionAddress) else item.arguments[0]


def _resolve(module: ir.Module, pointer: Callable[[ir.Instruction], ir.Operand | None]) -> ir.Module:
    is_needed = any(
        pointer(item) is not None
        for function in module.functions.values()
        for block in function.blocks
        for item in block.instructions
    )
    if not is_needed:
        return module
    checks, targets = Checks(module), _Targets(points_to(module), VirtualFunctions(module))
    functions = {
        name: _Resolution(module, function, targets, checks, pointer).run()
        for name, function in module.functions.items()
    }
    return checks.added_to(replace(module, functions=functions))


@record(frozen=True, slots=True)
class _Targets:
    """What pointers to functions may point to."""

    everything: PointsTo
    tables: VirtualFunctions

    def functions(self, function: ir.Function, pointer: ir.Operand) -> tuple[list[str], bool]:
        """The functions that an operand may point to, and whether it may point elsewhere."""
        found = self.everything.targets(function.name, pointer)
        names = sorted({target.function for target in found if target.function is not None})
        distance = distance_in_table(function, pointer)
        reached = [name for name in names if self.tables.can_reach(name, distance)]
        return reached, len(reached) < len(names) or any(target.function is None for target in found)


class _Resolution:
    """Resolves the calls of one function."""

    def __init__(
        self,
        module: ir.Module,
        function: ir.Function,
        targets: _Targets,
        checks: Checks,
        pointer: Callable[[ir.Instruction], ir.Operand | None],
    ) -> None:
        self.module, self.function = module, function
        self.targets, self.checks, self.pointer = targets, checks, pointer
        self.number = 0

    def run(self) -> ir.Function:
        blocks = [done for block in self.function.blocks for done in self._blocks(block)]
        return replace(self.function, blocks=tuple(blocks))

    def _blocks(self, block: ir.Block) -> list[ir.Block]:
        """A block, divided at each call through a pointer."""
        done: list[ir.Block] = []
        name, parameters = block.name, block.parameters
        instructions: list[ir.Instruction] = []
        for item in block.instructions:
            pointer = self.pointer(item)
            if pointer is None or not isinstance(item, ir.Call):
                instructions.append(item)
                continue
            self.number += 1
            prefix = f"{'started' if item.callee == SPAWN else 'indirect'}/{self.number}"
            choice = self._choice(item, pointer, prefix)
            enter = ir.Jump(target=ir.Goto(choice[0].name), place=item.place)
            done.append(
                ir.Block(name=name, parameters=parameters, instructions=tuple(instructions), end=enter)
            )
            done += choice
            name, parameters, instructions = prefix, item.results, []
        done.append(
            ir.Block(name=name, parameters=parameters, instructions=tuple(instructions), end=block.end)
        )
        return done

    def _choice(self, call: ir.Call, pointer: ir.Operand, prefix: str) -> list[ir.Block]:
        """The blocks that choose between the functions; each goes on at the block called `prefix`."""
        names, is_open = self.targets.functions(self.function, pointer)
        fitting = [name for name in names if self._fits(call, name)]
        blocks: list[ir.Block] = []
        for number, name in enumerate(fitting):
            is_it = ir.Value(f"{prefix}/is.{number}", ir.BOOL)
            results = tuple(
                ir.Value(f"{prefix}/{number}.{place}", each.type) for place, each in enumerate(call.results)
            )
            compare = ir.Compute(
                result=is_it,
                operation="eq",
                operands=(pointer, ir.FunctionAddress(name)),
                place=call.place,
            )
            there, other = ir.Goto(f"{prefix}/call.{number}"), ir.Goto(f"{prefix}/try.{number + 1}")
            branch = ir.Branch(condition=is_it, then=there, otherwise=other, place=call.place)
            direct = replace(call, **self._with_function(call, name), results=results)
            back = ir.Jump(target=ir.Goto(prefix, results), place=call.place)
            blocks.append(ir.Block(name=f"{prefix}/try.{number}", instructions=(compare,), end=branch))
            blocks.append(ir.Block(name=there.block, instructions=(direct,), end=back))
        last = (
            self.checks.cut(_NOT_SHOWN, call.place) if is_open else self.checks.fail(_NO_FUNCTION, call.place)
        )
        blocks.append(
            ir.Block(
                name=f"{prefix}/try.{len(fitting)}",
                instructions=(last,),
                end=ir.Unreachable(place=call.place),
            )
        )
        return blocks

    def _with_function(self, call: ir.Call, name: str) -> dict[str, Any]:
        address = ir.FunctionAddress(name)
        return {"arguments": (address, *call.arguments[1:])} if call.callee == SPAWN else {"callee": address}

    def _fits(self, call: ir.Call, name: str) -> bool:
        """Whether a function takes and gives what a call does."""
        function = self.module.functions.get(name)
        if function is None:
            return False
        if call.callee == SPAWN:
            return len(function.parameters) <= 1
        given = [each.type for each in call.arguments]
        taken = [each.type for each in function.parameters]
        is_enough = given[: len(taken)] == taken if function.is_variadic else given == taken
        return is_enough and [each.type for each in call.results] == list(function.results)


PASS = Pass(
    name="resolve_indirect_calls",
    purpose="replaces calls through pointers by a choice between direct calls",
    needs=("resolve_library",),
    run=resolve_indirect_calls,
)
