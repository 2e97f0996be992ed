# ruff: noqa: E501 - one mistake per line
"""Deliberate mistakes in the lifting to any number of threads, one by one, and programs that notice them."""

from __future__ import annotations

from dataclasses import dataclass

from differential.mutation import Rewrite

L = "membar.lifting"

# Bodies of threads (see `any_threads.program`), and whether an assertion fails with 2 threads.
PROGRAMS: dict[str, tuple[str, bool]] = {
    "store buffering": ("atomic_store_explicit(&flag[me], 1, memory_order_relaxed); for (int i = 0; i < N; i++) if (i != me) if (atomic_load(&flag[i]) == 0) a = 1; if (a) { owner = me; assert(owner == me); }", True),
    "store buffering, fenced": ("atomic_store_explicit(&flag[me], 1, memory_order_relaxed); atomic_thread_fence(memory_order_seq_cst); for (int i = 0; i < N; i++) if (i != me) if (atomic_load(&flag[i]) == 1) a = 1; if (a == 0) { owner = me; assert(owner == me); }", False),
    "store buffering, exchanged": ("atomic_store(&flag[me], 1); for (int i = 0; i < N; i++) if (i != me) if (atomic_load(&flag[i]) == 1) a = 1; if (a == 0) { owner = me; assert(owner == me); }", False),
    "waiting for all others": ("for (int i = 0; i < N; i++) { atomic_store(&flag[me], 1); if (i != me) while (atomic_load(&flag[i]) == 0) ; } a = 1; assert(a == 1);", False),
    "nobody is passed over": ("for (int i = 0; i < N; i++) if (i != me) while (atomic_load(&flag[i]) == 0) ; assert(0);", False),
    "the own flag counts": ("for (int i = 0; i < N; i++) if (atomic_load(&flag[i]) == 1) a = 1; assert(a == 0); ", False),
    "the own flag is seen": ("atomic_store_explicit(&flag[me], 1, memory_order_relaxed); for (int i = 0; i < N; i++) if (i == me) if (atomic_load(&flag[i]) == 1) a = 1; assert(a == 1);", False),
    "a second scan begins again": ("for (;;) { a = 0; for (int i = 0; i < N; i++) if (i == me) if (atomic_load(&flag[i]) == 1) a = 1; assert(a == 0); atomic_store(&flag[me], 1); }", True),
    "the own flag is met": ("atomic_store_explicit(&flag[me], 1, memory_order_relaxed); for (int i = 0; i < N; i++) if (atomic_load(&flag[i]) == 1) a = 1; assert(a == 0);", True),
    "a register lives on": ("a = atomic_exchange(&x, 1); b = y; assert(a == 0);", True),
    "my own number": ("owner = me; a = owner; if (a == me) assert(0);", True),
    "nobody is before himself": ("for (int i = 0; i < N; i++) if (i == me) if (i < me) assert(0);", False),
    "a value that comes later": ("a = x; x = 2; assert(a != 2);", True),
    "exchanged until it is taken": ("while (atomic_exchange(&x, 1) == 0) ; assert(0);", True),
    "one wins": ("a = atomic_exchange(&x, 1); if (a == 0) { owner = me; assert(owner == me); }", False),
    "several win": ("a = atomic_load(&x); x = 1; if (a == 0) { owner = me; assert(owner == me); }", True),
    "a failed exchange": ("int e = 1; a = atomic_compare_exchange_strong(&x, &e, 2); assert(e == 0); assert(a == 0);", False),
    "an exchange that another follows": ("int e = 0; a = atomic_compare_exchange_strong(&x, &e, 2); assert(e == 0);", True),
    "a failed exchange goes on": ("int e = 0; a = y; b = atomic_compare_exchange_strong(&y, &e, 1); owner = me; assert(owner == me);", True),
    "the owner before": ("a = atomic_exchange(&owner, me + 1); assert(a != me + 1);", False),
    "another before me": ("a = atomic_exchange(&owner, me + 1); assert(a == 0);", True),
    "the first": ("if (me == 0) x = 1; else { a = x; assert(a == 0); }", True),
    "not the first": ("if (me == 0) x = 1; a = y; assert(a == 0); if (me > 0) assert(me != 0);", False),
    "order of threads": ("for (int i = 0; i < N; i++) if (i < me) b = 1; if (b == 0) { owner = me; assert(owner == me); }", False),
    "all have come": ("x = 1; if (atomic_fetch_add(&came, 1) == N - 1) { for (int i = 0; i < N; i++) a = 1; y = 1; } a = y; assert(a == 0);", True),
    "all have come, and stored": ("flag[me] = 1; if (atomic_fetch_add(&came, 1) == N - 1) for (int i = 0; i < N; i++) assert(atomic_load(&flag[i]) == 1);", False),
    "not all have come": ("if (atomic_fetch_add(&came, 1) == N - 1) x = 1; else { a = x; assert(a == 0); }", True),
    "the last number": ("if (me + 1 == N) { owner = me; assert(owner == me); }", False),
    "all but the last number": ("if (me + 1 < N) x = 1; else { a = x; assert(a == 0); }", True),
    "fewer than all": ("a = atomic_fetch_add(&came, 1); assert(a < N); if (a >= N - 1) assert(came == N);", False),
    "not before all": ("a = atomic_fetch_add(&came, 1); assert(a < N - 1);", True),
    "the first to come": ("if (atomic_fetch_add(&came, 1) < 1) { owner = me; assert(owner == me); } if (came == N) x = 1;", False),
    "the last one is alone": ("if (atomic_fetch_add(&came, 1) == N - 1) { owner = me; assert(owner == me); }", False),
    "a choice": ("a = y; if (a == 0) y = 2; b = y; assert(b == 2 || b == 0);", False),
    "two values": ("x = 2; a = x; assert(a == 2); y = 1; a = y; assert(a != 1);", True),
    "bytes": ("x = 255; a = (signed char)atomic_load(&x); assert(a == -1);", False),
    "counting on": ("a = x; x = a + 1; b = x; assert(b <= 2);", False),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong, and the programs that notice it."""

    name: str
    bug: Rewrite
    noticed_by: tuple[str, ...]


MISTAKES = (
    Mistake("fences do nothing", Rewrite(f"{L}.paths", "            yield replace(moved, fenced=True)\n            return", "            yield moved\n            return"), ("store buffering, fenced",)),
    Mistake("an exchange is a read and a write", Rewrite(f"{L}.system", "            atomic=path.atomic,", "            atomic=False,"), ("store buffering, exchanged", "one wins")),
    Mistake("a scan ends at any time", Rewrite(f"{L}.path", "    ended = path.having(seen(register, ACTING, value=True)).for_all(seen(register, EACH, value=True))", "    ended = path"), ("nobody is passed over", "store buffering, fenced")),
    Mistake("a scan passes over all others", Rewrite(f"{L}.path", "    for base, candidate in ((path, ACTING), *((path, other) for other in path.others), (extended, fresh)):\n        chosen", "    for base, candidate in ((path, ACTING),):\n        chosen"), ("store buffering", "store buffering, fenced")),
    Mistake("a scan passes over the thread itself", Rewrite(f"{L}.path", "    for base, candidate in ((path, ACTING), *((path, other) for other in path.others), (extended, fresh)):\n        chosen", "    for base, candidate in (*((path, other) for other in path.others), (extended, fresh)):\n        chosen"), ("the own flag is met",)),
    Mistake("a scan does not begin again", Rewrite(f"{L}.paths", "            fresh = replace(path, reset=path.reset | {register}, met=kept)", "            fresh = replace(path, met=kept)"), ("a second scan begins again",)),
    Mistake("a scan does not go on", Rewrite(f"{L}.paths", "        met = (*path.met, (register, resolved(path, at.who)))", "        met = path.met"), ("store buffering", "the own flag is seen")),
    Mistake("failed assertions go on", Rewrite(f"{L}.paths", '                    yield replace(path, failed=message or "an assertion fails")', "                    yield path"), ("several win", "another before me")),
    Mistake("a failed exchange writes", Rewrite(f"{L}.paths", "        if self._arithmetic.truth(rmw.condition, done):", "        if self._arithmetic.truth(rmw.condition, done) or True:"), ("a failed exchange",)),
    Mistake("a load looks at the own cell", Rewrite(f"{L}.paths", "            index = (resolved(path, pointer.index),)", "            index = (ACTING,) if resolved(path, pointer.index) else ()"), ("store buffering", "store buffering, fenced")),
    Mistake("live registers are forgotten", Rewrite(f"{L}.paths", "        return Way(anchor, Anchor(path.point, static), path, updates)", "        return Way(anchor, Anchor(path.point, static), path)"), ("a register lives on",)),
    Mistake("two numbers of threads are always one", Rewrite(f"{L}.path", "    raise SplitError(equal, path.having(negated(equation)))", "    raise SplitError(equal)"), ("several win", "another before me")),
    Mistake("two numbers of threads are never one", Rewrite(f"{L}.path", "    raise SplitError(equal, path.having(negated(equation)))", "    raise SplitError(path.having(negated(equation)))"), ("my own number",)),
    Mistake("the number 0 is nobody's", Rewrite(f"{L}.arithmetic", "            return is_same(path, thread, FIRST)", "            return False"), ("the first",)),
    Mistake("an offset is lost", Rewrite(f"{L}.bounds", "    found = replace(value, offset=value.offset + distance)", "    found = replace(value)"), ("the owner before", "another before me")),
    Mistake("every thread is the last one to come", Rewrite(f"{L}.arithmetic", "        raise SplitError(path.for_all(everyone), exception)", "        raise SplitError(path)"), ("the last one is alone", "all have come, and stored")),
    Mistake("the last one to come is not alone", Rewrite(f"{L}.arithmetic", "        raise SplitError(path.for_all(everyone), exception)", "        raise SplitError(path, exception)"), ("the last one is alone", "all have come, and stored")),
    Mistake("nobody is the last one to come", Rewrite(f"{L}.arithmetic", "        raise SplitError(path.for_all(everyone), exception)", "        raise SplitError(exception)"), ("all have come", "not all have come")),
    Mistake("every number is the last", Rewrite(f"{L}.arithmetic", "is_same(path, who, LAST) is (op is B.EQ)", "(op is B.EQ)"), ("the last number",)),
    Mistake("fewer than all is always true", Rewrite(f"{L}.arithmetic", "            if most == number.offset + (0 if is_strict else 1):\n                return not", "            if most == number.offset + (0 if is_strict else 1):\n                return True or"), ("not before all",)),
    Mistake("the first to come is anybody", Rewrite(f"{L}.arithmetic", "                return self._counted(tally, Number(tally.offset & MASK), path)", "                return True"), ("the first to come",)),
    Mistake("a thread is before itself", Rewrite(f"{L}.path", "    if one == other:\n        return False\n", "    if one == other:\n        return True\n"), ("nobody is before himself",)),
    Mistake("the first value stays the only one", Rewrite(f"{L}.domains", "            return replace(self, words=self.words | {word})", "            return replace(self, words=self.words or frozenset({word}))"), ("two values", "one wins")),
    Mistake("one pass is enough", Rewrite(f"{L}.paths", "            if before == self.memory.domains:", "            if before is not None:"), ("a value that comes later",)),
    Mistake("looking again and again is a write", Rewrite(f"{L}.paths", "    if not path.is_read or path.met or path.reset or path.cleared:\n        return False", "    if path.met or path.reset or path.cleared:\n        return True"), ("exchanged until it is taken",)),
    Mistake("numbers are not cut to their size", Rewrite(f"{L}.arithmetic", "                low = word & ((1 << width) - 1)\n                return Number(signed(low, width) & MASK if is_signed else low)", "                return value"), ("bytes",)),
)  # fmt: skip
