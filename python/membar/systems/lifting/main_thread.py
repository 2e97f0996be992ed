"""The thread that creates the others: it may initialise memory and wait."""

from __future__ import annotations

from membar.program.expr import TRUE, Address, Constant, Expr
from membar.program.operations import Assume, Fence, Join, Rmw, Set, Spawn, Store
from membar.program.program import Edge, MemoryObject, Program, Thread, Value
from membar.program.template import Template
from membar.records import replace
from membar.systems.lifting.values import refusal

_CODE = "W1202"


def initial_words(template: Template) -> Program:
    """The program as the copies find it: with the initial stores of other threads.

    Raises:
        InputError: another thread does more than store constants, start the copies once and wait for them.
    """
    program = template.program
    for thread in program.threads:
        if thread.name != template.copied:
            program = _after(program, thread, template)
    return program


def _after(program: Program, thread: Thread, template: Template) -> Program:
    point, has_started = thread.entry, False
    if not thread.started:
        raise refusal("a thread other than the replicated ones", thread.span, code=_CODE)
    for _ in thread.edges:
        leaving = thread.outgoing.get(point, ())
        if not leaving:
            break
        edge = leaving[0]
        if len(leaving) > 1 or edge.guard != TRUE:
            raise refusal(f"a branch in `{thread.name}`, which starts the threads", edge.span, code=_CODE)
        for operation in edge.operations:
            match operation:
                case (
                    Store(address=address, value=value)
                    | Rmw(address=address, value=value, condition=Constant(1))
                ) if not has_started:
                    program = _with_initial_value(program, address, value, edge, template)
                case Spawn(thread=name) if name == template.copied and not has_started:
                    has_started = True
                case Join() | Set() | Fence():
                    pass
                case Assume(condition=condition) if condition == TRUE:
                    pass
                case _:
                    when = "while its threads run" if has_started else "before it starts its threads"
                    raise refusal(
                        f"`{thread.name}` does other work {when}",
                        edge.span,
                        code=_CODE,
                    )
        point = edge.target
    if not has_started:
        raise refusal(f"`{thread.name}` does not start the threads", thread.span, code=_CODE)
    return program


def _with_initial_value(
    program: Program, address: Expr, value: Expr, edge: Edge, template: Template
) -> Program:
    if (
        isinstance(address, Address)
        and isinstance(value, Constant)
        and address.name not in template.per_thread
    ):
        item = program.object(address.name)
        at, rest = divmod(address.offset, item.size)
        if not rest and 0 <= at < item.count:
            changed = _with(item, at, value.value)
            objects = tuple(changed if one is item else one for one in program.objects)
            return replace(program, objects=objects)
    raise refusal(
        "a store with unknown address or value, before the threads are created", edge.span, code=_CODE
    )


def _with(item: MemoryObject, at: int, word: int) -> MemoryObject:
    words: list[Value] = [*item.initial, *([0] * (item.count - len(item.initial)))]
    words[at] = word
    return replace(item, initial=tuple(words))
