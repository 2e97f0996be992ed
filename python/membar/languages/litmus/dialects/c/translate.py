"""A C litmus test as a Program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from membar.diagnostics import Diagnostic, InputError, Label, close_matches, error
from membar.languages.litmus import codes
from membar.languages.litmus.condition_parser import condition
from membar.languages.litmus.dialects.c.function_cache import known_code, known_functions
from membar.languages.litmus.dialects.c.language import Language
from membar.languages.litmus.dialects.c.lowering import Code, lower
from membar.languages.litmus.dialects.c.objects import shared_objects
from membar.languages.litmus.dialects.c.parser import in_order, parse
from membar.languages.litmus.dialects.c.syntax import Function
from membar.languages.litmus.dialects.c.types import PointerType
from membar.languages.litmus.dialects.c.values import Value, convert
from membar.languages.litmus.test import InitRegister, LitmusTest, Reference
from membar.languages.litmus.unused import WithUnused
from membar.program.condition import FinalCell, FinalCondition, FinalRegister
from membar.program.expr import Address, Constant
from membar.program.program import MemoryObject, Program, Thread
from membar.program.program import Value as Initial
from membar.source import Span


def translate(test: LitmusTest, language: Language) -> Program:
    """The meaning of a test whose code is in this kind of C.

    Raises:
        InputError: with everything found wrong in the code and the question.
    """
    try:
        return _translate(test, language)
    except RecursionError:
        raise error(
            codes.UNSUPPORTED, "the code is nested too deeply", test.body, "expected a small test"
        ) from None


def _translate(test: LitmusTest, language: Language) -> Program:
    known = known_functions(test.body, language)
    functions, diagnostics = parse(test.body, language) if known is None else (known, ())
    objects, misfits = shared_objects(test, functions, language)
    found = [*diagnostics, *misfits, *_unknown_thread_errors(test, functions)]
    if not functions and not found:
        found.extend(
            error(codes.COLUMNS, "the test has no threads", test.body, "expected `P0 (…) { … }`").diagnostics
        )
    codes_of_threads = [_code(test, function, objects, found, language) for function in functions]
    threads = tuple(
        _thread(test, function, code, objects, found)
        for function, code in zip(functions, codes_of_threads, strict=True)
    )
    if diagnostics:
        # What is missing because of a syntax error would only look wrong in the question as well.
        raise InputError(*_in_order(found))
    names = WithUnused(_Final(codes_of_threads, objects), objects)
    question = _question(test, names, found)
    if found:
        raise InputError(*_in_order(found))
    return Program(
        name=test.name,
        language=language.name,
        objects=(*objects.values(), *names.objects),
        threads=threads,
        condition=question,
        notes=names.notes,
        span=test.body,
    )


def _in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place."""
    return sorted(diagnostics, key=lambda found: found.primary.span.start if found.primary else -1)


def _unknown_thread_errors(test: LitmusTest, functions: tuple[Function, ...]) -> list[Diagnostic]:
    """Entries of the initial state that belong to no thread."""
    return [
        Diagnostic(
            code=codes.UNKNOWN_REGISTER,
            message=f"there is no thread {entry.thread}",
            primary=Label(entry.span, f"the test has {len(functions)} threads"),
        )
        for entry in test.registers
        if functions and entry.thread not in {function.number for function in functions}
    ] + [
        Diagnostic(
            code=codes.UNSUPPORTED,
            message=f"`%{symbol.name}`: C tests have no symbolic registers",
            primary=Label(symbol.span, "expected a location or a variable such as `0:r0`"),
        )
        for symbol in test.symbols
    ]


def _code(
    test: LitmusTest,
    function: Function,
    objects: Mapping[str, MemoryObject],
    found: list[Diagnostic],
    language: Language,
) -> Code:
    """The automaton of a function; one with syntax errors is left empty, they have been reported."""
    given = {entry.register: entry for entry in test.registers if entry.thread == function.number}
    addresses: dict[str, Address] = {}
    for parameter in function.parameters:
        if parameter.name in addresses:
            message = f"parameter `{parameter.name}` occurs twice"
            found.append(
                Diagnostic(code=codes.OPERAND, message=message, primary=Label(parameter.span, "again here"))
            )
        address = Address(parameter.name)
        entry = given.get(parameter.name)
        if entry is not None and isinstance(entry.value, Reference):
            # `0:p=x` lets the parameter `p` point to `x`.
            address = _address(entry.value, objects) or address
        addresses[parameter.name] = address
    if not function.is_whole:
        return Code(entry=0, edges=(), locals={}, diagnostics=())
    variables = tuple(name for name in given if name not in addresses)
    known = known_code(function, addresses, objects, language, variables)
    if known is not None:
        return known
    code = lower(_parse_in_place(function, language), addresses, objects, language, variables)
    found.extend(code.diagnostics)
    return code


def _parse_in_place(function: Function, language: Language) -> Function:
    """The function, its body read where it stands, so that what is wrong with it is shown there."""
    return function if function.place is None else in_order(function.place, language)[0][0]


def _address(reference: Reference, objects: Mapping[str, MemoryObject]) -> Address | None:
    item = objects.get(reference.name)
    return Address(reference.name, reference.index * item.size) if item is not None else None


def _thread(
    test: LitmusTest,
    function: Function,
    code: Code,
    objects: Mapping[str, MemoryObject],
    found: list[Diagnostic],
) -> Thread:
    registers: list[tuple[str, Initial]] = []
    names = {parameter.name for parameter in function.parameters}
    for entry in test.registers:
        if entry.thread == function.number and entry.register not in names and function.is_whole:
            initial = _initial(entry, code, objects, found)
            if initial is not None:
                registers.append((entry.register, initial))
    return Thread(
        name=f"P{function.number}",
        entry=code.entry,
        edges=code.edges,
        joins=code.joins,
        registers=tuple(registers),
        span=function.span,
    )


def _initial(
    entry: InitRegister, code: Code, objects: Mapping[str, MemoryObject], found: list[Diagnostic]
) -> Initial | None:
    """The initial value of a local variable."""
    local = code.locals.get(entry.register)
    if local is None:
        found.append(_unknown_variable(entry.thread, entry.register, entry.span, code))
        return None
    if entry.value is None:
        return None
    if isinstance(entry.value, Reference):
        address = _address(entry.value, objects)
        if address is None:
            unknown = error(
                codes.UNKNOWN_LOCATION,
                f"unknown location `{entry.value.name}`",
                entry.value.span,
                "not declared",
            )
            found.extend(unknown.diagnostics)
        return address
    word = convert(Value(Constant(entry.value), PointerType(local)), local).expr
    assert isinstance(word, Constant)
    return word.value


def _unknown_variable(thread: int, name: str, span: Span, code: Code) -> Diagnostic:
    close = close_matches(name, code.locals, n=1)
    known = ", ".join(code.locals) or "none"
    return Diagnostic(
        code=codes.UNKNOWN_REGISTER,
        message=f"thread {thread} has no local variable `{name}`",
        primary=Label(span, f"its local variables: {known}"),
        help=f"did you mean `{close[0]}`?" if close else None,
    )


def _question(test: LitmusTest, names: WithUnused, found: list[Diagnostic]) -> FinalCondition | None:
    try:
        return condition(test, names)
    except InputError as failure:
        found.extend(failure.diagnostics)
        return None


class _Final:
    """The names of the question: local variables and shared locations."""

    def __init__(self, threads: list[Code], objects: Mapping[str, MemoryObject]) -> None:
        self._threads = threads
        self._objects = objects

    def register(self, thread: int, name: str, span: Span) -> FinalRegister:
        """The local variable `name` of a thread."""
        if thread >= len(self._threads):
            raise error(
                codes.UNKNOWN_REGISTER, f"there is no thread {thread}", span,
                f"the threads are 0 to {len(self._threads) - 1}",
            )  # fmt: skip
        local = self._threads[thread].locals.get(name)
        if local is None:
            raise InputError(_unknown_variable(thread, name, span, self._threads[thread]))
        return FinalRegister(thread, name, local.width, local.signed)

    def cell(self, name: str, index: int | None, span: Span) -> FinalCell:
        """The location `name`, or an element of it."""
        item = self._object(name, index, span)
        return FinalCell(name, index or 0, 8 * item.size, item.signed)

    def address(self, name: str, index: int | None, span: Span) -> Address:
        """The location `name` as a value."""
        return Address(name, (index or 0) * self._object(name, index, span).size)

    def _object(self, name: str, index: int | None, span: Span) -> MemoryObject:
        item = self._objects.get(name)
        if item is None:
            close = close_matches(name, self._objects, n=1)
            raise error(
                codes.UNKNOWN_LOCATION, f"unknown location `{name}`", span, "not declared",
                help=f"did you mean `{close[0]}`?" if close else "make it a parameter of a thread",
            )  # fmt: skip
        if index is not None and not 0 <= index < item.count:
            raise error(
                codes.UNKNOWN_LOCATION, f"`{name}` has no element {index}", span,
                f"it has {item.count} element{'s' if item.count > 1 else ''}",
            )  # fmt: skip
        return item
