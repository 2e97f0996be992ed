"""Rules text → syntax.

The thesis's grammar leaves precedence open: different operators side by side need parentheses.
"""

from __future__ import annotations

import re

from membar.diagnostics import InputError, error
from membar.models.plan import CheckKind
from membar.models.rules import syntax
from membar.models.rules.syntax import Operator, Range
from membar.records import record
from membar.source import SourceFile, Span

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*)
    | (?P<string>"[^"\n]*")
    | (?P<sign>-->|->|\{\}|[=()\[\]\\*&|])
    | (?P<word>[A-Za-z][A-Za-z0-9_.]*)
    """,
    re.VERBOSE,
)
_END = "the end of the file"
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


@record(frozen=True, slots=True)
class Token:
    """A word, string or sign; `group` is empty at the end of the file."""

    group: str
    text: str
    span: Span

    def __str__(self) -> str:
        return f"`{self.text}`" if self.group else _END


def parse(source: SourceFile) -> syntax.Specification:
    """The rules of a file.

    Raises:
        InputError: at the first word that does not fit.
    """
    return _Parser(_tokens(source)).specification()


def head_comment(source: SourceFile) -> str:
    """The `//` lines before anything else, without their slashes."""
    lines: list[str] = []
    for line in source.text.strip().splitlines():
        if not line.strip().startswith("//"):
            break
        lines.append(line.strip().removeprefix("//").strip())
    return "\n".join(lines).strip()


def _tokens(source: SourceFile) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(source.text):
        found = _TOKEN.match(source.text, at)
        if found is None:
            span = source.span(at, at + 1)
            what = "a string that never ends" if span.text == '"' else f"unexpected character `{span.text}`"
            raise error("W0651", what, span, "no token starts like this")
        if found.lastgroup != "blank":
            tokens.append(Token(str(found.lastgroup), found.group(), source.span(at, found.end())))
        at = found.end()
    end = len(source.text.rstrip())
    return [*tokens, Token("", "", source.span(end, end))]


class _Parser:
    """A cursor over the tokens, with one method for each form of the grammar."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    @property
    def _previous(self) -> Token:
        return self._tokens[max(self._at - 1, 0)]

    def _sees(self, *texts: str) -> bool:
        return self._next.group not in ("", "string") and self._next.text in texts

    def _take(self) -> Token:
        token = self._next
        if token.group:
            self._at += 1
        return token

    def _accept(self, text: str) -> bool:
        if self._sees(text):
            self._take()
            return True
        return False

    def _expect(self, text: str, where: str) -> Token:
        if not self._sees(text):
            raise self._wrong(f"expected `{text}` {where}")
        return self._take()

    def _wrong(self, expected: str) -> InputError:
        return error("W0652", f"unexpected {self._next}", self._next.span, expected)

    def _word(self, what: str) -> Token:
        if self._next.group != "word" or self._next.text in KEYWORDS:
            raise self._wrong(f"expected {what}")
        return self._take()

    # Definitions, then constraints

    def specification(self) -> syntax.Specification:
        definitions: list[syntax.Definition] = []
        constraints: list[syntax.Constraint] = []
        while self._next.group:
            if self._next.group == "word" and self._tokens[self._at + 1].text == "=":
                if constraints:
                    raise self._wrong("definitions come before the first constraint")
                definitions.append(self._definition())
            else:
                constraints.append(self._constraint())
        if not constraints:
            raise self._wrong("expected at least one constraint such as `coherence empty`")
        return syntax.Specification(tuple(definitions), tuple(constraints))

    def _definition(self) -> syntax.Definition:
        name = self._word("the name of a definition")
        self._expect("=", "after the name")
        return syntax.Definition(name.text, self._expression(), name.span)

    def _constraint(self) -> syntax.Constraint:
        first = self._single_constraint()
        if not self._sees("&", "|"):
            return first
        sign, parts = self._next.text, [first]
        while self._accept(sign):
            parts.append(self._single_constraint())
        if self._sees("&", "|"):
            raise self._wrong(f"parentheses are needed where `&` and `|` meet; here a chain of `{sign}`")
        return syntax.All(tuple(parts)) if sign == "&" else syntax.Any(tuple(parts))

    def _single_constraint(self) -> syntax.Constraint:
        if self._accept("("):
            with _Deeper(self):
                inner = self._constraint()
            self._expect(")", "to close the constraint")
            return inner
        name = self._word("a definition, a constraint such as `coherence empty`, or `(`")
        if not self._sees(*_KINDS):
            raise self._wrong("expected `acyclic`, `irreflexive` or `empty` (or `=` for a definition)")
        kind = self._take()
        return syntax.Simple(name.text, _KINDS[kind.text], name.span.to(kind.span))

    # Expressions

    def _expression(self) -> syntax.Expr:
        with _Deeper(self):
            left = self._operand()
            if not self._sees(*_OPERATORS):
                return left
            sign = self._next.text
            while self._accept(sign):
                right = self._operand()
                left = syntax.Combination(_OPERATORS[sign], left, right, left.span.to(right.span))
            if self._sees(*_OPERATORS):
                raise error(
                    "W0652",
                    f"`{sign}` and `{self._next.text}` without parentheses",
                    self._next.span,
                    "parentheses are needed: the language does not define which binds tighter",
                    help=f"write `(… {sign} …) {self._next.text} …` or `… {sign} (… {self._next.text} …)`",
                )
            return left

    def _operand(self) -> syntax.Expr:
        token = self._next
        if self._accept("("):
            inner = self._expression()
            self._expect(")", "to close the parenthesis")
            return inner
        if self._accept("{}"):
            return syntax.EmptyGraph(token.span)
        if self._sees("source", "target"):
            self._take()
            self._expect("(", f"after `{token.text}`")
            operand = self._expression()
            close = self._expect(")", f"to close `{token.text}(`")
            return syntax.End(token.text == "source", operand, token.span.to(close.span))
        if self._sees(*_ITERATIONS):
            return self._iteration()
        return self._name()

    def _iteration(self) -> syntax.ForEach:
        token = self._take()
        kind = _ITERATIONS[token.text]
        over = self._expression() if kind is Range.NODE else None
        self._expect("begin", f"before the body of `{token.text}`")
        body = self._expression()
        end = self._expect("end", f"to close `{token.text}`")
        return syntax.ForEach(kind, over, body, token.span.to(end.span))

    def _name(self) -> syntax.Expr:
        word = self._word("an expression")
        tags: list[syntax.Tag] = []
        while self._accept("["):
            tags.append(self._tag())
            self._expect("]", "after the tag")
        name = syntax.Name(word.text, tuple(tags), word.span.to(self._previous.span))
        # Directly after the name: a parenthesis further away may begin a constraint.
        if not self._sees("(") or self._next.span.start != name.span.end:
            return name
        self._take()
        source = self._expression()
        if not self._sees("->", "-->"):
            raise self._wrong("expected `->` (edges) or `-->` (paths)")
        is_path = self._take().text == "-->"
        target = self._expression()
        close = self._expect(")", "to close the edges")
        return syntax.Edges(name, source, target, is_path, word.span.to(close.span))

    def _tag(self) -> syntax.Tag:
        token = self._next
        if token.group == "string":
            self._take()
            return syntax.Tag(token.text[1:-1], True, token.span)
        return syntax.Tag(
            self._word("a tag: `node`, `var`, `thrd`, or a tag of the program").text, False, token.span
        )

    def enter(self) -> None:
        """One level deeper; the thesis's own rules need six."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise error("W0652", f"more than {_DEEPEST} levels of nesting", self._next.span, "too deep")

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
