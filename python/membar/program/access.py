"""Diagnostics for invalid accesses: null, wild and misaligned pointers, and mixed sizes."""

from __future__ import annotations

from membar.diagnostics import Diagnostic, Label
from membar.program.expr import signed
from membar.program.program import GUARD, Edge, Program

# How the message of an access that hits nothing begins.
ASTRAY = "access of"
NO_LOCATION = "W0322"
# Where no object of a compiled program lies: what is accessed there is a member behind a null pointer.
_FIRST_PAGE = 4096
KERNEL = "LKMM"
"""Programs with the primitives of the Linux kernel."""
COMPILED = frozenset({"C", "C++", "Rust", KERNEL})
"""Languages that a compiler reads: a stray pointer is a mistake of the program, not of its text."""


def bad_access(program: Program, word: int, size: int, edge: Edge | None) -> Diagnostic:
    """Why `size` bytes at address `word` are not a location of the program."""
    cell = program.cell_at.get(word)
    name = program.name_at(word)
    span = edge.span if edge else None
    ended = _ended_before(program, word, size)
    if ended is not None:
        return Diagnostic(
            code=NO_LOCATION,
            message=f"{ASTRAY} {size} bytes at `{name}`, which is past the end of `{ended}`",
            primary=None if span is None else Label(span, "there is no location"),
            help="use the address of a declared location",
        )
    if program.language in COMPILED and size and word % size and name is not None:
        return Diagnostic(
            code=NO_LOCATION,
            message=f"{ASTRAY} {size} bytes at `{name}`, a misaligned pointer",
            primary=None if span is None else Label(span, "the pointer is misaligned here"),
            help="clear the tag bits of a pointer before use",
        )
    if cell is not None or name is not None:
        what = cell.name if cell else name
        element = (
            f", whose element has {cell.object.size}" if cell else ", which is inside or past a location"
        )
        return Diagnostic(
            code="W0321",
            message=f"access of {size} bytes at `{what}`{element}: mixed-size accesses are not supported",
            primary=None if span is None else Label(span, "only whole locations can be accessed"),
            help="declare the location with the size of its accesses",
        )
    shown = signed(word)
    mistake, way_out = "which is not a location", "use the address of a declared location"
    if 0 <= shown < _FIRST_PAGE and (not shown or program.language in COMPILED):
        mistake = f"a null pointer{f' plus {shown}' if shown else ''}"
        way_out = "the pointer is null here"
    return Diagnostic(
        code=NO_LOCATION,
        message=f"{ASTRAY} {size} byte{'' if size == 1 else 's'} at address {shown}, {mistake}",
        primary=None if span is None else Label(span, "there is no location"),
        help=way_out,
    )


def with_line(wrong: Diagnostic) -> str:
    """The error with its line, as in a witness."""
    return wrong.message if wrong.primary is None else f"{wrong.message} (line {wrong.primary.span.line})"


def _ended_before(program: Program, word: int, size: int) -> str | None:
    """The object that an address is just past, as for a pointer that went too far; None if there is none.

    Between the parts of an object and behind its last one there may be bytes of no object: an access
    that is smaller than the largest part may be to one of those.
    """
    if word in program.cell_at:
        return None
    for item in program.objects:
        if word == program.bases[item.name] + item.size * item.count:
            first = item.name if item.place is None else item.place.name
            # Parts that are further away are blocks of their own in a region of memory.
            parts = [
                one
                for one in program.objects
                if first == (one.place.name if one.place else one.name)
                and program.bases[one.name] - word < GUARD // 2
                and word - program.bases[one.name] - one.size * one.count < GUARD // 2
            ]
            end = max(program.bases[one.name] + one.size * one.count for one in parts)
            is_behind = word == end and (len(parts) == 1 or size >= max(one.size for one in parts))
            return item.name if is_behind else None
    return None
