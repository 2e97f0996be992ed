"""Gives calls of library functions their bodies, and says by name and place what has none.

The bodies are in the module already, beside what the program defines. Calls are made to fit them: programs
declare library functions in many ways, and arguments that a body does not look at are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from membar.code import ir
from membar.code.checks import Checks
from membar.code.passes.link import Refuse, fits, named_operands, rename
from membar.code.primitives import PREFIX, PRIMITIVES, PRINT, SHOW, USE
from membar.code.printed_arguments import ENDLESS, not_followed, printed_length, printed_texts, target_of
from membar.diagnostics import InputError
from membar.records import record, replace
from membar.source import pattern

# Run where a thread or the process ends, if the program has anything to be run there.
END_OF_THREAD, END_OF_PROCESS = "__mb_end_of_thread", "__mb_end_of_process"
END_OF_LOCALS = "__mb_end_of_locals"
HOOKS = frozenset(
    {
        "__mb_end_of_handlers",
        END_OF_THREAD,
        END_OF_PROCESS,
        "__mb_end_of_main",
        "__mb_end_of_quick_exit",
        END_OF_LOCALS,
    }
)
# What the compiler calls some functions, and what the library calls them.
_OTHER_NAMES: Mapping[str, str] = {
    "llvm.trap": "__mb_trap",
    "llvm.debugtrap": "__mb_trap",
    "llvm.ubsantrap": "__mb_trap",
    "llvm.thread.pointer": "__mb_thread_pointer",
}
# Templates of which every instance has the same body: those of libc++ take a mutex inside another, use
# numbers of 10 bytes, format what is written, or balance trees.
_TEMPLATES = (
    "_ZNSt3__111timed_mutex14try_lock_until",
    "_ZNSt3__121recursive_timed_mutex14try_lock_until",
    "_ZNSt3__118shared_timed_mutex14try_lock_until",
    "_ZNSt3__118shared_timed_mutex21try_lock_shared_until",
    "_ZNSt18shared_timed_mutex14try_lock_until",
    "_ZNSt18shared_timed_mutex21try_lock_shared_until",
    "_ZNSt3__111this_thread9sleep_for",
    "_ZNSt3__111this_thread11sleep_until",
    "_ZNSt3__124__put_character_sequence",
    "_ZNSt3__14endl",
    "_ZNSt3__127__tree_balance_after_insert",
    "_ZNSt3__113__tree_remove",
)
# What counts whatever the program's own body does.
_OVERRIDDEN = frozenset(
    {
        "reach_error",
        "__VERIFIER_error",
        # libc++ keeps what belongs to the end of a thread under a key of <pthread.h>.
        "_ZNSt3__121__thread_specific_ptrINS_15__thread_structEE11set_pointerEPS1_",
        # libstdc++ reads two counts of a shared pointer by one access, which the language has no meaning for.
        "_ZNSt16_Sp_counted_baseILN9__gnu_cxx12_Lock_policyE2EE10_M_releaseEv",
        # In libstdc++ these only fail if the mutex is held, which C++ does not promise.
        "_ZNSt5mutex8try_lockEv",
        "_ZNSt15recursive_mutex8try_lockEv",
        "_ZNSt11timed_mutex8try_lockEv",
        "_ZNSt21recursive_timed_mutex8try_lockEv",
        "_ZNSt11timed_mutex12_M_clocklockEiRK8timespec",
        "_ZNSt21recursive_timed_mutex12_M_clocklockEiRK8timespec",
        "_ZNSt11timed_mutex12_M_timedlockERK8timespec",
        "_ZNSt21recursive_timed_mutex12_M_timedlockERK8timespec",
        "_ZNSt22__shared_mutex_pthread8try_lockEv",
        "_ZNSt22__shared_mutex_pthread15try_lock_sharedEv",
        *_TEMPLATES,
    }
)
_INSTANCE = pattern(rf"({'|'.join(_TEMPLATES)})(?:B\w+?)?I.*")
_MANGLED = "_Z"


def library_name(name: str) -> str:
    """What the library calls a function: some have other names too, and templates one for each instance."""
    instance = _INSTANCE.fullmatch(name) if name.startswith(_MANGLED) else None
    return instance[1] if instance else _OTHER_NAMES.get(name, name)


def is_overridden(name: str) -> bool:
    """Whether what the library says of a function counts, whatever body the program has."""
    return library_name(name) in _OVERRIDDEN


ATOMIC_PREFIX = "__VERIFIER_atomic_"
_WORD, _WIDE = ir.Int(64), ir.Int(128)
_BEGIN, _END = "__membar_atomic_begin", "__membar_atomic_end"
_GIVEN_BY_PASSES = "llvm."


def resolve_library(
    module: ir.Module,
    bodies: Collection[str],
    refuse: Refuse,
    advise: Callable[[str], str],
    *,
    show: Callable[[str], str] = str,
) -> ir.Module:
    """The module in which every function that is called has a body or is a primitive.

    What executions do that call a function without a body is not followed, and not known.

    Args:
        module: the linked program, with the bodies of library functions.
        bodies: which functions are the library's.
        refuse: makes an error at a place.
        advise: a way out for a function without a body.
        show: what its language calls a symbol.

    Raises:
        InputError: functions that are not even declared, or variables that are defined nowhere.
    """
    module = _with_unknown_bodies(module, advise, show)
    missing = _missing(module, refuse, advise, show)
    if missing:
        raise InputError(*(item for problem in missing.values() for item in problem.diagnostics))
    functions = {
        name: _LibraryCallFitter(module, bodies, function).run()
        for name, function in module.functions.items()
        if function.blocks
    }
    if END_OF_PROCESS in functions and "main" in functions:
        functions["main"] = _with_call_at_end(functions["main"], END_OF_PROCESS)
    for name, function in functions.items():
        if name.startswith(ATOMIC_PREFIX) and name not in bodies:
            functions[name] = _as_one_step(function)
    declared = {
        name: item for name, item in module.functions.items() if not item.blocks and name not in HOOKS
    }
    return replace(
        module,
        functions=dict(sorted({**declared, **functions}.items())),
        partly_checked=(*module.partly_checked, *_not_read(module, bodies)),
    )


def without_instances(module: ir.Module, bodies: Collection[str]) -> ir.Module:
    """The module in which instances of templates of the library, and their addresses, are its one body."""
    instances = {name: library_name(name) for name in module.functions}
    instances = {name: body for name, body in instances.items() if name != body and body in bodies}
    functions = {name: item for name, item in module.functions.items() if name not in instances}
    return rename(replace(module, functions=functions), instances, {}) if instances else module


def _not_read(module: ir.Module, bodies: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Properties that are not checked of memory that functions of the library access, and what that is."""
    found = (
        part
        for function in module.functions.values()
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Call)
        and isinstance(item.callee, ir.FunctionAddress)
        and item.callee.name in bodies
        for part in not_followed(module, item.callee.name, item.arguments)
    )
    return tuple(dict.fromkeys(found))


def _missing(
    module: ir.Module, refuse: Refuse, advise: Callable[[str], str], show: Callable[[str], str]
) -> dict[str, InputError]:
    """An error for each name without a definition, at its first use."""
    found: dict[str, InputError] = {}
    for function in module.functions.values():
        for operand, place in named_operands(function):
            name = operand.name if isinstance(operand, ir.FunctionAddress | ir.ObjectAddress) else ""
            if name in found or not _is_missing(module, operand):
                continue
            if isinstance(operand, ir.ObjectAddress):
                found[name] = refuse(f"the variable `{show(name)}` is declared but never defined", place)
            else:
                found[name] = refuse(f"the function `{show(name)}` has no body: {advise(name)}", place)
    for item in module.objects.values():
        for _, operand in item.addresses:
            if operand.name not in found and _is_missing(module, operand):
                names = f"`{show(item.name)}` names `{show(operand.name)}`"
                message = f"the initial value of {names}, which is defined nowhere"
                found[operand.name] = refuse(message, item.place)
    return found


def _with_unknown_bodies(
    module: ir.Module, advise: Callable[[str], str], show: Callable[[str], str]
) -> ir.Module:
    """The module with bodies at which executions end that are not followed."""
    checks, functions = Checks(module), dict(module.functions)
    uses: dict[str, ir.Place | None] = {}
    for function in module.functions.values():
        for operand, place in named_operands(function):
            if isinstance(operand, ir.FunctionAddress) and uses.get(operand.name) is None:
                uses[operand.name] = place
    for item in module.objects.values():
        for _, operand in item.addresses:
            if isinstance(operand, ir.FunctionAddress):
                uses.setdefault(operand.name, item.place)
    for name, place in sorted(uses.items(), key=lambda use: use[0]):
        if (
            name.startswith(PREFIX)
            or name not in functions
            or not _is_missing(module, ir.FunctionAddress(name))
        ):
            continue
        gap = checks.gap(f"what `{show(name)}` does, which has no body: {advise(name)}", place)
        block = ir.Block(name="entry", instructions=(gap,), end=ir.Unreachable())
        functions[name] = replace(functions[name], blocks=(block,))
    return checks.added_to(replace(module, functions=functions))


def _is_missing(module: ir.Module, operand: ir.Operand) -> bool:
    if isinstance(operand, ir.ObjectAddress):
        item = module.objects.get(operand.name)
        return item is None or (item.content is None and item.binding != "weak")
    if not isinstance(operand, ir.FunctionAddress):
        return False
    name = library_name(operand.name)
    if name in PRIMITIVES or name in HOOKS or name.startswith(_GIVEN_BY_PASSES):
        return False
    function = module.functions.get(name)
    return function is None or (not function.blocks and function.binding != "weak")


@record(eq=False)
class _LibraryCallFitter:
    """One function, with its calls of library functions made to fit."""

    module: ir.Module
    bodies: Collection[str]
    function: ir.Function
    number: int = 0

    def run(self) -> ir.Function:
        blocks = [
            replace(
                block, instructions=tuple(new for old in block.instructions for new in self._instruction(old))
            )
            for block in self.function.blocks
        ]
        is_printer = self.function.name in self.bodies  # its other arguments are dropped
        is_variadic = self.function.is_variadic and not is_printer
        return replace(self.function, blocks=tuple(blocks), is_variadic=is_variadic)

    def _instruction(self, item: ir.Instruction) -> list[ir.Instruction]:
        if not isinstance(item, ir.Call) or not isinstance(item.callee, ir.FunctionAddress):
            return [item]
        name = library_name(item.callee.name)
        target = self.module.functions.get(name)
        if name in HOOKS and (target is None or not target.blocks):
            return []
        if target is None or name not in self.bodies:
            return [item]
        printed = [*self._read(name, item), *self._print(name, item)]
        if fits(item, target) and not target.is_variadic:
            return [*printed, replace(item, callee=ir.FunctionAddress(name))]
        if _takes_halves(item, target):
            return [*printed, *self._pass_in_halves(item, name)]
        return [*printed, *self._fit_call(item, name, target)]

    def _read(self, name: str, call: ir.Call) -> Iterator[ir.Instruction]:
        """Reads the texts that a call prints."""
        for text in printed_texts(self.module, name, call.arguments):
            yield ir.Call(results=(), callee=SHOW, arguments=(text,), place=call.place)

    def _print(self, name: str, call: ir.Call) -> Iterator[ir.Instruction]:
        """Writes what a call prints into memory, with the 0 at its end."""
        found = target_of(name, call.arguments)
        if found is None:
            return
        text, size = found
        done: list[ir.Instruction] = []
        room = ir.Constant(ENDLESS, _WORD) if size is None else self._convert(size, _WORD, call, done)
        lengths = [
            ir.Constant(length + 1, _WORD) for length in printed_length(self.module, name, call.arguments)
        ]
        yield from done
        yield ir.Call(results=(), callee=PRINT, arguments=(text, room, *lengths), place=call.place)

    def _fit_call(self, call: ir.Call, name: str, target: ir.Function) -> list[ir.Instruction]:
        done: list[ir.Instruction] = []
        arguments: list[ir.Operand] = []
        for number, parameter in enumerate(target.parameters):
            if number < len(call.arguments):
                arguments.append(self._convert(call.arguments[number], parameter.type, call, done))
            else:
                arguments.append(ir.Undefined(parameter.type))
        dropped = call.arguments[len(target.parameters) :]
        shown = tuple(each for each in dropped if _is_shown(each))
        if shown:
            done.append(ir.Call(results=(), callee=USE, arguments=shown, place=call.place))
        given = [self._result_value(call, number, type_) for number, type_ in enumerate(target.results)]
        done.append(
            ir.Call(
                results=tuple(given),
                callee=ir.FunctionAddress(name),
                arguments=tuple(arguments),
                place=call.place,
            )
        )
        for number, wanted in enumerate(call.results):
            if number >= len(given) or given[number] != wanted:
                found: ir.Operand = given[number] if number < len(given) else ir.Undefined(wanted.type)
                operation, found = self._conversion(found, wanted.type, call, done)
                done.append(
                    ir.Compute(result=wanted, operation=operation, operands=(found,), place=call.place)
                )
        return done

    def _pass_in_halves(self, call: ir.Call, name: str) -> list[ir.Instruction]:
        """The call with each integer of 128 bits as two of 64 bits, the lower one first."""
        done: list[ir.Instruction] = []

        def compute(operation: str, type_: ir.Type, *operands: ir.Operand) -> ir.Value:
            result = self._value(type_)
            done.append(ir.Compute(result=result, operation=operation, operands=operands, place=call.place))
            return result

        half = ir.Constant(_WORD.bits, _WIDE)
        arguments = [
            compute("trunc", _WORD, part)
            for each in call.arguments
            for part in (each, compute("lshr", _WIDE, each, half))
        ]
        halves = [(self._value(_WORD), self._value(_WORD)) for _ in call.results]
        results = tuple(part for pair in halves for part in pair)
        callee = ir.FunctionAddress(name)
        done.append(ir.Call(results=results, callee=callee, arguments=tuple(arguments), place=call.place))
        for result, (low, high) in zip(call.results, halves, strict=True):
            upper = compute("shl", _WIDE, compute("zext", _WIDE, high), half)
            both = (upper, compute("zext", _WIDE, low))
            done.append(ir.Compute(result=result, operation="or", operands=both, place=call.place))
        return done

    def _result_value(self, call: ir.Call, number: int, type_: ir.Type) -> ir.Value:
        """A result of the body: that of the call itself, if it has this type."""
        is_same = number < len(call.results) and call.results[number].type == type_
        return call.results[number] if is_same else self._value(type_)

    def _convert(
        self, operand: ir.Operand, type_: ir.Type, call: ir.Call, done: list[ir.Instruction]
    ) -> ir.Operand:
        if operand.type == type_:
            return operand
        operation, operand = self._conversion(operand, type_, call, done)
        result = self._value(type_)
        done.append(ir.Compute(result=result, operation=operation, operands=(operand,), place=call.place))
        return result

    def _conversion(
        self, operand: ir.Operand, type_: ir.Type, call: ir.Call, done: list[ir.Instruction]
    ) -> tuple[str, ir.Operand]:
        """The operation that makes a value one of another type; a first step is added if two are needed."""
        address = ir.Int(self.module.pointer_bits)
        match operand.type, type_:
            case ir.Int(old), ir.Int(new):
                wider = "zext" if old == 1 else "sext"
                return ("trunc" if old > new else wider), operand
            case ir.Ptr(), ir.Int():
                if type_ == address:
                    return "ptrtoint", operand
                return self._conversion(self._convert(operand, address, call, done), type_, call, done)
            case ir.Int(), ir.Ptr():
                if operand.type == address:
                    return "inttoptr", operand
                return "inttoptr", self._convert(operand, address, call, done)
            case _:
                return "bitcast", ir.Undefined(type_)

    def _value(self, type_: ir.Type) -> ir.Value:
        self.number += 1
        return ir.Value(f"library.{self.number}", type_)


def _takes_halves(call: ir.Call, target: ir.Function) -> bool:
    """Whether the body has two integers of 64 bits for each of 128, as some compilers pass them."""
    taken = [*(each.type for each in target.parameters), *target.results]
    given = [each.type for each in (*call.arguments, *call.results)]
    return set(given) == {_WIDE} and taken == [_WORD, _WORD] * len(given)


def _is_shown(operand: ir.Operand) -> bool:
    """Whether an argument that is printed may be without a value, and tells something if it is."""
    return isinstance(operand, ir.Value | ir.Undefined) and not isinstance(operand.type, ir.Float)


def _with_call_at_end(function: ir.Function, callee: str) -> ir.Function:
    """The function with a call before each return."""
    call = ir.Call(results=(), callee=ir.FunctionAddress(callee), arguments=())
    blocks = [
        replace(block, instructions=(*block.instructions, replace(call, place=block.end.place)))
        if isinstance(block.end, ir.Return)
        else block
        for block in function.blocks
    ]
    return replace(function, blocks=tuple(blocks))


def _as_one_step(function: ir.Function) -> ir.Function:
    """The function between `atomic_begin` and `atomic_end`."""
    ended = _with_call_at_end(function, _END)
    first = ended.blocks[0]
    begin = ir.Call(results=(), callee=ir.FunctionAddress(_BEGIN), arguments=(), place=function.place)
    opened = replace(first, instructions=(begin, *first.instructions))
    return replace(ended, blocks=(opened, *ended.blocks[1:]))
