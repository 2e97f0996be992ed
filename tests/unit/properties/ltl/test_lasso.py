"""What is true of runs that repeat: `until` and `release` by their definitions, position by position."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from time import process_time

from membar.program import temporal as t
from membar.properties.ltl.lasso import Lasso, holds
from strategies.formulas import ATOMS, lasso, letter

P, Q = ATOMS[0], ATOMS[1]


def positions(run: Lasso) -> Iterator[int]:
    """Every position from the first on, the cycle twice: what happens at all has happened by then."""
    position = 0
    for _ in range(len(run.prefix) + 2 * len(run.cycle)):
        yield position
        position = run.following(position)


def until(run: Lasso) -> bool:
    for position in positions(run):
        if Q in run.letters[position]:
            return True
        if P not in run.letters[position]:
            return False
    return False


def release(run: Lasso) -> bool:
    for position in positions(run):
        if Q not in run.letters[position]:
            return False
        if P in run.letters[position]:
            return True
    return True


def test_until_and_release_mean_what_they_say() -> None:
    random = Random(5)
    seen = set()
    for _ in range(2000):
        run = lasso(random)
        answers = until(run), release(run)
        assert (
            holds(t.Until(t.Atom(P), t.Atom(Q)), run),
            holds(t.Release(t.Atom(P), t.Atom(Q)), run),
        ) == answers
        seen.add(answers)
    assert len(seen) == 3  # what is released holds at once, so that an until holds too


def test_again_and_again_is_asked_of_every_position_of_the_cycle() -> None:
    random = Random(6)
    for _ in range(500):
        run = lasso(random)
        assert holds(t.globally(t.finally_(t.Atom(P))), run) is any(P in letter for letter in run.cycle)
        assert holds(t.finally_(t.globally(t.Atom(P))), run) is all(P in letter for letter in run.cycle)


def test_a_long_run_is_judged_in_a_moment() -> None:
    random = Random(7)
    run = Lasso(
        tuple(letter(random) for _ in range(20_000)),
        (*(frozenset({Q}) for _ in range(20_000)), frozenset({P})),
    )
    begun = process_time()
    assert holds(t.globally(t.finally_(t.Atom(P))), run)
    assert not holds(t.finally_(t.globally(t.Atom(Q))), run)
    assert process_time() - begun < 5  # it was hours when every position was gone through for every other


def test_operators_of_the_past_mean_what_they_say() -> None:
    """By definition, at every position of a run that is written out far enough."""
    random = Random(8)
    formulas = {
        "Y": t.Previous(t.Atom(P)),
        "Z": t.weak_previous(t.Atom(P)),
        "O": t.once(t.Atom(P)),
        "H": t.historically(t.Atom(P)),
        "S": t.Since(t.Atom(P), t.Atom(Q)),
        "T": t.triggered(t.Atom(P), t.Atom(Q)),
    }
    seen = set()
    for _ in range(300):
        run = lasso(random)
        position = random.randint(0, 12)
        letters = run.prefix + 13 * run.cycle
        now = letters[: position + 1]
        since = [Q in now[j] and all(P in later for later in now[j + 1 :]) for j in range(position + 1)]
        triggered = [Q in now[j] or any(P in later for later in now[j + 1 :]) for j in range(position + 1)]
        expected = {
            "Y": position > 0 and P in now[-2],
            "Z": position == 0 or P in now[-2],
            "O": any(P in item for item in now),
            "H": all(P in item for item in now),
            "S": any(since),
            "T": all(triggered),
        }
        for name, formula in formulas.items():
            later = formula
            for _ in range(position):
                later = t.Next(later)
            assert holds(later, run) is expected[name], (name, position, run)
            seen.add((name, expected[name]))
    assert len(seen) == 2 * len(formulas)
