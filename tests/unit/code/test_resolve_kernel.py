"""The Linux kernel's macros become instructions with the words of its memory model."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.code import ir
from membar.code.printer import print_instruction
from strategies.compiled_code import needs_clang as needs_compiler
from strategies.linked import link_texts, refusal

HEAD = """#include <linux/atomic.h>
int x; long y; atomic_t a; spinlock_t l; int *p;
int main(void) { int r = 0; """


def accesses(module: ir.Module) -> list[str]:
    return [
        print_instruction(item).split(" = ")[-1]
        for block in module.functions["main"].blocks
        for item in block.instructions
        if isinstance(item, ir.Load | ir.Store | ir.Update | ir.CompareExchange | ir.Fence)
        and (not isinstance(item, ir.Load | ir.Store) or item.ordering is not None)
    ]


@needs_compiler
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("r = READ_ONCE(x);", ["load Once i32 @x"]),
        ("WRITE_ONCE(y, 3);", ["store Once i64 3, @y"]),
        ("r = smp_load_acquire(&x);", ["load Acquire i32 @x"]),
        ("smp_store_release(&x, -1);", ["store Release i32 4294967295, @x"]),
        ("rcu_assign_pointer(p, &x);", ["store Release i64 %0, @p"]),
        ("r = xchg(&x, 1);", ["update xchg Mb i32 @x, 1"]),
        ("r = cmpxchg_acquire(&x, 0, 1);", ["cas Acquire Once i32 @x, 0, 1"]),
        ("atomic_inc(&a);", ["update add Noreturn i32 @a, 1"]),
        ("r = atomic_add_return_release(2, &a);", ["update add Release i32 @a, 2"]),
        ("r = atomic_fetch_sub_relaxed(2, &a);", ["update sub Once i32 @a, 2"]),
        ("smp_mb(); smp_wmb();", ["fence Mb", "fence Wmb"]),
        ("rcu_read_lock(); synchronize_rcu();", ["fence Rcu-lock", "fence Sync-rcu"]),
    ],
)
def test_each_macro_is_one_access_with_its_order(tmp_path: Path, statement: str, expected: list[str]) -> None:
    module = link_texts(tmp_path, HEAD + statement + " return r; }")
    found = accesses(module)
    if "rcu_assign" in statement:
        assert found[0].startswith("store Release i64")
    else:
        assert found == expected
    assert not any(name.startswith("__LKMM") for name in module.functions)


@needs_compiler
def test_spin_locks_are_the_primitives(tmp_path: Path) -> None:
    module = link_texts(tmp_path, HEAD + "spin_lock(&l); spin_unlock(&l); return spin_trylock(&l); }")
    assert {"__membar_lock", "__membar_unlock", "__membar_try_lock"} <= set(module.functions)


@needs_compiler
def test_an_order_that_is_not_known_is_refused(tmp_path: Path) -> None:
    text = HEAD.replace("main(void)", "main(int n, char **v)") + "return __LKMM_load(&x, 4, n); }"
    (diagnostic,) = refusal(tmp_path, text).diagnostics
    assert "an order, given as a compile-time constant" in diagnostic.message
    assert diagnostic.primary is not None
