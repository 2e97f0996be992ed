"""The text of inline assembly, and its operands by the constraints of LLVM IR."""

from __future__ import annotations

import re
from collections.abc import Sequence

from membar.code import ir
from membar.records import record, replace
from membar.source import pattern

_SEPARATOR = pattern(r"[;\n]")
_LABEL = pattern(r"^(?P<label>[\w.]+):\s*")
_REFERENCE = pattern(r"\$(?:(?P<number>\d+)|\{(?P<inner>\d+)(?::(?P<modifier>\w+))?\})")
_WIDTHS = {"byte": "b", "word": "w", "dword": "l", "qword": "q"}
_SIZED = pattern(r"(?P<size>byte|word|dword|qword) ptr \[(?P<address>[^\[\]+*-]+)\]")
_NUMBER = pattern(r"[$#]*(?P<value>-?(?:0x[0-9a-f]+|\d+))")


@record(frozen=True, slots=True)
class Statement:
    """One instruction: `lock` and `xaddl`, or `1:` with nothing after it, are statements of their own."""

    mnemonic: str
    operands: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Slot:
    """An operand by its number in the template.

    Attributes:
        value: what the program passes; None for an output that has no input.
        result: the number of the result that it is; None if it is none.
        is_memory: whether `value` is the address of the operand.
        flag: the condition that an output of this kind shows, such as `z`.
        register: the register that it must be in, if it is a certain one.
    """

    value: ir.Operand | None = None
    result: int | None = None
    is_memory: bool = False
    flag: str = ""
    register: str = ""


@record(frozen=True, slots=True)
class Operands:
    """The operands of one piece of assembly."""

    slots: tuple[Slot, ...]
    clobbers: tuple[str, ...]

    @property
    def has_memory_clobber(self) -> bool:
        """Whether the compiler was told that memory changes."""
        return "memory" in self.clobbers

    def number(self, text: str) -> int | None:
        """The number of the operand that a text is; None if it is none."""
        found = _REFERENCE.fullmatch(text.strip())
        number = None if found is None else int(found["number"] or found["inner"])
        return number if number is not None and number < len(self.slots) else None

    def register(self, text: str) -> int | None:
        """The number of the register operand that a text is."""
        number = self.number(text)
        return number if number is not None and not self.slots[number].is_memory else None

    def memory(self, text: str, form: str) -> ir.Operand | None:
        """The address of the memory operand that a text is; addresses are written in `form`: `[]`, `()`."""
        number = self.number(text)
        if number is not None:
            return self.slots[number].value if self.slots[number].is_memory else None
        text = text.strip()
        opening, closing = form[0], form[1]
        inner = text.removeprefix("0") if opening == "(" else text
        if not (inner.startswith(opening) and inner.endswith(closing)):
            return None
        number = self.number(inner[1:-1])
        return None if number is None else self.slots[number].value


def immediate(text: str) -> int | None:
    """The constant that a text is; None if it is none."""
    found = _NUMBER.fullmatch(text.strip())
    return None if found is None else int(found["value"], 0)


def modifier(text: str) -> str:
    """The modifier of a reference, such as `w` of `${0:w}`."""
    found = _REFERENCE.fullmatch(text.strip())
    return (found["modifier"] or "") if found is not None else ""


def read_statements(template: str) -> tuple[Statement, ...]:
    """The statements of a template, in small letters."""
    found: list[Statement] = []
    for piece in _SEPARATOR.split(template.replace("\t", " ").lower()):
        text = re.sub(r"(//|/\*|@ ).*", "", piece).strip()
        label = _LABEL.match(text)
        while label is not None:
            found.append(Statement(label["label"] + ":"))
            text = text[label.end() :]
            label = _LABEL.match(text)
        if not text:
            continue
        mnemonic, _, rest = text.partition(" ")
        if mnemonic in {"lock", "rep"} and rest:
            found.append(Statement(mnemonic))
            mnemonic, _, rest = rest.strip().partition(" ")
        found.append(_in_att_syntax(mnemonic, _split(rest)))
    return tuple(found)


def _in_att_syntax(mnemonic: str, operands: list[str]) -> Statement:
    """A statement; one in Intel's syntax that names the width of its memory, in that of AT&T."""
    sizes = [_SIZED.fullmatch(each) for each in operands]
    width = next((match["size"] for match in sizes if match is not None), None)
    if width is None:
        return Statement(mnemonic, tuple(operands))
    words = [
        each if match is None else f"({match['address']})"
        for each, match in zip(operands, sizes, strict=True)
    ]
    return Statement(mnemonic + _WIDTHS[width], tuple(reversed(words)))


def _split(text: str) -> list[str]:
    """Operands between commas that are outside brackets."""
    found, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*found, last] if last or found else []


def read_operands(constraints: str, values: Sequence[ir.Operand]) -> Operands:
    """The operands that constraints describe, with the values that the program passes."""
    slots: list[Slot] = []
    clobbers: list[str] = []
    given = iter(values)
    results = 0
    for word in constraints.split(","):
        if word.startswith("~"):
            clobbers.append(word.strip("~{}"))
        elif word.startswith("="):
            body = word[1:].lstrip("&")
            if body.startswith("*"):
                slots.append(Slot(value=next(given, None), is_memory=True))
                continue
            flag = body.removeprefix("{@cc").rstrip("}") if body.startswith("{@cc") else ""
            slots.append(Slot(result=results, flag=flag, register="" if flag else _named(body)))
            results += 1
        elif word:
            value, register = next(given, None), _named(word)
            number = int(word) if word.isdigit() else _output(slots, register)
            if number is not None:  # the same register as an output
                slots[number] = replace(slots[number], value=value)
            slots.append(Slot(value=value, is_memory=word.startswith("*"), register=register))
    return Operands(tuple(slots), tuple(clobbers))


def _output(slots: Sequence[Slot], register: str) -> int | None:
    """The number of the output in a certain register."""
    outputs = (number for number, slot in enumerate(slots) if register and slot.result is not None)
    return next((number for number in outputs if slots[number].register == register), None)


def _named(constraint: str) -> str:
    """The register that a constraint names, as `{ax}`."""
    return constraint[1:-1] if constraint.startswith("{") and constraint.endswith("}") else ""
