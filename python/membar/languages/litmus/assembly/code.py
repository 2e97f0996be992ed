"""The code of one thread: instructions with their labels, turned into edges."""

from __future__ import annotations

from collections.abc import Iterator

from membar.diagnostics import Diagnostic, InputError, Label, close_matches, error
from membar.languages.litmus import codes
from membar.languages.litmus.assembly.effects import Choice, Effect, InstructionStep, Jump, Return, Steps
from membar.languages.litmus.assembly.machine import Machine, R
from membar.languages.litmus.assembly.operands import Operand
from membar.languages.litmus.columns import split_labels
from membar.languages.litmus.test import Cell, Column
from membar.program.expr import TRUE, Address, Binary, BinaryOp, Expr, Register, equals, negation
from membar.program.operations import Operation, Set
from membar.program.program import Edge
from membar.records import record
from membar.source import Span, pattern

INSTRUCTION_BYTES = 4
_RELATIVE = pattern(r"\.\s*(?:(?P<sign>[-+])\s*(?P<bytes>[0-9]{1,18}))?")


@record(frozen=True, slots=True)
class Line:
    """One instruction."""

    effect: Effect
    span: Span


@record(frozen=True, slots=True)
class Code:
    """The instructions of a thread; `labels` gives the index of the instruction behind each label."""

    thread: int
    lines: tuple[Line, ...]
    labels: dict[str, int]

    @property
    def return_points(self) -> tuple[int, ...]:
        """Where calls return to."""
        calls = (
            at for at, line in enumerate(self.lines) if isinstance(line.effect, Jump) and line.effect.link
        )
        return tuple(dict.fromkeys(at + 1 for at in calls))

    def address_name(self, point: int) -> str:
        """The name of a code address, as final states show it."""
        names = sorted(name for name, at in self.labels.items() if at == point)
        return f'label:"P{self.thread}:{names[0] if names else f"+{point * INSTRUCTION_BYTES}"}"'

    def edges(self) -> Iterator[Edge]:
        """The control-flow automaton: control point n stands before instruction n, others inside one.

        Raises:
            InputError: a branch goes nowhere.
        """
        inside = len(self.lines) + 1
        for at, line in enumerate(self.lines):
            match line.effect:
                case InstructionStep() as step:
                    yield self._step(at, step, at, at + 1)
                case Steps(steps=steps):
                    points = (at, *range(inside, inside + len(steps) - 1), at + 1)
                    inside += len(steps) - 1
                    for step, source, target in zip(steps, points, points[1:], strict=False):
                        yield self._step(at, step, source, target)
                case Choice(steps=steps):
                    yield from (self._step(at, step, at, at + 1) for step in steps)
                case Jump() as jump:
                    yield from self._jump(at, jump)
                case Return(register=register):
                    yield from self._return(at, register)

    def _edge(
        self, at: int, target: int, operations: tuple[Operation, ...] = (), *, guard: Expr = TRUE
    ) -> Edge:
        return Edge(source=at, target=target, operations=operations, guard=guard, span=self.lines[at].span)

    def _step(self, at: int, step: InstructionStep, source: int, target: int) -> Edge:
        return Edge(
            source=source,
            target=target,
            operations=step.operations,
            unordered=step.unordered,
            span=self.lines[at].span,
        )

    def _jump(self, at: int, jump: Jump) -> Iterator[Edge]:
        linking = (Set(jump.link, Address(self.address_name(at + 1))),) if jump.link else ()
        yield self._edge(at, self._point(at, jump.target), linking, guard=jump.condition)
        if jump.condition != TRUE:
            yield self._edge(at, at + 1, guard=negation(jump.condition))

    def _return(self, at: int, register: str) -> Iterator[Edge]:
        """Back behind the call whose address the register holds; with another value the thread ends."""
        elsewhere: Expr = TRUE
        for point in self.return_points:
            here = equals(Register(register), Address(self.address_name(point)))
            yield self._edge(at, point, guard=here)
            elsewhere = Binary(BinaryOp.AND, elsewhere, negation(here))
        yield self._edge(at, len(self.lines), guard=elsewhere)

    def _point(self, at: int, target: Operand) -> int:
        """The control point that a branch at `at` goes to."""
        if target.text in self.labels:
            return self.labels[target.text]
        if relative := _RELATIVE.fullmatch(target.text):
            distance = int(relative["bytes"] or 0) * (-1 if relative["sign"] == "-" else 1)
            point = at + distance // INSTRUCTION_BYTES
            if distance % INSTRUCTION_BYTES or not 0 <= point <= len(self.lines):
                raise error(
                    codes.LABEL,
                    f"`{target.text}` is not an instruction of this thread",
                    target.span,
                    f"expected a multiple of {INSTRUCTION_BYTES} within the code",
                )
            return point
        close = close_matches(target.text, self.labels, n=1)
        raise error(
            codes.LABEL,
            f"label `{target.text}` is not defined in this thread",
            target.span,
            "expected a label of this thread",
            help=f"did you mean `{close[0]}`?" if close else f"write `{target.text}:` before an instruction",
        )


def read_code(column: Column, machine: Machine[R]) -> Code:
    """The instructions of a column.

    Raises:
        InputError: with every bad instruction and label.
    """
    lines: list[Line] = []
    labels: dict[str, Cell] = {}
    points: dict[str, int] = {}
    problems: list[Diagnostic] = []
    for cell in column.cells:
        names, instruction = split_labels(cell)
        for name in names:
            if name.text in labels:
                problems.append(_second_label(name, labels[name.text]))
            labels[name.text] = name
            points[name.text] = len(lines)
        if instruction is not None:
            try:
                lines.append(Line(_effect(instruction, machine), instruction.span))
            except InputError as problem:
                problems.extend(problem.diagnostics)
                lines.append(Line(InstructionStep(), instruction.span))
    if problems:
        raise InputError(*problems)
    return Code(column.thread, tuple(lines), points)


# The same few hundred instructions make up thousands of tests. Those that speak of a place are left out.
_MOST_KEPT = 4096
_known: dict[tuple[str, str], InstructionStep | Steps | Choice | Return] = {}


def _effect(cell: Cell, machine: Machine[R]) -> Effect:
    key = machine.registers.machine, cell.text
    known = _known.get(key)
    if known is not None:
        return known
    effect = _new_effect(cell, machine)
    if not isinstance(effect, Jump):
        if len(_known) >= _MOST_KEPT:
            _known.clear()
        _known[key] = effect
    return effect


def _new_effect(cell: Cell, machine: Machine[R]) -> Effect:
    mnemonic, operands = machine.split(cell)
    handler = machine.instructions.get(mnemonic)
    if handler is None:
        close = close_matches(mnemonic, machine.instructions, n=1, cutoff=0.7)
        raise error(
            codes.INSTRUCTION,
            f"unknown {machine.registers.machine} instruction `{operands.head.text}`",
            operands.head,
            "expected an instruction",
            help=f"did you mean `{close[0]}`?" if close else None,
        )
    return handler(operands)


def _second_label(second: Cell, first: Cell) -> Diagnostic:
    return Diagnostic(
        code=codes.LABEL,
        message=f"label `{second.text}` is defined twice",
        primary=Label(second.span, "second definition"),
        others=(Label(first.span, "first definition"),),
    )
