"""Text that is given to functions that print it: which arguments of a call these are, and its length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from membar.code import ir
from membar.records import record
from membar.source import pattern

# Function → the numbers of its arguments that are text.
_TEXTS: Mapping[str, tuple[int, ...]] = {
    "puts": (0,), "fputs": (0,), "perror": (0,), "fopen": (0, 1), "open": (0,), "getenv": (0,),
    "strftime": (2,), "secure_getenv": (0,), "pthread_setname_np": (1,),
}  # fmt: skip
_MAY_BE_NULL = frozenset({"perror"})
# Function → the number of its argument that is a format.
_FORMATS: Mapping[str, int] = {
    "printf": 0, "fprintf": 1, "dprintf": 1, "sprintf": 1, "snprintf": 2, "vprintf": 0, "vfprintf": 1,
    "vsprintf": 1, "vsnprintf": 2, "__printf_chk": 1, "__fprintf_chk": 2, "__sprintf_chk": 3,
    "__snprintf_chk": 4, "__vsnprintf_chk": 4, "err": 1, "errx": 1, "warn": 0, "warnx": 0, "syslog": 1,
}  # fmt: skip
# Function that prints into memory, its first argument → the number of the argument that says how much.
_INTO_MEMORY: Mapping[str, int | None] = {
    "sprintf": None, "vsprintf": None, "__sprintf_chk": None, "snprintf": 1, "vsnprintf": 1,
    "__snprintf_chk": 1, "__vsnprintf_chk": 1, "strftime": 1,
}  # fmt: skip
# Function → the number of its argument that is memory of any type.
_MEMORY: Mapping[str, int] = {"fwrite": 0, "write": 1}
_CONVERSION = pattern(
    rb"%(?P<flags>[-+ #0']*)(?P<width>\*|\d*)(?P<precision>\.(?:\*|\d*))?"
    rb"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>[a-zA-Z%])"
)
# How many characters numbers of 8, 16, 32 and 64 bits have at most.
_DIGITS: Mapping[bytes, tuple[int, int, int, int]] = {
    b"d": (4, 6, 11, 20), b"i": (4, 6, 11, 20), b"u": (3, 5, 10, 20), b"x": (2, 4, 8, 16),
    b"X": (2, 4, 8, 16), b"o": (3, 6, 11, 22),
}  # fmt: skip
_POINTER = (3, 20)
ENDLESS = 1 << 62
"""The length of text that may have any length."""


@record(frozen=True, slots=True)
class Conversion:
    """One conversion of a format, such as `%5d`, and the argument that it prints, if that is known."""

    match: re.Match[bytes]
    argument: ir.Operand | None

    @property
    def kind(self) -> bytes:
        """Its last letter."""
        return self.match["kind"]

    @property
    def is_text(self) -> bool:
        """Whether it prints a text up to its end."""
        return self.kind == b"s" and self.match["precision"] is None and self.match["length"] is None


def printed_texts(module: ir.Module, name: str, arguments: tuple[ir.Operand, ...]) -> Iterator[ir.Operand]:
    """The arguments of a call that are text which is read up to its end."""
    for number in _TEXTS.get(name, ()):
        is_missing = number >= len(arguments) or (name in _MAY_BE_NULL and _is_null(arguments[number]))
        if not is_missing and _constant_text(module, arguments[number]) is None:
            yield arguments[number]
    shown = _format_of(name, arguments)
    if shown is None:
        return
    if _constant_text(module, shown) is None:
        yield shown
    for each in _conversions(module, name, arguments):
        given = each.argument
        if given is None or not each.is_text or given.type != ir.PTR:
            continue
        if _constant_text(module, given) is None:
            yield given


def not_followed(
    module: ir.Module, name: str, arguments: tuple[ir.Operand, ...]
) -> Iterator[tuple[str, str]]:
    """What of the memory that a call reads or writes is not followed: properties, and the words for that."""
    shown = _format_of(name, arguments)
    found = list(_conversions(module, name, arguments))
    number = _MEMORY.get(name, len(arguments))
    reads = number < len(arguments) and _constant_text(module, arguments[number]) is None
    if shown is not None and _constant_text(module, shown) is None:
        rest = arguments[_FORMATS[name] + 1 :]
        reads = any(each.type == ir.PTR for each in rest)
    elif name.startswith(("v", "__v")):
        reads = any(each.is_text for each in found)
    else:  # a number where a text is expected, or nothing
        reads = reads or any(each.kind == b"s" and not _is_pointer(each.argument) for each in found)
    if reads:
        yield from ((word, f"without what `{name}` reads") for word in ("memory", "races"))
    if any(each.kind == b"n" for each in found):
        yield "", "without what `%n` writes"


def target_of(name: str, arguments: tuple[ir.Operand, ...]) -> tuple[ir.Operand, ir.Operand | None] | None:
    """Where a call prints text to, and how many bytes at most; None if that is not into memory."""
    if name not in _INTO_MEMORY or not arguments:
        return None
    number = _INTO_MEMORY[name]
    return arguments[0], None if number is None or number >= len(arguments) else arguments[number]


def printed_length(module: ir.Module, name: str, arguments: tuple[ir.Operand, ...]) -> tuple[int, int]:
    """How many characters a call prints at least and at most."""
    shown = _format_of(name, arguments)
    text = None if shown is None else _constant_text(module, shown)
    if text is None:
        return 0, ENDLESS
    least = most = len(_CONVERSION.sub(b"", text))
    for each in _conversions(module, name, arguments):
        low, high = _length_of(module, each)
        least, most = least + low, min(most + high, ENDLESS)
    return least, most


def _length_of(module: ir.Module, item: Conversion) -> tuple[int, int]:
    flags, width, precision = item.match["flags"], item.match["width"], item.match["precision"]
    exact = _number(precision[1:]) if precision is not None else None
    least, most = 0, ENDLESS
    if item.kind == b"%":
        return 1, 1
    if item.kind == b"n":
        return 0, 0
    if item.kind == b"c" and item.match["length"] is None:
        least, most = 1, 1
    elif item.kind == b"p":
        least, most = _POINTER
    elif item.kind == b"s" and item.match["length"] is None:
        text = None if item.argument is None else _constant_text(module, item.argument)
        least, most = (0, ENDLESS) if text is None else (len(text), len(text))
        if precision is not None:
            least, most = (min(least, exact), min(most, exact)) if exact is not None else (0, most)
    elif item.kind in _DIGITS:
        column = {b"hh": 0, b"h": 1, None: 2}.get(item.match["length"], 3)
        least, most = 1, _DIGITS[item.kind][column] + 2 * (b"#" in flags)
        if precision is not None:
            least = exact or 0
            most = ENDLESS if exact is None else max(most, exact + 3)
        least += item.kind in b"di" and (b"+" in flags or b" " in flags)
    if width == b"*":
        return least, ENDLESS
    return max(least, _number(width) or 0), max(most, _number(width) or 0)


def _number(digits: bytes) -> int | None:
    """The number that is written; a star is not known, and nothing is 0."""
    return None if digits == b"*" else min(int(digits or b"0"), ENDLESS)


def _conversions(module: ir.Module, name: str, arguments: tuple[ir.Operand, ...]) -> Iterator[Conversion]:
    shown = _format_of(name, arguments)
    text = None if shown is None else _constant_text(module, shown)
    if text is None:
        return
    is_list = name.startswith(("v", "__v"))  # its arguments are in a `va_list`
    rest = iter(() if is_list else arguments[_FORMATS[name] + 1 :])
    for found in _CONVERSION.finditer(text):
        if found["kind"] == b"%":
            yield Conversion(found, None)
            continue
        for _ in range((found["width"] + (found["precision"] or b"")).count(b"*")):
            next(rest, None)
        yield Conversion(found, next(rest, None))


def _format_of(name: str, arguments: tuple[ir.Operand, ...]) -> ir.Operand | None:
    number = _FORMATS.get(name, len(arguments))
    return arguments[number] if number < len(arguments) else None


def _is_pointer(operand: ir.Operand | None) -> bool:
    return operand is not None and operand.type == ir.PTR


def _is_null(operand: ir.Operand) -> bool:
    return isinstance(operand, ir.Constant) and operand.value == 0


def _constant_text(module: ir.Module, operand: ir.Operand) -> bytes | None:
    """The bytes of a constant up to the 0 at its end; None if the operand is not such a constant."""
    item = module.objects.get(operand.name) if isinstance(operand, ir.ObjectAddress) else None
    if (
        item is None
        or item.content is None
        or not item.is_constant
        or not isinstance(operand, ir.ObjectAddress)
    ):
        return None
    text, end, _ = item.content[operand.offset :].partition(b"\0")
    return text if end else None
