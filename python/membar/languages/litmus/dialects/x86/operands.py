"""Operands in Intel syntax (`[x]`, `EAX`, `$1`) and AT&T syntax (`(x)`, `%eax`, `$1`)."""

from __future__ import annotations

import re
from collections.abc import Collection

from membar.diagnostics import InputError, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.x86.instruction import Direct, Immediate, Memory, Name, Operand
from membar.languages.litmus.dialects.x86.registers import Part, part
from membar.languages.litmus.test import Cell
from membar.program.expr import Address
from membar.source import pattern

_NAME = r"[A-Za-z_.][A-Za-z0-9_.$]*"
_DIGITS = r"(?:0[xX][0-9a-fA-F]{1,40}|[0-9]{1,40})"
_NUMBER = rf"[-+]?\s*{_DIGITS}"
_IMMEDIATE = pattern(rf"\$?\s*({_NUMBER})")
_ADDRESS = pattern(rf"\$\s*({_NAME})")
_BARE = pattern(_NAME)

_INTEL_MEMORY = pattern(r"(?:(?P<size>[A-Za-z]+)\s+[Pp][Tt][Rr]\s*)?\[(?P<inside>[^\[\]]*)\]")
_INTEL_SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8}
_TERM = pattern(
    rf"\s*(?P<sign>[-+]?)\s*(?:(?P<scale>[1248])\s*\*\s*(?P<scaled>{_NAME})"
    rf"|(?P<name>{_NAME})(?:\s*\*\s*(?P<times>[1248]))?|(?P<number>{_DIGITS}))\s*"
)

# Of `X86_64` only: compiled when they are first used.
_ATT_MEMORY = (
    rf"(?:%(?P<segment>[A-Za-z]+)\s*:\s*)?(?:(?P<symbol>{_NAME})\s*(?P<offset>{_NUMBER})?|(?P<number>{_NUMBER}))?"
    rf"\s*\((?P<inside>[^()]*)\)"
)
_ATT_INSIDE = (
    r"\s*(?:%\s*(?P<base>[A-Za-z0-9]+))?"
    r"\s*(?:,\s*%\s*(?P<index>[A-Za-z0-9]+)\s*(?:,\s*(?P<scale>[0-9]{1,9}))?)?\s*"
)


def intel_operand(text: Cell, locations: Collection[str]) -> Operand:
    """One operand of an `X86` test. A name that is a declared location wins over a register."""
    if constant := _constant(text):
        return constant
    if found := part(text.text, 32):
        return Direct(found, text.span)
    if text.text[0] == "[" and _is_word(name := text.text[1:-1]) and text.text[-1] == "]":
        register = None if name in locations else part(name, 32)
        return Memory(symbol=None if register else name, base=register, span=text.span)
    if memory := _INTEL_MEMORY.fullmatch(text.text):
        return _intel_memory(text, memory, locations)
    if _BARE.fullmatch(text.text):
        return Name(text.text, text.span)
    raise _malformed_operand(text, "a register `EAX`, a location `[x]` or a constant `$1`")


def att_operand(text: Cell, locations: Collection[str]) -> Operand:
    """One operand of an `X86_64` test."""
    del locations  # registers have a `%`: nothing can be confused
    if constant := _constant(text):
        return constant
    if text.text.startswith("%") and ":" not in text.text:
        return Direct(_att_register(text, text.text[1:].strip()), text.span)
    if memory := re.fullmatch(_ATT_MEMORY, text.text):
        return _att_memory(text, memory)
    if _BARE.fullmatch(text.text):
        return Name(text.text, text.span)
    raise _malformed_operand(text, "a register `%eax`, a location `(x)` or a constant `$1`")


def _is_word(text: str) -> bool:
    """Whether a text is what most addresses are: a single name."""
    return text.isascii() and text.isidentifier()


def _number(text: str) -> int:
    digits = re.sub(r"\s", "", text)
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    return sign * int(digits, 16 if digits[:2] in {"0x", "0X"} else 10)


def _constant(text: Cell) -> Immediate | None:
    """A number, or `$x`, the address of a location. A number needs no `$`."""
    if text.text[0] not in "$+-0123456789":
        return None
    if (digits := text.text.removeprefix("$")).isdecimal() and digits.isascii() and len(digits) <= 40:
        return Immediate(int(digits), text.span)
    if number := _IMMEDIATE.fullmatch(text.text):
        return Immediate(_number(number[1]), text.span)
    if address := _ADDRESS.fullmatch(text.text):
        return Immediate(Address(address[1]), text.span)
    return None


def _malformed_operand(text: Cell, expected: str) -> InputError:
    return error(codes.OPERAND, f"malformed operand `{text.text}`", text.span, f"expected {expected}")


def _intel_memory(text: Cell, memory: re.Match[str], locations: Collection[str]) -> Memory:
    """`DWORD PTR [x+EBX*4+8]`."""
    size: int | None = None
    if memory["size"]:
        size = _INTEL_SIZES.get(memory["size"].upper())
        if size is None:
            raise _malformed_operand(text, "BYTE, WORD, DWORD or QWORD before PTR")
    symbol: str | None = None
    displacement, base, index, scale = 0, None, None, 1
    inside, at = memory["inside"], 0
    while at < len(inside):
        term = _TERM.match(inside, at)
        if term is None or (at and not term["sign"]):
            raise _malformed_operand(text, "an address such as `[x]`, `[EAX]` or `[x+EBX*4]`")
        at = term.end()
        name, times = term["name"] or term["scaled"], int(term["scale"] or term["times"] or 1)
        if name is None:
            displacement += _number(term["sign"] + term["number"])
            continue
        register = part(name, 32) if name not in locations else None
        if term["sign"] == "-" or (register is None and (symbol is not None or times != 1)):
            raise _malformed_operand(text, "at most one location, and only sums")
        if register is None:
            symbol = name
        elif base is None and times == 1:
            base = register
        elif index is None:
            index, scale = register, times
        else:
            raise _malformed_operand(text, "at most two registers")
    if symbol is None and base is None and index is None:
        raise _malformed_operand(text, "a location or a register between the brackets")
    return Memory(
        symbol=symbol,
        displacement=displacement,
        base=base,
        index=index,
        scale=scale,
        size=size,
        span=text.span,
    )


def _att_memory(text: Cell, memory: re.Match[str]) -> Memory:
    """`8(%rax,%rbx,4)`, `(x)`, `x(%rip)`, `x+8(%rip)`."""
    expected = "an address such as `(x)`, `(%rax)` or `8(%rax,%rbx,4)`"
    if memory["segment"] and memory["segment"].upper() not in {"CS", "DS", "ES", "SS"}:
        raise error(
            codes.UNSUPPORTED,
            f"segment `%{memory['segment']}` is not supported",
            text.span,
            "expected an address without segment",
        )
    symbol, inside = memory["symbol"], memory["inside"].strip()
    displacement = _number(memory["offset"] or memory["number"] or "0")
    if _BARE.fullmatch(inside):
        if symbol is not None:
            raise _malformed_operand(text, expected)
        if part(inside, 64):
            raise error(
                codes.OPERAND,
                f"`{inside}` in brackets is a register without `%`",
                text.span,
                f"expected `(%{inside})`",
            )
        return Memory(symbol=inside, displacement=displacement, span=text.span)
    registers = re.fullmatch(_ATT_INSIDE, inside)
    if registers is None or not inside:
        raise _malformed_operand(text, expected)
    base, index = registers["base"], registers["index"]
    if base is not None and base.upper() == "RIP":
        if symbol is None or index is not None:
            raise _malformed_operand(text, "a location before `(%rip)`")
        return Memory(symbol=symbol, displacement=displacement, span=text.span)
    return Memory(
        symbol=symbol,
        displacement=displacement,
        base=_att_register(text, base) if base else None,
        index=_att_register(text, index) if index else None,
        scale=int(registers["scale"] or 1),
        span=text.span,
    )


def _att_register(text: Cell, name: str) -> Part:
    found = part(name, 64)
    if found is None:
        raise error(
            codes.UNKNOWN_REGISTER,
            f"unknown register `%{name}`",
            text.span,
            "expected a register such as `%rax`",
        )
    return found
