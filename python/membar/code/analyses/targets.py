"""Where an address may point: a byte of an object, or one of a regular series of bytes."""

from __future__ import annotations

from math import gcd

from membar.code import ir
from membar.records import record

UNKNOWN_SITE = "?"
# A series has so many dimensions at most; one with more is any multiple of what they have in common.
_MOST_STEPS = 4
Steps = tuple[tuple[int, int | None], ...]


@record(frozen=True, slots=True)
class Target:
    """Bytes `start + k1 * stride1 + k2 * stride2 + …` of the objects of a site, with 0 <= k < count.

    A site is a global object (`@name`), a function (`&name`), a local variable or a place that allocates. A
    count of None means any number, in both directions.
    """

    site: str
    start: int = 0
    steps: Steps = ()

    @property
    def is_exact(self) -> bool:
        """Whether it is one byte."""
        return not self.steps

    @property
    def function(self) -> str | None:
        """The function whose address it is."""
        return self.site[1:] if self.site.startswith("&") else None

    def move(self, distance: int) -> Target:
        """The target so many bytes further.

        An address may also be that of the end of an array, one past its last element: the way back leads to
        an element from there as well.
        """
        if distance == 0:
            return self
        past = int(distance < 0)
        steps = tuple((stride, None if count is None else count + past) for stride, count in self.steps)
        return series(self.site, self.start + distance, steps)

    def step(self, stride: int, count: int | None) -> Target:
        """The target any number of elements further."""
        if stride == 0:
            return self
        return series(self.site, self.start, (*self.steps, (stride, count)))

    def anywhere(self) -> Target:
        """Any byte of the same objects."""
        return Target(self.site, 0, ((1, None),))

    @property
    def stride(self) -> int:
        """What the distance between two of its bytes is a multiple of; 0 if there is one only."""
        return gcd(*(stride for stride, _ in self.steps)) if self.steps else 0

    def contains(self, other: Target) -> bool:
        """Whether it is a series without an end that all bytes of another target of its site are in."""
        if len(self.steps) != 1 or self.steps[0][1] is not None:
            return False
        return (other.start - self.start) % self.stride == 0 == other.stride % self.stride

    def bounds(self) -> tuple[int | None, int | None]:
        """The first and last byte; None where there is no bound."""
        if any(count is None for _, count in self.steps):
            return None, None
        ends = [stride * ((count or 1) - 1) for stride, count in self.steps]
        low, high = sum(end for end in ends if end < 0), sum(end for end in ends if end > 0)
        return self.start + low, self.start + high

    def may_be(self, offset: int) -> bool:
        """Whether it may be the byte at an offset, or the end of an array, one past its last element."""
        if self.is_exact:
            return self.start == offset
        low, high = self.bounds()
        is_within = low is None or high is None or low <= offset <= high + self.stride
        return is_within and (offset - self.start) % self.stride == 0


UNKNOWN = Target(UNKNOWN_SITE)
"""Nobody knows where this points."""


def overlaps(one: Target, one_size: int, other: Target, other_size: int) -> bool:
    """Whether accesses of so many bytes at two targets of one site may have a byte in common."""
    stride = gcd(one.stride, other.stride)
    distance = other.start - one.start
    if stride == 0:
        return -other_size < distance < one_size
    (low, high), (other_low, other_high) = one.bounds(), other.bounds()
    if high is not None and other_low is not None and high + one_size <= other_low:
        return False
    if low is not None and other_high is not None and other_high + other_size <= low:
        return False
    rest = distance % stride
    return rest < one_size or stride - rest < other_size


def join_targets(targets: set[Target], site: str) -> Target:
    """One target for all those of a site."""
    starts = [target.start for target in targets if target.site == site]
    strides = [target.stride for target in targets if target.site == site]
    stride = gcd(*strides, *(start - starts[0] for start in starts))
    return series(site, starts[0], ((stride, None),) if stride else ())


def series(site: str, start: int, steps: Steps) -> Target:
    """The target with these steps in normal form: if one of them has no bound, none has."""
    counts: dict[int, int] = {}
    for stride, count in steps:
        if count is None or (stride not in counts and len(counts) == _MOST_STEPS):
            whole = gcd(*(each for each, _ in steps))
            return Target(site, start % whole, ((whole, None),))
        counts[stride] = counts.get(stride, 1) + count - 1
    return Target(site, start, tuple(sorted(counts.items(), reverse=True)))


def target_of(operand: ir.Operand) -> Target | None:
    """The target of an operand that is an address by itself."""
    match operand:
        case ir.ObjectAddress(name, offset):
            return Target(f"@{name}", offset)
        case ir.FunctionAddress(name):
            return Target(f"&{name}")
        case _:
            return None
