"""Replaces calls by the blocks of the function that is called.

Calls of functions that may call themselves, directly or through others, stay; so do those of functions that
are not defined or take a variable number of arguments. The places of inlined instructions know where the call
was. Every execution of an inlined `slot` is a new variable. A function is simplified before it is inlined
into others: most of what the standard libraries of C++ and Rust do then vanishes before it is copied.
"""

from __future__ import annotations

from collections.abc import Mapping

from membar.code import ir
from membar.code.passes import Pass
from membar.code.passes.fold_constants import fold_function
from membar.code.passes.promote_locals import promote_locals_of
from membar.code.rewrite import with_operands, with_targets
from membar.code.structure import operands, reachable
from membar.records import field, record, replace

ENTRY = "main"
_OF_LIBRARY = "__mb_end_of_"  # what the library does at the end of a thread, and the like


def inline_calls(module: ir.Module) -> ir.Module:
    """The module with calls inlined; functions that nothing names any longer are left out."""
    module = _without_unnamed(module)
    recursive = recursive_functions(module, *module.functions)
    inlined: dict[str, ir.Function] = {}
    for name in _callees_first(module):
        function = module.functions[name]
        if function.blocks:
            whole = _Inliner(inlined, recursive, function).run()
            function = fold_function(promote_locals_of(whole, module.pointer_bits), module)
        inlined[name] = function
    return _without_unnamed(replace(module, functions={name: inlined[name] for name in module.functions}))


def _without_unnamed(module: ir.Module) -> ir.Module:
    """The module without the functions and constants that `main`, the library or a variable cannot reach."""
    if ENTRY not in module.functions:
        return module
    todo = [name for name in module.functions if name == ENTRY or name.startswith(_OF_LIBRARY)]
    todo += [name for name, item in module.objects.items() if not item.is_constant]
    named: set[str] = set()
    while todo:
        name = todo.pop()
        if name in named:
            continue
        named.add(name)
        if name in module.functions:
            todo += [
                operand.name
                for block in module.functions[name].blocks
                for item in (*block.instructions, block.end)
                for operand in operands(item)
                if isinstance(operand, ir.FunctionAddress | ir.ObjectAddress)
            ]
        if name in module.objects:
            todo += [target.name for _, target in module.objects[name].addresses]
    functions = {name: item for name, item in module.functions.items() if name in named}
    objects = {name: item for name, item in module.objects.items() if name in named}
    return replace(module, functions=functions, objects=objects)


def inline_into(function: ir.Function, module: ir.Module) -> ir.Function:
    """A function with its calls inlined, where those of all others are already."""
    functions = {**module.functions, function.name: function}
    recursive = recursive_functions(replace(module, functions=functions), function.name)
    return _Inliner(dict(module.functions), recursive, function).run()


def inline_calls_of(function: ir.Function, bodies: Mapping[str, ir.Function], level: int) -> ir.Function:
    """A function with its calls of these functions inlined, but not those that their bodies make.

    `level` tells apart what is inlined into one function in several steps.
    """
    return _Inliner(dict(bodies), frozenset(), function, mark=f"~{level}").run()


def _calls(function: ir.Function) -> list[str]:
    return [
        item.callee.name
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionAddress)
    ]


def _callees_first(module: ir.Module) -> list[str]:
    """The functions, each after those it calls where that is possible."""
    done: list[str] = []
    seen: set[str] = set()
    for root in module.functions:
        stack = [(root, iter(_calls(module.functions[root])))] if root not in seen else []
        seen.add(root)
        while stack:
            name, rest = stack[-1]
            callee = next((item for item in rest if item in module.functions and item not in seen), None)
            if callee is None:
                stack.pop()
                done.append(name)
            else:
                seen.add(callee)
                stack.append((callee, iter(_calls(module.functions[callee]))))
    return done


def recursive_functions(module: ir.Module, *roots: str) -> frozenset[str]:
    """Of the functions that these call, or others that they call, those that can reach themselves."""
    functions = module.functions
    reach: dict[str, set[str]] = {}
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in reach:
            reach[name] = set(_calls(functions[name])) & functions.keys()
            todo += reach[name]
    changed = True
    while changed:
        changed = False
        for found in reach.values():
            further = set[str]().union(*(reach[callee] for callee in found)) - found
            if further:
                found.update(further)
                changed = True
    return frozenset(name for name, found in reach.items() if name in found)


@record(eq=False)
class _Inliner:
    """Inlines the calls of one function."""

    inlined: dict[str, ir.Function]
    recursive: frozenset[str]
    function: ir.Function
    number: int = 0
    mark: str = ""

    def run(self) -> ir.Function:
        blocks = [done for block in self.function.blocks for done in self._blocks(block)]
        return replace(self.function, blocks=tuple(reachable(blocks)))

    def _blocks(self, block: ir.Block) -> list[ir.Block]:
        """A block, cut at each call that is inlined, with the bodies in between."""
        done: list[ir.Block] = []
        name, parameters = block.name, block.parameters
        instructions: list[ir.Instruction] = []
        for item in block.instructions:
            callee = self._callee(item)
            if callee is None or not isinstance(item, ir.Call):
                instructions.append(item)
                continue
            self.number += 1
            prefix = f"{callee.name}{self.mark}/{self.number}"  # no name of LLVM IR has a slash
            call, copies = _with_copies(item, callee, prefix)
            instructions += copies
            body = _Body(callee, prefix, call).blocks()
            enter = ir.Jump(target=ir.Goto(body[0].name), place=item.place)
            done.append(
                ir.Block(name=name, parameters=parameters, instructions=tuple(instructions), end=enter)
            )
            done += body
            name, parameters, instructions = prefix, item.results, []
        done.append(
            ir.Block(name=name, parameters=parameters, instructions=tuple(instructions), end=block.end)
        )
        return done

    def _callee(self, item: ir.Instruction) -> ir.Function | None:
        """The function whose body replaces a call; None if it stays."""
        if not isinstance(item, ir.Call) or not isinstance(item.callee, ir.FunctionAddress):
            return None
        found = self.inlined.get(item.callee.name)
        if found is None or not found.blocks or found.name in self.recursive:
            return None
        fits = [each.type for each in item.arguments] == [each.type for each in found.parameters]
        return found if fits and not found.is_variadic and len(item.results) == len(found.results) else None


def _with_copies(call: ir.Call, callee: ir.Function, prefix: str) -> tuple[ir.Call, list[ir.Instruction]]:
    """A call with copies of the structures that it passes by value: the callee may change them."""
    arguments, done = list(call.arguments), list[ir.Instruction]()
    for number, size in callee.by_value:
        copy = ir.Value(f"{prefix}/by_value.{number}", ir.PTR)
        length = ir.Constant(size, ir.Int(64))
        done.append(ir.Slot(result=copy, size=size, align=16, place=call.place))
        done.append(ir.Copy(target=copy, source=arguments[number], length=length, place=call.place))
        arguments[number] = copy
    return (replace(call, arguments=tuple(arguments)) if done else call), done


@record(eq=False)
class _Body:
    """The blocks of a function for one call: names, places and returns are those of the call."""

    function: ir.Function
    prefix: str
    call: ir.Call
    places: dict[int, ir.Place | None] = field(default_factory=dict)  # by identity: most are shared

    def blocks(self) -> list[ir.Block]:
        given: dict[str, ir.Operand] = {
            parameter.name: argument
            for parameter, argument in zip(self.function.parameters, self.call.arguments, strict=True)
        }

        def rename(operand: ir.Operand) -> ir.Operand:
            if not isinstance(operand, ir.Value):
                return operand
            found = given.get(operand.name)
            if found is None:
                found = given[operand.name] = ir.Value(f"{self.prefix}/{operand.name}", operand.type)
            return found

        def retarget(target: ir.Goto) -> ir.Goto:
            return replace(target, block=f"{self.prefix}/{target.block}")

        done = []
        unmarked = _unmarked_slots(self.function)
        for block in self.function.blocks:
            end = with_operands(block.end, rename, place=self._place(block.end.place))
            instructions = _with_lifetimes(block, unmarked)
            if isinstance(end, ir.Return):
                jump = ir.Goto(self.prefix, end.values)
                end = ir.Jump(target=jump, place=end.place)
            else:
                end = with_targets(end, retarget)
            parameters = [rename(value) for value in block.parameters]
            done.append(
                ir.Block(
                    name=f"{self.prefix}/{block.name}",
                    parameters=tuple(item for item in parameters if isinstance(item, ir.Value)),
                    instructions=tuple(
                        with_operands(item, rename, place=self._place(item.place)) for item in instructions
                    ),
                    end=end,
                )
            )
        return done

    def _place(self, place: ir.Place | None) -> ir.Place | None:
        """A place of the function, which keeps it alive, with the call at the end of its chain."""
        if place is None:
            return None
        found = self.places.get(id(place))
        if found is None:
            caller = self.call.place if place.caller is None else self._place(place.caller)
            found = self.places[id(place)] = replace(place, caller=caller)
        return found


def _unmarked_slots(function: ir.Function) -> list[ir.Value]:
    """The variables whose lifetime the compiler does not mark, such as parameters: it is that of the call."""
    items = [item for block in function.blocks for item in block.instructions]
    marked = {item.slot for item in items if isinstance(item, ir.Lifetime)}
    return [item.result for item in items if isinstance(item, ir.Slot) and item.result not in marked]


def _with_lifetimes(block: ir.Block, slots: list[ir.Value]) -> list[ir.Instruction]:
    """The instructions of a block, with marks for these variables."""
    done: list[ir.Instruction] = []
    for item in block.instructions:
        done.append(item)
        if isinstance(item, ir.Slot) and item.result in slots:
            done.append(ir.Lifetime(slot=item.result, begins=True, place=item.place))
    if isinstance(block.end, ir.Return):
        done += [ir.Lifetime(slot=slot, begins=False, place=block.end.place) for slot in slots]
    return done


PASS = Pass(
    name="inline_calls",
    purpose="replaces calls by the blocks of the function that is called",
    run=inline_calls,
)
