"""AArch64: barriers, loads and stores with their acquire and release forms, atomic instructions."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code.assembly.meaning import Access, Barrier, Meaning, Nothing, by_statements
from membar.code.assembly.template import Operands, Statement, modifier
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
_OPERATIONS = {"add": "add", "set": "or", "eor": "xor", "swp": "xchg"}
_SIZES = {"b": 8, "h": 16}
_FORM = "[]"


def read_aarch64(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """The meaning of a template; None if it is not in the table."""
    found = _FIXED.get(tuple(statements))
    if found is not None:
        return found
    if len(statements) != 1:
        return None
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


def _bits(size: str, word: str) -> int:
    """The width of an access: by its suffix, else by the form of its register."""
    return _SIZES.get(size, 32 if modifier(word) == "w" else 64)


def _ordering(acquires: str, releases: str) -> str:
    if acquires:
        return "acq_rel" if releases else "acquire"
    return "release" if releases else "monotonic"
