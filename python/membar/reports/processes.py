"""Runs of systems for any number of processes, for people."""

from __future__ import annotations

from membar.reports._parts.style import Line, line, wrap
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
    named = [
        f"{parameter.name} = #{number}"
        for parameter, number in zip(cube.parameters, run.culprits, strict=True)
    ]
    parts = [f"line {cube.span.line}" if cube.span else "", ", ".join(named)]
    if run.views:
        parts.append(f"who see {_pairs(run.views)}")
    return ", ".join(filter(None, parts))
