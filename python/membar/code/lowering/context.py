"""What all threads of a program share while they are lowered: memory, names, places, ordering words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.lowering.memory import Memory
from membar.code.lowering.refusal import NotSupportedError
from membar.program.expr import Address, Expr
from membar.program.operations import Store
from membar.source import Span

if TYPE_CHECKING:
    from membar.code.lowering.thread import ThreadLowering

ORDERS: Mapping[str, str] = {
    "monotonic": "RLX",
    "acquire": "ACQ",
    "release": "REL",
    "acq_rel": "ACQ_REL",
    "seq_cst": "SC",
}
PLAIN = frozenset({"NA"})


def thread_name(function: str) -> str:
    """What a thread is called, by the function that `spawn_threads` made for it: `worker`, `worker#2`."""
    return function.removesuffix("#1")


class Context:
    """The program while its threads are lowered.

    Attributes:
        module: the code; `threads` names the functions that its threads run.
        memory: where its objects lie.
        pointer_bits: the width of an address.
        plain: the ordering words of an access without an order.
    """

    def __init__(
        self, module: ir.Module, memory: Memory, span: Callable[[ir.Place | None], Span | None]
    ) -> None:
        self.module, self.memory = module, memory
        self.pointer_bits = module.pointer_bits
        self.plain = PLAIN
        self._span = span
        self._functions = {name: number for number, name in enumerate(sorted(module.functions))}
        self._spans: dict[ir.Place, Span | None] = {}

    def span(self, place: ir.Place | None) -> Span | None:
        """The user's text at a place."""
        if place is None:
            return None
        if place not in self._spans:
            self._spans[place] = self._span(place)
        return self._spans[place]

    def order(self, ordering: str, place: ir.Place | None) -> str:
        """The ordering word of a Program for one of LLVM IR."""
        found = ORDERS.get(ordering)
        if found is None:
            raise NotSupportedError(f"the memory ordering `{ordering}`", place)
        return found

    def address(self, operand: ir.ObjectAddress) -> Address:
        """Where a byte of an object lies."""
        return self.memory.address(operand)

    def function_number(self, name: str) -> int:
        """A word for the address of a function: no data has it, and no two functions have the same."""
        return self.memory.first_function + 16 * self._functions.setdefault(name, len(self._functions))

    def string(self, operand: ir.Operand) -> str | None:
        """The text of a constant string; None if the operand is none."""
        if not isinstance(operand, ir.ObjectAddress):
            return None
        found = self.module.objects[operand.name]
        if found.content is None or not found.is_constant:
            return None
        return found.content[operand.offset :].split(b"\0")[0].decode("utf-8", errors="replace")

    def has_result(self, thread: int) -> bool:
        """Whether somebody asks for the result of a thread."""
        return thread in self.memory.results

    def keep_result(self, thread: ThreadLowering, word: Expr, item: ir.Instruction) -> None:
        """Stores the result of a thread for whoever joins it."""
        address = self.memory.results[thread.number]
        size = self.pointer_bits // 8
        thread.flow.emit(
            Store(address=address, value=word, size=size, tags=self.plain), self.span(item.place)
        )
