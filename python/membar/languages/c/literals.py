"""Literals: their characters, and the numbers that they are."""

from __future__ import annotations

from typing import Final

from pycparser import c_ast as ast

_ESCAPES: Final = {
    "n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27,
    "\\": 92, "'": 39, '"': 34, "?": 63,
}  # fmt: skip


def string_bytes(literal: str) -> list[int]:
    """The characters of a string or character literal (or several side by side), without the last 0."""
    found: list[int] = []
    at, inside = 0, ""
    while at < len(literal):
        sign = literal[at]
        at += 1
        if not inside:
            inside = sign if sign in "\"'" else ""
        elif sign == inside:
            inside = ""
        elif sign == "\\" and at < len(literal):
            number, at = _escape(literal, at)
            found.append(number)
        else:
            found += sign.encode()
    return found


def _escape(literal: str, at: int) -> tuple[int, int]:
    if literal[at] == "x":
        end = at + 1
        while end < len(literal) and literal[end] in "0123456789abcdefABCDEF":
            end += 1
        return int(literal[at + 1 : end] or "0", 16) & 0xFF, end
    if literal[at] in "01234567":
        end = at
        while end < min(len(literal), at + 3) and literal[end] in "01234567":
            end += 1
        return int(literal[at:end], 8) & 0xFF, end
    return _ESCAPES.get(literal[at], ord(literal[at]) & 0xFF), at + 1


def literal(node: ast.Constant) -> int | None:
    """The number that a literal is."""
    text = node.value
    if node.type.endswith("char"):
        found = string_bytes(text)
        return found[-1] if found else None
    if node.type == "string" or "float" in node.type or "double" in node.type:
        return None
    if node.type == "bool":
        return int(text == "true")
    digits = text.replace("'", "").lower().rstrip("ul")
    try:
        if digits.startswith("0b"):
            return int(digits, 2)
        return int(digits, 16) if digits.startswith("0x") else int(digits, 8 if digits[:1] == "0" else 10)
    except ValueError:
        return None
