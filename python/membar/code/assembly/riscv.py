"""RISC-V: fences, loads and stores, atomic memory operations, and loops of `lr` and `sc`."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code import ir
from membar.code.assembly.exclusive import (
    Label,
    Leave,
    LoadLinked,
    RetryJump,
    Source,
    Step,
    StoreConditional,
    read_exclusive,
)
from membar.code.assembly.meaning import Access, Barrier, Meaning, Nothing, Result, SetRegister, by_statements
from membar.code.assembly.template import Operands, Statement, immediate
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
_LINKED = pattern(r"(?P<kind>lr|sc)\.(?P<size>[wd])(?:\.(?P<order>aqrl|aq|rl))?")
_PAIRS = {
    ("", ""): "monotonic",
    ("aq", ""): "acquire",
    ("", "rl"): "release",
    ("aq", "rl"): "acq_rel",
    ("aqrl", "rl"): "seq_cst",
    ("aqrl", "aqrl"): "seq_cst",
}
_CALCULATIONS = {
    "add": "add", "addi": "add", "addw": "add", "addiw": "add", "sub": "sub", "subw": "sub", "and": "and",
    "andi": "and", "or": "or", "ori": "or", "xor": "xor", "xori": "xor", "li": "move", "mv": "move",
}  # fmt: skip
_ZEROS = frozenset({"zero", "x0"})
_FORM = "()"


def read_riscv(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """The meaning of a template; None if it is not in the table."""
    found = _FIXED.get(tuple(statements))
    if found is not None:
        return found
    if len(statements) != 1 or statements[0].mnemonic in _CALCULATIONS:
        steps = [_step(statement, operands) for statement in statements]
        known = [step for step in steps if step is not None]
        return read_exclusive(known, operands, _PAIRS) if len(known) == len(steps) else None
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
            value=(value,),
            results=() if result is None else ((result, Result.OLD),),
        )
    if len(words) != 2:
        return None
    number, address = operands.register(words[0]), operands.memory(words[1], _FORM)
    if number is None or address is None:
        return None
    if statement.mnemonic in _LOADS:
        return Access(
            kind="load", address=address, bits=_LOADS[statement.mnemonic], results=((number, Result.OLD),)
        )
    if statement.mnemonic in _STORES:
        return Access(kind="store", address=address, bits=_STORES[statement.mnemonic], value=(number,))
    return None


def _fence(words: Sequence[str]) -> Meaning | None:
    sets = [_SET.fullmatch(word.strip()) for word in words]
    if len(sets) != 2 or any(item is None or not item["set"] for item in sets):
        return None
    before, after = (item["set"] for item in sets if item is not None)
    if (before, after) == ("rw", "rw"):
        return Barrier("seq_cst")
    return Barrier(tag=f"Fence.{before}.{after}")


def _step(statement: Statement, operands: Operands) -> Step | None:
    name, words = statement.mnemonic, statement.operands
    if name.endswith(":"):
        return Label(name[:-1])
    if name == "fence":
        found = _FIXED.get((statement,)) or _fence(words)
        return found if isinstance(found, Barrier) else None
    linked = _LINKED.fullmatch(name)
    if linked is not None:
        return _linked(
            linked["kind"], 32 if linked["size"] == "w" else 64, linked["order"] or "", words, operands
        )
    if name == "bnez" and len(words) == 2:
        register = operands.register(words[0])
        if register is None:
            return None
        return (
            RetryJump(register, words[1][:-1])
            if words[1].endswith("b")
            else Leave((register,), words[1][:-1])
        )
    if name == "bne" and len(words) == 3 and words[2].endswith("f"):
        compared = _sources(words[:2], operands)
        return None if compared is None else Leave(compared, words[2][:-1])
    register = operands.register(words[0]) if words else None
    sources = _sources(words[1:], operands)
    if register is None or sources is None:
        return None
    if name == "not" and len(sources) == 1:
        return SetRegister(register, "xor", (*sources, ir.Constant((1 << 64) - 1, ir.Int(64))))
    operation = _CALCULATIONS.get(name)
    if operation is None or len(sources) != (1 if operation == "move" else 2):
        return None
    return SetRegister(register, operation, sources)


def _linked(kind: str, bits: int, order: str, words: Sequence[str], operands: Operands) -> Step | None:
    address = operands.memory(words[-1], _FORM) if words else None
    register = operands.register(words[0]) if words else None
    if address is None or register is None:
        return None
    if kind == "lr":
        return LoadLinked((register,), address, bits, order) if len(words) == 2 else None
    values = _sources(words[1:-1], operands)
    return None if values is None or len(values) != 1 else StoreConditional(register, values, address, order)


def _sources(words: Sequence[str], operands: Operands) -> tuple[Source, ...] | None:
    """Registers and numbers."""
    found: list[Source] = []
    for word in words:
        register, number = operands.register(word), 0 if word in _ZEROS else immediate(word)
        if register is None and (number is None or word.startswith("$")):
            return None
        found.append(
            ir.Constant((number or 0) & ((1 << 64) - 1), ir.Int(64)) if register is None else register
        )
    return tuple(found)
