"""What the parts of an object are called: `nodes[0].next`, from the types in the debug information."""

from __future__ import annotations

from collections.abc import Iterator

from membar.records import record
from membar.source import pattern

# Names that only the implementation of C may use: nobody looks at such members.
_RESERVED = pattern(r"_[A-Z_]")


@record(frozen=True, slots=True, kw_only=True)
class Shape:
    """The type of some bytes: a number, an array (`element`) or a structure or union (`members`).

    Attributes:
        size: in bytes.
        element: of an array.
        members: offset, name and shape of each.
        is_bit_field: whether it is the bytes that a bit field is in.
    """

    size: int
    element: Shape | None = None
    members: tuple[tuple[int, str, Shape], ...] = ()
    is_bit_field: bool = False


@record(frozen=True, slots=True)
class Name:
    """The name of a number: `x.y`, or `x.y` and an index if it is an element of an array.

    `is_internal`: it is a part of what the program sees as a whole, such as a mutex.
    """

    text: str
    index: int | None = None
    is_internal: bool = False

    def __str__(self) -> str:
        return self.text if self.index is None else f"{self.text}[{self.index}]"


def has_bit_fields(shape: Shape | None) -> bool:
    """Whether something in an object is a bit field."""
    if shape is None:
        return False
    inner = (shape.element, *(member for _, _, member in shape.members))
    return shape.is_bit_field or any(map(has_bit_fields, inner))


def covered_bytes(shape: Shape, start: int = 0) -> Iterator[int]:
    """The bytes of an object that belong to a number in it: all others are padding."""
    if shape.element is not None and shape.element.size:
        for offset in range(0, shape.size, shape.element.size):
            yield from covered_bytes(shape.element, start + offset)
    elif shape.members:
        for offset, _, member in shape.members:
            yield from covered_bytes(member, start + offset)
    else:
        yield from range(start, start + shape.size)


def subobjects(shape: Shape, base: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """Offset and name of everything in an object that a pointer may point to, the larger ones first."""
    if shape.element is not None and shape.element.size:
        for index in range(shape.size // shape.element.size):
            yield from subobjects(shape.element, f"{base}[{index}]", start + index * shape.element.size)
        return
    yield start, base
    if not all(_RESERVED.match(name) for _, name, _ in shape.members):
        for offset, name, member in shape.members:
            yield from subobjects(member, f"{base}.{name}" if name else base, start + offset)


def name_of(shape: Shape | None, base: str, offset: int, size: int) -> Name:
    """What `size` bytes at an offset of an object called `base` are called."""
    found = next(iter(sorted(_names(shape, base, offset, size), key=lambda item: item[0])), None)
    if found is not None:
        return found[1]
    return Name(f"{base}+{offset}" if offset else base)


def _names(shape: Shape | None, base: str, offset: int, size: int) -> Iterator[tuple[int, Name]]:
    """The names that fit, each with how badly: members of a union have the same address."""
    if shape is None or not 0 <= offset < max(shape.size, 1):
        return
    if shape.element is not None and shape.element.size:
        index, rest = divmod(offset, shape.element.size)
        is_number = shape.element.element is None and not shape.element.members
        if is_number and rest == 0 and size == shape.element.size:
            yield 0, Name(base, index)
        else:
            yield from _names(shape.element, f"{base}[{index}]", rest, size)
    elif shape.members and all(_RESERVED.match(name) for _, name, _ in shape.members):
        yield abs(shape.size - size), Name(base, is_internal=True)
    elif shape.members:
        if offset == 0 and size == shape.size and len({start for start, _, _ in shape.members}) > 1:
            yield 0, Name(base)  # all of a structure at once
        for start, name, member in shape.members:
            inner = f"{base}.{name}" if name else base
            if start <= offset < start + max(member.size, 1):
                yield from _names(member, inner, offset - start, size)
    else:
        text = f"{base}+{offset}" if offset else base
        yield abs(shape.size - size) + offset, Name(text)
