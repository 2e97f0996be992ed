"""Scalar type names of initial states and C code: how wide, how shown."""

from __future__ import annotations

from membar.records import record
from membar.source import pattern


@record(frozen=True, slots=True)
class Scalar:
    """A scalar type: `size` in bytes; pointers are unsigned and 8 bytes wide."""

    size: int
    signed: bool = True
    is_pointer: bool = False


POINTER = Scalar(8, signed=False, is_pointer=True)
INT = Scalar(4)

# Words that change neither width nor sign.
_QUALIFIERS = frozenset({"volatile", "const", "_Atomic", "atomic", "static", "extern", "register"})

_BY_NAME = {
    "bool": Scalar(1, signed=False),
    "_Bool": Scalar(1, signed=False),
    "char": Scalar(1),
    "signed char": Scalar(1),
    "unsigned char": Scalar(1, signed=False),
    "short": Scalar(2),
    "unsigned short": Scalar(2, signed=False),
    "int": INT,
    "signed": INT,
    "signed int": INT,
    "unsigned": Scalar(4, signed=False),
    "unsigned int": Scalar(4, signed=False),
    "long": Scalar(8),
    "long int": Scalar(8),
    "unsigned long": Scalar(8, signed=False),
    "unsigned long int": Scalar(8, signed=False),
    "long long": Scalar(8),
    "long long int": Scalar(8),
    "unsigned long long": Scalar(8, signed=False),
    "unsigned long long int": Scalar(8, signed=False),
    "intptr_t": Scalar(8),
    "uintptr_t": Scalar(8, signed=False),
    "size_t": Scalar(8, signed=False),
    "ssize_t": Scalar(8),
    "ptrdiff_t": Scalar(8),
    "atomic_bool": Scalar(1, signed=False),
    "atomic_char": Scalar(1),
    "atomic_uchar": Scalar(1, signed=False),
    "atomic_short": Scalar(2),
    "atomic_ushort": Scalar(2, signed=False),
    "atomic_int": INT,
    "atomic_uint": Scalar(4, signed=False),
    "atomic_long": Scalar(8),
    "atomic_ulong": Scalar(8, signed=False),
    "atomic_llong": Scalar(8),
    "atomic_ullong": Scalar(8, signed=False),
    "atomic_size_t": Scalar(8, signed=False),
    "atomic_intptr_t": Scalar(8),
    "atomic_uintptr_t": Scalar(8, signed=False),
    "atomic_t": INT,
    "atomic_long_t": Scalar(8),
    "atomic64_t": Scalar(8),
    "spinlock_t": INT,
}
_SIZED = pattern(r"(?:atomic_)?(?P<unsigned>u?)int(?P<bits>8|16|32|64)_t")


def scalar_type(name: str) -> Scalar | None:
    """The scalar that a type name such as `volatile uint32_t` or `int*` means; None if it means none."""
    if name.rstrip().endswith("*"):
        return POINTER
    plain = " ".join(word for word in name.split() if word not in _QUALIFIERS)
    if sized := _SIZED.fullmatch(plain):
        return Scalar(int(sized["bits"]) // 8, signed=not sized["unsigned"])
    return _BY_NAME.get(plain)
