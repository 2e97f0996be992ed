"""Program → the same program with its store buffers as variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from membar.engines.reference.machine import Machine
from membar.models.model import Operational
from membar.program.expr import FALSE, Address, Constant, Expr, addresses_of, negation, registers_of, signed
from membar.program.folding import substitute_values
from membar.program.loops import unexplored_of
from membar.program.operations import Choose, Load, Rmw, Set, Store, Unlock
from membar.program.predicate import RegisterValue, StatePredicate
from membar.program.program import Edge, Program, Thread
from membar.program.temporal import predicates_of
from membar.questions.export.layout import Layout, count_of, flushes_of, memory_of, queue_size, slot_of
from membar.questions.export.model import (
    GuardedStep,
    Interval,
    Kind,
    Model,
    Variable,
    at,
    untranslatable,
)
from membar.questions.export.paths import Obligation, Unfolding
from membar.questions.export.ranges import WIDEST, Ranges, fits, hull, intersection, type_range
from membar.records import replace

_ROUNDS = 12
_STEPS_UP: tuple[Interval, ...] = ((0, 1), (0, 255), (-32768, 32767), (-(1 << 31), (1 << 31) - 1), WIDEST)


def buffered_model(program: Program, discipline: Operational, bound: int) -> Model:
    """The program under a discipline with k slots, as steps on variables.

    Raises:
        InputError: something in it cannot be translated.
        EngineLimitError: the discipline does not know a word of it.
    """
    if program.channels:
        raise untranslatable(
            "channels", program.span, help="channels of Promela with a capacity above 0 are translated"
        )
    for what, spans in unexplored_of(program).items():
        raise untranslatable(f"the program is not followed further: {what}", next(iter(spans), None))
    machine = Machine(program, discipline, bound)
    stored = tuple(
        () if discipline is Operational.SC else _buffered_cells(program, thread, machine)
        for thread in program.threads
    )
    layout = Layout(
        program=program,
        discipline=discipline,
        bound=bound,
        buffered=stored,
        fence=machine.fence,
        atomic=machine.atomic,
    )
    variables = {variable.key: variable for variable in _variables(layout)}
    steps: list[GuardedStep] = []
    obligations: list[Obligation] = []
    for number, thread in enumerate(program.threads):
        outside = _standing_guard(program, number)
        for edge in thread.edges:
            unfolding = Unfolding(layout, number, edge)
            found = unfolding.steps()
            steps += [_with_guards(step, outside(edge)) for step in found]
            obligations += unfolding.obligations
    flushes = tuple(step for number in range(len(program.threads)) for step in flushes_of(layout, number))
    ranges = _ranges(layout, variables, steps)
    _discharge(obligations, ranges)
    constants = _constants(variables, ranges)
    return Model(
        program=program,
        discipline=discipline,
        bound=bound,
        variables={key: item for key, item in variables.items() if key not in constants},
        steps=tuple(_without_constants(steps, constants)),
        flushes=flushes,
        queues=tuple(queue_size(layout, number) for number in range(len(program.threads))),
        ranges=ranges,
    )


def _constants(variables: Mapping[str, Variable], ranges: Mapping[str, Interval]) -> dict[str, Expr]:
    """Registers that never change, or are used only inside a step: 0 before and after."""
    found: dict[str, Expr] = {}
    for key, variable in variables.items():
        low, high = ranges[key]
        if variable.kind is Kind.REGISTER and low == high:
            found[key] = Constant(low)
    return found


def _without_constants(steps: Iterable[GuardedStep], constants: Mapping[str, Expr]) -> Iterator[GuardedStep]:
    """The steps without registers that never change, and without those whose guards cannot hold."""
    for step in steps:
        guards = [substitute_values(guard, constants) for guard in step.guards]
        if any(guard == FALSE for guard in guards):
            continue
        yield replace(
            step,
            guards=tuple(dict.fromkeys(guard for guard in guards if not isinstance(guard, Constant))),
            writes=tuple(
                (key, substitute_values(value, constants))
                for key, value in step.writes
                if key not in constants
            ),
        )


def _buffered_cells(program: Program, thread: Thread, machine: Machine) -> tuple[int, ...]:
    """The cells that a thread may buffer stores of."""
    found: set[int] = set()
    for op in thread.operations:
        if isinstance(op, Unlock) or (isinstance(op, Store) and not machine.atomic(op.tags)):
            found |= _cells_of(program, op.address)
    return tuple(sorted(found))


def _cells_of(program: Program, address: Expr) -> set[int]:
    if isinstance(address, Address):
        cell = program.cell_at.get(program.bases[address.name] + address.offset)
        return set() if cell is None else {cell.id}
    names = {item.name for item in addresses_of(address)}
    return {cell.id for cell in program.cells if not names or cell.object.name in names}


def _standing_guard(program: Program, number: int) -> Callable[[Edge], list[Expr]]:
    """What must hold before a thread may take an edge, whatever the edge does."""
    thread = program.threads[number]
    born: list[Expr] = [] if thread.started else [Variable(kind=Kind.BORN, thread=number).atom]
    others = [
        negation(at(other, point))
        for other, item in enumerate(program.threads)
        if other != number
        for point in sorted(item.committed)
    ]

    def before(edge: Edge) -> list[Expr]:
        return [*born, *([] if edge.source in thread.committed else others)]

    return before


def _with_guards(step: GuardedStep, guards: Sequence[Expr]) -> GuardedStep:
    return replace(step, guards=(*guards, *step.guards)) if guards else step


def _variables(layout: Layout) -> Iterator[Variable]:
    program = layout.program
    for cell in program.cells:
        item = cell.object
        value = signed(cell.initial, 8 * item.size) if item.signed else cell.initial
        yield Variable(kind=Kind.MEMORY, cell=cell.id, initial=value)
    for number, thread in enumerate(program.threads):
        if not thread.started:
            yield Variable(kind=Kind.BORN, thread=number)
        initial = {name: signed(program.word(value)) for name, value in thread.registers}
        for name in _registers(program, number):
            yield Variable(kind=Kind.REGISTER, thread=number, register=name, initial=initial.get(name, 0))
        for stored in layout.buffered[number]:
            yield Variable(kind=Kind.COUNT, thread=number, cell=stored)
            yield from (slot_of(number, stored, slot) for slot in range(layout.bound))
        size = queue_size(layout, number)
        yield from (Variable(kind=Kind.QUEUE, thread=number, slot=slot) for slot in range(size))
        if size:
            yield Variable(kind=Kind.LENGTH, thread=number)


def _registers(program: Program, number: int) -> list[str]:
    """The registers of a thread, in order of appearance."""
    thread = program.threads[number]
    names = dict.fromkeys(name for name, _ in thread.registers)
    for edge in thread.edges:
        names |= dict.fromkeys(registers_of(edge.guard))
        for op in edge.operations:
            if isinstance(op, Load | Rmw | Set | Choose):
                names[op.register] = None
    for predicate in _predicates(program):
        for _, seen in predicate.reads:
            if isinstance(seen, RegisterValue) and seen.thread == number:
                names[seen.register] = None
    return list(names)


def _predicates(program: Program) -> Iterator[StatePredicate]:
    yield from program.errors
    yield from predicates_of(program.claims)


def _ranges(
    layout: Layout, variables: Mapping[str, Variable], steps: Sequence[GuardedStep]
) -> dict[str, Interval]:
    """The range of each variable: a fixpoint over all steps, widened where it does not converge."""
    program = layout.program
    found: dict[str, Interval] = {}
    whole: dict[str, Interval] = {}
    for key, variable in variables.items():
        found[key] = (variable.initial, variable.initial)
        whole[key] = WIDEST
        if variable.cell >= 0 and variable.kind is not Kind.COUNT:
            item = program.cells[variable.cell].object
            whole[key] = intersection(type_range(8 * item.size, is_signed=item.signed), WIDEST)
    for turn in range(_ROUNDS * len(variables)):
        grown = _grow(layout, found, steps)
        if grown == found:
            break
        if turn >= _ROUNDS:
            grown = {key: _widen(value, found[key], whole[key]) for key, value in grown.items()}
        found = grown
    for thread, cells in enumerate(layout.buffered):
        for cell in cells:
            found[count_of(thread, cell).name] = (0, layout.bound)
        for slot in range(queue_size(layout, thread)):
            found[Variable(kind=Kind.QUEUE, thread=thread, slot=slot).key] = (0, len(cells))
        found[Variable(kind=Kind.LENGTH, thread=thread).key] = (0, queue_size(layout, thread))
    return found


def _grow(layout: Layout, found: Mapping[str, Interval], steps: Sequence[GuardedStep]) -> dict[str, Interval]:
    grown = dict(found)
    for step in steps:
        here = Ranges(found, step.guards)
        for key, value in step.writes:
            grown[key] = hull(grown[key], here.of(value))
    for thread, cells in enumerate(layout.buffered):
        for cell in cells:  # whatever is buffered reaches memory, and moves to older slots
            keys = [slot_of(thread, cell, slot).key for slot in range(layout.bound)]
            whole = grown[memory_of(cell).key]
            for key in keys:
                whole = hull(whole, grown[key])
            grown |= dict.fromkeys(keys, hull(whole, (0, 0)))
            grown[memory_of(cell).key] = whole
    return grown


def _widen(new: Interval, old: Interval, whole: Interval) -> Interval:
    if new == old:
        return new
    return intersection(next(step for step in _STEPS_UP if fits(new, step)), whole)


def _discharge(obligations: Sequence[Obligation], ranges: Mapping[str, Interval]) -> None:
    for item in obligations:
        if not fits(Ranges(ranges, item.guards).of(item.offset), (0, item.last)):
            raise untranslatable("an address that may be outside its array", item.edge.span)
