"""Where the members of structures lie: as gcc and clang have it on LP64 machines (System V)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from membar.languages.c import types as t

_WORDS: Final = {1: t.UCHAR, 2: t.USHORT, 4: t.UINT, 8: t.ULONG}


@dataclass(frozen=True, slots=True)
class Asked:
    """A member as it is declared: `least` is the alignment it asks for, `width` the bits of a bit field."""

    name: str
    type: t.CType
    least: int = 0
    width: int | None = None


@dataclass(frozen=True, slots=True)
class _Bits:
    """A bit field with its number among the members and its first bit from the beginning of the structure."""

    number: int
    name: str
    integer: t.Integer
    first: int
    width: int


class RunError(Exception):
    """Neighbouring bit fields that no word has room for."""


def complete(structure: t.Structure, asked: list[Asked]) -> None:
    """Lays the members out, in order and aligned, as they ask for; those of a union all at the beginning.

    Raises:
        RunError: bit fields side by side, which are one location for C, do not fit into one word.
    """
    plain: dict[int, t.Member] = {}
    runs: list[list[_Bits]] = [[]]
    end = 0  # in bits
    for number, item in enumerate(asked):
        start = 0 if structure.is_union else end
        if item.width is None:
            alignment = max(t.alignment_of(item.type), item.least)
            at = _rounded(start, 8 * alignment) // 8
            plain[number] = t.Member(item.name, item.type, at)
            end = max(end, 8 * (at + (t.size_of(item.type) or 0)))
            structure.alignment = max(structure.alignment, alignment)
            runs.append([])
            continue
        assert isinstance(item.type, t.Integer)
        unit = item.type.width
        if item.width == 0 or start // unit != (start + item.width - 1) // unit:
            start = _rounded(start, unit)
        if item.name:
            structure.alignment = max(structure.alignment, item.type.size)
        if item.width == 0 or structure.is_union:
            runs.append([])
        if item.width:
            runs[-1].append(_Bits(number, item.name, item.type, start, item.width))
        end = max(end, start + item.width)
    structure.size = _rounded(_rounded(end, 8) // 8, structure.alignment)
    found = plain | dict(_in_words(structure, plain.values(), [run for run in runs if run]))
    members = [found[number] for number in sorted(found)]
    if members and not structure.is_union:
        members[-1] = _flexible(members[-1])
    structure.members = tuple(members)


def _flexible(last: t.Member) -> t.Member:
    """The last member of a structure: GNU C's `a[0]` there is `a[]`."""
    if not isinstance(last.type, t.Array) or last.type.count != 0:
        return last
    return t.Member(last.name, t.Array(last.type.element, None), last.offset)


def _in_words(
    structure: t.Structure, plain: Iterable[t.Member], runs: list[list[_Bits]]
) -> Iterator[tuple[int, t.Member]]:
    """The bit fields with their numbers, each in the word of its run, which has no other member in it."""
    extents = [(run[0].first // 8, _rounded(run[-1].first + run[-1].width, 8) // 8) for run in runs]
    for number, (run, (start, end)) in enumerate(zip(runs, extents, strict=True)):
        taken: set[int] = set()
        if not structure.is_union:
            for member in plain:
                taken.update(range(member.offset, member.offset + (t.size_of(member.type) or 0)))
            for other in (*extents[:number], *extents[number + 1 :]):
                taken.update(range(*other))
        unit = max(bits.integer.size for bits in run)
        at, size = _word(start, end, unit, free=set(range(structure.size)) - taken)
        for bits in run:
            if bits.name:
                field = t.BitField(bits.integer, _WORDS[size], bits.first - 8 * at, bits.width)
                yield bits.number, t.Member(bits.name, field, at)


def _word(start: int, end: int, unit: int, *, free: set[int]) -> tuple[int, int]:
    """A word around some bytes, and no taken ones: that of their type, else one as small as can be."""
    aligned = ((start - start % size, size) for size in (unit, 1, 2, 4, 8))
    for at, size in (*aligned, *((start, size) for size in (1, 2, 4, 8))):
        if end <= at + size and free.issuperset(range(at, at + size)):
            return at, size
    raise RunError


def _rounded(number: int, unit: int) -> int:
    return (number + unit - 1) // unit * unit
