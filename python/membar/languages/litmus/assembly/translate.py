"""From a litmus test in the assembly of some machine to a Program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from membar.diagnostics import Diagnostic, InputError
from membar.languages.litmus.assembly.code import INSTRUCTION_BYTES, Code, read_code
from membar.languages.litmus.assembly.machine import Machine, R
from membar.languages.litmus.assembly.memory import Memory
from membar.languages.litmus.assembly.scope import Names, Registers
from membar.languages.litmus.assembly.sizes import with_sizes
from membar.languages.litmus.columns import columns
from membar.languages.litmus.condition_parser import OrderKey, condition, natural_order
from membar.languages.litmus.test import Column, LitmusTest
from membar.languages.litmus.unused import WithUnused
from membar.program.program import MemoryObject, Program, Thread
from membar.records import replace

Item = TypeVar("Item")
Result = TypeVar("Result")


def translate(test: LitmusTest, machine: Machine[R]) -> Program:
    """The program and the question of `test`.

    Raises:
        InputError: with every problem found.
    """
    table = columns(test)
    parts = _each(table, lambda column: read_code(column, machine))
    memory = Memory(test)
    registers = Registers(test, machine.registers, memory, len(table))
    threads = _each(tuple(zip(table, parts, strict=True)), lambda pair: _thread(pair[0], pair[1], registers))
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


def _each(items: Iterable[Item], work: Callable[[Item], Result]) -> tuple[Result, ...]:
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
