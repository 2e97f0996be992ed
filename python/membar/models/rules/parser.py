"""Rules text → syntax.

The thesis's grammar leaves precedence open: different operators side by side need parentheses.
"""

from __future__ import annotations

import re

from membar.diagnostics import error
from membar.models.plan import CheckKind
from membar.models.rules import syntax
from membar.models.rules.syntax import Operator, Range
from membar.source import SourceFile
from membar.text.tokens import Cursor, tokenize

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*)
    | (?P<string>"[^"\n]*")
    | (?P<sign>-->|->|\{\}|[=()\[\]\\*&|])
    | (?P<name>[A-Za-z][A-Za-z0-9_.]*)
    """,
    re.VERBOSE,
)
_KINDS = {kind.value: kind for kind in CheckKind}
_OPERATORS = {operator.value: operator for operator in Operator}
_ITERATIONS = {
    "for_each_node": Range.NODE,
    "for_each_var": Range.VARIABLE,
    "for_each_thrd": Range.THREAD,
    "for_each_thread": Range.THREAD,
}
KEYWORDS = frozenset({*_KINDS, *_ITERATIONS, "union", "intersect", "begin", "end", "source", "target"})
_DEEPEST = 60


def parse(source: SourceFile) -> syntax.Specification:
    """The rules of a file.

    Raises:
        InputError: at the first word that does not fit.
    """
    return _Parser(tokenize(source, _TOKEN, code="W0651", keywords=KEYWORDS)).specification()


def head_comment(source: SourceFile) -> str:
    """The `//` lines before anything else, without their slashes."""
    lines: list[str] = []
    for line in source.text.strip().splitlines():
        if not line.strip().startswith("//"):
            break
        lines.append(line.strip().removeprefix("//").strip())
    return "\n".join(lines).strip()


class _Parser(Cursor):
    """A cursor over the tokens, with one method for each form of the grammar."""

    code = "W0652"
    _depth = 0

    # Definitions, then constraints

    def specification(self) -> syntax.Specification:
        definitions: list[syntax.Definition] = []
        constraints: list[syntax.Constraint] = []
        while self.next.group:
            if self.next.group in ("name", "keyword") and self.ahead().text == "=":
                if constraints:
                    raise self.wrong("definitions come before the first constraint")
                definitions.append(self._definition())
            else:
                constraints.append(self._constraint())
        if not constraints:
            raise self.wrong("expected at least one constraint such as `coherence empty`")
        return syntax.Specification(tuple(definitions), tuple(constraints))

    def _definition(self) -> syntax.Definition:
        name = self.name("the name of a definition")
        self.expect("=", "after the name")
        return syntax.Definition(name.text, self._expression(), name.span)

    def _constraint(self) -> syntax.Constraint:
        first = self._single_constraint()
        if not self.sees("&", "|"):
            return first
        sign, parts = self.next.text, [first]
        while self.accept(sign):
            parts.append(self._single_constraint())
        if self.sees("&", "|"):
            raise self.wrong("parentheses are needed where `&` and `|` meet")
        return syntax.All(tuple(parts)) if sign == "&" else syntax.Any(tuple(parts))

    def _single_constraint(self) -> syntax.Constraint:
        if self.accept("("):
            with _Deeper(self):
                inner = self._constraint()
            self.expect(")", "to close the constraint")
            return inner
        name = self.name("a definition, a constraint such as `coherence empty`, or `(`")
        if not self.sees(*_KINDS):
            raise self.wrong("expected `acyclic`, `irreflexive` or `empty` (or `=` for a definition)")
        kind = self.take()
        return syntax.Simple(name.text, _KINDS[kind.text], name.span.to(kind.span))

    # Expressions

    def _expression(self) -> syntax.Expr:
        with _Deeper(self):
            left = self._operand()
            if not self.sees(*_OPERATORS):
                return left
            sign = self.next.text
            while self.accept(sign):
                right = self._operand()
                left = syntax.Combination(_OPERATORS[sign], left, right, left.span.to(right.span))
            if self.sees(*_OPERATORS):
                raise error(
                    "W0652",
                    f"`{sign}` and `{self.next.text}` without parentheses",
                    self.next.span,
                    "parentheses are needed: the language does not define which binds tighter",
                    help=f"write `(… {sign} …) {self.next.text} …` or `… {sign} (… {self.next.text} …)`",
                )
            return left

    def _operand(self) -> syntax.Expr:
        token = self.next
        if self.accept("("):
            inner = self._expression()
            self.expect(")", "to close the parenthesis")
            return inner
        if self.accept("{}"):
            return syntax.EmptyGraph(token.span)
        if self.sees("source", "target"):
            self.take()
            self.expect("(", f"after `{token.text}`")
            operand = self._expression()
            close = self.expect(")", f"to close `{token.text}(`")
            return syntax.End(token.text == "source", operand, token.span.to(close.span))
        if self.sees(*_ITERATIONS):
            return self._iteration()
        return self._name()

    def _iteration(self) -> syntax.ForEach:
        token = self.take()
        kind = _ITERATIONS[token.text]
        over = self._expression() if kind is Range.NODE else None
        self.expect("begin", f"before the body of `{token.text}`")
        body = self._expression()
        end = self.expect("end", f"to close `{token.text}`")
        return syntax.ForEach(kind, over, body, token.span.to(end.span))

    def _name(self) -> syntax.Expr:
        word = self.name("an expression")
        tags: list[syntax.Tag] = []
        while self.accept("["):
            tags.append(self._tag())
            self.expect("]", "after the tag")
        name = syntax.Name(word.text, tuple(tags), word.span.to(self.previous.span))
        # Directly after the name: a parenthesis further away may begin a constraint.
        if not self.sees("(") or self.next.span.start != name.span.end:
            return name
        self.take()
        source = self._expression()
        if not self.sees("->", "-->"):
            raise self.wrong("expected `->` (edges) or `-->` (paths)")
        is_path = self.take().text == "-->"
        target = self._expression()
        close = self.expect(")", "to close the edges")
        return syntax.Edges(name, source, target, is_path, word.span.to(close.span))

    def _tag(self) -> syntax.Tag:
        token = self.next
        if token.group == "string":
            self.take()
            return syntax.Tag(token.text[1:-1], True, token.span)
        return syntax.Tag(
            self.name("a tag: `node`, `var`, `thrd`, or a tag of the program").text, False, token.span
        )

    def enter(self) -> None:
        """One level deeper; the thesis's own rules need six."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise error("W0652", f"more than {_DEEPEST} levels of nesting", self.next.span, "too deep")

    def leave(self) -> None:
        """One level up."""
        self._depth -= 1


class _Deeper:
    """Counts levels of nesting, so that no text overflows the stack."""

    def __init__(self, parser: _Parser) -> None:
        self._parser = parser

    def __enter__(self) -> None:
        self._parser.enter()

    def __exit__(self, *_: object) -> None:
        self._parser.leave()
