"""Atomic structures: all their members in one word, which is read and written as a whole.

Up to eight bytes the word is what C has there, padding left out. Sixteen bytes do not fit into a word: each
member gets half of its bits, and what padding leaves. A number or pointer that does not fit is cut, and the
verdict says so; what fits is coded so that different values have different words and 0 is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pycparser import c_ast as ast

from membar.languages.c import codes, parts
from membar.languages.c import types as t
from membar.languages.c.values import (
    Aggregate,
    B,
    Slot,
    Value,
    binary,
    conjunction,
    extended,
    narrowed,
    select,
)
from membar.languages.c.world import Place
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr
from membar.program.operations import Tags

if TYPE_CHECKING:
    from membar.languages.c.machine import Machine

_WORD: Final = 64
# Of eight bytes, addresses of this stretch and numbers of up to 30 bits and a sign are told apart in 32 bits.
_ADDRESSES_AT: Final = 0x5555_4000_0000
_FAR: Final = 1 << 30
_IS_ADDRESS: Final = 1 << 31


@dataclass(frozen=True, slots=True)
class Field:
    """Where a scalar of a structure lies in the word: its first bit and how many there are."""

    offset: int
    kind: t.CType
    first: int
    width: int

    @property
    def is_exact(self) -> bool:
        """Whether all of its values fit."""
        return self.width == 8 * (t.size_of(self.kind) or 0)


def fields(whole: t.Whole) -> tuple[Field, ...]:
    """The scalars of a structure, as its word has them."""
    found = t.scalars(whole.structure)
    scalars = [(offset, t.unqualified(kind), t.size_of(kind) or 0) for offset, kind in found]
    if not whole.shift:
        return tuple(Field(offset, kind, 8 * offset, 8 * size) for offset, kind, size in scalars)
    left = _WORD - sum(4 * size for _, _, size in scalars)
    coded: list[Field] = []
    first = 0
    scalars.sort(key=lambda scalar: not isinstance(scalar[1], t.Pointer))  # so that one needs no shift
    for offset, kind, size in scalars:
        more = 0 if size == 8 else min(left, 4 * size)
        coded.append(Field(offset, kind, first, 4 * size + more))
        first, left = first + 4 * size + more, left - more
    return tuple(coded)


def has_padding(whole: t.Whole) -> bool:
    """Whether there are bits that no member has: a comparison of memory may find them different."""
    return _bits(whole.structure) < 8 * whole.structure.size


def _bits(kind: t.CType) -> int:
    match kind:
        case t.BitField(width=width):
            return width
        case t.Array(element=element, count=count):
            return (count or 0) * _bits(element)
        case t.Structure(members=members, is_union=is_union):
            each = [_bits(member.type) for member in members or ()]
            return min(each, default=0) if is_union else sum(each)
        case _:
            return 8 * (t.size_of(kind) or 0)


# Coding


def packed(m: Machine, value: Value | Aggregate, whole: t.Whole, node: ast.Node) -> Value:
    """The word of a structure; executions in which it does not fit are cut."""
    if not isinstance(value, Aggregate) or value.type is not whole.structure:
        message = f"a value of type `{t.spelled(value.type)}` is no `{t.spelled(whole)}`"
        m.refuse(node, message, codes.TYPE)
    slots = dict(value.parts)
    word: Expr = FALSE
    fits: Expr = TRUE
    for field in fields(whole):
        slot = slots[field.offset]
        message = f"part of a `{t.spelled(whole)}` is stored atomically that was never set"
        m.check(parts.are_all_set(slot), message, node)
        number = m.kept(Value(slot.expr, field.kind), node).expr
        code, is_there = _code(number, field)
        shifted = binary(B.SHL, code, Constant(field.first)) if field.first else code
        word = binary(B.ADD, word, shifted)  # no bit is in both; and the sum with an address is known
        fits = conjunction(fits, is_there)
    _cut_unless(m, fits, node)
    return m.kept(Value(word, whole), node)


def _code(number: Expr, field: Field) -> tuple[Expr, Expr]:
    """The bits of a member, and whether they say all."""
    size, every = t.size_of(field.kind) or 8, Constant((1 << field.width) - 1)
    if field.is_exact:
        return (number if size == 8 else binary(B.AND, number, every)), TRUE
    if size < 8:
        code = binary(B.AND, number, every)
        return code, binary(B.EQ, _decoded(code, field), number)
    distance = binary(B.SUB, number, Constant(_ADDRESSES_AT))
    if isinstance(number, Address):
        return binary(B.ADD, distance, Constant(_IS_ADDRESS)), TRUE
    is_near = binary(B.LT, distance, Constant(_FAR))
    is_small = binary(B.LT, binary(B.ADD, number, Constant(_FAR)), Constant(2 * _FAR))
    code = select(is_near, binary(B.OR, distance, Constant(_IS_ADDRESS)), binary(B.AND, number, every))
    return code, binary(B.OR, is_near, is_small)


def _decoded(code: Expr, field: Field) -> Expr:
    """What the bits of a member say; `code` may have others above them."""
    size, kind = t.size_of(field.kind) or 8, field.kind
    number = kind if isinstance(kind, t.Integer) else None
    if field.is_exact:
        width = parts.word_of(size) if number is None else number
        return extended(code, width)
    low = narrowed(code, field.width, t.LONG)
    if size < 8:
        return low if number is None else extended(low, number)
    is_address = binary(B.EQ, binary(B.AND, code, Constant(3 * _FAR)), Constant(_IS_ADDRESS))
    address = binary(B.ADD, binary(B.AND, code, Constant(_FAR - 1)), Constant(_ADDRESSES_AT))
    return select(is_address, address, low)


def unpacked(word: Expr, whole: t.Whole) -> Aggregate:
    """The structure that a word says."""
    found = []
    for field in fields(whole):
        code = binary(B.SHR, word, Constant(field.first)) if field.first else word
        found.append((field.offset, Slot(_decoded(code, field))))
    return Aggregate(whole.structure, tuple(found))


def _cut_unless(m: Machine, fits: Expr, node: ast.Node) -> None:
    if fits == TRUE or m.flow.is_dead:
        return
    if m.is_constant_only:
        m.refuse(node, "a value that is too large for an atomic structure of 16 bytes")
    span = m.span(node)
    yes, no = m.flow.branch(fits, span)
    m.flow.state = no
    m.flow.endless(span)
    m.flow.state = yes


# Accesses


def place_of(m: Machine, place: Place, node: ast.Node) -> tuple[Place, t.Whole]:
    """Where the word of an atomic structure lies."""
    whole = t.whole_of(place.type)
    if whole is None:
        m.refuse(node, f"an atomic structure of {t.size_of(place.type)} bytes, not 1, 2, 4, 8 or 16")
    return Place(m.moved(place.address, whole.shift), t.Atomic(whole)), whole


def read(m: Machine, place: Place, node: ast.Node, tags: Tags | None) -> Aggregate:
    """An atomic load."""
    there, whole = place_of(m, place, node)
    word = m.read(there, node, tags)
    assert isinstance(word, Value)
    return unpacked(word.expr, whole)


def write(m: Machine, place: Place, value: Value | Aggregate, node: ast.Node, tags: Tags | None) -> None:
    """An atomic store."""
    there, whole = place_of(m, place, node)
    m.write(there, packed(m, value, whole, node), node, tags)


def given(
    m: Machine, kinds: Mapping[int, t.CType], values: Iterable[tuple[int, Value]], node: ast.Node
) -> dict[int, Slot]:
    """The scalars that an initialiser gives, atomic structures as words."""
    words = {at: kind.target for at, kind in kinds.items() if isinstance(kind, t.Atomic)}
    wholes = {at - word.shift: word for at, word in words.items() if isinstance(word, t.Whole)}
    if not wholes:
        return parts.given(kinds, values)
    outside: list[tuple[int, Value]] = []
    inside: dict[int, list[tuple[int, Value]]] = {}
    for offset, value in values:
        around = (at for at, whole in wholes.items() if at <= offset < at + whole.structure.size)
        start = next(around, None)
        if start is None:
            outside.append((offset, value))
        elif isinstance(value.type, t.Whole):
            inside[start] = []  # all of it, from the beginning
        else:
            inside.setdefault(start, []).append((offset - start, value))
    found = parts.given(kinds, outside)
    for start, members in inside.items():
        whole = wholes[start]
        scalars = dict(t.scalars(whole.structure))
        slots = parts.given(scalars, members)
        every = tuple((offset, slots.get(offset, Slot(FALSE))) for offset in scalars)
        found[start + whole.shift] = Slot(packed(m, Aggregate(whole.structure, every), whole, node).expr)
    return found
