"""A synchronous system as one thread: every process makes a step at the same time.

A control point of the thread is a state of each process. All guards are looked at before anything is done;
then the processes do their effects one after the other, in the order of the text. Channels do nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.languages.dve.code import Code, conjunction
from membar.languages.dve.predicates import ProcessPoints
from membar.languages.dve.scope import Process
from membar.languages.dve.threads import registers_of
from membar.languages.dve.transitions import Rules, do_transition
from membar.program.program import Edge, Thread
from membar.records import replace

NAME = "system"
_MOST_EDGES = 100_000
_States: TypeAlias = tuple[str, ...]


def joint_thread(rules: Rules, processes: list[Process]) -> tuple[Thread, ProcessPoints]:
    """The thread of all processes, and where they are found in it.

    Raises:
        InputError: it would have too many edges, or a process has committed states.
    """
    for process in processes:
        for word in process.tree.committed:
            raise error("W1005", "`commit` in a synchronous system", word.span, "not supported")
    entry = tuple(process.tree.initial.text for process in processes)
    points: dict[_States, int] = {entry: 0}
    edges: list[Edge] = []
    todo = [entry]
    while todo:
        source = todo.pop()
        for chosen in _choices(processes, source):
            target = tuple(transition.target for transition in chosen)
            if target not in points:
                points[target] = len(points)
                todo.append(target)
            edge = _edge(rules, processes, chosen)
            edges.append(replace(edge, source=points[source], target=points[target]))
            if len(edges) > _MOST_EDGES:
                span = rules.scope.module.span
                raise error(
                    "W1003",
                    "the synchronous system is too large",
                    span,
                    f"more than {_MOST_EDGES} joint steps",
                )
    thread = Thread(
        name=NAME,
        entry=0,
        edges=tuple(edges),
        registers=tuple(pair for process in processes for pair in registers_of(process)),
        labels=tuple((number, ",".join(states)) for states, number in points.items()),
        span=rules.scope.module.span,
    )
    return thread, _process_points(processes, points)


def _choices(processes: list[Process], source: _States) -> Iterator[tuple[x.Transition, ...]]:
    leaving = [
        [transition for transition in process.tree.transitions if transition.source == state]
        for process, state in zip(processes, source, strict=True)
    ]
    return product(*leaving)


def _edge(rules: Rules, processes: list[Process], chosen: tuple[x.Transition, ...]) -> Edge:
    code = Code(rules.scope)
    pairs = list(zip(processes, chosen, strict=True))
    for process, transition in pairs:
        code.looks[process.name] = transition.source
    for process, transition in pairs:
        code.enter(process, transition.source)
        code.guard(transition.guard)
    for process, transition in pairs:
        code.enter(process, transition.source)
        do_transition(code, rules, process, replace(transition, sync=None))
    span = chosen[0].span
    return Edge(source=0, target=0, guard=conjunction(code.guards), operations=code.finish(), span=span)


def _process_points(processes: list[Process], points: dict[_States, int]) -> ProcessPoints:
    return ProcessPoints(
        threads={process.name: 0 for process in processes},
        points={
            process.name: {
                name: frozenset(point for states, point in points.items() if states[number] == name)
                for name in process.states
            }
            for number, process in enumerate(processes)
        },
    )
