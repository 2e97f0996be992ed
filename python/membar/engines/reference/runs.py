"""Converts runs of the store-buffer machine to witnesses and back."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from membar.engines.reference.candidates import skeleton
from membar.engines.reference.machine import Machine
from membar.engines.reference.state import MemoryAction, Move, State, ThreadAction, look
from membar.engines.reference.threads import follow
from membar.engines.reference.trace import Status, Trace
from membar.models.model import Model, Operational
from membar.program.condition import FinalCell, shown_value
from membar.program.execution import Execution
from membar.program.expand import expand
from membar.program.program import Program
from membar.properties.final_state import Observer
from membar.questions.outcome import Step, Witness
from membar.records import replace
from membar.source import is_same_message

_FLUSH = "flush "


def witness_of(
    machine: Machine,
    moves: Sequence[Move],
    message: str,
    *,
    cycle: int | None = None,
    fair: Sequence[str] = (),
) -> Witness:
    """A run of the machine as a witness: its events and relations, its steps, and where its cycle begins."""
    program = machine.program
    history = _History(program, moves)
    choices = tuple(
        tuple(choice for move in moves for choice in choices_of(move, n)) for n in range(len(program.threads))
    )
    final = _last_state(machine, moves)
    expanded = expand(program)
    chosen = tuple(
        follow(expanded, n, choices[n], events=history.events[n], has_steps=True)
        if final.locals[n].born
        else Trace(thread=n, status=Status.NOT_STARTED)
        for n in range(len(program.threads))
    )
    registers = [dict(trace.registers) for trace in chosen]
    return Witness(
        execution=history.execution(expanded, chosen),
        final=Observer(program).ending(registers, dict(enumerate(final.memory))).shown,
        choices=choices,
        steps=_steps(machine, moves, history.first_event(chosen)),
        message=message,
        cycle=cycle,
        fair=tuple(fair),
    )


def follow_steps(program: Program, model: Model, witness: Witness) -> str | None:
    """None if the steps of `witness` are a run of the model's machine; else what does not fit.

    Its bound is not asked: a run with small buffers is one with large buffers too.
    """
    if model.operational is None:
        return f"the model {model.name} has no store-buffer semantics"
    machine = Machine(program, model.operational, None)
    moves = followed_moves(machine, witness)
    if len(moves) < len(witness.steps):
        return f"step {len(moves) + 1} ({witness.steps[len(moves)].action}) is not possible"
    again = witness_of(machine, moves, witness.message)
    saved = witness
    if len(again.steps) == len(witness.steps):
        saved = replace(witness, steps=tuple(map(_with_hidden_text, again.steps, witness.steps)))
    compared = {"execution": "execution", "steps": "steps", "final": "final values", "choices": "choices"}
    for name, words in compared.items():
        if getattr(again, name) != getattr(saved, name):
            return f"following the steps gives other {words}"
    return None


def _with_hidden_text(again: Step, saved: Step) -> Step:
    """A saved step, without the text that messages may not show now."""
    return replace(saved, action=again.action) if is_same_message(again.action, saved.action) else saved


class End(enum.Enum):
    """How a run of the machine ends."""

    FINAL = "every thread is at its end and every buffer is empty"
    DEADLOCK = "no thread can move, and none has violated an assumption"
    OPEN = "some thread could still move"


def end_of(program: Program, discipline: Operational, witness: Witness) -> End:
    """How the run ends that the steps of `witness` tell of; the steps must be possible."""
    machine = Machine(program, discipline, None)
    moves = followed_moves(machine, witness)
    if moves and moves[-1].after is None:  # an assertion failed
        return End.OPEN
    state = _last_state(machine, moves)
    if machine.is_final(state):
        return End.FINAL
    found = machine.moves(state)
    return End.OPEN if found.moves or found.blocked or machine.may_stay(state) else End.DEADLOCK


def deadlock_message(machine: Machine, state: State) -> str:
    """Who cannot go on in a deadlock."""
    stuck = [
        thread.name
        for n, thread in enumerate(machine.program.threads)
        if state.locals[n].born and machine.leaving[n][state.locals[n].point]
    ]
    return f"deadlock: {', '.join(stuck)} cannot go on"


def deadlock_in(program: Program, discipline: Operational, witness: Witness) -> str:
    """Who cannot go on in the deadlock in which the run of `witness` ends."""
    machine = Machine(program, discipline, None)
    return deadlock_message(machine, _last_state(machine, followed_moves(machine, witness)))


def reached_error(program: Program, discipline: Operational, witness: Witness) -> str | None:
    """That the run which the steps of `witness` tell of ends in an error state, in words; None: in none."""
    machine = Machine(program, discipline, None)
    state = _last_state(machine, followed_moves(machine, witness))
    for predicate in program.errors:
        if predicate.holds(lambda seen: look(program, state, seen)):
            return predicate.arrival()
    return None


def followed_moves(machine: Machine, witness: Witness) -> list[Move]:
    """The moves that the steps of `witness` tell of, up to the first that is not possible."""
    left = [list(choices) for choices in witness.choices]
    moves: list[Move] = []
    for step in witness.steps:
        move = _matching(machine, _last_state(machine, moves), step, left)
        if move is None:
            break
        for thread, choices in enumerate(left):
            del choices[: len(choices_of(move, thread))]
        moves.append(move)
    return moves


def choices_of(move: Move, thread: int) -> tuple[int, ...]:
    """What a move adds to the choices of a thread."""
    if thread == move.thread:
        return move.choices
    return move.partner.choices if move.partner is not None and move.partner.thread == thread else ()


def _matching(machine: Machine, state: State, step: Step, left: Sequence[list[int]]) -> Move | None:
    """The move that `step` tells of, given the choices that the threads have left."""
    for move in machine.moves(state).moves:
        if move.thread != step.thread or (move.edge is None) is not step.action.startswith(_FLUSH):
            continue
        if (None if move.partner is None else move.partner.thread) != step.partner:
            continue
        if move.edge is None:
            if step.action == _action(machine.program, move):
                return move
        elif all(
            list(made) == choices[: len(made)]
            for made, choices in ((choices_of(move, n), choices) for n, choices in enumerate(left))
        ):
            return move
    return None


def _last_state(machine: Machine, moves: Sequence[Move]) -> State:
    return next((move.after for move in reversed(moves) if move.after is not None), machine.initial())


class _History:
    """Which write each read of a run takes its value from, and in which order writes reach memory.

    An event is named by its thread and its number in that thread.
    """

    def __init__(self, program: Program, moves: Sequence[Move]) -> None:
        self.events = [0] * len(program.threads)
        self.order: dict[int, list[tuple[int, int]]] = {}
        self.source: dict[tuple[int, int], tuple[int, int] | None] = {}  # None: the initial write
        self.first: list[tuple[int, int] | None] = []  # the first event of each move
        self._buffers: list[list[tuple[int, int]]] = [[] for _ in program.threads]  # (cell, number)
        for move in moves:
            names = [self._take(act.thread, act) for act in move.acts]
            self.first.append(names[0] if names else None)

    def _take(self, thread: int, act: ThreadAction) -> tuple[int, int]:
        """Adds one thing that `thread` did; returns its event."""
        buffer = self._buffers[thread]
        if act.did is MemoryAction.FLUSHED:
            oldest = next(entry for entry in buffer if entry[0] == act.cell)
            buffer.remove(oldest)
            name = (thread, oldest[1])
            self.order.setdefault(act.cell, []).append(name)
            return name
        name = (thread, self.events[thread])
        self.events[thread] += 1
        if act.did is MemoryAction.BUFFERED:
            buffer.append((act.cell, name[1]))
        elif act.did is MemoryAction.WROTE:
            self.order.setdefault(act.cell, []).append(name)
        elif act.did is MemoryAction.READ:
            own = [(thread, number) for cell, number in buffer if cell == act.cell]
            known = own or self.order.get(act.cell)
            self.source[name] = known[-1] if known else None
        return name

    def first_event(self, chosen: Sequence[Trace]) -> list[int | None]:
        """The id of the first event of each move, in the execution with these runs of the threads."""
        cells = {event.cell for trace in chosen for event in trace.events if event.cell is not None}
        starts = [len(cells) + sum(len(trace.events) for trace in chosen[:n]) for n in range(len(chosen))]
        return [None if name is None else starts[name[0]] + name[1] for name in self.first]

    def execution(self, program: Program, chosen: Sequence[Trace]) -> Execution:
        """The execution with these runs of the threads."""
        frame = skeleton(program, chosen)
        events = frame.execution.events
        start = {event.thread: event.id for event in reversed(events)}
        initial = {event.cell: event.id for event in events if event.is_initial}

        def number(name: tuple[int, int]) -> int:
            return start[name[0]] + name[1]

        rf = []
        for read, source in self.source.items():
            cell = events[number(read)].cell
            rf.append((initial[cell] if source is None else number(source), number(read)))
        co = []
        for first, *others in frame.writes:
            cell = events[first].cell
            done = [] if cell is None else [number(name) for name in self.order.get(cell, ())]
            known = frozenset(done)
            # What is still in a buffer when the run stops comes later, in the order of the threads.
            co.append((first, *done, *(write for write in others if write not in known)))
        return replace(frame.execution, rf=tuple(sorted(rf, key=lambda pair: pair[1])), co=tuple(co))


def _steps(machine: Machine, moves: Sequence[Move], events: Sequence[int | None]) -> tuple[Step, ...]:
    program = machine.program
    steps = []
    state = machine.initial()
    for move, event in zip(moves, events, strict=True):
        state = move.after or state
        steps.append(
            Step(
                thread=move.thread,
                partner=None if move.partner is None else move.partner.thread,
                action=_action(program, move),
                event=event,
                memory=tuple(
                    (cell.name, _shown_value(program, cell.id, state.memory[cell.id]))
                    for cell in program.cells
                ),
                buffers=tuple(
                    tuple(
                        (program.cells[c].name, _shown_value(program, c, value))
                        for c, value in local.buffer
                        if c >= 0
                    )
                    for local in state.locals
                ),
            )
        )
    return tuple(steps)


def _action(program: Program, move: Move) -> str:
    """What a move does, in words."""
    words = []
    for act in move.acts:
        who = "" if act.thread == move.thread else f"{program.threads[act.thread].name}: "
        if act.did is MemoryAction.FENCED:
            words.append(f"{who}fence")
        else:
            seen = _shown_value(program, act.cell, act.value)
            words.append(f"{who}{act.did.value} {program.cells[act.cell].name} = {seen}")
    if move.partner is not None:
        words.insert(0, f"sends to {program.threads[move.partner.thread].name}")
    if move.failure is not None:
        words.append(f"assertion fails: {move.failure}")
    return ", ".join(words) or "local step"


def _shown_value(program: Program, cell: int, word: int) -> int:
    item = program.cells[cell].object
    return shown_value(FinalCell(item.name, 0, 8 * item.size, item.signed), word)
