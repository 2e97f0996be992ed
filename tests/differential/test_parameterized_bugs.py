"""Every deliberate mistake changes the answer about a system whose answer is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.mutation import Rewrite, planted
from differential.parameterized_bugs import BUGS
from differential.test_known_systems import breaks_with, system_of
from membar.certificates.check import certify
from strategies.known_systems import SYSTEMS
from strategies.naive_cubes import search
from strategies.tampering import tampered


def is_noticed() -> str | None:
    """The first system whose answer is another one than it should be."""
    for known in SYSTEMS:
        system = system_of(known)
        verdict, cubes = search(system, nodes=40)
        right = "safe" if known.breaks_with is None else "unsafe"
        if verdict != right or (verdict == "safe" and certify(system, cubes).problem is not None):
            return known.name
        if breaks_with(system) != known.breaks_with:
            return known.name
        if known.name == "flags with a fence":
            if any(certify(system, changed).problem is None for changed in tampered(cubes, 2)):
                return "a proof that says too much"
    return None


def test_without_mistakes_nothing_is_noticed() -> None:
    assert is_noticed() is None


@pytest.mark.parametrize(("name", "bug"), BUGS, ids=[name for name, _ in BUGS])
def test_a_mistake_is_noticed(name: str, bug: Rewrite, tmp_path: Path) -> None:
    del name
    with planted(bug, tmp_path):
        try:
            noticed = is_noticed()
        except Exception as problem:  # a crash is noticed too
            noticed = repr(problem)
    assert noticed is not None
