"""The preprocessor: `#define` and the like.

Macros put words in the place of others; those words keep the place of the use, so that every message points
at what the user wrote there. As in SPIN, this comes before inlines: directives may stand inside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import InputError, error, reason_of
from membar.languages.promela.tokens import tokenize
from membar.records import record
from membar.source import SourceFile, Span
from membar.text.tokens import Token, no_token

if TYPE_CHECKING:
    from pathlib import Path


MOST_TOKENS = 1_000_000
DEEPEST = 100
_DIRECTIVES = ("include", "define", "undef", "ifdef", "ifndef", "if", "elif", "else", "endif")
# What says nothing of the model: where the text came from, and what other tools should do.
_IGNORED = ("line", "pragma", "ident", "warning")


@record(frozen=True, slots=True, kw_only=True)
class Macro:
    """Words that stand for others; `parameters` is None for one without parentheses."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]
    span: Span


def preprocess(source: SourceFile) -> tuple[Token, ...]:
    """The words of a text and the ends of its lines, macros in place.

    Raises:
        InputError: a directive or a use of a macro that makes no sense.
    """
    reader = _Reader(source)
    reader.read()
    return tuple(reader.words)


class _Reader:
    def __init__(self, source: SourceFile) -> None:
        self.words: list[Token] = []
        self._source = source
        self._tokens = list(tokenize(source))
        self._included = 0
        self._at = 0
        self._macros: dict[str, Macro] = {}
        # Conditionals: is this branch read, was one before, where it began.
        self._open: list[tuple[bool, bool, Token]] = []

    def read(self) -> None:
        """Goes over the whole text."""
        starts_line = True
        while self._tokens[self._at].group:
            token = self._tokens[self._at]
            if token.group == "newline":
                starts_line = True
                self.words.append(token)
                self._at += 1
                continue
            if token.text == "#" and starts_line:
                self._directive()
                continue
            starts_line = False
            if self._is_read():
                self._word()
            else:
                self._at += 1
        if self._open:
            raise error("W0703", "a conditional without `#endif`", self._open[-1][2].span, "it begins here")
        self.words.append(self._tokens[self._at])

    def _is_read(self) -> bool:
        """Whether every conditional around is in a branch that counts."""
        return all(is_read for is_read, _, _ in self._open)

    # Directives

    def _directive(self) -> None:
        line = self._line()
        if len(line) == 1:
            return
        word, rest = line[1], line[2:]
        is_read = self._is_read()
        match word.text:
            case "ifdef" | "ifndef":
                is_defined = name_after(word, rest).text in self._macros
                self._begin(word, holds=is_defined is (word.text == "ifdef"))
            case "if":
                self._begin(word, holds=is_read and self._holds(word, rest))
            case "elif" | "else" | "endif" if not self._open:
                raise error("W0703", f"`#{word.text}` without `#if`", word.span, "no conditional is open")
            case "elif" | "else":
                _, was_read, start = self._open.pop()
                holds = not was_read and (
                    word.text == "else" or (self._is_read() and self._holds(word, rest))
                )
                self._open.append((holds, was_read or holds, start))
            case "endif":
                self._open.pop()
            case _ if not is_read:
                pass
            case "define":
                self._define(word, rest)
            case "undef":
                self._macros.pop(name_after(word, rest).text, None)
            case "include":
                self._include(word, rest)
            case "error":
                raise error(
                    "W0703", "`#error` in the text", word.span, " ".join(token.text for token in rest)
                )
            case _ if word.group != "number" and word.text not in _IGNORED:
                known = ", ".join(f"`#{name}`" for name in _DIRECTIVES)
                raise error("W0703", f"`#{word.text}` is not supported", word.span, f"expected {known}")

    def _begin(self, word: Token, *, holds: bool) -> None:
        """Opens a conditional."""
        self._open.append((holds, holds, word))

    def _line(self) -> list[Token]:
        line = []
        while self._tokens[self._at].group not in ("", "newline"):
            line.append(self._tokens[self._at])
            self._at += 1
        return line

    def _include(self, word: Token, rest: Sequence[Token]) -> None:
        """Puts the words of another file in place."""
        self._included += 1
        if self._included > DEEPEST:
            raise error("W0703", "too many files are included", word.span, f"at most {DEEPEST}")
        found = included_file(self._source, word, rest)
        end = Token("newline", "\n", word.span)
        self._tokens[self._at : self._at] = [*tokenize(found)[:-1], end]

    def _define(self, word: Token, rest: Sequence[Token]) -> None:
        name = name_after(word, rest)
        parameters: tuple[str, ...] | None = None
        body = rest[1:]
        if body and body[0].text == "(" and body[0].is_adjacent:
            parameters, end = parameters_of(body)
            body = body[end:]
        for token in body:
            _require_token(token)
        self._macros[name.text] = Macro(
            name=name.text, parameters=parameters, body=tuple(body), span=name.span
        )

    def _holds(self, word: Token, rest: Sequence[Token]) -> bool:
        """The condition of `#if`, in which `defined` speaks of names as they stand there."""
        known: list[Token] = []
        at = 0
        while at < len(rest):
            token = rest[at]
            if token.text != "defined":
                known.append(token)
                at += 1
                continue
            has_parentheses = at + 1 < len(rest) and rest[at + 1].text == "("
            at += 2 if has_parentheses else 1
            is_defined = name_after(word, rest[at:]).text in self._macros
            known.append(Token("number", str(int(is_defined)), token.span))
            at += 2 if has_parentheses else 1
        from membar.languages.promela.conditions import condition  # noqa: PLC0415 - on demand

        return condition(self._expand(known, ()), word)

    # Uses

    def _word(self) -> None:
        token = self._tokens[self._at]
        macro = self._macros.get(token.text) if token.group in ("name", "keyword") else None
        if macro is None:
            _require_token(token)
            self.words.append(token)
            self._at += 1
            return
        used, arguments, self._at = use_of(macro, self._tokens, self._at)
        if used is None:
            self.words.append(token)
            return
        self.words += self._instantiate(macro, arguments, used, ())
        if len(self.words) > MOST_TOKENS:
            raise error("W0703", "too many tokens", used, f"macros expand to more than {MOST_TOKENS}")

    def _instantiate(
        self, macro: Macro, arguments: Sequence[Sequence[Token]], used: Span, inside: tuple[str, ...]
    ) -> list[Token]:
        """The words of a macro, arguments and other macros in place."""
        if len(inside) > DEEPEST:
            raise error("W0703", "macros are nested too deeply", used, f"at most {DEEPEST} levels")
        # An argument is expanded before it is put in place, where the macro itself may be used again.
        given = [self._expand(argument, inside) for argument in arguments]
        by_name = dict(zip(macro.parameters or (), given, strict=True))
        words: list[Token] = []
        for token in macro.body:
            if token.group in ("name", "keyword") and token.text in by_name:
                words += [Token(word.group, word.text, used) for word in by_name[token.text]]
            else:
                words.append(Token(token.group, token.text, used))
        return self._expand(words, (*inside, macro.name))

    def _expand(self, tokens: Sequence[Token], inside: tuple[str, ...]) -> list[Token]:
        words: list[Token] = []
        at = 0
        count = len(tokens)
        tokens = [*tokens, Token("", "", tokens[-1].span)] if tokens else []
        while at < count:
            token = tokens[at]
            macro = self._macros.get(token.text) if token.group in ("name", "keyword") else None
            if macro is None or token.text in inside:
                words.append(token)
                at += 1
                continue
            used, arguments, at = use_of(macro, tokens, at)
            if used is None:
                words.append(token)
            else:
                words += self._instantiate(macro, arguments, used, inside)
            if len(words) > MOST_TOKENS:
                raise error("W0703", "too many tokens", token.span, f"at most {MOST_TOKENS}")
        return words


def _require_token(token: Token) -> None:
    if token.group == "unknown":
        raise no_token(token.span.source, token.span.start, "W0701")


def name_after(word: Token, rest: Sequence[Token]) -> Token:
    """The name that a directive or `inline` needs."""
    if not rest or rest[0].group not in ("name", "keyword"):
        place = rest[0] if rest and rest[0].group not in ("", "newline") else word
        raise error("W0702", f"`{word.text}` without a name", place.span, "expected a name")
    return rest[0]


def parameters_of(tokens: Sequence[Token], start: int = 0) -> tuple[tuple[str, ...], int]:
    """The names between parentheses that open at `start`, and what comes after these."""
    names: list[str] = []
    at = start + 1
    while at < len(tokens) and tokens[at].group and tokens[at].text != ")":
        if tokens[at].group in ("newline", "sign") and tokens[at].text in "\n,":
            at += 1
            continue
        if tokens[at].group != "name" or tokens[at].text in names:
            raise error("W0702", f"unexpected {tokens[at]}", tokens[at].span, "expected a new parameter")
        names.append(tokens[at].text)
        at += 1
    if at == len(tokens) or not tokens[at].group:
        raise error("W0702", "parameters that never end", tokens[start].span, "expected `)`")
    return tuple(names), at + 1


def use_of(macro: Macro, tokens: Sequence[Token], at: int) -> tuple[Span | None, list[list[Token]], int]:
    """Where the macro at `at` is used (None: it is not), its arguments, and what comes next."""
    token = tokens[at]
    if macro.parameters is None:
        return token.span, [], at + 1
    start = at + 1
    while tokens[start].group == "newline":
        start += 1
    if tokens[start].text != "(" or tokens[start].group != "sign":
        return None, [], at + 1
    arguments: list[list[Token]] = [[]]
    depth = 0
    end = start
    while tokens[end].group:
        here = tokens[end]
        is_sign = here.group == "sign"
        if is_sign and here.text in "([{":
            depth += 1
        elif is_sign and here.text in ")]}":
            depth -= 1
        if depth == 0:
            break
        if is_sign and here.text == "," and depth == 1:
            arguments.append([])
        elif end > start and here.group != "newline":
            arguments[-1].append(here)
        end += 1
    else:
        raise error("W0702", f"`{macro.name}`: its arguments never end", token.span, "expected `)`")
    if arguments == [[]] and len(macro.parameters) != 1:
        arguments = []
    if len(arguments) != len(macro.parameters):
        raise error(
            "W0703",
            f"`{macro.name}` has {len(macro.parameters)} parameters",
            token.span,
            f"{len(arguments)} arguments are given",
        )
    last = tokens[end].span
    used = token.span.to(last) if last.start >= token.span.start else token.span
    return used, arguments, end + 1


# `#include`: which file is meant, and what is in it.


def included_file(source: SourceFile, word: Token, rest: Sequence[Token]) -> SourceFile:
    """The file that the words behind `#include` name; `source` says where files are searched.

    Raises:
        InputError: the words name no file, or there is none.
    """
    from pathlib import Path  # noqa: PLC0415 - only where a file includes another

    name, span, is_beside = _file_name(word, rest)
    instead = {str(Path(path).absolute()): text for path, text in source.replaced}
    for place in _candidates(source, word, name, is_beside=is_beside):
        if str(place.absolute()) in instead:
            return _from(source, word).including(place, instead[str(place.absolute())])
        try:
            return _from(source, word).including(place)
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as problem:
            raise error("W0703", f"`{name}` cannot be read", span, reason_of(problem)) from None
    raise error("W0703", f"`{name}` was not found", span, "no such file", help="name more folders with -I")


def _from(source: SourceFile, word: Token) -> SourceFile:
    """The file in which `#include` stands, with the folders that the user named."""
    return source if word.span.source.project is None else word.span.source


def _file_name(word: Token, rest: Sequence[Token]) -> tuple[str, Span, bool]:
    """The name, its place, and whether the file may stand beside the one that names it."""
    if rest and rest[0].group == "string":
        return rest[0].text[1:-1], rest[0].span, True
    if len(rest) > 2 and rest[0].text == "<" and rest[-1].text == ">":
        span = rest[0].span.to(rest[-1].span)
        return span.text[1:-1].strip(), span, False
    raise _no_name(word)


def _no_name(word: Token) -> InputError:
    return error("W0703", "`#include` without a file", word.span, 'expected `"name"` or `<name>`')


def _candidates(source: SourceFile, word: Token, name: str, *, is_beside: bool) -> Iterator[Path]:
    from pathlib import Path  # noqa: PLC0415 - only where a file includes another

    if is_beside:
        yield Path(word.span.path).parent / name
    for folder in source.include_dirs:
        yield Path(folder) / name
