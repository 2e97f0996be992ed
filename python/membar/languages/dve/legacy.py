"""What DiVinE's legacy engine did after a run-time error, to compare numbers with BEEM's.

It set the whole state to 0, put the first process into a state beyond its own, and went on from there. So
that one edge can reset everybody, all that a state consists of is in memory: variables of processes, and
where they are. Under store buffers that would mean something else, so its stores carry a word that only sc,
which has none, does not mind.
"""

from __future__ import annotations

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.languages.dve.code import Checks, Code, conjunction
from membar.languages.dve.predicates import ProcessPoints
from membar.languages.dve.scope import Process
from membar.languages.dve.transitions import Rules, do_transition
from membar.program.expr import FALSE, Address, Constant, equals
from membar.program.operations import Assume, Store
from membar.program.program import Edge, MemoryObject, Thread

ONLY_SC = frozenset({"SC-ONLY"})


def legacy_thread(rules: Rules, process: Process, objects: tuple[MemoryObject, ...]) -> Thread:
    """The thread of a process: one control point, as memory says where it is.

    Raises:
        InputError: it has what cannot be reset this way.
    """
    for word in process.tree.committed:
        raise error("W1005", "`commit` with legacy run-time errors", word.span, "not supported")
    edges: list[Edge] = []
    for transition in process.tree.transitions:
        if transition.sync is not None:  # a run-time error in a step of two ends the run
            edges.append(_edge(rules, process, transition, _code(rules, Checks.FAIL)))
            continue
        edges.append(_edge(rules, process, transition, _code(rules, Checks.WAIT)))
        failing = _code(rules, Checks.NOTE)
        edge = _edge(rules, process, transition, failing, resets=objects)
        if failing.noted_error is not None:
            edges.append(edge)
    return Thread(name=process.name, entry=0, edges=tuple(edges), span=process.tree.span)


def _code(rules: Rules, checks: Checks) -> Code:
    return Code(rules.scope, checks=checks, tags=ONLY_SC)


def _edge(
    rules: Rules,
    process: Process,
    transition: x.Transition,
    code: Code,
    resets: tuple[MemoryObject, ...] = (),
) -> Edge:
    here = Constant(process.states[transition.source])
    code.operations.append(Assume(equals(code.location(process), here), waits=True))
    code.enter(process, transition.source)
    code.guard(transition.guard)
    do_transition(code, rules, process, transition)
    if (bad := code.noted_error) is not None:
        code.operations.append(Assume(bad, waits=True))
        _reset(code, rules, resets)
    return Edge(
        source=0,
        target=0,
        guard=conjunction(code.guards),
        operations=code.finish(),
        span=transition.span,
    )


def _reset(code: Code, rules: Rules, objects: tuple[MemoryObject, ...]) -> None:
    first = rules.scope.processes[0]
    for item in objects:
        for index in range(item.count):
            place = Address(item.name, index * item.size)
            value = Constant(len(first.states)) if item.name == first.state_object else FALSE
            code.operations.append(Store(address=place, value=value, size=item.size, tags=ONLY_SC))


def legacy_process_points(processes: list[Process]) -> ProcessPoints:
    """Memory says where the processes are."""
    return ProcessPoints(
        threads={process.name: number for number, process in enumerate(processes)}, points={}
    )
