"""Gives each thread that is started a function of its own.

A thread is one call of `__membar_spawn`: its function is a copy in which the argument is known, if it is a
constant, or else read from a cell that the starting thread writes before. The call keeps only the new
function; its result, the number of the thread, is a constant. The copies are simplified by the passes before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from membar.code import ir
from membar.code.loops import natural_loops
from membar.code.lowering.refusal import NotSupportedError
from membar.code.memory_handed_to_threads import Contents, handed_contents, with_contents
from membar.code.passes.inline_calls import inline_into
from membar.code.primitives import ARGUMENT, ME, PREFIX, SPAWN, SPAWN_COPIES
from membar.code.rewrite import with_operands_in, with_values
from membar.code.structure import operands, results
from membar.code.thread_lifetimes import with_ends
from membar.records import replace

if TYPE_CHECKING:
    from membar.code.linear import AnyNumber

ENTRY = "main"
MOST_THREADS = 1000
_ROOM_ALIGN = 16
END_OF_THREAD = "__mb_end_of_thread"
_SELF = ir.FunctionAddress(f"{PREFIX}self")
Simplify = Callable[[ir.Module, str], ir.Module]
"""Simplifies the function of one thread, which learns its number (`with_own_number`)."""


def spawn_threads(module: ir.Module, simplify: Simplify, any_number: AnyNumber | None = None) -> ir.Module:
    """The module with one function for each thread, `main` first, in `threads`.

    Where `main` starts any number of threads (`any_number`), one of these functions is that of all of them.

    Raises:
        NotSupportedError: a thread is started in a loop that stays a loop, or its function is not known.
    """
    module = replace(module, threads=(ENTRY,))
    if any_number is not None:
        from membar.code.passes.replicate_threads import replicate_threads  # noqa: PLC0415 - few programs

        module = replicate_threads(module, any_number)
    number = 0
    handed: dict[str, Contents] = {}
    while number < len(module.threads):
        name = module.threads[number]
        module = simplify(module, name)
        if handed.get(name):
            module = _with_handed_memory(module, name, handed[name], simplify)
        spawning = _Spawning(module, number)
        module = spawning.run()
        handed.update(spawning.handed)
        number += 1
    return _with_own_variables(module)


def _with_handed_memory(module: ir.Module, name: str, contents: Contents, simplify: Simplify) -> ir.Module:
    """The module in which one thread knows what is in the memory that it was started with."""
    function = module.functions[name]
    inbox = ir.ObjectAddress(f"{name}.argument")
    given = [
        item.result.name
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Load) and item.address == inbox
    ]
    if len(given) != 1:
        return module
    done = with_contents(module, function, given[0], contents)
    if done is function:
        return module
    return simplify(replace(module, functions={**module.functions, name: done}), name)


def with_own_number(module: ir.Module, name: str) -> ir.Module:
    """The module in which one thread knows its number."""
    function, number = module.functions[name], module.threads.index(name)
    known: dict[str, ir.Operand] = {}
    blocks = []
    for block in function.blocks:
        kept: list[ir.Instruction] = []
        for item in block.instructions:
            if isinstance(item, ir.Call) and item.callee == _SELF and function.name == module.copied:
                me = ir.Value(f"{item.results[0].name}.me", item.results[0].type)
                first = ir.Constant(number, me.type)
                kept += [
                    ir.Call(results=(me,), callee=ME, arguments=(), place=item.place),
                    ir.Compute(
                        result=item.results[0], operation="add", operands=(me, first), place=item.place
                    ),
                ]
            elif isinstance(item, ir.Call) and item.callee == _SELF:
                known[item.results[0].name] = ir.Constant(number, item.results[0].type)
            else:
                kept.append(item)
        blocks.append(replace(block, instructions=tuple(kept)))
    done = replace(function, blocks=tuple(with_values(blocks, known)))
    return replace(module, functions={**module.functions, function.name: done})


def _with_own_variables(module: ir.Module) -> ir.Module:
    """The module with thread-local variables as one object for each thread."""
    functions, objects = dict(module.functions), dict(module.objects)

    def own(operand: ir.Operand, thread: str) -> ir.Operand:
        if not isinstance(operand, ir.ObjectAddress) or not module.objects[operand.name].is_thread_local:
            return operand
        name = f"{operand.name}@{thread}"
        objects[name] = replace(module.objects[operand.name], name=name, is_thread_local=False)
        return replace(operand, name=name)

    for name in module.threads:
        before = set(objects)
        blocks = [
            with_operands_in(block, lambda operand, name=name: own(operand, name))  # type: ignore[misc]
            for block in functions[name].blocks
        ]
        ended = [ir.ObjectAddress(each) for each in objects if each not in before]
        done = [with_ends(block, ended, is_main=name == ENTRY) for block in blocks]
        functions[name] = replace(functions[name], blocks=tuple(done))
    return replace(module, functions=functions, objects=objects)


def _takes_argument(function: ir.Function) -> bool:
    """Whether a function can be started with a pointer: its parameter, if any, is passed like one."""
    taken = [parameter.type for parameter in function.parameters]
    return not taken or (len(taken) == 1 and isinstance(taken[0], ir.Int | ir.Ptr))


class _Spawning:
    """Replaces the calls that one thread starts others with."""

    def __init__(self, module: ir.Module, number: int) -> None:
        self.function = module.functions[module.threads[number]]
        self.module = module
        self.functions = dict(module.functions)
        self.objects = dict(module.objects)
        self.threads = list(module.threads)
        self.numbers: dict[str, ir.Operand] = {}
        self.copied = module.copied
        self.handed: dict[str, Contents] = {}

    def run(self) -> ir.Module:
        repeated = {name for loop in natural_loops(self.function.blocks) for name in loop.blocks}
        blocks = []
        for block in self.function.blocks:
            instructions: list[ir.Instruction] = []
            for item in block.instructions:
                if isinstance(item, ir.Call) and item.callee == ARGUMENT:
                    if block.name in repeated:
                        message = "a thread or channel made in a loop whose number of iterations is not known"
                        raise NotSupportedError(message, item.place)
                    self._make_room(item)
                elif isinstance(item, ir.Call) and item.callee in (SPAWN, SPAWN_COPIES):
                    if block.name in repeated:
                        message = "a thread is started in a loop whose number of iterations is not known"
                        raise NotSupportedError(message, item.place)
                    instructions += self._start(item)
                else:
                    instructions.append(item)
            blocks.append(replace(block, instructions=tuple(instructions)))
        done = replace(self.function, blocks=tuple(with_values(blocks, self.numbers)))
        self.functions[done.name] = done
        return replace(
            self.module,
            functions=self.functions,
            objects=self.objects,
            threads=tuple(self.threads),
            copied=self.copied,
        )

    def _start(self, call: ir.Call) -> Sequence[ir.Instruction]:
        target, argument = call.arguments
        if not isinstance(target, ir.FunctionAddress) or not self.functions[target.name].blocks:
            raise NotSupportedError("the function that a new thread calls is not known", call.place)
        if not _takes_argument(self.functions[target.name]):
            message = f"`{target.name}` takes other arguments than the one of a new thread"
            raise NotSupportedError(message, call.place)
        number = len(self.threads)
        if number >= MOST_THREADS:
            raise NotSupportedError(f"more than {MOST_THREADS} threads", call.place)
        name = self._free_name(target.name)
        self.threads.append(name)
        for result in call.results:
            self.numbers[result.name] = ir.Constant(number, result.type)
        before: list[ir.Instruction] = []
        first: list[ir.Instruction] = []
        function = self.functions[target.name]
        if call.callee == SPAWN_COPIES:
            self.copied = name
            first += self._computing(argument)
        elif isinstance(argument, ir.Value) and argument.name in self.numbers:
            argument = self.numbers[argument.name]
        elif function.parameters and isinstance(argument, ir.Value):
            self.handed[name] = handed_contents(self.module, self.function, call)
            inbox, align = self._argument_object(name), self.module.pointer_bits // 8
            before.append(ir.Store(value=argument, address=inbox, align=align, place=call.place))
            argument = ir.Value("argument", argument.type)
            first.append(ir.Load(result=argument, address=inbox, align=align, place=call.place))
        self.functions[name] = self._start_function(name, function, first, argument)
        return (*before, replace(call, callee=SPAWN, results=(), arguments=(ir.FunctionAddress(name),)))

    def _make_room(self, call: ir.Call) -> None:
        """Memory for what a thread is started with, or the like: an object that is nothing else."""
        (size,) = call.arguments
        if not isinstance(size, ir.Constant):
            raise NotSupportedError(
                "the size of the argument that is passed to a new thread is not known", call.place
            )
        (result,) = call.results
        name, number = "start", 1
        while name in self.objects:
            number += 1
            name = f"start#{number}"
        self.objects[name] = ir.Object(
            name=name,
            size=size.value,
            align=_ROOM_ALIGN,
            content=bytes(size.value),
            unset=((0, size.value),) if size.value else (),
            is_hidden=True,
        )
        self.numbers[result.name] = ir.ObjectAddress(name)

    def _computing(self, argument: ir.Operand) -> list[ir.Instruction]:
        """What computes the argument of all copies, as `replicate_threads` leaves it, in order."""
        needed, found = {argument}, list[ir.Instruction]()
        for block in self.function.blocks:
            for item in reversed(block.instructions):
                if needed.intersection(results(item)):
                    needed.update(operands(item))
                    found.insert(0, item)
        return found

    def _start_function(
        self, name: str, function: ir.Function, first: list[ir.Instruction], argument: ir.Operand
    ) -> ir.Function:
        """What a thread runs: the function, then what the library does at the end of a thread."""
        lock_release_tags = tuple(
            ir.Value(f"result.{at}", type_) for at, type_ in enumerate(function.results)
        )
        callee = ir.FunctionAddress(function.name)
        given = (argument,) if function.parameters else ()
        if function.parameters and isinstance(function.parameters[0].type, ir.Int):
            converting, number = self._as_integer(argument, function.parameters[0].type)
            first, given = [*first, *converting], (number,)
        instructions = [*first, ir.Call(results=lock_release_tags, callee=callee, arguments=given)]
        if END_OF_THREAD in self.functions:
            instructions.append(ir.Call(results=(), callee=ir.FunctionAddress(END_OF_THREAD), arguments=()))
        block = ir.Block(
            name="start", instructions=tuple(instructions), end=ir.Return(values=lock_release_tags)
        )
        start = ir.Function(
            name=name, parameters=(), results=function.results, blocks=(block,), place=function.place
        )
        return inline_into(start, replace(self.module, functions=self.functions))

    def _as_integer(self, argument: ir.Operand, type_: ir.Int) -> tuple[list[ir.Instruction], ir.Operand]:
        """What a function that takes an integer finds in the register of a pointer: its lowest bits."""
        width = self.module.pointer_bits
        word = ir.Value("argument.word", ir.Int(width))
        number = ir.Value("argument.number", type_)
        converting: list[ir.Instruction] = [
            ir.Compute(result=word, operation="ptrtoint", operands=(argument,)),
            ir.Compute(result=number, operation="trunc", operands=(word,)),
        ]
        return (converting, number) if type_.bits < width else (converting[:1], word)

    def _free_name(self, function: str) -> str:
        """`worker#1`, `worker#2`, …; no function of the source has such a name."""
        number = 1
        while f"{function}#{number}" in self.functions:
            number += 1
        return f"{function}#{number}"

    def _argument_object(self, thread: str) -> ir.ObjectAddress:
        size = self.module.pointer_bits // 8
        name = f"{thread}.argument"
        self.objects[name] = ir.Object(name=name, size=size, align=size, content=bytes(size), is_hidden=True)
        return ir.ObjectAddress(name)
