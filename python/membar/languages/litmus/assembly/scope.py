"""What the names of registers and locations mean, in the initial state and in the question."""

from __future__ import annotations

from membar.diagnostics import InputError, close_matches, error
from membar.languages.litmus import codes
from membar.languages.litmus.assembly.machine import REGISTER_BITS, RegisterFile
from membar.languages.litmus.assembly.memory import Memory, scalar
from membar.languages.litmus.scalars import INT, Scalar
from membar.languages.litmus.test import InitRegister, InitSymbol, LitmusTest
from membar.program.condition import FinalCell, FinalRegister
from membar.program.expr import Address
from membar.program.program import MemoryObject, Program, Value
from membar.records import record
from membar.source import Span


class Registers:
    """Initial values and types of the registers."""

    def __init__(self, test: LitmusTest, file: RegisterFile, memory: Memory, threads: int) -> None:
        self.file = file
        self.initial: list[dict[str, Value]] = [{} for _ in range(threads)]
        self.types: dict[tuple[int, str], Scalar] = {}
        for symbol in test.symbols:
            for thread in range(threads):
                self._enter((thread, f"%{symbol.name}"), symbol, memory)
        for entry in test.registers:
            if not 0 <= entry.thread < threads:
                raise _no_thread(entry.thread, threads, entry.span)
            name = self.name(entry.register, entry.span)
            self._enter((entry.thread, name), entry, memory, width=file.width(entry.register))

    def _enter(
        self,
        place: tuple[int, str],
        entry: InitRegister | InitSymbol,
        memory: Memory,
        *,
        width: int = REGISTER_BITS,
    ) -> None:
        declared = scalar(entry.type, entry.span)
        _check_fit(entry, width)
        if declared is not None:
            self.types[place] = declared
        thread, name = place
        if entry.value is not None and name != self.file.zero:
            self.initial[thread][name] = memory.value(entry.value)

    def name(self, text: str, span: Span) -> str:
        """The register that an initial state or question names."""
        found = self.file.find(text)
        if found is None:
            raise error(
                codes.UNKNOWN_REGISTER,
                f"`{text}` is not a register of {self.file.machine}",
                span,
                f"expected {self.file.example}",
            )
        return found


def _check_fit(entry: InitRegister | InitSymbol, width: int) -> None:
    """An initial value that is cut would be another one; a declared type says only how it is shown."""
    number = entry.value
    if isinstance(number, int) and not -(1 << (width - 1)) <= number < 1 << width:
        raise error(
            codes.TYPE,
            f"{number} does not fit into the {width} bits of this register",
            entry.span,
            f"expected a number of {width} bits",
        )


def _no_thread(thread: int, threads: int, span: Span) -> InputError:
    known = "`P0`" if threads == 1 else f"`P0` to `P{threads - 1}`"
    return error(codes.UNKNOWN_REGISTER, f"there is no thread {thread}", span, f"the test has {known}")


@record(frozen=True)
class Names:
    """The names in the question."""

    program: Program
    registers: Registers

    def register(self, thread: int, name: str, span: Span) -> FinalRegister:
        """`0:x5`, shown as its declared type says, else as a signed 32-bit number."""
        if not 0 <= thread < len(self.program.threads):
            raise _no_thread(thread, len(self.program.threads), span)
        register = self.registers.name(name, span)
        declared = self.registers.types.get((thread, register), INT)
        return FinalRegister(thread, register, width=8 * declared.size, signed=declared.signed)

    def cell(self, name: str, index: int | None, span: Span) -> FinalCell:
        """`x` or `v[1]`."""
        item = self._object(name, index, span)
        return FinalCell(name, index or 0, width=8 * item.size, signed=item.signed)

    def address(self, name: str, index: int | None, span: Span) -> Address:
        """The address of `x` or `v[1]`."""
        item = self._object(name, index, span)
        return Address(name, (index or 0) * item.size)

    def _object(self, name: str, index: int | None, span: Span) -> MemoryObject:
        known = {item.name: item for item in self.program.objects}
        if name not in known:
            close = close_matches(name, known, n=1)
            raise error(
                codes.UNKNOWN_LOCATION,
                f"unknown location `{name}`",
                span,
                "not declared",
                help=f"did you mean `{close[0]}`?"
                if close
                else f"declare it in the initial state: `{name}=0;`",
            )
        item = known[name]
        if not 0 <= (index or 0) < item.count:
            raise error(
                codes.UNKNOWN_LOCATION,
                f"`{name}` has no element {index}",
                span,
                f"expected an index from 0 to {item.count - 1}",
            )
        return item
