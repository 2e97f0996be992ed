"""What names in the question of an x86 test mean."""

from __future__ import annotations

from membar.diagnostics import error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.x86.registers import Part, part, parts
from membar.languages.litmus.final_state_columns import OrderKey
from membar.languages.litmus.locations import Locations
from membar.languages.litmus.scalars import scalar_type
from membar.languages.litmus.test import LitmusTest
from membar.program.condition import FinalCell, FinalRegister
from membar.program.expr import Address
from membar.source import Span


class QuestionScope:
    """Registers and locations of one test. A register without a declared type is shown as an `int`."""

    def __init__(self, test: LitmusTest, locations: Locations, *, threads: int, bits: int) -> None:
        self._locations = locations
        self._threads = threads
        self._bits = bits
        self._types = {
            (entry.thread, found.register): scalar
            for entry in test.registers
            if (found := part(entry.register, bits)) and (scalar := scalar_type(entry.type or ""))
        }
        self._names: dict[FinalRegister, str] = {}
        whole = dict.fromkeys(found.register for found in parts(bits).values())
        self._ranks = {name: rank for rank, name in enumerate(whole)}

    def register(self, thread: int, name: str, span: Span) -> FinalRegister:
        """The final register `thread:name`."""
        if thread >= self._threads:
            raise error(
                codes.UNKNOWN_REGISTER,
                f"there is no thread P{thread}",
                span,
                f"the test has P0 to P{self._threads - 1}",
            )
        found = part(name, self._bits)
        if found is None or found.shift:
            example = "EAX" if self._bits == 32 else "rax"
            raise error(
                codes.UNKNOWN_REGISTER,
                f"unknown register `{name}`",
                span,
                f"expected a register such as `{thread}:{example}`",
            )
        width, signed = self._view(thread, found)
        final = FinalRegister(thread, found.register, width, signed)
        self._names.setdefault(final, f"{thread}:{found.name}")
        return final

    def _view(self, thread: int, found: Part) -> tuple[int, bool]:
        """Width and sign that the register is shown with."""
        scalar = self._types.get((thread, found.register))
        if scalar is None:
            return min(found.width, 32), found.width >= 32
        return min(found.width, 8 * scalar.size), scalar.signed

    def label(self, register: FinalRegister) -> str:
        """`0:EAX`, `1:rax`."""
        return self._names[register]

    def order(self, register: str) -> OrderKey:
        """EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP, then the numbered ones."""
        return ((0, self._ranks[register], ""),)

    def cell(self, name: str, index: int | None, span: Span) -> FinalCell:
        """The final value of a location."""
        return self._locations.cell(name, index, span)

    def address(self, name: str, index: int | None, span: Span) -> Address:
        """A location as a value."""
        return self._locations.address(name, index, span)
