"""Inlines, and the ends of lines: what SPIN does with the words of a text after the preprocessor.

An inline is a block of statements with names in it that stand for others. Its words keep the place of the
use. As in SPIN 6.5, the end of a line ends a statement: a semicolon is put there, unless the line can only go
on, or parentheses are open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.promela.preprocess import (
    DEEPEST,
    MOST_TOKENS,
    Macro,
    name_after,
    parameters_of,
    preprocess,
    use_of,
)
from membar.source import SourceFile, Span
from membar.text.tokens import Token

# Between a label and the number of the use of the inline that it stands in.
OF_INLINE = "~"
_BEFORE_LABELS = frozenset({"{", "}", ";", ":", "::", "->", "fi", "od"})
# What a statement can end with, and what no statement can begin with.
_LAST_SIGNS = frozenset({"}", ")", "]", "++", "--"})
_LAST_KEYWORDS = frozenset({"od", "fi", "else", "break", "skip", "true", "false", "timeout", "np_"})
_LAST_GROUPS = frozenset({"name", "number", "character"})
_CONTINUING = frozenset(
    {
        "=", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "+", "*", "/", "%", "&", "|", "^", "<<", ">>",
        ".", ",", ":", "..", "?", "??", "@", ")", "]", "++", "--", "->", ";", "unless", "<->",
    }
)  # fmt: skip


def words_of(source: SourceFile) -> tuple[Token, ...]:
    """The words of a text, with macros and inlines in place and a `;` where a line ends a statement.

    Raises:
        InputError: a directive, a macro or an inline that makes no sense.
    """
    reader = _Inlines(preprocess(source))
    return tuple(_with_line_ends(reader.words()))


def inlines(source: SourceFile) -> tuple[tuple[Token, ...], ...]:
    """The words of each inline's body, where they stand in the text; macros and inlines in them in place.

    Raises:
        InputError: as `words_of`.
    """
    reader = _Inlines(preprocess(source))
    for _ in reader.words():
        pass
    return tuple(tuple(_with_line_ends(body, is_body=True)) for body in reader.bodies())


class _Inlines:
    """Puts the statements of inlines in the place of their uses."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.known: dict[str, Macro] = {}
        self.count = 0
        self.uses = 0

    def words(self) -> Iterator[Token]:
        """All words; the last is the end."""
        yield from self._expand(self.tokens, ())

    def bodies(self) -> Iterator[tuple[Token, ...]]:
        """The words of the inlines' bodies."""
        for inline in self.known.values():
            end = Token("", "", inline.body[-1].span)
            yield tuple(self._expand((*inline.body, end), (inline.name,)))[:-1]

    def _expand(self, tokens: Sequence[Token], inside: tuple[str, ...]) -> Iterator[Token]:
        """The words up to the end, which `tokens` end with."""
        at = 0
        while tokens[at].group:
            token = tokens[at]
            inline = self.known.get(token.text) if token.group == "name" else None
            if token.group == "keyword" and token.text == "inline":
                at = self._declare(tokens, at)
                continue
            used: Span | None = None
            arguments: list[list[Token]] = []
            if inline is not None:
                used, arguments, at = use_of(inline, tokens, at)
            if inline is None or used is None:
                yield token
                at += inline is None
                continue
            if inline.name in inside:
                raise error("W0703", f"inline `{inline.name}` calls itself", used, "it would never terminate")
            if len(inside) > DEEPEST:
                raise error("W0703", "inlines are nested too deeply", used, f"at most {DEEPEST} levels")
            self.uses += 1
            words = _with_arguments(inline, arguments, used, self.uses)
            self.count += len(words)
            if self.count > MOST_TOKENS:
                raise error("W0703", "too many tokens", used, f"inlines expand to more than {MOST_TOKENS}")
            end = Token("", "", used)
            for word in self._expand((*words, end), (*inside, inline.name)):
                if word.group:
                    yield word
        yield tokens[at]

    def _declare(self, tokens: Sequence[Token], at: int) -> int:
        """Takes an inline whose first word is at `at`; returns what comes after it."""
        start = tokens[at]
        head = [token for token in tokens[at + 1 : at + 64] if token.group != "newline"]
        name = name_after(start, head)
        if len(head) < 2 or head[1].text != "(":
            place = head[1] if len(head) > 1 else name
            raise error("W0702", f"unexpected {place}", place.span, "expected `(` and the parameters")
        while tokens[at].text != "(":
            at += 1
        parameters, at = parameters_of(tokens, at)
        while tokens[at].group == "newline":
            at += 1
        if tokens[at].text != "{":
            raise error(
                "W0702", f"unexpected {tokens[at]}", tokens[at].span, "expected `{` and the statements"
            )
        end = _end_of_block(tokens, at)
        if name.text in self.known:
            raise InputError(
                Diagnostic(
                    code="W0704",
                    message=f"`{name.text}` is declared twice",
                    primary=Label(name.span, "again here"),
                    others=(Label(self.known[name.text].span, "first here"),),
                )
            )
        self.known[name.text] = Macro(
            name=name.text, parameters=parameters, body=tuple(tokens[at:end]), span=name.span
        )
        return end


def _with_arguments(
    inline: Macro, arguments: Sequence[Sequence[Token]], used: Span, number: int
) -> list[Token]:
    """The body of an inline with its arguments; each use has labels of its own, as in SPIN."""
    by_name = dict(zip(inline.parameters or (), arguments, strict=True))
    labels = _labels_in(inline.body)
    words: list[Token] = []
    for place, token in enumerate(inline.body):
        given = by_name.get(token.text, (token,)) if token.group == "name" else (token,)
        is_label = place in labels or (
            inline.body[place - 1].text == "goto" and token.text in labels.values()
        )
        suffix = f"{OF_INLINE}{number}" if is_label and token.text not in by_name else ""
        if token.group == "keyword" and token.text == "select":
            suffix = OF_INLINE
        words += [Token(word.group, word.text + suffix, used) for word in given]
    return words


def _labels_in(body: Sequence[Token]) -> dict[int, str]:
    """Where labels stand in a body: names before a colon, at the beginning of a statement."""
    found: dict[int, str] = {}
    parentheses = 0
    for place, (token, following) in enumerate(pairwise(body)):
        parentheses += {"(": 1, ")": -1}.get(token.text, 0)
        if token.group == "name" and following.text == ":" and not parentheses and place:
            before = body[place - 1]
            if before.group == "newline" or before.text in _BEFORE_LABELS:
                found[place] = token.text
    return found


def label_of(name: str) -> str:
    """A label as it is written, without the number of the use of the inline that it stands in."""
    return name.partition(OF_INLINE)[0]


def _end_of_block(tokens: Sequence[Token], start: int) -> int:
    """What comes after the brace that closes the one at `start`."""
    depth = 0
    at = start
    while tokens[at].group:
        if tokens[at].group == "sign" and tokens[at].text in "{}":
            depth += 1 if tokens[at].text == "{" else -1
        at += 1
        if depth == 0:
            return at
    raise error("W0702", "a block that never ends", tokens[start].span, "expected `}`")


def _with_line_ends(tokens: Iterable[Token], *, is_body: bool = False) -> Iterator[Token]:
    """The words, with a `;` where the end of a line ends a statement; ends of lines are left out."""
    last: Token | None = None
    depth = parentheses = 0
    is_sequence = is_body
    has_line_end = False
    for token in tokens:
        if token.group == "newline":
            has_line_end = True
            continue
        if has_line_end and is_sequence and depth and not parentheses and last is not None:
            can_end = last.text in (_LAST_SIGNS if last.group == "sign" else _LAST_KEYWORDS)
            if (can_end or last.group in _LAST_GROUPS) and token.group and token.text not in _CONTINUING:
                yield Token("sign", ";", last.span)
        has_line_end = False
        if token.group == "keyword" and not depth and not parentheses:
            is_sequence = is_body or token.text not in ("mtype", "ltl")
        if token.group == "sign":
            depth += {"{": 1, "}": -1}.get(token.text, 0)
            parentheses += {"(": 1, ")": -1}.get(token.text, 0)
        last = token
        yield token
