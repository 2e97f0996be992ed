"""Words of LLVM IR, and a place between them."""

from __future__ import annotations

import re
from functools import lru_cache

from membar.diagnostics import InputError, error
from membar.source import SourceFile, pattern

UNREADABLE = "W1501"
UNSUPPORTED = "W1502"

# The kinds of words; the first that fits is the kind of a word. Letters and digits are those of ASCII.
_KINDS = {
    "label": r'(?:[\w$.-]+|"[^"]*"):(?=\s|$)',
    "symbol": r'[@%](?:\d+|[\w$.-]+|"[^"]*")|%|\$(?:"[^"]*"|[\w$.-]+)',
    "metadata": r'!(?:\d+|[\w$.\\-]+|"(?:[^"\\]|\\.)*")?',
    "attributes": r"\#\d+",
    "debug": r"\#dbg_[a-z_]+",
    "string": r'c?"[^"]*"',
    "float": r"-?\d+\.\d+(?:[eE][-+]?\d+)?|[su]?0x[KLMHR]?[\dA-Fa-f]+",
    "number": r"-?\d+",
    "word": r"[\w$.][\w$.-]*",
    "dots": r"\.\.\.",
    "sign": r"[()\[\]{}<>,=*|:]",
}
_KIND = pattern("|".join(f"(?P<{kind}>{text})" for kind, text in _KINDS.items()), re.ASCII)
# The next word, or a character that is none, behind blanks and comments.
_WORD = pattern(rf"(?:\s++|;[^\n]*+)*+({'|'.join(_KINDS.values())}|\S)", re.ASCII)
_ESCAPE = pattern(rb"\\([0-9a-fA-F]{2}|\\)")


@lru_cache(maxsize=10_000)
def _kind_of(word: str) -> str:
    """Which kind of word this is; empty if it is none."""
    found = _KIND.fullmatch(word)
    return "" if found is None else found.lastgroup or ""


class Cursor:
    """Words of one stretch of text, read from left to right."""

    def __init__(self, source: SourceFile, start: int, end: int) -> None:
        self.source = source
        self.start, self.end = start, end
        self._texts: list[str] = _WORD.findall(source.text, start, end)
        self._kinds = list(map(_kind_of, self._texts))
        self._at = 0
        if "" in self._kinds:
            self._at = self._kinds.index("")
            raise self.refuse(f"`{self.text}` cannot begin a word of LLVM IR", code=UNREADABLE)
        self._texts.append("")
        self._kinds.append("end")

    @property
    def text(self) -> str:
        """The next word; empty at the end."""
        return self._texts[self._at]

    @property
    def kind(self) -> str:
        """Which kind of word comes next."""
        return self._kinds[self._at]

    def peek(self, distance: int = 1) -> str:
        """A word further on."""
        return self._texts[min(self._at + distance, len(self._texts) - 1)]

    @property
    def is_at_end(self) -> bool:
        """Whether no word is left."""
        return self.kind == "end"

    def take(self) -> str:
        """The next word, passed."""
        text = self._texts[self._at]
        if self._kinds[self._at] == "end":
            raise self.unexpected_token("something more")
        self._at += 1
        return text

    def accept(self, text: str) -> bool:
        """Passes this word if it comes next."""
        if self._texts[self._at] == text and self._kinds[self._at] not in ("string", "end"):
            self._at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Passes this word.

        Raises:
            InputError: another one comes next.
        """
        if not self.accept(text):
            raise self.unexpected_token(f"`{text}`")

    def number(self) -> int:
        """An integer, passed."""
        if self.kind != "number":
            raise self.unexpected_token("a number")
        return int(self.take())

    def string(self) -> str:
        """A text in quotation marks, passed, without them."""
        if self.kind != "string":
            raise self.unexpected_token("a text in quotation marks")
        return unescape(self.take()).decode("utf-8", errors="replace")

    def skip_bracketed(self, opening: str = "(", closing: str = ")") -> None:
        """Passes everything up to the bracket that closes the next one."""
        depth = 0
        while True:
            is_sign = self.kind == "sign"
            word = self.take()
            depth += is_sign and word == opening
            depth -= is_sign and word == closing
            if depth == 0:
                return

    def unexpected_token(self, expected: str) -> InputError:
        """The error that something else was expected here."""
        message = (
            f"unexpected `{self.text}` in LLVM IR" if self.text else "this line of LLVM IR ends too early"
        )
        return self.refuse(message, f"expected {expected}", code=UNREADABLE)

    def refuse(self, message: str, label: str = "", *, code: str = UNSUPPORTED) -> InputError:
        """An error at the next word, or at the whole stretch if there is none."""
        starts = [found.start(1) for found in _WORD.finditer(self.source.text, self.start, self.end)]
        at = [*starts, self.end][self._at]
        end = at + max(len(self.text), 1)
        return error(code, message, self.source.span(min(at, len(self.source.text)), end), label)


def unescape(text: str) -> bytes:
    """The bytes of `"…"` or `c"…"`: a backslash and two hexadecimal digits are one byte."""
    body = text[text.index('"') + 1 : -1].encode("utf-8", errors="replace")
    return _ESCAPE.sub(lambda found: b"\\" if found[1] == b"\\" else bytes([int(found[1], 16)]), body)


def name_of(symbol: str) -> str:
    """The name that `%x`, `@x`, `@"x y"` or `x:` stands for."""
    body = symbol.rstrip(":") if symbol[0] not in "@%$!" else symbol[1:]
    return unescape(body).decode("utf-8", errors="replace") if body.startswith('"') else body
