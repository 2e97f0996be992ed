"""Which instructions there are: names, aliases, condition codes."""

from __future__ import annotations

from collections.abc import Callable

from membar.diagnostics import close_matches
from membar.program.expr import Binary, BinaryOp, Expr, Register, equals, negation, registers_of

CARRY, ZERO, SIGN, OVERFLOW = "CF", "ZF", "SF", "OF"


def _less() -> Expr:
    return Binary(BinaryOp.NE, Register(SIGN), Register(OVERFLOW))


def _not_above() -> Expr:
    return Binary(BinaryOp.OR, Register(CARRY), Register(ZERO))


def _not_greater() -> Expr:
    return Binary(BinaryOp.OR, Register(ZERO), _less())


CONDITIONS: dict[str, Callable[[], Expr]] = {
    "E": lambda: Register(ZERO),
    "NE": lambda: negation(Register(ZERO)),
    "B": lambda: Register(CARRY),
    "AE": lambda: negation(Register(CARRY)),
    "BE": _not_above,
    "A": lambda: negation(_not_above()),
    "S": lambda: Register(SIGN),
    "NS": lambda: negation(Register(SIGN)),
    "O": lambda: Register(OVERFLOW),
    "NO": lambda: negation(Register(OVERFLOW)),
    "L": _less,
    "GE": lambda: equals(Register(SIGN), Register(OVERFLOW)),
    "LE": _not_greater,
    "G": lambda: negation(_not_greater()),
}
"""Condition code → whether the flags satisfy it."""

_SYNONYMS = {
    "Z": "E", "NZ": "NE", "C": "B", "NAE": "B", "NC": "AE", "NB": "AE", "NA": "BE", "NBE": "A",
    "NGE": "L", "NL": "GE", "NG": "LE", "NLE": "G",
}  # fmt: skip

NO_OPERANDS = frozenset({"MFENCE", "LFENCE", "SFENCE", "PAUSE", "ENDBR64", "ENDBR32", "RET"})
SIZED = frozenset(
    {"MOV", "XCHG", "XADD", "CMPXCHG", "ADD", "SUB", "AND", "OR", "XOR", "INC", "DEC", "NEG", "NOT",
     "CMP", "TEST", "SHL", "SHR", "SAR", "LEA", "NOP", "RET"}
)  # fmt: skip
"""Instructions that AT&T syntax may give a size suffix."""
LOCKABLE = frozenset(
    {"XCHG", "XADD", "CMPXCHG", "ADD", "SUB", "AND", "OR", "XOR", "INC", "DEC", "NEG", "NOT"}
)
OTHERS = frozenset({"MOVZX", "MOVSX", "JMP"})
_CONDITIONAL = frozenset(
    prefix + code for prefix in ("J", "SET", "CMOV") for code in CONDITIONS.keys() | _SYNONYMS.keys()
)
KNOWN = NO_OPERANDS | SIZED | OTHERS | _CONDITIONAL
_ALIASES = {"SAL": "SHL", "RETN": "RET", "MOVSXD": "MOVSX", "MOVABS": "MOV"}


def canonical(mnemonic: str) -> str | None:
    """`JZ` → `JE`, `SAL` → `SHL`; None if there is no such instruction."""
    mnemonic = _ALIASES.get(mnemonic, mnemonic)
    if mnemonic not in KNOWN:
        return None
    if mnemonic in _CONDITIONAL:
        prefix, code = split_condition(mnemonic)
        return prefix + _SYNONYMS.get(code, code)
    return mnemonic


def split_condition(mnemonic: str) -> tuple[str, str]:
    """`JNE` → `J`, `NE`; an empty code if the instruction is not conditional."""
    for prefix in ("CMOV", "SET", "J"):
        code = mnemonic.removeprefix(prefix)
        if code != mnemonic and (code in CONDITIONS or code in _SYNONYMS):
            return prefix, code
    return mnemonic, ""


def flags_read(mnemonic: str) -> frozenset[str]:
    """The flags that the instruction looks at."""
    _, code = split_condition(mnemonic)
    return frozenset(registers_of(CONDITIONS[code]())) if code else frozenset()


def similar(mnemonic: str) -> str | None:
    """The known instruction that was probably meant."""
    close = close_matches(mnemonic, sorted(KNOWN), n=1, cutoff=0.7)
    return close[0] if close else None
