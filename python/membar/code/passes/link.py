"""Makes one module of several: each file's own names apart, every declaration with its definition.

Definitions that may occur in several files (inline functions, weak ones) must be the same, or one of them
strong. A second strong definition and a call whose types differ from the definition are errors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from membar.code import ir
from membar.code.rewrite import with_operands_in
from membar.code.structure import operands
from membar.diagnostics import InputError
from membar.records import replace

Refuse = Callable[[str, ir.Place | None], InputError]
Definition = TypeVar("Definition", ir.Function, ir.Object)


def link(modules: Sequence[ir.Module], refuse: Refuse, library: Collection[str] = ()) -> ir.Module:
    """One module; `refuse` makes an error at a place. Calls of `library` functions are made to fit later.

    Raises:
        InputError: definitions contradict one another, or calls contradict definitions.
    """
    apart = _with_own_names(modules)
    functions: dict[str, ir.Function] = {}
    objects: dict[str, ir.Object] = {}
    for before, module in zip(modules, apart, strict=True):
        _check_layout(before, modules[0], refuse)
        for name, function in module.functions.items():
            functions[name] = _choose(functions.get(name), function, refuse)
        for name, item in module.objects.items():
            objects[name] = _choose(objects.get(name), item, refuse)
    _check_objects(modules, objects, refuse)
    linked = ir.Module(
        functions=dict(sorted(functions.items())),
        objects=dict(sorted(objects.items())),
        constructors=tuple(name for module in apart for name in module.constructors),
        destructors=tuple(found for module in apart for found in module.destructors),
        handlers=tuple(place for module in modules for place in module.handlers),
        partly_checked=tuple(dict.fromkeys(part for module in modules for part in module.partly_checked)),
        allocated={place: found for module in modules for place, found in module.allocated.items()},
        is_kernel=any(module.is_kernel for module in modules),
        is_rust=any(module.is_rust for module in modules),
        pointer_bits=modules[0].pointer_bits,
        is_little_endian=modules[0].is_little_endian,
    )
    _check_calls(linked, refuse, library)
    return linked


def rename(module: ir.Module, functions: Mapping[str, str], objects: Mapping[str, str]) -> ir.Module:
    """The module with other names for some of its functions and objects."""

    def change(operand: ir.Operand) -> ir.Operand:
        if isinstance(operand, ir.FunctionAddress) and operand.name in functions:
            return replace(operand, name=functions[operand.name])
        if isinstance(operand, ir.ObjectAddress) and operand.name in objects:
            return replace(operand, name=objects[operand.name])
        return operand

    def address(target: ir.ObjectAddress | ir.FunctionAddress) -> ir.ObjectAddress | ir.FunctionAddress:
        found = change(target)
        assert isinstance(found, ir.ObjectAddress | ir.FunctionAddress)
        return found

    def function(item: ir.Function) -> ir.Function:
        blocks = tuple(with_operands_in(block, change) for block in item.blocks)
        return replace(item, name=functions.get(item.name, item.name), blocks=blocks)

    def variable(item: ir.Object) -> ir.Object:
        addresses = tuple((at, address(target)) for at, target in item.addresses)
        place = item.lies_at
        if place is not None and place.name in objects:
            place = replace(place, name=objects[place.name])
        name = objects.get(item.name, item.name)
        return replace(item, name=name, addresses=addresses, lies_at=place)

    return replace(
        module,
        functions={found.name: found for item in module.functions.values() for found in (function(item),)},
        objects={found.name: found for item in module.objects.values() for found in (variable(item),)},
        constructors=tuple(functions.get(name, name) for name in module.constructors),
        destructors=tuple(
            (change(each), argument and change(argument), at) for each, argument, at in module.destructors
        ),
    )


def _with_own_names(modules: Sequence[ir.Module]) -> list[ir.Module]:
    """The modules with other names for what is local to a file and has a name that occurs in another one."""
    functions = _local_names([module.functions for module in modules])
    objects = _local_names([module.objects for module in modules])
    return [rename(*parts) for parts in zip(modules, functions, objects, strict=True)]


def _local_names(files: Sequence[Mapping[str, Definition]]) -> list[dict[str, str]]:
    """For each file the other names that it needs; the first one that has a name keeps it."""
    taken = {name for file in files for name, item in file.items() if item.binding != "local"}
    found: list[dict[str, str]] = []
    for number, file in enumerate(files):
        local = {name for name, item in file.items() if item.binding == "local"}
        found.append({name: f"{name}@{number}" for name in local & taken})
        taken |= local
    return found


def _choose(
    known: Definition | None,
    new: Definition,
    refuse: Refuse,
) -> Definition:
    """Which of two definitions or declarations counts."""
    if known is None:
        return new
    if not _is_defined(new):
        return known
    if not _is_defined(known) or (known.binding == "weak" and new.binding == "strong"):
        return new
    if new.binding == "weak" and known.binding == "strong":
        return known
    if new.binding == "weak" and known == new:
        return known
    if new.binding == known.binding == "weak":
        raise refuse(f"`{new.name}` has different definitions, here and {_where(known.place)}", new.place)
    found = refuse(f"`{new.name}` is defined twice, here and {_where(known.place)}", new.place)
    advice = "the files were linked into one program; if they are several, check them one at a time"
    raise InputError(*(replace(item, help=advice) for item in found.diagnostics))


def _is_defined(item: ir.Function | ir.Object) -> bool:
    return bool(item.blocks) if isinstance(item, ir.Function) else item.content is not None


def _where(place: ir.Place | None) -> str:
    return "in another file" if place is None else f"at {place.file}:{place.line}"


def _check_layout(module: ir.Module, first: ir.Module, refuse: Refuse) -> None:
    if (module.pointer_bits, module.is_little_endian) != (first.pointer_bits, first.is_little_endian):
        raise refuse("the files are compiled for different processors", None)


def _check_objects(modules: Sequence[ir.Module], objects: Mapping[str, ir.Object], refuse: Refuse) -> None:
    """A variable of the program must be as large as its declarations say."""
    for module in modules:
        for name, item in module.objects.items():
            found = objects.get(name)
            if found is None or item.binding == "local" or found.binding == "local" or found.is_hidden:
                continue
            if item.size and found.size and item.size != found.size:
                size = f"{item.size} byte{'s' * (item.size > 1)}"
                where, other = _where(found.place), "" if item.place else " in another file"
                message = f"`{name}` is declared with {size}{other}, and defined with {found.size} {where}"
                raise refuse(message, item.place or found.place)


def calls(function: ir.Function) -> Iterator[tuple[ir.Call, str]]:
    """The calls of known functions, with their names."""
    for block in function.blocks:
        for item in block.instructions:
            if isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionAddress):
                yield item, item.callee.name


def named_operands(function: ir.Function) -> Iterator[tuple[ir.Operand, ir.Place | None]]:
    """The functions and objects that a function names, with the places."""
    for block in function.blocks:
        for item in (*block.instructions, block.end):
            for operand in operands(item):
                if isinstance(operand, ir.FunctionAddress | ir.ObjectAddress):
                    yield operand, item.place


def _check_calls(module: ir.Module, refuse: Refuse, library: Collection[str]) -> None:
    """Calls pass what the definition takes, and expect what it gives."""
    for function in module.functions.values():
        for call, name in calls(function):
            target = module.functions.get(name)
            if target is None or not target.blocks or name in library or fits(call, target):
                continue
            where = _where(target.place)
            raise refuse(f"this call of `{name}` contradicts its definition {where}", call.place)


def fits(call: ir.Call, function: ir.Function) -> bool:
    """Whether a call passes what a function takes and expects what it gives."""
    given = [item.type for item in call.arguments]
    taken = [item.type for item in function.parameters]
    if function.is_variadic:
        given = given[: len(taken)]
    return given == taken and [item.type for item in call.results] == list(function.results)
