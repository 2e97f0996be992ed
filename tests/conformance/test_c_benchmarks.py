"""The parametric C programs have as many executions as their closed forms say."""

from __future__ import annotations

import importlib.util
from math import comb, factorial
from pathlib import Path
from types import ModuleType

import pytest

import membar
import tiers

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "c"


def runner() -> ModuleType:
    """The script that runs them."""
    spec = importlib.util.spec_from_file_location("c_benchmarks", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Closed forms, and for the others what GenMC and Nidhugg agree on.
COUNTS = [
    ("readers", 6, "rc11", 2**6),
    ("readers", 6, "imm", 2**6),
    ("ainc", 5, "rc11", factorial(5)),
    ("nwriters", 5, "rc11", factorial(5)),
    ("sbring", 6, "rc11", 2**6),
    ("sbring", 6, "sc", 2**6 - 1),
    ("sbring", 6, "x86-tso", 2**6),
    ("coher", 5, "rc11", comb(10, 5)),
    ("storeload", 3, "rc11", factorial(3) ** 2),
    ("storeload", 3, "sc", factorial(3) ** 2),
    ("mpchain", 6, "rc11", 7),
    ("indexer", 12, "rc11", 8),
    ("casrot", 6, "rc11", 144),
    ("casrot", 7, "sc", 523),
    ("lastzero", 6, "rc11", 9 * 2**4),
    ("ticket", 4, "rc11", factorial(4)),
    ("mutex", 4, "rc11", factorial(4)),
    ("mcs", 3, "rc11", 66),
    ("treiber", 3, "rc11", 270),
    ("msqueue", 2, "rc11", 16),
    ("lamport", 3, "sc", 897),
    ("lamport", 3, "x86-tso", 897),
    ("fib", 3, "sc", 1698),
    ("fib", 3, "rc11", 2258),
    ("dekker", 3, "rc11", 1833),
    ("szymanski", 2, "sc", 1522),
    ("peterson", 3, "rc11", 2448),
    ("big0", 2, "rc11", 8112),
]


@pytest.mark.parametrize(("program", "size", "model", "count"), tiers.rows(2, COUNTS))
def test_a_program_has_its_number_of_executions(program: str, size: int, model: str, count: int) -> None:
    found, _ = runner().executions(program, size, model)
    assert found == count


def test_lamport_is_violated_under_rc11() -> None:
    assert membar.check(FOLDER / "lamport.c", model="rc11", defines=("N=3",)).verdict == "violated"
