"""Processes of an asynchronous system as threads, one each."""

from __future__ import annotations

from membar.languages.dve import syntax as x
from membar.languages.dve.code import Code, conjunction
from membar.languages.dve.predicates import ProcessPoints
from membar.languages.dve.scope import Process
from membar.languages.dve.transitions import Rules, do_transition
from membar.program.program import Edge, Thread


def registers_of(process: Process) -> tuple[tuple[str, int], ...]:
    """The registers of a process: all of its variables, as all of them tell states apart."""
    return tuple(
        (variable.element(index), value)
        for variable in process.variables.values()
        if not variable.constant and variable.object is None
        for index, value in enumerate(variable.initial)
    )


def thread_of(rules: Rules, process: Process) -> Thread:
    """The thread of a process of an asynchronous system: its control points are its states."""
    return Thread(
        name=process.name,
        entry=process.entry,
        edges=tuple(_edge(rules, process, transition) for transition in process.tree.transitions),
        registers=registers_of(process),
        labels=tuple((number, name) for name, number in process.states.items()),
        ends=frozenset(
            process.states[state.text]
            for name, state in rules.scope.module.ends
            if name.text == process.name and state.text in process.states
        ),
        committed=process.committed_points,
        span=process.tree.span,
    )


def _edge(rules: Rules, process: Process, transition: x.Transition) -> Edge:
    code = Code(rules.scope)
    code.enter(process, transition.source)
    code.guard(transition.guard)
    do_transition(code, rules, process, transition)
    return Edge(
        source=process.states[transition.source],
        target=process.states[transition.target],
        guard=conjunction(code.guards),
        operations=code.finish(),
        span=transition.span,
    )


def process_points_of(processes: list[Process]) -> ProcessPoints:
    """Where the processes of an asynchronous system are."""
    return ProcessPoints(
        threads={process.name: number for number, process in enumerate(processes)},
        points={
            process.name: {name: frozenset({number}) for name, number in process.states.items()}
            for process in processes
        },
    )
