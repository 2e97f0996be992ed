"""Exceptions of C++: code without them, in which a `throw` ends the execution.

Nothing unwinds the stack here. Where an exception is thrown, a primitive takes the place of what would create
it, and a later pass says what that means: a violation if no function that is called has a handler, or else
the end of what is followed, which leaves the verdict open. So handlers and clean-up code are never reached.
"""

from __future__ import annotations

from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.types import Simple
from membar.records import replace

_VOID = Simple("void")
THROW = "__membar_throw"
_THROWS = frozenset({"__cxa_allocate_exception", "__cxa_throw", "__cxa_rethrow"})
_TERMINATES = "__clang_call_terminate"


def without_exceptions(blocks: tuple[llvm.Block, ...]) -> tuple[llvm.Block, ...]:
    """The blocks of a function without `invoke`, and without what follows a `throw`."""
    return tuple(map(_plain_block, blocks))


def _plain_block(block: llvm.Block) -> llvm.Block:
    found: list[llvm.Instruction] = []
    for item in block.instructions:
        call = item.call if isinstance(item, llvm.Invoke) else item
        if isinstance(call, llvm.Call) and getattr(call.callee, "name", "") in _THROWS:
            callee = llvm.Global(THROW)
            throw = llvm.Call(type=_VOID, callee=callee, arguments=(), location=item.location, span=item.span)
            found += [throw, llvm.Unreachable(location=item.location, span=item.span)]
            break
        if isinstance(item, llvm.Invoke):
            found.append(replace(item.call, result=item.result, location=item.location, span=item.span))
            found.append(llvm.Jump(target=item.normal, location=item.location, span=item.span))
        else:
            found.append(item)
    return replace(block, instructions=tuple(found))


def handlers(blocks: tuple[llvm.Block, ...]) -> list[int | None]:
    """Calls in `try` blocks, one for each place that catches exceptions, as numbers of `!dbg`.

    A place that only ends the program, as of a function that is `noexcept`, catches nothing.
    """
    known = {block.name: block for block in blocks}
    calls: dict[str, int | None] = {}
    for block in blocks:
        for item in block.instructions:
            if isinstance(item, llvm.Invoke) and item.unwind in known:
                calls.setdefault(item.unwind, item.location)
    return [location for name, location in calls.items() if _catches(known[name])]


def _catches(block: llvm.Block) -> bool:
    items = block.instructions
    ends = any(getattr(getattr(item, "callee", None), "name", "") == _TERMINATES for item in items)
    return not ends and any(
        isinstance(item, llvm.LandingPad) and any(kind == "catch" for kind, _ in item.clauses)
        for item in items
    )
