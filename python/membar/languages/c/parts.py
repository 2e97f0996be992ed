"""Parts of words: members of a union that share a word with a larger one, and bytes of a number.

Memory is made of whole scalars; where members of a union overlap, the largest one is what is there. A part of
it is read by reading all of it. Setting a part of a word that other threads may see at the same time has no
counterpart in a model of whole locations: it is refused, but for one case. A member of four bytes at the
beginning of eight is stored with a mark behind it that says that those bytes hold nothing any more, which is
what C says of them (6.2.6.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pycparser import c_ast as ast

from membar.languages.c import heap, liveness
from membar.languages.c import types as t
from membar.languages.c.values import UNSET, B, Slot, Value, binary, conjunction, extended, known, select
from membar.languages.c.world import Object, Place, Within
from membar.program.expr import FALSE, MASK, TRUE, Address, Binary, Constant, Expr, Extend, is_truth

if TYPE_CHECKING:
    from membar.languages.c.machine import Machine

_WORDS: Final = {1: t.UCHAR, 2: t.USHORT, 4: t.UINT, 8: t.ULONG}
_HALF: Final = 4
_MOST_BITS: Final = MASK >> 1
_FIRST_HALF: Final = 2 * 0xFFFF_FFFF
_UNSET_BEHIND: Final = heap.unset(8) >> 32
_UNSET_FIRST: Final = (heap.unset(8) & 0xFFFF_FFFF) >> 16
_NOT_SET: Final = "part of a union is read that was not set, or not since a smaller member was"


@dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of a word: its address and type, how far into it they begin, and how many they are."""

    address: Expr
    kind: t.CType
    start: int
    size: int

    @property
    def word(self) -> t.Integer:
        """The type of the word as a number."""
        return _WORDS[t.size_of(self.kind) or 8]

    @property
    def bits(self) -> int:
        """The bits of the word that the bytes are, without the highest one: see `are_set`."""
        return ((1 << (8 * self.size)) - 1 << (8 * self.start)) & _MOST_BITS


def word_of(size: int) -> t.Integer:
    """The type of so many bytes as a number."""
    return _WORDS[size]


def within(base: Place, structure: t.Structure, name: str) -> Within | None:
    """The outermost union that the member `name` of a place lies in, as far as the text says."""
    outer = base.within
    offset = 0 if outer is None else outer.offset
    is_member = outer is not None and outer.is_member
    union = None if outer is None else outer.union
    while True:
        if union is None and structure.is_union:
            union, offset, is_member = structure, 0, True
        is_member = is_member and structure.is_union
        member = _leading_to(structure, name)
        if member is None:
            return None
        offset += member.offset
        inner = t.unqualified(member.type)
        if member.name == name or not isinstance(inner, t.Structure):
            return None if union is None else Within(union, offset, is_member)
        structure = inner


def inside(place: Place, offset: int) -> Within | None:
    """The union around what lies some bytes further in a place."""
    outer = place.within
    if outer is not None:
        return Within(outer.union, outer.offset + offset)
    kind = t.unqualified(place.type)
    while not isinstance(kind, t.Structure) or not kind.is_union:
        match kind:
            case t.Array(element=element):
                kind, offset = t.unqualified(element), offset % (t.size_of(element) or 1)
            case t.Structure(members=members):
                member = max((item for item in members or () if item.offset <= offset), key=_offset)
                kind, offset = t.unqualified(member.type), offset - member.offset
            case _:
                return None
    return Within(kind, offset)


def _offset(member: t.Member) -> int:
    return member.offset


def _leading_to(structure: t.Structure, name: str) -> t.Member | None:
    """The member of that name, or the one without a name that has it inside."""
    for member in structure.members or ():
        inner = t.unqualified(member.type)
        if member.name == name:
            return member
        if not member.name and isinstance(inner, t.Structure) and t.member_of(inner, name) is not None:
            return member
    return None


def part_of(m: Machine, place: Place) -> Part | None:
    """The part of a word that lies at a place; None if it is a whole scalar, or nothing that is known."""
    size = t.size_of(place.type)
    if size is None or isinstance(place.type, t.Atomic):
        return None
    item = m.object_at(place.address)
    if item is not None and isinstance(place.address, Address):
        return _found(item.kinds, place, place.address.offset, size)
    if place.within is not None:
        return _found(dict(t.scalars(place.within.union)), place, place.within.offset, size)
    return None


def _found(kinds: Mapping[int, t.CType], place: Place, offset: int, size: int) -> Part | None:
    if t.size_of(kinds.get(offset, t.VOID)) == size:
        return None
    for first in range(offset, offset - 8, -1):  # words of bit fields need not be aligned
        kind = t.unqualified(kinds.get(first, t.VOID))
        width = t.size_of(kind) or 0
        if size < width and offset + size <= first + width:
            if isinstance(kind, t.Opaque | t.Whole):
                return None  # nobody may look into what belongs to a library
            return Part(binary(B.SUB, place.address, Constant(offset - first)), kind, offset - first, size)
    return None


def part_in(kinds: Mapping[int, t.CType], offset: int, size: int) -> Part | None:
    """The part of a word of an object whose scalars are known; its address is relative to the object."""
    return _found(kinds, Place(Address("", offset), t.VOID), offset, size)


# Words in expressions


def taken(word: Expr, start: int, kind: t.CType) -> Expr:
    """Some bytes of a word as a value; what else was put into the word is no part of it."""
    size = t.size_of(kind) or 1
    word, first = without_others(word, 8 * start, 8 * size)
    number = kind if isinstance(kind, t.Integer) else _WORDS[size]
    return extended(binary(B.SHR, word, Constant(first)) if first else word, number)


def without_others(word: Expr, first: int, width: int) -> tuple[Expr, int]:
    """What some bits of a word are bits of, without what was put beside them; and from which one on."""
    bits = ((1 << width) - 1) << first
    while True:
        match word:
            case Extend(operand=operand, width=wide) if first + width <= wide:
                word = operand
            case Binary(B.OR, Binary(B.AND, old, Constant(rest)), new) if rest & bits == bits:
                del new
                word = old
            case Binary(B.OR, Binary(B.AND, _, Constant(rest)), new) if rest & bits == 0:
                word = new
            case Binary(B.SHL, inner, Constant(distance)) if 0 < distance <= first:
                first, bits, word = first - distance, bits >> distance, inner
            case Binary(B.AND, inner, Constant(rest)) if rest & bits == bits:
                word = inner
            case _:
                return word, first


def put(word: Expr, start: int, size: int, value: Expr, kind: t.CType) -> Expr:
    """A word of type `kind` with some of its bytes replaced."""
    return put_bits(word, 8 * start, 8 * size, value, kind)


def put_bits(word: Expr, first: int, width: int, value: Expr, kind: t.CType) -> Expr:
    """A word of type `kind` with some of its bits replaced."""
    bits = ((1 << width) - 1) << first
    word = _without(word, bits)
    new = binary(B.AND, value, Constant((1 << width) - 1))
    if first:
        new = binary(B.SHL, new, Constant(first))
    whole = binary(B.OR, binary(B.AND, word, Constant(MASK & ~bits)), new)
    return extended(whole, kind) if isinstance(kind, t.Integer) else whole


def _without(word: Expr, bits: int) -> Expr:
    """The word before bytes were put into it that are replaced now."""
    while True:
        match word:
            case Extend(operand=operand, width=width) if bits < 1 << width:
                word = operand
            case Binary(B.OR, Binary(B.AND, old, Constant(rest)), _) if (MASK & ~rest) & ~bits == 0:
                word = old
            case _:
                return word


# Variables in registers. Which bits were set is said by `Slot.defined`: 1 for all, else twice their bits,
# without the highest one of eight bytes.


def are_set(slot: Slot, bits: int) -> Expr:
    """Whether some bits were set."""
    if slot.defined in (TRUE, FALSE):
        return slot.defined
    here = binary(B.AND, slot.defined, Constant(2 * bits))
    is_here = binary(B.EQ, here, Constant(2 * bits))
    return is_here if known(is_here) is not None else binary(B.OR, binary(B.EQ, slot.defined, TRUE), is_here)


def are_all_set(slot: Slot) -> Expr:
    """Whether the whole of a word was set."""
    return slot.defined if is_truth(slot.defined) else binary(B.EQ, slot.defined, TRUE)


def _now_set(slot: Slot, part: Part, defined: Expr) -> Expr:
    """Which bits are set after some bytes got a value, which is itself set or not."""
    if defined == TRUE:
        return with_bits(slot.defined, part.bits, part.kind)
    every = _every(part.kind)
    without = _without_bits(slot.defined, part.bits, every)
    return (
        without
        if defined == FALSE
        else select(defined, with_bits(slot.defined, part.bits, part.kind), without)
    )


def _every(kind: t.CType) -> int:
    return ((1 << (8 * (t.size_of(kind) or 8))) - 1) & _MOST_BITS


def with_bits(before: Expr, bits: int, kind: t.CType) -> Expr:
    """Which bits of a word of type `kind` are set after some were."""
    every = _every(kind)
    if before == TRUE:
        return TRUE
    after = binary(B.OR, before, Constant(2 * bits))
    if known(after) is not None:
        return TRUE if known(after) == 2 * every else after
    # 1 says all: so it stays where it was, and comes where the last bit does.
    is_whole = binary(B.OR, binary(B.EQ, before, TRUE), binary(B.EQ, after, Constant(2 * every)))
    return select(is_whole, TRUE, after)


def _without_bits(before: Expr, bits: int, every: int) -> Expr:
    rest = Constant(2 * (every & ~bits))
    return rest if before == TRUE else select(binary(B.EQ, before, TRUE), rest, binary(B.AND, before, rest))


def held(m: Machine, item: Object, part: Part, kind: t.CType) -> Slot:
    """What a variable in registers holds at some of its bytes."""
    assert isinstance(part.address, Address)
    slot = m.flow.get(item.key(part.address.offset)) or UNSET
    return Slot(taken(slot.expr, part.start, kind), are_set(slot, part.bits))


def hold(m: Machine, item: Object, part: Part, new: Slot) -> None:
    """Lets a variable in registers hold something at some of its bytes."""
    assert isinstance(part.address, Address)
    key = item.key(part.address.offset)
    slot = m.flow.get(key) or UNSET
    word = put(slot.expr, part.start, part.size, new.expr, part.kind)
    m.flow.put(key, Slot(word, _now_set(slot, part, new.defined)))


def given(kinds: Mapping[int, t.CType], values: Iterable[tuple[int, Value]]) -> dict[int, Slot]:
    """The scalars that an initialiser gives, parts put together; of bytes given twice the last ones count."""
    found: dict[int, Slot] = {}
    for offset, value in values:
        if isinstance(value.type, t.BitField):
            _give_bits(found, kinds, offset, value)
            continue
        part = part_in(kinds, offset, t.size_of(value.type) or 0)
        if part is None:
            found[offset] = Slot(_as(value, t.unqualified(kinds[offset])))
            continue
        assert isinstance(part.address, Address)
        old = found.get(part.address.offset, UNSET)
        word = put(old.expr, part.start, part.size, value.expr, part.kind)
        found[part.address.offset] = Slot(word, _now_set(old, part, TRUE))
    return found


def _give_bits(found: dict[int, Slot], kinds: Mapping[int, t.CType], offset: int, value: Value) -> None:
    """The same of a bit field; its neighbours are 0 if they are not given."""
    bits = value.type
    assert isinstance(bits, t.BitField)
    part = part_in(kinds, offset, bits.word.size)
    if part is None:
        part = Part(Address("", offset), t.unqualified(kinds[offset]), 0, bits.word.size)
    assert isinstance(part.address, Address)
    at = part.address.offset
    old = found.get(at, UNSET)
    whole = put_bits(old.expr, 8 * part.start + bits.first, bits.width, value.expr, part.kind)
    found[at] = Slot(whole, with_bits(old.defined, part.bits, part.kind))


def _as(value: Value, kind: t.CType) -> Expr:
    """The bits of a value as one of another type of the same size."""
    return extended(value.expr, kind) if isinstance(kind, t.Integer) and kind != value.type else value.expr


# Accesses


def read(m: Machine, part: Part, kind: t.CType, node: ast.Node) -> Value:
    """What some bytes of a word hold, which must have been set."""
    item = m.object_at(part.address)
    if item is not None and not item.in_memory:
        if m.is_bad(Place(part.address, part.kind), node):
            return Value(FALSE, kind)
        slot = held(m, item, part, kind)
        m.check(slot.defined, f"`{item.name}` is read before it was set", node)
        return Value(slot.expr, kind)
    word = m.read(Place(part.address, part.word), node)
    assert isinstance(word, Value)
    _check_set(m, part, word.expr, node)
    return Value(taken(word.expr, part.start, kind), kind)


def copied(m: Machine, part: Part, kind: t.CType, node: ast.Node) -> Slot:
    """What some bytes of a word in memory hold, which need not have been set."""
    word = m.read_part(Place(part.address, part.word), node)
    defined = word.defined
    for condition in _marks(part, word.expr):
        defined = conjunction(defined, condition)
    return Slot(taken(word.expr, part.start, kind), defined)


def stored(kind: t.CType, slot: Slot) -> Expr:
    """The word for memory of a variable of which perhaps only the first half was set."""
    if t.size_of(kind) == 2 * _HALF and known(slot.defined) == _FIRST_HALF:
        return put(Constant(_UNSET_BEHIND << 32), 0, _HALF, slot.expr, t.ULONG)
    return slot.expr


def set_bytes(place: Place, found: Expr, defined: Expr) -> Expr:
    """Which bytes of a word that was read are set, as `Slot.defined` says it; `defined` speaks of all."""
    if not _is_mixed(place, t.size_of(place.type)):
        return defined
    is_first = binary(B.EQ, binary(B.SHR, found, Constant(32)), Constant(_UNSET_BEHIND))
    return select(defined, select(is_first, Constant(_FIRST_HALF), TRUE), FALSE)


def _is_mixed(place: Place, size: int | None) -> bool:
    """Whether smaller members lie in eight bytes of a union."""
    if place.within is None or size != 2 * _HALF:
        return False
    return any(size != 2 * _HALF for size in _sizes_at(place.within))


def check_whole(m: Machine, place: Place, found: Value, node: ast.Node) -> None:
    """A violation if all eight bytes of a union are read, but only some were set."""
    if _is_mixed(place, t.size_of(found.type)):
        _check_set(m, Part(place.address, t.ULONG, 0, 2 * _HALF), found.expr, node)


def _sizes_at(where: Within) -> set[int]:
    """The sizes of what the members of a union have in the same eight bytes."""
    return {
        t.size_of(kind) or 0
        for member in where.union.members or ()
        for offset, kind in t.scalars(member.type)
        if where.offset <= member.offset + offset < where.offset + 2 * _HALF
    }


def _check_set(m: Machine, part: Part, word: Expr, node: ast.Node) -> None:
    """A violation if the marks say that bytes that are read hold nothing."""
    for condition in _marks(part, word):
        m.check(condition, _NOT_SET, node)


def _marks(part: Part, word: Expr) -> Iterator[Expr]:
    """What must hold of a word in memory if some of its bytes were set."""
    if part.word.size != 2 * _HALF:
        return
    if part.start + part.size > _HALF:
        yield binary(B.NE, binary(B.SHR, word, Constant(32)), Constant(_UNSET_BEHIND))
    if part.start < _HALF:
        first = binary(B.AND, binary(B.SHR, word, Constant(16)), Constant(0xFFFF))
        yield binary(B.NE, first, Constant(_UNSET_FIRST))


def write(m: Machine, part: Part, value: Value, place: Place, node: ast.Node) -> None:
    """Sets some bytes of a word."""
    item = m.object_at(part.address)
    whole = Place(part.address, part.word)
    if item is not None and not item.in_memory:
        if not m.is_bad(Place(part.address, part.kind), node):
            hold(m, item, part, Slot(value.expr))
    elif is_alone(m, part.address):
        if m.is_bad(whole, node):
            return
        old = m.read_raw(whole, part.word, node)
        liveness.check_found(m, part.address, old.expr, part.word, node, may_be_unset=True)
        m.write(whole, Value(put(old.expr, part.start, part.size, value.expr, part.word), part.word), node)
    elif part.word.size == 2 * _HALF and part.size == _HALF and _is_first_member(part, place):
        mark = Constant(_UNSET_BEHIND << 32)
        m.write(whole, Value(put(mark, 0, _HALF, value.expr, part.word), part.word), node)
    else:
        m.refuse(
            node,
            f"setting {part.size} of the {part.word.size} bytes of a word that other threads may see",
            help="set the whole word, or a local variable that is then copied as a whole",
        )


def _is_first_member(part: Part, place: Place) -> bool:
    return part.start == 0 and place.within is not None and place.within.is_member


def is_alone(m: Machine, address: Expr) -> bool:
    """Whether no other thread can access an object now: it knows nothing of it, or does not run."""
    if liveness.is_own(m, address):
        return True
    state = m.flow.state
    if m.number != 1 or state is None:
        return False
    others = range(2, max(m.world.before.threads, len(m.world.plans) + 1) + 1)
    return not m.world.plans or all(("joined", number) in state.slots for number in others)
