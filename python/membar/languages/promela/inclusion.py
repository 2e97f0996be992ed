"""`#include`: which file is meant, and what is in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from membar.diagnostics import InputError, error
from membar.source import SourceFile, Span
from membar.tokens import Token

if TYPE_CHECKING:
    from pathlib import Path


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
