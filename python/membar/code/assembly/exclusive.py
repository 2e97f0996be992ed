"""Loops of a linked load and a conditional store: read-modify-writes of Arm, RISC-V and POWER.

The reader of a processor turns its instructions into the steps below. They are followed once, with what was
in memory as an unknown: what is stored must be an operation on it, and a branch out of the loop must compare
it with something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from membar.code import ir
from membar.code.assembly.meaning import Access, Barrier, Calculation, Meaning, Result, SetRegister, Several
from membar.code.assembly.template import Operands
from membar.records import record

Register: TypeAlias = int
"""The number of an operand."""
_LEAST_REGISTER = 32
Source: TypeAlias = int | ir.Constant


@record(frozen=True, slots=True)
class Label:
    """A place to jump to."""

    name: str


@record(frozen=True, slots=True)
class LoadLinked:
    """Reads memory into registers: one, or two of 64 bits."""

    registers: tuple[Register, ...]
    address: ir.Operand
    bits: int
    order: str = ""


@record(frozen=True, slots=True)
class StoreConditional:
    """Writes registers to memory, or not: then the status is not 0."""

    status: Register | None
    values: tuple[Source, ...]
    address: ir.Operand
    order: str = ""


@record(frozen=True, slots=True)
class Leave:
    """Jumps forward if two sources are different, or one is not 0."""

    sources: tuple[Source, ...]
    label: str


@record(frozen=True, slots=True)
class RetryJump:
    """Jumps back if the store did not happen."""

    status: Register | None
    label: str


Step: TypeAlias = Label | LoadLinked | StoreConditional | SetRegister | Leave | RetryJump | Barrier

Orders: TypeAlias = Mapping[tuple[str, str], str]
"""By the orders of a load and a store: the ordering of C11 of which the two are the code."""


@record(frozen=True, slots=True)
class _Symbol:
    """What a register holds: `old` (a half of what was read), `status`, `operand`, `number`, an operation."""

    kind: str
    number: int = 0
    parts: tuple[_Symbol, ...] = ()


_OLD, _STATUS, _UNKNOWN = _Symbol("old"), _Symbol("status"), _Symbol("unknown")
_BOTH = (_OLD, _Symbol("old", 1))
_ZERO, _ONE = _Symbol("number", 0), _Symbol("number", 1)
_COMMUTATIVE = frozenset({"add", "and", "or", "xor"})
_DIFFERENCES = frozenset({"xor", "sub"})


def read_exclusive(steps: Sequence[Step], operands: Operands, orders: Orders) -> Meaning | None:
    """The meaning of a loop, with fences before and after it, or of a calculation; None if it is neither."""
    settings = tuple(step for step in steps if isinstance(step, SetRegister))
    if settings and len(settings) == len(steps):
        return Calculation(settings)
    first = next((at for at, step in enumerate(steps) if isinstance(step, Label)), len(steps))
    before = [step for step in steps[:first] if isinstance(step, Barrier)]
    rest, behind = list(steps[first:]), list[Barrier]()
    while rest and isinstance(last := rest[-1], Barrier):
        behind.insert(0, last)
        rest.pop()
    found = _Loop(operands).read(rest, orders) if len(before) == first and rest else None
    if found is None:
        return None
    parts: tuple[Barrier | Access, ...] = (*before, found, *behind)
    return found if len(parts) == 1 else Several(parts)


class _Loop:
    def __init__(self, operands: Operands) -> None:
        self.operands = operands
        self.known = {
            number: _Symbol("operand", number)
            for number, slot in enumerate(operands.slots)
            if slot.value is not None
        }
        self.expected: tuple[_Symbol, ...] | None = None
        self.failed: dict[Register, _Symbol] = {}

    def read(self, steps: list[Step], orders: Orders) -> Access | None:
        load: LoadLinked | None = None
        store: StoreConditional | None = None
        stored: tuple[_Symbol, ...] = ()
        begin, end = steps[0], None
        is_closed = False
        for number, step in enumerate(steps[1:], 2):
            match step:
                case LoadLinked() if load is None:
                    load = step
                    self.known.update(zip(step.registers, _BOTH, strict=False))
                case SetRegister(register=register, operation=operation, sources=sources):
                    parts = tuple(map(self._symbol, sources))
                    self.known[register] = (
                        parts[0] if operation == "move" else _Symbol(operation, parts=parts)
                    )
                case Leave(label=label) if load is not None and store is None and self.expected is None:
                    self.expected, end = self._compared(step), label
                    self.failed = dict(self.known)
                    if self.expected is None:
                        return None
                case StoreConditional(status=status) if load is not None and store is None:
                    store, stored = step, tuple(map(self._symbol, step.values))
                    if status is not None:
                        self.known[status] = _STATUS
                case RetryJump(label=label, status=status) if store is not None and not is_closed:
                    is_closed = begin == Label(label) and status == store.status
                    if not is_closed:
                        return None
                case Label(name=name) if name == end and number == len(steps):
                    end = None
                case _:
                    return None
        if load is None or store is None or not is_closed or end is not None:
            return None
        if load.address != store.address or len(load.registers) != len(stored):
            return None
        ordering = orders.get((load.order, store.order))
        return None if ordering is None else self._access(load, stored, ordering)

    def _symbol(self, source: Source) -> _Symbol:
        if isinstance(source, ir.Constant):
            return _Symbol("number", source.value)
        return self.known.get(source, _UNKNOWN)

    def _compared(self, step: Leave) -> tuple[_Symbol, ...] | None:
        """What memory is compared with, by a comparison or by the bits that differ."""
        found = tuple(map(self._symbol, step.sources))
        if len(found) == 1:
            whole = found[0]
            differences = whole.parts if whole.kind == "or" and len(whole.parts) == 2 else (whole,)
            if any(each.kind not in _DIFFERENCES for each in differences):
                return None
            pairs = [each.parts for each in differences]
        else:
            pairs = [found]
        others = [_other(pair, old) for pair, old in zip(pairs, _BOTH, strict=False)]
        return tuple(each for each in others if each is not None) if None not in others else None

    def _access(self, load: LoadLinked, stored: tuple[_Symbol, ...], ordering: str) -> Access | None:
        kind, operation, expected = "update", "xchg", tuple[Source, ...]()
        values = self._sources(stored)
        if self.expected is not None:
            kind, operation, expected = "compare", "", self._sources(self.expected)
            if len(expected) != len(stored):
                return None
        elif not values and len(stored) == 1:
            (symbol,) = stored
            operation = symbol.kind
            other = _other(symbol.parts, _OLD) if operation in _COMMUTATIVE else None
            if operation == "sub" and symbol.parts[0] == _OLD:
                other = symbol.parts[1]
            values = () if other is None else self._sources((other,))
        if not values:
            return None
        return Access(
            kind=kind,
            address=load.address,
            bits=load.bits * len(stored),
            ordering=ordering,
            operation=operation,
            value=values,
            expected=expected,
            results=self._results(stored, load.bits),
            is_pair=True,
        )

    def _sources(self, symbols: tuple[_Symbol, ...]) -> tuple[Source, ...]:
        """The operands and numbers that symbols are; none if one of them is something else."""
        found: list[Source] = []
        for symbol in symbols:
            if symbol.kind == "operand":
                found.append(symbol.number)
            elif symbol.kind == "number":
                found.append(ir.Constant(symbol.number & ((1 << 64) - 1), ir.Int(64)))
            else:
                return ()
        return tuple(found)

    def _results(self, stored: tuple[_Symbol, ...], bits: int) -> tuple[tuple[Register, Result], ...]:
        """What the registers that the program gets hold afterwards."""
        found: list[tuple[Register, Result]] = []
        for number, slot in enumerate(self.operands.slots):
            if slot.result is None:
                continue
            here = self.known.get(number, _UNKNOWN)
            there = here if self.expected is None else self.failed.get(number, _UNKNOWN)
            here = _ZERO if here == _STATUS else here
            if here == there and here.kind == "operand":
                continue
            found.append((number, self._result(here, there, stored, bits)))
        return tuple(found)

    def _result(self, here: _Symbol, there: _Symbol, stored: tuple[_Symbol, ...], bits: int) -> Result:
        if here == there and here in _BOTH:
            return Result.OLD if here == _OLD else Result.OLD_HIGH
        if self.expected is not None:
            known = {(_ONE, _ZERO): Result.DONE, (_ZERO, _ONE): Result.FAILED}
            return known.get((here, there), Result.UNKNOWN)
        if here == _ZERO:
            return Result.ZERO
        # A register is wider than a byte, and may hold a carry.
        return Result.NEW if here == stored[0] and bits >= _LEAST_REGISTER else Result.UNKNOWN


def _other(both: tuple[_Symbol, ...], one: _Symbol) -> _Symbol | None:
    """The other one of two symbols."""
    if len(both) != 2 or one not in both:
        return None
    return both[1] if both[0] == one else both[0]
