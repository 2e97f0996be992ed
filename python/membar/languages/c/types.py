"""The types of C: integers, pointers, arrays, structures, functions; and how large they are (LP64)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer type. `rank` orders types (C 6.3.1.1); conversions to `is_bool` test for 0."""

    name: str
    size: int
    signed: bool
    rank: int
    is_bool: bool = False

    @property
    def width(self) -> int:
        """Bits that count."""
        return 8 * self.size


@dataclass(frozen=True, slots=True)
class Void:
    """No value."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of an object or function of type `target`."""

    target: CType


@dataclass(frozen=True, slots=True)
class Array:
    """`count` elements; None where the initialiser or the argument says how many.

    With `is_per_thread` there are as many as threads, any number; `count` is 1.
    """

    element: CType
    count: int | None
    is_per_thread: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """A named part of a structure, `offset` bytes from its beginning; the name is empty if it has none."""

    name: str
    type: CType
    offset: int


@dataclass(eq=False, slots=True)
class Structure:
    """A struct or union: complete once `members` is known. Two are the same only if declared at one place."""

    tag: str
    is_union: bool
    members: tuple[Member, ...] | None = None
    size: int = 0
    alignment: int = 1


@dataclass(frozen=True, slots=True)
class Function:
    """A function; `parameters` is None where the declaration says nothing about them."""

    result: CType
    parameters: tuple[CType, ...] | None
    is_variadic: bool = False


@dataclass(frozen=True, slots=True)
class Atomic:
    """`_Atomic` of a type: each access of an object is one atomic operation, sequentially consistent."""

    target: CType


@dataclass(frozen=True, slots=True)
class Opaque:
    """An object of a library (a mutex, a thread's name) that is one integer in memory."""

    name: str
    size: int = field(default=4)


@dataclass(frozen=True, slots=True)
class Whole:
    """An atomic structure as memory has it: one word of `size` bytes, `shift` bytes behind its beginning."""

    structure: Structure
    size: int
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Floating:
    """A floating-point type: values are its bits."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class BitField:
    """A bit field: `width` bits of the word that it shares with its neighbours, from bit `first` on."""

    integer: Integer
    word: Integer
    first: int
    width: int

    @property
    def value(self) -> Integer:
        """The type of what is read: promoted (C 6.3.1.1), since nothing can be done with it before."""
        limit = INT.width if self.integer.signed else INT.width - 1
        if self.width <= limit:
            return INT
        return UINT if self.width <= UINT.width else self.integer


CType: TypeAlias = (
    Integer | Floating | Void | Pointer | Array | Structure | Function | Atomic | Opaque | Whole | BitField
)

BOOL: Final = Integer("_Bool", 1, signed=False, rank=0, is_bool=True)
CHAR: Final = Integer("char", 1, signed=True, rank=1)
SCHAR: Final = Integer("signed char", 1, signed=True, rank=1)
UCHAR: Final = Integer("unsigned char", 1, signed=False, rank=1)
SHORT: Final = Integer("short", 2, signed=True, rank=2)
USHORT: Final = Integer("unsigned short", 2, signed=False, rank=2)
INT: Final = Integer("int", 4, signed=True, rank=3)
UINT: Final = Integer("unsigned int", 4, signed=False, rank=3)
LONG: Final = Integer("long", 8, signed=True, rank=4)
ULONG: Final = Integer("unsigned long", 8, signed=False, rank=4)
LLONG: Final = Integer("long long", 8, signed=True, rank=5)
ULLONG: Final = Integer("unsigned long long", 8, signed=False, rank=5)
FLOAT: Final = Floating("float", 4)
DOUBLE: Final = Floating("double", 8)
VOID: Final = Void()
VOID_POINTER: Final = Pointer(VOID)
POINTER_SIZE: Final = 8
_ATOMIC_SIZES: Final = frozenset({1, 2, 4, 8, 16})

_WORDS: Final[dict[str, CType]] = {
    "void": VOID,
    "_Bool": BOOL,
    "float": FLOAT,
    "double": DOUBLE,
    "char": CHAR,
    "char signed": SCHAR,
    "char unsigned": UCHAR,
    "short": SHORT,
    "int short": SHORT,
    "short signed": SHORT,
    "int short signed": SHORT,
    "short unsigned": USHORT,
    "int short unsigned": USHORT,
    "int": INT,
    "signed": INT,
    "int signed": INT,
    "unsigned": UINT,
    "int unsigned": UINT,
    "long": LONG,
    "int long": LONG,
    "long signed": LONG,
    "int long signed": LONG,
    "long unsigned": ULONG,
    "int long unsigned": ULONG,
    "long long": LLONG,
    "int long long": LLONG,
    "long long signed": LLONG,
    "int long long signed": LLONG,
    "long long unsigned": ULLONG,
    "int long long unsigned": ULLONG,
}


def named(words: list[str]) -> CType | None:
    """The type that specifiers such as `unsigned`, `long` mean, in any order; None if they mean none."""
    plain = {"__signed__": "signed", "__signed": "signed"}
    return _WORDS.get(" ".join(sorted(plain.get(word, word) for word in words)))


def unqualified(kind: CType) -> CType:
    """The type without `_Atomic`: that of the values."""
    while isinstance(kind, Atomic):
        kind = kind.target
    return kind


def is_scalar(kind: CType) -> bool:
    """Whether values of the type are one word."""
    return isinstance(unqualified(kind), Integer | Floating | Pointer | Opaque | Whole | BitField)


def whole_of(kind: CType) -> Whole | None:
    """What memory has of an atomic structure; None of anything else, and of other sizes.

    Sixteen bytes become a word of eight in their middle, where no access of a member can hit it.
    """
    if not isinstance(kind, Atomic):
        return None
    structure = unqualified(kind)
    if not isinstance(structure, Structure) or structure.members is None:
        return None
    if structure.size == 16:
        return Whole(structure, 8, shift=4)
    return Whole(structure, structure.size) if structure.size in _ATOMIC_SIZES else None


def size_of(kind: CType) -> int | None:
    """Bytes of an object of the type; None if it is incomplete."""
    match kind:
        case Integer(size=size) | Floating(size=size) | Opaque(size=size) | Whole(size=size):
            return size
        case Pointer():
            return POINTER_SIZE
        case BitField(word=word):
            return word.size
        case Array(element=element, count=count):
            each = size_of(element)
            return None if each is None or count is None else each * count
        case Structure(members=members, size=size):
            return None if members is None else size
        case Atomic(target=target):
            return size_of(target)
        case Void() | Function():
            return None


def alignment_of(kind: CType) -> int:
    """The alignment of objects of the type."""
    match kind:
        case Array(element=element):
            return alignment_of(element)
        case Structure(alignment=alignment):
            return alignment
        case Atomic(target=target):
            size = size_of(target) or 1
            return max(alignment_of(target), size if size in _ATOMIC_SIZES else 1)
        case _:
            return size_of(kind) or 1


def flexible(kind: CType) -> Array | None:
    """The array without a length at the end of a structure."""
    plain = unqualified(kind)
    if not isinstance(plain, Structure) or plain.is_union or not plain.members:
        return None
    last = plain.members[-1].type
    return last if isinstance(last, Array) and last.count is None else None


def of_size(kind: CType, size: int) -> CType | None:
    """The type of so many bytes: `kind`, an array of it, or a structure with so much at its end."""
    each = size_of(kind)
    tail, plain = flexible(kind), unqualified(kind)
    if not each or size <= 0:
        return None
    if tail is None or not isinstance(plain, Structure) or plain.members is None or size < each:
        return None if size % each else kind if size == each else Array(kind, size // each)
    *members, last = plain.members
    count = (size - last.offset) // (size_of(tail.element) or 1)
    whole = Structure(plain.tag, is_union=False, size=size, alignment=plain.alignment)
    whole.members = (*members, Member(last.name, Array(tail.element, count), last.offset))
    return whole


def member_of(structure: Structure, name: str) -> Member | None:
    """The member called `name`, also one of an unnamed structure inside."""
    for member in structure.members or ():
        if member.name == name:
            return member
        inner = unqualified(member.type)
        if not member.name and isinstance(inner, Structure):
            found = member_of(inner, name)
            if found is not None:
                return Member(found.name, found.type, member.offset + found.offset)
    return None


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar, or an array of `count` scalars, inside an object: its path, offset and type."""

    path: str
    offset: int
    type: CType
    count: int | None = None


def leaves(kind: CType, path: str = "", offset: int = 0) -> Iterator[Leaf]:
    """The scalars of a type, arrays of scalars as one, in the order of their addresses.

    Where members of a union share bytes, the largest scalar is what is there; the others are parts of it.
    """
    whole = whole_of(kind)
    if whole is not None:
        yield Leaf(path, offset + whole.shift, Atomic(whole))
        return
    match unqualified(kind):
        case Array(element=element, count=count):
            if count is None:
                return  # at the end of a structure: nothing is there
            if is_scalar(element):
                yield Leaf(path, offset, element, count or 0)
                return
            each = size_of(element) or 0
            for index in range(count or 0):
                yield from leaves(element, f"{path}[{index}]", offset + index * each)
        case Structure(is_union=True) as union:
            yield from _union_leaves(union, path, offset)
        case Structure(members=members):
            yield from _member_leaves(members or (), path, offset)
        case BitField(word=word):
            yield Leaf(path, offset, word)
        case _:
            yield Leaf(path, offset, kind)


def _member_leaves(members: tuple[Member, ...], path: str, offset: int) -> Iterator[Leaf]:
    """The scalars of the members of a structure; bit fields that share a word are one."""
    words: dict[int, list[str]] = {}
    for member in members:
        if isinstance(member.type, BitField):
            words.setdefault(member.offset, []).append(member.name)
    for member in members:
        name = member.name
        if isinstance(member.type, BitField):
            names = words.pop(member.offset, None)
            if names is None:
                continue
            name = name if len(names) == 1 else f"{names[0]}_to_{names[-1]}"
        yield from leaves(member.type, f"{path}.{name}" if name else path, offset + member.offset)


def _union_leaves(union: Structure, path: str, offset: int) -> Iterator[Leaf]:
    members = union.members or ()
    best = max(members, key=lambda member: size_of(member.type) or 0, default=None)
    if best is None:
        return
    places = _places(best.type)
    if all(_places(member.type) <= places for member in members):
        yield from leaves(best.type, f"{path}.{best.name}" if best.name else path, offset)
        return
    every = [
        leaf
        for member in members
        for leaf in leaves(member.type, f"{path}.{member.name}" if member.name else path, offset)
    ]
    # Scalars are aligned to their size: two of them are apart, or one lies in the other.
    every.sort(key=lambda leaf: -(size_of(leaf.type) or 0))
    taken: set[int] = set()
    found: list[Leaf] = []
    for leaf in every:
        new = list(_uncovered(leaf, taken))
        found += new
        taken.update(byte for item in new for byte in _bytes(item))
    yield from sorted(found, key=lambda leaf: leaf.offset)


def _bytes(leaf: Leaf) -> range:
    size = (size_of(leaf.type) or 0) * (1 if leaf.count is None else leaf.count)
    return range(leaf.offset, leaf.offset + size)


def _uncovered(leaf: Leaf, taken: set[int]) -> Iterator[Leaf]:
    """What of a scalar or an array of scalars lies where nothing is taken: whole, or in runs of elements."""
    if not taken.intersection(_bytes(leaf)):
        yield leaf
        return
    size = size_of(leaf.type) or 1
    run: list[int] = []
    for index in range((leaf.count or 0) + 1):
        if leaf.count is not None and index < leaf.count and leaf.offset + index * size not in taken:
            run.append(index)
        elif run:
            yield Leaf(f"{leaf.path}[{run[0]}]", leaf.offset + run[0] * size, leaf.type, len(run))
            run = []


def _places(kind: CType) -> set[tuple[int, int]]:
    """Offset and size of every scalar."""
    return {(offset, size_of(part) or 0) for offset, part in scalars(kind)}


def scalars(kind: CType) -> Iterator[tuple[int, CType]]:
    """Offset and type of every scalar of a type, in the order of their addresses."""
    return elements(leaves(kind))


def elements(found: Iterable[Leaf]) -> Iterator[tuple[int, CType]]:
    """Offset and type of every scalar."""
    for leaf in found:
        size = size_of(leaf.type) or 0
        for index in range(1 if leaf.count is None else leaf.count):
            yield leaf.offset + index * size, leaf.type


def byte_runs(found: Iterable[Leaf]) -> tuple[range, ...]:
    """Where there are arrays of bytes, those side by side as one."""
    runs: list[range] = []
    for leaf in found:
        if leaf.count is not None and size_of(leaf.type) == 1:
            start = runs.pop().start if runs and runs[-1].stop == leaf.offset else leaf.offset
            runs.append(range(start, leaf.offset + leaf.count))
    return tuple(runs)


def carved(found: Iterable[Leaf], places: Mapping[tuple[int, int], CType]) -> list[Leaf]:
    """The scalars of an object with larger ones, by offset and size, in its bytes; the largest ones count."""
    chosen: list[Leaf] = []
    taken: set[int] = set()
    for (offset, size), kind in sorted(places.items(), key=lambda item: (-item[0][1], item[0][0])):
        if taken.isdisjoint(range(offset, offset + size)):
            chosen.append(Leaf(f"@{offset}", offset, kind))
            taken.update(range(offset, offset + size))
    rest = [part for leaf in found for part in _uncovered(leaf, taken)]
    return sorted([*chosen, *rest], key=lambda leaf: leaf.offset)


def spelled(kind: CType) -> str:
    """The type in C's words, roughly: for messages."""
    match kind:
        case Integer(name=name) | Floating(name=name) | Opaque(name=name):
            return name
        case Void():
            return "void"
        case Pointer(target=target):
            return f"{spelled(target)} *"
        case Array(element=element, count=count):
            return f"{spelled(element)}[{'' if count is None else count}]"
        case Structure(tag=tag, is_union=is_union):
            return f"{'union' if is_union else 'struct'} {tag or '(unnamed)'}"
        case Function(result=result):
            return f"function returning {spelled(result)}"
        case Whole(structure=structure):
            return spelled(structure)
        case BitField(integer=integer, width=width):
            return f"{integer.name} : {width}"
        case Atomic(target=target):
            return f"_Atomic({spelled(target)})"
