"""What all threads of a program share while they are lowered: memory, names, places, ordering words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.loops import natural_loops
from membar.code.lowering.memory import Memory
from membar.code.lowering.orders import Orders
from membar.code.primitives import MAIN, PREFIX
from membar.code.structure import operands
from membar.program.expr import TRUE, Address, Expr
from membar.program.operations import Store
from membar.source import Span

if TYPE_CHECKING:
    from membar.code.lowering.thread import ThreadLowering


def thread_name(function: str) -> str:
    """What a thread is called, by the function that `spawn_threads` made for it: `worker`, `worker#2`."""
    return function.removesuffix("#1")


class Context:
    """The program while its threads are lowered.

    Attributes:
        module: the code; `threads` names the functions that its threads run.
        memory: where its objects lie.
        pointer_bits: the width of an address.
        orders: the ordering words of its language.
        started: the numbers of the threads that can be started, `main` included.
        joinable: the numbers of threads by what `join` calls them.
        may_wait: whether an atomic block may wait forever.
        ended: of the threads that can end the process, a cell that is 1 once the thread has ended without.
    """

    def __init__(
        self,
        module: ir.Module,
        memory: Memory,
        orders: Orders,
        span: Callable[[ir.Place | None], Span | None],
        *,
        started: frozenset[int],
        exiting: frozenset[int],
    ) -> None:
        self.module, self.memory = module, memory
        self.pointer_bits = module.pointer_bits
        self.orders = orders
        self.started = started
        self.may_wait = False
        self._span = span
        self.joinable = {number: number for number in started if number != 0}
        if names_main(module):
            self.joinable[MAIN] = 0
        self.ended = {
            number: memory.add(f"{thread_name(module.threads[number])}.ended", 4)
            for number in sorted(exiting & frozenset(self.joinable.values()))
        }
        self._retired: dict[int, Expr] = {}
        self._looks_at_float_bits: bool | None = None
        self._retirements = retirements(module)
        self._spans: dict[ir.Place, Span | None] = {}

    def span(self, place: ir.Place | None) -> Span | None:
        """The user's text at a place."""
        if place is None:
            return None
        if place not in self._spans:
            self._spans[place] = self._span(place)
        return self._spans[place]

    def address(self, operand: ir.ObjectAddress) -> Address:
        """Where a byte of an object lies."""
        return self.memory.address(operand)

    def function_word(self, name: str) -> int:
        """A word for the address of a function."""
        return self.memory.function_word(name)

    def retired_cell(self, handle: int) -> Expr | None:
        """The cell that says whether a thread was joined or detached; None if that happens only once."""
        if None not in self._retirements and self._retirements[handle] <= 1:
            return None
        if handle not in self._retired:
            name = f"{thread_name(self.module.threads[self.joinable[handle]])}.retired"
            self._retired[handle] = self.memory.add(name, 4)
        return self._retired[handle]

    @property
    def looks_at_float_bits(self) -> bool:
        """Whether the program may notice the sign and payload of what is not a number."""
        if self._looks_at_float_bits is None:
            from membar.code.analyses.float_bits import looks_at_float_bits  # noqa: PLC0415 - on demand

            self._looks_at_float_bits = looks_at_float_bits(self.module)
        return self._looks_at_float_bits

    def string(self, operand: ir.Operand) -> str | None:
        """The text of a constant string; None if the operand is none."""
        if not isinstance(operand, ir.ObjectAddress):
            return None
        found = self.module.objects[operand.name]
        if found.content is None or not found.is_constant:
            return None
        return found.content[operand.offset :].split(b"\0")[0].decode("utf-8", errors="replace")

    def keep_end(self, thread: ThreadLowering, item: ir.Instruction) -> None:
        """Says to whoever joins a thread that it has ended and that the process goes on."""
        if thread.number in self.ended:
            cell, tags = self.ended[thread.number], self.orders.plain
            thread.flow.emit(Store(address=cell, value=TRUE, size=4, tags=tags), self.span(item.place))

    def has_result(self, thread: int) -> bool:
        """Whether somebody asks for the result of a thread."""
        return thread in self.memory.results

    def keep_result(self, thread: ThreadLowering, word: Expr, item: ir.Instruction) -> None:
        """Stores the result of a thread for whoever joins it."""
        address = self.memory.results[thread.number]
        size = self.pointer_bits // 8
        thread.flow.emit(
            Store(address=address, value=word, size=size, tags=self.orders.plain), self.span(item.place)
        )


def names_main(module: ir.Module) -> bool:
    """Whether some thread may know what `join` calls `main`."""
    return any(
        isinstance(each, ir.Constant) and each.value == MAIN
        for name in module.threads
        for block in module.functions[name].blocks
        for item in (*block.instructions, block.end)
        for each in operands(item)
    )


def retirements(module: ir.Module) -> Counter[int | None]:
    """How often the code retires each thread; None are those that are not known before the program runs."""
    found: Counter[int | None] = Counter()
    for name in module.threads:
        function = module.functions[name]
        repeated = {each for loop in natural_loops(function.blocks) for each in loop.blocks}
        for block in function.blocks:
            for item in block.instructions:
                if isinstance(item, ir.Call) and item.callee == ir.FunctionAddress(f"{PREFIX}retire"):
                    (number,) = item.arguments
                    known = number.value if isinstance(number, ir.Constant) else None
                    found[known] += 2 if block.name in repeated else 1
    return found
