"""The conditions of `#if`: constant expressions of the C preprocessor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from membar.diagnostics import InputError, error
from membar.languages.promela.expressions import character
from membar.text.tokens import Token

_DEEPEST = 60


def _quotient(left: int, right: int) -> int:
    """Division that rounds towards 0, as in C."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) is (right < 0) else -quotient


_LEVELS: Sequence[Mapping[str, Callable[[int, int], int]]] = (
    {"||": lambda a, b: int(bool(a or b))},
    {"&&": lambda a, b: int(bool(a and b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        "<=": lambda a, b: int(a <= b),
        ">": lambda a, b: int(a > b),
        ">=": lambda a, b: int(a >= b),
    },
    {"<<": lambda a, b: a << min(b, 64) if b >= 0 else 0, ">>": lambda a, b: a >> max(b, 0)},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": _quotient, "%": lambda a, b: a - b * _quotient(a, b)},
)


def condition(words: Sequence[Token], directive: Token) -> bool:
    """Whether a condition holds, its macros already in place; a name that is left over is 0.

    Raises:
        InputError: it is no constant expression.
    """
    reader = _Condition(words, directive)
    try:
        value = reader.level(0)
    except ZeroDivisionError:
        raise error("W0703", "division by 0 in a condition", directive.span, "expected a number") from None
    if reader.text:
        raise reader.wrong()
    return bool(value)


class _Condition:
    """Reads a condition by precedence."""

    def __init__(self, words: Sequence[Token], directive: Token) -> None:
        self._words = words
        self._directive = directive
        self._at = 0
        self._depth = 0

    @property
    def text(self) -> str:
        """The next word; empty at the end."""
        return self._words[self._at].text if self._at < len(self._words) else ""

    def wrong(self) -> InputError:
        """That the next word does not belong there."""
        found = f"unexpected `{self.text}`" if self.text else "the end of the line"
        return error(
            "W0703", f"{found} in a condition", self._directive.span, "expected a constant expression"
        )

    def level(self, number: int) -> int:
        """Operands joined by operators of this level or tighter ones."""
        if number == len(_LEVELS):
            return self._operand()
        value = self.level(number + 1)
        while operator := _LEVELS[number].get(self.text):
            self._at += 1
            value = operator(value, self.level(number + 1))
        return value

    def _operand(self) -> int:
        sign = self.text
        if not sign:
            raise self.wrong()
        token = self._words[self._at]
        self._at += 1
        self._depth += 1
        if self._depth > _DEEPEST:
            raise error("W0703", "a condition nested too deeply", self._directive.span, f"at most {_DEEPEST}")
        value = self._value(sign, token)
        self._depth -= 1
        return value

    def _value(self, sign: str, token: Token) -> int:
        match token.group, sign:
            case "sign", "!":
                return int(not self._operand())
            case "sign", "-":
                return -self._operand()
            case "sign", "+":
                return self._operand()
            case "sign", "~":
                return ~self._operand()
            case "sign", "(":
                value = self.level(0)
                if self.text != ")":
                    raise self.wrong()
                self._at += 1
                return value
            case "number", digits:
                return int(digits)
            case "character", text:
                return character(text)
            case (("name" | "keyword"), _):
                return 0
            case _:
                self._at -= 1
                raise self.wrong()
