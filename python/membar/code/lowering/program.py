"""A whole module of code IR as a `Program`."""

from __future__ import annotations

from collections.abc import Callable

from membar.code import ir
from membar.code.lowering.context import Context, names_main
from membar.code.lowering.memory import Memory
from membar.code.lowering.orders import Orders, language_of
from membar.code.lowering.thread import ThreadLowering
from membar.code.primitives import PREFIX
from membar.code.structure import operands
from membar.program.grace_periods import block_in_own_sections
from membar.program.operations import Spawn
from membar.program.program import Program
from membar.source import Span

_WAITING = (("termination", "without atomic blocks that wait forever"),)


def lower_module(module: ir.Module, *, name: str, span: Callable[[ir.Place | None], Span | None]) -> Program:
    """The program that the threads of a module make.

    Args:
        module: after all passes.
        name: of the program.
        span: the user's text at a place.

    Raises:
        NotSupportedError: a Program cannot say it.
    """
    program = _lower(module, frozenset(range(len(module.threads))), frozenset(), name, span)
    started = _started_threads(program)
    exiting = frozenset(number for number, thread in enumerate(program.threads) if thread.exits)
    if len(started) < len(module.threads) or not exiting <= {0} or names_main(module):
        # Some are only started where nothing arrives: they are no threads of the program. Others end it.
        program = _lower(module, started, exiting, name, span)
    return block_in_own_sections(program)


def _lower(
    module: ir.Module,
    started: frozenset[int],
    exiting: frozenset[int],
    name: str,
    span: Callable[[ir.Place | None], Span | None],
) -> Program:
    orders = Orders(language_of(module))
    memory = Memory(module, _results(module))
    context = Context(module, memory, orders, span, started=started, exiting=exiting)
    threads = [
        ThreadLowering(context, module.functions[thread], number).run()
        for number, thread in enumerate(module.threads)
        if number in started
    ]
    return Program(
        name=name,
        language=orders.language,
        objects=memory.objects(),
        threads=tuple(threads),
        ends_memory=module.ends_memory,
        gaps=module.gaps,
        partly_checked=(*module.partly_checked, *(_WAITING if context.may_wait else ())),
        mixed_sizes=module.mixed_sizes,
        mixed_atomics=frozenset(
            (found.path, found.start, found.end) for place in module.mixed_atomics if (found := span(place))
        ),
        possibly_mixed=frozenset(
            (found.path, found.start, found.end) for place in module.possibly_mixed if (found := span(place))
        ),
        notes=module.notes,
        pointers=memory.pointers(),
    )


def _started_threads(program: Program) -> frozenset[int]:
    """The threads that `main`, or a thread that it starts, can start."""
    numbers = {thread.name: number for number, thread in enumerate(program.threads)}
    found, todo = {0}, [0]
    while todo:
        for edge in program.threads[todo.pop()].edges:
            for item in edge.operations:
                if isinstance(item, Spawn) and numbers[item.thread] not in found:
                    found.add(numbers[item.thread])
                    todo.append(numbers[item.thread])
    return frozenset(found)


def _results(module: ir.Module) -> dict[int, str]:
    """The threads whose results somebody may ask for, and the cells that hold them."""
    for name in module.threads:
        function = module.functions[name]
        used = {
            each.name
            for block in function.blocks
            for item in (*block.instructions, block.end)
            for each in operands(item)
            if isinstance(each, ir.Value)
        }
        for block in function.blocks:
            for item in block.instructions:
                is_join = isinstance(item, ir.Call) and item.callee == ir.FunctionAddress(f"{PREFIX}join")
                if is_join and isinstance(item, ir.Call) and item.results[0].name in used:
                    first = 0 if names_main(module) else 1
                    return {at: f"{each}.result" for at, each in enumerate(module.threads) if at >= first}
    return {}
