"""Formulas of linear temporal logic over DVE expressions (membar's own `ltl …;`, and `--ltl`).

    imply -> => <->   (loosest, to the right)    or ||    and &&    U R V W S T    not ! G F X Y Z H O [] <>

SPIN's and NuSMV's other names (`always`, `until`, `xor`, …) are understood, too. Formulas are trees of
expressions, with operators of LTL among them. `P->x` is a variable of the process `P`; after any other name,
`->` is an implication.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.languages.dve.expressions import TIGHTER_THAN_LOGIC, Reader
from membar.languages.dve.tokens import Cursor
from membar.program import temporal as t
from membar.text.tokens import Token

# What is written as a word of letters, such as `GF`, is several operators.
_LETTERS = frozenset("GFXYZHO")
_UNTILS = tuple(word for word in t.INFIXES if word not in t.STATE_OPERATORS)
_JOINS = frozenset(("and", "or", "imply", "<->", "xor", "xnor", *_UNTILS))
_SAME = {"||": "or", "&&": "and"}
_MOST_OPERATORS = 100  # so that nobody who walks down the tree gets lost


def is_temporal(tree: x.Expr) -> bool:
    """Whether it speaks of more than one state."""
    match tree:
        case x.Unary(op, operand):
            return (op in t.PREFIXES and op not in t.STATE_OPERATORS) or is_temporal(operand)
        case x.Binary(op, left, right):
            return op in _UNTILS or is_temporal(left) or is_temporal(right)
        case x.Variable(index=index) | x.ProcessVariableReference(variable=x.Variable(index=index)):
            return index is not None and is_temporal(index)
        case _:
            return False


def formula_of(tree: x.Expr, atom: Callable[[x.Expr], t.Formula]) -> t.Formula:
    """The formula, its expressions turned into predicates by `atom`.

    Raises:
        InputError: a value is computed from a formula.
    """
    match tree:
        case x.Unary(op, operand) if op in t.PREFIXES:
            return t.PREFIXES[op](formula_of(operand, atom))
        case x.Binary(op, left, right) if op in _JOINS:
            return t.INFIXES[op](formula_of(left, atom), formula_of(right, atom))
        case _ if is_temporal(tree):
            raise error("W1002", "a formula inside an expression", tree.span, "expected a value")
        case _:
            return atom(tree)


class FormulaReader(Reader):
    """Reads one formula; `processes` are the names before which `->` means a variable."""

    DEEPEST = 60

    def __init__(self, cursor: Cursor, processes: Collection[str]) -> None:
        super().__init__(cursor, processes)
        self._operator_count = 0

    def claim(self) -> x.Claim:
        """The formula at the cursor, perhaps after `name :`."""
        name = ""
        if self.cursor.next.group == "name" and self.cursor.ahead().text == ":":
            name = self.cursor.take().text
            self.cursor.take()
        start = self.cursor.next.span
        tree = self._formula()
        return x.Claim(tree, start.to(self.cursor.previous.span), name)

    def binary(self, loosest: int) -> x.Expr:
        """As of expressions; with the loosest operators it is a formula."""
        return self._formula() if loosest == 0 else super().binary(loosest)

    def _formula(self) -> x.Expr:
        left = self._infix(("or", "||", "xor", "xnor"), lambda: self._infix(("and", "&&"), self._until))
        cursor = self.cursor
        if cursor.accept("->", "=>", "imply") or self._accepts_word("implies"):
            return self._join_formulas("imply", left, self._formula)
        is_arrow = cursor.sees("<") and cursor.ahead().text == "->"
        if is_arrow or cursor.sees_word("equivalent"):
            cursor.take()
            if is_arrow:
                cursor.take()
            return self._join_formulas("<->", left, self._formula)
        return left

    def _join_formulas(self, op: str, left: x.Expr, read: Callable[[], x.Expr]) -> x.Expr:
        self._count()
        right = read()
        return x.Binary(op, left, right, left.span.to(right.span))

    def _count(self) -> None:
        self._operator_count += 1
        if self._operator_count > _MOST_OPERATORS:
            span = self.cursor.next.span
            raise error("W1003", "the formula is too long", span, f"at most {_MOST_OPERATORS} operators")

    def _infix(self, signs: tuple[str, ...], read: Callable[[], x.Expr]) -> x.Expr:
        left = read()
        while found := self.cursor.accept(*signs) or self._accepts_word(*signs):
            left = self._join_formulas(_SAME.get(found.text, found.text), left, read)
        return left

    def _accepts_word(self, *words: str) -> Token | None:
        """Moves over one of these words, which are names elsewhere."""
        return self.cursor.take() if self.cursor.sees_word(*words) else None

    def _until(self) -> x.Expr:
        left = self._unary_formula()
        if found := self._accepts_word(*_UNTILS):
            return self._join_formulas(found.text, left, self._until)
        return left

    def _unary_formula(self) -> x.Expr:
        cursor = self.cursor
        if cursor.accept("!", "not"):
            return self._prefixed(iter(("not",)))
        for first, second, op in (("[", "]", "G"), ("<", ">", "F")):
            if cursor.sees(first) and cursor.ahead().text == second:
                cursor.take()
                cursor.take()
                return self._prefixed(iter((op,)))
        if cursor.next.group == "name" and self._is_operator():
            word = cursor.take().text
            return self._prefixed(iter((word,) if word in t.PREFIXES else word))
        return super().binary(TIGHTER_THAN_LOGIC)

    def _is_operator(self) -> bool:
        """Whether the name at the cursor is an operator, or several; variables are told by what follows."""
        word, following, second = (self.cursor.ahead(number).text for number in range(3))
        if word not in t.PREFIXES and not set(word) <= _LETTERS:
            return False
        if following + second in ("[]", "<>"):
            return True
        return t.is_prefix(word if word in t.PREFIXES else word[0], following, second)

    def _prefixed(self, operators: Iterator[str]) -> x.Expr:
        """Operators that were read, and their operand: `GF f` is `G F f`."""
        start = self.cursor.previous.span
        op = next(operators, None)
        if op is None:
            return self._unary_formula()
        self._count()
        operand = self._prefixed(operators)
        return x.Unary(op, operand, start.to(operand.span))
