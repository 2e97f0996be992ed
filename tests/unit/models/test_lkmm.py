"""The kernel's model on the shapes that its definitions turn on, by both engines."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from membar.engines import Engine, graphs, reference
from membar.languages.litmus import FRONTEND
from membar.languages.registry import vocabulary
from membar.models.load import load
from membar.models.model import Model
from membar.questions.outcome import Run
from membar.questions.task import Task
from membar.source import SourceFile

PARAMETERS = (
    "int *x, int *y, int *z, atomic_t *a, spinlock_t *s, struct srcu_struct *u, struct srcu_struct *v"
)
ENGINES = (graphs.ENGINE, reference.ENGINE)


@cache
def lkmm(without: str = "") -> Model:
    """The model, perhaps without one of its checks."""
    whole = load("lkmm", vocabulary=vocabulary())
    assert whole.plan is not None
    checks = tuple(check for check in whole.plan.checks if check.name != without)
    assert len(checks) == len(whole.plan.checks) - bool(without)
    return replace(whole, plan=replace(whole.plan, checks=checks))


def explored(engine: Engine, threads: tuple[str, ...], condition: str, model: Model) -> Run:
    """What the engine finds. The header word makes tests of plain accesses the kernel's too."""
    code = "\n".join(f"P{number}({PARAMETERS})\n{{\n{body}\n}}" for number, body in enumerate(threads))
    source = SourceFile("shape.litmus", f"LKMM shape\n{{}}\n{code}\nexists ({condition})\n")
    return engine.run(
        Task(program=FRONTEND.parse(source), model=model, properties=("condition", "races"))
    ).run


def is_allowed(threads: tuple[str, ...], condition: str, *, without: str = "") -> bool:
    """Whether some execution ends so; both engines must agree on all they find."""
    first, second = (explored(engine, threads, condition, lkmm(without)) for engine in ENGINES)
    assert sorted(first.outcomes) == sorted(second.outcomes)
    assert sorted(first.flags) == sorted(second.flags)
    assert first.positive == second.positive
    return first.positive > 0


def flags(*threads: str) -> set[str]:
    """The flags that some execution raises."""
    first, second = (explored(engine, threads, "true", lkmm()) for engine in ENGINES)
    assert sorted(first.flags) == sorted(second.flags)
    return set(first.flags)


def message_passing(writer: str, reader: str) -> tuple[tuple[str, str], str]:
    return (writer, reader), "1:r0=1 /\\ 1:r1=0"


WRITES = "WRITE_ONCE(*x, 1); {0} WRITE_ONCE(*y, 1);"
READS = "r0 = READ_ONCE(*y); {0} r1 = READ_ONCE(*x);"


@pytest.mark.parametrize(
    ("between_writes", "between_reads", "allowed"),
    [
        ("", "", True),
        ("smp_wmb();", "", True),
        ("", "smp_rmb();", True),
        ("smp_wmb();", "smp_rmb();", False),
        ("smp_mb();", "smp_mb();", False),
        ("smp_rmb();", "smp_rmb();", True),
        ("smp_wmb();", "smp_wmb();", True),
        ("barrier();", "smp_rmb();", True),
        ("atomic_inc(a); smp_mb__after_atomic();", "smp_rmb();", False),
        ("smp_mb__before_atomic(); atomic_inc(a);", "smp_rmb();", False),
        ("smp_mb__before_atomic();", "smp_rmb();", True),
        ("atomic_inc(a);", "smp_rmb();", True),
        ("r9 = atomic_inc_return(a);", "smp_rmb();", False),
        ("r9 = atomic_inc_return_relaxed(a);", "smp_rmb();", True),
        ("r9 = xchg(z, 1);", "smp_rmb();", False),
        ("r9 = cmpxchg(z, 0, 1);", "smp_rmb();", False),
        ("r9 = cmpxchg(z, 7, 1);", "smp_rmb();", True),
        ("r9 = cmpxchg(z, 7, 1); smp_mb__after_atomic();", "smp_rmb();", False),
        ("r9 = atomic_add_unless(a, 1, 0);", "smp_rmb();", True),
        ("r9 = atomic_add_unless(a, 1, 1);", "smp_rmb();", False),
        ("synchronize_rcu();", "smp_rmb();", False),
        ("synchronize_srcu(u);", "smp_rmb();", False),
        ("spin_lock(s);", "smp_rmb();", True),
        ("spin_lock(s); smp_mb__after_spinlock();", "smp_rmb();", False),
        ("spin_lock(s); spin_unlock(s); spin_lock(s);", "smp_rmb();", False),
    ],
)
def test_message_passing(between_writes: str, between_reads: str, *, allowed: bool) -> None:
    shape = message_passing(WRITES.format(between_writes), READS.format(between_reads))
    assert is_allowed(*shape) is allowed


def test_release_and_acquire_order_one_side_each() -> None:
    writer = "WRITE_ONCE(*x, 1); smp_store_release(y, 1);"
    reader = "r0 = smp_load_acquire(y); r1 = READ_ONCE(*x);"
    assert not is_allowed(*message_passing(writer, reader))
    assert is_allowed(*message_passing(writer, READS.format("")))
    assert is_allowed(*message_passing(WRITES.format(""), reader))


def test_rmb_does_not_wait_for_operations_that_return_nothing() -> None:
    writer = "WRITE_ONCE(*x, 1); smp_wmb(); atomic_set(a, 1);"
    condition = "a=2 /\\ 1:r1=0"
    assert is_allowed((writer, "atomic_inc(a); smp_rmb(); r1 = READ_ONCE(*x);"), condition)
    fetching = "r0 = atomic_fetch_add_relaxed(1, a); smp_rmb(); r1 = READ_ONCE(*x);"
    assert not is_allowed((writer, fetching), condition)


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("r0 = READ_ONCE(*{0}); WRITE_ONCE(*{1}, 1);", True),
        ("r0 = READ_ONCE(*{0}); WRITE_ONCE(*{1}, r0);", False),
        ("r0 = READ_ONCE(*{0}); if (r0) {{ WRITE_ONCE(*{1}, 1); }}", False),
        ("r0 = READ_ONCE(*{0}); if (r0) {{ barrier(); }} WRITE_ONCE(*{1}, 1);", True),
        ("r0 = READ_ONCE(*{0}); if (r0) {{ }} else {{ return; }} WRITE_ONCE(*{1}, 1);", False),
        ("r0 = READ_ONCE(*{0}); WRITE_ONCE(*({1} + (r0 & 128)), 1);", False),
        ("r0 = READ_ONCE(*{0}); *{2} = r0; r2 = *{2}; WRITE_ONCE(*{1}, 1 + (r2 & 128));", False),
        ("r0 = READ_ONCE(*{0}); smp_store_release({1}, 1);", False),
        ("r0 = smp_load_acquire({0}); WRITE_ONCE(*{1}, 1);", False),
        ("r0 = READ_ONCE(*{0}); smp_rmb(); WRITE_ONCE(*{1}, 1);", True),
    ],
)
def test_load_buffering(body: str, *, allowed: bool) -> None:
    """Dependencies reach writes; what an `if` decides ends with it."""
    threads = (body.format("x", "y", "z"), body.format("y", "x", "a"))
    assert is_allowed(threads, "0:r0=1 /\\ 1:r0=1") is allowed


def test_full_fences_make_writes_known_to_all() -> None:
    readers = ("r0 = READ_ONCE(*x); {0} r1 = READ_ONCE(*y);", "r0 = READ_ONCE(*y); {0} r1 = READ_ONCE(*x);")
    writers = ("WRITE_ONCE(*x, 1);", "WRITE_ONCE(*y, 1);")
    condition = "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0"
    for fence, allowed in (("smp_rmb();", True), ("smp_mb();", False), ("synchronize_rcu();", False)):
        threads = (*writers, *(reader.format(fence) for reader in readers))
        assert is_allowed(threads, condition) is allowed
    fenced = (*writers, *(reader.format("smp_mb();") for reader in readers))
    assert is_allowed(fenced, condition, without="propagation")


def test_coherence_covers_plain_accesses() -> None:
    threads = ("*x = 1; *x = 2;",)
    assert not is_allowed(threads, "x=1")
    assert is_allowed(threads, "x=1", without="coherence")


def test_operations_are_atomic() -> None:
    threads = ("atomic_inc(a);", "atomic_inc(a);")
    assert not is_allowed(threads, "a=1")
    assert is_allowed(threads, "a=1", without="atomic")


def test_a_release_is_handed_on_by_operations_behind_it() -> None:
    threads = (
        "WRITE_ONCE(*x, 1); smp_store_release(y, 1);",
        "r0 = {0};",
        "r0 = smp_load_acquire(y); r1 = READ_ONCE(*x);",
    )
    condition = "1:r0=1 /\\ 2:r0=2 /\\ 2:r1=0"
    operation = (threads[0], threads[1].format("xchg_relaxed(y, 2)"), threads[2])
    assert not is_allowed(operation, condition)
    write = (threads[0], "r0 = READ_ONCE(*y); WRITE_ONCE(*y, 2);", threads[2])
    assert is_allowed(write, condition)


LOCKED = "spin_lock(s); {0} spin_unlock(s);"


def test_critical_sections_exclude_one_another() -> None:
    inside = "r0 = READ_ONCE(*x); WRITE_ONCE(*x, 1);"
    assert not is_allowed((LOCKED.format(inside),) * 2, "0:r0=0 /\\ 1:r0=0")
    assert flags(LOCKED.format("*x = 1;"), LOCKED.format("*x = 2;")) == set()


def test_a_lock_is_no_full_fence() -> None:
    first = "WRITE_ONCE(*x, 1); spin_lock(s); {0} r0 = READ_ONCE(*y); spin_unlock(s);"
    second = "WRITE_ONCE(*y, 1); smp_mb(); r0 = READ_ONCE(*x);"
    condition = "0:r0=0 /\\ 1:r0=0"
    assert is_allowed((first.format(""), second), condition)
    assert not is_allowed((first.format("smp_mb__after_spinlock();"), second), condition)


def test_a_third_thread_sees_critical_sections_in_order_only_with_a_fence() -> None:
    threads = (
        LOCKED.format("WRITE_ONCE(*x, 1); r0 = READ_ONCE(*y);"),
        LOCKED.format("{0} WRITE_ONCE(*y, 1); r0 = READ_ONCE(*z);"),
        "WRITE_ONCE(*z, 1); smp_mb(); r0 = READ_ONCE(*x);",
    )
    condition = "0:r0=0 /\\ 1:r0=0 /\\ 2:r0=0"
    for fence, allowed in (("", True), ("smp_mb__after_unlock_lock();", False)):
        assert is_allowed((threads[0], threads[1].format(fence), threads[2]), condition) is allowed


def test_a_try_orders_only_if_it_succeeds() -> None:
    taken = "WRITE_ONCE(*x, 1); spin_lock(s);"
    tries = "r0 = spin_trylock(s); r1 = READ_ONCE(*x);"
    assert is_allowed((taken, tries), "1:r0=0 /\\ 1:r1=0")
    assert not is_allowed((taken + "spin_unlock(s);", tries), "1:r0=1 /\\ 1:r1=0")
    asks = "r0 = spin_is_locked(s); r1 = READ_ONCE(*x);"
    assert is_allowed((taken, asks), "1:r0=1 /\\ 1:r1=0")


READER = "rcu_read_lock(); r0 = READ_ONCE(*y); {0} r1 = READ_ONCE(*x); rcu_read_unlock();"
UPDATER = "WRITE_ONCE(*y, 1); {0} WRITE_ONCE(*x, 1);"
OVERLAP = "0:r0=0 /\\ 0:r1=1"


@pytest.mark.parametrize(
    ("between", "allowed"),
    [
        ("", False),
        ("rcu_read_lock(); rcu_read_unlock();", False),
        ("rcu_read_unlock(); rcu_read_lock();", True),
        ("rcu_read_lock(); rcu_read_unlock(); rcu_read_unlock(); rcu_read_lock();", True),
    ],
)
def test_a_grace_period_waits_for_whole_sections(between: str, *, allowed: bool) -> None:
    """Sections nest: the inner ones do not end the outer one."""
    threads = (READER.format(between), UPDATER.format("synchronize_rcu();"))
    assert is_allowed(threads, OVERLAP) is allowed
    assert is_allowed(threads, OVERLAP, without="rcu")


def test_grace_periods_must_not_be_outnumbered() -> None:
    reads = "rcu_read_lock(); r0 = READ_ONCE(*{0}); WRITE_ONCE(*{1}, 1); rcu_read_unlock();"
    waits = "r0 = READ_ONCE(*{0}); synchronize_rcu(); WRITE_ONCE(*{1}, 1);"
    condition = "0:r0=1 /\\ 1:r0=1 /\\ 2:r0=1"
    two = (waits.format("x", "y"), waits.format("y", "z"), reads.format("z", "x"))
    one = (waits.format("x", "y"), reads.format("y", "z"), reads.format("z", "x"))
    assert not is_allowed(two, condition)
    assert is_allowed(one, condition)


SRCU_READER = "r2 = srcu_read_lock(u); r0 = READ_ONCE(*y); {0} r1 = READ_ONCE(*x); srcu_read_unlock(u, r2);"


@pytest.mark.parametrize(
    ("between", "wait", "allowed"),
    [
        ("", "synchronize_srcu(u);", False),
        ("", "synchronize_srcu_expedited(u);", False),
        ("", "synchronize_srcu(v);", True),
        ("", "synchronize_rcu();", True),
        ("r3 = srcu_read_lock(u); srcu_read_unlock(u, r3);", "synchronize_srcu(u);", False),
        ("srcu_read_unlock(u, r2); r2 = srcu_read_lock(u);", "synchronize_srcu(u);", True),
    ],
)
def test_srcu_waits_for_sections_of_its_structure(between: str, wait: str, *, allowed: bool) -> None:
    assert is_allowed((SRCU_READER.format(between), UPDATER.format(wait)), OVERLAP) is allowed


def test_overlapping_srcu_sections_are_told_by_their_index() -> None:
    overlapping = (
        "r2 = srcu_read_lock(u); r0 = READ_ONCE(*y); r3 = srcu_read_lock(u);"
        "srcu_read_unlock(u, {0}); r1 = READ_ONCE(*x); srcu_read_unlock(u, {1});"
    )
    updater = UPDATER.format("synchronize_srcu(u);")
    assert not is_allowed((overlapping.format("r3", "r2"), updater), OVERLAP)
    assert is_allowed((overlapping.format("r2", "r3"), updater), OVERLAP)


def test_an_srcu_index_may_go_through_memory() -> None:
    stored = (
        "r2 = srcu_read_lock(u); WRITE_ONCE(*z, r2); r0 = READ_ONCE(*y); r1 = READ_ONCE(*x);"
        "r3 = READ_ONCE(*z); srcu_read_unlock(u, r3);"
    )
    assert not is_allowed((stored, UPDATER.format("synchronize_srcu(u);")), OVERLAP)


@pytest.mark.parametrize(
    ("threads", "expected"),
    [
        (("*x = 1;", "*x = 2;"), {"data-race"}),
        (("*x = 1;", "r0 = READ_ONCE(*x);"), {"data-race"}),
        (("WRITE_ONCE(*x, 1);", "r0 = *x;"), {"data-race"}),
        (("WRITE_ONCE(*x, 1);", "r0 = READ_ONCE(*x);"), set()),
        (("r1 = *x;", "r0 = *x;"), set()),
        (
            ("*x = 1; smp_store_release(y, 1);", "r0 = smp_load_acquire(y); if (r0) { r1 = *x; }"),
            set(),
        ),
        (
            ("*x = 1; smp_wmb(); WRITE_ONCE(*y, 1);", "r0 = READ_ONCE(*y); if (r0) { r1 = *x; }"),
            {"data-race"},
        ),
        (("*x = 1; WRITE_ONCE(*x, 2);",), {"mixed-accesses"}),
        (("*x = 1; barrier(); WRITE_ONCE(*x, 2);",), set()),
        (("rcu_read_lock(); *x = 1; rcu_read_unlock(); rcu_read_unlock();",), {"unmatched-rcu-unlock"}),
        (("srcu_read_unlock(u, 0);",), {"unmatched-srcu-unlock"}),
        (
            ("r0 = srcu_read_lock(u); srcu_read_unlock(u, r0); srcu_read_unlock(u, r0);",),
            {"shared-srcu-index"},
        ),
        (("rcu_read_lock(); synchronize_srcu(u); rcu_read_unlock();",), {"sleeps-in-rcu"}),
        (("spin_unlock(s);",), {"unmatched-unlock"}),
        (("spin_lock(s); spin_unlock(s); WRITE_ONCE(*s, 0);",), {"lock-accessed"}),
        (
            (
                "rcu_read_lock(); spin_lock(s); spin_unlock(s); rcu_read_unlock();",
                "spin_lock(s); spin_unlock(s);",
            ),
            set(),
        ),
    ],
)
def test_flags(threads: tuple[str, ...], expected: set[str]) -> None:
    assert flags(*threads) == expected


def test_plain_accesses_do_not_see_what_comes_too_late() -> None:
    threads = (
        "r0 = *x; smp_store_release(y, 1);",
        "r0 = smp_load_acquire(y); if (r0) { WRITE_ONCE(*x, 1); }",
    )
    assert not is_allowed(threads, "0:r0=1 /\\ 1:r0=1")
    assert is_allowed(threads, "0:r0=1 /\\ 1:r0=1", without="plain-coherence")


def test_happens_before_forbids_what_the_other_axioms_do_not() -> None:
    shape = message_passing(WRITES.format("smp_wmb();"), READS.format("smp_rmb();"))
    assert is_allowed(*shape, without="happens-before")
