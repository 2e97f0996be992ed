"""What Rust code needs that neither it nor the shim defines: panics, the allocator, the start of `main`.

A function of `core`, `alloc` or `std` that never returns and has no body is a panic: a failed assertion.
Others that membar knows are named after functions of the shim; the rest stays without a body, and is
refused by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from membar.code import ir
from membar.code.checks import Checks
from membar.code.passes.link import Refuse, calls, named_operands, rename
from membar.code.primitives import PANICS as PANICS_IN_THREAD
from membar.code.primitives import PREFIX
from membar.code.rewrite import with_operands_in
from membar.diagnostics import InputError
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.rust.names import demangle, last_word, shorten
from membar.records import replace
from membar.source import pattern

OWN = "__mb_rust_"
"""What the functions of the shim are called that stand for parts of the runtime."""
PANICS = f"{OWN}panics"
_CATCH = "catch_unwind"
CATCHING, REGISTERED, ENDED = "CATCHING", "REGISTERED", "ENDED"
_THREAD_LOCAL = "MEMBAR_THREAD_LOCAL"
# Functions of the shim that do nothing in a program without a variable.
_DOES_NOTHING_WITHOUT = {
    f"{OWN}end_of_thread": REGISTERED,
    f"{OWN}drops_values": REGISTERED,
    f"{OWN}finished": ENDED,
}
ASSERTIONS, EXITS = "assertions", "exits"
_ENTRY = "main"
_FOR_DEBUGGERS = pattern(r"\.dbg\.spill\d*$")
_MANGLED = ("_R", "_ZN")
_ADVICE = ": leave that out of what is checked, by `#[cfg(not(membar))]`"
_ADVICE_FOR_LLVM = ": check the source file, which membar compiles with a `std` of its own"
_HASH_MAPS = "hashbrown"
_LIBRARIES = ("core", "alloc", "std", "panic_abort", "panic_unwind", _HASH_MAPS)
# Functions of the shim that do nothing but say that some properties are checked in part only.
_MARKS = {
    "not_printed": (("memory", "races"), "without what `print!` and similar macros read"),
    "random_keys": (("",), "with one pair of the random keys of hash functions"),
    "may_read_again": (("deadlock",), "without threads that read an RwLock again while a writer waits"),
}
_OTHER_PATHS = {
    "<alloc::string::String as core::clone::Clone>::clone": "clone_string",
    "alloc::sync::arcinner_layout_for_value_layout": "layout_of_counted",
    "alloc::rc::rc_inner_layout_for_value_layout": "layout_of_counted",
    "core::slice::sort::stable::drift::sqrt_approx": "square_root",
    "std::io::stdio::attempt_print_to_stderr": "print_to_stderr",
}
_FORMAT = "std::fmt::format::format_inner"
_OTHER_NAMES = {
    "__rust_alloc": "allocate",
    "__rust_alloc_zeroed": "allocate_zeroed",
    "__rust_realloc": "reallocate",
    "__rust_dealloc": "deallocate",
    "__rust_no_alloc_shim_is_unstable": "nothing",
    "__rust_no_alloc_shim_is_unstable_v2": "nothing",
    "lang_start_internal": "start",
    "memcmp": "compare",
    "bcmp": "compare",
}
_COMPARE = {size: f"{OWN}compare_by_{size}" for size in (2, 4, 8)}
# Generic functions whose only bodies are in the compiled library, and types of the shim with the same layout,
# for which rustc makes bodies.
_GROW = "<alloc::raw_vec::RawVec<{}>>::grow_one"
_SAME_LAYOUT = {
    "u8": "LikeByte",
    **dict.fromkeys(
        ("alloc::vec::Vec<u8>", "alloc::string::String", "std::ffi::os_str::OsString"), "LikeString"
    ),
}
_OTHER_TYPES = {
    _GROW.format(type_): _GROW.format(f"membar_std::runtime::{like}") for type_, like in _SAME_LAYOUT.items()
}
# What is called only for many elements, and what calls of it are.
_FOR_MANY = {
    "core::slice::sort::stable::driftsort_main": "sorting more than 20 elements",
    "core::slice::sort::unstable::ipnsort": "sorting more than 20 elements",
}
_TRAPS = ("llvm.trap", "llvm.debugtrap", "llvm.ubsantrap")
_OVERFLOWS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "neg": "negate", "shl": "shift left",
    "shr": "shift right", "div": "divide", "rem": "calculate the remainder",
}  # fmt: skip
_MESSAGES = {
    "panic_bounds_check": "index out of bounds",
    "unwrap_failed": "`unwrap` or `expect` of what has no value",
    "expect_failed": "`expect` of what has no value",
    "assert_failed": "the assertion fails",
    "assert_failed_inner": "the assertion fails",
    "panic_already_borrowed": "a RefCell is borrowed that is borrowed already",
    "panic_already_mutably_borrowed": "a RefCell is borrowed that is mutably borrowed already",
    "panic_const_div_by_zero": "attempt to divide by zero",
    "panic_const_rem_by_zero": "attempt to calculate the remainder with a divisor of zero",
    "panic_null_pointer_dereference": "null pointer dereference",
    "panic_misaligned_pointer_dereference": "misaligned pointer dereference",
    "capacity_overflow": "capacity overflow",
    "handle_error": "capacity overflow",
    "handle_alloc_error": "no memory can be allocated",
    "panic_cannot_unwind": "a panic in a function that must not unwind",
    "panic_in_cleanup": "a panic while another one unwinds",
}
_INDEX_FAILURES = ("slice_", "str_index", "copy_from_slice_len")
_EXITS = {"abort": "abort is called", "abort_internal": "abort is called", "exit": "exit is called"}


def resolve_runtime(module: ir.Module, defined: Collection[str], uses: Collection[str]) -> ir.Module:
    """A module of Rust in which panics are failed assertions, and the runtime has names of the shim.

    Args:
        module: one file of the program.
        defined: what its files define.
        uses: variables of the shim that it uses: for `CATCHING` panics, for values `REGISTERED` to be
            dropped, for threads that have `ENDED`.
    """
    missing = {
        name: demangle(name)
        for name, item in module.functions.items()
        if not item.blocks and name not in defined and not name.startswith(PREFIX)
    }
    panics = {
        name: path
        for name, path in missing.items()
        if module.functions[name].never_returns and path.split("::")[0].lstrip("<") in _LIBRARIES
    }
    others = {
        name: OWN + other
        for name, path in missing.items()
        if (other := _OTHER_PATHS.get(path) or _OTHER_NAMES.get(last_word(path))) is not None
    }
    others |= _bodies_for_other_types(missing, defined)
    others["llvm.assume"] = f"{OWN}promise"
    others |= dict.fromkeys(_TRAPS, f"{OWN}trap")
    found = _Panics(_with_elements_compared(module), panics, uses).run()
    found = rename(_with_plain_entry(found), others, {})
    kept = {
        name: _without_copies_for_debuggers(item)
        for name, item in found.functions.items()
        if name not in panics
    }
    used = {last_word(demangle(name)) for name in module.functions}
    parts = ((word, part) for mark, (words, part) in _MARKS.items() if mark in used for word in words)
    return replace(
        found,
        functions=kept,
        objects={name: _mark_thread_local(item) for name, item in found.objects.items()},
        partly_checked=(*found.partly_checked, *parts),
        handlers=tuple(_places_that_catch(module)),
        is_rust=True,
    )


def _with_elements_compared(module: ir.Module) -> ir.Module:
    """The module in which slices are compared element by element, not byte by byte, as `==` does it."""
    compares = tuple(ir.FunctionAddress(name) for name in ("memcmp", "bcmp") if name in module.functions)
    functions = dict(module.functions)
    for function in module.functions.values() if compares else ():
        sizes = {
            item.result.name: item.operands[1].value
            for block in function.blocks
            for item in block.instructions
            if isinstance(item, ir.Compute)
            and item.operation == "mul"
            and isinstance(item.operands[1], ir.Constant)
        }

        def compare(item: ir.Instruction, sizes: Mapping[str, int] = sizes) -> ir.Instruction:
            match item:
                case ir.Call(callee=callee, arguments=(_, _, ir.Value(name=length))) if callee in compares:
                    name = _COMPARE.get(sizes.get(length, 1))
                    return item if name is None else replace(item, callee=ir.FunctionAddress(name))
                case _:
                    return item

        blocks = tuple(
            replace(block, instructions=tuple(map(compare, block.instructions))) for block in function.blocks
        )
        functions[function.name] = replace(function, blocks=blocks)
    return replace(module, functions=functions)


def _bodies_for_other_types(missing: Mapping[str, str], defined: Collection[str]) -> dict[str, str]:
    """Functions without a body, and the same functions for types of the shim with the same layout."""
    wanted = {name: _OTHER_TYPES[path] for name, path in missing.items() if path in _OTHER_TYPES}
    if not wanted:
        return {}
    bodies = {demangle(name): name for name in defined if "grow_one" in name}
    return {name: bodies[path] for name, path in wanted.items() if path in bodies}


def _mark_thread_local(item: ir.Object) -> ir.Object:
    """A variable, of which each thread has a copy if its name says so."""
    is_own = _THREAD_LOCAL in item.name and last_word(demangle(item.name)).startswith(_THREAD_LOCAL)
    return replace(item, is_thread_local=True) if is_own else item


def _places_that_catch(module: ir.Module) -> Iterator[ir.Place]:
    """Where the program calls `catch_unwind`."""
    for function in module.functions.values():
        for call, callee in calls(function):
            place = _outermost(call.place)
            if last_word(demangle(callee)) == _CATCH and _is_own(function.name) and place is not None:
                yield place


def _outermost(place: ir.Place | None) -> ir.Place | None:
    """The place in the function itself, if rustc has inlined what is around it."""
    while place is not None and place.caller is not None:
        place = place.caller
    return place


def variables_used(modules: Iterable[llvm.Module]) -> frozenset[str]:
    """Which of the shim's variables a program uses that stand for something to be done elsewhere."""
    return frozenset(
        word
        for module in modules
        if PANICS not in module.functions  # the shim itself
        for name in module.variables
        for word in (CATCHING, REGISTERED, ENDED)
        if word in name
    )


class _Panics:
    def __init__(self, module: ir.Module, panics: Mapping[str, str], uses: Collection[str]) -> None:
        self.module, self.panics, self.uses = module, panics, uses
        self.checks = Checks(module)

    def run(self) -> ir.Module:
        functions = {name: self._function(item) for name, item in self.module.functions.items()}
        return self.checks.added_to(replace(self.module, functions=functions))

    def _function(self, function: ir.Function) -> ir.Function:
        what = _FOR_MANY.get(demangle(function.name).partition("::<")[0]) if function.blocks else None
        if what is not None:
            return truncate_executions_in(function, what, self.checks)
        blocks = tuple(
            replace(
                block, instructions=tuple(new for old in block.instructions for new in self._instruction(old))
            )
            for block in function.blocks
        )
        return replace(function, blocks=blocks)

    def _instruction(self, item: ir.Instruction) -> list[ir.Instruction]:
        if not isinstance(item, ir.Call) or not isinstance(item.callee, ir.FunctionAddress):
            return [item]
        needed = _DOES_NOTHING_WITHOUT.get(item.callee.name)
        if needed is not None and needed not in self.uses:
            return []
        path = self.panics.get(item.callee.name)
        if path is None:
            return [item]
        word = last_word(path)
        is_exit = word in _EXITS
        message = _EXITS[word] if is_exit else self._message(word, item.arguments)
        failure = self.checks.fail(message, item.place, EXITS if is_exit else ASSERTIONS)
        status = ir.Constant(134 if is_exit else 101, ir.Int(32))
        leave = ir.Call(
            results=(), callee=ir.FunctionAddress(f"{PREFIX}exit"), arguments=(status,), place=item.place
        )
        caught = ir.Call(results=(), callee=ir.FunctionAddress(PANICS), arguments=(), place=item.place)
        noticed = ir.Call(results=(), callee=PANICS_IN_THREAD, arguments=(), place=item.place)
        before = [*((caught,) if CATCHING in self.uses else ()), *(() if is_exit else (noticed,))]
        return [*before, failure, leave]

    def _message(self, word: str, arguments: tuple[ir.Operand, ...]) -> str:
        """What a panic says, as far as that is known before the program runs."""
        if word in _MESSAGES:
            return _MESSAGES[word]
        if word.startswith("panic_const_") and word.endswith("_overflow"):
            return f"attempt to {_OVERFLOWS.get(word.split('_')[2], word.split('_')[2])} with overflow"
        if word.startswith(_INDEX_FAILURES):
            return "index out of bounds"
        text, length = (*arguments, None, None)[:2]
        if word == "panic" and isinstance(text, ir.ObjectAddress) and isinstance(length, ir.Constant):
            content = self.module.objects[text.name].content or b""
            return content[text.offset : text.offset + length.value].decode(errors="replace")
        return "the program panics"


class _Missing:
    """Functions of Rust's libraries that have no body: refused where the program calls them, by name.

    Those that only tables and formatted text name are called by nobody, or else in executions that are cut.
    """

    def __init__(self, module: ir.Module, refuse: Refuse, advice: str) -> None:
        self.module, self.refuse, self.advice = module, refuse, advice
        self.checks = Checks(module)
        self.missing = {
            name
            for name, item in module.functions.items()
            if not item.blocks and name.startswith(_MANGLED) and item.binding != "weak"
        }

    def run(self) -> ir.Module:
        if not self.missing:
            return self.module
        problems = list(self._refusals())
        if problems:
            raise InputError(*(item for problem in problems for item in problem.diagnostics))
        functions = {name: self._stub(self.module.functions[name]) for name in self.missing}
        return self.checks.added_to(replace(self.module, functions={**self.module.functions, **functions}))

    def _refusals(self) -> Iterator[InputError]:
        """An error for each that the program calls, at the first call that leads there from its own files."""
        seen: set[str] = {_ENTRY}
        refused: set[ir.Place | None] = set()
        waiting: list[tuple[str, ir.Place | None]] = [(_ENTRY, None)]
        while waiting:
            name, place = waiting.pop(0)
            if name in self.module.objects:
                named = [(target.name, place) for _, target in self.module.objects[name].addresses]
            else:
                called = {callee for _, callee in calls(self.module.functions[name])}
                found = list(named_operands(self.module.functions[name]))
                named = [
                    (operand.name, _outermost(at) if _is_own(name) else place)
                    for operand, at in found
                    if isinstance(operand, ir.FunctionAddress | ir.ObjectAddress)
                    and not (operand.name in self.missing and operand.name not in called)
                ]
            for callee, at in named:
                if callee in seen or _is_for_printing(callee):
                    continue
                if callee in self.missing:
                    if name in self.module.functions:
                        seen.add(callee)
                        if at is None or at not in refused:
                            yield self.refuse(f"{_called_as(demangle(callee))} not modelled{self.advice}", at)
                        refused.add(at)
                elif callee in self.module.objects or self._has_body(callee):
                    seen.add(callee)
                    waiting.append((callee, at))

    def _has_body(self, name: str) -> bool:
        function = self.module.functions.get(name)
        return function is not None and bool(function.blocks)

    def _stub(self, function: ir.Function) -> ir.Function:
        return truncate_executions_in(
            function, f"calls of `{shorten_library(demangle(function.name))}`", self.checks
        )


def truncate_executions_in(function: ir.Function, reason: str, checks: Checks) -> ir.Function:
    """A function with a body at which executions are truncated."""
    cut = checks.cut(reason, function.place)
    block = ir.Block(name="start", instructions=(cut,), end=ir.Unreachable())
    return replace(function, blocks=(block,))


def _called_as(path: str) -> str:
    """What a program calls if it calls a function of a library, and the verb."""
    if path.lstrip("<").startswith(_HASH_MAPS):
        return "maps and sets of the crate `hashbrown` are"
    path = shorten_library(path)
    return "the macro `format!` is" if path == _FORMAT else f"the function `{path}` is"


def refuse_missing(module: ir.Module, refuse: Refuse, *, is_given: bool) -> ir.Module:
    """The linked program, in which every function of Rust's libraries has a body; `is_given`: as LLVM IR.

    Raises:
        InputError: the program calls one that membar does not model.
    """
    return _with_short_names(_Missing(module, refuse, _ADVICE_FOR_LLVM if is_given else _ADVICE).run())


def _with_short_names(module: ir.Module) -> ir.Module:
    """The module with names as reports show them: no symbol, and only the last words of a path."""
    taken = {name for name in (*module.functions, *module.objects) if not name.startswith(_MANGLED)}

    def shorter(names: Iterable[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in names:
            if name.startswith(_MANGLED):
                short = shorten(demangle(name)).replace("/", "")
                number = 1
                while (unique := short if number == 1 else f"{short}.{number}") in taken:
                    number += 1
                taken.add(unique)
                found[name] = unique
        return found

    return rename(module, shorter(module.functions), shorter(module.objects))


def shorten_library(path: str) -> str:
    """A path as programs write it: what `core` and `alloc` define is in `std`, too."""
    for library in ("core::", "alloc::"):
        if path.startswith(library):
            return f"std::{path.removeprefix(library)}"
    return path


def _is_own(name: str) -> bool:
    """Whether a function is not one of Rust's libraries."""
    path = demangle(name).lstrip("<&")
    return not path.startswith((*(f"{each}::" for each in _LIBRARIES), "membar_std::"))


def _is_for_printing(name: str) -> bool:
    path = demangle(name)
    return path.startswith("<") and path.endswith("::fmt")


def _with_plain_entry(module: ir.Module) -> ir.Module:
    """The module with a `main` that has no parameters and calls that of the program directly."""
    entry = module.functions.get(_ENTRY)
    if entry is None or not entry.blocks:
        return module
    given: dict[ir.Operand, ir.Operand] = {item: ir.Constant(0, item.type) for item in entry.parameters}
    blocks = []
    for block in entry.blocks:
        kept: list[ir.Instruction] = []
        for item in block.instructions:
            found = _thread_function(item, module)
            if found is not None and isinstance(item, ir.Call):
                kept.append(ir.Call(results=(), callee=found, arguments=(), place=item.place))
                given[item.results[0]] = ir.Constant(0, item.results[0].type)
            elif not isinstance(item, ir.Load):  # of a section for debuggers
                kept.append(item)
        blocks.append(replace(block, instructions=tuple(kept)))
    plain = [with_operands_in(block, lambda operand: given.get(operand, operand)) for block in blocks]
    entry = replace(entry, parameters=(), blocks=tuple(plain))
    return replace(module, functions={**module.functions, _ENTRY: entry})


def _thread_function(item: ir.Instruction, module: ir.Module) -> ir.FunctionAddress | None:
    """Rust's own `main`, if a call starts it and it returns nothing."""
    if not isinstance(item, ir.Call) or not isinstance(item.callee, ir.FunctionAddress):
        return None
    if last_word(demangle(item.callee.name)) != "lang_start" or not item.arguments:
        return None
    found = item.arguments[0]
    is_plain = isinstance(found, ir.FunctionAddress) and not module.functions[found.name].results
    return found if is_plain and isinstance(found, ir.FunctionAddress) else None


def _without_copies_for_debuggers(function: ir.Function) -> ir.Function:
    """The function without variables that rustc writes for debuggers, and nobody reads."""
    copies = {
        item.result
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Slot) and _FOR_DEBUGGERS.search(item.result.name)
    }
    if not copies:
        return function
    blocks = []
    for block in function.blocks:
        kept: list[ir.Instruction] = []
        for item in block.instructions:
            match item:
                case ir.Index(base=base, result=result) if base in copies:
                    copies.add(result)
                case ir.Slot(result=result) if result in copies:
                    pass
                case ir.Store(address=address) if address in copies:
                    pass
                case ir.Copy(target=address) | ir.Fill(target=address) if address in copies:
                    pass
                case ir.Lifetime(slot=slot) if slot in copies:
                    pass
                case _:
                    kept.append(item)
        blocks.append(replace(block, instructions=tuple(kept)))
    return replace(function, blocks=tuple(blocks))
