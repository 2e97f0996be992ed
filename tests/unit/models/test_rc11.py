"""RC11 on the shapes that its definition turns on."""

from __future__ import annotations

import pytest

from membar.models.model import Model
from unit.models.c11 import allows, explored, model, without

SB = ("0:r1=0 /\\ 1:r1=0", "w.{0} x 1; r.{1} y | w.{0} y 1; r.{1} x")
MP = ("1:r0=1 /\\ 1:r1=0", "w.rlx x 1; w.{0} y 1 | r.{1} y; r.rlx x")
LB = ("0:r0=1 /\\ 1:r0=1", "r.{0} x; w.{1} y 1 | r.{0} y; w.{1} x 1")
IRIW = (
    "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0",
    "w.{0} x 1 | w.{0} y 1 | r.{1} x; r.{1} y | r.{1} y; r.{1} x",
)
WW = ("x=1 /\\ y=1", "w.{0} x 1; w.{1} y 2 | w.{0} y 1; w.{1} x 2")


@pytest.fixture(scope="module")
def rc11() -> Model:
    return model("rc11")


def shaped(shape: tuple[str, str], *orders: str) -> tuple[str, str]:
    condition, threads = shape
    return threads.format(*orders), condition


@pytest.mark.parametrize(
    ("shape", "orders", "is_allowed"),
    [
        (SB, ("rlx", "rlx"), True),
        (SB, ("rel", "acq"), True),
        (SB, ("sc", "acq"), True),
        (SB, ("sc", "sc"), False),
        (MP, ("rlx", "rlx"), True),
        (MP, ("rel", "rlx"), True),
        (MP, ("rlx", "acq"), True),
        (MP, ("rel", "acq"), False),
        (MP, ("rel", "con"), False),
        (MP, ("sc", "sc"), False),
        (LB, ("rlx", "rlx"), False),
        (LB, ("acq", "rel"), False),
        (IRIW, ("rlx", "rlx"), True),
        (IRIW, ("rel", "acq"), True),
        (IRIW, ("sc", "acq"), True),
        (IRIW, ("sc", "sc"), False),
        (WW, ("rlx", "rlx"), True),
        (WW, ("rel", "rel"), True),
        (WW, ("sc", "sc"), False),
    ],
)
def test_classic_shapes(
    shape: tuple[str, str], orders: tuple[str, str], rc11: Model, *, is_allowed: bool
) -> None:
    assert allows(*shaped(shape, *orders), rc11) is is_allowed


@pytest.mark.parametrize(
    ("threads", "condition", "is_allowed"),
    [
        # Fences on either side, or on both.
        ("w.rlx x 1; f.rel; w.rlx y 1 | r.rlx y; f.acq; r.rlx x", "1:r0=1 /\\ 1:r2=0", False),
        ("w.rlx x 1; f.rel; w.rlx y 1 | r.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0", False),
        ("w.rlx x 1; w.rel y 1 | r.rlx y; f.acq; r.rlx x", "1:r0=1 /\\ 1:r2=0", False),
        ("w.rlx x 1; f.con; w.rlx y 1 | r.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0", True),
        ("w.rlx x 1; f.acq; w.rlx y 1 | r.rlx y; f.rel; r.rlx x", "1:r0=1 /\\ 1:r2=0", True),
        ("w.rlx x 1; f.rlx; w.rlx y 1 | r.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0", True),
        ("w.rlx x 1; f.ar; w.rlx y 1 | r.rlx y; f.ar; r.rlx x", "1:r0=1 /\\ 1:r2=0", False),
        # Only SC fences keep store buffering away.
        ("w.rlx x 1; f.sc; r.rlx y | w.rlx y 1; f.sc; r.rlx x", "0:r2=0 /\\ 1:r2=0", False),
        ("w.rlx x 1; f.ar; r.rlx y | w.rlx y 1; f.ar; r.rlx x", "0:r2=0 /\\ 1:r2=0", True),
        ("w.rlx x 1; f.sc; r.rlx y | w.rlx y 1; r.rlx x", "0:r2=0 /\\ 1:r1=0", True),
        ("w.rlx x 1 | w.rlx y 1 | r.rlx x; f.sc; r.rlx y | r.rlx y; f.sc; r.rlx x",
         "2:r0=1 /\\ 2:r2=0 /\\ 3:r0=1 /\\ 3:r2=0", False),
        ("w.rlx x 1; f.sc; w.rlx y 2 | w.rlx y 1; f.sc; w.rlx x 2", "x=1 /\\ y=1", False),
        # Release sequences: later writes of the same thread, and read-modify-writes of any.
        ("w.rlx x 1; w.rel y 1; w.rlx y 2 | r.acq y; r.rlx x", "1:r0=2 /\\ 1:r1=0", False),
        ("w.rlx x 1; w.rel y 1 | a.rlx y | r.acq y; r.rlx x", "1:r0=1 /\\ 2:r0=2 /\\ 2:r1=0", False),
        ("w.rlx x 1; w.rel y 1 | a.rlx y | a.rlx y | r.acq y; r.rlx x", "3:r0=3 /\\ 3:r1=0", False),
        ("w.rlx x 1; w.rel y 1 | w.rlx y 2 | r.acq y; r.rlx x", "2:r0=2 /\\ 2:r1=0", True),
        # A read-modify-write acquires only with its read and releases only with its write.
        ("w.rlx x 1; w.rel y 1 | a.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0", False),
        ("w.rlx x 1; w.rel y 1 | a.ar y; r.rlx x", "1:r0=1 /\\ 1:r1=0", False),
        ("w.rlx x 1; w.rel y 1 | a.rel y; r.rlx x", "1:r0=1 /\\ 1:r1=0", True),
        ("w.rlx x 1; a.rel y | r.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0", False),
        ("w.rlx x 1; a.acq y | r.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0", True),
        ("w.rlx x 1; x.sc y 1 | r.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0", False),
        # A failed compare-exchange is a read with its own order.
        ("w.rlx x 1; w.rel y 1 | cas.ar.acq y 0 7; r.rlx x", "1:e0=1 /\\ 1:r1=0", False),
        ("w.rlx x 1; w.rel y 1 | cas.ar.rlx y 0 7; r.rlx x", "1:e0=1 /\\ 1:r1=0", True),
        ("w.rlx x 1; w.rel y 1 | cas.ar.rlx y 1 7; r.rlx x", "1:r0=1 /\\ 1:r1=0", False),
        # Atomicity.
        ("a.rlx x | a.rlx x", "0:r0=0 /\\ 1:r0=0", False),
        ("x.rlx x 1 | x.rlx x 2", "0:r0=0 /\\ 1:r0=0", False),
        ("cas.rlx.rlx x 0 1 | cas.rlx.rlx x 0 2", "0:r0=1 /\\ 1:r0=1", False),
        ("a.rlx x | w.rlx x 5", "0:r0=0 /\\ x=1", False),
        # Coherence at one location.
        ("w.rlx x 1; w.rlx x 2 | r.rlx x; r.rlx x", "1:r0=2 /\\ 1:r1=1", False),
        ("w.rlx x 1; r.rlx x | w.rlx x 2", "0:r1=0", False),
        ("r.rlx x; w.rlx x 1", "0:r0=1", False),
        ("w.rlx x 1; w.rlx x 2", "x=1", False),
        # Write-to-read causality through a third thread.
        ("w.rlx x 1 | r.rlx x; w.rel y 1 | r.acq y; r.rlx x", "1:r0=1 /\\ 2:r0=1 /\\ 2:r1=0", False),
        ("w.rlx x 1 | r.rlx x; w.rlx y 1 | r.acq y; r.rlx x", "1:r0=1 /\\ 2:r0=1 /\\ 2:r1=0", True),
        # SC accesses order others only through happens-before: here one access is weaker.
        ("w.sc x 1; w.sc y 1 | w.sc y 2; r.sc x", "y=2 /\\ 1:r1=0", False),
        ("w.sc x 1; w.rel y 1 | w.sc y 2; r.sc x", "y=2 /\\ 1:r1=0", True),
        # What C11 as first written forbids and its mapping to Power shows: the reason for the repair.
        ("w.sc x 1; w.rel y 1 | a.sc y; r.rlx y | w.sc y 3; r.sc x", "1:r0=1 /\\ 1:r1=3 /\\ 2:r1=0", True),
    ],
)  # fmt: skip
def test_fences_sequences_and_atomicity(
    threads: str, condition: str, rc11: Model, *, is_allowed: bool
) -> None:
    assert allows(threads, condition, rc11) is is_allowed


@pytest.mark.parametrize(
    ("axiom", "threads", "condition"),
    [
        ("coherence", "w.rlx x 1; w.rel y 1 | r.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0"),
        ("atomicity", "a.rlx x | w.rlx x 5", "0:r0=0 /\\ x=1"),
        ("sc", "w.sc x 1; r.sc y | w.sc y 1; r.sc x", "0:r1=0 /\\ 1:r1=0"),
        ("sc", "w.rlx x 1; f.sc; r.rlx y | w.rlx y 1; f.sc; r.rlx x", "0:r2=0 /\\ 1:r2=0"),
        ("no-thin-air", "r.rlx x; w.rlx y 1 | r.rlx y; w.rlx x 1", "0:r0=1 /\\ 1:r0=1"),
    ],
)
def test_each_axiom_is_the_reason_for_something(
    axiom: str, threads: str, condition: str, rc11: Model
) -> None:
    assert not allows(threads, condition, rc11)
    assert allows(threads, condition, without("rc11", axiom))


@pytest.mark.parametrize(
    ("threads", "races"),
    [
        ("w x 1 | r x", True),
        ("w x 1 | r.rlx x", True),
        ("w.rlx x 1 | r x", True),
        ("w x 1 | w x 2", True),
        ("w.rlx x 1 | r.rlx x", False),
        ("r x | r x", False),
        ("w x 1; r x", False),
        ("w x 1; w.rel y 1 | {int # = atomic_load_explicit(y, memory_order_acquire); if (#) *x = 2;}", False),
        ("w x 1; w.rlx y 1 | {int # = atomic_load_explicit(y, memory_order_acquire); if (#) *x = 2;}", True),
        ("w x 1; w.rel y 1 | r.acq y; r x", True),
        ("w x 1; f.rel; w.rlx y 1 | {int # = atomic_load_explicit(y, memory_order_relaxed); if (#) {"
         " atomic_thread_fence(memory_order_acquire); int s = *x; }}", False),
        ("a.rlx x | a.rlx x", False),
        ("{int # = atomic_compare_exchange_strong(x, y, 1);} | w y 1", True),
        ("{int # = atomic_compare_exchange_strong(x, y, 1);} | w.rlx x 1", False),
    ],
)  # fmt: skip
def test_data_races(threads: str, rc11: Model, *, races: bool) -> None:
    assert ("data-race" in explored(threads, "x=0", rc11).flags) is races
