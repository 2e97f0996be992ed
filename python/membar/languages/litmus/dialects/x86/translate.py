"""From a litmus test in x86 assembly to a Program."""

from __future__ import annotations

from collections.abc import Iterator

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.litmus import codes
from membar.languages.litmus.columns import columns, split_labels
from membar.languages.litmus.condition_parser import condition
from membar.languages.litmus.dialects.x86 import column_cache
from membar.languages.litmus.dialects.x86.control import effect
from membar.languages.litmus.dialects.x86.effects import Effect, Jump, Steps
from membar.languages.litmus.dialects.x86.instruction import Immediate, Instruction, Memory
from membar.languages.litmus.dialects.x86.mnemonics import flags_read
from membar.languages.litmus.dialects.x86.operands import att_operand, intel_operand
from membar.languages.litmus.dialects.x86.registers import Part, part, parts
from membar.languages.litmus.dialects.x86.syntax import Syntax, read_instruction
from membar.languages.litmus.final_state_columns import OrderKey
from membar.languages.litmus.locations import Locations
from membar.languages.litmus.scalars import scalar_type
from membar.languages.litmus.sizes import mixed_sizes
from membar.languages.litmus.test import Cell, Column, LitmusTest
from membar.languages.litmus.unused import WithUnused
from membar.program.condition import FinalCell, FinalRegister
from membar.program.expr import TRUE, Address, negation
from membar.program.program import Edge, Program, Thread, Value
from membar.records import record
from membar.source import Span

_SYNTAXES = {
    "X86": Syntax(bits=32, is_reversed=False, read_operand=intel_operand),
    "X86_64": Syntax(bits=64, is_reversed=True, read_operand=att_operand),
}


def translate(test: LitmusTest) -> Program:
    """The program of an `X86` or `X86_64` test.

    Raises:
        InputError: with every diagnostic found.
    """
    syntax = _SYNTAXES[test.dialect]
    table = columns(test)
    locations = Locations(test, pointer_size=syntax.bits // 8)
    problems = list(locations.problems)
    problems.extend(_unsupported_symbols(test))
    codes_of_threads = [_code(column, syntax, locations, problems) for column in table]
    registers = _initial_registers(test, len(table), syntax.bits, locations, problems)
    threads = [
        code.thread(column, registers[column.thread])
        if isinstance(code, column_cache.Known)
        else code.thread(column, registers[column.thread], problems)
        for code, column in zip(codes_of_threads, table, strict=True)
    ]
    scope = QuestionScope(test, locations, threads=len(table), bits=syntax.bits)
    question = None
    names = WithUnused(scope, locations)
    try:
        question = condition(test, names, order=scope.order, label=scope.label)
    except InputError as problem:
        problems.extend(problem.diagnostics)
    if problems:
        raise InputError(*problems)
    program = Program(
        name=test.name,
        language=test.dialect,
        objects=(*locations.objects(), *names.objects),
        threads=tuple(threads),
        condition=question,
        notes=names.notes,
        span=test.body,
    )
    if mixed := tuple(mixed_sizes(program)):
        raise InputError(*mixed)
    return program


def _unsupported_symbols(test: LitmusTest) -> Iterator[Diagnostic]:
    for symbol in test.symbols:
        yield Diagnostic(
            code=codes.UNSUPPORTED,
            message=f"symbolic registers such as `%{symbol.name}` are not supported in {test.dialect} tests",
            primary=Label(symbol.span, "expected `thread:register=value`"),
        )


def _code(
    column: Column, syntax: Syntax, locations: Locations, problems: list[Diagnostic]
) -> column_cache.Known | _Code:
    """What a column says; what is wrong with it goes to `problems`."""
    key = column_cache.key_of(column, syntax.bits, locations)
    known = column_cache.find(key)
    if known is None:
        return _Code.read(key, column, syntax, locations, problems)
    known.note_locations(column, locations)
    return known


@record(slots=True)
class _Code:
    """One thread's instructions, and the labels in front of them by position."""

    key: column_cache.Key
    instructions: list[Instruction]
    labels: dict[str, int]
    places: dict[str, Cell]

    @staticmethod
    def read(
        key: column_cache.Key,
        column: Column,
        syntax: Syntax,
        locations: Locations,
        problems: list[Diagnostic],
    ) -> _Code:
        """Parses a column; what is wrong goes to `problems`."""
        code = _Code(key, [], {}, {})
        declared = frozenset(locations.names())
        for cell in column.cells:
            labels, rest = split_labels(cell)
            for label in labels:
                code.add_label(label, problems)
            if rest is None:
                continue
            try:
                instruction = read_instruction(rest, syntax, declared)
            except InputError as problem:
                problems.extend(problem.diagnostics)
                continue
            code.instructions.append(instruction)
            for name, span in _locations_of(instruction):
                locations.use(name, span)
        return code

    def add_label(self, label: Cell, problems: list[Diagnostic]) -> None:
        """Puts a label in front of the next instruction."""
        if label.text in self.labels:
            problems.append(
                Diagnostic(
                    code=codes.LABEL,
                    message=f"label `{label.text}` is defined twice",
                    primary=Label(label.span, "again here"),
                    others=(Label(self.places[label.text].span, "first here"),),
                )
            )
            return
        self.labels[label.text] = len(self.instructions)
        self.places[label.text] = label

    def thread(
        self, column: Column, registers: tuple[tuple[str, Value], ...], problems: list[Diagnostic]
    ) -> Thread:
        """The control-flow automaton."""
        flags = frozenset[str]().union(*(flags_read(item.mnemonic) for item in self.instructions))
        effects: list[tuple[Instruction, Effect]] = []
        for instruction in self.instructions:
            try:
                effects.append((instruction, effect(instruction, flags=flags)))
            except InputError as problem:
                problems.extend(problem.diagnostics)
        for instruction, done in effects:
            if isinstance(done, Jump) and done.label.name not in self.labels:
                problems.append(self._undefined_label(instruction, done))
        if problems:
            return Thread(name=f"P{column.thread}", entry=0, edges=(), span=column.span)
        starts = [0]
        for _, done in effects:
            starts.append(starts[-1] + (len(done.steps) if isinstance(done, Steps) else 1))
        thread = Thread(
            name=f"P{column.thread}",
            entry=0,
            edges=tuple(self._edges(effects, starts)),
            registers=registers,
            labels=tuple((starts[position], name) for name, position in self.labels.items()),
            span=column.span,
        )
        named = (place for instruction in self.instructions for place in _locations_of(instruction))
        column_cache.keep(self.key, column, thread, named)
        return thread

    def _undefined_label(self, instruction: Instruction, jump: Jump) -> Diagnostic:
        known = ", ".join(f"`{name}`" for name in sorted(self.labels))
        return Diagnostic(
            code=codes.LABEL,
            message=f"label `{jump.label.name}` is not defined in this thread",
            primary=Label(jump.label.span, f"`{instruction.word.text}` needs a label of its own thread"),
            help=f"labels here: {known}" if known else f"put `{jump.label.name}:` in front of an instruction",
        )

    def _edges(self, effects: list[tuple[Instruction, Effect]], starts: list[int]) -> Iterator[Edge]:
        for position, (instruction, done) in enumerate(effects):
            here, after, span = starts[position], starts[position + 1], instruction.span
            match done:
                case Steps(steps=steps):
                    for number, operations in enumerate(steps):
                        yield Edge(
                            source=here + number, target=here + number + 1, operations=operations, span=span
                        )
                case Jump(label=label, condition=taken):
                    target = starts[self.labels[label.name]]
                    yield Edge(source=here, target=target, guard=taken, span=span)
                    if taken != TRUE:
                        yield Edge(source=here, target=after, guard=negation(taken), span=span)
                case _:
                    yield Edge(source=here, target=starts[-1], span=span)


def _locations_of(instruction: Instruction) -> Iterator[tuple[str, Span]]:
    """The locations that an instruction names."""
    for operand in instruction.operands:
        match operand:
            case Memory(symbol=str(name)) | Immediate(value=Address(name=name)):
                yield name, operand.span
            case _:
                pass


def _initial_registers(
    test: LitmusTest, threads: int, bits: int, locations: Locations, problems: list[Diagnostic]
) -> list[tuple[tuple[str, Value], ...]]:
    """The initial registers of each thread."""
    tables: list[dict[str, Value]] = [{} for _ in range(threads)]
    for entry in test.registers:
        found = part(entry.register, bits)
        try:
            if entry.thread >= threads:
                raise error(
                    codes.UNKNOWN_REGISTER,
                    f"there is no thread P{entry.thread}",
                    entry.span,
                    f"the test has P0 to P{threads - 1}",
                )
            if found is None or found.shift:
                raise error(
                    codes.UNKNOWN_REGISTER,
                    f"unknown register `{entry.register}`",
                    entry.span,
                    f"expected a register such as `{entry.thread}:{'EAX' if bits == 32 else 'rax'}`",
                )
            if entry.type is not None and scalar_type(entry.type) is None:
                raise error(
                    codes.TYPE,
                    f"unknown type `{entry.type}`",
                    entry.span,
                    "expected a scalar type such as `int` or `uint64_t`",
                )
            if entry.value is None:
                continue
            value = locations.value(entry.value)
        except InputError as problem:
            problems.extend(problem.diagnostics)
            continue
        if isinstance(value, int):
            value &= (1 << found.width) - 1
        tables[entry.thread][found.register] = value
    return [tuple(table.items()) for table in tables]


# What names in the question of an x86 test mean.


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
