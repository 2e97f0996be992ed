"""The riscv model, rule by rule: classic shapes that one rule forbids, and their weaker neighbours."""

from __future__ import annotations

import pytest

from unit.models.assembly import Shapes

# x6, x7, x8 point to x, y, z; x1 and x2 hold 1 and 2.
RISCV = Shapes("RISCV", "riscv", "{t}:x6=x; {t}:x7=y; {t}:x8=z; {t}:x1=1; {t}:x2=2")

PUBLISH = "sw x1,0(x6); fence w,w; sw x1,0(x7)"
SEEN = r"1:x10=1 /\ 1:x11=0"
ADDRESS = "xor x12,x10,x10; add x13,x6,x12; lw x11,0(x13)"
PASSED_ON = "lw x14,0(x8); xor x12,x14,x14; add x13,x6,x12; lw x11,0(x13)"

# What the reader does between flag and data, and whether it may still miss the data.
READERS = [
    ("lw x10,0(x7); lw x11,0(x6)", True),
    ("lw x10,0(x7); fence r,r; lw x11,0(x6)", False),
    ("lw x10,0(x7); fence r,rw; lw x11,0(x6)", False),
    ("lw x10,0(x7); fence rw,r; lw x11,0(x6)", False),
    ("lw x10,0(x7); fence rw,rw; lw x11,0(x6)", False),
    ("lw x10,0(x7); fence.tso; lw x11,0(x6)", False),
    ("lw x10,0(x7); fence r,w; lw x11,0(x6)", True),
    ("lw x10,0(x7); fence w,r; lw x11,0(x6)", True),
    ("lw x10,0(x7); fence i,o; lw x11,0(x6)", True),
    ("lw x10,0(x7); fence.i; lw x11,0(x6)", True),
    # Rule 9: address dependencies; a branch does not hold back reads, with or without fence.i.
    (f"lw x10,0(x7); {ADDRESS}", False),
    ("lw x10,0(x7); bne x10,x0,L; L: lw x11,0(x6)", True),
    ("lw x10,0(x7); bne x10,x0,L; L: fence.i; lw x11,0(x6)", True),
    # Rules 5 to 7
    ("lw.aq x10,0(x7); lw x11,0(x6)", False),
    ("lr.w x10,(x7); lw x11,0(x6)", True),
    ("lr.w.aq x10,(x7); lw x11,0(x6)", False),
    ("lw x10,0(x7); lw.aq x11,0(x6)", True),
    ("amoor.w x10,x0,(x7); lw x11,0(x6)", True),
    ("amoor.w.aq x10,x0,(x7); lw x11,0(x6)", False),
    ("amoor.w.rl x10,x0,(x7); lw x11,0(x6)", True),
    ("amoor.w.rl x10,x0,(x7); amoor.w.rl x11,x0,(x6)", False),
    ("amoor.w.aqrl x10,x0,(x7); lw x11,0(x6)", False),
    ("lr.w.rl x10,(x7); lr.w.aq x11,(x6)", False),
    # Rule 12: the value is passed on through memory after its data are known, but not after a branch.
    (f"lw x10,0(x7); sw x10,0(x8); {PASSED_ON}", False),
    (f"lw x10,0(x7); bne x10,x0,L; L: sw x1,0(x8); {PASSED_ON}", True),
    # Rule 3: the write of an atomic is passed on only when it is done.
    (f"lw x10,0(x7); fence r,w; amoswap.w x15,x1,(x8); {PASSED_ON}", False),
    (f"lw x10,0(x7); fence r,w; sw x1,0(x8); {PASSED_ON}", True),
]


@pytest.mark.parametrize(("reader", "allowed"), READERS)
def test_message_passing(reader: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    assert RISCV.allow([PUBLISH, reader], SEEN) is allowed


@pytest.mark.parametrize(
    ("publisher", "allowed"),
    [
        ("sw x1,0(x6); sw x1,0(x7)", True),
        ("sw x1,0(x6); fence w,w; sw x1,0(x7)", False),
        ("sw x1,0(x6); fence rw,w; sw x1,0(x7)", False),
        ("sw x1,0(x6); fence.tso; sw x1,0(x7)", False),
        ("sw x1,0(x6); fence r,rw; sw x1,0(x7)", True),
        ("sw x1,0(x6); fence w,r; sw x1,0(x7)", True),
        ("sw x1,0(x6); sw.rl x1,0(x7)", False),
        ("sw.rl x1,0(x6); sw x1,0(x7)", True),
        ("sw x1,0(x6); amoswap.w.rl x3,x1,(x7)", False),
        ("sw x1,0(x6); amoswap.w.aq x3,x1,(x7)", True),
        # One access: what an acquiring atomic holds back is behind its write too.
        ("amoswap.w.aq x3,x1,(x6); sw x1,0(x7)", False),
    ],
)
def test_publication(publisher: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    assert RISCV.allow([publisher, "lw.aq x10,0(x7); lw x11,0(x6)"], SEEN) is allowed


@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [
        ("sw x1,0(x6); lw x10,0(x7)", "sw x1,0(x7); lw x10,0(x6)", True),
        ("sw x1,0(x6); fence; lw x10,0(x7)", "sw x1,0(x7); fence w,r; lw x10,0(x6)", False),
        ("sw x1,0(x6); fence.tso; lw x10,0(x7)", "sw x1,0(x7); fence; lw x10,0(x6)", True),
        ("sw x1,0(x6); fence r,rw; lw x10,0(x7)", "sw x1,0(x7); fence; lw x10,0(x6)", True),
        ("sw.rl x1,0(x6); lw.aq x10,0(x7)", "sw.rl x1,0(x7); lw.aq x10,0(x6)", True),
        ("sw.aqrl x1,0(x6); lw.aqrl x10,0(x7)", "sw.aqrl x1,0(x7); lw.aqrl x10,0(x6)", False),
        ("amoswap.w.aq x3,x1,(x6); lw x10,0(x7)", "amoswap.w.aq x3,x1,(x7); lw x10,0(x6)", False),
        ("amoswap.w x3,x1,(x6); lw x10,0(x7)", "amoswap.w.aq x3,x1,(x7); lw x10,0(x6)", True),
        ("amoswap.w.rl x3,x1,(x6); lr.w.aq x10,(x7)", "amoswap.w.rl x3,x1,(x7); lr.w.aq x10,(x6)", False),
        ("amoswap.w.rl x3,x1,(x6); lw.aq x10,0(x7)", "amoswap.w.rl x3,x1,(x7); lw.aq x10,0(x6)", True),
    ],
)
def test_store_buffering(first: str, second: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    assert RISCV.allow([first, second], r"0:x10=0 /\ 1:x10=0") is allowed


@pytest.mark.parametrize(
    ("second", "allowed"),
    [
        ("lw x10,0(x7); sw x1,0(x6)", True),
        ("lw x10,0(x7); sw x10,0(x6)", False),
        ("lw x10,0(x7); bne x10,x0,L; L: sw x1,0(x6)", False),
        ("lw x10,0(x7); xor x12,x10,x10; add x13,x8,x12; lw x14,0(x13); sw x1,0(x6)", False),
        ("lw x10,0(x7); fence r,w; sw x1,0(x6)", False),
        ("lw x10,0(x7); fence r,r; sw x1,0(x6)", True),
        ("lw.aq x10,0(x7); sw x1,0(x6)", False),
        ("lw x10,0(x7); sw.rl x1,0(x6)", False),
        ("lw x10,0(x7); amoswap.w x3,x1,(x6)", True),
        ("lw x10,0(x7); amoswap.w x3,x10,(x6)", False),
        ("lw x10,0(x7); amomaxu.w x3,x10,(x6)", False),
    ],
)
def test_load_buffering(second: str, allowed: bool) -> None:  # noqa: FBT001 - a table column
    assert RISCV.allow(["lw x10,0(x6); sw x10,0(x7)", second], r"0:x10=1 /\ 1:x10=1") is allowed


def test_all_threads_see_a_write_at_once() -> None:
    readers = [f"lw x10,0({a}); fence r,r; lw x11,0({b})" for a, b in (("x6", "x7"), ("x7", "x6"))]
    seen = r"2:x10=1 /\ 2:x11=0 /\ 3:x10=1 /\ 3:x11=0"
    assert not RISCV.allow(["sw x1,0(x6)", "sw x1,0(x7)", *readers], seen)
    plain = [reader.replace("fence r,r; ", "") for reader in readers]
    assert RISCV.allow(["sw x1,0(x6)", "sw x1,0(x7)", *plain], seen)


@pytest.mark.parametrize(
    ("threads", "condition"),
    [
        (["sw x1,0(x6)", "lw x10,0(x6); lw x11,0(x6)"], r"1:x10=1 /\ 1:x11=0"),
        (["sw x1,0(x6); lw x10,0(x6)"], "0:x10=0"),
        (["sw x1,0(x6); sw x2,0(x6)"], "x=1"),
        (["lw x10,0(x6); sw x1,0(x6)"], "0:x10=1"),
    ],
)
def test_coherence(threads: list[str], condition: str) -> None:
    assert not RISCV.allow(threads, condition)


def test_reads_of_one_write_may_change_places() -> None:
    """Rule 2 spares two reads of one write: the later may be used for an early read of something else."""
    publish = "sw x1,0(x6); fence w,w; sw x1,0(x7)"
    pair = "lw x10,0(x7); xor x12,x10,x10; add x13,x8,x12; lw x14,0(x13); lw x15,0(x8)"
    reader = f"{pair}; xor x16,x15,x15; add x17,x6,x16; lw x11,0(x17)"
    assert RISCV.allow([publish, reader], SEEN)
    between = reader.replace("lw x15,0(x8)", "sw x2,0(x8); lw x15,0(x8)")
    assert RISCV.allow([publish, between], SEEN)
    changed = r"1:x10=1 /\ 1:x14=0 /\ 1:x15=1 /\ 1:x11=0"
    assert not RISCV.allow([publish, reader, "sw x1,0(x8)"], changed)


@pytest.mark.parametrize("add", ["amoadd.w x10,x1,(x6)", "lr.w x10,(x6); add x11,x10,x1; sc.w x12,x11,(x6)"])
def test_no_increment_is_lost(add: str) -> None:
    status = "" if "amo" in add else r"0:x12=0 /\ 1:x12=0 /\ "
    assert not RISCV.allow([add, add], status + "x=1")
    assert RISCV.allow([add, add], status + "x=2")


def test_what_uses_the_status_of_a_successful_sc_comes_after_its_write() -> None:
    """The dependency starts at the write; a failed sc has none."""
    reader = "lr.w x10,(x7); sc.w x14,x10,(x7); xor x12,x14,x14; add x13,x6,x12; lw x11,0(x13)"
    for status, allowed in ((0, False), (1, True)):
        assert RISCV.allow([PUBLISH, reader], rf"{SEEN} /\ 1:x14={status}") is allowed
    branch = "lr.w x10,(x6); sc.w x14,x1,(x6); bne x14,x0,L; sw x1,0(x7); L: nop"
    seen = r"0:x14=0 /\ 1:x10=1 /\ 1:x11=0"
    assert not RISCV.allow([branch, "lw.aq x10,0(x7); lw x11,0(x6)"], seen)
    assert RISCV.allow([branch.replace("bne x14,x0,L; ", ""), "lw.aq x10,0(x7); lw x11,0(x6)"], seen)


def test_the_data_of_an_sc_reach_no_further_than_its_write() -> None:
    """The status comes from the write alone: what the write waits for holds back the rest only through it."""
    middle = "lw x10,0(x7); lr.w x14,(x8); sc.w x14,x10,(x8); andi x12,x14,64; add x13,x6,x12; lw x11,0(x13)"
    assert not RISCV.allow([PUBLISH, middle], rf"{SEEN} /\ 1:x14=0")
    assert RISCV.allow([PUBLISH, middle], rf"{SEEN} /\ 1:x14=1")
