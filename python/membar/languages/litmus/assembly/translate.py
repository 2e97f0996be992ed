"""From a litmus test in the assembly of some machine to a Program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet
from typing import TypeVar

from membar.diagnostics import Diagnostic, InputError, Label, close_matches, error
from membar.languages.litmus import codes
from membar.languages.litmus.assembly.code import INSTRUCTION_BYTES, Code, read_code
from membar.languages.litmus.assembly.machine import REGISTER_BITS, Machine, R, RegisterFile
from membar.languages.litmus.assembly.memory import Memory, scalar
from membar.languages.litmus.assembly.reach import ANY, Access, accesses
from membar.languages.litmus.columns import columns
from membar.languages.litmus.condition_parser import OrderKey, condition, natural_order
from membar.languages.litmus.scalars import INT, Scalar
from membar.languages.litmus.test import Column, InitRegister, InitSymbol, LitmusTest
from membar.languages.litmus.unused import WithUnused
from membar.program.condition import FinalCell, FinalRegister
from membar.program.expr import Address
from membar.program.operations import Load, Rmw, Store, StoreConditional
from membar.program.program import MemoryObject, Program, Thread, Value
from membar.records import record, replace
from membar.source import Span

Item = TypeVar("Item")
Result = TypeVar("Result")


def translate(test: LitmusTest, machine: Machine[R]) -> Program:
    """The program and the question of `test`.

    Raises:
        InputError: with every problem found.
    """
    table = columns(test)
    parts = _map_collecting_errors(table, lambda column: read_code(column, machine))
    memory = Memory(test)
    registers = Registers(test, machine.registers, memory, len(table))
    threads = _map_collecting_errors(
        tuple(zip(table, parts, strict=True)), lambda pair: _thread(pair[0], pair[1], registers)
    )
    program = Program(
        name=test.name,
        language=test.dialect,
        objects=(*memory.objects, *_code_addresses(parts, {item.name for item in memory.objects})),
        threads=threads,
        span=test.body,
    )
    program = with_sizes(program, memory.untyped)

    def order(name: str) -> OrderKey:
        """Final states show the zero register first."""
        return () if name == machine.registers.zero else natural_order(name)

    names = WithUnused(Names(program, registers), {item.name for item in program.objects})
    question = condition(test, names, order=order)
    objects = (*program.objects, *names.objects)
    return replace(program, condition=question, objects=objects, notes=names.notes)


def _map_collecting_errors(items: Iterable[Item], work: Callable[[Item], Result]) -> tuple[Result, ...]:
    """The results of `work`; what is wrong with several items is told together."""
    results: list[Result] = []
    problems: list[Diagnostic] = []
    for item in items:
        try:
            results.append(work(item))
        except InputError as problem:
            problems.extend(problem.diagnostics)
    if problems:
        raise InputError(*problems)
    return tuple(results)


def _code_addresses(parts: Iterable[Code], known: Collection[str]) -> Iterable[MemoryObject]:
    """Return addresses are values, so they need a place in memory, unless the test has named it already."""
    return (
        MemoryObject(name=code.address_name(point), size=INSTRUCTION_BYTES, signed=False)
        for code in parts
        for point in code.return_points
        if code.address_name(point) not in known
    )


def _thread(column: Column, code: Code, registers: Registers) -> Thread:
    return Thread(
        name=f"P{column.thread}",
        entry=0,
        edges=tuple(code.edges()),
        registers=tuple(sorted(registers.initial[column.thread].items())),
        labels=tuple((point, name) for name, point in code.labels.items()),
        span=column.span,
    )


# How large each location is: as declared, or as it is accessed; mixed sizes are refused.


_DEFAULT_SIZE = 4


def with_sizes(program: Program, untyped: AbstractSet[str]) -> Program:
    """`program` with the sizes of the locations named in `untyped` taken from their accesses.

    Raises:
        InputError: an access is wider or narrower than the location it can reach, or an initial value does
            not fit into a location without a type.
    """
    found = () if _is_uniform(program, untyped) else accesses(program)
    problems: dict[str, Diagnostic] = {}
    objects: list[MemoryObject] = []
    for item in program.objects:
        reaching = [access for access in found if _reaches(program, access, item)]
        size = item.size
        if item.name in untyped:
            size = reaching[0].size if reaching else _unused_size(item)
        for access in reaching:
            if access.size != size and access.span is not None:
                first = None if item.name not in untyped else reaching[0]
                problems.setdefault(item.name, _mixed_size_error(item, size, access, first))
        # A declared type converts the value, as C does; a size that only accesses tell must not change it.
        for value in item.initial if item.name in untyped else ():
            if isinstance(value, int) and not -(1 << (8 * size - 1)) <= value < 1 << (8 * size):
                problems.setdefault(item.name, _too_wide(item, size, value))
        objects.append(item if item.size == size else replace(item, size=size))
    if problems:
        raise InputError(*problems.values())
    return replace(program, objects=tuple(objects))


def _is_uniform(program: Program, untyped: AbstractSet[str]) -> bool:
    """Whether all accesses and locations have one size, whatever reaches what: so do those of most tests."""
    sizes = {
        operation.size
        for operation in program.operations
        if isinstance(operation, Load | Store | StoreConditional | Rmw)
    }
    sizes |= {_unused_size(item) if item.name in untyped else item.size for item in program.objects}
    return len(sizes) == 1


def _reaches(program: Program, access: Access, item: MemoryObject) -> bool:
    if access.addresses is ANY:
        return False
    base = program.bases[item.name]
    return any(base <= address < base + item.size * item.count for address in access.addresses)


def _unused_size(item: MemoryObject) -> int:
    """A location that no instruction can reach is an int, or an address if it holds one."""
    return 8 if any(isinstance(value, Address) for value in item.initial) else _DEFAULT_SIZE


def _too_wide(item: MemoryObject, size: int, value: int) -> Diagnostic:
    return Diagnostic(
        code=codes.TYPE,
        message=f"{value} does not fit into the {8 * size} bits of `{item.name}`",
        primary=None if item.span is None else Label(item.span, f"expected a number of {8 * size} bits"),
        help=f"declare a wider type, `int64_t {item.name}={value};`, and access it as such",
    )


def _mixed_size_error(item: MemoryObject, size: int, access: Access, first: Access | None) -> Diagnostic:
    others: list[Label] = []
    if first is not None and first.span is not None:
        others.append(Label(first.span, f"accesses {_bytes(size)} here"))
    elif item.span is not None:
        others.append(Label(item.span, f"declared with {_bytes(size)} here"))
    if access.span is None:
        raise AssertionError
    return Diagnostic(
        code=codes.MIXED_SIZE,
        message=f"mixed-size access: {_bytes(access.size)} of `{item.name}`, which has {size}",
        primary=Label(access.span, f"accesses {_bytes(access.size)}"),
        others=tuple(others),
        help="always access a location with the same size",
    )


def _bytes(size: int) -> str:
    return f"{size} byte{'' if size == 1 else 's'}"


# What the names of registers and locations mean, in the initial state and in the question.


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
