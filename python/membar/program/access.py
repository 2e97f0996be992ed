"""Accesses that hit no location: what is wrong with them, in words."""

from __future__ import annotations

from membar.diagnostics import Diagnostic, Label
from membar.program.expr import signed
from membar.program.program import Edge, Program

# How the message of an access that hits nothing begins.
ASTRAY = "access of"
NO_LOCATION = "W0322"


def bad_access(program: Program, word: int, size: int, edge: Edge | None) -> Diagnostic:
    """Why `size` bytes at address `word` are no location of the program."""
    cell = program.cell_at.get(word)
    name = program.name_of_address(word)
    span = edge.span if edge else None
    if cell is not None or name is not None:
        what = cell.name if cell else name
        element = (
            f", whose element has {cell.object.size}" if cell else ", which is inside or behind a location"
        )
        return Diagnostic(
            code="W0321",
            message=f"access of {size} bytes at `{what}`{element}: mixed-size accesses are not supported",
            primary=None if span is None else Label(span, "only whole locations can be accessed"),
            help="declare the location with the size of its accesses",
        )
    shown = signed(word)
    return Diagnostic(
        code="W0322",
        message=f"{ASTRAY} {size} bytes at address {shown}, which is no location",
        primary=None if span is None else Label(span, "no location is there"),
        help="let the address be that of a declared location" if shown else "the pointer is null here",
    )
