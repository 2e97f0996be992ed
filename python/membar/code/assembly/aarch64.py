"""AArch64: barriers, loads and stores with their acquire and release forms, atomic instructions and loops."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code import ir
from membar.code.assembly.meaning import Access, Barrier, Meaning, Nothing, by_statements
from membar.code.assembly.template import Operands, Statement, immediate, modifier
from membar.source import pattern

_NOTHING, _FULL, _LOADS = Nothing(), Barrier("seq_cst"), Barrier("acquire")
_FIXED = by_statements(
    {
        **dict.fromkeys(("", "nop", "yield", "wfe", "sev", "sevl", "hint #0x1", "hint #1"), _NOTHING),
        **dict.fromkeys(("dmb ish", "dmb sy", "dsb ish", "dsb sy"), _FULL),
        **dict.fromkeys(("dmb ishld", "dmb ld", "dsb ishld", "dsb ld"), _LOADS),
        **dict.fromkeys(("dmb ishst", "dmb st", "dsb ishst", "dsb st"), Barrier(tag="DMB.ISHST")),
        "isb": Barrier(tag="ISB"),
    }
)
_LOAD = pattern(r"(?P<name>ldr|ldar|ldur)(?P<size>[bh]?)")
_STORE = pattern(r"(?P<name>str|stlr|stur)(?P<size>[bh]?)")
_ATOMIC = pattern(r"(?P<name>ldadd|ldset|ldeor|swp|cas)(?P<acquires>a?)(?P<releases>l?)(?P<size>[bh]?)")
_WITHOUT_RESULT = pattern(r"(?P<name>stadd|stset|steor)(?P<releases>l?)(?P<size>[bh]?)")
_LOAD_EXCLUSIVE = pattern(r"ld(?P<acquires>a?)xr(?P<size>[bh]?)")
_STORE_EXCLUSIVE = pattern(r"st(?P<releases>l?)xr(?P<size>[bh]?)")
_COMBINE = {"add": "add", "sub": "sub", "and": "and", "orr": "or", "eor": "xor"}
_OPERATIONS = {"add": "add", "set": "or", "eor": "xor", "swp": "xchg"}
_SIZES = {"b": 8, "h": 16}
_FORM = "[]"


def read_aarch64(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """The meaning of a template; None if it is not in the table."""
    found = _FIXED.get(tuple(statements))
    if found is not None:
        return found
    if len(statements) != 1:
        return _exclusive(statements, operands)
    (statement,) = statements
    words = statement.operands
    load, store = _LOAD.fullmatch(statement.mnemonic), _STORE.fullmatch(statement.mnemonic)
    if (load or store) and len(words) == 2:
        address, number = operands.memory(words[1], _FORM), operands.register(words[0])
        if address is None or number is None:
            return None
        if load:
            ordering = "acquire" if load["name"] == "ldar" else "monotonic"
            bits = _bits(load["size"], words[0])
            return Access(kind="load", address=address, bits=bits, ordering=ordering, result=number)
        assert store is not None
        ordering = "release" if store["name"] == "stlr" else "monotonic"
        bits = _bits(store["size"], words[0])
        return Access(kind="store", address=address, bits=bits, ordering=ordering, value=number)
    return _atomic(statement, operands)


def _atomic(statement: Statement, operands: Operands) -> Meaning | None:
    words = statement.operands
    found = _ATOMIC.fullmatch(statement.mnemonic)
    if found is not None and len(words) == 3:
        address = operands.memory(words[2], _FORM)
        first, second = operands.register(words[0]), operands.register(words[1])
        if address is None or first is None or second is None:
            return None
        bits, ordering = _bits(found["size"], words[0]), _ordering(found["acquires"], found["releases"])
        if found["name"] == "cas":  # the first register has the expected value and gets the old one
            return Access(
                kind="compare",
                address=address,
                bits=bits,
                ordering=ordering,
                value=second,
                expected=first,
                result=first,
            )
        operation = _OPERATIONS[found["name"].removeprefix("ld")]
        return Access(
            kind="update",
            address=address,
            bits=bits,
            ordering=ordering,
            operation=operation,
            value=first,
            result=second,
        )
    found = _WITHOUT_RESULT.fullmatch(statement.mnemonic)
    if found is None or len(words) != 2:
        return None
    address, number = operands.memory(words[1], _FORM), operands.register(words[0])
    if address is None or number is None:
        return None
    return Access(
        kind="update",
        address=address,
        bits=_bits(found["size"], words[0]),
        ordering=_ordering("", found["releases"]),
        operation=_OPERATIONS[found["name"].removeprefix("st")],
        value=number,
    )


def _exclusive(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """A loop of a load exclusive and a store exclusive: `1: ldxr; …; stxr; cbnz 1b`.

    With both an acquire and a release it orders less than one instruction with both, and is not in the table.
    """
    rest = list(statements)
    label = rest.pop(0).mnemonic.removesuffix(":") if rest[0].mnemonic.endswith(":") else None
    end = rest.pop().mnemonic.removesuffix(":") if rest and rest[-1].mnemonic.endswith(":") else None
    if label is None or len(rest) < 3:
        return None
    load, store, back = rest[0], rest[-2], rest[-1]
    first, last = _LOAD_EXCLUSIVE.fullmatch(load.mnemonic), _STORE_EXCLUSIVE.fullmatch(store.mnemonic)
    if first is None or last is None or (len(load.operands), len(store.operands)) != (2, 3):
        return None
    old, address = operands.register(load.operands[0]), operands.memory(load.operands[1], _FORM)
    status, new = (operands.register(word) for word in store.operands[:2])
    goes_back = back.mnemonic == "cbnz" and back.operands == (store.operands[0], f"{label}b")
    is_one = load.operands[1] == store.operands[2] and first["size"] == last["size"]
    if address is None or old is None or new is None or not (goes_back and is_one):
        return None
    if status is None or len({old, status, new}) < 2 or not _are_outputs(operands, old, status):
        return None
    if first["acquires"] and last["releases"]:
        return None
    ordering = _ordering(first["acquires"], last["releases"])
    bits = _bits(first["size"], load.operands[0])
    middle = rest[1:-2]
    if not middle and end is None and new not in (old, status):
        kind, words = "update", {"operation": "xchg", "value": new, "result": old}
    elif end is not None and len(middle) == 2:
        compare, leave = middle
        expected = operands.register(compare.operands[1]) if len(compare.operands) == 2 else None
        is_test = compare.mnemonic == "cmp" and compare.operands[0] == load.operands[0]
        is_left = leave.mnemonic in ("b.ne", "bne") and leave.operands == (f"{end}f",)
        if expected is None or not (is_test and is_left) or new in (old, status):
            return None
        kind, words = "compare", {"value": new, "expected": expected, "result": old}
    elif end is None and len(middle) == 1:
        found = _combining_operation(middle[0], load.operands[0], store.operands[1], operands, bits)
        if found is None or not _are_outputs(operands, new):
            return None
        kind, words = "update", {"operation": found[0], "value": found[1]}
        if new != old:  # else the register has the new value, which only the loop uses
            words["result"] = old
    else:
        return None
    return Access(kind=kind, address=address, bits=bits, ordering=ordering, **words)  # type: ignore[arg-type]


def _combining_operation(
    statement: Statement, old: str, new: str, operands: Operands, bits: int
) -> tuple[str, int | ir.Constant] | None:
    """The operation, and the other operand, by which a register becomes what is stored."""
    words = statement.operands
    if statement.mnemonic == "mvn" and words == (new, old):
        return "xor", ir.Constant((1 << bits) - 1, ir.Int(bits))
    operation = _COMBINE.get(statement.mnemonic)
    if operation is None or len(words) != 3 or words[0] != new or old not in words[1:]:
        return None
    if operation == "sub" and words[1] != old:
        return None
    other = words[2] if words[1] == old else words[1]
    number = immediate(other) if other.startswith("#") else None
    if number is not None:
        return operation, ir.Constant(number & ((1 << bits) - 1), ir.Int(bits))
    register = operands.register(other)
    return None if register is None or other in (old, new) else (operation, register)


def _are_outputs(operands: Operands, *numbers: int) -> bool:
    """Whether these are registers that the program passes nothing in."""
    return all(operands.slots[number].value is None for number in numbers)


def _bits(size: str, word: str) -> int:
    """The width of an access: by its suffix, else by the form of its register."""
    return _SIZES.get(size, 32 if modifier(word) == "w" else 64)


def _ordering(acquires: str, releases: str) -> str:
    if acquires:
        return "acq_rel" if releases else "acquire"
    return "release" if releases else "monotonic"
