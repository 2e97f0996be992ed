"""From LLVM IR to code IR: calls, intrinsic functions and inline assembly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membar.code import ir as code
from membar.languages.compiled.atomic_calls import NAMES, accesses_of_call
from membar.languages.compiled.constants import UnsupportedError, flatten, scalar_type
from membar.languages.compiled.exceptions import THROW
from membar.languages.compiled.expanded_intrinsics import expand_intrinsic
from membar.languages.compiled.intrinsics import FUNCTIONS, Intrinsic, instruction_of, intrinsic_of
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.types import Pointer
from membar.languages.compiled.shift_checks import SIGNED_SHIFT
from membar.languages.compiled.vectors import refuse_arithmetic, unnamed_argument

if TYPE_CHECKING:
    from membar.languages.compiled.lower_function import FunctionBody

_POINTER = Pointer()
_WORD, _WIDE = 64, code.Int(128)
_DIVISIONS = {"udiv": "__udivti3", "urem": "__umodti3", "sdiv": "__divti3", "srem": "__modti3"}
"""What compilers call to divide integers of more than 64 bits; the library has their bodies."""
_CHECKS = {
    "nsw": "signed-overflow",
    "nuw": "unsigned-overflow",
    "exact": "inexact",
    "disjoint": "overlap",
    SIGNED_SHIFT: SIGNED_SHIFT,
    **dict.fromkeys(
        ("fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"), "other-floating-point"
    ),
}


def lower_call(body: FunctionBody, item: llvm.Call) -> None:
    """Translates a call: of a function, of an intrinsic function, or inline assembly."""
    callee = item.callee
    if callee == llvm.Global(THROW):
        body.emit(code.Call(results=(), callee=code.FunctionAddress(THROW), arguments=(), place=body.place()))
        return
    if isinstance(callee, llvm.InlineAssembly):
        operands = tuple(part for each in item.arguments for part in body.scalars(each))
        body.emit(
            code.Assembly(
                results=body.results(item),
                template=callee.template,
                constraints=callee.constraints,
                operands=operands,
                has_side_effects="sideeffect" in callee.flags,
                place=body.place(),
            )
        )
        return
    if isinstance(callee, llvm.Global) and callee.name.startswith("llvm."):
        _intrinsic(body, item, intrinsic_of(callee.name))
        return
    if isinstance(callee, llvm.Global) and callee.name in NAMES and _access_by_call(body, item, callee.name):
        return
    target = body.scalar(llvm.Typed(_POINTER, callee))
    called = body.lowering.module.functions.get(callee.name) if isinstance(callee, llvm.Global) else None
    if called is not None and any(number >= len(called.parameters) for number, _ in item.by_value):
        raise UnsupportedError("a structure among the unnamed arguments of a call is not supported")
    signature = item.signature
    is_variadic = signature is not None and (called is None or called.is_variadic)
    named = len(item.arguments if signature is None or not is_variadic else signature.parameters)
    arguments = tuple(part for each in item.arguments[:named] for part in body.scalars(each))
    arguments += tuple(part for each in item.arguments[named:] for part in unnamed_argument(body, each))
    results = body.results(item)
    if item.result is None:  # a result that nobody uses still is one
        kinds = [scalar_type(part, body.layout) for _, part in flatten(item.type, body.layout)]
        results = tuple(body.temporary(kind) for kind in kinds)
    place = body.place()
    if item.result is not None and place is not None:
        body.called[item.result] = place
    body.emit(code.Call(results=results, callee=target, arguments=arguments, place=place))


def is_wide_division(operation: str, result: code.Value) -> bool:
    """Whether an operation divides integers of 65 to 128 bits."""
    is_wide = isinstance(result.type, code.Int) and _WORD < result.type.bits <= _WIDE.bits
    return is_wide and operation in _DIVISIONS


def checks_of(flags: Sequence[str]) -> tuple[str, ...]:
    """What must not happen in an operation with these flags."""
    return tuple(dict.fromkeys(_CHECKS[flag] for flag in flags if flag in _CHECKS))


def divide_by_call(
    body: FunctionBody, operation: str, result: code.Value, operands: tuple[code.Operand, ...]
) -> None:
    """Translates a division of wide integers into a call, of 128 bits each."""
    callee, place = code.FunctionAddress(_DIVISIONS[operation]), body.place()
    body.lowering.reach(callee)
    widen = "sext" if operation in {"sdiv", "srem"} else "zext"
    arguments: list[code.Operand] = []
    for operand in operands:
        wide = operand if operand.type == _WIDE else body.temporary(_WIDE)
        if isinstance(wide, code.Value) and wide != operand:
            body.emit(code.Compute(result=wide, operation=widen, operands=(operand,), place=place))
        arguments.append(wide)
    found = result if result.type == _WIDE else body.temporary(_WIDE)
    body.emit(code.Call(results=(found,), callee=callee, arguments=tuple(arguments), place=place))
    if found != result:
        body.emit(code.Compute(result=result, operation="trunc", operands=(found,), place=place))


def _access_by_call(body: FunctionBody, item: llvm.Call, name: str) -> bool:
    """Whether a call of a function that the program does not define was an access, and was translated."""
    called = body.lowering.module.functions.get(name)
    if called is None or called.is_defined or name in body.lowering.elsewhere:
        return False
    arguments = [part for each in item.arguments for part in body.scalars(each)]
    results = body.results(item) or (body.temporary(code.BOOL),)
    found = accesses_of_call(name, arguments, results, body.temporary, body.place())
    for access in found:
        body.emit(access)
    return bool(found)


_FEWEST_ARGUMENTS = {
    "promise": 1, "argument": 1, "no": 1, "copy": 4, "fill": 4, "lifetime": 1, "compute": 1, "function": 1,
}  # fmt: skip


def _intrinsic(body: FunctionBody, item: llvm.Call, intrinsic: Intrinsic) -> None:
    if intrinsic.kind == "nothing":
        return
    _require_arguments(body, item, intrinsic)
    types = (item.type, *(each.type for each in item.arguments))
    refuse_arithmetic(f"llvm.{intrinsic.name}", types, body.layout)
    arguments = [part for each in item.arguments for part in body.scalars(each)]
    place = body.place()
    match intrinsic.kind:
        case "promise":
            if body.lowering.is_rust and not isinstance(arguments[0], code.Constant):
                callee = code.FunctionAddress("llvm.assume")
                body.emit(code.Call(results=(), callee=callee, arguments=(arguments[0],), place=place))
        case "argument":
            body.values[item.result or ""] = (arguments[0],)
        case "no":
            body.values[item.result or ""] = (code.Constant(0, code.BOOL),)
        case "copy":
            target, source, length, is_volatile = arguments
            body.emit(
                code.Copy(
                    target=target,
                    source=source,
                    length=length,
                    may_overlap=intrinsic.name == "memmove",
                    is_volatile=is_volatile == code.Constant(1, code.BOOL),
                    place=place,
                )
            )
        case "fill":
            target, byte, length, is_volatile = arguments
            is_access = is_volatile == code.Constant(1, code.BOOL)
            body.emit(code.Fill(target=target, byte=byte, length=length, is_volatile=is_access, place=place))
        case "lifetime":
            begins = intrinsic.name == "lifetime.start"
            body.emit(code.Lifetime(slot=arguments[-1], begins=begins, place=place))
        case "assembly":
            body.emit(
                code.Assembly(
                    results=(),
                    template=instruction_of(intrinsic.name, arguments),
                    constraints="~{memory}",
                    operands=(),
                    has_side_effects=True,
                    place=place,
                )
            )
        case "compute":
            _computed_results(body, item, intrinsic.name, tuple(arguments), place)
        case "function":
            suffix = {"f64": "", "f32": "f"}.get(str(body.result(item).type))
            if suffix is None or checks_of(item.flags):
                raise UnsupportedError(f"`{' '.join(item.flags)} llvm.{intrinsic.name}` is not supported")
            callee = code.FunctionAddress(FUNCTIONS.get(intrinsic.name, intrinsic.name) + suffix)
            body.lowering.reach(callee)
            body.emit(
                code.Call(results=body.results(item), callee=callee, arguments=tuple(arguments), place=place)
            )
        case "call":
            callee = code.FunctionAddress(f"llvm.{intrinsic.name}")
            body.emit(
                code.Call(results=body.results(item), callee=callee, arguments=tuple(arguments), place=place)
            )
        case _:
            raise AssertionError(intrinsic)


def _require_arguments(body: FunctionBody, item: llvm.Call, intrinsic: Intrinsic) -> None:
    """Refuses a call with another number of arguments than the function has, which may be undeclared."""
    name = item.callee.name if isinstance(item.callee, llvm.Global) else ""
    declared = body.lowering.module.functions.get(name)
    given = len(item.arguments)
    if declared is not None and not declared.is_variadic and given != len(declared.parameters):
        expected = len(declared.parameters)
        raise UnsupportedError(f"`{name}` is called with {given} instead of {expected} arguments")
    if given < _FEWEST_ARGUMENTS.get(intrinsic.kind, 0):
        raise UnsupportedError(f"`{name}` with {given} arguments is not supported")


def _computed_results(
    body: FunctionBody,
    item: llvm.Call,
    name: str,
    operands: tuple[code.Operand, ...],
    place: code.Place | None,
) -> None:
    """An intrinsic function of its arguments; one with overflow gives the value and whether it fits."""
    results = body.results(item)
    if len(results) == 1 and expand_intrinsic(name, results[0], operands, place, body.emit):
        return
    operations, checks = [name], checks_of(item.flags)
    if name.endswith(".with.overflow"):
        operation = name.removesuffix(".with.overflow")
        operations = [operation[1:], f"{operation}.overflows"]
    for result, operation in zip(results, operations, strict=True):
        body.emit(
            code.Compute(result=result, operation=operation, operands=operands, checks=checks, place=place)
        )
