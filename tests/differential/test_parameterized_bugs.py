"""Every deliberate mistake changes the answer about a system whose answer is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.mutation import Rewrite, planted
from differential.parameterized_bugs import BUGS
from differential.test_known_systems import breaks_with, system_of
from membar.certificates.check import certify
from strategies.known_systems import SYSTEMS, Known
from strategies.naive_cubes import search
from strategies.tampering import tampered

BY_NAME = {known.name: known for known in SYSTEMS}
TAMPERED = "flags with a fence"


def is_noticed(known: Known) -> bool:
    """Whether the answer about a system is another one than it should be."""
    system = system_of(known)
    if breaks_with(system) != known.breaks_with:
        return True
    verdict, cubes = search(system, nodes=40)
    if verdict != ("safe" if known.breaks_with is None else "unsafe"):
        return True
    if verdict == "safe" and certify(system, cubes).problem is not None:
        return True
    return known.name == TAMPERED and any(
        certify(system, changed).problem is None for changed in tampered(cubes)
    )


@pytest.mark.parametrize("name", sorted({name for _, name, _ in BUGS}))
def test_without_mistakes_nothing_is_noticed(name: str) -> None:
    assert not is_noticed(BY_NAME[name])


@pytest.mark.parametrize(("name", "caught_by", "bug"), BUGS, ids=[name for name, _, _ in BUGS])
def test_a_mistake_is_noticed(name: str, caught_by: str, bug: Rewrite, tmp_path: Path) -> None:
    del name
    with planted(bug, tmp_path):
        try:
            noticed = is_noticed(BY_NAME[caught_by])
        except KeyError:  # a literal about an event that is gone
            noticed = True
    assert noticed
