"""Names of Rust: what a symbol stands for (both manglings), and how much of that a report shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from membar.source import pattern

_LEGACY_HASH = pattern(r"h[0-9a-f]{16}")
_LEGACY_ESCAPE = pattern(r"\$(?:u([0-9a-f]+)|([A-Z]+))\$")
_LEGACY_WORDS = {
    "SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
}  # fmt: skip
_BASIC_TYPES = {
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8", "i": "isize",
    "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_", "s": "i16", "t": "u16",
    "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!",
}  # fmt: skip
_DEEPEST = 64
# `<crate::Type<T> as other::Trait>`: what is left are the last words of each path.
_PATH = pattern(r"(?:[A-Za-z_]\w*::)+(?=[A-Za-z_{<])")


@cache
def demangle(symbol: str) -> str:
    """The path that a symbol stands for, without hashes; the symbol itself if it is not one of Rust."""
    try:
        if symbol.startswith("_R"):
            return _Symbol(symbol[2:].split(".", maxsplit=1)[0]).path(is_value=True)
        if symbol.startswith("_ZN"):
            return _legacy(symbol)
    except (ValueError, IndexError, RecursionError):
        pass
    return symbol


def shorten(path: str) -> str:
    """A path with only the last word of each name in it: `Stack<T>::push`."""
    if path.startswith("<"):
        return _PATH.sub("", path)
    name, turbofish, arguments = path.partition("::<")
    head, _, last = name.rpartition("::")
    last += turbofish + _PATH.sub("", arguments)
    if not head:
        return path
    owner = _PATH.sub("", head)
    is_type = owner[:1].isupper() or owner.startswith("<") or last.startswith("{")
    return f"{owner}::{last}" if is_type else last


def last_word(path: str) -> str:
    """The last name of a path, without arguments."""
    return path.partition("::<")[0].rpartition("::")[2].partition("<")[0]


def _legacy(symbol: str) -> str:
    """A symbol of the older mangling: names with their lengths, and a hash at the end."""
    rest, words = symbol[3:], list[str]()
    while rest and rest[0].isdigit():
        digits = len(rest) - len(rest.lstrip("0123456789"))
        length = int(rest[:digits])
        words.append(rest[digits : digits + length])
        rest = rest[digits + length :]
    if not rest.startswith("E") or not words:
        raise ValueError(symbol)
    if _LEGACY_HASH.fullmatch(words[-1]):
        words.pop()
    return "::".join(map(_legacy_word, words))


def _legacy_word(word: str) -> str:
    if word.startswith("_$"):
        word = word[1:]

    def character(match: object) -> str:
        code, name = match[1], match[2]  # type: ignore[index]
        return chr(int(code, 16)) if code else _LEGACY_WORDS[name]

    return _LEGACY_ESCAPE.sub(character, word).replace("..", "::")


class _Symbol:
    """Reads a symbol of the newer mangling (RFC 2603) from left to right."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._depth = text, 0, 0

    def path(self, *, is_value: bool = False) -> str:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError(self._text)
        found = self._path(is_value=is_value)
        self._depth -= 1
        return found

    def _path(self, *, is_value: bool) -> str:
        kind = self._next()
        if kind == "C":
            self._disambiguator()
            return self._identifier()
        if kind in "MXY":
            if kind != "Y":
                self._disambiguator()
                self.path()
            type_ = self._type()
            return f"<{type_}>" if kind == "M" else f"<{type_} as {self.path()}>"
        if kind == "N":
            space = self._next()
            parent = self.path(is_value=is_value)
            number = self._disambiguator()
            name = self._identifier()
            if space.isupper():
                word = {"C": "closure", "S": "shim"}.get(space, space)
                return f"{parent}::{{{word}{':' + name if name else ''}#{number}}}"
            return f"{parent}::{name}" if name else parent
        if kind == "I":
            parent = self.path(is_value=is_value)
            arguments = self._list(self._argument)
            return f"{parent}{'::' * is_value}<{', '.join(arguments)}>"
        if kind == "B":
            return self._again(lambda: self.path(is_value=is_value))
        raise ValueError(self._text)

    def _type(self) -> str:
        kind = self._text[self._at]
        if kind in _BASIC_TYPES:
            self._at += 1
            return _BASIC_TYPES[kind]
        if kind not in "ASTRQPOFDB":
            return self.path()
        self._at += 1
        match kind:
            case "A":
                element = self._type()
                return f"[{element}; {self._constant()}]"
            case "S":
                return f"[{self._type()}]"
            case "T":
                parts = self._list(self._type)
                return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
            case "R" | "Q":
                if self._skip("L"):
                    self._number()
                return f"&{'mut ' * (kind == 'Q')}{self._type()}"
            case "P" | "O":
                return f"*{'const' if kind == 'P' else 'mut'} {self._type()}"
            case "F":
                return self._function()
            case "D":
                return self._trait_object()
            case _:
                return self._again(self._type)

    def _function(self) -> str:
        self._binder()
        self._skip("U")
        if self._skip("K") and not self._skip("C"):
            self._identifier()
        arguments = self._list(self._type)
        result = self._type()
        return f"fn({', '.join(arguments)}){'' if result == '()' else f' -> {result}'}"

    def _trait_object(self) -> str:
        self._binder()
        traits = self._list(self._bound)
        if not self._skip("L"):
            raise ValueError(self._text)
        self._number()
        return f"dyn {' + '.join(traits)}"

    def _bound(self) -> str:
        found = self.path()
        while self._skip("p"):
            name = self._identifier()
            found += f"<{name} = {self._type()}>"
        return found

    def _argument(self) -> str:
        if self._skip("L"):
            self._number()
            return "'_"
        return self._constant() if self._skip("K") else self._type()

    def _constant(self) -> str:
        if self._skip("B"):
            return self._again(self._constant)
        if self._skip("p"):
            return "_"
        kind = self._next()
        if kind not in _BASIC_TYPES:
            raise ValueError(self._text)
        sign = "-" if self._skip("n") else ""
        end = self._text.index("_", self._at)
        digits, self._at = self._text[self._at : end], end + 1
        value = int(digits or "0", 16)
        return {"b": str(bool(value)).lower(), "c": repr(chr(value))}.get(kind, f"{sign}{value}")

    def _again(self, read: Callable[[], str]) -> str:
        """What stands at an earlier place."""
        place = self._number()
        if place >= self._at:
            raise ValueError(self._text)
        here, self._at = self._at, place
        found = read()
        self._at = here
        return found

    def _list(self, read: Callable[[], str]) -> list[str]:
        found = []
        while not self._skip("E"):
            found.append(read())
        return found

    def _binder(self) -> None:
        if self._skip("G"):
            self._number()

    def _disambiguator(self) -> int:
        return self._number() + 1 if self._skip("s") else 0

    def _number(self) -> int:
        """A number in base 62, one less than it says; `_` is 0."""
        end = self._text.index("_", self._at)
        digits, self._at = self._text[self._at : end], end + 1
        value = 0
        for each in digits:
            value = value * 62 + "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".index(each)
        return value + 1 if digits else 0

    def _identifier(self) -> str:
        is_encoded = self._skip("u")
        start = self._at
        while self._text[self._at : self._at + 1].isdigit():
            self._at += 1
            if self._text[start] == "0":
                break
        length = int(self._text[start : self._at])
        self._skip("_")
        name, self._at = self._text[self._at : self._at + length], self._at + length
        if is_encoded:
            head, _, tail = name.rpartition("_")
            return f"{head}-{tail}".lstrip("-").encode().decode("punycode")
        return name

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _skip(self, character: str) -> bool:
        if self._text[self._at : self._at + 1] != character:
            return False
        self._at += 1
        return True
