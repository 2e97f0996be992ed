"""Formulas of linear temporal logic over DVE expressions (membar's own `ltl …;`, and `--ltl`).

    imply -> => <->   (loosest, to the right)    or ||    and &&    U R V W S T    not ! G F X Y Z H O [] <>

SPIN's and NuSMV's other names (`always`, `until`, `xor`, …) are understood, too.

What stands between them is an expression whose own `and`, `or`, `|`, `&` and `^` are in parentheses.
`P->x` is a variable of the process `P`; after any other name, `->` is an implication.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

from membar.diagnostics import InputError, error
from membar.languages.dve import syntax as x
from membar.languages.dve.expressions import TIGHTER_THAN_LOGIC, Reader
from membar.languages.dve.tokens import Cursor
from membar.program import temporal as t
from membar.records import record
from membar.source import Span, without_parentheses
from membar.text.tokens import Token

# What is written as a word of letters, such as `GF`, is several operators.
_LETTERS = frozenset("GFXYZHO")
_UNTILS = tuple(word for word in t.INFIXES if word not in t.STATE_OPERATORS)
_SAME = {"||": "or", "&&": "and", "!": "not"}
_MOST_OPERATORS = 100  # so that nobody who walks down the tree gets lost
_DEEPEST = 60
_ARITHMETIC = ("==", "!=", "<", "<=", ">=", ">", "<<", ">>", "-", "+", "*", "/", "%", "|", "&", "^")


@record(frozen=True, slots=True)
class Prefix:
    """`G f`, `F f`, `X f`, `not f`."""

    op: str
    operand: Tree


@record(frozen=True, slots=True)
class Infix:
    """`f U g` and the like."""

    op: str
    left: Tree
    right: Tree


@record(frozen=True, slots=True)
class Claim:
    """A formula with its place, and its name if it has one."""

    tree: Tree
    span: Span
    name: str = ""


Tree: TypeAlias = Prefix | Infix | x.Expr


def is_temporal(tree: Tree) -> bool:
    """Whether it speaks of more than one state."""
    match tree:
        case Prefix(op, operand):
            return op not in t.STATE_OPERATORS or is_temporal(operand)
        case Infix(op, left, right):
            return op not in t.STATE_OPERATORS or is_temporal(left) or is_temporal(right)
        case _:
            return False


def formula_of(tree: Tree, atom: Callable[[x.Expr], t.Formula]) -> t.Formula:
    """The formula, its expressions turned into predicates by `atom`."""
    match tree:
        case Prefix(op, operand):
            return t.PREFIXES[op](formula_of(operand, atom))
        case Infix(op, left, right):
            return t.INFIXES[op](formula_of(left, atom), formula_of(right, atom))
        case _:
            return atom(tree)


def expression_of(tree: Tree) -> x.Expr:
    """What a tree without temporal operators says of one state."""
    match tree:
        case Prefix(_, operand):
            inner = expression_of(operand)
            return x.Unary("not", inner, inner.span)
        case Infix(op, left, right):
            a, b = expression_of(left), expression_of(right)
            compared = {"<->": "==", "xnor": "==", "xor": "!="}.get(op)
            if compared is not None:
                a, b = x.Unary("not", a, a.span), x.Unary("not", b, b.span)
            return x.Binary(compared or op, a, b, a.span.to(b.span))
        case _:
            return tree


def opposite(tree: Tree) -> Tree:
    """What holds where `tree` does not; two negations are none."""
    return tree.operand if isinstance(tree, Prefix) and tree.op == "not" else Prefix("not", tree)


def _side(tree: Tree, op: str) -> str:
    is_grouped = isinstance(tree, Infix) and (tree.op != op or op not in ("and", "or"))
    return f"({text_of(tree)})" if is_grouped else text_of(tree)


def text_of(tree: Tree) -> str:
    """A tree in words, for reports."""
    match tree:
        case Prefix(op, operand):
            return f"{op} ({text_of(operand)})"
        case Infix(op, left, right):
            return f"{_side(left, op)} {op} {_side(right, op)}"
        case _:
            return without_parentheses(tree.span.flat_text)


class FormulaReader:
    """Reads one formula; `processes` are the names before which `->` means a variable."""

    def __init__(self, cursor: Cursor, processes: Collection[str]) -> None:
        self.cursor = cursor
        self.processes = processes
        self._operator_count = 0
        self._depth = 0

    def claim(self) -> Claim:
        """The formula at the cursor, perhaps after `name :`."""
        name = ""
        if self.cursor.next.group == "name" and self.cursor.ahead().text == ":":
            name = self.cursor.take().text
            self.cursor.take()
        start = self.cursor.next.span
        tree = self._implication()
        return Claim(tree, start.to(self.cursor.previous.span), name)

    def _count(self) -> None:
        self._operator_count += 1
        if self._operator_count > _MOST_OPERATORS:
            span = self.cursor.next.span
            raise error("W1003", "the formula is too long", span, f"at most {_MOST_OPERATORS} operators")

    def _implication(self) -> Tree:
        left = self._infix(("or", "||", "xor", "xnor"), lambda: self._infix(("and", "&&"), self._until))
        cursor = self.cursor
        if cursor.accept("->", "=>", "imply") or self._accepts_word("implies"):
            self._count()
            return Infix("imply", left, self._implication())
        is_arrow = cursor.sees("<") and cursor.ahead().text == "->"
        if is_arrow or cursor.sees_word("equivalent"):
            cursor.take()
            if is_arrow:
                cursor.take()
            self._count()
            return Infix("<->", left, self._implication())
        return left

    def _infix(self, signs: tuple[str, ...], read: Callable[[], Tree]) -> Tree:
        left = read()
        while found := self.cursor.accept(*signs) or self._accepts_word(*signs):
            self._count()
            left = Infix(_SAME.get(found.text, found.text), left, read())
        return left

    def _accepts_word(self, *words: str) -> Token | None:
        """Moves over one of these words, which are names elsewhere."""
        return self.cursor.take() if self.cursor.sees_word(*words) else None

    def _until(self) -> Tree:
        left = self._unary_formula()
        if found := self._accepts_word(*_UNTILS):
            self._count()
            return Infix(found.text, left, self._until())
        return left

    def _unary_formula(self) -> Tree:
        cursor = self.cursor
        if cursor.accept("!", "not"):
            self._count()
            return Prefix("not", self._unary_formula())
        for first, second, op in (("[", "]", "G"), ("<", ">", "F")):
            if cursor.sees(first) and cursor.ahead().text == second:
                cursor.take()
                cursor.take()
                self._count()
                return Prefix(op, self._unary_formula())
        if cursor.next.group == "name" and self._is_operator():
            word = cursor.take().text
            return self._operators(iter((word,) if word in t.PREFIXES else word))
        return self._primary()

    def _is_operator(self) -> bool:
        """Whether the name at the cursor is an operator, or several; variables are told by what follows."""
        word, following, second = (self.cursor.ahead(number).text for number in range(3))
        if word not in t.PREFIXES and not set(word) <= _LETTERS:
            return False
        if following + second in ("[]", "<>"):
            return True
        return t.is_prefix(word if word in t.PREFIXES else word[0], following, second)

    def _operators(self, letters: Iterator[str]) -> Tree:
        """`GF f` is `G F f`."""
        letter = next(letters, None)
        if letter is None:
            return self._unary_formula()
        self._count()
        return Prefix(letter, self._operators(letters))

    def _primary(self) -> Tree:
        if self.cursor.sees("("):
            found = self._parenthesized_formula()
            if found is not None:
                return found
        return Reader(self.cursor, self.processes).binary(TIGHTER_THAN_LOGIC)

    def _parenthesized_formula(self) -> Tree | None:
        """A formula in parentheses; None, and no move, if it is the beginning of an expression."""
        cursor = self.cursor
        mark, operators = cursor.mark, self._operator_count
        self._depth += 1
        if self._depth > _DEEPEST:
            message = "the formula is nested too deeply"
            raise error("W1003", message, cursor.next.span, f"at most {_DEEPEST} parentheses")
        try:
            cursor.take()
            inner = self._implication()
            cursor.expect(")", "to close the parenthesis")
        except InputError:
            if not self._is_expression(mark):
                raise
            self._operator_count = operators
            return None
        finally:
            self._depth -= 1
        if cursor.sees(*_ARITHMETIC) and cursor.ahead().text not in (">", "->"):
            cursor.back_to(mark)
            self._operator_count = operators
            return None
        return inner

    def _is_expression(self, mark: int) -> bool:
        self.cursor.back_to(mark)
        try:
            Reader(self.cursor, self.processes).binary(TIGHTER_THAN_LOGIC)
        except InputError:
            return False
        finally:
            self.cursor.back_to(mark)
        return True
