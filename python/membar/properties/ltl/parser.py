"""`--ltl`: a formula about a program, whatever language that was written in.

    G(P0.wait -> F P0.cs)        [] (x == 0 || y + 1 < z)        (P_0@in) U (a[1] > 0)

Names are those of the program: `x` and `a[1]` are in memory, `P.r` is a register or a label of thread `P`
(also `P:r`, `P@label`; `P[0]` is the thread `P_0`). What has no temporal operator inside is one predicate.
"""

from __future__ import annotations

import re

from membar.diagnostics import error
from membar.program import expr as e
from membar.program import temporal as t
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Program, Thread
from membar.records import record
from membar.source import SourceFile, Span
from membar.tokens import Cursor, tokenize

_TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<number>[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_']*)"
    r"|(?P<sign><->|->|\[\]|<>|&&|\|\||==|!=|<=|>=|[-+*<>=!()\[\]@:.&|])"
)
_PREFIXES = {"G": "G", "[]": "G", "F": "F", "<>": "F", "X": "X"}
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("->", "<->"), ("||", "|"), ("&&", "&"), ("U", "R", "V", "W"), ("==", "=", "!="), ("<", "<=", ">", ">="),
    ("+", "-"), ("*",),
)  # fmt: skip
_TEMPORAL = frozenset({"U", "R", "V", "W", "G", "F", "X"})
_OPERATIONS = {
    "==": e.BinaryOp.EQ, "=": e.BinaryOp.EQ, "!=": e.BinaryOp.NE, "<": e.BinaryOp.SLT, "<=": e.BinaryOp.SLE,
    "+": e.BinaryOp.ADD, "-": e.BinaryOp.SUB, "*": e.BinaryOp.MUL,
}  # fmt: skip
_DEEPEST = 60


@record(frozen=True, slots=True)
class _Node:
    """A part of the formula: an operator with its operands, a number, or something in the state."""

    sign: str
    parts: tuple[_Node, ...]
    span: Span
    value: int = 0
    seen: Observable | None = None

    @property
    def is_temporal(self) -> bool:
        return self.sign in _TEMPORAL or any(part.is_temporal for part in self.parts)


def formula_of(text: str, program: Program, *, name: str = "--ltl") -> t.Formula:
    """The formula that a text says about a program; `name` is where it is from.

    Raises:
        InputError: the text is no formula, or names what the program does not have.
    """
    return _formula(_Reader(SourceFile(name, text), program).formula())


class _Reader(Cursor):
    """Reads a formula by precedence: unary operators bind most tightly, arrows least and to the right."""

    code = number_code = "W0410"
    largest = (1 << 64) - 1

    def __init__(self, source: SourceFile, program: Program) -> None:
        super().__init__(tokenize(source, _TOKEN, code=self.code))
        self._program = program
        self._depth = 0

    def formula(self) -> _Node:
        found = self._binary(0)
        if not self.at_end:
            raise self.wrong("expected an operator or the end")
        return found

    def sees(self, *texts: str) -> bool:
        """Whether one of these comes next; operators such as `U` are names elsewhere."""
        return self.next.text in texts and not self.at_end

    def _binary(self, level: int) -> _Node:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self.sees(*_LEVELS[level]):
            sign = self.take().text
            # Arrows and `U` group to the right, as most tools have it.
            right = self._binary(level if level in (0, 3) else level + 1)
            left = _Node({"|": "||", "&": "&&"}.get(sign, sign), (left, right), left.span.to(right.span))
        return left

    def _unary(self) -> _Node:
        self._depth += 1
        start = self.next.span
        if self._depth > _DEEPEST:
            raise error("W0410", "a formula that is nested too deeply", start, f"at most {_DEEPEST} levels")
        try:
            if (sign := self.accept(*_PREFIXES)) is not None:
                operand = self._unary()
                return _Node(_PREFIXES[sign.text], (operand,), start.to(operand.span))
            if (sign := self.accept("!", "-")) is not None:
                operand = self._unary()
                return _Node(f"unary {sign.text}", (operand,), start.to(operand.span))
            return self._primary()
        finally:
            self._depth -= 1

    def _primary(self) -> _Node:
        span = self.next.span
        if self.accept("("):
            inner = self._binary(0)
            self.expect(")", "to close the parenthesis")
            return inner
        if self.next.group == "number":
            number = self.natural("a number")
            if self.next.text == ":":
                return self._of_thread(self._thread(number, span), span)
            return _Node("number", (), span, value=number)
        if self.sees_word("true", "false"):
            return _Node("number", (), span, value=int(self.take().text == "true"))
        if self.next.group == "name":
            return self._named_term()
        raise self.wrong("expected a formula")

    def _named_term(self) -> _Node:
        token = self.take()
        name, span = token.text, token.span
        index: int | None = None
        if self.accept("["):
            index = self.natural("a number")
            self.expect("]", "after the index")
        if self.sees("@", ":", "."):
            return self._of_thread(self._thread_number(name, index, span), span)
        for item in self._program.objects:
            if item.name == name and item.is_array is (index is not None) and (index or 0) < item.count:
                place = span.to(self.previous.span)
                return _Node("seen", (), place, seen=CellValue(name, index or 0))
        known = ", ".join(item.name for item in self._program.objects)
        raise error("W0411", f"the program has no variable `{name}`", span, f"it has {known or 'none'}")

    def _thread(self, name: str | int, span: Span) -> int:
        for number, thread in enumerate(self._program.threads):
            if name in (number, thread.name):
                return number
        known = ", ".join(thread.name for thread in self._program.threads)
        raise error("W0411", f"the program has no thread `{name}`", span, f"it has {known}")

    def _thread_number(self, name: str, index: int | None, span: Span) -> int:
        """The thread `P`, or `P[i]`: the one called `P_i`, or the only `P` if it is number `i` of all."""
        threads = self._program.threads
        if index is not None and index < len(threads):
            is_known = any(thread.name == f"{name}_{index}" for thread in threads)
            if not is_known and threads[index].name == name and threads[index].started:
                return index
        return self._thread(name if index is None else f"{name}_{index}", span)

    def _of_thread(self, number: int, start: Span) -> _Node:
        sign = self.take().text
        token = self.name("a register or a label")
        name, span = token.text, token.span
        thread = self._program.threads[number]
        points = _points(thread, name)
        if points and sign != ":":
            return _Node("seen", (), start.to(span), seen=AtPoint(number, points))
        if sign != "@" and name in dict(thread.registers):
            return _Node("seen", (), start.to(span), seen=RegisterValue(number, name))
        known = ", ".join([*(label for _, label in thread.labels), *dict(thread.registers)])
        raise error("W0411", f"thread `{thread.name}` has no `{name}`", span, f"it has {known or 'no names'}")


def _points(thread: Thread, label: str) -> frozenset[int]:
    return frozenset(point for point, name in thread.labels if name.split("'")[0] == label)


def _formula(node: _Node) -> t.Formula:
    if not node.is_temporal:
        if node.sign == "number":
            return t.Truth(node.value != 0)
        if node.sign not in ("&&", "||", "->", "<->", "unary !"):
            return t.Atom(_predicate(node))
    parts = [_formula(part) for part in node.parts]
    match node.sign:
        case "G":
            return t.globally(*parts)
        case "F":
            return t.finally_(*parts)
        case "X":
            return t.Next(*parts)
        case "U":
            return t.Until(*parts)
        case "R" | "V":
            return t.Release(*parts)
        case "W":
            return t.weak_until(*parts)
        case "&&":
            return t.And(*parts)
        case "||":
            return t.Or(*parts)
        case "->":
            return t.implies(*parts)
        case "<->":
            return t.equivalent(*parts)
        case "unary !":
            return t.Not(*parts)
        case _:
            raise error(
                "W0410",
                f"`{node.sign}` needs a number on each side, and one of them is a formula",
                node.span,
                "temporal operators bind tighter than comparisons",
                help="use parentheses: `G (x == 0)`",
            )


def _predicate(node: _Node) -> StatePredicate:
    reads: dict[Observable, str] = {}
    value = _value(node, reads)
    return StatePredicate(value, tuple((name, seen) for seen, name in reads.items()), node.span.flat_text)


def _value(node: _Node, reads: dict[Observable, str]) -> e.Expr:
    if node.sign == "number":
        return e.Constant(node.value)
    if node.seen is not None:
        return e.Register(reads.setdefault(node.seen, f"#{len(reads)}"))
    parts = [_value(part, reads) for part in node.parts]
    match node.sign:
        case "unary !":
            return e.Unary(e.UnaryOp.NOT, parts[0])
        case "unary -":
            return e.Unary(e.UnaryOp.NEGATE, parts[0])
        case ">" | ">=":
            return e.Binary(e.BinaryOp.SLT if node.sign == ">" else e.BinaryOp.SLE, parts[1], parts[0])
        case "&&" | "||":
            op = e.BinaryOp.AND if node.sign == "&&" else e.BinaryOp.OR
            return e.Binary(op, *(e.Binary(e.BinaryOp.NE, part, e.FALSE) for part in parts))
        case sign if sign in _OPERATIONS:
            return e.Binary(_OPERATIONS[sign], parts[0], parts[1])
        case _:
            raise error(
                "W0410", f"`{node.sign}` between numbers", node.span, "expected arithmetic or a comparison"
            )
