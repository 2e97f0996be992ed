"""Loops that do nothing but wait for a condition variable: `while (condition) wait(…);`.

In such a loop it is enough if a thread wakes up without cause once: waking up without cause and waiting again
is like not waking up. The condition must only look, and no value may go from one iteration to the next.
"""

from __future__ import annotations

from pathlib import PurePath

from membar.code import ir
from membar.code.loops import Loop, natural_loops
from membar.code.primitives import PREFIX
from membar.records import record

_WAKES = ir.FunctionAddress(f"{PREFIX}wakes")


@record(frozen=True, slots=True)
class PlainWait:
    """A loop that only waits, and the result of the only `wakes` in it."""

    loop: Loop
    result: str


def plain_waits(function: ir.Function) -> tuple[PlainWait, ...]:
    """All of them in a function whose calls are inlined."""
    blocks = {block.name: block for block in function.blocks}
    if not any(_is_wakes(item) for block in function.blocks for item in block.instructions):
        return ()
    found = []
    loops = natural_loops(function.blocks)
    for loop in loops:
        if any(other.blocks < loop.blocks for other in loops) or blocks[loop.header].parameters:
            continue
        items = [item for name in loop.blocks for item in blocks[name].instructions]
        calls = [item for item in items if isinstance(item, ir.Call) and _is_wakes(item)]
        if len(calls) == 1 and _only_looks(items, calls[0]):
            found.append(PlainWait(loop, calls[0].results[0].name))
    return tuple(found)


def _is_wakes(item: ir.Instruction) -> bool:
    return isinstance(item, ir.Call) and item.callee == _WAKES


def _only_looks(items: list[ir.Instruction], call: ir.Call) -> bool:
    """Whether all that the program itself does in a loop is to read; the rest is the library's wait."""
    library = _folder(call)
    return library is not None and all(
        isinstance(item, ir.Load | ir.Compute | ir.Index) or _folder(item) == library for item in items
    )


def _folder(item: ir.Instruction) -> str | None:
    return None if item.place is None else str(PurePath(item.place.file).parent)
