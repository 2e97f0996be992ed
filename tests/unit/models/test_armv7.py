"""The armv7 model on the shapes of the literature, with their weaker neighbours."""

from __future__ import annotations

import pytest

from unit.models.assembly import Shapes, model

# X5, X6, X7 point to x, y, z; W1 and W2 hold 1 and 2.
ARM = Shapes("AArch64", "armv7", "{t}:X5=x; {t}:X6=y; {t}:X7=z; {t}:X1=1; {t}:X2=2")
POWERLIKE = {
    "po": "",
    "addr": "EOR W20,W10,W10; ",
    "ctrl": "CBNZ W10,L; L: ",
    "ctrlisb": "CBNZ W10,L; L: ISB; ",
    "isb": "ISB; ",
    "dmb": "DMB SY; ",
    "dsb": "DSB ISH; ",
    "dmb.st": "DMB ST; ",
    "nsh": "DMB NSH; ",
}


def reads(first: str, then: str, second: str) -> str:
    """Two reads, of the locations in registers `first` and `second`, with something between them."""
    return f"LDR W10,[{first}]; {then}LDR W11,[{second},W20,SXTW]"


@pytest.mark.parametrize(
    ("barrier", "reader", "allowed"),
    [
        ("", "po", True),
        ("DMB SY; ", "po", True),
        ("DMB SY; ", "ctrl", True),
        ("DMB SY; ", "isb", True),
        ("DMB SY; ", "dmb.st", True),
        ("DMB SY; ", "nsh", True),
        ("DMB SY; ", "addr", False),
        ("DMB SY; ", "ctrlisb", False),
        ("DMB SY; ", "dmb", False),
        ("DSB SY; ", "dsb", False),
        ("DMB ISHST; ", "addr", False),
        ("ISB; ", "addr", True),
    ],
)
def test_message_passing(barrier: str, reader: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [f"STR W1,[X5]; {barrier}STR W1,[X6]", reads("X6", POWERLIKE[reader], "X5")]
    assert ARM.allow(threads, r"1:X10=1 /\ 1:X11=0") is allowed


@pytest.mark.parametrize(("barrier", "allowed"), [("", True), ("DMB SY; ", False), ("DMB ST; ", True)])
def test_store_buffering(barrier: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [f"STR W1,[X5]; {barrier}LDR W10,[X6]", f"STR W1,[X6]; {barrier}LDR W10,[X5]"]
    assert ARM.allow(threads, r"0:X10=0 /\ 1:X10=0") is allowed


@pytest.mark.parametrize(
    ("between", "allowed"),
    [
        ("STR W1,[{0}]", True),
        ("STR W10,[{0}]", False),
        ("CBNZ W10,L; L: STR W1,[{0}]", False),
        ("EOR W20,W10,W10; LDR W12,[X7,W20,SXTW]; STR W1,[{0}]", False),
        ("DMB SY; STR W1,[{0}]", False),
        ("ISB; STR W1,[{0}]", True),
    ],
)
def test_load_buffering(between: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [f"LDR W10,[X5]; {between.format('X6')}", f"LDR W10,[X6]; {between.format('X5')}"]
    assert ARM.allow(threads, r"0:X10=1 /\ 1:X10=1") is allowed


@pytest.mark.parametrize(("barrier", "allowed"), [("", True), ("DMB SY; ", False), ("DSB ST; ", False)])
def test_two_plus_two_writes(barrier: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [f"STR W2,[X5]; {barrier}STR W1,[X6]", f"STR W2,[X6]; {barrier}STR W1,[X5]"]
    assert ARM.allow(threads, r"x=2 /\ y=2") is allowed


@pytest.mark.parametrize(("middle", "allowed"), [("STR W10,[X6]", True), ("DMB SY; STR W1,[X6]", False)])
def test_write_to_read_causality_needs_a_barrier(middle: str, allowed: bool) -> None:  # noqa: FBT001
    threads = ["STR W1,[X5]", f"LDR W10,[X5]; {middle}", reads("X6", POWERLIKE["addr"], "X5")]
    assert ARM.allow(threads, r"1:X10=1 /\ 2:X10=1 /\ 2:X11=0") is allowed


@pytest.mark.parametrize(("barrier", "allowed"), [("", True), ("DMB SY; ", False)])
def test_isa2(barrier: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [
        f"STR W1,[X5]; {barrier}STR W1,[X6]",
        "LDR W10,[X6]; STR W10,[X7]",
        reads("X7", POWERLIKE["addr"], "X5"),
    ]
    assert ARM.allow(threads, r"1:X10=1 /\ 2:X10=1 /\ 2:X11=0") is allowed


@pytest.mark.parametrize(("between", "allowed"), [("addr", True), ("dmb", False), ("dsb", False)])
def test_threads_may_see_writes_in_different_orders(between: str, allowed: bool) -> None:  # noqa: FBT001
    pair = POWERLIKE[between]
    threads = ["STR W1,[X5]", "STR W1,[X6]", reads("X5", pair, "X6"), reads("X6", pair, "X5")]
    assert ARM.allow(threads, r"2:X10=1 /\ 2:X11=0 /\ 3:X10=1 /\ 3:X11=0") is allowed


def test_a_thread_may_read_its_own_write_behind_a_read_that_is_not_done() -> None:
    """What Arm processors were seen to do and Power does not: the difference between the two models."""
    reader = "LDR W10,[X6]; STR W2,[X6]; LDR W12,[X6]; CBNZ W12,L; L: ISB; LDR W11,[X5]"
    condition = r"1:X10=1 /\ 1:X12=2 /\ 1:X11=0"
    assert ARM.allow(["STR W1,[X5]; DMB SY; STR W1,[X6]", reader], condition)
    power = Shapes("PPC", "power", "{t}:r5=x; {t}:r6=y; {t}:r1=1; {t}:r2=2")
    same = "lwz r10,0(r6); stw r2,0(r6); lwz r12,0(r6); cmpw r12,r12; beq L; L: isync; lwz r11,0(r5)"
    assert not power.allow(["stw r1,0(r5); sync; stw r1,0(r6)", same], condition.replace("X", "r"))


@pytest.mark.parametrize(
    ("threads", "condition"),
    [
        (["STR W1,[X5]", "LDR W10,[X5]; LDR W11,[X5]"], r"1:X10=1 /\ 1:X11=0"),
        (["STR W1,[X5]; LDR W10,[X5]"], "0:X10=0"),
        (["STR W1,[X5]; STR W2,[X5]"], "x=1"),
        (["LDR W10,[X5]; STR W1,[X5]"], "0:X10=1"),
    ],
)
def test_coherence(threads: list[str], condition: str) -> None:
    assert not ARM.allow(threads, condition)


def test_no_increment_is_lost() -> None:
    add = "LDXR W10,[X5]; ADD W11,W10,#1; STXR W12,W11,[X5]"
    assert not ARM.allow([add, add], r"0:X12=0 /\ 1:X12=0 /\ x=1")
    assert ARM.allow([add, add], r"0:X12=0 /\ 1:X12=0 /\ x=2")


def test_words_that_came_with_armv8_are_not_known() -> None:
    assert not {"A", "L", "Q", "X", "DMB.LD", "DMB.ISHLD"} & set(model("armv7").tags)
