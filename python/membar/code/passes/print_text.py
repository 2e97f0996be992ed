"""Makes text that is printed into memory a write of zeros, and refuses programs that look at it.

What `snprintf` prints is not computed: a program that decides something by it cannot be followed.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.lifetimes import is_call_of, positions
from membar.code.analyses.points_to import points_to
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.code.primitives import PREFIX
from membar.code.structure import matters
from membar.records import replace

PRINT = f"{PREFIX}print"
_MESSAGE = "text that is looked at after it was printed into memory"


def print_text(module: ir.Module) -> ir.Module:
    """The module without such calls.

    Raises:
        NotSupportedError: the text, or what may be it, is looked at.
    """
    calls = [(at, item) for at, item in positions(module) if is_call_of(item, PRINT)]
    if not calls:
        return module
    targets = points_to(module)
    printed = {
        target.site
        for at, item in calls
        if isinstance(item, ir.Call)
        for target in targets.targets(at.thread, item.arguments[0])
    }
    for at, item in positions(module):
        if (
            isinstance(item, ir.Load)
            and any(target.site in printed for target in targets.targets(at.thread, item.address))
            and matters(module.functions[at.thread], item.result)
        ):
            raise NotSupportedError(_MESSAGE, item.place)
    functions = {
        name: replace(item, blocks=tuple(map(_write_zeros, item.blocks))) if name in module.threads else item
        for name, item in module.functions.items()
    }
    return replace(module, functions=functions)


def _write_zeros(block: ir.Block) -> ir.Block:
    return replace(block, instructions=tuple(map(_as_zeros, block.instructions)))


def _as_zeros(item: ir.Instruction) -> ir.Instruction:
    if not isinstance(item, ir.Call) or not is_call_of(item, PRINT):
        return item
    text, size = item.arguments
    return ir.Fill(target=text, byte=ir.Constant(0, ir.Int(8)), length=size, place=item.place)


PASS = Pass(
    name="print_text",
    purpose="makes text that is printed into memory a write of zeros, and refuses programs that look at it",
    needs=("place_locals",),
    run=print_text,
)
