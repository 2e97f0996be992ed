"""Loads, stores, reserved pairs and barriers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from membar.languages.litmus.assembly.effects import InstructionStep
from membar.languages.litmus.assembly.operands import Handler, Operands, plus
from membar.languages.litmus.dialects.ppc.registers import (
    EQUAL,
    GREATER,
    LESS,
    NUMBER_ZERO,
    OVERFLOWN,
    RESULT,
    bit,
    constant,
)
from membar.languages.litmus.dialects.ppc.tags import EIEIO, EXCLUSIVE, ISYNC, LWSYNC, SYNC
from membar.program.expr import Expr, Register, negation
from membar.program.operations import Fence, Load, Operation, Set, Store, StoreConditional
from membar.records import record

_TAGS = frozenset({EXCLUSIVE})


@record(frozen=True, slots=True, kw_only=True)
class Form:
    """How a mnemonic says its address: `d(rA)` or `rA,rB`; `updates` writes it back to `rA`."""

    indexed: bool = False
    updates: bool = False


@record(frozen=True, slots=True)
class _Memory:
    """The address of an access and the register that it is computed from."""

    address: Expr
    base: str


def _memory(operands: Operands, form: Form) -> _Memory:
    """The rest of the operands as an address."""
    if form.indexed:
        where = operands.following
        base = operands.register()
        left = constant(0) if base == NUMBER_ZERO else operands.value_of(base)
        address = plus(left, operands.value())
    else:
        place = operands.place()
        where, base = place.operand, place.base
        if base == NUMBER_ZERO:
            raise operands.problem(
                "`r0` as a base register means 0, not the register",
                "expected a register other than `r0`",
                at=where,
            )
        address = plus(operands.value_of(base), constant(place.offset))
    if form.updates and base == NUMBER_ZERO:
        raise operands.problem("`r0` cannot be updated", "expected a register other than `r0`", at=where)
    return _Memory(address, base)


def _load(operands: Operands, *, size: int, signed: bool, form: Form) -> InstructionStep:
    target = operands.register()
    memory = _memory(operands, form)
    operands.end()
    if not form.updates:
        return InstructionStep((Load(register=target, address=memory.address, size=size, signed=signed),))
    if target == memory.base:
        raise operands.problem(
            f"`{target}` is both loaded and updated", "the architecture calls this form invalid"
        )
    load = Load(register=target, address=memory.address, size=size, signed=signed)
    return InstructionStep((load, Set(memory.base, memory.address)))


def _store(operands: Operands, *, size: int, form: Form) -> InstructionStep:
    value = operands.value()
    memory = _memory(operands, form)
    operands.end()
    store: tuple[Operation, ...] = (Store(address=memory.address, value=value, size=size),)
    return InstructionStep((*store, Set(memory.base, memory.address)) if form.updates else store)


def _load_reserve(operands: Operands, *, size: int) -> InstructionStep:
    """`lwarx rD,rA,rB` with an optional hint."""
    target = operands.register()
    memory = _memory(operands, Form(indexed=True))
    if operands.remaining:
        operands.number(0, 1)
    operands.end()
    return InstructionStep(
        (Load(register=target, address=memory.address, size=size, tags=_TAGS, exclusive=True),)
    )


def _store_conditional(operands: Operands, *, size: int) -> InstructionStep:
    """`stwcx. rS,rA,rB`: `cr0` is "equal" if the store was done."""
    value = operands.value()
    memory = _memory(operands, Form(indexed=True))
    operands.end()
    store = StoreConditional(status=RESULT, address=memory.address, value=value, size=size, tags=_TAGS)
    return InstructionStep(
        (
            store,
            *(Set(bit("cr0", name), constant(0)) for name in (LESS, GREATER, OVERFLOWN)),
            Set(bit("cr0", EQUAL), negation(Register(RESULT))),
        )
    )


def _barrier(operands: Operands, *, tag: str) -> InstructionStep:
    operands.end()
    return InstructionStep((Fence(frozenset({tag})),))


def _sync(operands: Operands) -> InstructionStep:
    """`sync`, `sync 0`; `sync 1` is `lwsync`."""
    kind = operands.number(0, 1) if operands.remaining else 0
    operands.end()
    return InstructionStep((Fence(frozenset({LWSYNC if kind else SYNC})),))


_LOADS = {
    "lbz": (1, False),
    "lhz": (2, False),
    "lha": (2, True),
    "lwz": (4, False),
    "lwa": (4, True),
    "ld": (8, False),
}
_STORES = {"stb": 1, "sth": 2, "stw": 4, "std": 8}
_RESERVED = {"b": 1, "h": 2, "w": 4, "d": 8}
_FORMS = {
    "": Form(),
    "x": Form(indexed=True),
    "u": Form(updates=True),
    "ux": Form(indexed=True, updates=True),
}


def _instructions() -> Iterator[tuple[str, Handler]]:
    for suffix, form in _FORMS.items():
        for name, (size, signed) in _LOADS.items():
            if name + suffix != "lwau":  # the only form that does not exist
                yield name + suffix, partial(_load, size=size, signed=signed, form=form)
        for name, size in _STORES.items():
            yield name + suffix, partial(_store, size=size, form=form)
    for letter, size in _RESERVED.items():
        yield f"l{letter}arx", partial(_load_reserve, size=size)
        yield f"st{letter}cx.", partial(_store_conditional, size=size)


INSTRUCTIONS: dict[str, Handler] = {
    **dict(_instructions()),
    "sync": _sync,
    "hwsync": partial(_barrier, tag=SYNC),
    "msync": partial(_barrier, tag=SYNC),
    "lwsync": partial(_barrier, tag=LWSYNC),
    "eieio": partial(_barrier, tag=EIEIO),
    "isync": partial(_barrier, tag=ISYNC),
}
"""Mnemonic → what it does."""
