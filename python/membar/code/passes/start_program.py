"""Gives the program its beginning and its end: constructors, arguments of `main`, what follows its return.

The new `main` calls the one of the source. Where the arguments are not said, the program runs without any; if
`main` uses them, the other ways to run it are cut, so that no HOLDS covers them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from membar.code import ir
from membar.code.checks import Checks
from membar.code.primitives import PREFIX, USE
from membar.code.structure import operands
from membar.program.operations import NONZERO_RETURN
from membar.records import replace

ENTRY = "main"
END_OF_PROCESS, END_OF_LOCALS = "__mb_end_of_process", "__mb_end_of_locals"
_BODY = "main.body"
_LIST, _WORD = "arguments@program", "string@program"
_CHOOSE = ir.FunctionAddress(f"{PREFIX}choose")
_EXITS = "exits"
_DESTRUCTORS = "destructors@program"
_DESTROY = ir.Call(results=(), callee=ir.FunctionAddress(_DESTRUCTORS), arguments=())


def start_program(module: ir.Module, words: tuple[str, ...] | None, name: str) -> ir.Module:
    """The module with a `main` that does what comes before and after the program's own.

    Args:
        module: linked, before calls are inlined.
        words: what the program is run with; None if that is not said.
        name: what it is called, its first argument.
    """
    body = replace(module.functions[ENTRY], name=_BODY)
    return _Start(module, body, words, name).run()


class _Start:
    def __init__(
        self, module: ir.Module, body: ir.Function, words: tuple[str, ...] | None, name: str
    ) -> None:
        self.module, self.body, self.words, self.name = module, body, words, name
        self.checks = Checks(module)
        self.objects = dict(module.objects)

    def run(self) -> ir.Module:
        constructors = [self.module.functions[name] for name in self.module.constructors]
        is_open = self.words is None and any(map(uses_arguments, (self.body, *constructors)))
        if is_open:
            self.body = _with_places_of_results(self.body)
        run = replace(self._call(self.body), place=self.body.place)
        instructions: list[ir.Instruction] = [*map(self._call, constructors), run]
        if END_OF_LOCALS in self.module.functions:
            instructions.append(ir.Call(results=(), callee=ir.FunctionAddress(END_OF_LOCALS), arguments=()))
        if END_OF_PROCESS in self.module.functions:
            instructions.append(ir.Call(results=(), callee=ir.FunctionAddress(END_OF_PROCESS), arguments=()))
        if self.module.destructors:
            instructions.append(_DESTROY)
        if run.results:
            instructions += self._check_status(run.results[0])
        blocks = [ir.Block(name="run", instructions=tuple(instructions), end=ir.Return())]
        if is_open:
            blocks[:0] = self._one_way()
        main = ir.Function(name=ENTRY, parameters=(), results=(), blocks=tuple(blocks), place=self.body.place)
        functions = {**self.module.functions, ENTRY: main, _BODY: self.body}
        if self.module.destructors:
            functions[_DESTRUCTORS] = self._destroy_variables()
            functions |= {name: _with_destructors(functions[name]) for name in ("exit",) if name in functions}
        done = replace(
            self.module,
            functions=functions,
            objects=self.objects,
            constructors=(),
            destructors=(),
            lacks_arguments=is_open,
        )
        return self.checks.added_to(done)

    def _destroy_variables(self) -> ir.Function:
        """The destructors of global variables, that of the last one first, and then those of the linker."""
        in_order = sorted(self.module.destructors, key=lambda each: each[1] is not None)
        calls = tuple(
            self._call(self.module.functions[function.name])
            if argument is None and isinstance(function, ir.FunctionAddress)
            else ir.Call(results=(), callee=function, arguments=(argument,) if argument else (), place=place)
            for function, argument, place in reversed(in_order)
        )
        block = ir.Block(name="destroy", instructions=calls, end=ir.Return())
        return ir.Function(name=_DESTRUCTORS, parameters=(), results=(), blocks=(block,))

    def _call(self, function: ir.Function) -> ir.Call:
        """The call of a function that the system makes; constructors get the arguments of `main`, too."""
        return ir.Call(
            results=tuple(
                ir.Value(f"{function.name}.{at}", each) for at, each in enumerate(function.results)
            ),
            callee=ir.FunctionAddress(function.name),
            arguments=tuple(self._arguments(function)),
        )

    def _arguments(self, function: ir.Function) -> Iterator[ir.Operand]:
        words = (self.name, *(self.words or ()))
        for at, parameter in enumerate(function.parameters):
            if at == 0:
                yield ir.Constant(len(words), parameter.type)
            elif at == 1:
                yield self._list(words)
            else:
                yield ir.Constant(0, parameter.type)

    def _list(self, words: tuple[str, ...]) -> ir.ObjectAddress:
        """The addresses of the words, and a null pointer after them."""
        size = self.module.pointer_bits // 8
        addresses = []
        for at, word in enumerate(words):
            name, content = f"{_WORD}.{at}", word.encode() + b"\0"
            self.objects[name] = ir.Object(
                name=name, size=len(content), align=1, content=content, is_hidden=True
            )
            addresses.append((at * size, ir.ObjectAddress(name)))
        length = (len(words) + 1) * size
        self.objects[_LIST] = ir.Object(
            name=_LIST,
            size=length,
            align=size,
            content=bytes(length),
            addresses=tuple(addresses),
            is_hidden=True,
        )
        return ir.ObjectAddress(_LIST)

    def _one_way(self) -> list[ir.Block]:
        """Other arguments than none are not followed."""
        word, is_other = ir.Value("others", ir.Int(64)), ir.Value("is_other", ir.BOOL)
        low, high = ir.Constant(0, ir.Int(64)), ir.Constant(1, ir.Int(64))
        place = self.body.place
        return [
            ir.Block(
                name="begin",
                instructions=(
                    ir.Call(results=(word,), callee=_CHOOSE, arguments=(low, high), place=place),
                    ir.Compute(result=is_other, operation="ne", operands=(word, low), place=place),
                ),
                end=ir.Branch(condition=is_other, then=ir.Goto("other"), otherwise=ir.Goto("run")),
            ),
            ir.Block(
                name="other",
                instructions=(self.checks.cut("arguments of the program", place),),
                end=ir.Unreachable(place=place),
            ),
        ]

    def _check_status(self, status: ir.Value) -> list[ir.Instruction]:
        is_zero = ir.Value("is_zero", ir.BOOL)
        zero = ir.Constant(0, status.type)
        return [
            ir.Compute(result=is_zero, operation="eq", operands=(status, zero), place=self.body.place),
            self.checks.check(is_zero, NONZERO_RETURN, self.body.place, _EXITS),
        ]


def _with_destructors(function: ir.Function) -> ir.Function:
    """`exit`, with the destructors of global variables after the functions given to `atexit`."""
    first, *others = function.blocks
    items = list(first.instructions)
    ends = [
        at
        for at, item in enumerate(items)
        if isinstance(item, ir.Call) and item.callee == ir.FunctionAddress(END_OF_PROCESS)
    ]
    items.insert(ends[-1] + 1 if ends else 0, _DESTROY)
    return replace(function, blocks=(replace(first, instructions=tuple(items)), *others))


def uses_arguments(main: ir.Function) -> bool:
    """Whether `main` uses its arguments."""
    given = {item.name for item in main.parameters}
    items = [item for block in main.blocks for item in (*block.instructions, block.end)]
    used = {each for item in items for each in operands(item)}
    uses = Counter(
        each
        for item in items
        if not isinstance(item, ir.Lifetime)
        and not (isinstance(item, ir.Load) and item.result not in used)  # `(void)argc`
        for each in set(operands(item))
    )

    def is_kept(item: ir.Instruction | ir.Terminator) -> bool:
        """Whether it stores to a variable that nothing else uses: so clang keeps a parameter."""
        return isinstance(item, ir.Store) and isinstance(item.address, ir.Value) and uses[item.address] == 1

    return any(
        isinstance(each, ir.Value) and each.name in given
        for item in items
        if not is_kept(item)
        for each in operands(item)
    )


def _with_places_of_results(main: ir.Function) -> ir.Function:
    """`main` with an instruction that keeps the place of each of its `return` statements."""
    loaded = {
        item.result: item.address
        for block in main.blocks
        for item in block.instructions
        if isinstance(item, ir.Load)
    }
    returned = {
        value
        for block in main.blocks
        if isinstance(block.end, ir.Return)
        for value in block.end.values
        if isinstance(value, ir.Value)
    }
    slots = {loaded[value] for value in returned if value in loaded}
    blocks = []
    for block in main.blocks:
        instructions: list[ir.Instruction] = []
        for item in block.instructions:
            instructions.append(item)
            if isinstance(item, ir.Store) and item.address in slots and item.place is not None:
                instructions.append(_use_result(item.value, item.place))
        if isinstance(block.end, ir.Return):
            instructions += [
                _use_result(each, block.end.place)
                for each in block.end.values
                if not (isinstance(each, ir.Value) and loaded.get(each) in slots)
            ]
        blocks.append(replace(block, instructions=tuple(instructions)))
    return replace(main, blocks=tuple(blocks))


def _use_result(value: ir.Operand, place: ir.Place | None) -> ir.Call:
    return ir.Call(results=(), callee=USE, arguments=(value,), place=place)
