"""What each function of the kernel becomes: events, ordering words, values."""

from __future__ import annotations

import pytest

from membar.languages.litmus.dialects.c.functions import FUNCTIONS as C11_FUNCTIONS
from membar.languages.litmus.dialects.c.kernel import is_kernel_code, is_kernel_word
from membar.languages.litmus.dialects.lkmm.functions import FUNCTIONS
from membar.languages.litmus.dialects.lkmm.tags import TAGS
from membar.program.expr import Address, Constant
from membar.program.operations import Assume, Fence, Load, Rmw, Store, Tags
from membar.source import SourceFile
from unit.languages.litmus.c.single import endings
from unit.languages.litmus.lkmm.kernel import body_of, operations

ORDERS = {
    "": ("Mb", "Mb"),
    "_relaxed": ("Once", "Once"),
    "_acquire": ("Acquire", "Once"),
    "_release": ("Once", "Release"),
}


def tags(*words: str) -> Tags:
    return frozenset(words)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("r = *x;", set()),
        ("r = READ_ONCE(*x);", {"Once"}),
        ("r = rcu_dereference(*x);", {"Once"}),
        ("r = smp_load_acquire(x);", {"Acquire"}),
        ("r = atomic_read(x);", {"Once"}),
        ("r = atomic_read_acquire(x);", {"Acquire"}),
        ("r = srcu_read_lock(x);", {"Srcu-lock"}),
        ("r = srcu_down_read(x);", {"Srcu-lock"}),
        ("r = spin_is_locked(x);", {"RL"}),
    ],
)
def test_loads(code: str, words: set[str]) -> None:
    load = operations(body_of(code))[0]
    assert isinstance(load, Load)
    assert (load.address, load.tags) == (Address("x"), tags(*words))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("*x = 5;", set()),
        ("WRITE_ONCE(*x, 5);", {"Once"}),
        ("rcu_assign_pointer(*x, 5);", {"Release"}),
        ("smp_store_release(x, 5);", {"Release"}),
        ("atomic_set(x, 5);", {"Once"}),
        ("atomic_set_release(x, 5);", {"Release"}),
        ("srcu_read_unlock(x, 5);", {"Srcu-unlock"}),
        ("srcu_up_read(x, 5);", {"Srcu-unlock"}),
    ],
)
def test_stores(code: str, words: set[str]) -> None:
    assert operations(body_of(code)) == [
        Store(address=Address("x"), value=Constant(5), size=8, tags=tags(*words))
    ]


@pytest.mark.parametrize(
    ("code", "tag"),
    [
        ("smp_mb();", "Mb"),
        ("smp_rmb();", "Rmb"),
        ("smp_wmb();", "Wmb"),
        ("barrier();", "Barrier"),
        ("smp_mb__before_atomic();", "Before-atomic"),
        ("smp_mb__after_atomic();", "After-atomic"),
        ("smp_mb__after_spinlock();", "After-spinlock"),
        ("smp_mb__after_unlock_lock();", "After-unlock-lock"),
        ("smp_mb__after_srcu_read_unlock();", "After-srcu-read-unlock"),
        ("rcu_read_lock();", "Rcu-lock"),
        ("rcu_read_unlock();", "Rcu-unlock"),
        ("synchronize_rcu();", "Sync-rcu"),
        ("synchronize_rcu_expedited();", "Sync-rcu"),
    ],
)
def test_fences(code: str, tag: str) -> None:
    assert operations(body_of(code)) == [Fence(frozenset({tag}))]


@pytest.mark.parametrize("name", ["synchronize_srcu", "synchronize_srcu_expedited"])
def test_waiting_for_srcu_readers_names_the_structure(name: str) -> None:
    assert operations(body_of(f"{name}(u);")) == [Fence(frozenset({"Sync-srcu"}), Address("u"))]


def test_a_store_with_a_barrier_is_both() -> None:
    store, fence = operations(body_of("smp_store_mb(*x, 1);"))
    assert isinstance(store, Store)
    assert store.tags == tags("Once")
    assert fence == Fence(frozenset({"Mb"}))


@pytest.mark.parametrize("suffix", ORDERS)
@pytest.mark.parametrize(
    "call",
    [
        "xchg{0}(x, 1)",
        "atomic_xchg{0}(a, 1)",
        "cmpxchg{0}(x, 0, 1)",
        "atomic_cmpxchg{0}(a, 0, 1)",
        "atomic_add_return{0}(1, a)",
        "atomic_inc_return{0}(a)",
        "atomic_fetch_sub{0}(1, a)",
        "atomic_fetch_andnot{0}(1, a)",
        "atomic_fetch_dec{0}(a)",
        "atomic_add_negative{0}(1, a)",
        "atomic64_fetch_or{0}(1, x)",
        "atomic_long_xchg{0}(x, 1)",
    ],
)
def test_orders_of_atomic_operations(call: str, suffix: str) -> None:
    rmw = operations(body_of(f"r = {call.format(suffix)};"))[0]
    assert isinstance(rmw, Rmw)
    assert (rmw.read_tags, rmw.write_tags) == tuple(tags(word, "RMW") for word in ORDERS[suffix])
    assert rmw.failed_tags == tags("Once", "RMW")


@pytest.mark.parametrize("call", ["atomic_add(2, a)", "atomic_inc(a)", "atomic_dec(a)", "atomic_xor(1, a)"])
def test_operations_that_return_nothing(call: str) -> None:
    (rmw,) = operations(body_of(f"{call};"))
    assert isinstance(rmw, Rmw)
    assert (rmw.read_tags, rmw.write_tags) == (tags("Noreturn", "RMW"), tags("Once", "RMW"))


@pytest.mark.parametrize(
    ("call", "result", "left"),
    [
        ("atomic_add_return(3, a)", 8, 8),
        ("atomic_fetch_add(3, a)", 5, 8),
        ("atomic_sub_return(3, a)", 2, 2),
        ("atomic_fetch_sub(7, a)", 5, -2),
        ("atomic_inc_return(a)", 6, 6),
        ("atomic_fetch_dec(a)", 5, 4),
        ("atomic_fetch_and(6, a)", 5, 4),
        ("atomic_fetch_or(2, a)", 5, 7),
        ("atomic_fetch_xor(1, a)", 5, 4),
        ("atomic_fetch_andnot(1, a)", 5, 4),
        ("atomic_xchg(a, 9)", 5, 9),
        ("xchg(a, 9)", 5, 9),
        ("atomic_cmpxchg(a, 5, 9)", 5, 9),
        ("atomic_cmpxchg(a, 4, 9)", 5, 5),
        ("atomic_add_unless(a, 3, 5)", 0, 5),
        ("atomic_add_unless(a, 3, 4)", 1, 8),
        ("atomic_inc_not_zero(a)", 1, 6),
        ("atomic_sub_and_test(5, a)", 1, 0),
        ("atomic_sub_and_test(4, a)", 0, 1),
        ("atomic_dec_and_test(a)", 0, 4),
        ("atomic_inc_and_test(a)", 0, 6),
        ("atomic_add_negative(-6, a)", 1, -1),
        ("atomic_add_negative(6, a)", 0, 11),
        ("atomic_read(a)", 5, 5),
        ("spin_is_locked(a)", 5, 5),
    ],
)
def test_values_of_atomic_operations(call: str, result: int, left: int) -> None:
    program = body_of(f"int r = {call};", initial="atomic_t a = ATOMIC_INIT(5);")
    (ending,) = endings(program, program.threads[0])
    assert (ending.registers["r"], ending.memory["a"]) == (result, left)


@pytest.mark.parametrize(("found", "done", "left", "seen"), [(5, 1, 9, 5), (4, 0, 5, 5)])
def test_a_try_tells_success_and_what_it_found(found: int, done: int, left: int, seen: int) -> None:
    program = body_of(
        f"int old = {found}; int r = atomic_try_cmpxchg(a, &old, 9);", initial="atomic_t a = ATOMIC_INIT(5);"
    )
    (ending,) = endings(program, program.threads[0])
    assert (ending.registers["r"], ending.registers["old"], ending.memory["a"]) == (done, seen, left)


def test_int_arithmetic_wraps_at_32_bits() -> None:
    program = body_of("int r = atomic_add_return(1, a);", initial="atomic_t a = ATOMIC_INIT(2147483647);")
    (ending,) = endings(program, program.threads[0])
    assert (ending.registers["r"], ending.memory["a"]) == (-(2**31), -(2**31))


def test_a_lock_reads_0_and_writes_1_or_waits() -> None:
    rmw, wait, unlock = operations(body_of("spin_lock(s); spin_unlock(s);"))
    assert isinstance(rmw, Rmw)
    assert (rmw.read_tags, rmw.write_tags, rmw.failed_tags) == (tags("LKR"), tags("LKW"), tags("LF"))
    assert wait == Assume(rmw.condition, waits=True)
    assert unlock == Store(address=Address("s"), value=Constant(0), size=8, tags=frozenset({"UL"}))
    taken = body_of("spin_lock(s); spin_lock(s);")
    assert endings(taken, taken.threads[0]) == []


@pytest.mark.parametrize(("initial", "got"), [("s=0;", 1), ("s=1;", 0)])
def test_a_try_to_lock_does_not_wait(initial: str, got: int) -> None:
    program = body_of("int r = spin_trylock(s);", initial=initial)
    (ending,) = endings(program, program.threads[0])
    assert (ending.registers["r"], ending.memory["s"]) == (got, 1)


def test_every_tag_is_documented() -> None:
    used = {
        tag
        for function in FUNCTIONS.values()
        for tag in function.tags | (function.order.read | function.order.write if function.order else set())
    }
    assert used | {"LF"} == set(TAGS)


def test_the_kernels_functions_are_known_as_such() -> None:
    shared = {f"atomic_fetch_{op}" for op in ("add", "sub", "and", "or", "xor")}
    assert {name for name in FUNCTIONS if not is_kernel_word(name)} == shared
    assert not [name for name in C11_FUNCTIONS if is_kernel_word(name)]


def test_code_that_is_no_c_is_nobodys() -> None:
    text = "P0(int *x) { smp_mb(); @ }"
    assert not is_kernel_code(SourceFile("test.litmus", text).span(0, len(text)))
