"""Takes away the code with which clang checks left shifts of signed numbers, and marks these shifts.

LLVM IR does not tell whether the operands of a shift are signed. With `-fsanitize=shift-base` clang asks
before each signed one whether bits are lost; those branches would be dependencies that the program has not.
"""

from __future__ import annotations

from membar.languages.compiled.llvm import module as llvm
from membar.records import replace

SIGNED_SHIFT = "signed-shift"
"""The flag of a left shift of a signed number."""
_HANDLER = "__ubsan_handle_shift_out_of_bounds"


def without_shift_checks(blocks: tuple[llvm.Block, ...]) -> tuple[llvm.Block, ...]:
    """The blocks of a function without such checks."""
    handlers = {block.name for block in blocks if any(map(_is_handler, block.instructions))}
    if not handlers:
        return blocks
    known = {block.name: block for block in blocks}
    ends: dict[str, str] = {}
    for block in blocks:
        end = block.instructions[-1]
        if isinstance(end, llvm.Branch) and end.otherwise in handlers:
            ends[block.name] = end.then
    checked = set(ends.values())
    asking = set(ends)
    for block in blocks:  # the bits are only looked at if the distance is not too large
        end = block.instructions[-1]
        if (
            isinstance(end, llvm.Branch)
            and end.otherwise in asking
            and _leads_to(known[end.then], end.otherwise)
        ):
            ends[block.name] = end.otherwise
    return tuple(
        _mark_shift(block, ends.get(block.name), is_checked=block.name in checked)
        for block in blocks
        if block.name not in handlers
    )


def _is_handler(item: llvm.Instruction) -> bool:
    return (
        isinstance(item, llvm.Call)
        and isinstance(item.callee, llvm.Global)
        and item.callee.name.startswith(_HANDLER)
    )


def _leads_to(block: llvm.Block, target: str) -> bool:
    *others, end = block.instructions
    is_plain = all(isinstance(item, llvm.Binary | llvm.Compare) for item in others)
    return is_plain and isinstance(end, llvm.Jump) and end.target == target


def _mark_shift(block: llvm.Block, target: str | None, *, is_checked: bool) -> llvm.Block:
    instructions = list(block.instructions)
    if is_checked:
        at = next(
            (
                at
                for at, item in enumerate(instructions)
                if isinstance(item, llvm.Binary) and item.operation == "shl"
            ),
            None,
        )
        shift = None if at is None else instructions[at]
        if at is not None and isinstance(shift, llvm.Binary):
            instructions[at] = replace(shift, flags=(*shift.flags, SIGNED_SHIFT))
    if target is not None:
        end = instructions[-1]
        instructions[-1] = llvm.Jump(target=target, location=end.location, span=end.span)
    return replace(block, instructions=tuple(instructions))
