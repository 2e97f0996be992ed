"""Reduces automata: removes states that cannot accept, and merges equivalent ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from membar.properties.ltl.automaton import Automaton, Label, Transition
from membar.records import replace


def reduce(automaton: Automaton) -> Automaton:
    """An automaton with the same language, without useless or duplicate states."""
    while True:
        smaller = _merge_states(_useful(_without_doubles(automaton)))
        if smaller.states == automaton.states and len(smaller.transitions) == len(automaton.transitions):
            return smaller
        automaton = smaller


def components(states: Iterable[int], following: Mapping[int, Sequence[int]]) -> list[frozenset[int]]:
    """The strongly connected components of a graph (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[frozenset[int]] = []
    for root in states:
        if root in index:
            continue
        work = [(root, iter(following[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            state, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(following[target])))
                    break
                if target in on_stack:
                    low[state] = min(low[state], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == index[state]:
                    component: set[int] = set()
                    while not component or state not in component:
                        component.add(stack.pop())
                    on_stack -= component
                    found.append(frozenset(component))
    return found


def _useful(automaton: Automaton) -> Automaton:
    """Only reachable states from which something is accepted; marks only where they can count."""
    following = {
        state: [step.target for step in automaton.leaving[state]] for state in range(automaton.states)
    }
    everything = frozenset(range(automaton.sets))
    good: set[int] = set()
    home: dict[int, int] = {}
    for number, component in enumerate(components(range(automaton.states), following)):
        home |= dict.fromkeys(component, number)
        inside = [
            step for state in component for step in automaton.leaving[state] if step.target in component
        ]
        if inside and frozenset().union(*(step.marks for step in inside)) == everything:
            good |= component
    leads = set(good)
    while True:
        more = {state for state in range(automaton.states) if leads.intersection(following[state])} - leads
        if not more:
            break
        leads |= more
    # On a way that never comes back no mark counts.
    transitions = [
        step
        if home[step.source] == home[step.target] and step.source in good
        else replace(step, marks=frozenset())
        for step in automaton.transitions
        if step.source in leads and step.target in leads
    ]
    return _reachable_part(automaton, transitions)


def _reachable_part(automaton: Automaton, transitions: Sequence[Transition]) -> Automaton:
    numbers = {0: 0}
    todo = [0]
    while todo:
        state = todo.pop(0)
        for step in transitions:
            if step.source == state and step.target not in numbers:
                numbers[step.target] = len(numbers)
                todo.append(step.target)
    renamed = [
        replace(step, source=numbers[step.source], target=numbers[step.target])
        for step in transitions
        if step.source in numbers
    ]
    names = tuple(automaton.names[state] for state in numbers) if automaton.names else ()
    return replace(automaton, states=len(numbers), transitions=_sort_transitions(renamed), names=names)


def _merge_states(automaton: Automaton) -> Automaton:
    """Merges states with the same transitions."""
    doubles: dict[frozenset[tuple[int, Label, frozenset[int]]], int] = {}
    stands_for: dict[int, int] = {}
    for state in range(automaton.states):
        key = frozenset((step.target, step.label, step.marks) for step in automaton.leaving[state])
        stands_for[state] = doubles.setdefault(key, state)
    transitions = [
        replace(step, target=stands_for[step.target])
        for step in automaton.transitions
        if stands_for[step.source] == step.source
    ]
    if stands_for[0] != 0:
        raise AssertionError("the first state stands for itself")
    return _reachable_part(automaton, transitions)


def _without_doubles(automaton: Automaton) -> Automaton:
    """Removes transitions that another one subsumes: at least the same letters and marks."""
    kept = []
    for state in range(automaton.states):
        steps = list(dict.fromkeys(automaton.leaving[state]))
        for number, step in enumerate(steps):
            is_covered = any(
                other.target == step.target
                and other.label.includes(step.label)
                and other.marks >= step.marks
                and position != number
                for position, other in enumerate(steps)
            )
            if not is_covered:
                kept.append(step)
    return replace(automaton, transitions=_sort_transitions(kept))


def _sort_transitions(transitions: Iterable[Transition]) -> tuple[Transition, ...]:
    def order(step: Transition) -> tuple[int, int, list[int], list[int], list[int]]:
        label = step.label
        return step.source, step.target, sorted(label.positive), sorted(label.negative), sorted(step.marks)

    return tuple(sorted(dict.fromkeys(transitions), key=order))
