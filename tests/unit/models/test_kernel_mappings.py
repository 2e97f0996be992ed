"""The Linux kernel's primitives on processors: what each of them orders, and what it does not."""

from __future__ import annotations

import pytest

import membar
from membar.diagnostics import InputError
from membar.models.kernel_mappings import KERNEL_MAPPINGS
from membar.source import SourceFile

MODELS = {"x86-tso": "x86", "armv8": "armv8", "armv7": "armv7", "power": "power", "riscv": "riscv"}
X86_ONLY = frozenset({"x86-tso"})
# On Armv7 every barrier but that for stores is a full one.
WITH_ARMV7 = X86_ONLY | {"armv7"}
ALL, NONE = frozenset(MODELS), frozenset[str]()

STORE_BUFFERING = """C store-buffering
{{ x=0; y=0; z=0; t=0; }}
P0(int *x, int *y, int *z) {{ int r0; int r1; WRITE_ONCE(*x, 1); {} r0 = READ_ONCE(*y); }}
P1(int *x, int *y, int *t) {{ int r0; int r1; WRITE_ONCE(*y, 1); {} r0 = READ_ONCE(*x); }}
exists (0:r0=0 /\\ 1:r0=0)
"""
MESSAGE_PASSING = """C message-passing
{{ x=0; y=0; z=0; t=0; }}
P0(int *x, int *y, int *z) {{ int r1; {} }}
P1(int *x, int *y, int *t) {{ int r0; int r1; int r2; {} }}
exists (1:r0=1 /\\ 1:r1=0)
"""
WRITES, READS = "WRITE_ONCE(*x, 1); {} WRITE_ONCE(*y, 1);", "r0 = READ_ONCE(*y); {} r1 = READ_ONCE(*x);"


def _forbidding(text: str) -> frozenset[str]:
    """The processors on which the outcome cannot happen."""
    verdicts = {model: membar.check(SourceFile("t.litmus", text), model=model).verdict for model in MODELS}
    assert set(verdicts.values()) <= {"holds", "violated"}
    return frozenset(model for model, verdict in verdicts.items() if verdict == "violated")


@pytest.mark.parametrize(
    ("between", "forbidding"),
    [
        ("", NONE),
        ("smp_wmb(); smp_rmb();", frozenset({"armv7"})),
        ("smp_mb();", ALL),
        ("r1 = xchg(z, 1);", ALL),
        ("r1 = xchg_relaxed(z, 1);", X86_ONLY),
        ("r1 = xchg_acquire(z, 1);", WITH_ARMV7),
        ("r1 = xchg_release(z, 1);", WITH_ARMV7),
        ("r1 = cmpxchg(z, 0, 1);", ALL),
        # It fails: Power and Armv7 have a barrier in front of it.
        ("r1 = cmpxchg(z, 1, 2);", WITH_ARMV7 | {"power"}),
        ("atomic_inc(z);", X86_ONLY),
        ("smp_mb__before_atomic(); atomic_inc(z);", ALL),
        ("atomic_inc(z); smp_mb__after_atomic();", ALL),
        ("r1 = atomic_add_return(1, z);", ALL),
    ],
)
def test_store_buffering(between: str, forbidding: frozenset[str]) -> None:
    text = STORE_BUFFERING.format(between, between.replace("z", "t"))
    assert _forbidding(text) == forbidding


@pytest.mark.parametrize(
    ("writer", "reader", "forbidding"),
    [
        (WRITES.format(""), READS.format(""), X86_ONLY),
        (WRITES.format("smp_wmb();"), READS.format("smp_rmb();"), ALL),
        (WRITES.format("smp_wmb();"), READS.format(""), X86_ONLY),
        (WRITES.format(""), READS.format("smp_rmb();"), X86_ONLY),
        (WRITES.format("smp_rmb();"), READS.format("smp_rmb();"), X86_ONLY | {"armv7", "power"}),
        (
            "WRITE_ONCE(*x, 1); smp_store_release(y, 1);",
            "r0 = smp_load_acquire(y); r1 = READ_ONCE(*x);",
            ALL,
        ),
        ("WRITE_ONCE(*x, 1); smp_store_release(y, 1);", READS.format(""), X86_ONLY),
        (
            "WRITE_ONCE(*x, 1); r1 = xchg_release(y, 1);",
            "r0 = xchg_acquire(y, 2); r1 = READ_ONCE(*x);",
            ALL,
        ),
        (
            "spin_lock(z); WRITE_ONCE(*x, 1); spin_unlock(z); WRITE_ONCE(*y, 1);",
            READS.format("smp_rmb();"),
            ALL - {"armv8"},  # what follows `stlr` may overtake it
        ),
        (
            WRITES.format("smp_wmb();"),
            "rcu_read_lock(); " + READS.format("") + " rcu_read_unlock();",
            X86_ONLY,
        ),
    ],
)
def test_message_passing(writer: str, reader: str, forbidding: frozenset[str]) -> None:
    text = MESSAGE_PASSING.format(writer, reader)
    if "spin_lock" in text:
        text = text.replace("int *z)", "spinlock_t *z)")
    assert _forbidding(text) == forbidding


def test_waiting_for_readers_is_no_instruction() -> None:
    text = STORE_BUFFERING.format("synchronize_rcu();", "smp_mb();")
    answer = membar.check(SourceFile("t.litmus", text), model="armv8")
    assert answer.verdict == "unknown"
    assert "synchronize_rcu" in answer.reason


def test_another_processors_table_can_be_chosen() -> None:
    text = SourceFile("t.litmus", STORE_BUFFERING.format("smp_mb();", "smp_mb();"))
    assert membar.check(text, model="x86-tso", mapping="x86").verdict == "violated"
    with pytest.raises(InputError, match="no table `armv8-lse`"):
        membar.check(text, model="armv8", mapping="armv8-lse")
    assert set(KERNEL_MAPPINGS) == set(MODELS.values())
