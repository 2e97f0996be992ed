"""Loads, stores, reserved pairs, single-instruction atomics and fences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from membar.languages.litmus.assembly.effects import InstructionStep
from membar.languages.litmus.assembly.operands import Handler, Operand, Operands, plus
from membar.languages.litmus.dialects.riscv.registers import RESULT, assign, constant, destination
from membar.languages.litmus.dialects.riscv.tags import ANNOTATIONS, ATOMIC, EXCLUSIVE
from membar.program.expr import TRUE, Binary, BinaryOp, Expr, Extend, Register, blend, equals
from membar.program.operations import Fence, Load, Rmw, Store, StoreConditional, Tags
from membar.source import pattern

_OLD = Register(RESULT)
_Update: TypeAlias = Callable[[Expr, Expr], Expr]
_KINDS = pattern(r"i?o?r?w?")
_SIZES = {"b": 1, "h": 2, "w": 4, "d": 8}


def _address(operands: Operands, *, exact: bool = False) -> Expr:
    """`8(x5)`; `exact` allows no offset but 0, as atomic instructions have none."""
    place = operands.place()
    operands.end()
    if exact and place.offset:
        raise operands.problem(
            f"`{operands.head.text}` takes no offset", "expected an offset of 0", at=place.operand
        )
    return plus(operands.value_of(place.base), constant(place.offset))


def _load(operands: Operands, *, size: int, signed: bool, tags: Tags) -> InstructionStep:
    target = operands.register()
    address = _address(operands)
    return InstructionStep(
        (Load(register=destination(target), address=address, size=size, signed=signed, tags=tags),)
    )


def _store(operands: Operands, *, size: int, tags: Tags) -> InstructionStep:
    value = operands.value()
    return InstructionStep((Store(address=_address(operands), value=value, size=size, tags=tags),))


def _load_reserved(operands: Operands, *, size: int, tags: Tags) -> InstructionStep:
    target = operands.register()
    load = Load(
        register=destination(target),
        address=_address(operands, exact=True),
        size=size,
        signed=True,
        tags=tags | {EXCLUSIVE},
        exclusive=True,
    )
    return InstructionStep((load,))


def _store_conditional(operands: Operands, *, size: int, tags: Tags) -> InstructionStep:
    status, value = operands.register(), operands.value()
    store = StoreConditional(
        status=destination(status),
        address=_address(operands, exact=True),
        value=value,
        size=size,
        tags=tags | {EXCLUSIVE},
        carries=True,
    )
    return InstructionStep((store,))


def _low(expr: Expr, size: int) -> Expr:
    """The low bytes, sign-extended: this keeps signed and unsigned order alike."""
    return expr if size == 8 else Extend(expr, 8 * size, signed=True)


def _amo(operands: Operands, *, update: _Update, size: int, tags: Tags) -> InstructionStep:
    """`amoadd.w rd,rs2,(rs1)`: one access, so both halves carry what the instruction says."""
    target, source = operands.register(), operands.value()
    rmw = Rmw(
        register=RESULT,
        address=_address(operands, exact=True),
        value=update(_OLD, _low(source, size)),
        size=size,
        condition=TRUE,
        signed=True,
        read_tags=tags | {ATOMIC},
        write_tags=tags | {ATOMIC},
    )
    return InstructionStep((rmw, *assign(target, _OLD)))


def _compare_and_swap(operands: Operands, *, size: int, tags: Tags) -> InstructionStep:
    """`amocas.w rd,rs2,(rs1)`: stores `rs2` if memory holds what `rd` says; `rd` gets the old value."""
    target = operands.register()
    expected, source = operands.value_of(target), operands.value()
    rmw = Rmw(
        register=RESULT,
        address=_address(operands, exact=True),
        value=source,
        size=size,
        condition=equals(_OLD, _low(expected, size)),
        signed=True,
        read_tags=tags | {ATOMIC},
        write_tags=tags | {ATOMIC},
    )
    return InstructionStep((rmw, *assign(target, _OLD)))


def _kinds(operands: Operands, operand: Operand) -> str:
    """The accesses of ordinary memory among `iorw`; those of devices are not modelled."""
    text = operand.text.lower()
    if not text or not _KINDS.fullmatch(text):
        raise operands.problem(
            f"`{operand.text}` is not a set of accesses", "expected some of `iorw`, such as `rw`", at=operand
        )
    return "".join(kind for kind in text if kind in "rw")


def _fence(operands: Operands) -> InstructionStep:
    """`fence`, `fence rw,w`; a side with no ordinary accesses leaves nothing to order."""
    before = after = "rw"
    if operands.remaining:
        before = _kinds(operands, operands.take("the accesses before the fence, such as `rw`"))
        after = _kinds(operands, operands.take("the accesses after the fence, such as `rw`"))
    operands.end()
    if not before or not after:
        return InstructionStep()
    return InstructionStep((Fence(frozenset({f"Fence.{before}.{after}"})),))


def _named_fence(operands: Operands, *, tag: str) -> InstructionStep:
    operands.end()
    return InstructionStep((Fence(frozenset({tag})),))


def _simple(op: BinaryOp) -> _Update:
    return lambda old, source: Binary(op, old, source)


def _extreme(op: BinaryOp, *, takes_larger: bool) -> _Update:
    """The larger or smaller, which depends on both."""

    def update(old: Expr, source: Expr) -> Expr:
        takes_source = Binary(op, old, source) if takes_larger else Binary(op, source, old)
        return blend(takes_source, source, old)

    return update


_UPDATES: dict[str, _Update] = {
    "swap": lambda _, source: source,
    "add": _simple(BinaryOp.ADD),
    "and": _simple(BinaryOp.AND),
    "or": _simple(BinaryOp.OR),
    "xor": _simple(BinaryOp.XOR),
    "max": _extreme(BinaryOp.SLT, takes_larger=True),
    "min": _extreme(BinaryOp.SLT, takes_larger=False),
    "maxu": _extreme(BinaryOp.LT, takes_larger=True),
    "minu": _extreme(BinaryOp.LT, takes_larger=False),
}


def _instructions() -> Iterator[tuple[str, Handler]]:
    """Every access, with every annotation."""
    for suffix, tags in ANNOTATIONS.items():
        for letter, size in _SIZES.items():
            yield f"l{letter}{suffix}", partial(_load, size=size, signed=True, tags=tags)
            yield f"s{letter}{suffix}", partial(_store, size=size, tags=tags)
            if size < 8:
                yield f"l{letter}u{suffix}", partial(_load, size=size, signed=False, tags=tags)
            yield f"amocas.{letter}{suffix}", partial(_compare_and_swap, size=size, tags=tags)
            for name, update in _UPDATES.items():
                yield f"amo{name}.{letter}{suffix}", partial(_amo, update=update, size=size, tags=tags)
        for letter in "wd":
            size = _SIZES[letter]
            yield f"lr.{letter}{suffix}", partial(_load_reserved, size=size, tags=tags)
            yield f"sc.{letter}{suffix}", partial(_store_conditional, size=size, tags=tags)


INSTRUCTIONS: dict[str, Handler] = {
    **dict(_instructions()),
    "fence": _fence,
    "fence.tso": partial(_named_fence, tag="Fence.tso"),
    "fence.i": partial(_named_fence, tag="Fence.i"),
}
"""Mnemonic → what it does."""
