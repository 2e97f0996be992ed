"""The preprocessor: `#define` and the like, and `inline`.

Macros and inlines put words in the place of others; those words keep the place of the use, so that every
message points at what the user wrote there. An inline is a macro whose body is a block of statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.promela.tokens import tokenize
from membar.records import record
from membar.source import SourceFile, Span
from membar.tokens import Token

if TYPE_CHECKING:
    from pathlib import Path


_MOST_TOKENS = 1_000_000
_DEEPEST = 100
_DIRECTIVES = ("include", "define", "undef", "ifdef", "ifndef", "if", "else", "endif")


@record(frozen=True, slots=True, kw_only=True)
class Macro:
    """Words that stand for others; `parameters` is None for one without parentheses."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]
    span: Span
    is_inline: bool = False


def preprocess(source: SourceFile) -> tuple[Token, ...]:
    """The words of a text, macros and inlines in place.

    Raises:
        InputError: a directive or a use of a macro that makes no sense.
    """
    reader = _Reader(source)
    reader.read()
    return tuple(reader.words)


def inlines(source: SourceFile) -> tuple[tuple[Token, ...], ...]:
    """The words of each inline's body, where they stand in the text; macros and inlines in them in place.

    Raises:
        InputError: as `preprocess`.
    """
    reader = _Reader(source)
    reader.read()
    return tuple(reader.bodies())


class _Reader:
    def __init__(self, source: SourceFile) -> None:
        self.words: list[Token] = []
        self._source = source
        self._tokens = list(tokenize(source))
        self._included = 0
        self._at = 0
        self._macros: dict[str, Macro] = {}
        self._open: list[tuple[bool, Token]] = []  # conditionals: is this branch read, where it began

    def read(self) -> None:
        """Goes over the whole text."""
        starts_line = True
        while self._tokens[self._at].group:
            token = self._tokens[self._at]
            if token.group == "newline":
                starts_line = True
                self._at += 1
                continue
            if token.text == "#" and starts_line:
                self._directive()
                continue
            starts_line = False
            if not all(is_read for is_read, _ in self._open):
                self._at += 1
            elif token.text == "inline" and token.group == "keyword":
                self._inline()
            else:
                self._word()
        if self._open:
            raise error("W0703", "a conditional without `#endif`", self._open[-1][1].span, "it begins here")
        self.words.append(self._tokens[self._at])

    def bodies(self) -> Iterator[tuple[Token, ...]]:
        """The words of the inlines' bodies."""
        for macro in self._macros.values():
            if macro.is_inline:
                yield tuple(self._expand(macro.body, (macro.name,)))

    # Directives

    def _directive(self) -> None:
        line = self._line()
        if len(line) == 1:
            return
        word, rest = line[1], line[2:]
        is_read = all(is_read for is_read, _ in self._open)
        match word.text:
            case "define" if is_read:
                self._define(word, rest)
            case "undef" if is_read:
                self._macros.pop(_name(word, rest).text, None)
            case "ifdef":
                self._open.append((_name(word, rest).text in self._macros, word))
            case "ifndef":
                self._open.append((_name(word, rest).text not in self._macros, word))
            case "if":
                self._open.append((self._holds(word, rest), word))
            case "else" | "endif" if not self._open:
                raise error("W0703", f"`#{word.text}` without `#if`", word.span, "no conditional is open")
            case "else":
                was_read, start = self._open.pop()
                self._open.append((not was_read, start))
            case "endif":
                self._open.pop()
            case "define" | "undef":
                pass
            case _ if not is_read:
                pass
            case "include":
                self._include(word, rest)
            case _:
                known = ", ".join(f"`#{name}`" for name in _DIRECTIVES)
                raise error("W0703", f"`#{word.text}` is not supported", word.span, f"expected {known}")

    def _line(self) -> list[Token]:
        line = []
        while self._tokens[self._at].group not in ("", "newline"):
            line.append(self._tokens[self._at])
            self._at += 1
        return line

    def _include(self, word: Token, rest: Sequence[Token]) -> None:
        """Puts the words of another file in place."""
        self._included += 1
        if self._included > _DEEPEST:
            raise error("W0703", "too many files are included", word.span, f"at most {_DEEPEST}")
        found = included_file(self._source, word, rest)
        end = Token("newline", "\n", word.span)
        self._tokens[self._at : self._at] = [*tokenize(found)[:-1], end]

    def _define(self, word: Token, rest: Sequence[Token]) -> None:
        name = _name(word, rest)
        parameters: tuple[str, ...] | None = None
        body = rest[1:]
        if body and body[0].text == "(" and body[0].is_adjacent:
            parameters, body = _parameters(body)
        self._macros[name.text] = Macro(
            name=name.text, parameters=parameters, body=tuple(body), span=name.span
        )

    def _holds(self, word: Token, rest: Sequence[Token]) -> bool:
        """`#if N`, `#if defined(NAME)`, `#if !…`."""
        words = [token.text for token in rest if token.text not in "()"]
        is_negated = bool(words) and words[0] == "!"
        words = words[is_negated:]
        if len(words) == 2 and words[0] == "defined":
            value = words[1] in self._macros
        elif len(words) == 1:
            expanded = self._expand([token for token in rest if token.text == words[0]], ())
            if len(expanded) != 1 or expanded[0].group != "number":
                raise error(
                    "W0703", "a condition that is not a number", word.span, "expected 0, 1 or `defined`"
                )
            value = expanded[0].text.strip("0") != ""
        else:
            raise error(
                "W0703", "an unsupported condition", word.span, "expected a number or `defined(NAME)`"
            )
        return value is not is_negated

    # Inlines

    def _inline(self) -> None:
        start = self._tokens[self._at]
        rest = [token for token in self._tokens[self._at + 1 :] if token.group != "newline"]
        name = _name(start, rest)
        if len(rest) < 2 or rest[1].text != "(":
            raise error("W0702", f"unexpected {rest[1]}", rest[1].span, "expected `(` and the parameters")
        parameters, rest = _parameters(rest[1:])
        if not rest or rest[0].text != "{":
            place = rest[0] if rest else name
            raise error("W0702", f"unexpected {place}", place.span, "expected `{` and the statements")
        body = _block(rest)
        if name.text in self._macros:
            raise InputError(
                Diagnostic(
                    code="W0704",
                    message=f"`{name.text}` is declared twice",
                    primary=Label(name.span, "again here"),
                    others=(Label(self._macros[name.text].span, "first here"),),
                )
            )
        self._macros[name.text] = Macro(
            name=name.text, parameters=parameters, body=tuple(body), span=name.span, is_inline=True
        )
        last = body[-1]
        while self._tokens[self._at] is not last:
            self._at += 1
        self._at += 1

    # Uses

    def _word(self) -> None:
        token = self._tokens[self._at]
        macro = self._macros.get(token.text) if token.group in ("name", "keyword") else None
        if macro is None:
            self.words.append(token)
            self._at += 1
            return
        used, arguments, self._at = _use(macro, self._tokens, self._at)
        if used is None:
            self.words.append(token)
            return
        self.words += self._instantiate(macro, arguments, used, ())
        if len(self.words) > _MOST_TOKENS:
            raise error("W0703", "too many tokens", used, f"macros expand to more than {_MOST_TOKENS}")

    def _instantiate(
        self, macro: Macro, arguments: Sequence[Sequence[Token]], used: Span, inside: tuple[str, ...]
    ) -> list[Token]:
        """The words of a macro, arguments and other macros in place."""
        if macro.is_inline and macro.name in inside:
            raise error("W0703", f"inline `{macro.name}` calls itself", used, "it would never terminate")
        if len(inside) > _DEEPEST:
            raise error("W0703", "macros are nested too deeply", used, f"at most {_DEEPEST} levels")
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
        tokens = [token for token in tokens if token.group != "newline"]
        while at < len(tokens):
            token = tokens[at]
            macro = self._macros.get(token.text) if token.group in ("name", "keyword") else None
            if macro is None or (token.text in inside and not macro.is_inline):
                words.append(token)
                at += 1
                continue
            used, arguments, at = _use(macro, [*tokens, Token("", "", token.span)], at)
            if used is None:
                words.append(token)
            else:
                words += self._instantiate(macro, arguments, used, inside)
            if len(words) > _MOST_TOKENS:
                raise error("W0703", "too many tokens", token.span, f"at most {_MOST_TOKENS}")
        return words


def _name(word: Token, rest: Sequence[Token]) -> Token:
    if not rest or rest[0].group not in ("name", "keyword"):
        place = rest[0] if rest and rest[0].group not in ("", "newline") else word
        raise error("W0702", f"`{word.text}` without a name", place.span, "expected a name")
    return rest[0]


def _parameters(tokens: Sequence[Token]) -> tuple[tuple[str, ...], list[Token]]:
    """The names between the parentheses that `tokens` begin with, and what comes after these."""
    names: list[str] = []
    at = 1
    while at < len(tokens) and tokens[at].group and tokens[at].text != ")":
        if tokens[at].group != "name" or tokens[at].text in names:
            raise error("W0702", f"unexpected {tokens[at]}", tokens[at].span, "expected a new parameter")
        names.append(tokens[at].text)
        at += 1
        if at < len(tokens) and tokens[at].text == ",":
            at += 1
    if at == len(tokens) or not tokens[at].group:
        raise error("W0702", "parameters that never end", tokens[0].span, "expected `)`")
    return tuple(names), list(tokens[at + 1 :])


def _block(tokens: Sequence[Token]) -> list[Token]:
    """The words from the brace that `tokens` begin with to the one that closes it."""
    depth = 0
    for at, token in enumerate(tokens):
        if token.group == "sign" and token.text in "{}":
            depth += 1 if token.text == "{" else -1
        if depth == 0:
            return list(tokens[: at + 1])
    raise error("W0702", "a block that never ends", tokens[0].span, "expected `}`")


def _use(macro: Macro, tokens: Sequence[Token], at: int) -> tuple[Span | None, list[list[Token]], int]:
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
    if arguments == [[]]:
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
            raise error("W0703", f"`{name}` cannot be read", span, str(problem)) from None
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
