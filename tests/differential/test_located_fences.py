"""Fences that name a location (grace periods of SRCU) are in `loc` whatever the size of the program."""

from __future__ import annotations

import random

import pytest

import membar
import tiers
from membar.questions.task import Limits
from membar.source import SourceFile

_PADDING = 6  # writes that make the program large, so that the search is chosen with care


def _statements(generator: random.Random, thread: int) -> list[str]:
    """Grace periods and perhaps a critical section of SRCU, among writes: no load can be buffered."""
    lines = [generator.choice(("WRITE_ONCE(*x, 1);", "WRITE_ONCE(*y, 2);", "synchronize_srcu(s);"))]
    lines.insert(generator.randint(0, 1), "synchronize_srcu(s);")
    if generator.random() < 0.6:
        begin = generator.randint(0, len(lines) - 1)
        end = generator.randint(begin + 1, len(lines))
        lines.insert(end, f"srcu_read_unlock(s, i{thread});")
        lines.insert(begin, f"int i{thread} = srcu_read_lock(s);")
    return lines


def _text(seed: int) -> str:
    generator = random.Random(seed)
    bodies = [_statements(generator, thread) for thread in range(2)]
    padding = [f"WRITE_ONCE(*z{number % 2}, {number + 1});" for number in range(_PADDING)]
    threads = [*bodies, ["WRITE_ONCE(*y, 1);", *padding, "int r2 = READ_ONCE(*x);"]]
    parameters = "int *x, int *y, int *z0, int *z1, struct srcu_struct *s"
    shown = "\n".join(
        f"P{n}({parameters})\n{{\n  " + "\n  ".join(body) + "\n}" for n, body in enumerate(threads)
    )
    return f"C srcu{seed}\n{{}}\n{shown}\nexists (2:r2=0)\n"


@pytest.mark.parametrize("seed", tiers.every(3, range(24)))
def test_grace_periods_mean_the_same_in_both_engines(seed: int) -> None:
    source = SourceFile(f"srcu{seed}.litmus", _text(seed))
    expected, found = (
        membar.check(
            source, model="lkmm", engine=engine, properties=(), limits=Limits(seconds=60)
        ).outcome.run
        for engine in ("reference", "graphs")
    )
    assert found.outcomes == expected.outcomes
    assert found.statistics.executions == expected.statistics.executions


def test_some_of_these_programs_have_executions_and_some_have_none() -> None:
    counts = [
        membar.check(SourceFile("t.litmus", _text(seed)), model="lkmm", properties=()).outcome.run.statistics
        for seed in range(24)
    ]
    assert any(item.executions for item in counts)
    assert any(not item.executions for item in counts)
