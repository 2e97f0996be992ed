"""Text that is given to functions that print it: which arguments of a call these are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from membar.code import ir

# Function → the number of its argument that is text, or a format.
_TEXT: Mapping[str, int] = {"puts": 0, "fputs": 0, "perror": 0}
_FORMATS: Mapping[str, int] = {
    "printf": 0, "fprintf": 1, "dprintf": 1, "sprintf": 1, "snprintf": 2, "vprintf": 0, "vfprintf": 1,
    "vsprintf": 1, "vsnprintf": 2, "__printf_chk": 1, "__fprintf_chk": 2, "__sprintf_chk": 3,
    "__snprintf_chk": 4, "__vsnprintf_chk": 4,
}  # fmt: skip
# Function → the number of its argument that is memory of any type.
_MEMORY: Mapping[str, int] = {"fwrite": 0, "write": 1}
_CONVERSION = re.compile(
    rb"%[-+ #0']*(?P<width>\*|\d*)(?P<precision>\.(?:\*|\d*))?"
    rb"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>[a-zA-Z%])"
)
NOT_READ = "without what `fwrite` and `write` read"


def printed_texts(module: ir.Module, name: str, arguments: tuple[ir.Operand, ...]) -> Iterator[ir.Operand]:
    """The arguments of a call that are text of which at least one byte is read."""
    if name in _TEXT and len(arguments) > _TEXT[name]:
        yield from _unless_constant(module, arguments[_TEXT[name]])
    if name not in _FORMATS or len(arguments) <= _FORMATS[name]:
        return
    shown = arguments[_FORMATS[name]]
    yield from _unless_constant(module, shown)
    rest = iter(arguments[_FORMATS[name] + 1 :])
    for found in _CONVERSION.finditer(_constant_text(module, shown) or b""):
        if found["kind"] == b"%":
            continue
        for _ in range((found["width"] + (found["precision"] or b"")).count(b"*")):
            next(rest, None)
        given = next(rest, None)
        is_text = found["kind"] == b"s" and found["precision"] is None and found["length"] is None
        if is_text and given is not None and given.type == ir.PTR:
            yield from _unless_constant(module, given)


def reads_memory(module: ir.Module, name: str, arguments: tuple[ir.Operand, ...]) -> bool:
    """Whether a call reads memory that may be anything, and not only a constant."""
    number = _MEMORY.get(name, len(arguments))
    return number < len(arguments) and any(_unless_constant(module, arguments[number]))


def _unless_constant(module: ir.Module, operand: ir.Operand) -> Iterator[ir.Operand]:
    if _constant_text(module, operand) is None:
        yield operand


def _constant_text(module: ir.Module, operand: ir.Operand) -> bytes | None:
    """The bytes of a constant up to its end; None if the operand is none."""
    item = module.objects.get(operand.name) if isinstance(operand, ir.ObjectAddress) else None
    if (
        item is None
        or item.content is None
        or not item.is_constant
        or not isinstance(operand, ir.ObjectAddress)
    ):
        return None
    return item.content[operand.offset :].partition(b"\0")[0]
