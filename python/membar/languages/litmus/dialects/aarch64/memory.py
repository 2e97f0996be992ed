"""Loads, stores, pairs, exclusives and barriers."""

from __future__ import annotations

from functools import partial

from membar.languages.litmus.assembly.effects import Choice, InstructionStep, Steps
from membar.languages.litmus.dialects.aarch64.operands import Handler, Memory, Operands
from membar.languages.litmus.dialects.aarch64.registers import (
    RESULT,
    View,
    constant,
    destination,
    low_bits,
    word,
)
from membar.languages.litmus.dialects.aarch64.tags import (
    ACQUIRE,
    ACQUIRE_PC,
    BARRIER_OPTIONS,
    EXCLUSIVE,
    RELEASE,
)
from membar.program import operations as ops
from membar.program.expr import Binary, BinaryOp, Expr, Register, negation
from membar.records import record


@record(frozen=True, slots=True, kw_only=True)
class Access:
    """What a mnemonic says about an access. `size` None: as wide as the register."""

    size: int | None = None
    signed: bool = False
    tags: ops.Tags = ops.NO_TAGS
    exclusive: bool = False

    def bytes_of(self, register: View) -> int:
        """The number of bytes accessed."""
        return self.size or register.width // 8


def next_to(address: Expr, size: int) -> Expr:
    """The address of the second half of a pair."""
    return Binary(BinaryOp.ADD, address, constant(size))


def _data_register(operands: Operands, access: Access) -> View:
    """The register that is loaded or stored; narrow accesses use W registers."""
    narrow = access.size in (1, 2) and not access.signed
    wide = access.size == 4 and access.signed
    return operands.register(width=32 if narrow else 64 if wide else None)


def _written_back(memory: Memory) -> tuple[ops.Operation, ...]:
    """The change of the base register, after the access."""
    return () if memory.updated is None else (ops.Set(memory.base.name, memory.updated),)


def _reject_overlap(operands: Operands, memory: Memory, *registers: View) -> None:
    """A register cannot be loaded and be the changed base at the same time."""
    if memory.updated is not None and memory.base.name in {register.name for register in registers}:
        raise operands.problem(
            f"`{memory.base.name}` is both loaded and updated as the base register",
            "the architecture leaves this undefined",
        )


def _clear_upper_half(register: View, access: Access) -> tuple[ops.Operation, ...]:
    """A sign-extending load into a W register clears the upper half."""
    if access.signed and register.width == 32 and not register.is_zero:
        return (ops.Set(register.name, low_bits(Register(register.name), 32)),)
    return ()


def _load(operands: Operands, *, access: Access) -> InstructionStep:
    target = _data_register(operands, access)
    memory = operands.memory()
    operands.end()
    _reject_overlap(operands, memory, target)
    load = ops.Load(
        register=destination(target),
        address=memory.address,
        size=access.bytes_of(target),
        signed=access.signed,
        tags=access.tags,
        exclusive=access.exclusive,
    )
    return InstructionStep((load, *_clear_upper_half(target, access), *_written_back(memory)))


def _store(operands: Operands, *, access: Access) -> InstructionStep:
    source = _data_register(operands, access)
    memory = operands.memory()
    operands.end()
    store = ops.Store(
        address=memory.address, value=word(source), size=access.bytes_of(source), tags=access.tags
    )
    return InstructionStep((store, *_written_back(memory)))


def _store_exclusive(operands: Operands, *, access: Access) -> InstructionStep:
    status = operands.register(width=32)
    source = _data_register(operands, access)
    memory = operands.memory()
    operands.end()
    return InstructionStep(
        (
            ops.StoreConditional(
                status=destination(status),
                address=memory.address,
                value=word(source),
                size=access.bytes_of(source),
                tags=access.tags,
            ),
        )
    )


def _pair(operands: Operands, access: Access) -> tuple[View, View]:
    first = operands.register(width=64 if access.signed else None)
    return first, operands.register(width=first.width)


def _load_pair(operands: Operands, *, access: Access, ordered: bool = False) -> InstructionStep | Steps:
    """Two loads of one instruction; `ordered`: the first comes before the second."""
    first, second = _pair(operands, access)
    memory = operands.memory()
    operands.end()
    _reject_overlap(operands, memory, first, second)
    if first.name == second.name and not first.is_zero:
        raise operands.problem("both halves have the same register", "expected two registers")
    size = access.bytes_of(first)
    # The first load may overwrite the base register, so the address is kept aside.
    kept = ops.Set(RESULT, memory.address)
    base = Register(RESULT)
    load, other = (
        ops.Load(
            register=destination(target),
            address=address,
            size=size,
            signed=access.signed,
            tags=access.tags,
            exclusive=access.exclusive,
        )
        for target, address in ((first, base), (second, next_to(base, size)))
    )
    if ordered:
        return Steps((InstructionStep((kept, load)), InstructionStep((other, *_written_back(memory)))))
    return InstructionStep((kept, load, other, *_written_back(memory)), unordered=True)


def _store_pair(operands: Operands, *, access: Access, ordered: bool = False) -> InstructionStep | Steps:
    """Two stores of one instruction; `ordered`: the first comes before the second, after a push reversed."""
    first, second = _pair(operands, access)
    memory = operands.memory()
    operands.end()
    size = access.bytes_of(first)
    stores = [
        ops.Store(address=address, value=word(source), size=size, tags=access.tags)
        for source, address in ((first, memory.address), (second, next_to(memory.address, size)))
    ]
    if memory.is_pre_index:
        stores.reverse()
    store, other = stores
    if ordered:
        return Steps((InstructionStep((store,)), InstructionStep((other, *_written_back(memory)))))
    return InstructionStep((store, other, *_written_back(memory)), unordered=True)


def _store_exclusive_pair(operands: Operands, *, access: Access) -> Choice:
    """Both stores happen, or none of them."""
    status = operands.register(width=32)
    first, second = _pair(operands, access)
    memory = operands.memory()
    operands.end()
    size = access.bytes_of(first)
    flag = destination(status)
    other = ops.Store(address=memory.address, value=word(first), size=size, tags=access.tags, exclusive=True)
    # It ends the watch over both halves, so it comes last.
    conditional = ops.StoreConditional(
        status=RESULT,
        address=next_to(memory.address, size),
        value=word(second),
        size=size,
        tags=access.tags,
    )
    outcome = Register(RESULT)
    return Choice(
        (
            InstructionStep(
                (other, conditional, ops.Assume(negation(outcome)), ops.Set(flag, outcome)), unordered=True
            ),
            InstructionStep((conditional, ops.Assume(outcome), ops.Set(flag, outcome))),
        )
    )


def _barrier(operands: Operands, *, kind: str) -> InstructionStep:
    """`DMB`, `DSB`; without an option the full system is meant."""
    option = "SY"
    if operands.following is not None:
        operand = operands.take("a barrier option")
        option = operand.text.upper()
        if option not in BARRIER_OPTIONS:
            raise operands.problem(
                f"`{operand.text}` is not a barrier option",
                f"expected one of {', '.join(BARRIER_OPTIONS)}",
                at=operand,
            )
    operands.end()
    return InstructionStep((ops.Fence(frozenset({f"{kind}.{option}"})),))


def _isb(operands: Operands) -> InstructionStep:
    if operands.following is not None and operands.following.text.upper() == "SY":
        operands.take("SY")
    operands.end()
    return InstructionStep((ops.Fence(frozenset({"ISB"})),))


def _tags(*names: str) -> ops.Tags:
    return frozenset(names)


def _forms_by_size(
    name: str, tags: ops.Tags = ops.NO_TAGS, *, exclusive: bool = False, signed: bool = False
) -> dict[str, Access]:
    """The forms of a mnemonic for words, bytes and halfwords, and the sign-extending loads."""
    forms = {
        name + suffix: Access(size=size, tags=tags, exclusive=exclusive)
        for suffix, size in (("", None), ("B", 1), ("H", 2))
    }
    if signed:
        for suffix, size in (("SB", 1), ("SH", 2), ("SW", 4)):
            forms[name + suffix] = Access(size=size, signed=True, tags=tags)
    return forms


_LOADS = {
    **_forms_by_size("LDR", signed=True),
    **_forms_by_size("LDUR", signed=True),
    **_forms_by_size("LDAR", _tags(ACQUIRE)),
    **_forms_by_size("LDAPR", _tags(ACQUIRE_PC)),
    **_forms_by_size("LDAPUR", _tags(ACQUIRE_PC), signed=True),
    **_forms_by_size("LDXR", _tags(EXCLUSIVE), exclusive=True),
    **_forms_by_size("LDAXR", _tags(EXCLUSIVE, ACQUIRE), exclusive=True),
}
_STORES = {
    **_forms_by_size("STR"),
    **_forms_by_size("STUR"),
    **_forms_by_size("STLR", _tags(RELEASE)),
    **_forms_by_size("STLUR", _tags(RELEASE)),
}
_STORES_EXCLUSIVE = {
    **_forms_by_size("STXR", _tags(EXCLUSIVE)),
    **_forms_by_size("STLXR", _tags(EXCLUSIVE, RELEASE)),
}

INSTRUCTIONS: dict[str, Handler] = {
    **{name: partial(_load, access=access) for name, access in _LOADS.items()},
    **{name: partial(_store, access=access) for name, access in _STORES.items()},
    **{name: partial(_store_exclusive, access=access) for name, access in _STORES_EXCLUSIVE.items()},
    "LDP": partial(_load_pair, access=Access()),
    "LDPSW": partial(_load_pair, access=Access(size=4, signed=True)),
    "LDNP": partial(_load_pair, access=Access()),
    "LDAP": partial(_load_pair, access=Access(tags=_tags(ACQUIRE))),
    "LDAPP": partial(_load_pair, access=Access(tags=_tags(ACQUIRE_PC))),
    "LDIAPP": partial(_load_pair, access=Access(tags=_tags(ACQUIRE_PC)), ordered=True),
    "LDXP": partial(_load_pair, access=Access(tags=_tags(EXCLUSIVE), exclusive=True)),
    "LDAXP": partial(_load_pair, access=Access(tags=_tags(EXCLUSIVE, ACQUIRE), exclusive=True)),
    "STP": partial(_store_pair, access=Access()),
    "STNP": partial(_store_pair, access=Access()),
    "STLP": partial(_store_pair, access=Access(tags=_tags(RELEASE))),
    "STILP": partial(_store_pair, access=Access(tags=_tags(RELEASE)), ordered=True),
    "STXP": partial(_store_exclusive_pair, access=Access(tags=_tags(EXCLUSIVE))),
    "STLXP": partial(_store_exclusive_pair, access=Access(tags=_tags(EXCLUSIVE, RELEASE))),
    "DMB": partial(_barrier, kind="DMB"),
    "DSB": partial(_barrier, kind="DSB"),
    "ISB": _isb,
}
"""Mnemonic → what it does."""
