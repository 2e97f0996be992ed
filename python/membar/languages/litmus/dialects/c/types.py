"""C's scalar types as far as litmus tests need them: integers of 8 to 64 bits, `_Bool`, pointers.

Qualifiers and `_Atomic` change neither the size nor the meaning of an access here: an access is atomic if
it is made by an `atomic_…` function, plain if it is made by `*x`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeAlias

from membar.records import field, record, replace


@record(frozen=True, slots=True)
class IntType:
    """An integer type; `is_bool` for `_Bool`, whose only values are 0 and 1.

    `stored` is its number of bytes in memory if that is not its width: it then holds the value extended.
    """

    width: int
    signed: bool
    is_bool: bool = False
    stored: int | None = field(default=None, compare=False)

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.stored or self.width // 8


@record(frozen=True, slots=True)
class PointerType:
    """A pointer to `target`: an unsigned 64-bit word."""

    target: CType

    @property
    def width(self) -> int:
        """Bits of its values."""
        return 64

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return 8

    @property
    def signed(self) -> bool:
        """Addresses have no sign."""
        return False


CType: TypeAlias = IntType | PointerType

BOOL: Final = IntType(8, signed=False, is_bool=True)
CHAR: Final = IntType(8, signed=True)
UCHAR: Final = IntType(8, signed=False)
SHORT: Final = IntType(16, signed=True)
USHORT: Final = IntType(16, signed=False)
INT: Final = IntType(32, signed=True)
UINT: Final = IntType(32, signed=False)
LONG: Final = IntType(64, signed=True)
ULONG: Final = IntType(64, signed=False)

QUALIFIERS: Final = frozenset({"const", "volatile", "restrict", "register", "static", "auto"})
"""Words that may stand before a type and change nothing here."""

BASIC_WORDS: Final = frozenset({"char", "short", "int", "long", "signed", "unsigned", "_Bool", "bool"})
"""The words that C combines into integer types, in any order."""

_NAMED: dict[str, IntType] = {
    "intptr_t": LONG,
    "uintptr_t": ULONG,
    "size_t": ULONG,
    "ssize_t": LONG,
    "ptrdiff_t": LONG,
    "intmax_t": LONG,
    "uintmax_t": ULONG,
    "atomic_flag": BOOL,
    "atomic_bool": BOOL,
    "atomic_char": CHAR,
    "atomic_schar": CHAR,
    "atomic_uchar": UCHAR,
    "atomic_short": SHORT,
    "atomic_ushort": USHORT,
    "atomic_int": INT,
    "atomic_uint": UINT,
    "atomic_long": LONG,
    "atomic_ulong": ULONG,
    "atomic_llong": LONG,
    "atomic_ullong": ULONG,
    "atomic_size_t": ULONG,
    "atomic_ptrdiff_t": LONG,
    "atomic_intptr_t": LONG,
    "atomic_uintptr_t": ULONG,
    "atomic_intmax_t": LONG,
    "atomic_uintmax_t": ULONG,
    "atomic_t": INT,
} | {
    f"{prefix}{'' if signed else 'u'}int{infix}{width}_t": IntType(width, signed)
    for prefix in ("", "atomic_")
    for infix in ("", "_least")
    for width in (8, 16, 32, 64)
    for signed in (True, False)
}  # fmt: skip
NAMED: Final[Mapping[str, CType]] = MappingProxyType(_NAMED)
"""Types with a one-word name."""

UNSUPPORTED: Final = frozenset(
    {
        "float", "double", "void", "struct", "union", "enum", "_Complex", "__int128", "__int128_t",
        "__uint128_t", "spinlock_t", "mtx_t", "pthread_mutex_t", "thrd_t", "pthread_t",
    }
)  # fmt: skip
"""Types of C that membar knows by name and cannot represent."""


@lru_cache(maxsize=64)
def basic_type(words: tuple[str, ...]) -> CType | None:
    """The type that `unsigned long int` and the like mean; None if the words do not fit together."""
    count = {word: words.count(word) for word in words}
    signs = count.pop("signed", 0) + count.pop("unsigned", 0)
    longs = count.pop("long", 0)
    ints = count.pop("int", 0)
    rest = tuple(sorted(count))
    if signs > 1 or longs > 2 or ints > 1 or len(rest) > 1 or any(times > 1 for times in count.values()):
        return None
    signed = "unsigned" not in words
    if rest and rest[0] in {"_Bool", "bool"}:
        return BOOL if not (signs or longs or ints) else None
    if rest == ("char",):
        return IntType(8, signed) if not (longs or ints) else None
    if rest == ("short",):
        return IntType(16, signed) if not longs else None
    return IntType(64 if longs else 32, signed)


@record(frozen=True, slots=True, kw_only=True)
class TypeNames:
    """The names of types in one kind of C.

    Attributes:
        named: types of one word.
        structures: `struct name`, as far as it is a scalar here.
        unsupported: names that are known and cannot be represented.
        stored: the bytes that every integer has in memory; None: as many as its width.
    """

    named: Mapping[str, CType]
    structures: Mapping[str, CType] = field(default_factory=lambda: MappingProxyType({}))
    unsupported: frozenset[str] = UNSUPPORTED
    stored: int | None = None

    @property
    def default(self) -> CType:
        """The type of a location that nobody declares."""
        return self.in_memory(INT)

    def in_memory(self, kind: CType) -> CType:
        """`kind` with the size it has in memory."""
        match kind:
            case PointerType(target=target):
                return PointerType(self.in_memory(target))
            case IntType():
                return kind if kind.stored == self.stored else replace(kind, stored=self.stored)

    def is_type(self, word: str) -> bool:
        """Whether a type may begin with this word."""
        known = word in QUALIFIERS or word in BASIC_WORDS or word in self.named or word in self.unsupported
        return known or word in {"_Atomic", "struct"}

    def one(self, word: str) -> CType | None:
        """The type with this name of one word."""
        kind = self.named.get(word)
        return None if kind is None else self.in_memory(kind)

    def structure(self, name: str) -> CType | None:
        """What `struct name` means."""
        kind = self.structures.get(name)
        return None if kind is None else self.in_memory(kind)

    def basic(self, words: tuple[str, ...]) -> CType | None:
        """What `unsigned long int` means."""
        kind = basic_type(words)
        return None if kind is None else self.in_memory(kind)

    def parse(self, text: str) -> CType | None:
        """The type that an initial state writes, such as `volatile int` or `int*`; None if it is none."""
        stars = text.count("*")
        words = tuple(word for word in text.replace("*", " ").split() if word not in QUALIFIERS | {"_Atomic"})
        kind = self.basic(words) if words and set(words) <= BASIC_WORDS else None
        if kind is None and len(words) == 1:
            kind = self.one(words[0])
        elif len(words) == 2 and words[0] == "struct":
            kind = self.structure(words[1])
        for _ in range(stars if kind is not None else 0):
            assert kind is not None
            kind = PointerType(kind)
        return kind


C_TYPES: Final = TypeNames(named=NAMED)
"""The types of standard C."""


def type_text(kind: CType) -> str:
    """A type as people write it."""
    match kind:
        case PointerType(target=target):
            return f"{type_text(target)}*"
        case IntType(is_bool=True):
            return "_Bool"
        case IntType(width=width, signed=signed):
            name = {8: "char", 16: "short", 32: "int", 64: "long"}[width]
            return name if signed else f"unsigned {name}"
