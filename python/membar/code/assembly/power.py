"""POWER: `sync`, `lwsync`, `isync`, `eieio`, hints, loads and stores, and loops of `lwarx` and `stwcx.`."""

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
from membar.code.assembly.meaning import (
    Access,
    Barrier,
    Meaning,
    Nothing,
    Result,
    SetRegister,
    Several,
    by_statements,
)
from membar.code.assembly.template import Operands, Statement, immediate
from membar.records import replace
from membar.source import pattern

_FIXED = by_statements(
    {
        **dict.fromkeys(("", "nop", "or 1,1,1", "or 2,2,2", "or 27,27,27", "or 31,31,31"), Nothing()),
        **dict.fromkeys(("sync", "sync 0", "hwsync"), Barrier("seq_cst")),
        **dict.fromkeys(("lwsync", "sync 1"), Barrier("acq_rel")),
        "isync": Barrier(tag="ISYNC"),
        "eieio": Barrier(tag="EIEIO"),
    }
)
_LOADS = {"lbz": 8, "lhz": 16, "lwz": 32, "ld": 64}
_STORES = {"stb": 8, "sth": 16, "stw": 32, "std": 64}
_LINKED = {"lbarx": 8, "lharx": 16, "lwarx": 32, "ldarx": 64}
_CONDITIONAL = {"stbcx.": 8, "sthcx.": 16, "stwcx.": 32, "stdcx.": 64}
_COMPARISONS = frozenset({"cmpw", "cmpd", "cmplw", "cmpld", "cmpwi", "cmpdi"})
_CALCULATIONS = {
    "add": "add", "addi": "add", "addic": "add", "sub": "sub", "subf": "sub", "and": "and", "or": "or",
    "ori": "or", "xor": "xor", "xori": "xor", "mr": "move", "li": "move",
}  # fmt: skip
_FORMS = pattern(r"\$\{\d+:[ux]\}")
_NOT_EQUAL = frozenset({"bne", "bne-", "bne+"})
_RELAXED = {("", ""): "monotonic"}
_CONTROL = Barrier(tag="ISYNC")
_FORM = "()"


def read_power(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """The meaning of a template; None if it is not in the table."""
    # `%U1%X1` is for addresses with an index or an update; what clang passes has neither.
    statements = [replace(each, mnemonic=_FORMS.sub("", each.mnemonic)) for each in statements]
    found = _FIXED.get(tuple(statements))
    if found is not None:
        return found
    if len(statements) != 1 or statements[0].mnemonic in _CALCULATIONS:
        return _loop(statements, operands)
    (statement,) = statements
    if len(statement.operands) != 2:
        return None
    number = operands.register(statement.operands[0])
    address = operands.memory(statement.operands[1], _FORM)
    if number is None or address is None:
        return None
    if statement.mnemonic in _LOADS:
        return Access(
            kind="load", address=address, bits=_LOADS[statement.mnemonic], results=((number, Result.OLD),)
        )
    if statement.mnemonic in _STORES:
        return Access(kind="store", address=address, bits=_STORES[statement.mnemonic], value=(number,))
    return None


def _loop(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """A loop of a load that reserves memory and a store; with `isync` behind it, an acquire."""
    steps: list[Step] = []
    compared: tuple[Source, ...] | None = None
    for statement in statements:
        if statement.mnemonic in _COMPARISONS:
            words = statement.operands[1:] if len(statement.operands) == 3 else statement.operands
            compared = _sources(words, operands)
            continue
        step = _step(statement, operands, compared)
        if step is None:
            return None
        steps.append(step)
    # Where the loop is left because of a comparison, an `isync` counts only if it is behind the end.
    failure = "monotonic"
    if steps[-1] == _CONTROL:
        steps, failure = steps[:-1], "acquire"
    elif len(steps) > 1 and steps[-2] == _CONTROL and isinstance(steps[-1], Label):
        del steps[-2]
    else:
        return read_exclusive(steps, operands, _RELAXED)
    found = read_exclusive(steps, operands, _RELAXED)
    if isinstance(found, Several):
        *before, last = found.parts
        return (
            Several((*before, replace(last, ordering="acquire", failure=failure)))
            if isinstance(last, Access)
            else None
        )
    return replace(found, ordering="acquire", failure=failure) if isinstance(found, Access) else None


def _step(statement: Statement, operands: Operands, compared: tuple[Source, ...] | None) -> Step | None:
    name, words = statement.mnemonic, statement.operands
    if name.endswith(":"):
        return Label(name[:-1])
    fixed = _FIXED.get((statement,))
    if isinstance(fixed, Barrier):
        return fixed
    if name in _NOT_EQUAL and len(words) == 1:
        if words[0].endswith("b"):
            return RetryJump(None, words[0][:-1])
        return None if compared is None else Leave(compared, words[0][:-1])
    register = operands.register(words[0]) if words else None
    if (name in _LINKED or name in _CONDITIONAL) and register is not None:
        pointer = operands.register(words[2]) if len(words) == 3 and words[1] == "0" else None
        address = None if pointer is None else operands.slots[pointer].value
        if address is None:
            return None
        if name in _LINKED:
            return LoadLinked((register,), address, _LINKED[name])
        return StoreConditional(None, (register,), address)
    sources = _sources(words[1:], operands)
    if register is None or sources is None:
        return None
    if name == "not" and len(sources) == 1:
        return SetRegister(register, "xor", (*sources, ir.Constant((1 << 64) - 1, ir.Int(64))))
    operation = _CALCULATIONS.get(name)
    if operation is None or len(sources) != (1 if operation == "move" else 2):
        return None
    return SetRegister(register, operation, sources[::-1] if name == "subf" else sources)


def _sources(words: Sequence[str], operands: Operands) -> tuple[Source, ...] | None:
    """Registers and numbers."""
    found: list[Source] = []
    for word in words:
        register, number = operands.register(word), immediate(word)
        if register is None and (number is None or word.startswith("$")):
            return None
        found.append(
            ir.Constant((number or 0) & ((1 << 64) - 1), ir.Int(64)) if register is None else register
        )
    return tuple(found)
