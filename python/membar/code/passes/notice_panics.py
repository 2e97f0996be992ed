"""Finds where a program of Rust would notice that another thread has panicked, and goes on.

What follows a panic is not explored. So `__membar_panicked`, the primitive with which `join` and locks ask
whether a thread has panicked, is always false. Where it is used, this pass follows what the program would do
if it were true. Mostly that is `unwrap`, which panics: then nobody goes on. Elsewhere the place is noted in
`handlers`, for `resolve_panics`.
"""

from __future__ import annotations

from collections.abc import Mapping

from membar.code import ir
from membar.code.analyses.blocks import is_in_library
from membar.code.analyses.lifetimes import RELEASE
from membar.code.checks import CHECK, CUT
from membar.code.passes import Pass
from membar.code.passes.fold_constants import fold_blocks, fold_terminator, known_value
from membar.code.primitives import BLOCK_SIZE, PANICKED, PANICS, READ, USE
from membar.code.rewrite import substitution, with_operands, with_values
from membar.code.structure import operands, results, targets
from membar.records import record, replace

_SKIPPED = (PANICS, CHECK, USE, READ, BLOCK_SIZE, ir.FunctionAddress(RELEASE))
_MOST_BLOCKS = 64


def notice_panics(module: ir.Module) -> ir.Module:
    """The module without `__membar_panicked`, and with the places where it matters as handlers."""
    functions, found = {}, list[ir.Place]()
    for name, function in module.functions.items():
        asked = [
            (block, index, item)
            for block in function.blocks
            for index, item in enumerate(block.instructions)
            if isinstance(item, ir.Call) and item.callee == PANICKED
        ]
        functions[name] = _answered(function) if asked else function
        for block, index, item in asked:
            place = _in_program(item.place)
            if place is not None and _Panicked(module, function, item).continues_after(block, index + 1):
                found.append(place)
    return replace(module, functions=functions, handlers=tuple(dict.fromkeys(found)))


def _answered(function: ir.Function) -> ir.Function:
    """A function in which no other thread has panicked."""
    known: dict[str, ir.Operand] = {}
    blocks = []
    for block in function.blocks:
        kept = []
        for item in block.instructions:
            if isinstance(item, ir.Call) and item.callee == PANICKED:
                known[item.results[0].name] = ir.Constant(0, ir.BOOL)
            else:
                kept.append(item)
        blocks.append(replace(block, instructions=tuple(kept)))
    return replace(function, blocks=tuple(with_values(blocks, known)))


def _in_program(place: ir.Place | None) -> ir.Place | None:
    while place is not None and is_in_library(place):
        place = place.caller
    return place


@record(eq=False)
class _Panicked:
    """What follows one question in a function, if a thread has panicked."""

    module: ir.Module
    function: ir.Function
    question: ir.Call

    def continues_after(self, block: ir.Block, start: int) -> bool:
        """Whether the program does anything but fail; if it may be ignored, anything else than before."""
        self.blocks = {each.name: each for each in self.function.blocks}
        (result,) = self.question.results
        self.before = self._blocks_without_panic(block.name) if self._is_ignored() else set[str]()
        todo: list[tuple[ir.Block, int, Mapping[str, ir.Operand]]] = []
        todo.append((block, start, {result.name: ir.Constant(1, ir.BOOL)}))
        seen: set[str] = set()
        while todo:
            block, start, known = todo.pop()
            following = self._after(block, start, dict(known))
            if following is None or len(seen) > _MOST_BLOCKS:
                return True
            for target, values in following:
                if target.name not in seen and not self._is_same(target.name, values):
                    seen.add(target.name)
                    todo.append((target, 0, values))
        return False

    def _is_ignored(self) -> bool:
        argument = self.question.arguments[0]
        return isinstance(argument, ir.Constant) and bool(argument.value)

    def _after(
        self, block: ir.Block, start: int, known: dict[str, ir.Operand]
    ) -> list[tuple[ir.Block, dict[str, ir.Operand]]] | None:
        """Where execution goes from within a block, and what is known there; None: it does something."""
        change = substitution(known)
        for old in block.instructions[start:]:
            item = with_operands(old, change)
            match item:
                case ir.Compute(result=result) | ir.Index(result=result):
                    value = known_value(item, self.module.pointer_bits)
                    if value is not None and value != result:
                        known[result.name] = value
                case ir.Call(callee=callee, arguments=(ir.Constant(value=0), *_)) if callee == CHECK:
                    return []
                case ir.Call(callee=callee) if callee == CUT:
                    return []
                case ir.Call(callee=callee) if callee in _SKIPPED:
                    pass
                case ir.Call(callee=callee, results=(result,)) if callee == PANICKED:
                    known[result.name] = ir.Constant(1, ir.BOOL)
                case ir.Slot() | ir.Lifetime() | ir.Load(ordering=None):
                    pass
                case ir.Store(ordering=None, address=address) if self._is_local(address):
                    pass
                case _:
                    return None
        match end := fold_terminator(with_operands(block.end, change)):
            case ir.Return():
                return None if any(isinstance(each, ir.Constant) for each in end.values) else []
            case ir.Unreachable():
                return []
            case _:
                found = []
                for goto in targets(end):
                    target = self.blocks[goto.block]
                    names = (parameter.name for parameter in target.parameters)
                    found.append((target, {**known, **dict(zip(names, goto.arguments, strict=True))}))
                return found

    def _is_local(self, address: ir.Operand) -> bool:
        """Whether an address is that of a local variable."""
        made = {
            result.name: item
            for block in self.function.blocks
            for item in block.instructions
            for result in results(item)
        }
        while isinstance(address, ir.Value):
            match made.get(address.name):
                case ir.Index(base=base):
                    address = base
                case item:
                    return isinstance(item, ir.Slot)
        return False

    def _blocks_without_panic(self, start: str) -> set[str]:
        """The blocks that execution comes to from the end of one, if nobody has panicked."""
        (result,) = self.question.results
        changed = with_values(self.function.blocks, {result.name: ir.Constant(0, ir.BOOL)})
        folded = {block.name: block for block in fold_blocks(changed, self.module.pointer_bits)}
        return _reached(start, folded)

    def _is_same(self, block: str, known: Mapping[str, ir.Operand]) -> bool:
        """Whether a block is one that would follow anyway, and what is known makes no difference there."""
        if block not in self.before:
            return False
        used = {
            operand.name
            for name in (block, *_reached(block, self.blocks))
            for item in (*self.blocks[name].instructions, self.blocks[name].end)
            for operand in operands(item)
            if isinstance(operand, ir.Value)
        }
        return used.isdisjoint(known)


def _reached(start: str, blocks: Mapping[str, ir.Block]) -> set[str]:
    """The blocks that execution comes to from the end of one."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for target in targets(blocks[todo.pop()].end):
            if target.block not in seen:
                seen.add(target.block)
                todo.append(target.block)
    return seen


PASS = Pass(
    name="notice_panics",
    purpose="finds where the program would notice that another thread has panicked, and go on",
    needs=("inline_calls", "fold_constants"),
    run=notice_panics,
)
