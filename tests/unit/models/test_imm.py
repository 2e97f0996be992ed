"""IMM on the shapes that its definition turns on, and its place between sc and rc11."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import membar.models
from membar.languages.registry import vocabulary
from membar.models.cat.elaborate import compile_model
from membar.models.model import Model
from membar.source import SourceFile
from unit.models.c11 import allows, explored, model, outcomes, without

SB = ("0:r1=0 /\\ 1:r1=0", "w.{0} x 1; r.{1} y | w.{0} y 1; r.{1} x")
MP = ("1:r0=1 /\\ 1:r1=0", "w.rlx x 1; w.{0} y 1 | r.{1} y; r.rlx x")
LB = ("0:r0=1 /\\ 1:r0=1", "r.{0} x; w.{1} y 1 | r.{0} y; w.{1} x 1")
IRIW = (
    "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0",
    "w.{0} x 1 | w.{0} y 1 | r.{1} x; r.{1} y | r.{1} y; r.{1} x",
)
WW = ("x=1 /\\ y=1", "w.{0} x 1; w.{1} y 2 | w.{0} y 1; w.{1} x 2")
ISA2 = (
    "1:r0=1 /\\ 2:r0=1 /\\ 2:r1=0",
    "w.rlx x 1; w.{0} y 1 | r.{1} y; w.{0} z 1 | r.{1} z; r.rlx x",
)
WRC = ("1:r0=1 /\\ 2:r0=1 /\\ 2:r1=0", "w.rlx x 1 | r.{1} x; w.{0} y 1 | r.{1} y; r.rlx x")


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
        (LB, ("rlx", "rlx"), True),
        (LB, ("acq", "rlx"), False),
        (LB, ("rlx", "rel"), False),
        (IRIW, ("rlx", "rlx"), True),
        (IRIW, ("rel", "acq"), True),
        (IRIW, ("sc", "sc"), False),
        (WW, ("rlx", "rlx"), True),
        (WW, ("rel", "rel"), True),
        (WW, ("sc", "sc"), False),
        (ISA2, ("rlx", "rlx"), True),
        (ISA2, ("rel", "acq"), False),
        (WRC, ("rlx", "acq"), True),
        (WRC, ("rel", "rlx"), True),
        (WRC, ("rel", "acq"), False),
    ],
)
def test_classic_shapes(shape: tuple[str, str], orders: tuple[str, str], *, is_allowed: bool) -> None:
    condition, threads = shape
    assert allows(threads.format(*orders), condition, model("imm")) is is_allowed


DATA = "{ atomic_store_explicit(%s, r0, memory_order_relaxed); }"
CONTROL = "{ if (r0) atomic_store_explicit(%s, 1, memory_order_relaxed); }"
FALSE = "{ atomic_store_explicit(%s, 1 + (r0 & 0), memory_order_relaxed); }"


@pytest.mark.parametrize(
    ("first", "second", "is_allowed"),
    [
        ("w.rlx y 1", "w.rlx x 1", True),
        (DATA % "y", "w.rlx x 1", True),
        (DATA % "y", DATA % "x", False),
        (CONTROL % "y", DATA % "x", False),
        (FALSE % "y", DATA % "x", False),
        ("f.ar; w.rlx y 1", DATA % "x", False),
        ("f.rlx; w.rlx y 1", DATA % "x", True),
        ("w.rel y 1", DATA % "x", False),
        # Through the thread's own memory, as far as the value is passed on.
        ("{ *z = r0; int q = *z; *y = q; }", DATA % "x", False),
        # The read of a read-modify-write holds back what follows.
        ("a.rlx z; w.rlx y 1", DATA % "x", True),
    ],
)
def test_load_buffering_with_dependencies(first: str, second: str, *, is_allowed: bool) -> None:
    threads = f"r.rlx x; {first} | r.rlx y; {second}"
    assert allows(threads, "0:r0=1 /\\ 1:r0=1", model("imm")) is is_allowed


def test_a_read_modify_write_holds_back_what_follows() -> None:
    condition = "0:r0=1 /\\ 1:r0=1"
    assert not allows(f"a.rlx x; w.rlx y 1 | r.rlx y; {DATA % 'x'}", condition, model("imm"))


def test_detour_orders_a_read_behind_an_own_write_that_others_overwrote() -> None:
    last = f"r.rlx z; {DATA % 'x'}"
    condition = "0:r0=1 /\\ 0:b=2 /\\ 2:r0=1"
    for stored, is_allowed in (("1", True), ("r0", False)):
        relaxed = "memory_order_relaxed"
        own = f"atomic_store_explicit(y, {stored}, {relaxed}); int b = atomic_load_explicit(y, {relaxed});"
        first = f"r.rlx x; {{ {own} atomic_store_explicit(z, b - 1, {relaxed}); }}"
        assert allows(f"{first} | w.rlx y 2 | {last}", condition, model("imm")) is is_allowed


@pytest.mark.parametrize(
    ("threads", "condition", "is_allowed"),
    [
        ("w.rlx x 1; f.rel; w.rlx y 1 | r.rlx y; f.acq; r.rlx x", "1:r0=1 /\\ 1:r2=0", False),
        ("w.rlx x 1; f.rlx; w.rlx y 1 | r.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0", True),
        ("w.rlx x 1; f.sc; r.rlx y | w.rlx y 1; f.sc; r.rlx x", "0:r2=0 /\\ 1:r2=0", False),
        ("w.rlx x 1; f.ar; r.rlx y | w.rlx y 1; f.ar; r.rlx x", "0:r2=0 /\\ 1:r2=0", True),
        ("w.rlx x 1; f.sc; w.rlx y 2 | w.rlx y 1; f.sc; w.rlx x 2", "x=1 /\\ y=1", False),
        ("w.rlx x 1 | w.rlx y 1 | r.rlx x; f.sc; r.rlx y | r.rlx y; f.sc; r.rlx x",
         "2:r0=1 /\\ 2:r2=0 /\\ 3:r0=1 /\\ 3:r2=0", False),
        ("w.rlx x 1 | w.rlx y 1 | r.rlx x; f.ar; r.rlx y | r.rlx y; f.ar; r.rlx x",
         "2:r0=1 /\\ 2:r2=0 /\\ 3:r0=1 /\\ 3:r2=0", True),
        # Release sequences: later writes of the same thread, and read-modify-writes of any.
        ("w.rlx x 1; w.rel y 1; w.rlx y 2 | r.acq y; r.rlx x", "1:r0=2 /\\ 1:r1=0", False),
        ("w.rlx x 1; w.rel y 1 | a.rlx y | r.acq y; r.rlx x", "1:r0=1 /\\ 2:r0=2 /\\ 2:r1=0", False),
        ("w.rlx x 1; w.rel y 1 | w.rlx y 2 | r.acq y; r.rlx x", "2:r0=2 /\\ 2:r1=0", True),
        # Atomicity and coherence
        ("a.rlx x | a.rlx x", "0:r0=0 /\\ 1:r0=0", False),
        ("cas.rlx.rlx x 0 1 | cas.rlx.rlx x 0 2", "0:r0=1 /\\ 1:r0=1", False),
        ("a.rlx x | w.rlx x 5", "0:r0=0 /\\ x=1", False),
        ("w.rlx x 1; w.rlx x 2 | r.rlx x; r.rlx x", "1:r0=2 /\\ 1:r1=1", False),
        ("w.rlx x 1; r.rlx x | w.rlx x 2", "0:r1=0", False),
        ("r.rlx x; w.rlx x 1", "0:r0=1", False),
    ],
)  # fmt: skip
def test_fences_sequences_and_atomicity(threads: str, condition: str, *, is_allowed: bool) -> None:
    assert allows(threads, condition, model("imm")) is is_allowed


@pytest.mark.parametrize(
    ("axiom", "threads", "condition"),
    [
        ("coherence", "w.rlx x 1; w.rel y 1 | r.acq y; r.rlx x", "1:r0=1 /\\ 1:r1=0"),
        ("atomicity", "a.rlx x | w.rlx x 5", "0:r0=0 /\\ x=1"),
        ("sc", "w.sc x 1; r.sc y | w.sc y 1; r.sc x", "0:r1=0 /\\ 1:r1=0"),
        ("no-thin-air", "r.acq x; w.rlx y 1 | r.acq y; w.rlx x 1", "0:r0=1 /\\ 1:r0=1"),
    ],
)
def test_each_axiom_is_the_reason_for_something(axiom: str, threads: str, condition: str) -> None:
    assert not allows(threads, condition, model("imm"))
    assert allows(threads, condition, without("imm", axiom))


def test_races_of_plain_accesses_are_told() -> None:
    assert explored("w x 1 | r x", "x=1", model("imm")).flags
    assert not explored("w x 1; w.rel y 1 | r.acq y; { if (r0) { int q = *x; } }", "x=1", model("imm")).flags


def test_imm_is_not_weaker_than_rc11() -> None:
    """SC fences are cumulative in IMM, also through a thread that only passes a value on."""
    middle = f"r.rlx y; {DATA % 'z'}"
    threads = f"w.rlx x 1; f.sc; w.rlx y 1 | {middle} | r.rlx z; f.sc; r.rlx x"
    condition = "2:r0=1 /\\ 2:r2=0"
    assert allows(threads, condition, model("rc11"))
    assert not allows(threads, condition, model("imm"))


@cache
def without_load_buffering() -> Model:
    """IMM, and no cycle of program order and reads-from."""
    text = (Path(membar.models.__file__).parent / "imm.cat").read_text(encoding="utf-8")
    source = SourceFile("imm-rf.cat", text + "\nacyclic po | rf as no-load-buffering\n")
    compiled = compile_model(source, vocabulary=vocabulary())
    return Model(name="imm-rf", title="", documentation="", plan=compiled.plan, tags=compiled.tags)


SHAPES = [
    threads.format(write, read)
    for _, threads in (SB, MP, WRC, ISA2)
    for write, read in (("rlx", "rlx"), ("rel", "acq"), ("sc", "sc"))
] + [
    "w.rlx x 1; w.rel y 2 | w.rel y 1; w.sc x 2",
    "w.rlx x 1; f.sc; r.rlx y | w.rlx y 1; f.ar; r.rlx x",
    "w.rel x 1; a.rlx y | a.ar y; r.acq x",
    "w.sc x 1; w.rel y 1 | a.sc y; r.rlx y | w.sc y 3; r.sc x",
    "r.rlx x; w.rlx y 1 | r.rlx y; w.rlx x 1",
    "cas.ar.rlx x 0 1; r.rlx y | x.rel x 2; w.rlx y 1",
]


@pytest.mark.parametrize("threads", SHAPES)
def test_without_load_buffering_imm_is_as_strong_as_rc11(threads: str) -> None:
    """The theorem behind the mapping from RC11: what IMM allows, acyclic in po and rf, RC11 allows."""
    seen = _places(threads)
    assert outcomes(threads, seen, without_load_buffering()) <= outcomes(threads, seen, model("rc11"))


@pytest.mark.parametrize("threads", SHAPES)
def test_what_sc_allows_imm_allows(threads: str) -> None:
    seen = _places(threads)
    assert outcomes(threads, seen, model("sc")) <= outcomes(threads, seen, model("imm"))


def _places(threads: str) -> str:
    """A question that shows the locations and every register that a shape sets."""
    places = ["x=0", "y=0", "z=0"]
    for number, thread in enumerate(threads.split("|")):
        for position, words in enumerate(thread.split(";")):
            if words.strip().split(".")[0].split()[0] in {"r", "a", "x", "cas"}:
                places.append(f"{number}:r{position}=0")
    return " /\\ ".join(places)
