"""Literals: numbers, characters and strings."""

from __future__ import annotations

from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import codes, floats
from membar.languages.c import types as t
from membar.languages.c.literals import string_bytes
from membar.languages.c.operators import Operators
from membar.languages.c.values import Value, constant, converted
from membar.languages.c.world import LITERAL, Object
from membar.program.expr import Address

_LITERALS: Final = (t.INT, t.UINT, t.LONG, t.ULONG)


class Constants(Operators):
    """The literals of one machine."""

    def literal_value(self, node: ast.Constant) -> Value:
        """The value of a number, a character or a string."""
        text = node.value
        if node.type == "string":
            return self.string(node)
        if node.type.endswith("char"):
            if text[0] != "'":
                self.m.refuse(node, "a wide character")
            codes_ = string_bytes(text) or [0]
            return Value(converted(constant(codes_[-1]), t.CHAR).expr, t.INT)
        if node.type == "bool":
            return constant(int(text == "true"))
        if "float" in node.type or "double" in node.type:
            number = floats.literal(text)
            if number is None:
                self.m.refuse(node, f"the floating-point number `{text}`")
            return number
        return self._integer(text, node)

    def _integer(self, text: str, node: ast.Node) -> Value:
        digits = text.replace("'", "").lower().rstrip("ul")
        suffix = text.lower()[len(text.replace("'", "").lower().rstrip("ul")) :].replace("'", "")
        base = (
            16 if digits.startswith("0x") else 2 if digits.startswith("0b") else 8 if digits[0] == "0" else 10
        )
        try:
            number = int(digits.removeprefix("0x").removeprefix("0b") or "0", base)
        except ValueError:
            self.m.refuse(node, f"the number `{text}`", codes.SYNTAX)
        is_long, is_unsigned = "l" in suffix, "u" in suffix
        for kind in _LITERALS:
            if (is_long and kind.size < 8) or (is_unsigned and kind.signed):
                continue
            if not kind.signed and base == 10 and not is_unsigned and kind.size < 8:
                continue
            if number < 1 << (kind.width - kind.signed):
                return constant(number, kind)
        self.m.refuse(node, f"the number `{text}` does not fit into 64 bits", codes.CONSTANT)

    def string(self, node: ast.Constant) -> Value:
        """A pointer to the characters of a string, which are in memory."""
        content = string_bytes(node.value)
        kind = t.Array(t.CHAR, len(content) + 1)
        found = self.m.world.objects.get(f"{LITERAL}{id(node)}")
        item = found or self.m.world.new_object(
            Object(
                label=f"{LITERAL}{id(node)}",
                name=f"string{len(self.m.world.objects)}",
                type=kind,
                declared=id(node),
                in_memory=True,
                span=self.m.span(node),
                initial=dict(enumerate(content)),
                is_text=True,
            )
        )
        return Value(Address(item.label), t.Pointer(t.CHAR))
