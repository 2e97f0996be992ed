"""The search for linearizations, and that for the orders which leave none, against brute force."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random

import pytest

from membar.objects.history import Call, History, Order, is_cyclic, program_order, transitive_closure
from membar.objects.linearize import linearizations, verdict
from membar.objects.orders import least_excluding
from membar.objects.spec import SHIPPED, Specification

OPERATIONS = {
    "Register": (("read", 0), ("write", 1)),
    "Counter": (("read", 0), ("increment", 0)),
    "Stack": (("push", 1), ("pop", 0)),
    "Queue": (("enqueue", 1), ("dequeue", 0)),
    "Queue1": (("enqueue", 1), ("dequeue", 0)),
    "Set": (("add", 1), ("remove", 1), ("contains", 1)),
    "Lock": (("acquire", 0), ("try_acquire", 0), ("release", 0)),
    "SnapshotPair": (("write", 2), ("read", 0)),
}


def random_history(random: Random, name: str, *, threads: int = 2, calls: int = 4) -> History:
    """Calls whose results are often, but not always, those of some order of the calls."""
    instance = SHIPPED[name]()
    made: list[tuple[int, Call]] = []
    for number in range(calls):
        operation, arguments = random.choice(OPERATIONS[name])
        inputs = tuple(random.randint(1, 2) for _ in range(arguments))
        try:
            result = getattr(instance, operation)(*inputs)
        except Exception:
            made.append((number, Call(thread=0, operation=operation, arguments=inputs, pending=True)))
            continue
        if result is not None and random.random() < 0.3:
            result = (
                (random.randint(0, 2),) * len(result) if isinstance(result, tuple) else random.randint(-1, 2)
            )
        call = Call(thread=0, operation=operation, arguments=inputs, result=result)
        if random.random() < 0.15:
            call = Call(thread=0, operation=operation, arguments=inputs, pending=True)
        made.append((number, call))
    random.shuffle(made)
    by_thread: list[list[Call]] = [[] for _ in range(threads)]
    for _, call in made:
        by_thread[random.randrange(threads)].append(call)
    found: list[Call] = []
    for thread, mine in enumerate(by_thread):
        ended = False
        for call in mine:
            found.append(
                Call(
                    thread=thread,
                    operation=call.operation,
                    arguments=call.arguments,
                    result=call.result,
                    pending=call.pending or ended,
                    made=not ended,
                )
            )
            ended = ended or call.pending
    return History(tuple(found), random_order(random, found))


def random_order(random: Random, calls: list[Call]) -> Order:
    """An order that contains that of the threads."""
    order = program_order(call.thread for call in calls)
    for _ in range(random.randint(0, 3)):
        pair = (random.randrange(len(calls)), random.randrange(len(calls)))
        extended = transitive_closure({*order, pair})
        if not is_cyclic(extended) and not calls[pair[0]].pending:
            order = extended
    return order


def brute_force(history: History, name: str) -> bool:
    """Whether some subset of the pending calls, with all others, in some order, runs on the class itself."""
    made = [number for number, call in enumerate(history.calls) if call.made]
    needed = {number for number in made if not history.calls[number].pending}
    optional = [number for number in made if number not in needed]
    for size in range(len(optional) + 1):
        for chosen in combinations(optional, size):
            for line in permutations(sorted({*needed, *chosen})):
                at = {call: place for place, call in enumerate(line)}
                # A call that takes effect comes after all that returned before it was made.
                is_ordered = all(
                    b not in at or (a in at and at[a] < at[b]) or (a not in at and history.calls[a].pending)
                    for a, b in history.before
                )
                if is_ordered and runs(history, line, name):
                    return True
    return False


def runs(history: History, line: tuple[int, ...], name: str) -> bool:
    instance = SHIPPED[name]()
    for number in line:
        call = history.calls[number]
        try:
            result = getattr(instance, call.operation)(*call.arguments)
        except Exception:
            return False
        if not call.pending and result != call.result:
            return False
    return True


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_the_search_agrees_with_brute_force(name: str) -> None:
    random = Random(name)
    specification = Specification(SHIPPED[name])
    seen = {True: 0, False: 0}
    for _ in range(150):
        history = random_history(random, name, threads=random.choice((2, 3)), calls=random.randint(2, 5))
        expected = brute_force(history, name)
        found = verdict(history, specification)
        assert found.linearizable == expected, history
        assert expected == any(True for _ in linearizations(history, specification))
        assert len(found.steps) <= len(history.calls)
        seen[expected] += 1
    assert min(seen.values()) >= 15


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_the_longest_prefix_runs_and_no_call_goes_on(name: str) -> None:
    random = Random(f"prefix {name}")
    specification = Specification(SHIPPED[name])
    for _ in range(60):
        history = random_history(random, name)
        found = verdict(history, specification)
        assert runs(history, tuple(step.call for step in found.steps), name)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_a_history_is_linearizable_unless_its_order_contains_an_excluding_one(name: str) -> None:
    random = Random(f"orders {name}")
    specification = Specification(SHIPPED[name])
    seen = {True: 0, False: 0}
    for _ in range(60):
        history = random_history(random, name, threads=random.choice((2, 3)))
        ordered = program_order(call.thread for call in history.calls)
        free = History(history.calls, ordered)
        least = least_excluding(linearizations(free, specification), ordered)
        for _ in range(6):
            order = random_order(random, list(history.calls))
            expected = verdict(History(history.calls, order), specification).linearizable
            assert expected == (not any(item <= order for item in least))
            seen[expected] += 1
    assert min(seen.values()) >= 15


def test_no_excluding_order_contains_another() -> None:
    random = Random(7)
    specification = Specification(SHIPPED["Queue"])
    for _ in range(60):
        history = random_history(random, "Queue")
        ordered = program_order(call.thread for call in history.calls)
        least = least_excluding(linearizations(History(history.calls, ordered), specification), ordered)
        assert not any(a < b for a in least for b in least)
