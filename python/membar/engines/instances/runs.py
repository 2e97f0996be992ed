"""Runs of an instance with values read, buffers and flushes; and a check that a run is valid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from membar.engines.instances.machine import Binding, InstanceMachine, Move, State
from membar.systems.mapping import places, places_of
from membar.systems.run import ProcessRun, ProcessStep, Shown
from membar.systems.system import Assign, Transition
from membar.systems.terms import Access, Place


def run_of(instance: InstanceMachine, first: State, moves: Sequence[Move]) -> ProcessRun:
    """A sequence of moves as a run; its last state is bad."""
    last = moves[-1].after if moves else first
    found = instance.unsafe(last)
    if found is None:
        raise ValueError("the last state is not an error state")
    number, culprits = found
    steps, before = [], first
    for move in moves:
        steps.append(_step(instance, before, move))
        before = move.after
    return ProcessRun(
        processes=instance.layout.processes,
        initial=_memory(instance, first),
        steps=tuple(steps),
        unsafe=number,
        culprits=culprits,
        views=_views(instance, last, number, culprits),
    )


def _views(
    instance: InstanceMachine, state: State, unsafe: int, culprits: Sequence[int]
) -> tuple[Shown, ...]:
    """What the processes in an unsafe state see of weak memory, as far as it speaks of that."""
    cube = instance.system.unsafe[unsafe]
    binding = dict(zip(cube.parameters, culprits, strict=True))
    views: dict[str, str] = {}
    for place in places(cube.literals):
        if isinstance(place, Access) and place.reader is not None:
            cell = instance.cell(place.symbol, place.indices, binding)
            reader = instance.process(place.reader, binding)
            views[f"#{reader}@{instance.layout.cells[cell].label}"] = instance.layout.value_text(
                cell, state.read(cell, reader)
            )
    return tuple(views.items())


def _memory(instance: InstanceMachine, state: State) -> tuple[Shown, ...]:
    layout = instance.layout
    return tuple(
        (cell.label, layout.value_text(number, state.memory[number]))
        for number, cell in enumerate(layout.cells)
    )


def _step(instance: InstanceMachine, before: State, move: Move) -> ProcessStep:
    layout = instance.layout
    transition = None if move.transition is None else instance.system.transitions[move.transition]
    return ProcessStep(
        transition=move.transition,
        name="" if transition is None else transition.name,
        processes=move.processes,
        reads=tuple(_reads(instance, before, move)),
        chosen=tuple(
            (layout.cells[cell].label, layout.value_text(cell, value)) for cell, value in move.chosen
        ),
        memory=_memory(instance, move.after),
        buffers=tuple(
            tuple(
                tuple((layout.cells[cell].label, layout.value_text(cell, value)) for cell, value in entry)
                for entry in entries
            )
            for entries in move.after.buffers
        ),
    )


def _reads(instance: InstanceMachine, before: State, move: Move) -> Iterator[Shown]:
    """What the transition read from weak memory, each cell once."""
    if move.transition is None:
        return
    transition = instance.system.transitions[move.transition]
    binding = dict(zip(transition.parameters, move.processes, strict=True))
    reader = binding[transition.acting] if transition.acting is not None else None
    seen: dict[int, None] = {}
    for place, scope in _read_places(instance, transition, binding):
        if isinstance(place, Access) and place.reader is not None:
            seen[instance.cell(place.symbol, place.indices, scope)] = None
    for cell in seen:
        label = instance.layout.cells[cell].label
        yield label, instance.layout.value_text(cell, before.read(cell, reader))


def _read_places(
    instance: InstanceMachine, transition: Transition, binding: Binding
) -> Iterator[tuple[Place, Binding]]:
    """The places of a transition, each with what its process variables stand for."""
    numbers = instance.layout.numbers
    yield from ((place, binding) for place in places(transition.guard))
    others = [number for number in numbers if number not in binding.values()]
    for one in transition.universal:
        for other in others:
            inner = {**binding, one.variable: other}
            yield from ((place, inner) for body in one.alternatives for place in places(body))
    for update in transition.updates:
        if isinstance(update, Assign):
            yield from ((place, binding) for place in places_of(update.value))
            continue
        for bound in product(numbers, repeat=len(update.binders)):
            inner = {**binding, **dict(zip(update.binders, bound, strict=True))}
            for case in update.cases:
                found = (*places(case.condition), *places_of(case.value))
                yield from ((place, inner) for place in found)


def mismatch(instance: InstanceMachine, run: ProcessRun) -> str | None:
    """Why a run is none of this instance that ends in a bad state; None if it is one."""
    layout = instance.layout
    values = [layout.read(number, text) for number, (_, text) in enumerate(run.initial[: len(layout.cells)])]
    labels = [label for label, _ in run.initial]
    if labels != [cell.label for cell in layout.cells] or None in values:
        return "its initial values are not those of the system"
    state = State(tuple(value for value in values if value is not None), ((),) * layout.processes)
    if not instance.is_initial(state):
        return "it does not start in an initial state"
    for number, step in enumerate(run.steps, 1):
        moves = (
            instance.flushes(state)
            if step.transition is None
            else _moves_of(instance, state, step.transition, step.processes)
        )
        found = next((move for move in moves if _step(instance, state, move) == step), None)
        if found is None:
            return f"step {number} ({step.name or 'flush'}) is not enabled"
        state = found.after
    if not 0 <= run.unsafe < len(instance.system.unsafe):
        return "there is no such unsafe state"
    culprits = instance.processes_satisfying(state, instance.system.unsafe[run.unsafe])
    if culprits is None:
        return "it does not end in an unsafe state"
    if run.culprits != culprits:
        return f"culprits: the processes in the unsafe state are {culprits}, not {run.culprits}"
    if run.views != _views(instance, state, run.unsafe, culprits):
        return "views: the processes see something else in the unsafe state"
    return None


def _moves_of(
    instance: InstanceMachine, state: State, transition: int, processes: tuple[int, ...]
) -> Iterator[Move]:
    known = 0 <= transition < len(instance.system.transitions)
    if not known or len(processes) != len(instance.system.transitions[transition].parameters):
        return iter(())
    if len(set(processes)) != len(processes) or not set(processes) <= set(instance.layout.numbers):
        return iter(())
    return instance.steps(state, transition, processes)
