"""Kernel litmus tests in a few words."""

from __future__ import annotations

from membar.languages.litmus import parse
from membar.program.operations import Operation
from membar.program.program import Program
from membar.source import SourceFile

PARAMETERS = "int *x, int *y, atomic_t *a, spinlock_t *s, struct srcu_struct *u"


def program_of(text: str) -> Program:
    """The program of a litmus test given as text."""
    return parse(SourceFile("test.litmus", text))


def body_of(code: str, *, parameters: str = PARAMETERS, initial: str = "", word: str = "LKMM") -> Program:
    """A test with one thread."""
    return program_of(f"{word} one\n{{{initial}}}\nP0({parameters})\n{{\n{code}\n}}\nforall (true)\n")


def operations(program: Program, thread: int = 0) -> list[Operation]:
    """All operations of a thread, in the order of its edges."""
    return [operation for edge in program.threads[thread].edges for operation in edge.operations]
