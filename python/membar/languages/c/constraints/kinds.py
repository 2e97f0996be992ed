"""Types as constraints see them: with `const` and `_Atomic`, without sizes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from membar.languages.c import types as t
from membar.languages.c.values import common


@dataclass(frozen=True, slots=True)
class Unknown:
    """A type that is not known here, or that an error was told about: it fits everywhere."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """`void`."""


@dataclass(frozen=True, slots=True)
class Number:
    """An integer."""

    integer: t.Integer


@dataclass(frozen=True, slots=True)
class Real:
    """A floating-point number."""

    floating: t.Floating


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer to `target`."""

    target: Kind


@dataclass(frozen=True, slots=True)
class Array:
    """An array; `count` is None if it is not said or not known here, `is_open` tells which."""

    element: Kind
    count: int | None = None
    is_open: bool = False


@dataclass(eq=False, slots=True)
class Record:
    """A structure or union; `members` is None until it is declared in full. Unnamed ones have empty names."""

    tag: str
    is_union: bool
    members: list[tuple[str, Kind]] | None = None
    bit_fields: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Function:
    """A function; `parameters` is None if they are not said."""

    result: Kind
    parameters: tuple[Kind, ...] | None
    is_variadic: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """An object of a library that only its functions look into."""

    name: str


Shape: TypeAlias = Unknown | Nothing | Number | Real | Pointer | Array | Record | Function | Opaque


@dataclass(frozen=True, slots=True)
class Kind:
    """A type with its qualifiers."""

    shape: Shape
    is_const: bool = False
    is_atomic: bool = False


UNKNOWN: Final = Kind(Unknown())
NOTHING: Final = Kind(Nothing())
INT: Final = Kind(Number(t.INT))
LONG: Final = Kind(Number(t.LONG))
ULONG: Final = Kind(Number(t.ULONG))
CHAR: Final = Kind(Number(t.CHAR))
BOOL: Final = Kind(Number(t.BOOL))


def qualified(kind: Kind, *, is_const: bool, is_atomic: bool) -> Kind:
    """The type with further qualifiers; those of an array are its elements'."""
    if isinstance(kind.shape, Array) and (is_const or is_atomic):
        element = qualified(kind.shape.element, is_const=is_const, is_atomic=is_atomic)
        return replace(kind, shape=replace(kind.shape, element=element))
    return Kind(kind.shape, kind.is_const or is_const, kind.is_atomic or is_atomic)


def decayed(kind: Kind) -> Kind:
    """The type of a value: no qualifiers, and arrays and functions are pointers."""
    match kind.shape:
        case Array(element=element):
            return Kind(Pointer(element))
        case Function():
            return Kind(Pointer(kind))
        case shape:
            return Kind(shape)


def is_unknown(*kinds: Kind) -> bool:
    """Whether one of them is not known."""
    return any(isinstance(kind.shape, Unknown) for kind in kinds)


def number_of(kind: Kind) -> t.Integer | None:
    """The integer type, if it is one."""
    return kind.shape.integer if isinstance(kind.shape, Number) else None


def arithmetic(left: t.Integer, right: t.Integer) -> t.Integer:
    """The type of a calculation with both (C 6.3.1.8)."""
    a, b = (kind if kind.rank >= t.INT.rank else t.INT for kind in (left, right))
    return common(a, b)


def real_of(left: Kind, right: Kind) -> Kind | None:
    """The type of a calculation with both, if that is a floating-point one."""
    shapes = (left.shape, right.shape)
    if not all(isinstance(shape, Number | Real) for shape in shapes):
        return None
    reals = [shape for shape in shapes if isinstance(shape, Real)]
    return Kind(max(reals, key=lambda real: real.floating.size)) if reals else None


def is_scalar(kind: Kind) -> bool:
    """Whether a value of it can be compared with 0."""
    return isinstance(kind.shape, Number | Real | Pointer | Unknown)


def is_complete(kind: Kind) -> bool:
    """Whether its size is known."""
    match kind.shape:
        case Nothing() | Function() | Record(members=None):
            return False
        case Array(element=element, is_open=is_open):
            return not is_open and is_complete(element)
        case _:
            return True


def has_const(kind: Kind) -> bool:
    """Whether it is `const`, or some part of it is."""
    if kind.is_const:
        return True
    match kind.shape:
        case Record(members=members):
            return any(has_const(part) for _, part in members or ())
        case Array(element=element):
            return has_const(element)
        case _:
            return False


def member_of(record: Record, name: str) -> Kind | None:
    """The type of a member, also of one of an unnamed structure inside."""
    for own, kind in record.members or ():
        if own == name:
            return kind
        if not own and isinstance(kind.shape, Record):
            found = member_of(kind.shape, name)
            if found is not None:
                return qualified(found, is_const=kind.is_const, is_atomic=False)
    return None


def is_bit_field(record: Record, name: str) -> bool:
    """Whether a member is a bit field, also one of an unnamed structure inside."""
    if any(own == name for own, _ in record.members or ()):
        return name in record.bit_fields
    inner = (kind.shape for own, kind in record.members or () if not own)
    return any(is_bit_field(shape, name) for shape in inner if isinstance(shape, Record))


def are_same(left: Kind, right: Kind, *, is_loose: bool = False) -> bool:
    """Whether types are compatible (C 6.2.7). Loosely: signs and `const` may differ; compilers only warn."""
    if is_unknown(left, right):
        return True
    if left.is_atomic != right.is_atomic or (not is_loose and left.is_const != right.is_const):
        return False
    match left.shape, right.shape:
        case Number(integer=a), Number(integer=b):
            return a == b or (is_loose and a.rank == b.rank and a.is_bool == b.is_bool)
        case Pointer(target=a), Pointer(target=b):
            return are_same(a, b, is_loose=is_loose)
        case Array(element=a, count=m), Array(element=b, count=n):
            return (m is None or n is None or m == n) and are_same(a, b, is_loose=is_loose)
        case Function() as a, Function() as b:
            return _are_same_functions(a, b, is_loose=is_loose)
        case a, b:
            return a == b


def _are_same_functions(a: Function, b: Function, *, is_loose: bool) -> bool:
    if not are_same(_plain(a.result), _plain(b.result), is_loose=is_loose):
        return False
    if a.parameters is None or b.parameters is None:
        known = a if b.parameters is None else b
        return not known.is_variadic and all(map(_is_passed_as_is, known.parameters or ()))
    return (
        len(a.parameters) == len(b.parameters)
        and a.is_variadic == b.is_variadic
        and all(
            are_same(_plain(x), _plain(y), is_loose=is_loose)
            for x, y in zip(a.parameters, b.parameters, strict=True)
        )
    )


def _plain(kind: Kind) -> Kind:
    return Kind(kind.shape)


def _is_passed_as_is(kind: Kind) -> bool:
    """Whether a function whose parameters are not said may have such a one: it does not change on the way."""
    number = number_of(kind)
    return number is None or number.rank >= t.INT.rank


def spelled(kind: Kind) -> str:
    """The type in C's words, roughly."""
    match kind.shape:
        case Unknown():
            words = "?"
        case Nothing():
            words = "void"
        case Number(integer=integer):
            words = integer.name
        case Real(floating=floating):
            words = floating.name
        case Pointer(target=target):
            words = f"{spelled(target)} *"
        case Array(element=element, count=count):
            words = f"{spelled(element)}[{'' if count is None else count}]"
        case Record(tag=tag, is_union=is_union):
            words = f"{'union' if is_union else 'struct'} {tag or '(unnamed)'}"
        case Function(result=result):
            words = f"function returning {spelled(result)}"
        case Opaque(name=name):
            words = name
    words = f"_Atomic({words})" if kind.is_atomic else words
    return f"const {words}" if kind.is_const else words
