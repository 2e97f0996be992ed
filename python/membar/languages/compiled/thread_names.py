"""Names threads after functions of the program, where functions of a library start them.

`std::thread` runs a function of its own headers, which calls the one that the program gave it. Where the
expression that starts a thread gives it a name as a literal (`Builder::name` of Rust), this is its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from membar.code import ir
from membar.code.passes.link import rename
from membar.code.passes.start_program import ENTRY
from membar.code.primitives import SPAWN
from membar.languages.compiled.call_chains import Spans
from membar.languages.compiled.llvm.metadata import CLOSURE
from membar.records import replace
from membar.source import pattern

_UNNAMED = "thread"
_GIVEN_NAME = pattern(r'\.\s*name\s*\(\s*(?:[\w:]+\s*\(\s*)?"([\w .:-]{1,60})"')


def name_threads(module: ir.Module, spans: Spans) -> ir.Module:
    """The module with other names for threads that begin in a library.

    Args:
        module: prepared: one function for each thread, with its calls inlined.
        spans: the text of the program.
    """
    functions: dict[str, str] = {}
    is_of_program = spans.is_of_program
    places = {thread: module.functions[thread].place for thread in module.threads if thread != ENTRY}
    begun = [thread for thread, place in places.items() if place is not None and not is_of_program(place)]
    given = _given_names(module, spans) if begun else {}
    for thread in begun:
        found = next(_first_functions(module.functions[thread], is_of_program), _UNNAMED)
        found = given.get(thread, _UNNAMED if found.startswith(CLOSURE) else found)
        number = 1 + (found in module.threads)  # the first one is shown without its number
        while f"{found}#{number}" in (*functions.values(), *module.functions):
            number += 1
        functions[thread] = f"{found}#{number}"
    if not functions:
        return module
    objects = {
        name: name.replace(old, new)
        for old, new in functions.items()
        for name in module.objects
        if name.startswith(f"{old}.") or name.endswith(f"@{old}")
    }
    threads = tuple(functions.get(name, name) for name in module.threads)
    return replace(rename(module, functions, objects), threads=threads)


def _given_names(module: ir.Module, spans: Spans) -> dict[str, str]:
    """The names that the expressions which start threads give them."""
    found: dict[str, str] = {}
    for name in module.threads:
        for block in module.functions[name].blocks:
            for item in block.instructions:
                if isinstance(item, ir.Call) and item.callee == SPAWN and item.place is not None:
                    (started,) = item.arguments
                    text = spans(item.place)
                    given = None if text is None else _GIVEN_NAME.search(text.text)
                    if given is not None and isinstance(started, ir.FunctionAddress):
                        found[started.name] = given.group(1)
    return found


def _first_functions(function: ir.Function, is_of_program: Callable[[ir.Place], bool]) -> Iterator[str]:
    """The functions of the program that the code of a thread is from, called first."""
    for block in function.blocks:
        for item in (*block.instructions, block.end):
            place, found, is_at_start = item.place, "", True
            while place is not None:
                is_at_start = is_of_program(place)  # it starts the thread, and is not part of it
                if place.function and is_at_start:
                    found = place.function
                place = place.caller
            if found and not is_at_start:
                yield found
