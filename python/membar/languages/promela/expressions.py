"""Expressions and LTL formulas of Promela, read by precedence as SPIN's grammar has it."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from membar.diagnostics import InputError, error
from membar.languages.promela import syntax as p
from membar.languages.promela.tokens import Cursor
from membar.program.temporal import is_prefix
from membar.records import replace
from membar.source import Span
from membar.text.operators import OpenRows, levels
from membar.text.tokens import Token

_Operand: TypeAlias = tuple[p.Expr, Span]
_Tree = TypeVar("_Tree", bound=p.Expr)

# From loose to tight, as in C; all operators associate to the left. Those of LTL with two operands (`U` and
# the like) have a level of their own, and arrows are looser than all.
_LEVELS = levels(
    ("||", "or"),
    ("&&", "and"),
    ("U", "until", "stronguntil", "W", "weakuntil", "V", "R", "release", "S", "T"),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_UNTIL = _LEVELS["U"]
_SAME = {
    "or": "||", "and": "&&", "until": "U", "stronguntil": "U", "weakuntil": "W", "release": "V", "R": "V",
}  # fmt: skip
C_WORDS = ("c_code", "c_decl", "c_expr", "c_state", "c_track")
_ASKS = ("len", "full", "empty", "nfull", "nempty")
_SPECIALS = ("_pid", "_nr_pr", "_last", "np_")
_DEEPEST = 120  # parentheses and signs that an expression is inside of
_HIGHEST = 200
_PREFIXES = {"[]": "[]", "always": "[]", "<>": "<>", "eventually": "<>"}
# They bind most tightly. `X` and `next` are SPIN's; the others are names where no operand follows.
_TIGHT = {"X": "X", "next": "X", "G": "[]", "F": "<>", "Y": "Y", "Z": "Z", "H": "H", "O": "O"}
_ARROWS = {"->": "->", "implies": "->", "<->": "<->", "equivalent": "<->"}


class Expressions:
    """Reads expressions at a cursor.

    Args:
        cursor: where to read.
        processes: the names of processes, whose variables and labels may be named (`P[0]:x`, `P[0]@label`).
        temporal: whether LTL operators are allowed.
    """

    def __init__(self, cursor: Cursor, processes: frozenset[str], *, temporal: bool = False) -> None:
        self._cursor = cursor
        self._temporal = temporal
        self._processes = processes
        self._depth = 0
        # By identity, the trees that were read and their heights, but for leaves.
        self._heights: dict[int, tuple[p.Expr, int]] = {}

    def expression(self) -> p.Expr:
        """An expression with the loosest operators."""
        left = self._binary(0)
        while self._temporal and (sign := self._word(_ARROWS)):
            left = self._infix(sign, left, self._binary(0))
        return left

    def _word(self, words: dict[str, str]) -> str | None:
        token = self._cursor.next
        if token.group in ("sign", "name") and token.text in words:
            return words[self._cursor.take().text]
        return None

    def _binary(self, least: int) -> p.Expr:
        """Operands joined by operators of level `least` or tighter."""
        rows = OpenRows(self._join)
        while True:
            operand = self._operand(self._unary())
            token = self._cursor.next
            level = _LEVELS.get(token.text, -1) if token.group == "sign" or self._is_word(token) else -1
            operand = rows.close(operand, level)
            if level < least:
                return operand[0]
            sign = self._cursor.take().text
            rows.add(operand, level, _SAME.get(sign, sign))

    def _join(self, sign: str, left: _Operand, right: _Operand) -> _Operand:
        span = left[1].to(right[1])
        return self._with_height(p.Infix(sign, left[0], right[0], span), left[0], right[0]), span

    def _with_height(self, tree: _Tree, *parts: p.Expr) -> _Tree:
        """A tree, whose height is now known.

        Raises:
            InputError: it is too high for those who walk down.
        """
        height = 1 + max((self._heights.get(id(part), (part, 0))[1] for part in parts), default=0)
        if height > _HIGHEST:
            message = f"at most {_HIGHEST} operators, each inside the next one"
            raise error("W0702", "the expression is nested too deeply", tree.span, message)
        self._heights[id(tree)] = tree, height
        return tree

    def _operand(self, expr: p.Expr) -> _Operand:
        """An operand that was just read, and where it stands: up to a parenthesis that it has no more."""
        return expr, self._cursor.since(expr.span)

    def _is_prefix(self) -> bool:
        token = self._cursor.next
        return token.text in ("X", "next") or is_prefix(
            token.text, self._cursor.ahead().text, self._cursor.ahead(2).text
        )

    def _is_word(self, token: Token) -> bool:
        return self._temporal and token.group == "name"

    def _infix(self, sign: str, left: p.Expr, right: p.Expr) -> p.Infix:
        return self._with_height(p.Infix(sign, left, right, self._cursor.since(left.span)), left, right)

    def _unary(self) -> p.Expr:
        cursor = self._cursor
        start = cursor.next.span
        self._depth += 1
        if self._depth > _DEEPEST:
            raise error("W0702", "the expression is nested too deeply", start, f"at most {_DEEPEST}")
        try:
            if self._temporal and (sign := self._word(_PREFIXES)):
                operand = self._binary(_UNTIL)  # SPIN: `[] p U q` is `[] (p U q)`
                return self._with_height(p.Prefix(sign, operand, cursor.since(start)), operand)
            if self._temporal and cursor.sees_word(*_TIGHT) and self._is_prefix():
                sign = _TIGHT[cursor.take().text]
                operand = self._unary()
                return self._with_height(p.Prefix(sign, operand, cursor.since(start)), operand)
            if cursor.sees("-", "~", "!", "!!"):
                sign = cursor.take().text
                operand = self._unary()
                span = cursor.since(start)
                inner = p.Prefix("!", operand, span) if sign == "!!" else operand
                return self._with_height(p.Prefix(sign[0], inner, span), operand)
            return self._primary()
        finally:
            self._depth -= 1

    def _primary(self) -> p.Expr:
        cursor = self._cursor
        token = cursor.next
        if token.group == "number":
            return p.Number(cursor.natural("a number"), token.span)
        if token.group == "character":
            cursor.take()
            return p.Number(character(token.text), token.span)
        if cursor.sees("true", "skip", "false"):
            return p.Number(int(cursor.take().text != "false"), token.span)
        if cursor.sees("timeout", "np_") or cursor.sees_word(*_SPECIALS):
            return p.Special(cursor.take().text, token.span)
        if cursor.sees("("):
            return self._parenthesized_expression()
        if cursor.sees(*_ASKS):
            word = cursor.take().text
            cursor.expect("(", f"after `{word}`")
            channel = self.use("a channel")
            cursor.expect(")", "after the channel")
            return p.Ask(word, channel, cursor.since(token.span))
        if cursor.sees("run"):
            return self._run()
        if cursor.sees("enabled", "pc_value", "get_priority"):
            word = cursor.take().text
            cursor.expect("(", f"after `{word}`")
            number = self.expression()
            cursor.expect(")", "after the number of the process")
            return p.ProcessQuestion(word, number, cursor.since(token.span))
        if cursor.sees(*C_WORDS):
            raise embedded_c(token)
        if cursor.sees("eval"):
            raise error("W0702", "`eval` outside a message", token.span, "expected an expression")
        return self._after_use(self.use("an expression"))

    def _parenthesized_expression(self) -> p.Expr:
        cursor = self._cursor
        start = cursor.take().span
        inner = self.expression()
        if not self._temporal and cursor.accept("->"):
            then = self.expression()
            cursor.expect(":", "between the two values of a choice")
            otherwise = self.expression()
            cursor.expect(")", "to close the choice")
            choice = p.Conditional(inner, then, otherwise, cursor.since(start))
            return self._with_height(choice, inner, then, otherwise)
        cursor.expect(")", "to close the parenthesis")
        if not isinstance(inner, p.Infix | p.Prefix):
            return inner
        whole = replace(inner, span=cursor.since(start))
        self._heights[id(whole)] = whole, self._heights[id(inner)][1]
        return whole

    def _run(self) -> p.Run:
        cursor = self._cursor
        start = cursor.take().span
        name = cursor.name("the name of a process")
        arguments = self.arguments("after the name of the process")
        priority = self._unary() if cursor.accept("priority") else None
        return p.Run(name.text, arguments, cursor.since(start), priority)

    def arguments(self, where: str) -> tuple[p.Expr, ...]:
        """`(a, b)`."""
        self._cursor.expect("(", where)
        found: list[p.Expr] = []
        while not self._cursor.sees(")"):
            found.append(self.expression())
            if not self._cursor.accept(","):
                break
        self._cursor.expect(")", "after the arguments")
        return tuple(found)

    def use(self, what: str) -> p.Use:
        """`x`, `a[i]`, `r.field`."""
        cursor = self._cursor
        token = cursor.name(what)
        index: p.Expr | None = None
        if cursor.accept("["):
            index = self.expression()
            cursor.expect("]", "after the index")
        field: p.Use | None = None
        if cursor.accept("."):
            field = self.use("a field")
        return p.Use(token.text, cursor.since(token.span), index, field)

    def _after_use(self, use: p.Use) -> p.Expr:
        cursor = self._cursor
        if cursor.sees("@") and use.field is None:
            cursor.take()
            label = cursor.name("a label")
            return p.Remote(use.name, use.index, label.text, None, cursor.since(use.span))
        is_process = use.name in self._processes or self._temporal
        if is_process and cursor.sees(":") and use.field is None:
            cursor.take()
            variable = self.use("a variable of the process")
            return p.Remote(use.name, use.index, None, variable, cursor.since(use.span))
        if cursor.sees("?", "??") and cursor.ahead().text == "[":
            anywhere = cursor.take().text == "??"
            cursor.take()
            patterns = self.patterns("]")
            cursor.expect("]", "after the message")
            return p.Peek(use, patterns, anywhere, cursor.since(use.span))
        return use

    # Messages

    def patterns(self, end: str) -> tuple[p.Pattern, ...]:
        """What a received message must look like, up to the sign `end`."""
        cursor = self._cursor
        if cursor.sees("("):  # `c?(a, b)` is `c?a,b`
            cursor.take()
            inner = self.patterns(")")
            cursor.expect(")", "after the message")
            return inner
        found = [self._pattern()]
        if cursor.accept("("):  # `c?m(a, b)` is `c?m,a,b`
            while not cursor.sees(")"):
                found.append(self._pattern())
                if not cursor.accept(","):
                    break
            cursor.expect(")", "after the message")
        while cursor.accept(","):
            if cursor.sees(end):
                break
            found.append(self._pattern())
        return tuple(found)

    def _pattern(self) -> p.Pattern:
        cursor = self._cursor
        start = cursor.next.span
        if cursor.accept("eval"):
            cursor.expect("(", "after `eval`")
            value = self.expression()
            cursor.expect(")", "after the value")
            return p.Pattern(value, is_matched=True, span=cursor.since(start))
        if cursor.sees_word("_pid"):
            help_ = "`eval(_pid)` matches a message with the number of this process"
            raise error("W0711", "receiving into `_pid`", start, "this would change it in SPIN", help=help_)
        if cursor.next.group == "name":
            use = self.use("a variable or a constant")
            return p.Pattern(use, is_matched=False, span=use.span)
        value = self._unary()
        return p.Pattern(value, is_matched=True, span=value.span)


def character(text: str) -> int:
    """The number of a character in quotes."""
    escapes = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39}
    inner = text[1:-1]
    return escapes.get(inner[1], ord(inner[1])) if inner.startswith("\\") else ord(inner)


def embedded_c(word: Token) -> InputError:
    """That a text has C inside, which is no part of the language proper."""
    return error("W0711", f"embedded C (`{word.text}`) is not supported", word.span, "expected Promela")
