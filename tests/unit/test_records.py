"""Records: frozen for the type checker, quick to make, and hashed as if they were frozen."""

from __future__ import annotations

import subprocess
import sys

from membar.program.expr import Constant
from membar.program.program import Edge
from membar.records import record

_THAWED = "from membar.program.expr import Constant; one = Constant(1); one.value = 2; print(one.value)"


@record(frozen=True, slots=True)
class _Hashed:
    value: int

    def __hash__(self) -> int:
        return 7


@record(frozen=True, slots=True, eq=False)
class _Itself:
    value: int


def test_equal_records_have_equal_hashes_and_what_does_not_count_does_not_count() -> None:
    assert hash(Constant(1)) == hash(Constant(1))
    assert {Edge(source=0, target=1), Edge(source=0, target=1, span=None)} == {Edge(source=0, target=1)}
    assert Edge(source=0, target=1) != Edge(source=0, target=2)


def test_own_hashes_and_identity_are_kept() -> None:
    assert hash(_Hashed(1)) == 7
    assert _Hashed(1) == _Hashed(1)
    assert _Itself(1) != _Itself(1)
    assert len({_Itself(1), _Itself(1)}) == 2


def test_development_mode_freezes_them() -> None:
    plain = subprocess.run([sys.executable, "-c", _THAWED], capture_output=True, text=True, check=False)
    strict = subprocess.run(
        [sys.executable, "-X", "dev", "-c", _THAWED], capture_output=True, text=True, check=False
    )
    assert plain.stdout == "2\n"
    assert "FrozenInstanceError" in strict.stderr
