"""Hypothesis strategies over the random programs of `membar models test`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from membar.program.program import Program
from membar.questions.model_tests.programs import (
    AARCH64,
    ARMV7,
    C11,
    FEATURES,
    KERNEL,
    LOCATIONS,
    PLAIN,
    POWER,
    RISCV,
    SIZE,
    SMALL,
    X86,
    Features,
    Plan,
    Size,
    observed_terms,
    program_of_plans,
    program_of_seed,
    shared_accesses,
)

__all__ = [
    "AARCH64",
    "ARMV7",
    "BARE",
    "C11",
    "FEATURES",
    "KERNEL",
    "LOCATIONS",
    "PLAIN",
    "POWER",
    "RISCV",
    "SIZE",
    "SMALL",
    "X86",
    "Features",
    "Plan",
    "Size",
    "observed_terms",
    "program_of_plans",
    "program_of_seed",
    "programs",
    "sample",
    "share_with_weak_outcomes",
    "shared_accesses",
]

# Loads and stores with nothing but data between them: what every model has a meaning for.
BARE = Features(dependencies=False, branches=False)


def sample(count: int, features: Features = PLAIN, *, size: Size = SMALL) -> tuple[Program, ...]:
    """The first `count` random programs: always the same ones."""
    return tuple(program_of_seed(seed, features, size=size) for seed in range(count))


def programs(features: Features = PLAIN, *, size: Size = SMALL) -> SearchStrategy[Program]:
    """Random programs with these features.

    Hypothesis draws the seed only. Its own choices would mostly be the simplest ones, and the simplest
    accesses all read x; so small a program needs no shrinking.
    """
    return st.integers(0, 2**32 - 1).map(lambda seed: program_of_seed(seed, features, size=size))


def share_with_weak_outcomes(
    sample: Iterable[Program],
    weak: Callable[[Program], frozenset[object]],
    sc: Callable[[Program], frozenset[object]],
) -> float:
    """The share of programs that have, under the weak reading, a final state that sc forbids."""
    found = [bool(weak(program) - sc(program)) for program in sample]
    return sum(found) / len(found)
