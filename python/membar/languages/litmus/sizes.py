"""Refusing mixed-size accesses: every access must be to exactly one whole location."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from membar.diagnostics import Diagnostic, Label
from membar.languages.litmus import codes
from membar.program.dependencies import registers_written
from membar.program.expr import Address, Expr, evaluate, registers_of
from membar.program.operations import Load, Lock, Rmw, Store, StoreConditional, Unlock
from membar.program.program import Edge, Program, Thread


def mixed_sizes(program: Program) -> Iterator[Diagnostic]:
    """The accesses that can be seen, without running the program, not to be one whole location.

    An address is known if its registers keep their initial values. Engines check the others as they run.
    """
    for thread in program.threads:
        constants: Mapping[str, int] | None = None
        for edge in thread.edges:
            for operation in edge.operations:
                if not isinstance(operation, Load | Store | StoreConditional | Rmw | Lock | Unlock):
                    continue
                address = operation.address
                if isinstance(address, Address):  # as nearly all are
                    word: int | None = evaluate(address, {}, program.bases)
                else:
                    constants = _constants(program, thread) if constants is None else constants
                    word = _constant_address(address, constants, program.bases)
                cell = None if word is None else program.cell_at.get(word)
                if word is not None and (cell is None or cell.object.size != operation.size):
                    yield from _mismatch(program, edge, operation.size, word)


def _constants(program: Program, thread: Thread) -> Mapping[str, int]:
    """The registers that the thread never writes, with their values."""
    written = {name for op in thread.operations for name in registers_written(op)}
    return {name: program.word(value) for name, value in thread.registers if name not in written}


def _mismatch(program: Program, edge: Edge, size: int, word: int) -> Iterator[Diagnostic]:
    """What is wrong with an access to `size` bytes at an address, unless that is not part of an object."""
    cell, name = program.cell_at.get(word), program.name_of_address(word)
    if name is None:
        return
    if cell is None:
        message = f"mixed-size access: {size} bytes at `{name}`, which is not the start of a location"
    else:
        message = f"mixed-size access: {size} bytes of `{name}`, which has {cell.object.size}"
    base = name.split("[")[0].split("+")[0]
    declared = next(item for item in program.objects if item.name == base)
    yield Diagnostic(
        code=codes.MIXED_SIZE,
        message=message,
        primary=Label(edge.span, "an access must be to one whole location") if edge.span else None,
        others=(Label(declared.span, f"`{base}` comes from here"),) if declared.span else (),
        help=f"give `{base}` a type of {size} bytes in the initial state, such as `int{8 * size}_t {base};`",
    )


def _constant_address(address: Expr, constants: Mapping[str, int], bases: Mapping[str, int]) -> int | None:
    if any(name not in constants for name in registers_of(address)):
        return None
    return evaluate(address, constants, bases)
