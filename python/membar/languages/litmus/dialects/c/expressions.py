"""C expressions and type names to syntax trees, by precedence."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c import syntax as x
from membar.languages.litmus.dialects.c.language import Language
from membar.languages.litmus.dialects.c.tokens import Token
from membar.languages.litmus.dialects.c.types import (
    BASIC_WORDS,
    INT,
    LONG,
    QUALIFIERS,
    UINT,
    ULONG,
    CType,
    IntType,
    PointerType,
)
from membar.records import replace
from membar.source import pattern

_BINDING: Final = MappingProxyType(
    {
        "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
        "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
    }
)  # fmt: skip
"""How tightly each binary operator binds; all group to the left."""

_ENDINGS: Final = frozenset({",", ")", ";"})
_ASSIGNMENTS: Final = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
_NUMBER = pattern(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)([uU]?(?:ll?|LL?)?|(?:ll?|LL?)[uU])")
_ESCAPES = MappingProxyType({"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11})
_RESERVED: Final = frozenset(
    {"if", "else", "while", "do", "for", "return", "break", "continue", "sizeof", "goto"}
)


class ExpressionParser:
    """A position in the tokens, with the grammar of expressions and types. Collects `diagnostics`.

    Attributes:
        token: the next token, not yet taken.
    """

    def __init__(self, tokens: tuple[Token, ...], language: Language) -> None:
        self.language = language
        self._tokens = tokens
        self._at = 0
        self.token = tokens[0]
        self.diagnostics: list[Diagnostic] = []

    @property
    def previous(self) -> Token:
        """The token taken last."""
        return self._tokens[max(0, self._at - 1)]

    def peek(self) -> Token:
        """The token after the next one."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """The next token; moves behind it."""
        token = self.token
        if token.kind != "end":  # the last one, which stays
            self._at += 1
            self.token = self._tokens[self._at]
        return token

    def accept(self, text: str) -> Token | None:
        """The next token if it reads `text`; else None and nothing moves."""
        if self.token.text != text:
            return None
        return self.take()

    def expect(self, text: str, what: str = "") -> Token:
        """The next token, which must read `text`."""
        if self.token.text != text:
            raise self.syntax_error(what or f"`{text}`")
        return self.take()

    def expect_name(self, what: str) -> Token:
        """The next token, which must be an identifier."""
        if self.token.kind != "name" or self.at_type() or self._is_reserved(self.token.text):
            raise self.syntax_error(what)
        return self.take()

    def syntax_error(self, expected: str) -> InputError:
        """The error that says what was found instead of what was `expected`."""
        found = f"`{self.token.text}`" if self.token.kind != "end" else "the end of the code"
        message = f"expected {expected}, found {found}"
        return error(codes.INSTRUCTION, message, self.token.span, f"expected {expected}")

    def _is_reserved(self, word: str) -> bool:
        return word in _RESERVED - self.language.variable_words

    def at_function(self) -> bool:
        """Whether the next tokens begin a thread: `P1 (`."""
        return re.fullmatch(r"P[0-9]+", self.token.text) is not None and self.peek().text == "("

    def at_type(self) -> bool:
        """Whether the next token begins a type."""
        return self.language.types.is_type(self.token.text)

    def type_name(self) -> CType:
        """A type without its stars: `const unsigned int`, `_Atomic(int)`, `atomic_int`."""
        start = self.token.span
        words: list[str] = []
        found: CType | None = None
        while self.token.kind == "name":
            word = self.token.text
            if word == "_Atomic" and self.peek().text == "(":
                self.take()
                self.take()
                found = self.stars(self.type_name())
                self.expect(")")
            elif word in QUALIFIERS or word == "_Atomic":
                self.take()
            elif word == "struct" and not words and found is None:
                found = self._structure()
            elif word in self.language.types.unsupported:
                raise error(
                    codes.TYPE, f"type `{word}` is not supported", self.token.span,
                    "expected an integer of at most 64 bits, or a pointer to one",
                )  # fmt: skip
            elif word in BASIC_WORDS:
                words.append(self.take().text)
            elif not words and found is None and (named := self.language.types.one(word)) is not None:
                self.take()
                found = named
            else:
                break
        if words and found is None:
            found = self.language.types.basic(tuple(words))
            words = [] if found is not None else words
        if found is None and not words:
            raise self._no_type()
        if found is None or words:
            span = start.to(self.previous.span)
            raise error(
                codes.TYPE, f"`{span.text}` is not a type", span, "these specifiers cannot be combined"
            )
        return found

    def _structure(self) -> CType:
        """`struct name`, if that is a scalar here."""
        word = self.take()
        name = self.token
        found = self.language.types.structure(name.text)
        if found is None:
            known = ", ".join(f"`struct {one}`" for one in self.language.types.structures)
            raise error(
                codes.TYPE, "type `struct` is not supported", word.span,
                f"expected {known or 'an integer of at most 64 bits, or a pointer to one'}",
            )  # fmt: skip
        self.take()
        return found

    def _no_type(self) -> InputError:
        word = self.token
        if word.kind != "name":
            return self.syntax_error("a type")
        return error(
            codes.TYPE,
            f"unknown type `{word.text}`",
            word.span,
            "expected a type such as `int` or `atomic_int`",
        )

    def stars(self, kind: CType) -> CType:
        """`kind` with the stars that follow, and their qualifiers."""
        while True:
            if self.accept("*"):
                kind = PointerType(kind)
            elif self.token.text in QUALIFIERS or self.token.text == "_Atomic":
                self.take()
            else:
                return kind

    def expression(self) -> x.Expression:
        """A whole expression, commas included."""
        found = self.assignment()
        while self.accept(","):
            second = self.assignment()
            found = x.Comma(found, second, found.span.to(second.span))
        return found

    def assignment(self) -> x.Expression:
        """An expression without a comma at the top."""
        if self.peek().text in _ENDINGS and self.token.kind in {"name", "number"}:
            return self._primary()  # most are a single word
        left = self._conditional()
        if self.token.text not in _ASSIGNMENTS:
            return left
        op = self.take().text[:-1]
        value = self.assignment()
        return x.Assign(op, left, value, left.span.to(value.span))

    def _conditional(self) -> x.Expression:
        condition = self._binary(1)
        if self.accept("?") is None:
            return condition
        then = self.expression()
        self.expect(":")
        otherwise = self._conditional()
        return x.Conditional(condition, then, otherwise, condition.span.to(otherwise.span))

    def _binary(self, least: int) -> x.Expression:
        """A chain of operators that bind at least as tightly as `least`."""
        left = self._unary()
        while _BINDING.get(self.token.text, 0) >= least:
            op = self.take().text
            right = self._binary(_BINDING[op] + 1)
            node = x.Logical if op in {"&&", "||"} else x.Infix
            left = node(op, left, right, left.span.to(right.span))
        return left

    def _unary(self) -> x.Expression:
        token = self.token
        if token.text in {"++", "--"}:
            self.take()
            target = self._unary()
            return x.Increment(token.text[0], target, is_prefix=True, span=token.span.to(target.span))
        if token.text in {"+", "-", "~", "!", "*", "&"}:
            self.take()
            operand = self._unary()
            return x.Prefix(token.text, operand, token.span.to(operand.span))
        if token.text == "(":
            return self._parenthesised_or_cast()
        return self._postfix(self._primary())

    def _parenthesised_or_cast(self) -> x.Expression:
        opening = self.take()
        if self.at_type():
            kind = self.stars(self.type_name())
            self.expect(")", "`)` after the type of a cast")
            operand = self._unary()
            return x.Cast(kind, operand, opening.span.to(operand.span))
        inside = self.expression()
        closing = self.expect(")")
        return self._postfix(replace(inside, span=opening.span.to(closing.span)))

    def _postfix(self, found: x.Expression) -> x.Expression:
        while True:
            if self.accept("["):
                index = self.expression()
                found = x.Index(found, index, found.span.to(self.expect("]").span))
            elif self.token.text in {"++", "--"}:
                sign = self.take()
                found = x.Increment(sign.text[0], found, is_prefix=False, span=found.span.to(sign.span))
            elif self.token.text in {".", "->"}:
                raise error(
                    codes.UNSUPPORTED, "structures are not supported", self.token.span, "expected a scalar"
                )
            else:
                return found

    def _primary(self) -> x.Expression:
        token = self.token
        if token.kind == "number":
            return _number(self.take())
        if token.kind == "character":
            return x.Number(_character(self.take()), INT, token.span)
        if token.kind == "name" and token.text in {"true", "false"}:
            self.take()
            return x.Number(int(token.text == "true"), INT, token.span)
        if token.text == "sizeof":
            raise error(
                codes.UNSUPPORTED, "`sizeof` is not supported", token.span, "write the number of bytes"
            )
        if token.kind != "name" or self._is_reserved(token.text) or self.at_type():
            raise self.syntax_error("an expression")
        self.take()
        if self.token.text == "{":
            raise error(
                codes.UNSUPPORTED, f"`{token.text}{{…}}` is not C11", token.span,
                "herd's own operations are not supported", help="call the corresponding function",
            )  # fmt: skip
        if self.accept("(") is None:
            return x.Name(token.text, token.span)
        return self._call(token)

    def _call(self, function: Token) -> x.Call:
        """The arguments; the `(` was taken already."""
        arguments: list[x.Expression] = []
        if self.token.text != ")":
            arguments.append(self.assignment())
            while self.accept(","):
                arguments.append(self.assignment())
        end = self.expect(")", "`,` or `)` after an argument").span
        if function.text in self.language.place_calls and arguments:
            arguments[0] = x.Prefix("&", arguments[0], arguments[0].span)
        return x.Call(function.text, tuple(arguments), function.span, function.span.to(end))


def _number(token: Token) -> x.Number:
    """A literal: the first of int, long and their unsigned forms that C tries and that holds it."""
    if len(token.text) == 1 and token.text in "0123456789":  # as nearly all are
        return x.Number(int(token.text), INT, token.span)
    match = _NUMBER.fullmatch(token.text)
    if match is None:
        raise error(
            codes.OPERAND, f"`{token.text}` is not an integer", token.span, "expected a number such as `1`"
        )
    digits, suffix = match[1], match[2].lower()
    is_decimal = digits[0] != "0"
    value = int(digits, 10 if is_decimal else 8 if digits.isdigit() else 0)
    for kind in (INT, UINT, LONG, ULONG):
        if not _literal_may_be(kind, suffix, is_decimal=is_decimal):
            continue
        if value < 1 << (kind.width - kind.signed):
            return x.Number(value, kind, token.span)
    raise error(
        codes.OPERAND, f"`{token.text}` does not fit in 64 bits", token.span, "the number is too large"
    )


def _literal_may_be(kind: IntType, suffix: str, *, is_decimal: bool) -> bool:
    if "u" in suffix and kind.signed:
        return False
    if "l" in suffix and kind.width < LONG.width:
        return False
    return kind.signed or "u" in suffix or not is_decimal


def _character(token: Token) -> int:
    inside = token.text[1:-1]
    if len(inside) == 1 and ord(inside) < 128:
        return ord(inside)
    if len(inside) == 2 and inside[0] == "\\":
        return _ESCAPES.get(inside[1], ord(inside[1]))
    raise error(codes.OPERAND, f"{token.text} is not supported", token.span, "expected one ASCII character")
