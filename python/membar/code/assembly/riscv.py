"""RISC-V: fences, loads and stores, and atomic memory operations."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code.assembly.meaning import Access, Barrier, Meaning, Nothing, by_statements
from membar.code.assembly.template import Operands, Statement
from membar.source import pattern

_FIXED = by_statements(
    {
        **dict.fromkeys(("", "nop", "pause", ".insn i 0x0f, 0, x0, x0, 0x010"), Nothing()),
        **dict.fromkeys(("fence", "fence rw,rw", "fence iorw,iorw"), Barrier("seq_cst")),
        "fence.tso": Barrier("acq_rel"),
        "fence r,rw": Barrier("acquire"),
        "fence rw,w": Barrier("release"),
    }
)
_SET = pattern(r"[io]*(?P<set>r?w?)")
_LOADS = {"lb": 8, "lbu": 8, "lh": 16, "lhu": 16, "lw": 32, "lwu": 32, "ld": 64}
_STORES = {"sb": 8, "sh": 16, "sw": 32, "sd": 64}
_ATOMIC = pattern(r"amo(?P<name>add|swap|and|or|xor)\.(?P<size>[wd])(?P<order>(?:\.aqrl|\.aq|\.rl)?)")
_ORDERS = {"": "monotonic", ".aq": "acquire", ".rl": "release", ".aqrl": "seq_cst"}
_FORM = "()"


def read_riscv(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """The meaning of a template; None if it is not in the table."""
    found = _FIXED.get(tuple(statements))
    if found is not None:
        return found
    if len(statements) != 1:
        return None
    (statement,) = statements
    words = statement.operands
    if statement.mnemonic == "fence":
        return _fence(words)
    atomic = _ATOMIC.fullmatch(statement.mnemonic)
    if atomic is not None and len(words) == 3:
        result = operands.register(words[0])
        value, address = operands.register(words[1]), operands.memory(words[2], _FORM)
        if value is None or address is None or (result is None and words[0] not in {"zero", "x0"}):
            return None
        return Access(
            kind="update",
            address=address,
            bits=32 if atomic["size"] == "w" else 64,
            ordering=_ORDERS[atomic["order"]],
            operation={"swap": "xchg"}.get(atomic["name"], atomic["name"]),
            value=value,
            result=result,
        )
    if len(words) != 2:
        return None
    number, address = operands.register(words[0]), operands.memory(words[1], _FORM)
    if number is None or address is None:
        return None
    if statement.mnemonic in _LOADS:
        return Access(kind="load", address=address, bits=_LOADS[statement.mnemonic], result=number)
    if statement.mnemonic in _STORES:
        return Access(kind="store", address=address, bits=_STORES[statement.mnemonic], value=number)
    return None


def _fence(words: Sequence[str]) -> Meaning | None:
    sets = [_SET.fullmatch(word.strip()) for word in words]
    if len(sets) != 2 or any(item is None or not item["set"] for item in sets):
        return None
    before, after = (item["set"] for item in sets if item is not None)
    if (before, after) == ("rw", "rw"):
        return Barrier("seq_cst")
    return Barrier(tag=f"Fence.{before}.{after}")
