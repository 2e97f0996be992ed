"""Tokens of a cat file: names with dots and dashes, nested comments, and the two meanings of `*`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from membar.diagnostics import error
from membar.records import record
from membar.source import SourceFile, Span

# Words of the grammar. Those with an underscore say nothing that the rule around them does not say.
KEYWORDS = {"acyclic": "ACYCLIC", "irreflexive": "IRREFLEXIVE", "empty": "EMPTY"} | {
    word: f"_{word.upper()}"
    for word in (
        "let", "rec", "and", "show", "unshow", "as", "fun", "in", "undefined_unless", "flag", "assert",
        "include", "begin", "end", "procedure", "call", "match", "with", "from", "try", "if", "then", "else",
        "not", "enum", "instructions", "default",
    )
}  # fmt: skip
# Words that cat reserves for constructs that membar does not have, with what they are.
UNSUPPORTED = {
    "catdep": "a model that computes dependencies from register events",
    "forall": "iteration over a set",
    "do": "iteration over a set",
    "debug": "printing during evaluation",
    "subset": "inclusion test",
    "when": "a conditional check",
    "variant": "a variant as a value",
}
SYMBOLS = {
    "|": "BAR", "||": "_BARBAR", "&": "AMP", "&&": "_AMPAMP", "~": "TILDE", "+": "PLUS", "++": "_PLUSPLUS",
    "\\": "DIFF", "?": "QUESTION", "=": "_EQUAL", ";": "SEMI", ",": "_COMMA", "->": "_ARROW", "(": "_LPAR",
    ")": "_RPAR", "{": "_LBRACE", "}": "_RBRACE", "[": "_LBRACKET", "]": "_RBRACKET", "_": "_EVERYTHING",
    "0": "_ZERO",
}  # fmt: skip
# After `*`, these begin a second operand: it is a product. Before anything else it is the closure.
OPERANDS = frozenset(
    {"NAME", "TAG", "_LPAR", "_LBRACE", "_LBRACKET", "_EVERYTHING", "_ZERO", "_BEGIN", "TILDE"}
)

_WORD = re.compile(
    r"""(?P<SPACE>\s+)
    | (?P<OPEN>\(\*)
    | (?P<LINE>(?://|\#)[^\n]*)
    | (?P<STRING>"[^"\n]*")
    | (?P<NAME>_?[A-Za-z](?:[A-Za-z0-9_.]|-(?!>))*'?)
    | (?P<TAG>'[A-Za-z](?:[A-Za-z0-9_.]|-(?!>))*)
    | (?P<INVERSE>\^\s*-\s*1(?![0-9]))
    | (?P<SYMBOL>\|\||&&|\+\+|->|[|&~+\\?=;,(){}\[\]_0])
    | (?P<STAR>\*)""",
    re.VERBOSE,
)
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")


@record(frozen=True, slots=True)
class Word:
    """One word: its kind (a terminal of the grammar), its text and where it is."""

    kind: str
    text: str
    span: Span


def words(source: SourceFile) -> list[Word]:
    """All words of a file, comments left out.

    Raises:
        InputError: a character, string or comment that is none, or a reserved word of a missing construct.
    """
    result = list(_raw_words(source))
    for index, word in enumerate(result):
        if word.kind == "STAR" and _begins_operand(result[index + 1 : index + 3]):
            result[index] = Word("CROSS", word.text, word.span)
    return result


def _begins_operand(following: list[Word]) -> bool:
    """Whether an operand comes next; `~empty` and similar tests begin a statement."""
    kinds = [word.kind for word in following]
    is_check = len(kinds) == 2 and kinds[0] == "TILDE" and kinds[1] in ("ACYCLIC", "IRREFLEXIVE", "EMPTY")
    return bool(kinds) and kinds[0] in OPERANDS and not is_check


def _raw_words(source: SourceFile) -> Iterator[Word]:
    text, position = source.text, 0
    while position < len(text):
        match = _WORD.match(text, position)
        if match is None:
            raise _bad_character(source, position)
        if match.lastgroup == "OPEN":
            position = comment_end(source, position)
            continue
        kind = match.lastgroup or ""
        if kind not in ("SPACE", "LINE"):
            yield _word(kind, match.group(), source.span(match.start(), match.end()))
        position = match.end()


def _word(kind: str, text: str, span: Span) -> Word:
    if kind == "SYMBOL":
        return Word(SYMBOLS[text], text, span)
    if kind == "NAME" and text in UNSUPPORTED:
        raise error("W0205", f"`{text}` is not supported yet: {UNSUPPORTED[text]}", span, "this construct")
    if kind == "NAME" and text in KEYWORDS:
        return Word(KEYWORDS[text], text, span)
    if kind in ("STRING", "TAG"):
        return Word(kind, text.strip('"').removeprefix("'"), span)
    return Word(kind, text, span)


def comment_end(source: SourceFile, start: int) -> int:
    """The offset after the comment that opens at `start`; comments nest."""
    depth, position = 0, start
    while True:
        edge = _COMMENT_EDGE.search(source.text, position)
        if edge is None:
            raise error(
                "W0202",
                "this comment never ends",
                source.span(start, start + 2),
                "opened here",
                help="comments nest: every `(*` needs its own `*)`",
            )
        depth += 1 if edge.group() == "(*" else -1
        position = edge.end()
        if depth == 0:
            return position


def _bad_character(source: SourceFile, position: int) -> Exception:
    character = source.text[position]
    span = source.span(position, position + 1)
    if character == '"':
        return error(
            "W0203", "this string never ends", span, "opened here", help="a string must end on the same line"
        )
    hints = {
        "^": "the inverse is written `r^-1`",
        "1": "the only number in cat is `0`, the empty relation; the identity is `id`",
        "/": "the difference of sets is written `a \\ b`",
        ":": "a definition is written `let x = …`",
    }
    hint = hints.get(character)
    return error("W0201", f"unexpected character `{character}`", span, "not part of cat", help=hint)
