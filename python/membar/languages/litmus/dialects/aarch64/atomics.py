"""Single-instruction atomics: compare-and-swap, swap, and load-operate-store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from membar.languages.litmus.assembly.effects import InstructionStep
from membar.languages.litmus.dialects.aarch64.memory import next_to
from membar.languages.litmus.dialects.aarch64.operands import Handler, Operands
from membar.languages.litmus.dialects.aarch64.registers import (
    RESULT,
    UNUSED,
    View,
    assign,
    constant,
    low_bits,
    word,
)
from membar.languages.litmus.dialects.aarch64.tags import (
    ACQUIRE,
    ATOMIC,
    COMPARED,
    COMPUTED,
    NO_RETURN,
    RELEASE,
)
from membar.program import expr as e
from membar.program.operations import NO_TAGS, Choose, Operation, Rmw, Tags

_OLD = e.Register(RESULT)
_SECOND = "$second"
_SUCCEEDS = "$succeeds"
_Update: TypeAlias = Callable[[e.Expr, e.Expr, int], e.Expr]


def _read_tags(ordering: str, *, returns: bool) -> Tags:
    """A read that returns nothing to a register is not an acquire."""
    if not returns:
        return frozenset({ATOMIC, NO_RETURN})
    return frozenset({ATOMIC, ACQUIRE}) if "A" in ordering else frozenset({ATOMIC})


def _write_tags(ordering: str, *more: str) -> Tags:
    return frozenset({ATOMIC, *more, *([RELEASE] if "L" in ordering else [])})


def _failed_tags(ordering: str, *, returns: bool) -> Tags:
    """The read of a comparison that failed: no half of anything."""
    if not returns:
        return frozenset({NO_RETURN})
    return frozenset({ACQUIRE}) if "A" in ordering else NO_TAGS


def _register(operands: Operands, size: int | None) -> View:
    return operands.register(width=32 if size else None)


def _compare_and_swap(operands: Operands, *, ordering: str, size: int | None) -> InstructionStep:
    compared = _register(operands, size)
    stored = operands.register(width=compared.width)
    memory = operands.memory()
    operands.end()
    count = size or compared.width // 8
    returns = not compared.is_zero
    rmw = Rmw(
        register=RESULT,
        address=memory.address,
        value=word(stored),
        condition=e.equals(_OLD, low_bits(word(compared), 8 * count)),
        size=count,
        read_tags=_read_tags(ordering, returns=returns),
        write_tags=_write_tags(ordering, COMPARED),
        failed_tags=_failed_tags(ordering, returns=returns),
    )
    return InstructionStep((rmw, *assign(compared, _OLD)))


def _operate(
    operands: Operands,
    *,
    update: _Update,
    ordering: str,
    size: int | None,
    has_target: bool = True,
) -> InstructionStep:
    """`SWP`, `LDADD`, …: reads, writes `update` of the old value and the source; `STADD` keeps nothing."""
    source = _register(operands, size)
    target = operands.register(width=source.width) if has_target else View("XZR", source.width)
    memory = operands.memory()
    operands.end()
    count = size or source.width // 8
    rmw = Rmw(
        register=RESULT,
        address=memory.address,
        value=update(_OLD, word(source), 8 * count),
        condition=e.TRUE,
        size=count,
        read_tags=_read_tags(ordering, returns=not target.is_zero),
        write_tags=_write_tags(ordering, *([] if update is _replace else [COMPUTED])),
    )
    return InstructionStep((rmw, *assign(target, _OLD)))


def _compare_and_swap_pair(operands: Operands, *, ordering: str) -> InstructionStep:
    """Both halves are equal and both are replaced, or nothing is written.

    Whether it succeeds is guessed first and checked last, so that each half can be one atomic operation. The
    check is a choice among no values: unlike an assumption, it makes nothing later depend on the values read.
    """
    compared = operands.register()
    width = compared.width
    compared_too, stored, stored_too = (operands.register(width=width) for _ in range(3))
    memory = operands.memory()
    operands.end()
    size = width // 8
    succeeds, old_too = e.Register(_SUCCEEDS), e.Register(_SECOND)
    same = e.equals(_OLD, low_bits(word(compared), width))
    same_too = e.equals(old_too, low_bits(word(compared_too), width))
    returns = not compared.is_zero
    # The two reads are one access even if nothing is written.
    failed_tags = _failed_tags(ordering, returns=returns) | {ATOMIC}

    def half(register: str, address: e.Expr, source: View, is_same: e.Expr) -> Rmw:
        return Rmw(
            register=register,
            address=address,
            value=word(source),
            condition=e.Binary(e.BinaryOp.AND, succeeds, is_same),
            size=size,
            read_tags=_read_tags(ordering, returns=returns),
            write_tags=_write_tags(ordering, COMPARED),
            failed_tags=failed_tags,
        )

    guessed_wrong = e.Binary(e.BinaryOp.NE, succeeds, e.Binary(e.BinaryOp.AND, same, same_too))
    operations: tuple[Operation, ...] = (
        Choose(_SUCCEEDS, constant(0), constant(1)),
        half(RESULT, memory.address, stored, same),
        half(_SECOND, next_to(memory.address, size), stored_too, same_too),
        Choose(UNUSED, guessed_wrong, constant(0)),
        *assign(compared, _OLD),
        *assign(compared_too, old_too),
    )
    return InstructionStep(operations, unordered=True)


def _simple(op: e.BinaryOp) -> _Update:
    return lambda old, source, _: e.Binary(op, old, source)


def _clear(old: e.Expr, source: e.Expr, _: int) -> e.Expr:
    return e.Binary(e.BinaryOp.AND, old, e.Unary(e.UnaryOp.INVERT, source))


def _replace(_old: e.Expr, source: e.Expr, _: int) -> e.Expr:
    return source


def _extreme(op: e.BinaryOp, *, takes_larger: bool) -> _Update:
    """The larger or the smaller one; what is written depends on both, as for every other operation."""

    def update(old: e.Expr, source: e.Expr, width: int) -> e.Expr:
        signed = op is e.BinaryOp.SLT
        left = e.Extend(old, width, signed) if width < 64 else old
        right = e.Extend(source, width, signed) if width < 64 else source
        is_less = e.Binary(op, left, right)
        return e.blend(is_less, right, left) if takes_larger else e.blend(is_less, left, right)

    return update


_UPDATES: dict[str, _Update] = {
    "ADD": _simple(e.BinaryOp.ADD),
    "CLR": _clear,
    "EOR": _simple(e.BinaryOp.XOR),
    "SET": _simple(e.BinaryOp.OR),
    "SMAX": _extreme(e.BinaryOp.SLT, takes_larger=True),
    "SMIN": _extreme(e.BinaryOp.SLT, takes_larger=False),
    "UMAX": _extreme(e.BinaryOp.LT, takes_larger=True),
    "UMIN": _extreme(e.BinaryOp.LT, takes_larger=False),
}
_ORDERINGS = ("", "A", "L", "AL")
_SIZES = (("", None), ("B", 1), ("H", 2))


def _handlers() -> Iterator[tuple[str, Handler]]:
    for ordering in _ORDERINGS:
        yield f"CASP{ordering}", partial(_compare_and_swap_pair, ordering=ordering)
        for suffix, size in _SIZES:
            yield f"CAS{ordering}{suffix}", partial(_compare_and_swap, ordering=ordering, size=size)
            yield f"SWP{ordering}{suffix}", partial(_operate, update=_replace, ordering=ordering, size=size)
            for name, update in _UPDATES.items():
                operate = partial(_operate, update=update, ordering=ordering, size=size)
                yield f"LD{name}{ordering}{suffix}", operate
                if "A" not in ordering:
                    yield f"ST{name}{ordering}{suffix}", partial(operate, has_target=False)


INSTRUCTIONS: dict[str, Handler] = dict(_handlers())
"""Mnemonic → what it does."""
