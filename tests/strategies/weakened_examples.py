"""Examples in C++ and Rust with one order weakened, and what membar must say of the result under each model.

The right programs are the examples themselves, which say in their first comment what to expect.
"""

from __future__ import annotations

_V, _H, _W = "VIOLATED", "HOLDS", "HOLDS WITHIN"
Expected = dict[str, str]
# x86 orders what acquire, release and the order of a thread's stores ask for; only store buffering is left.
# Armv8 has none after a release store if the load is seq_cst. In C++ a thread frees what `main` made, and
# these programs are races there: whether Armv8 delays an access beyond the end of that memory is in doubt.
_ORDER: Expected = {"rc20": _V, "x86-tso": _H, "armv8": _V}
_RELEASES: Expected = {"rc20": _V, "x86-tso": _V, "armv8": _H}
_DOUBTFUL: Expected = {"rc20": _V, "x86-tso": _V, "armv8": _W}
_WRONG: Expected = {"rc20": _V, "x86-tso": _V, "armv8": _V}
_ACQUIRE, _RELEASE = "std::memory_order_acquire", "std::memory_order_release"
_RELAXED, _SEQ_CST = "std::memory_order_relaxed", "std::memory_order_seq_cst"
_FENCE = f"std::atomic_thread_fence({_SEQ_CST});"

CPP: tuple[tuple[str, str, str, Expected], ...] = (
    ("bakery", _SEQ_CST, _RELEASE, _DOUBTFUL),
    ("barrier", f"mine, {_RELEASE}", f"mine, {_RELAXED}", _ORDER),
    ("burns", _SEQ_CST, _RELEASE, _DOUBTFUL),
    ("clh", f"load({_ACQUIRE})", f"load({_RELAXED})", _ORDER),
    ("dekker", _SEQ_CST, _RELEASE, _DOUBTFUL),
    ("fast-mutex", _SEQ_CST, _RELAXED, _ORDER),
    ("mcs", f"store(false, {_RELEASE})", f"store(false, {_RELAXED})", _ORDER),
    ("msqueue", f"mine, {_RELEASE}", f"mine, {_RELAXED}", _ORDER),
    ("peterson", _SEQ_CST, _RELEASE, _DOUBTFUL),
    ("publication", _RELEASE, _RELAXED, _ORDER),
    ("seqlock", f"fence({_ACQUIRE})", f"fence({_RELAXED})", _ORDER),
    ("szymanski", _SEQ_CST, _RELEASE, _DOUBTFUL),
    ("ttas", _ACQUIRE, _RELAXED, _ORDER),
    ("heap/deque", f"(b, {_RELEASE})", f"(b, {_RELAXED})", {"rc20": _V, "rc11": _H, "x86-tso": _H}),
    ("heap/deque", _FENCE, "", _WRONG),
    ("heap/epoch", _FENCE, "", _WRONG),
    ("heap/epoch", "seen == now", "seen <= now", _WRONG),
    ("heap/hash", f"mine.get(), {_RELEASE}", f"mine.get(), {_RELAXED}", _ORDER),
    ("heap/hash", "if (find(first, key))", "if (find(mine->next, key))", _WRONG),
    ("heap/hazard", _FENCE, "", _WRONG),
    ("heap/hazard", "== old.get()", "== nullptr", _WRONG),
    ("heap/mpmc", f"at + 1, {_RELEASE}", f"at + 1, {_RELAXED}", _ORDER),
    ("heap/mpmc", "claim(tail, at)", f"(tail.store(at + 1, {_RELAXED}), true)", _WRONG),
    ("heap/msqueue", f"mine, {_RELEASE}", f"mine, {_RELAXED}", _ORDER),
    ("heap/msqueue", "retired.reset(first)", "delete first", _WRONG),
    ("heap/pool", "    std::lock_guard<std::mutex> guard(mutex);\n", "", _WRONG),
    ("heap/rcu-list", f"new Node{{4, second}}, {_RELEASE}", f"new Node{{4, second}}, {_RELAXED}", _ORDER),
    ("heap/rcu-list", "  synchronize();\n", "", _WRONG),
    ("heap/tagged", "word + 1", "word", _WRONG),
    ("heap/treiber", f"node, {_RELEASE}", f"node, {_RELAXED}", _ORDER),
    ("heap/treiber", "retired[me] = std::move(mine);", "", _WRONG),
)
"""Name of the example, text, what takes its place everywhere, and the verdicts."""

RUST: tuple[tuple[str, str, str, Expected], ...] = (
    ("arc", "fetch_sub(1, Ordering::Release)", "fetch_sub(1, Ordering::Relaxed)", _ORDER),
    (
        "bakery",
        "mine, Ordering::SeqCst);\n    CHOOSING[me].store(false, Ordering::SeqCst)",
        "mine, Ordering::Release);\n    CHOOSING[me].store(false, Ordering::Release)",
        _RELEASES,
    ),
    ("barrier", "mine, Ordering::Release", "mine, Ordering::Relaxed", _ORDER),
    ("burns", "true, Ordering::SeqCst", "true, Ordering::Release", _RELEASES),
    ("clh", "load(Ordering::Acquire)", "load(Ordering::Relaxed)", _ORDER),
    ("dekker", "true, Ordering::SeqCst", "true, Ordering::Release", _RELEASES),
    (  # on Armv8, the address that was read orders the read of the value
        "double-checked",
        "INSTANCE.load(Ordering::Acquire)",
        "INSTANCE.load(Ordering::Relaxed)",
        {**_ORDER, "armv8": _H},
    ),
    (
        "fast-mutex",
        "Y.store(0, Ordering::SeqCst);\n    BUSY[me].store(false, Ordering::SeqCst)",
        "Y.store(0, Ordering::Relaxed);\n    BUSY[me].store(false, Ordering::Relaxed)",
        _ORDER,
    ),
    ("mcs", "locked.load(Ordering::Acquire)", "locked.load(Ordering::Relaxed)", _ORDER),
    ("mpsc", "assert_eq!(sum, 3)", "assert_eq!(receiver.recv(), Ok(1))", _WRONG),
    ("msqueue", "mine, Ordering::Release", "mine, Ordering::Relaxed", _ORDER),
    ("mutex-condvar", "while !*ready", "if !*ready", _WRONG),
    ("once", "ONCE.call_once(|| unsafe {", "(|f: fn()| f())(|| unsafe {", _WRONG),
    (
        "peterson",
        "true, Ordering::SeqCst);\n    LAST.store(me, Ordering::SeqCst)",
        "true, Ordering::Release);\n    LAST.store(me, Ordering::Release)",
        _RELEASES,
    ),
    ("publication", "Ordering::Release", "Ordering::Relaxed", _ORDER),
    ("rwlock", "PAIR.write().unwrap()", "PAIR.read().unwrap()", _WRONG),
    ("seqlock", "fence(Ordering::Release);", "", _ORDER),
    ("spin", "swap(true, Ordering::Acquire)", "swap(true, Ordering::Relaxed)", _ORDER),
    ("spsc", "head.load(Ordering::Acquire)", "head.load(Ordering::Relaxed)", _ORDER),
    ("szymanski", "store(1, Ordering::SeqCst)", "store(1, Ordering::Release)", _RELEASES),
    ("ticket", "serving.load(Ordering::Acquire)", "serving.load(Ordering::Relaxed)", _ORDER),
    ("treiber", "Ordering::Release, Ordering::Relaxed", "Ordering::Relaxed, Ordering::Relaxed", _ORDER),
    ("ttas", "swap(true, Ordering::Acquire)", "swap(true, Ordering::Relaxed)", _ORDER),
    (
        "heap/deque",
        "(b, Ordering::Release)",
        "(b, Ordering::Relaxed)",
        {"rc20": _V, "rc11": _H, "x86-tso": _H, "armv8": _H},
    ),
    ("heap/deque", "fence(Ordering::SeqCst);", "", _WRONG),
    ("heap/epoch", "fence(Ordering::SeqCst);", "", _WRONG),
    ("heap/epoch", "seen == epoch", "seen <= epoch", _WRONG),
    ("heap/hash", "new, Ordering::Release", "new, Ordering::Relaxed", _ORDER),
    ("heap/hash", "find(first, key)", "find(mine.next, key)", _WRONG),
    ("heap/hazard", "fence(Ordering::SeqCst);", "", _WRONG),
    ("heap/hazard", "Acquire) != old", "Acquire) != ptr::null_mut()", _WRONG),
    ("heap/mpmc", "at + 1, Ordering::Release", "at + 1, Ordering::Relaxed", _ORDER),
    (
        "heap/mpmc",
        "match Queue::claim(&self.tail, at)",
        "match { self.tail.store(at + 1, Ordering::Relaxed); Ok::<usize, usize>(at) }",
        _WRONG,
    ),
    ("heap/msqueue", "mine, Ordering::Release", "mine, Ordering::Relaxed", _ORDER),
    ("heap/msqueue", "return Some((value, first))", "drop(unsafe { Box::from_raw(first) })", _WRONG),
    ("heap/pool", "*first = job.next.take();", "drop(first);\n    *queue.lock().unwrap() = None;", _WRONG),
    ("heap/rcu-list", "make(4, second), Ordering::Release", "make(4, second), Ordering::Relaxed", _ORDER),
    ("heap/rcu-list", "    synchronize();\n", "", _WRONG),
    ("heap/tagged", "(old + 1) & 7", "old & 7", _WRONG),
    ("heap/treiber", "mine, Ordering::Release", "mine, Ordering::Relaxed", _ORDER),
    (
        "heap/treiber",
        "    Popped(mine)",
        "    drop(Popped(mine));\n    Popped(Box::into_raw(Box::new(unsafe { std::mem::zeroed() })))",
        _WRONG,
    ),
)
