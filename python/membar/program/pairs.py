"""Relations with very many pairs, such as the program order of a long thread, stored compactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

Pair: TypeAlias = tuple[int, int]
Relation: TypeAlias = AbstractSet[Pair]


class Pairs(AbstractSet[Pair]):
    """A set of pairs, kept as a row of bits for each first event: 1000 events take 125 KB and not 60 MB.

    Bit `b` of `rows[a]` says whether the pair `(a, b)` is in it; rows at the end that are missing are empty.
    It is equal to a frozenset of the same pairs.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: Sequence[int]) -> None:
        size = len(rows)
        while size and not rows[size - 1]:
            size -= 1
        self.rows = tuple(rows[:size])

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> Pairs:
        if isinstance(pairs, Pairs):
            return pairs
        found: dict[int, int] = {}
        for a, b in pairs:
            found[a] = found.get(a, 0) | 1 << b
        return cls([found.get(a, 0) for a in range(max(found, default=-1) + 1)])

    @classmethod
    def from_bytes(cls, data: bytes, size: int) -> Pairs:
        """A relation over `size` events that the core wrote: rows of whole words, the lowest byte first."""
        if not data:
            return EMPTY
        width = len(data) // size
        return cls([int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)])

    def to_bytes(self, size: int) -> bytes:
        """As `from_bytes` reads it."""
        width = -(-size // 64) * 8
        rows = (*self.rows, *([0] * (size - len(self.rows))))
        return b"".join(row.to_bytes(width, "little") for row in rows) if self else b""

    def shift(self, offset: int) -> Pairs:
        """The pairs of events with numbers that are larger by `offset`."""
        return Pairs([*([0] * offset), *(row << offset for row in self.rows)])

    def __contains__(self, pair: object) -> bool:
        if not isinstance(pair, tuple) or len(pair) != 2:
            return False
        a, b = pair
        return 0 <= a < len(self.rows) and b >= 0 and bool(self.rows[a] >> b & 1)

    def __iter__(self) -> Iterator[Pair]:
        for a, row in enumerate(self.rows):
            yield from ((a, b) for b in members(row))

    def __len__(self) -> int:
        return sum(row.bit_count() for row in self.rows)

    def __bool__(self) -> bool:
        return bool(self.rows)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Pairs):
            return self.rows == other.rows
        if not isinstance(other, AbstractSet):
            return NotImplemented
        return len(self) == len(other) and all(pair in self for pair in other)

    def __hash__(self) -> int:
        return self._hash()

    def __repr__(self) -> str:
        return f"Pairs({sorted(self)})"

    @classmethod
    def _from_iterable(cls, it: Iterable[Pair]) -> frozenset[Pair]:  # type: ignore[override]  # any set will do
        return frozenset(it)


def members(mask: int) -> Iterator[int]:
    """The places of the bits that are set, the lowest first."""
    at = 0
    for word in _words(mask):
        rest = word
        while rest:
            low = rest & -rest
            yield at + low.bit_length() - 1
            rest ^= low
        at += 64


def _words(mask: int) -> Iterator[int]:
    if mask.bit_length() <= 64:
        yield mask
        return
    data = mask.to_bytes(-(-mask.bit_length() // 64) * 8, "little")
    for at in range(0, len(data), 8):
        yield int.from_bytes(data[at : at + 8], "little")


def union(relations: Iterable[Relation]) -> Relation:
    """The pairs of any of these."""
    rows: list[int] = []
    for each in relations:
        found = Pairs.of(each).rows
        rows += [0] * (len(found) - len(rows))
        for a, row in enumerate(found):
            rows[a] |= row
    return Pairs(rows)


EMPTY = Pairs(())
