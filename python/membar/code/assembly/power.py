"""POWER: `sync`, `lwsync`, `isync`, `eieio`, hints, loads and stores."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code.assembly.meaning import Access, Barrier, Meaning, Nothing, by_statements
from membar.code.assembly.template import Operands, Statement

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
_FORM = "()"


def read_power(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """The meaning of a template; None if it is not in the table."""
    found = _FIXED.get(tuple(statements))
    if found is not None or len(statements) != 1:
        return found
    (statement,) = statements
    if len(statement.operands) != 2:
        return None
    number = operands.register(statement.operands[0])
    address = operands.memory(statement.operands[1], _FORM)
    if number is None or address is None:
        return None
    # Some templates add an index register or an update form by a modifier; a plain number has none.
    if statement.mnemonic in _LOADS:
        return Access(kind="load", address=address, bits=_LOADS[statement.mnemonic], result=number)
    if statement.mnemonic in _STORES:
        return Access(kind="store", address=address, bits=_STORES[statement.mnemonic], value=number)
    return None
