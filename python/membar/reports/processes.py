"""Runs of systems for any number of processes, for people."""

from __future__ import annotations

from membar.reports._parts.style import Line, line, wrap
from membar.systems import terms as t
from membar.systems.events import EventCube
from membar.systems.run import ProcessRun, ProcessStep, Shown
from membar.systems.system import Cube, ParameterizedSystem


def run_lines(system: ParameterizedSystem, run: ProcessRun, columns: int) -> list[Line]:
    """The run, one step per line: who, what was read, what changed, what the buffers hold."""
    word = "process" if run.processes == 1 else "processes"
    lines = [line((f"A run of {run.processes} {word} into an unsafe state", "bold")), Line()]
    lines += wrap(line(("   0  start", "dim"), "  ", _pairs(run.initial)), columns, indent=6)
    before = run.initial
    heads = [_head(step) for step in run.steps]
    width = max((len(head) for head in heads), default=0)
    for number, (head, step) in enumerate(zip(heads, run.steps, strict=True), 1):
        text = "; ".join(_step_parts(step, before))
        lines += wrap(line((f"{number:>4}  ", "dim"), f"{head:<{width}}  ", text), columns, indent=6)
        before = step.memory
    cube = system.unsafe[run.unsafe]
    return [
        *lines,
        Line(),
        *wrap(line("  ", ("unsafe: ", "bold"), _unsafe_text(cube, run)), columns, indent=4),
    ]


def _head(step: ProcessStep) -> str:
    who = ", ".join(f"#{number}" for number in step.processes)
    return f"flush {who}" if step.transition is None else f"{step.name}({who})"


def _step_parts(step: ProcessStep, before: tuple[Shown, ...]) -> list[str]:
    """What a step read, chose and changed, and the buffers after it."""
    old = dict(before)
    parts = []
    if step.reads:
        parts.append(f"reads {_pairs(step.reads)}")
    if step.chosen:
        parts.append(f"chooses {_pairs(step.chosen)}")
    changed = tuple(pair for pair in step.memory if old.get(pair[0]) != pair[1])
    if changed:
        parts.append(_pairs(changed))
    pending = [
        f"#{number} [{' | '.join(_pairs(entry) for entry in entries)}]"
        for number, entries in enumerate(step.buffers, 1)
        if entries
    ]
    if pending:
        parts.append(f"buffers {' '.join(pending)}")
    return parts


def _pairs(shown: tuple[Shown, ...]) -> str:
    return " ".join(f"{cell}={value}" for cell, value in shown)


def _unsafe_text(cube: Cube, run: ProcessRun) -> str:
    parts = [f"line {cube.span.line}" if cube.span else "", unsafe_processes(cube, run)]
    return ", ".join(filter(None, parts))


def unsafe_processes(cube: Cube, run: ProcessRun) -> str:
    """Which processes are in the unsafe state, and what they see of memory."""
    named = [
        f"{parameter.name} = #{number}"
        for parameter, number in zip(cube.parameters, run.culprits, strict=True)
    ]
    parts = [", ".join(named)]
    if run.views:
        parts.append(f"who see {_pairs(run.views)}")
    return ", ".join(filter(None, parts))


def cube_text(cube: EventCube) -> str:
    """The states of a cube in words: `PC[p] = Inside and PC[q] = Inside, before p reads Flag[q]`."""
    parts = [_literal_text(literal) for literal in cube.literals]
    for number, event in enumerate(cube.events):
        who = "some process" if event.process is None else _process_text(event.process)
        places = ", ".join(_place_text(place.symbol, place.indices) for place in event.locations)
        fence = ", once its store buffer is empty" if event.fence else ""
        if places or fence:
            parts.append(f"event {number + 1}: {who} {event.kind.value}s {places or 'nothing'}{fence}")
    orders = (f"event {a + 1} before event {b + 1}" for a, b in sorted(cube.before))
    return " and ".join([*parts, *orders]) or "every state"


def _literal_text(literal: t.Literal) -> str:
    return f"{_term_text(literal.left)} {literal.comparison.value} {_term_text(literal.right)}"


def _term_text(term: object) -> str:
    match term:
        case t.ProcessVariable() | t.ProcessConstant():
            return _process_text(term)
        case t.Constructor(name=name):
            return name
        case t.Access(symbol=symbol, indices=indices):
            return _place_text(symbol, indices)
        case t.EventValue(event=event, symbol=symbol, indices=indices):
            return f"{_place_text(symbol, indices)} as event {event + 1} sees it"
        case t.Linear(constant=constant, terms=terms):
            parts = [
                _term_text(place) if factor == 1 else f"{factor} {_term_text(place)}"
                for factor, place in terms
            ]
            return " + ".join([*parts, str(constant)] if constant or not parts else parts)
        case _:
            return str(term)


def _process_text(process: t.Process) -> str:
    return process.name if isinstance(process, t.ProcessVariable) else f"#{process.number}"


def _place_text(symbol: str, indices: tuple[t.Process, ...]) -> str:
    return f"{symbol}[{', '.join(map(_process_text, indices))}]" if indices else symbol
