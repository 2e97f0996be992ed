"""Asks where the process ends whether all allocated memory was freed.

Each thread knows which blocks it allocated; a thread other than `main` leaves in a cell what only its
execution tells. Nothing is asked where some thread may still run: it may free memory later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from membar.code import ir
from membar.code.analyses.blocks import Block, Blocks, line_of
from membar.code.analyses.instruction_order import Position
from membar.code.analyses.lifetimes import is_call_of
from membar.code.analyses.parallel_threads import running_threads
from membar.code.checks import Checks
from membar.code.emitter import Emitter
from membar.code.primitives import PREFIX
from membar.code.structure import targets
from membar.program.operations import LEAKS
from membar.program.remove_warnings import CHECKED_LEAKS, LOOK

STATE_SIZE = 4
ENDS = _EXIT, _FINISH = f"{PREFIX}exit", f"{PREFIX}finish"
"""Calls that end the process or a thread."""
_BY_SIGNAL = 128
"""The status of a process that ends by a signal is larger: `abort` and traps are not ends to clean up for."""
_WORD = ir.Int(8 * STATE_SIZE)
_ONE = ir.Constant(1, _WORD)


class Leaks:
    """The checks of one program.

    Attributes:
        parts: what is not checked, as in `Module.partly_checked`.
    """

    def __init__(self, module: ir.Module, blocks: Blocks, checks: Checks) -> None:
        self._module, self._checks = module, checks
        self._main = module.threads[0]
        self._made = blocks.at
        self._order = blocks.lifetimes.order
        self._number = 0
        running = running_threads(module)
        every = [end for name in module.threads for end in _ends_of_process(module.functions[name])]
        ends = [end for end in every if end in running]
        self._asked = {end for end in ends if end.thread == self._main and not running[end]}
        is_part = bool(self._made) and len(self._asked) < len(ends)
        self.parts = (CHECKED_LEAKS,) if is_part else ()
        # Blocks of which only the execution tells whether they are allocated.
        self._unsure = {
            block.name
            for position, block in self._made.items()
            if self._asked and (blocks.again[position] or not self._is_certain(position))
        }
        self._cells = {
            block.name: f"{LOOK}{block.name}"
            for position, block in self._made.items()
            if block.name in self._unsure and position.thread != self._main
        }

    def objects(self) -> Iterator[ir.Object]:
        """The cells in which threads leave what they allocated."""
        for name in self._cells.values():
            yield ir.Object(
                name=name,
                size=STATE_SIZE,
                align=STATE_SIZE,
                content=bytes(STATE_SIZE),
                cells=(ir.Cells(offset=0, size=STATE_SIZE),),
                is_hidden=True,
            )

    def begin(self, thread: str, emit: Emitter) -> None:
        """A thread begins, and has allocated nothing."""
        for flag in self._flags(thread).values():
            emit.instructions.append(ir.Slot(result=flag, size=STATE_SIZE, align=STATE_SIZE))
            emit.store(ir.Constant(0, _WORD), flag)

    def record_allocation(self, block: Block, emit: Emitter) -> None:
        """A call has allocated its own block."""
        if block.name in self._unsure:
            emit.store(_ONE, _flag(block.name))

    def end(self, end: Position, emit: Emitter) -> None:
        """A thread ends, or the process does."""
        if end.thread != self._main:
            for name, flag in self._flags(end.thread).items():
                emit.store(emit.load(flag, STATE_SIZE), ir.ObjectAddress(self._cells[name]))
        elif end in self._asked:
            for position, block in self._made.items():
                self._ask(position, block, end, emit)

    def _flags(self, thread: str) -> dict[str, ir.Value]:
        """The variables in which a thread keeps which blocks it has allocated, if that is not certain."""
        return {
            block.name: _flag(block.name)
            for position, block in self._made.items()
            if position.thread == thread and block.name in self._unsure
        }

    def _ask(self, position: Position, block: Block, end: Position, emit: Emitter) -> None:
        made: ir.Operand = _ONE
        if block.name in self._cells:
            made = self._load_state(ir.ObjectAddress(self._cells[block.name]), emit)
        elif block.name in self._unsure:
            made = emit.load(_flag(block.name), STATE_SIZE)
        elif position.thread == self._main and not self._order.may_follow(end, position):
            return
        is_fine: ir.Operand = ir.Constant(0, ir.BOOL)
        if made != _ONE:
            is_fine = emit.compute("eq", ir.BOOL, made, ir.Constant(0, _WORD))
        if block.region is not None:
            state = self._load_state(ir.ObjectAddress(block.region.state(block.number)), emit)
            is_freed = emit.compute("ne", ir.BOOL, state, ir.Constant(0, _WORD))
            is_fine = emit.compute("or", ir.BOOL, is_fine, is_freed)
        assert block.call is not None
        message = f"memory allocated at line {line_of(block.call)} is never freed"
        emit.instructions.append(self._checks.check(is_fine, message, emit.place, LEAKS))

    def _load_state(self, address: ir.ObjectAddress, emit: Emitter) -> ir.Value:
        self._number += 1
        result = ir.Value(f"{LOOK}{self._number}", _WORD)
        emit.instructions.append(ir.Load(result=result, address=address, align=STATE_SIZE, place=emit.place))
        return result

    def _is_certain(self, position: Position) -> bool:
        """Whether a call has allocated something wherever that is asked."""
        function = self._module.functions[position.thread]
        if position.thread == self._main:
            return _is_on_every_way(function, position.block, {end.block for end in self._asked})
        is_started = all(position.thread in self._order.joined_threads(end) for end in self._asked)
        ends = {end.block for end in _ends_of_thread(function)}
        return is_started and _is_on_every_way(function, position.block, ends)


def _flag(block: str) -> ir.Value:
    return ir.Value(f"made {block}", ir.PTR)


def _ends_of_process(function: ir.Function) -> Iterator[Position]:
    """Where a function of `main` or of another thread ends the process, other than by a failure."""
    is_main = function.name == "main"
    for block in function.blocks:
        for index, item in enumerate(block.instructions):
            if is_main and is_call_of(item, _FINISH):
                yield Position(function.name, block.name, index)
            if isinstance(item, ir.Call) and is_call_of(item, _EXIT) and not _is_by_signal(item):
                yield Position(function.name, block.name, index)
        if is_main and isinstance(block.end, ir.Return):
            yield Position(function.name, block.name, len(block.instructions))


def _is_by_signal(item: ir.Call) -> bool:
    (status,) = item.arguments
    return isinstance(status, ir.Constant) and status.value > _BY_SIGNAL


def _ends_of_thread(function: ir.Function) -> Iterator[Position]:
    """Where another thread ends."""
    for block in function.blocks:
        for index, item in enumerate(block.instructions):
            if is_call_of(item, _FINISH):
                yield Position(function.name, block.name, index)
        if isinstance(block.end, ir.Return):
            yield Position(function.name, block.name, len(block.instructions))


def _is_on_every_way(function: ir.Function, name: str, ends: set[str]) -> bool:
    """Whether control comes to one of these blocks only through a block with that name."""
    blocks: Mapping[str, ir.Block] = {block.name: block for block in function.blocks}
    first = function.blocks[0].name
    seen, todo = {first}, [first]
    while todo:
        here = todo.pop()
        if here == name:
            continue
        if here in ends:
            return False
        for target in targets(blocks[here].end):
            if target.block not in seen:
                seen.add(target.block)
                todo.append(target.block)
    return True
