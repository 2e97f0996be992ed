"""The heap: where allocated memory lies, and what says whether it still lives (decisions 0040, 0041).

Every call of `malloc` that the translation meets has *slots* of its own: one, or a few if it stands in a
loop whose number of turns is not known. Slots of one *shape* lie in one region of memory, equally far apart.
At the beginning of a slot is its *state*, a cell that no program sees: 0, or the number of the call of `free`
that ended its life. The object itself follows, a page behind. Fresh memory holds a number for "never set",
freed memory one for "freed there", so that a read knows what it found without another access.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from membar.languages.c import types as t

HEADER: Final = 0x1000
"""How far behind the beginning of its slot an object lies: a page, so that both are aligned alike."""
ALIGNMENT: Final = 16
"""How memory is aligned that nobody wants aligned otherwise, and no better."""
STATE_SIZE: Final = 4
NOWHERE: Final = "heap$nowhere"
"""The state of everything that is not in the heap: it always lives."""
POOL: Final = "MEMBAR_HEAP"
"""The macro that says how many objects a call of `malloc` in a loop may make."""
DEFAULT_POOL: Final = 4
MOST_BYTES: Final = 80_000
_SMALLEST_STRIDE: Final = 0x4000
# Numbers that programs do not compute; the places where memory begins or ends add their own numbers.
_FREED: Final = {4: 0xF4EE_D000, 8: 0xF4EE_D3AD_A110_0000}
_ENDED: Final = {4: 0xE4DE_D000, 8: 0xE4DE_D3AD_A110_0000}
_UNSET: Final = {4: 0xA11C_0000, 8: 0xA11C_5E7A_B1E5_0000}
_UNSET_LOCAL: Final = {4: 0xA11D_0000, 8: 0xA11D_5E7A_B1E5_0000}

_MOST_PLACES: Final = 0xFFF
STATE_ENDED: Final = 0x1_0000
"""What the state of a variable whose life has ended holds, plus the number of the place."""
_MOST_TOLD: Final = 32
BLANK: Final = {1: 0xA5, 2: 0xA5C3}
"""What small scalars hold before they are set: no `bool`, and seldom anything else."""
_LOCAL: Final = "local"
_MARKED: Final = "marked"

Shape: TypeAlias = tuple[Hashable, ...]
"""What memory looks like: its size and alignment, and offset, size and number of its scalars."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Room for one object.

    Attributes:
        shape: what it looks like.
        index: which of the slots of that shape it is.
        line: of its allocation, or declaration.
        is_zeroed: it begins with zeros.
        thread: the thread whose variable it is; 0: it was allocated.
    """

    shape: Shape
    index: int
    line: int = 0
    is_zeroed: bool = False
    thread: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the text: the number that memory says it with, and its line."""

    number: int
    line: int


@dataclass(frozen=True, slots=True)
class Freeing:
    """A call of `free` that the translation met: by whom, when, and of what.

    Attributes:
        thread: the number of the thread.
        order: how many calls of `malloc` and `free` the thread had met before.
        is_repeated: it stands in a loop.
        label: the object that it frees; empty if only the execution knows.
        joined: threads that have ended by then.
    """

    thread: int
    order: int
    is_repeated: bool
    label: str
    joined: frozenset[int]


def shape_of(size: int | None, leaves: Iterable[t.Leaf], alignment: int = ALIGNMENT) -> Shape:
    """The shape of memory of some size with these scalars."""
    return ((size, alignment), *((leaf.offset, t.size_of(leaf.type), leaf.count) for leaf in leaves))


def shape_of_local(
    extent: tuple[int | None, int], leaves: Iterable[t.Leaf], *, is_marked: bool = False
) -> Shape:
    """The shape of memory for local variables: they never lie where allocated memory does."""
    return ((*extent, _MARKED if is_marked else _LOCAL), *shape_of(extent[0], leaves)[1:])


def is_local(shape: Shape) -> bool:
    """Whether it is memory of variables, not allocated."""
    return isinstance(shape[0], tuple) and shape[0][-1] in (_LOCAL, _MARKED)


def allocated(shapes: Mapping[Shape, int]) -> list[tuple[int, Shape, int]]:
    """The shapes of allocated memory, each with the number of its region and how many slots it has."""
    numbered = enumerate(shapes.items())
    return [(number, shape, count) for number, (shape, count) in numbered if not is_local(shape)]


def is_silent(shape: Shape) -> bool:
    """Whether only the state says that such memory has ended, because it has too many scalars."""
    return is_local(shape) and sum(1 for _ in scalars(shape)) > _MOST_TOLD


def scalars(shape: Shape) -> Iterator[tuple[int, int]]:
    """Offset and size of every scalar."""
    for leaf in shape[1:]:
        assert isinstance(leaf, tuple)
        offset, size, count = leaf
        for index in range(1 if count is None else count):
            yield offset + index * size, size


def extent_of(shape: Shape) -> tuple[int, int]:
    """Size and alignment."""
    assert isinstance(shape[0], tuple)
    size, alignment, *_ = shape[0]
    return size, alignment


def stride_of(shape: Shape) -> int:
    """How far apart slots of a shape are: a power of two, with room enough that overruns hit nothing."""
    half = _half(shape)
    return 2 * half if has_small(shape) else half


def _half(shape: Shape) -> int:
    size, _ = extent_of(shape)
    stride = _SMALLEST_STRIDE
    while stride < size + 2 * HEADER:
        stride *= 2
    return stride


def has_small(shape: Shape) -> bool:
    """Whether there are scalars that are too small to say that they were never set."""
    is_marked = isinstance(shape[0], tuple) and shape[0][-1] != _LOCAL
    return is_marked and any(has_mark(size) for _, size in _leaves(shape))


def mark_of(shape: Shape) -> int:
    """How far behind each small scalar a cell of the same size says whether it was set: 1 if it was not."""
    return _half(shape)


def _leaves(shape: Shape) -> Iterator[tuple[int, int]]:
    """Offset of the first and size of each array of scalars."""
    for leaf in shape[1:]:
        assert isinstance(leaf, tuple)
        yield leaf[0], leaf[1]


def apart(thread: int, size: int) -> str:
    """The mark of what is not in the heap, for one thread."""
    return f"heap$apart{thread}.{size}"


def region(number: int) -> str:
    """The label of the region of a shape; its first cell is the state of its first slot."""
    return f"heap${number}"


def freed(size: int, number: int = 0) -> int | None:
    """What memory of a scalar holds after it was freed; None if it is too small to say so."""
    return _FREED[size] + number if size in _FREED else None


def ended(size: int, number: int = 0) -> int | None:
    """What memory of a scalar holds after its variable has ended; None if it is too small to say so."""
    return _ENDED[size] + number if size in _ENDED else None


def meanings(size: int) -> tuple[tuple[int, int, str], ...]:
    """What those numbers say that are put into memory when it begins or ends."""
    words = ((_FREED, "freed"), (_ENDED, "ended"), (_UNSET, "never set"), (_UNSET_LOCAL, "never set"))
    return tuple((first[size], first[size] + _MOST_PLACES, word) for first, word in words if size in first)


def unset(size: int, number: int = 0) -> int:
    """What memory of a scalar holds before it is set; 0 if it is too small to say so."""
    return _UNSET[size] + number if size in _UNSET else 0


def says_unset(size: int) -> bool:
    """Whether a scalar of so many bytes can say that it was never set."""
    return size in _UNSET


def first(size: int, number: int, *, has_marks: bool = True) -> int:
    """What fresh memory of a scalar holds; small ones a number that means nothing if their mark says so."""
    return BLANK[size] if has_marks and size in BLANK else unset(size, number)


def has_mark(size: int) -> bool:
    """Whether a scalar of so many bytes has a cell beside it that says whether it was set."""
    return size in BLANK


def unset_local(size: int, number: int = 0) -> int:
    """What a local variable in memory holds before it is set; 0 if it is too small to say so."""
    return _UNSET_LOCAL[size] + number if size in _UNSET_LOCAL else 0
