"""The armv8 model, clause by clause: classic shapes that one clause forbids, and their weaker neighbours."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import membar.models
from membar.engines.reference import ENGINE
from membar.languages.litmus.dialects.aarch64 import DIALECT
from membar.languages.litmus.header import read_test
from membar.models.cat.elaborate import compile_model
from membar.models.model import Model
from membar.questions.outcome import Holds
from membar.questions.task import Task
from membar.source import SourceFile

LOCATIONS = "{t}:X10=x; {t}:X11=y; {t}:X12=z; {t}:X13=v"
VALUES = "{t}:X20=1; {t}:X21=2"


@cache
def armv8() -> Model:
    source = SourceFile.read(Path(membar.models.__file__).parent / "armv8.cat")
    compiled = compile_model(source, vocabulary=frozenset(DIALECT.tags))
    return Model(name="armv8", title="", documentation="", plan=compiled.plan, tags=compiled.tags)


def is_allowed(threads: list[str], condition: str) -> bool:
    """Whether the condition can hold; X10 to X13 point to x, y, z, v, and X20, X21 hold 1, 2."""
    columns = [thread.split("; ") for thread in threads]
    rows = [
        " | ".join(column[row] if row < len(column) else "" for column in columns)
        for row in range(max(map(len, columns)))
    ]
    entries = [f"{LOCATIONS}; {VALUES}".format(t=number) for number in range(len(threads))]
    state = "; ".join(["int v[2]", *entries])
    header = " | ".join(f"P{number}" for number in range(len(threads)))
    text = "AArch64 t\n{ " + state + " }\n" + " ;\n".join([header, *rows]) + f" ;\nexists ({condition})\n"
    program = DIALECT.translate(read_test(SourceFile("t.litmus", text)))
    outcome = ENGINE.run(Task(program=program, model=armv8(), properties=("condition",)))
    return isinstance(outcome, Holds)


PUBLISH = "STR W20,[X10]; DMB SY; STR W20,[X11]"
SEEN = r"1:X0=1 /\ 1:X2=0"

# What the reader does between flag and data, and whether it may still miss the data.
READERS = [
    ("LDR W0,[X11]; LDR W2,[X10]", True),
    ("LDR W0,[X11]; EOR W3,W0,W0; LDR W2,[X10,W3,SXTW]", False),
    ("LDR W0,[X11]; CBNZ W0,L; L: LDR W2,[X10]", True),
    ("LDR W0,[X11]; CBNZ W0,L; L: ISB; LDR W2,[X10]", False),
    ("LDR W0,[X11]; ISB; LDR W2,[X10]", True),
    ("LDR W0,[X11]; CMP W0,#1; B.NE L; L: ISB; LDR W2,[X10]", False),
    ("LDR W0,[X11]; EOR W3,W0,W0; LDR W4,[X12,W3,SXTW]; LDR W2,[X10]", True),
    ("LDR W0,[X11]; EOR W3,W0,W0; LDR W4,[X12,W3,SXTW]; ISB; LDR W2,[X10]", False),
    ("LDR W0,[X11]; DMB LD; LDR W2,[X10]", False),
    ("LDR W0,[X11]; DMB ISHLD; LDR W2,[X10]", False),
    ("LDR W0,[X11]; DSB LD; LDR W2,[X10]", False),
    ("LDR W0,[X11]; DMB ST; LDR W2,[X10]", True),
    ("LDR W0,[X11]; DMB NSH; LDR W2,[X10]", True),
    ("LDAR W0,[X11]; LDR W2,[X10]", False),
    ("LDAPR W0,[X11]; LDR W2,[X10]", False),
    ("LDXR W0,[X11]; LDR W2,[X10]", True),
    ("LDAXR W0,[X11]; LDR W2,[X10]", False),
    ("SWP W21,W0,[X11]; LDR W2,[X10]", True),
    ("SWPA W21,W0,[X11]; LDR W2,[X10]", False),
    ("SWP W21,W0,[X11]; LDR W4,[X11]; LDR W2,[X10]", True),
    ("SWP W21,W0,[X11]; LDAR W4,[X11]; LDR W2,[X10]", False),
    ("SWP W21,W0,[X11]; LDAPR W4,[X11]; LDR W2,[X10]", False),
    ("LDADD W21,W0,[X11]; DMB LD; LDR W2,[X10]", False),
    # Only what a fetching operation computes waits for what it read.
    ("SWP W21,W0,[X11]; LDR W4,[X11]; EOR W3,W4,W4; LDR W2,[X10,W3,SXTW]", True),
    ("LDADD W21,W0,[X11]; LDR W4,[X11]; EOR W3,W4,W4; LDR W2,[X10,W3,SXTW]", False),
    ("MOV W0,#1; CAS W0,W21,[X11]; LDR W4,[X11]; EOR W3,W4,W4; LDR W2,[X10,W3,SXTW]", True),
    ("MOV W0,#1; CAS W0,W21,[X11]; LDR W4,[X11]; CBNZ W4,L; L: ISB; LDR W2,[X10]", False),
    ("SWP W21,W0,[X11]; LDR W4,[X11]; CBNZ W4,L; L: ISB; LDR W2,[X10]", True),
    ("CASA W0,W21,[X11]; LDR W2,[X10]", False),
    ("CAS W0,W21,[X11]; LDR W2,[X10]", True),
    # The value is passed on through memory.
    ("LDR W0,[X11]; STR W0,[X12]; LDR W4,[X12]; EOR W3,W4,W4; LDR W2,[X10,W3,SXTW]", False),
    (
        "LDR W0,[X11]; EOR W3,W0,W0; STR W20,[X12,W3,SXTW]; LDR W4,[X12]; EOR W5,W4,W4; LDR W2,[X10,W5,SXTW]",
        False,
    ),
    ("LDR W0,[X11]; CBNZ W0,L; L: STR W20,[X12]; LDR W4,[X12]; EOR W3,W4,W4; LDR W2,[X10,W3,SXTW]", True),
]


@pytest.mark.parametrize(("reader", "allowed"), READERS)
def test_message_passing(reader: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    assert is_allowed([PUBLISH, reader], SEEN) is allowed


@pytest.mark.parametrize(
    ("publisher", "allowed"),
    [
        ("STR W20,[X10]; STR W20,[X11]", True),
        ("STR W20,[X10]; DMB ST; STR W20,[X11]", False),
        ("STR W20,[X10]; DMB OSHST; STR W20,[X11]", False),
        ("STR W20,[X10]; DMB LD; STR W20,[X11]", True),
        ("STR W20,[X10]; STLR W20,[X11]", False),
        ("STLR W20,[X10]; STR W20,[X11]", True),
        ("STR W20,[X10]; SWPL W20,W3,[X11]", False),
        ("STR W20,[X10]; SWPA W20,W3,[X11]", True),
        ("STR W20,[X10]; CASL W3,W20,[X11]", False),
    ],
)
def test_publication(publisher: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    assert is_allowed([publisher, "LDAR W0,[X11]; LDR W2,[X10]"], SEEN) is allowed


def test_load_barrier_ignores_reads_that_return_nothing() -> None:
    condition = r"[y]=3 /\ 1:X2=0"
    assert is_allowed([PUBLISH, "STADD W21,[X11]; DMB LD; LDR W2,[X10]"], condition)
    assert is_allowed([PUBLISH, "LDADDA W21,WZR,[X11]; LDR W2,[X10]"], condition)
    assert not is_allowed([PUBLISH, "STADD W21,[X11]; DMB SY; LDR W2,[X10]"], condition)


@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [
        ("STR W20,[X10]; LDR W0,[X11]", "STR W20,[X11]; LDR W0,[X10]", True),
        ("STR W20,[X10]; DMB SY; LDR W0,[X11]", "STR W20,[X11]; DMB ISH; LDR W0,[X10]", False),
        ("STR W20,[X10]; DMB ST; LDR W0,[X11]", "STR W20,[X11]; DMB SY; LDR W0,[X10]", True),
        ("STR W20,[X10]; DMB LD; LDR W0,[X11]", "STR W20,[X11]; DMB SY; LDR W0,[X10]", True),
        ("STR W20,[X10]; DSB ST; LDR W0,[X11]", "STR W20,[X11]; DSB SY; LDR W0,[X10]", False),
        ("STR W20,[X10]; DSB LD; LDR W0,[X11]", "STR W20,[X11]; DSB SY; LDR W0,[X10]", True),
        ("STLR W20,[X10]; LDAR W0,[X11]", "STLR W20,[X11]; LDAR W0,[X10]", False),
        ("STLR W20,[X10]; LDAPR W0,[X11]", "STLR W20,[X11]; LDAR W0,[X10]", True),
        ("STLR W20,[X10]; LDR W0,[X11]", "STLR W20,[X11]; LDAR W0,[X10]", True),
        ("SWPAL W20,W3,[X10]; LDR W0,[X11]", "SWPAL W20,W3,[X11]; LDR W0,[X10]", False),
        ("SWPA W20,W3,[X10]; LDR W0,[X11]", "SWPAL W20,W3,[X11]; LDR W0,[X10]", True),
        ("SWPL W20,W3,[X10]; LDR W0,[X11]", "SWPAL W20,W3,[X11]; LDR W0,[X10]", True),
        ("STR W20,[X10]; ISB; LDR W0,[X11]", "STR W20,[X11]; DMB SY; LDR W0,[X10]", True),
    ],
)
def test_store_buffering(first: str, second: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    assert is_allowed([first, second], r"0:X0=0 /\ 1:X0=0") is allowed


@pytest.mark.parametrize(
    ("second", "allowed"),
    [
        ("LDR W0,[X11]; STR W20,[X10]", True),
        ("LDR W0,[X11]; EOR W3,W0,W0; ADD W3,W3,#1; STR W3,[X10]", False),
        ("LDR W0,[X11]; CBNZ W0,L; L: STR W20,[X10]", False),
        ("LDR W0,[X11]; EOR W3,W0,W0; LDR W4,[X12,W3,SXTW]; STR W20,[X10]", False),
        ("LDR W0,[X11]; EOR W3,W0,W0; STR W3,[X10]; STR W20,[X10]", False),
        ("LDR W0,[X11]; EOR W3,W0,W0; STR W20,[X10,W3,SXTW]", False),
        ("LDR W0,[X11]; STLR W20,[X10]", False),
        ("LDAR W0,[X11]; STR W20,[X10]", False),
        ("LDXR W0,[X11]; STXR W4,W21,[X11]; CBNZ W4,L; L: STR W20,[X10]", True),
        ("LDR W0,[X11]; EOR W3,W0,W0; ADD W3,W3,#1; SWP W3,W4,[X10]", False),
        ("LDR W0,[X11]; SUB W3,W0,#1; CAS W3,W20,[X10]", False),
    ],
)
def test_load_buffering(second: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    first = "LDR W0,[X10]; DMB SY; STR W20,[X11]"
    assert is_allowed([first, second], r"0:X0=1 /\ 1:X0=1") is allowed


@pytest.mark.parametrize(
    ("second", "allowed"),
    [
        ("SWP W21,W0,[X11]; LDR W4,[X11]; EOR W3,W4,W4; ADD W3,W3,#1; STR W3,[X10]", True),
        ("LDADD W21,W0,[X11]; LDR W4,[X11]; EOR W3,W4,W4; ADD W3,W3,#1; STR W3,[X10]", False),
        ("MOV W0,#1; CAS W0,W21,[X11]; LDR W4,[X11]; EOR W3,W4,W4; ADD W3,W3,#1; STR W3,[X10]", False),
        ("MOV W0,#1; CAS W0,W21,[X11]; LDR W4,[X11]; STR W20,[X10]", True),
    ],
)
def test_writes_wait_for_the_decision_of_a_compare_and_swap(second: str, allowed: bool) -> None:  # noqa: FBT001
    first = "LDR W0,[X10]; DMB SY; STR W20,[X11]"
    assert is_allowed([first, second], r"0:X0=1 /\ 1:X0=1") is allowed


def test_writes_to_two_locations_can_be_fenced() -> None:
    one, other = "STR W21,[X10]; {}; STR W20,[X11]", "STR W21,[X11]; {}; STR W20,[X10]"
    condition = r"[x]=2 /\ [y]=2"
    assert is_allowed([one.format("NOP"), other.format("NOP")], condition)
    assert not is_allowed([one.format("DMB ST"), other.format("DMB ST")], condition)


def test_all_other_threads_see_a_write_at_once() -> None:
    one = "LDAR W0,[X10]; LDR W2,[X11]"
    other = "LDAR W0,[X11]; LDR W2,[X10]"
    writers = ["STR W20,[X10]", "STR W20,[X11]"]
    assert not is_allowed([*writers, one, other], r"2:X0=1 /\ 2:X2=0 /\ 3:X0=1 /\ 3:X2=0")
    relay = "LDR W0,[X10]; EOR W3,W0,W0; ADD W3,W3,#1; STR W3,[X11]"
    reader = "LDR W0,[X11]; EOR W3,W0,W0; LDR W2,[X10,W3,SXTW]"
    assert not is_allowed(["STR W20,[X10]", relay, reader], r"1:X0=1 /\ 2:X0=1 /\ 2:X2=0")


def test_a_thread_sees_its_own_write_early() -> None:
    one = "STR W20,[X10]; LDR W0,[X10]; EOR W3,W0,W0; LDR W2,[X11,W3,SXTW]"
    other = "STR W20,[X11]; LDR W0,[X11]; EOR W3,W0,W0; LDR W2,[X10,W3,SXTW]"
    assert is_allowed([one, other], r"0:X0=1 /\ 0:X2=0 /\ 1:X0=1 /\ 1:X2=0")


@pytest.mark.parametrize(
    ("threads", "condition"),
    [
        (["STR W20,[X10]", "LDR W0,[X10]; LDR W2,[X10]"], r"1:X0=1 /\ 1:X2=0"),
        (["STR W20,[X10]; STR W21,[X10]"], "[x]=1"),
        (["STR W20,[X10]; LDR W0,[X10]"], "0:X0=0"),
        (["LDR W0,[X10]; STR W20,[X10]"], "0:X0=1"),
        (["SWP W20,W0,[X10]"], "0:X0=1"),
        (["MOV W0,#1; MOV W1,#1; CASP W0,W1,W20,W20,[X13]"], "0:X0=1"),
        (["LDR W0,[X10]; STR W20,[X10]", "STR W21,[X10]"], r"0:X0=2 /\ [x]=2"),
    ],
)
def test_each_location_is_coherent(threads: list[str], condition: str) -> None:
    assert not is_allowed(threads, condition)


def test_atomic_updates_are_not_lost() -> None:
    assert not is_allowed(["LDADD W20,W0,[X10]", "LDADD W20,W0,[X10]"], "[x]=1")
    assert not is_allowed(["CAS W0,W20,[X10]", "CAS W0,W20,[X10]"], r"0:X0=0 /\ 1:X0=0")
    update = "LDXR W0,[X10]; ADD W1,W0,#1; STXR W2,W1,[X10]"
    assert not is_allowed([update, update], r"0:X2=0 /\ 1:X2=0 /\ [x]=1")
    assert is_allowed([update, update], r"0:X2=0 /\ 1:X2=0 /\ [x]=2")
    assert is_allowed([update, update], r"0:X2=1 /\ 1:X2=1 /\ [x]=0")


def test_store_exclusive_needs_a_load_exclusive_of_the_same_location() -> None:
    assert not is_allowed(["STXR W2,W20,[X10]"], "0:X2=0")
    assert not is_allowed(["LDXR W0,[X10]; STXR W2,W20,[X11]"], "0:X2=0")
    twice = "LDXR W0,[X10]; STXR W2,W20,[X10]; STXR W3,W21,[X10]"
    assert not is_allowed([twice], "0:X3=0")


SWAP_PAIR = "LDXP W3,W4,[X13]; STXP W5,W20,W20,[X13]"


@pytest.mark.parametrize(
    ("reader", "torn"),
    [
        ("LDP W0,W2,[X13]", True),
        ("LDXP W0,W2,[X13]", False),
        ("CASP W0,W2,W6,W7,[X13]", False),
    ],
)
def test_exclusive_pairs_are_seen_as_one(reader: str, torn: bool) -> None:  # noqa: FBT001 - a table column
    for half in (r"1:X0=1 /\ 1:X2=0", r"1:X0=0 /\ 1:X2=1"):
        assert is_allowed([SWAP_PAIR, reader], half) is torn
    assert is_allowed([SWAP_PAIR, reader], r"1:X0=1 /\ 1:X2=1")


def test_exclusive_pair_stores_both_halves_or_none() -> None:
    assert not is_allowed([SWAP_PAIR], "v[0]=1 /\\ v[1]=0 \\/ v[0]=0 /\\ v[1]=1")
    assert is_allowed([SWAP_PAIR], r"0:X5=0 /\ v[0]=1 /\ v[1]=1")
    assert is_allowed([SWAP_PAIR], r"0:X5=1 /\ v[0]=0 /\ v[1]=0")
    assert not is_allowed(["STXP W5,W20,W20,[X13]"], "0:X5=0")
    again = SWAP_PAIR + "; STXP W6,W21,W21,[X13]"
    assert not is_allowed([again], "0:X6=0")


def test_pair_atomics_exclude_each_other() -> None:
    swap = "CASP W0,W1,W20,W21,[X13]"
    assert not is_allowed([swap, swap], r"0:X0=0 /\ 0:X1=0 /\ 1:X0=0 /\ 1:X1=0")
    assert is_allowed([swap, swap], r"0:X0=0 /\ 0:X1=0 /\ 1:X0=1 /\ 1:X1=2")


def test_pair_atomic_does_not_hold_back_later_writes() -> None:
    first = "LDR W0,[X10]; DMB SY; STP W20,W20,[X13]"
    relaxed = "MOV W4,#1; MOV W5,#1; CASP W4,W5,W21,W21,[X13]; STR W20,[X10]"
    assert is_allowed([first, relaxed], r"0:X0=1 /\ 1:X4=1")
    assert not is_allowed([first, relaxed.replace("CASP", "CASPA")], r"0:X0=1 /\ 1:X4=1")


@pytest.mark.parametrize(("store", "torn"), [("STP", True), ("STILP", False), ("STLP", True)])
def test_ordered_pair_stores_are_seen_in_order(store: str, torn: bool) -> None:  # noqa: FBT001 - a table column
    reader = "LDR W0,[X13,#4]; DMB LD; LDR W2,[X13]"
    assert is_allowed([f"{store} W20,W20,[X13]", reader], SEEN) is torn
