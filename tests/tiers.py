"""What `make test` runs of a long list, and what only `make test-all` (`pytest --full`) runs.

`make test` takes models that differ in kind, and the first of many rounds; the rest is marked `full`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")

# Whether this is `make test-all`; `conftest.py` says so before tests are collected.
IS_FULL = False

# One of each kind: sequential, store buffers, multi-copy atomic, not so, language, kernel.
QUICK_MODELS = frozenset({"sc", "x86-tso", "armv8", "power", "rc11", "lkmm"})


def models(names: Iterable[str], *, quick: Iterable[str] = QUICK_MODELS) -> list[object]:
    """Parameters for models: those that are not quick are marked `full`."""
    chosen = frozenset(quick)
    return [name if name in chosen else only_full(name) for name in names]


def first(number: int, values: Iterable[T]) -> list[object]:
    """Parameters of which only the first ones belong to `make test`."""
    return [value if place < number else only_full(value) for place, value in enumerate(values)]


def every(step: int, values: Iterable[T]) -> list[object]:
    """Parameters of which only every so many-th one belongs to `make test`."""
    return [value if place % step == 0 else only_full(value) for place, value in enumerate(values)]


def rows(step: int, table: Iterable[tuple[object, ...]]) -> list[object]:
    """Rows of a table, one value for each parameter: every so many-th one belongs to `make test`."""
    return [
        pytest.param(*row, marks=() if place % step == 0 else pytest.mark.full)
        for place, row in enumerate(table)
    ]


def size(number: int) -> int:
    """How many random programs a test tries: all in `make test-all`, in `make test` a fortieth, but two."""
    return number if IS_FULL else max(2, number // 40)


def some(values: Iterable[T]) -> Iterable[T]:
    """What a test tries of many random programs: all in `make test-all`, every fortieth in `make test`."""
    return islice(values, 0, None, 1 if IS_FULL else 40)


def each_verdict(cases: Iterable[tuple[Path, str, str]], *, step: int = 1) -> list[object]:
    """Examples with model and verdict: `make test` takes one model for every so many-th verdict of a file.

    Most files name the model of their language first and that of a processor last: it is the first of one
    file, and the last of the next.
    """
    by_verdict: dict[tuple[Path, str], list[str]] = {}
    for path, model, verdict in cases:
        by_verdict.setdefault((path, verdict), []).append(model)
    return [
        pytest.param(
            path, model, verdict, marks=() if place % step == 0 and model == quick else pytest.mark.full
        )
        for place, ((path, verdict), models) in enumerate(by_verdict.items())
        for quick in (models[0 if place // step % 2 == 0 else -1],)
        for model in models
    ]


def all_but(slow: T, values: Iterable[T]) -> list[object]:
    """Parameters of which one belongs to `make test-all`."""
    return [only_full(value) if value == slow else value for value in values]


def only_full(value: object) -> object:
    """A parameter for `make test-all`."""
    return pytest.param(value, marks=pytest.mark.full)
