"""GNU attributes: those that change nothing here are taken out of the text, all others are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from membar.diagnostics import error
from membar.languages.c import codes
from membar.languages.c.preprocess import Text

_TOKEN: Final = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\[\s*\[|\w+|\S")
_WORDS: Final = frozenset({"__attribute__", "__attribute", "__declspec"})
# They say something to a compiler about speed, warnings or linking, and nothing about what a program does.
_HARMLESS: Final = frozenset(
    """
    access alloc_align alloc_size always_inline artificial assume_aligned cold common const deprecated
    designated_init dllexport dllimport error externally_visible fallthrough flatten format format_arg
    gnu_inline hot leaf malloc may_alias maybe_unused no_instrument_function no_sanitize
    no_sanitize_address no_sanitize_thread no_sanitize_undefined nocommon nodiscard noinline noclone noipa
    nonnull nonstring noplt noreturn nothrow optimize pure reproducible restrict retain returns_nonnull
    section sentinel tls_model type_generic unavailable unsequenced unused used visibility
    warn_unused_result warning no_stack_protector no_reorder stack_protect target
    """.split()  # noqa: SIM905 - easier to read than a list
)
# They move objects in memory; that shows only where they change the size of a type.
_OF_VARIABLES: Final = frozenset({"aligned", "align"})
_BRACKETS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def without_attributes(text: Text) -> str:
    """The text with attributes blanked, everything else at its old place.

    Raises:
        InputError: an attribute that changes what the program does, and that membar does not know.
    """
    code = text.text
    if not any(word in code for word in (*_WORDS, "[")):
        return code
    parts: list[str] = []
    end = passed = 0
    around: list[bool] = []  # for each open brace: whether it is that of a structure
    head: list[str] = []  # the words since the last `;` or brace of the same depth
    for match in _TOKEN.finditer(code):
        if match.start() < passed:
            continue
        word = match[0]
        is_standard = word[0] == "[" and len(word) > 1
        if word in _WORDS or is_standard:
            stop = passed = _closed(code, match.start() if is_standard else match.end())
            is_type = bool(around and around[-1]) or _declares_type(head)
            _check(text, match.end(), stop, is_type=is_type)
            if not is_standard:
                blank = re.sub(r"[^\n]", " ", code[match.start() : stop])
                parts += [code[end : match.start()], blank]
                end = stop
        elif word == "{":
            around.append(any(item in {"struct", "union"} for item in head[-2:]))
            head = []
        elif word == "}":
            head = ["}"] if around and around.pop() else []
        elif word == ";":
            head = []
        else:
            head.append(word)
    return "".join([*parts, code[end:]])


def _declares_type(head: list[str]) -> bool:
    """Whether an attribute behind these words belongs to a type."""
    return head[:1] == ["typedef"] or head[-1:] in (["}"], ["struct"], ["union"], ["enum"])


def _closed(code: str, start: int) -> int:
    """Behind the bracket that closes the first one after `start`."""
    depth = 0
    for match in _TOKEN.finditer(code, start):
        depth += sum(_BRACKETS.get(sign, 0) for sign in match[0]) if match[0][0] not in "\"'" else 0
        if depth <= 0:
            return match.end()
    return len(code)


def _check(text: Text, start: int, end: int, *, is_type: bool) -> None:
    for at, name in _names(text.text, start, end):
        plain = name.strip("_") if name.startswith("__") else name
        if plain in _HARMLESS or (plain in _OF_VARIABLES and not is_type):
            continue
        what = f"the attribute `{plain}`"
        if plain in _OF_VARIABLES:
            what += " of a type or a member"
        raise error(codes.UNSUPPORTED, f"{what}: not supported", text.span(at, at + len(name)))


def _names(code: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The names in an attribute, those of its arguments aside, each with its place."""
    opening = re.match(r"[\s(]*", code[start:end])
    level = opening[0].count("(") if opening else 0  # `__attribute__((x))`, `__declspec(x)`, `[[x]]`
    depth = 0
    for match in _TOKEN.finditer(code, start, end):
        word = match[0]
        depth += _BRACKETS.get(word, 0)
        is_prefix = code[match.end() : end].lstrip().startswith("::")
        if depth == level and re.match(r"[^\W\d]", word) and not is_prefix:
            yield match.start(), word
