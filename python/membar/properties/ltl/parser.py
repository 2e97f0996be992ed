"""`--ltl`: a formula about a program in any language.

    G(P0.wait -> F P0.cs)    [] (x == 0 || y + 1 < z)     (P_0@in) U (a[1] > 0)     G (ack -> O req)

Operators have the names of SPIN and NuSMV (`temporal.PREFIXES`, `temporal.INFIXES`). Other names are those of
the program: `x` and `a[1]` are in memory, `P.r` is a register or a label of thread `P` (also `P:r`,
`P@label`; `P[0]` is the thread `P_0`). Any other operand may be an expression of the program's own language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from membar.diagnostics import InputError, error
from membar.program import expr as e
from membar.program import temporal as t
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Program, Thread
from membar.records import record
from membar.source import SourceFile, Span
from membar.text.tokens import Cursor, tokenize

_TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<number>[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_']*)"
    r"|(?P<sign><->|->|\[\]|<>|&&|\|\||/\\|\\/|==|!=|<=|>=|<<|>>|\?\?|[-+*<>=!()\[\]@:.&|?,%/~^])"
)
# Predicates that expressions of the program's language are, given as texts.
OwnPredicates: TypeAlias = Callable[[Sequence[str]], Sequence[StatePredicate]]
# Arrows and `U` group to the right, as most tools have it; from comparisons on there are only values.
_ARROWS, _UNTIL, _COMPARISON = 0, 3, 4
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("->", "<->", "implies", "equivalent"),
    ("||", "|", "or", "\\/", "xor", "xnor"),
    ("&&", "&", "and", "/\\"),
    tuple(word for word in t.INFIXES if word not in t.STATE_OPERATORS),
    ("==", "=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*",),
)  # fmt: skip
_LEVEL_OF = {word: number for number, level in enumerate(_LEVELS) for word in level}
_ENDS = frozenset((*(word for level in _LEVELS[:_COMPARISON] for word in level), ")"))
_TIGHT_ENDS = frozenset((*_LEVEL_OF, ")"))
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
    own: int | None = None  # which of the expressions in the program's language

    @property
    def is_logical(self) -> bool:
        """Whether its operator joins formulas."""
        return self.sign in t.PREFIXES or (len(self.parts) == len("ab") and self.sign in t.INFIXES)

    @property
    def is_temporal(self) -> bool:
        """Whether it is about more than one state."""
        own = self.is_logical and self.sign not in t.STATE_OPERATORS
        return own or any(part.is_temporal for part in self.parts)


def formula_of(
    text: str, program: Program, *, name: str = "--ltl", own: OwnPredicates | None = None
) -> t.Formula:
    """The formula that a text says about a program.

    Args:
        text: the formula.
        program: what it is about.
        name: where it is from.
        own: reads expressions of the program's language; None if there is nothing that reads them.

    Raises:
        InputError: the text is no formula, or names what the program does not have.
    """
    reader = _Reader(SourceFile(name, text), program, has_own=own is not None)
    tree = reader.formula()
    try:
        found = own(reader.own) if own is not None and reader.own else ()
    except InputError:
        raise reader.problems[0] from None
    return _formula(tree, found)


class _Reader(Cursor):
    """Reads a formula by precedence: unary operators bind most tightly, arrows least and to the right."""

    code = number_code = "W0410"
    largest = (1 << 64) - 1

    def __init__(self, source: SourceFile, program: Program, *, has_own: bool = False) -> None:
        super().__init__(tokenize(source, _TOKEN, code=self.code))
        self._program = program
        self._depth = 0
        self._has_own = has_own
        # Expressions of the program's language, and why each of them is none of this one.
        self.own: list[str] = []
        self.problems: list[InputError] = []

    def formula(self) -> _Node:
        found = self._binary(0)
        if not self.at_end:
            raise self.wrong("expected an operator or the end")
        return found

    def sees(self, *texts: str) -> bool:
        """Whether one of these comes next; operators such as `U` are names elsewhere."""
        return self.next.text in texts and not self.at_end

    def _binary(self, least: int) -> _Node:
        """Operands joined by operators of level `least` or tighter."""
        left = self._unary() if least >= _COMPARISON else self._comparison()
        while (level := -1 if self.at_end else _LEVEL_OF.get(self.next.text, -1)) >= least:
            sign = self.take().text
            right = self._binary(level if level in (_ARROWS, _UNTIL) else level + 1)
            left = _Node(sign, (left, right), left.span.to(right.span))
        return left

    def _comparison(self) -> _Node:
        if self._is_prefix():
            return self._binary(_COMPARISON)
        return self._or_own_expression(lambda: self._binary(_COMPARISON), _ENDS)

    def _is_prefix(self) -> bool:
        return t.is_prefix(self.next.text, self.ahead().text, self.ahead(2).text)

    def _unary(self) -> _Node:
        self._depth += 1
        start = self.next.span
        if self._depth > _DEEPEST:
            raise error("W0410", "a formula that is nested too deeply", start, f"at most {_DEEPEST} levels")
        try:
            is_operator = self._is_prefix()
            if is_operator or self.sees("-"):
                sign = self.take().text
                is_last = is_operator and not self._is_prefix()
                operand = self._or_own_expression(self._unary, _TIGHT_ENDS) if is_last else self._unary()
                return _Node(sign if is_operator else "unary -", (operand,), start.to(operand.span))
            return self._primary()
        finally:
            self._depth -= 1

    def _or_own_expression(self, read: Callable[[], _Node], ends: frozenset[str]) -> _Node:
        """What is parsed here; or, up to one of these words, an expression of the program's own language."""
        mark, start, before = self.mark, self.next.span, len(self.own)
        try:
            found = read()
            is_joined = len(self.own) > before and not (found.is_logical or found.own is not None)
            if not self._has_own or (not is_joined and (self.at_end or self.next.text in ends)):
                return found
            problem = self.wrong("expected an operator or the end")
        except InputError as raised:
            if not self._has_own:
                raise
            problem = raised
        self.back_to(mark)
        del self.own[before:], self.problems[before:]
        depth = 0
        while not self.at_end and (depth or self.next.text not in ends):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(self.take().text, 0)
        if self.mark == mark or depth:
            raise problem
        span = start.to(self.previous.span)
        self.own.append(span.text)
        self.problems.append(problem)
        return _Node("own", (), span, own=len(self.own) - 1)

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
        if self.sees_word("true", "false", "TRUE", "FALSE"):
            return _Node("number", (), span, value=int(self.take().text.lower() == "true"))
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


def _formula(node: _Node, own: Sequence[StatePredicate]) -> t.Formula:
    if node.own is not None:
        return t.Atom(own[node.own])
    if not node.is_temporal:
        if node.sign == "number":
            return t.Truth(node.value != 0)
        if not node.is_logical:
            return t.Atom(_predicate(node))
    if not node.is_logical:
        raise error(
            "W0410",
            f"`{node.sign}` needs a number on each side, and one of them is a formula",
            node.span,
            "temporal operators bind tighter than comparisons",
            help="use parentheses: `G (x == 0)`",
        )
    parts = [_formula(part, own) for part in node.parts]
    return t.PREFIXES[node.sign](*parts) if len(parts) == 1 else t.INFIXES[node.sign](*parts)


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
        case "!" | "not":
            return e.Unary(e.UnaryOp.NOT, parts[0])
        case "unary -":
            return e.Unary(e.UnaryOp.NEGATE, parts[0])
        case ">" | ">=":
            return e.Binary(e.BinaryOp.SLT if node.sign == ">" else e.BinaryOp.SLE, parts[1], parts[0])
        case sign if t.INFIXES.get(sign) in (t.And, t.Or):
            op = e.BinaryOp.AND if t.INFIXES[sign] is t.And else e.BinaryOp.OR
            return e.Binary(op, *(e.Binary(e.BinaryOp.NE, part, e.FALSE) for part in parts))
        case sign if sign in _OPERATIONS:
            return e.Binary(_OPERATIONS[sign], parts[0], parts[1])
        case _:
            raise error(
                "W0410", f"`{node.sign}` between numbers", node.span, "expected arithmetic or a comparison"
            )
