"""Release/acquire: what it allows, and that written orders do not matter except on fences."""

from __future__ import annotations

import pytest

from membar.models.model import Model
from unit.models.c11 import allows, explored, model, outcomes, without


@pytest.fixture(scope="module")
def ra() -> Model:
    return model("ra")


@pytest.mark.parametrize("write", ["rlx", "rel", "sc"])
@pytest.mark.parametrize("read", ["rlx", "con", "acq", "sc"])
@pytest.mark.parametrize(
    ("shape", "condition", "is_allowed"),
    [
        ("w.{0} x 1; r.{1} y | w.{0} y 1; r.{1} x", "0:r1=0 /\\ 1:r1=0", True),
        ("w.{0} x 1; w.{0} y 1 | r.{1} y; r.{1} x", "1:r0=1 /\\ 1:r1=0", False),
        ("r.{1} x; w.{0} y 1 | r.{1} y; w.{0} x 1", "0:r0=1 /\\ 1:r0=1", False),
        ("w.{0} x 1; w.{0} y 2 | w.{0} y 1; w.{0} x 2", "x=1 /\\ y=1", True),
        ("w.{0} x 1 | r.{1} x; w.{0} y 1 | r.{1} y; r.{1} x", "1:r0=1 /\\ 2:r0=1 /\\ 2:r1=0", False),
        ("w.{0} x 1; w.{0} y 1 | w.{0} y 2; r.{1} x", "y=2 /\\ 1:r1=0", True),
        ("w.{0} x 1; w.{0} x 2 | r.{1} x; r.{1} x", "1:r0=2 /\\ 1:r1=1", False),
    ],
)
def test_the_order_of_an_access_does_not_matter(
    shape: str, condition: str, write: str, read: str, ra: Model, *, is_allowed: bool
) -> None:
    assert allows(shape.format(write, read), condition, ra) is is_allowed


@pytest.mark.parametrize(
    ("threads", "condition", "is_allowed"),
    [
        ("w.rel x 1 | w.rel y 1 | r.acq x; r.acq y | r.acq y; r.acq x",
         "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0", True),
        ("w.rel x 1; f.sc; r.acq y | w.rel y 1; f.sc; r.acq x", "0:r2=0 /\\ 1:r2=0", False),
        ("w.rel x 1; f.ar; r.acq y | w.rel y 1; f.ar; r.acq x", "0:r2=0 /\\ 1:r2=0", True),
        ("w.rel x 1; f.sc; r.acq y | w.rel y 1; r.acq x", "0:r2=0 /\\ 1:r1=0", True),
        ("w.rel x 1; x.ar z 1; r.acq y | w.rel y 1; x.ar z 2; r.acq x", "0:r2=0 /\\ 1:r2=0", False),
        ("a.ar x | a.ar x", "0:r0=0 /\\ 1:r0=0", False),
        ("a.rlx x | w.rlx x 5", "0:r0=0 /\\ x=1", False),
    ],
)  # fmt: skip
def test_fences_and_atomicity(threads: str, condition: str, ra: Model, *, is_allowed: bool) -> None:
    assert allows(threads, condition, ra) is is_allowed


FENCED = [
    ("w.rel x 1; {0}; r.acq y | w.rel y 1; {0}; r.acq x", "0:r2=0 /\\ 1:r2=0"),
    ("w.rel x 1; {0}; w.rel y 2 | w.rel y 1; {0}; w.rel x 2", "x=0 /\\ y=0"),
    ("w.rel x 1 | r.acq x; {0}; r.acq y | w.rel y 1; {0}; r.acq x", "1:r0=0 /\\ 1:r2=0 /\\ 2:r2=0"),
    ("w.rel x 1; {0}; w.rel y 1 | w.rel y 2; {0}; r.acq x", "y=0 /\\ 1:r2=0"),
    ("w.rel x 1 | w.rel y 1 | r.acq x; {0}; r.acq y | r.acq y; {0}; r.acq x",
     "2:r0=0 /\\ 2:r2=0 /\\ 3:r0=0 /\\ 3:r2=0"),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "observed"), FENCED)
def test_an_sc_fence_is_a_read_modify_write_of_one_extra_location(
    shape: str, observed: str, ra: Model
) -> None:
    fenced = outcomes(shape.format("f.sc"), observed, ra)
    assert fenced == outcomes(shape.format("a.ar z"), observed, ra)
    assert fenced < outcomes(shape.format("f.ar"), observed, ra)


@pytest.mark.parametrize(("shape", "observed"), FENCED)
@pytest.mark.parametrize("fence", ["f.sc", "f.ar", "a.ar z"])
def test_it_is_rc11_where_everything_is_release_and_acquire(
    shape: str, observed: str, fence: str, ra: Model
) -> None:
    threads = shape.format(fence)
    assert outcomes(threads, observed, ra) == outcomes(threads, observed, model("rc11"))


@pytest.mark.parametrize(
    ("axiom", "threads", "condition"),
    [
        ("coherence", "w.rel x 1; w.rel y 1 | r.acq y; r.acq x", "1:r0=1 /\\ 1:r1=0"),
        ("atomicity", "a.ar x | w.rel x 5", "0:r0=0 /\\ x=1"),
        ("fences", "w.rel x 1; f.sc; r.acq y | w.rel y 1; f.sc; r.acq x", "0:r2=0 /\\ 1:r2=0"),
        ("no-thin-air", "r x; w y 1 | r y; w x 1", "0:r0=1 /\\ 1:r0=1"),
    ],
)
def test_each_axiom_is_the_reason_for_something(axiom: str, threads: str, condition: str, ra: Model) -> None:
    assert not allows(threads, condition, ra)
    assert allows(threads, condition, without("ra", axiom))


@pytest.mark.parametrize(
    ("threads", "races"),
    [
        ("w x 1 | r x", True),
        ("w x 1 | r.rlx x", True),
        ("w.rlx x 1 | r.rlx x", False),
        ("w x 1; w.rlx y 1 | {int # = atomic_load_explicit(y, memory_order_relaxed); if (#) *x = 2;}", False),
        ("w x 1; w y 1 | {int # = *y; if (#) *x = 2;}", True),
    ],
)
def test_plain_accesses_do_not_synchronise_and_can_race(threads: str, ra: Model, *, races: bool) -> None:
    assert ("data-race" in explored(threads, "x=0", ra).flags) is races


def test_both_models_are_language_models_with_a_title() -> None:
    for name in ("ra", "rc11"):
        assert model(name).language_model
        assert model(name).title.endswith(".")
        assert model(name).tags >= {"RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"}
