"""Says what a panic is in a thread that is not `main`: a failed assertion, unless the program may go on.

Where `notice_panics` found that the program would notice it and do more than panic, too, nothing is known of
what follows: the verdict is open.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.checks import Checks
from membar.code.passes import Pass
from membar.code.primitives import PANICS
from membar.records import replace
from membar.text.file_paths import name_of


def resolve_panics(module: ir.Module) -> ir.Module:
    """The module without `__membar_panics`."""
    checks = Checks(module)
    noticed = dict.fromkeys(f"{name_of(place.file)}:{place.line}" for place in module.handlers)
    reason = f"what follows a panic of a thread that the program may notice at {', '.join(noticed)}"

    def resolve(item: ir.Instruction, *, is_main: bool) -> list[ir.Instruction]:
        if not isinstance(item, ir.Call) or item.callee != PANICS:
            return [item]
        return [] if is_main or not noticed else [checks.gap(reason, item.place)]

    functions = {
        name: replace(
            function,
            blocks=tuple(
                replace(
                    block,
                    instructions=tuple(
                        new
                        for old in block.instructions
                        for new in resolve(old, is_main=name == module.threads[0])
                    ),
                )
                for block in function.blocks
            ),
        )
        for name, function in module.functions.items()
    }
    return checks.added_to(replace(module, functions=functions, handlers=()))


PASS = Pass(
    name="resolve_panics",
    purpose="says what a panic is in a thread that is not `main`",
    needs=("notice_panics", "spawn_threads"),
    run=resolve_panics,
)
