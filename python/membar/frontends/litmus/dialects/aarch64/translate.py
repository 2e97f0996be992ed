"""From a litmus test with AArch64 code to a Program."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

from membar.diagnostics import Diagnostic, InputError, error
from membar.frontends.litmus import codes
from membar.frontends.litmus.assembly.memory import Memory, scalar
from membar.frontends.litmus.assembly.sizes import with_sizes
from membar.frontends.litmus.columns import columns
from membar.frontends.litmus.dialects.aarch64.code import INSTRUCTION_BYTES, Code, read_code
from membar.frontends.litmus.dialects.aarch64.registers import ZERO, view
from membar.frontends.litmus.question import OrderKey, condition, natural_order
from membar.frontends.litmus.scalars import INT, Scalar
from membar.frontends.litmus.test import Column, InitRegister, InitSymbol, LitmusTest
from membar.program.condition import FinalCell, FinalRegister
from membar.program.expr import Address
from membar.program.program import MemoryObject, Program, Thread, Value
from membar.records import record
from membar.source import Span


def translate(test: LitmusTest) -> Program:
    """The program and the question of `test`.

    Raises:
        InputError: with every problem found.
    """
    table = columns(test)
    parts = _code(table)
    memory = Memory(test)
    names = {item.name for item in memory.objects}
    code_addresses = tuple(
        MemoryObject(name=code.address_name(point), size=INSTRUCTION_BYTES, signed=False)
        for code in parts
        for point in dict.fromkeys(code.return_points)
        if code.address_name(point) not in names
    )
    registers = _Registers(test, memory, len(table))
    program = Program(
        name=test.name,
        language=test.dialect,
        objects=(*memory.objects, *code_addresses),
        threads=_threads(table, parts, registers),
        span=test.body,
    )
    program = with_sizes(program, memory.untyped)
    scope = _Names(program, registers)
    return replace(program, condition=condition(test, scope, order=_register_order))


def _register_order(name: str) -> OrderKey:
    """Final states show the zero register first."""
    return () if name == ZERO else natural_order(name)


def _code(table: tuple[Column, ...]) -> list[Code]:
    parts: list[Code] = []
    problems: list[Diagnostic] = []
    for column in table:
        try:
            parts.append(read_code(column))
        except InputError as problem:
            problems.extend(problem.diagnostics)
    if problems:
        raise InputError(*problems)
    return parts


def _threads(table: tuple[Column, ...], parts: list[Code], registers: _Registers) -> tuple[Thread, ...]:
    threads: list[Thread] = []
    problems: list[Diagnostic] = []
    for column, code in zip(table, parts, strict=True):
        try:
            edges = tuple(code.edges())
        except InputError as problem:
            problems.extend(problem.diagnostics)
            continue
        threads.append(
            Thread(
                name=f"P{column.thread}",
                entry=0,
                edges=edges,
                registers=tuple(sorted(registers.initial[column.thread].items())),
                labels=tuple((point, name) for name, point in code.labels.items()),
                span=column.span,
            )
        )
    if problems:
        raise InputError(*problems)
    return tuple(threads)


class _Registers:
    """Initial values and types of the registers."""

    def __init__(self, test: LitmusTest, memory: Memory, threads: int) -> None:
        self.initial: list[dict[str, Value]] = [{} for _ in range(threads)]
        self.types: dict[tuple[int, str], Scalar] = {}
        for symbol in test.symbols:
            for thread in range(threads):
                self._enter((thread, f"%{symbol.name}"), symbol, memory)
        for entry in test.registers:
            if not 0 <= entry.thread < threads:
                raise _no_thread(entry.thread, threads, entry.span)
            name = register_name(entry.register, entry.span)
            found = view(entry.register)
            self._enter((entry.thread, name), entry, memory, width=64 if found is None else found.width)

    def _enter(
        self, place: tuple[int, str], entry: InitRegister | InitSymbol, memory: Memory, *, width: int = 64
    ) -> None:
        declared = scalar(entry.type, entry.span)
        _check_fit(entry, width)
        if declared is not None:
            self.types[place] = declared
        thread, name = place
        if entry.value is not None and name != ZERO:
            self.initial[thread][name] = memory.value(entry.value)


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


def register_name(text: str, span: Span) -> str:
    """The register that an initial state or question names."""
    found = view(text)
    if found is None:
        raise error(
            codes.UNKNOWN_REGISTER,
            f"`{text}` is no AArch64 register",
            span,
            "expected `X0` to `X30`, `SP` or `XZR`",
        )
    return found.name


def _no_thread(thread: int, threads: int, span: Span) -> InputError:
    known = "`P0`" if threads == 1 else f"`P0` to `P{threads - 1}`"
    return error(codes.UNKNOWN_REGISTER, f"there is no thread {thread}", span, f"the test has {known}")


@record(frozen=True)
class _Names:
    """The names in the question."""

    program: Program
    registers: _Registers

    def register(self, thread: int, name: str, span: Span) -> FinalRegister:
        """`0:X1`, shown as its declared type says, else as a signed 32-bit number."""
        if not 0 <= thread < len(self.program.threads):
            raise _no_thread(thread, len(self.program.threads), span)
        register = register_name(name, span)
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
            close = get_close_matches(name, known, n=1)
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
