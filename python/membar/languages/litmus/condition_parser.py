"""The question of a litmus test: `locations`, `filter`, then `exists`, `~exists` or `forall`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.litmus import codes
from membar.languages.litmus.condition_cache import read_condition
from membar.languages.litmus.final_state_columns import (
    ArrayColumn,
    Element,
    Mention,
    OrderKey,
    in_order,
    natural_order,
    plain_label,
)
from membar.languages.litmus.scanner import NAME, Scanner, Token, without_comments
from membar.languages.litmus.test import LitmusTest, Scope
from membar.program import condition as c
from membar.program.expr import Address
from membar.source import Span, pattern

# Dialects that give an order of their own find its type here, beside what takes it.
__all__ = ["OrderKey", "condition", "natural_order", "plain_label"]

Found = TypeVar("Found")

_COMPARISONS = {
    "=": c.Comparison.EQ,
    "==": c.Comparison.EQ,
    "!=": c.Comparison.NE,
    "<>": c.Comparison.NE,
    "<": c.Comparison.LT,
    "<=": c.Comparison.LE,
    ">": c.Comparison.GT,
    ">=": c.Comparison.GE,
}
_SECTIONS = frozenset({"locations", "filter", "exists", "forall", "final"})
_WORDS = frozenset({"not", "true", "false"})
_CONNECTIVES = frozenset({"/\\", "\\/", "=>"})
# Deeper questions would exhaust Python's stack.
_DEEPEST = 100
_THREAD = pattern(r"P[0-9]+")
# What formulas are made of, nearly always: `0:EAX=1`, `x=1` or `[x]=1` as a whole, connectives and brackets.
_PIECE = pattern(
    rf"\s*(?:(?P<plain>(?:([0-9]{{1,9}})\s*:\s*({NAME})|({NAME})|\[\s*({NAME})\s*\])\s*=\s*(-?[0-9]{{1,19}}))"
    r"(?=\s*(?:[;)]|/\\|\\/|=>|\Z))|(?P<sign>/\\|\\/|=>|\))|(?P<bracket>\()|(?P<other>\S))"
)


def condition(
    test: LitmusTest,
    scope: Scope,
    *,
    order: Callable[[str], OrderKey] = natural_order,
    label: Callable[[c.FinalRegister], str] = plain_label,
) -> c.FinalCondition:
    """The test's question, its names resolved by `scope`.

    `order` sorts `FinalRegister.register` within a thread, and `label` names a register, in final
    states. A test without a question asks `forall (true)`.

    Raises:
        InputError: the question is malformed, or `scope` does not know a name.
    """
    span = test.question
    arrays = {entry.name: entry.count for entry in test.locations if entry.count}

    def read(scope: Scope) -> c.FinalCondition:
        text = without_comments(test.source, span.start, span.end)
        scanner = Scanner(test.source, text, span.start, span.end, code=codes.QUESTION)
        reader = _Reader(scanner, scope, arrays)
        quantifier, formula, filtered = reader.question()
        if reader.problems:
            raise InputError(*reader.problems)
        return c.FinalCondition(
            quantifier=quantifier,
            formula=formula,
            observed=tuple(in_order(reader.mentions, order, label)),
            filter=filtered,
        )

    if label is not plain_label:
        return read(scope)  # how registers are called depends on more than their meaning
    return read_condition((span.text, order, *arrays.items()), scope, span, read)


class _Reader:
    """Recursive descent over the question; collects every place and every unknown name."""

    def __init__(self, scanner: Scanner, scope: Scope, arrays: dict[str, int]) -> None:
        self.scanner = scanner
        self.scope = scope
        self.arrays = arrays
        self.mentions: list[Mention] = []
        self.problems: list[Diagnostic] = []
        self._depth = 0
        # What names were found to mean: questions repeat them.
        self._registers: dict[tuple[int, str], c.FinalRegister] = {}
        self._scalars: dict[str, c.FinalCell] = {}
        self._plain: dict[str, c.Compare] = {}  # comparisons by text; what they are about is in `mentions`

    def question(self) -> tuple[c.Quantifier, c.Formula, c.Formula | None]:
        """`[locations […]] [filter …] [exists|~exists|forall|final …] [;] [with …] [<< … >>]`."""
        filtered: c.Formula | None = None
        while self.scanner.token.text in {"regions", "locations", "filter"}:
            word = self.scanner.take().text
            if word == "locations":
                self._locations()
            elif word == "regions":
                self._regions()
            else:
                filtered = self._without_mentions(self._formula)
            self.scanner.accept(";")
        quantifier, formula = self._quantified_formula()
        self.scanner.accept(";")
        self._old_endings()
        if self.scanner.token.kind != "end":
            self.scanner.fail("the end of the test after its condition")
        return quantifier, formula, filtered

    def _quantified_formula(self) -> tuple[c.Quantifier, c.Formula]:
        scanner = self.scanner
        if scanner.token.kind == "end":
            return c.Quantifier.FORALL, c.TRUTH
        if scanner.accept("~"):
            scanner.expect("exists")
            return c.Quantifier.NOT_EXISTS, self._formula()
        if scanner.accept("exists") or scanner.accept("final"):
            return c.Quantifier.EXISTS, self._formula()
        if scanner.accept("forall"):
            return c.Quantifier.FORALL, self._formula()
        if scanner.token.text in {"scopes", "cases", "observed", "Observed"}:
            raise error(
                codes.UNSUPPORTED,
                f"`{scanner.token.text}` sections are not supported",
                scanner.token.span,
                "expected `exists`, `~exists` or `forall`",
            )
        scanner.fail("`exists`, `~exists` or `forall`")
        raise AssertionError  # fail() raises

    def _old_endings(self) -> None:
        """Skips `with tso: ~exists; …` and `<< … >>`: instructions to tools of long ago."""
        scanner = self.scanner
        if scanner.accept("with"):
            while scanner.token.kind == "name":
                scanner.take()
                scanner.expect(":")
                scanner.accept("~")
                scanner.expect("exists")
                scanner.accept(";")
        while scanner.token.text == "<<":
            opening = scanner.token.span
            if not scanner.skip_past(">>"):
                raise error(codes.QUESTION, "`<<` has no matching `>>`", opening, "no matching `>>` follows")

    def _regions(self) -> None:
        """Skips `regions: x:NAME, y:NAME`: they mean something to GPU models only, and membar has none."""
        self.scanner.expect(":")
        while self.scanner.token.kind == "name" and self.scanner.token.text not in _SECTIONS:
            self.scanner.take()
            self.scanner.expect(":")
            self.scanner.expect_kind("name", "the name of a region")
            self.scanner.accept(",")

    def _without_mentions(self, read: Callable[[], c.Formula]) -> c.Formula:
        """What `read` reads, without showing the places it names in final states."""
        kept = len(self.mentions)
        formula = read()
        del self.mentions[kept:]
        self._plain.clear()
        return formula

    def _locations(self) -> None:
        scanner = self.scanner
        scanner.expect("[", "`[` after `locations`")
        while not scanner.accept("]"):
            self._place()
            while scanner.accept("*"):
                pass
            if scanner.token.kind == "name":
                raise error(
                    codes.UNSUPPORTED,
                    "types in `locations` are not supported",
                    scanner.token.span,
                    "expected `;` or `]`",
                    help="declare the type in the initial state",
                )
            if scanner.token.text != "]":
                scanner.expect(";", "`;` or `]`")

    def _formula(self) -> c.Formula:
        """The formula that begins with the next token."""
        formula, end = self._formula_at(self.scanner.token.start)
        self.scanner.move_to(end)
        return formula

    def _formula_at(self, at: int, *, is_operand: bool = False) -> tuple[c.Formula, int]:
        r"""The formula (or only one operand of it) that begins at an offset, and the offset behind it.

        `/\` binds more tightly than `\/`, which binds more tightly than `=>`.
        """
        scanner, known = self.scanner, self._plain
        pieces = _PIECE.finditer(scanner.text, at, scanner.end)
        outer: list[tuple[list[c.Formula], list[c.Formula], list[c.Formula]]] = []
        premises: list[c.Formula] = []
        disjuncts: list[c.Formula] = []
        conjuncts: list[c.Formula] = []
        while True:
            piece = next(pieces, None)
            if piece is not None and piece.lastgroup == "bracket":
                at = piece.end()
                self._nest(at)
                outer.append((premises, disjuncts, conjuncts))
                premises, disjuncts, conjuncts = [], [], []
                continue
            operand: c.Formula | None = None
            if piece is not None and piece.lastgroup == "plain":
                operand = known.get(piece["plain"]) or self._plain_comparison(piece)
            if piece is not None and operand is not None:
                at = piece.end()
            else:
                operand, at = self._any_operand(at)
                pieces = _PIECE.finditer(scanner.text, at, scanner.end)
            while True:
                conjuncts.append(operand)
                if is_operand and not outer:
                    return operand, at
                piece = next(pieces, None)
                word = "" if piece is None else piece["sign"]
                if word != "/\\":
                    disjuncts.append(conjuncts[0] if len(conjuncts) == 1 else c.And(tuple(conjuncts)))
                    conjuncts.clear()
                    if word != "\\/":
                        premises.append(disjuncts[0] if len(disjuncts) == 1 else c.Or(tuple(disjuncts)))
                        disjuncts.clear()
                if piece is not None and word in _CONNECTIVES:
                    at = piece.end()
                    break
                operand = premises.pop()
                while premises:
                    operand = c.Implies(premises.pop(), operand)
                if not outer:
                    return operand, at
                if piece is None or word != ")":
                    scanner.move_to(at)
                    raise scanner.syntax_error("`)`, `/\\` or `\\/`")
                at = piece.end()
                premises, disjuncts, conjuncts = outer.pop()
                self._depth -= 1

    def _any_operand(self, at: int) -> tuple[c.Formula, int]:
        """What a connective connects, and the offset behind it, token by token; not brackets."""
        scanner = self.scanner
        scanner.move_to(at)
        if scanner.token.text in {"not", "~"}:
            end = scanner.take().end
            self._nest(end)
            formula, at = self._formula_at(end, is_operand=True)
            self._depth -= 1
            return c.Not(formula), at
        if scanner.accept("true"):
            formula = c.TRUTH
        elif scanner.accept("false"):
            formula = c.Or(())
        else:
            formula = self._any_comparison()
        return formula, scanner.token.start

    def _nest(self, end: int) -> None:
        """Goes one level deeper, behind the sign or word that ends at an offset."""
        self._depth += 1
        if self._depth > _DEEPEST:
            place = self.scanner.source.span(end - 1, end)
            raise error(codes.QUESTION, "the condition is nested too deeply", place)

    def _plain_comparison(self, match: re.Match[str]) -> c.Compare | None:
        """What a plain comparison that was not met before means; None if it is about an array."""
        text, thread, register, name, bracketed, value, *_ = match.groups()
        location = name or bracketed
        if location in self.arrays or location in _WORDS:
            return None
        place: c.Term | None
        source = self.scanner.source
        if location:
            place = self._scalars.get(location)
            if place is None:
                place = self._cell(location, None, Span(source, *max(match.span(4), match.span(5))))
        else:
            place = self._registers.get((int(thread), register))
            if place is None:
                place = self._register_at((int(thread), register), Span(source, match.start(2), match.end(3)))
        self.mentions.append(place)
        number = int(value)
        self._check_width(number, place, lambda: Span(source, *match.span(6)))
        found = c.Compare(place, c.Comparison.EQ, number)
        if not self.problems:  # each of which is told of every place
            self._plain[text] = found
        return found

    def _any_comparison(self) -> c.Formula:
        start = self.scanner.token
        place = self._place()
        op = _COMPARISONS.get(self.scanner.token.text)
        if op is None:
            raise self.scanner.syntax_error("a comparison such as `=`")
        self.scanner.take()
        if isinstance(place, ArrayColumn):
            return self._array_comparison(place, op, start.span)
        term = place.cell if isinstance(place, Element) else place
        return c.Compare(term, op, self._value_for(term))

    def _array_comparison(self, array: ArrayColumn, op: c.Comparison, start: Span) -> c.Formula:
        """`v={1,2}`."""
        opening = self.scanner.expect("{", f"the values of the whole array `{array.name}`, such as `{{0,1}}`")
        values = [self._value_for(array.cells[0])]
        while self.scanner.accept(","):
            values.append(self._value_for(array.cells[0]))
        end = self.scanner.expect("}", "`,` or `}`").span
        if len(values) != len(array.cells):
            raise error(
                codes.QUESTION,
                f"{len(values)} values for the {len(array.cells)} elements of `{array.name}`",
                opening.span.to(end),
                f"expected {len(array.cells)} values",
            )
        if op not in {c.Comparison.EQ, c.Comparison.NE}:
            raise error(
                codes.QUESTION,
                f"arrays cannot be compared with `{op.value}`",
                start.to(end),
                "expected `=` or `!=`",
            )
        equal = c.And(
            tuple(
                c.Compare(cell, c.Comparison.EQ, value)
                for cell, value in zip(array.cells, values, strict=True)
            )
        )
        return equal if op is c.Comparison.EQ else c.Not(equal)

    def _place(self) -> Mention:
        """`0:EAX`, `P0:EAX`, `x`, `[x]`, `v[1]`, `[v[1]]`."""
        scanner = self.scanner
        if scanner.accept("["):
            place = self._location()
            scanner.expect("]")
        elif scanner.token.kind == "number":
            thread = scanner.take()
            place = self._register(thread.value, thread)
        elif scanner.token.kind == "name":
            place = self._location()
        else:
            raise scanner.syntax_error("a register such as `0:EAX` or a location such as `x`")
        self.mentions.append(place)
        return place

    def _location(self) -> Mention:
        name = self.scanner.expect_kind("name", "the name of a location")
        if self.scanner.token.text == ":" and _THREAD.fullmatch(name.text):
            return self._register(int(name.text[1:]), name)
        if self.scanner.accept("["):
            index = self.scanner.expect_kind("number", "an index").value
            span = name.span.to(self.scanner.expect("]").span)
            return Element(self._cell(name.text, index, span))
        if (count := self.arrays.get(name.text)) is not None:
            return ArrayColumn(name.text, tuple(self._cell(name.text, i, name.span) for i in range(count)))
        return self._scalars.get(name.text) or self._cell(name.text, None, name.span)

    def _register(self, thread: int, start: Token) -> c.FinalRegister:
        """The register of `thread`, whose number or name `start` was taken."""
        self.scanner.expect(":", "`:` between thread and register")
        percent = "%" if self.scanner.accept("%") else ""
        name = self.scanner.expect_kind("name", "the name of a register")
        return self._register_at((thread, percent + name.text), start.span.to(name.span))

    def _register_at(self, place: tuple[int, str], span: Span) -> c.FinalRegister:
        known = self._registers.get(place)
        if known is not None:
            return known
        found = self._look_up(lambda: self.scope.register(*place, span))
        if found is None:
            thread, name = place
            return c.FinalRegister(thread, name.removeprefix("%"))
        self._registers[place] = found
        return found

    def _cell(self, name: str, index: int | None, span: Span) -> c.FinalCell:
        found = self._look_up(lambda: self.scope.cell(name, index, span))
        if found is None:
            return c.FinalCell(name, index or 0)
        if index is None:
            self._scalars[name] = found
        return found

    def _value_for(self, term: c.Term) -> int | Address | c.Term:
        """A value to compare `term` with. One that `term` can never have is a mistake worth an error."""
        start = self.scanner.token
        value = self._value()
        if isinstance(value, int):
            self._check_width(value, term, lambda: start.span.to(self.scanner.last))
        return value

    def _check_width(self, value: int, term: c.Term, place: Callable[[], Span]) -> None:
        if not -(1 << (term.width - 1)) <= value < 1 << term.width:
            self.problems.append(
                Diagnostic(
                    code=codes.TYPE,
                    message=f"{value} does not fit into the {term.width} bits of what it is compared with",
                    primary=Label(place(), f"expected a number of {term.width} bits"),
                    help="declare a wider type in the initial state",
                )
            )

    def _value(self) -> int | Address | c.Term:
        """`1`, `-1`, `0xff`, `x`, `&x`, `v[1]`, `1:r1`, `[x]`."""
        scanner = self.scanner
        if scanner.accept("-"):
            return -scanner.expect_kind("number", "a number").value
        if scanner.token.kind == "number":
            return self._number_or_register()
        if scanner.token.text == "[":
            place = self._place()
            if isinstance(place, ArrayColumn):
                raise scanner.syntax_error("a value (an array is not one) before")
            return place.cell if isinstance(place, Element) else place
        ampersand = scanner.accept("&")
        name = scanner.expect_kind("name", "a number, a register or the name of a location")
        start = (ampersand or name).span
        if scanner.token.text == ":":
            if _THREAD.fullmatch(name.text):
                register = self._register(int(name.text[1:]), name)
                self.mentions.append(register)
                return register
            raise error(
                codes.UNSUPPORTED,
                "code as a value is not supported",
                name.span,
                "expected a number, a register or the name of a location",
            )
        index, end = None, name.span
        if scanner.accept("["):
            index = scanner.expect_kind("number", "an index").value
            end = scanner.expect("]").span
        found = self._look_up(lambda: self.scope.address(name.text, index, start.to(end)))
        return found or Address(name.text)

    def _number_or_register(self) -> int | c.FinalRegister:
        number = self.scanner.take()
        if self.scanner.token.text != ":":
            return number.value
        register = self._register(number.value, number)
        self.mentions.append(register)
        return register

    def _look_up(self, find: Callable[[], Found]) -> Found | None:
        """What the scope finds; None, and a problem noted, if it does not know the name."""
        try:
            return find()
        except InputError as problem:
            self.problems.extend(problem.diagnostics)
            return None
