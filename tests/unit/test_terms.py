"""Terms of which there is one object each: equal ones are the same, also after a copy."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

from membar.systems.terms import BOOL, Access, Constructor, Enumeration, ProcessConstant, ProcessVariable

_FREEZES = "from membar.systems.terms import ProcessVariable as P; P('a').name = 'b'"


def test_equal_terms_are_the_same_object() -> None:
    other = Enumeration("bool", ("False", "True", "Maybe"))
    assert ProcessVariable("p") is ProcessVariable("p")
    assert ProcessVariable("p") != ProcessVariable("q")
    assert ProcessConstant(1) is ProcessConstant(1)
    assert ProcessConstant(1) != ProcessConstant(2)
    assert Constructor(BOOL, "True") is Constructor(Enumeration("bool", ("False", "True")), "True")
    assert Constructor(BOOL, "True") != Constructor(BOOL, "False")
    assert Constructor(BOOL, "True") != Constructor(other, "True")
    assert Access("x", (ProcessVariable("p"),)) == Access("x", (ProcessVariable("p"),))


def test_copies_are_the_same_object_too() -> None:
    for one in (ProcessVariable("p"), ProcessConstant(3), Constructor(BOOL, "True")):
        assert pickle.loads(pickle.dumps(one)) is one
        assert copy.copy(one) is one
        assert copy.deepcopy(one) is one
    cell = Access("x", (ProcessVariable("p"),), ProcessConstant(1))
    assert pickle.loads(pickle.dumps(cell)) == cell


def test_development_mode_freezes_them() -> None:
    found = subprocess.run([sys.executable, "-X", "dev", "-c", _FREEZES], capture_output=True, check=False)
    assert b"FrozenInstanceError" in found.stderr
