"""Allows a program that gets no arguments to fail for want of them.

A program that uses its arguments is run without any, unless the user gives some, and most such programs
then print how they are used and fail. Before a thread is started that violates nothing; if the program fails
in any case, a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.code import ir
from membar.code.analyses.blocks import line_of, place_in_program
from membar.code.analyses.instruction_order import Order, Position
from membar.code.checks import CHECK, CUT
from membar.code.passes import Pass
from membar.code.primitives import PREFIX, USE
from membar.program.arguments import note_on_arguments
from membar.records import replace

EXITS = "exits"
_SPAWN = ir.FunctionAddress(f"{PREFIX}spawn")
_NO = ir.Constant(0, ir.BOOL)


def allow_missing_arguments(module: ir.Module) -> ir.Module:
    """The module without checks of the status of the process where it may fail so."""
    main = module.functions[module.threads[0]]
    order = Order(module)
    spawns = [
        Position(main.name, block.name, index)
        for block in main.blocks
        for index, item in enumerate(block.instructions)
        if isinstance(item, ir.Call) and item.callee == _SPAWN
    ]

    def is_excused(item: ir.Instruction, position: Position) -> bool:
        return _is_about_status(item, module) and not any(
            order.may_follow(position, spawn) for spawn in spawns
        )

    blocks = [
        replace(
            block,
            instructions=tuple(
                item
                for index, item in enumerate(block.instructions)
                if not is_excused(item, Position(main.name, block.name, index))
            ),
        )
        for block in main.blocks
    ]
    return replace(
        module,
        functions={**module.functions, main.name: replace(main, blocks=tuple(blocks))},
        notes=(*module.notes, note_on_arguments(_line_of_failure(main, module))),
    )


def _is_about_status(item: ir.Instruction, module: ir.Module) -> bool:
    match item:
        case ir.Call(callee=callee, arguments=(_, ir.ObjectAddress(name=name), *_)) if callee == CHECK:
            return module.objects[name].content == EXITS.encode() + b"\0"
        case _:
            return False


def _line_of_failure(main: ir.Function, module: ir.Module) -> int:
    """Where `main` fails before it decides anything or starts a thread; 0 if it does not."""
    line = 0
    for item in _operations_before_branch(main):
        if isinstance(item, ir.Call) and item.callee == _SPAWN:
            return 0
        if isinstance(item, ir.Call) and item.callee == USE and item.place is not None:
            line = item.place.line
        if _is_about_status(item, module) and isinstance(item, ir.Call):
            place = place_in_program(item)
            is_exit = place is not None and place is not item.place  # the check is the library's
            return 0 if item.arguments[0] != _NO else line_of(item) if is_exit else line
    return 0


def _operations_before_branch(main: ir.Function) -> Iterator[ir.Instruction]:
    """What `main` does before its first branch, but for ways that are not followed."""
    blocks = {block.name: block for block in main.blocks}
    here = main.blocks[0]
    seen: set[str] = set()
    while here.name not in seen:
        seen.add(here.name)
        yield from here.instructions
        match here.end:
            case ir.Jump(target=target):
                here = blocks[target.block]
            case ir.Branch(then=then, otherwise=otherwise) if _is_cut(blocks[then.block]):
                here = blocks[otherwise.block]
            case _:
                return


def _is_cut(block: ir.Block) -> bool:
    return any(isinstance(item, ir.Call) and item.callee == CUT for item in block.instructions)


PASS = Pass(
    name="allow_missing_arguments",
    purpose="allows a program that gets no arguments to fail for want of them",
    needs=("spawn_threads",),
    run=allow_missing_arguments,
)
