"""The power model on the shapes of the literature, with their weaker neighbours."""

from __future__ import annotations

import pytest

from unit.models.assembly import Shapes

# r5, r6, r7 point to x, y, z; r1 and r2 hold 1 and 2; r30 is 0.
POWER = Shapes("PPC", "power", "{t}:r5=x; {t}:r6=y; {t}:r7=z; {t}:r1=1; {t}:r2=2")


def reads(first: str, then: str, second: str) -> str:
    """Two reads, of the locations in registers `first` and `second`, with something between them."""
    return f"lwz r10,0({first}); {then}lwzx r11,r20,{second}"


BETWEEN = {
    "po": "",
    "addr": "xor r20,r10,r10; ",
    "ctrl": "cmpw r10,r10; beq L; L: ",
    "ctrlisync": "cmpw r10,r10; beq L; L: isync; ",
    "isync": "isync; ",
    "lwsync": "lwsync; ",
    "sync": "sync; ",
    "eieio": "eieio; ",
}


@pytest.mark.parametrize(
    ("barrier", "reader", "allowed"),
    [
        ("", "po", True),
        ("", "addr", True),
        ("isync; ", "addr", True),
        ("lwsync; ", "po", True),
        ("lwsync; ", "isync", True),
        ("lwsync; ", "ctrl", True),
        ("lwsync; ", "eieio", True),
        ("lwsync; ", "addr", False),
        ("lwsync; ", "ctrlisync", False),
        ("lwsync; ", "lwsync", False),
        ("lwsync; ", "sync", False),
        ("eieio; ", "addr", False),
        ("sync; ", "addr", False),
    ],
)
def test_message_passing(barrier: str, reader: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [f"stw r1,0(r5); {barrier}stw r1,0(r6)", reads("r6", BETWEEN[reader], "r5")]
    assert POWER.allow(threads, r"1:r10=1 /\ 1:r11=0") is allowed


@pytest.mark.parametrize(
    ("between", "allowed"),
    [
        # The address of a write is known, so a later read may take its value before the write is committed.
        ("cmpw r10,r10; beq L; L: stw r1,0(r7); lwz r12,0(r7); xor r20,r12,r12; ", True),
        ("xor r21,r10,r10; stwx r1,r21,r7; lwz r12,0(r7); xor r20,r12,r12; ", False),
        ("xor r21,r10,r10; lwzx r12,r21,r7; lwz r13,0(r7); xor r20,r13,r13; ", True),
    ],
)
def test_values_passed_on_inside_a_thread(between: str, allowed: bool) -> None:  # noqa: FBT001
    threads = ["stw r1,0(r5); sync; stw r1,0(r6)", reads("r6", between, "r5")]
    assert POWER.allow(threads, r"1:r10=1 /\ 1:r11=0") is allowed


def test_reads_of_different_writes_stay_in_order() -> None:
    between = "xor r21,r10,r10; lwzx r12,r21,r7; lwz r13,0(r7); xor r20,r13,r13; "
    threads = ["stw r1,0(r5); sync; stw r1,0(r6)", reads("r6", between, "r5"), "stw r1,0(r7)"]
    assert not POWER.allow(threads, r"1:r10=1 /\ 1:r12=0 /\ 1:r13=1 /\ 1:r11=0")


@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [("", "", True), ("sync", "sync", False), ("sync", "lwsync", True), ("lwsync", "lwsync", True)],
)
def test_store_buffering(first: str, second: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [f"stw r1,0(r5); {first}; lwz r10,0(r6)", f"stw r1,0(r6); {second}; lwz r10,0(r5)"]
    assert POWER.allow([thread.replace("; ;", ";") for thread in threads], r"0:r10=0 /\ 1:r10=0") is allowed


@pytest.mark.parametrize(
    ("between", "allowed"),
    [
        ("stw r1,0({0})", True),
        ("stw r10,0({0})", False),
        ("xor r20,r10,r10; stwx r1,r20,{0}", False),
        ("cmpw r10,r10; beq L; L: stw r1,0({0})", False),
        ("xor r20,r10,r10; lwzx r12,r20,r7; stw r1,0({0})", False),
        ("lwsync; stw r1,0({0})", False),
        ("isync; stw r1,0({0})", True),
        ("eieio; stw r1,0({0})", True),
    ],
)
def test_load_buffering(between: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [f"lwz r10,0(r5); {between.format('r6')}", f"lwz r10,0(r6); {between.format('r5')}"]
    assert POWER.allow(threads, r"0:r10=1 /\ 1:r10=1") is allowed


@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [
        ("", "", True),
        ("lwsync; ", "lwsync; ", False),
        ("lwsync; ", "", True),
        ("eieio; ", "eieio; ", False),
        ("isync; ", "isync; ", True),
    ],
)
def test_two_plus_two_writes(first: str, second: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [f"stw r2,0(r5); {first}stw r1,0(r6)", f"stw r2,0(r6); {second}stw r1,0(r5)"]
    assert POWER.allow(threads, r"x=2 /\ y=2") is allowed


@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [("sync", "sync", False), ("lwsync", "sync", True), ("sync", "lwsync", True)],
)
def test_r(first: str, second: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [f"stw r1,0(r5); {first}; stw r1,0(r6)", f"stw r2,0(r6); {second}; lwz r10,0(r5)"]
    assert POWER.allow(threads, r"y=2 /\ 1:r10=0") is allowed


@pytest.mark.parametrize(
    ("between", "allowed"), [("", True), ("lwsync; ", False), ("xor r20,r10,r10; ", False), ("isync; ", True)]
)
def test_s(between: str, allowed: bool) -> None:  # noqa: FBT001
    threads = ["stw r2,0(r5); lwsync; stw r1,0(r6)", f"lwz r10,0(r6); {between}stwx r1,r20,r5"]
    assert POWER.allow(threads, r"1:r10=1 /\ x=2") is allowed


@pytest.mark.parametrize(
    ("middle", "allowed"),
    [
        ("stw r10,0(r6)", True),
        ("lwsync; stw r1,0(r6)", False),
        ("sync; stw r1,0(r6)", False),
        ("eieio; stw r1,0(r6)", True),
    ],
)
def test_write_to_read_causality_needs_a_cumulative_barrier(middle: str, allowed: bool) -> None:  # noqa: FBT001
    threads = ["stw r1,0(r5)", f"lwz r10,0(r5); {middle}", reads("r6", BETWEEN["addr"], "r5")]
    assert POWER.allow(threads, r"1:r10=1 /\ 2:r10=1 /\ 2:r11=0") is allowed


@pytest.mark.parametrize(("barrier", "allowed"), [("lwsync; ", False), ("sync; ", False), ("", True)])
def test_isa2(barrier: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [
        f"stw r1,0(r5); {barrier}stw r1,0(r6)",
        "lwz r10,0(r6); stw r10,0(r7)",
        reads("r7", BETWEEN["addr"], "r5"),
    ]
    assert POWER.allow(threads, r"1:r10=1 /\ 2:r10=1 /\ 2:r11=0") is allowed


@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [
        ("addr", "addr", True),
        ("lwsync", "lwsync", True),
        ("sync", "lwsync", True),
        ("sync", "addr", True),
        ("sync", "sync", False),
    ],
)
def test_threads_may_see_writes_in_different_orders(first: str, second: str, allowed: bool) -> None:  # noqa: FBT001
    threads = [
        "stw r1,0(r5)",
        "stw r1,0(r6)",
        reads("r5", BETWEEN[first], "r6"),
        reads("r6", BETWEEN[second], "r5"),
    ]
    seen = r"2:r10=1 /\ 2:r11=0 /\ 3:r10=1 /\ 3:r11=0"
    assert POWER.allow(threads, seen) is allowed


@pytest.mark.parametrize(
    ("threads", "condition"),
    [
        (["stw r1,0(r5)", "lwz r10,0(r5); lwz r11,0(r5)"], r"1:r10=1 /\ 1:r11=0"),
        (["stw r1,0(r5); lwz r10,0(r5)"], "0:r10=0"),
        (["stw r1,0(r5); stw r2,0(r5)"], "x=1"),
        (["lwz r10,0(r5); stw r1,0(r5)"], "0:r10=1"),
    ],
)
def test_coherence(threads: list[str], condition: str) -> None:
    assert not POWER.allow(threads, condition)


ADD = "lwarx r10,0,r5; addi r11,r10,1; stwcx. r11,0,r5; bne E; li r12,1; E: nop"


def test_no_increment_is_lost() -> None:
    assert not POWER.allow([ADD, ADD], r"0:r12=1 /\ 1:r12=1 /\ x=1")
    assert POWER.allow([ADD, ADD], r"0:r12=1 /\ 1:r12=1 /\ x=2")
    assert POWER.allow([ADD, ADD], r"0:r12=0 /\ 1:r12=0 /\ x=0")


def test_conditional_stores_of_one_thread_stay_in_order() -> None:
    def thread(first: str, second: str) -> str:
        one = f"lwarx r10,0,{first}; stwcx. r2,0,{first}; bne E; "
        return f"{one}lwarx r10,0,{second}; stwcx. r1,0,{second}; bne E; li r12,1; E: nop"

    done = r"0:r12=1 /\ 1:r12=1 /\ x=2 /\ y=2"
    assert not POWER.allow([thread("r5", "r6"), thread("r6", "r5")], done)
    plain = thread("r6", "r5").replace("stwcx. r1,0,r5; bne E", "stw r1,0(r5)")
    assert POWER.allow([thread("r5", "r6"), plain], done)
