"""Small programs for the functions of the C++ library, and what membar must say of each.

For what synchronises there is a pair: what one thread did before is seen (HOLDS), and it is no fence (VIOLATED).
"""

# ruff: noqa: E501 - one row for each program

from __future__ import annotations

_HEAD = """
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>
{headers}
using namespace std::chrono_literals;
constexpr auto RLX = std::memory_order_relaxed;
std::atomic<int> x, y;
int data, seen = 1;
{globals}
int main() {{
  {setup}
  std::thread other([&] {{ {other} }});
  {own}
  other.join();
  {after}
}}
"""


def program(  # noqa: PLR0917 - the parts of a program in their order
    headers: str, globals_: str, other: str, own: str, after: str = "", setup: str = ""
) -> str:
    """A program of two threads."""
    includes = "\n".join(f"#include <{header}>" for header in headers.split())
    return _HEAD.format(headers=includes, globals=globals_, other=other, own=own, after=after, setup=setup)


def _no_fence(headers: str, globals_: str, other: str, own: str, setup: str = "") -> str:
    """Both threads write, call something, and read what the other one writes: both may read the old value."""
    return program(
        headers,
        globals_,
        f"x.store(1, RLX); {other} seen = y.load(RLX);",
        f"y.store(1, RLX); {own} int found = x.load(RLX);",
        "assert(found == 1 || seen == 1);",
        setup,
    )


VIOLATED, HOLDS, WITHIN, UNKNOWN, REFUSED = "violated", "holds", "holds-within", "unknown", "refused"
SLOW = "not answered in time"

# Locks: their header and type, what takes them, and what gives them back.
_LOCKS = {
    "mutex": ("mutex", "mutex", "{}.lock()", "{}.unlock()"),
    "mutex, tried": ("mutex", "mutex", "if ({}.try_lock())", "{}.unlock()"),
    "recursive mutex": ("mutex", "recursive_mutex", "{0}.lock(); {0}.lock()", "{0}.unlock(); {0}.unlock()"),
    "recursive mutex, tried": ("mutex", "recursive_mutex", "if ({}.try_lock())", "{}.unlock()"),
    "timed mutex": ("mutex", "timed_mutex", "{}.lock()", "{}.unlock()"),
    "timed mutex, tried": ("mutex", "timed_mutex", "if ({}.try_lock())", "{}.unlock()"),
    "timed mutex, for a time": ("mutex", "timed_mutex", "if ({}.try_lock_for(1s))", "{}.unlock()"),
    "timed mutex, until a time": ("mutex", "timed_mutex", "if ({}.try_lock_until(std::chrono::system_clock::now()))", "{}.unlock()"),
    "recursive timed mutex": ("mutex", "recursive_timed_mutex", "{0}.lock(); {0}.lock()", "{0}.unlock(); {0}.unlock()"),
    "recursive timed mutex, tried": ("mutex", "recursive_timed_mutex", "if ({}.try_lock())", "{}.unlock()"),
    "recursive timed mutex, for a time": ("mutex", "recursive_timed_mutex", "if ({}.try_lock_for(1s))", "{}.unlock()"),
    "recursive timed mutex, until a time": ("mutex", "recursive_timed_mutex", "if ({}.try_lock_until(std::chrono::system_clock::now()))", "{}.unlock()"),
    "shared mutex": ("shared_mutex", "shared_mutex", "{}.lock()", "{}.unlock()"),
    "shared mutex, tried": ("shared_mutex", "shared_mutex", "if ({}.try_lock())", "{}.unlock()"),
    "shared timed mutex": ("shared_mutex", "shared_timed_mutex", "{}.lock()", "{}.unlock()"),
    "shared timed mutex, tried": ("shared_mutex", "shared_timed_mutex", "if ({}.try_lock())", "{}.unlock()"),
    "shared timed mutex, for a time": ("shared_mutex", "shared_timed_mutex", "if ({}.try_lock_for(1s))", "{}.unlock()"),
    "binary semaphore": ("semaphore", "binary_semaphore", "{}.acquire()", "{}.release()"),
    "binary semaphore, tried": ("semaphore", "binary_semaphore", "if ({}.try_acquire())", "{}.release()"),
    "binary semaphore, for a time": ("semaphore", "binary_semaphore", "if ({}.try_acquire_for(1s))", "{}.release()"),
}  # fmt: skip
# The same of those that readers share: what a reader calls.
_READERS = {
    "shared mutex": ("shared_mutex", "{}.lock_shared()"),
    "shared mutex, tried": ("shared_mutex", "if ({}.try_lock_shared())"),
    "shared timed mutex": ("shared_timed_mutex", "{}.lock_shared()"),
    "shared timed mutex, tried": ("shared_timed_mutex", "if ({}.try_lock_shared())"),
    "shared timed mutex, for a time": ("shared_timed_mutex", "if ({}.try_lock_shared_for(1s))"),
}


def _call(take: str, name: str, body: str, give: str) -> str:
    end = "" if take.startswith("if") else ";"
    return f"{take.format(name)}{end} {{ {body} {give.format(name)}; }}"


def _lock_cases() -> dict[str, tuple[str, tuple[str, ...]]]:
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name, (header, kind, take, give) in _LOCKS.items():
        begin = "{1}" if "semaphore" in kind else ""
        both = f"std::{kind} a{begin}, b{begin};"
        first, second = (_call(take, lock, "", give) for lock in "ab")
        found[f"{name}: no fence"] = (_no_fence(header, both, first, second), (VIOLATED,))
        add = _call(take, "a", "data += 1;", give)
        is_bounded = "for a time" in name or "semaphore" in name
        found[f"{name}: excludes, and orders what it encloses"] = (
            program(header, both, add, add, "assert(data <= 2);"),
            (WITHIN if is_bounded else HOLDS,),
        )
        if take.startswith("if") and "semaphore" not in name:
            found[f"{name}: may fail without cause"] = (
                program(
                    header, both, "", f"data = 1; {_call(take, 'a', 'data = 2;', give)}", "assert(data == 2);"
                ),
                (VIOLATED,),
            )
            lock = "a.acquire();" if "semaphore" in name else "a.lock();"
            found[f"{name}: a failure orders nothing"] = (
                program(
                    header,
                    both,
                    f"x.store(1, RLX); {lock}",
                    f"bool is_held = true; {_call(take, 'a', 'is_held = false;', give)} assert(!is_held || x.load(RLX) == 1);",
                ),
                (VIOLATED,),
            )
    for name, (kind, take) in _READERS.items():
        both, give = f"std::{kind} a, b;", "{}.unlock_shared()"
        first, second = (_call(take, lock, "", give) for lock in "ab")
        found[f"{name}, read: no fence"] = (_no_fence("shared_mutex", both, first, second), (VIOLATED,))
        write = "a.lock(); data = 1; x.store(1, RLX); a.unlock();"
        read = _call(take, "a", "if (x.load(RLX)) assert(data == 1);", give)
        found[f"{name}, read: a reader sees what a writer did"] = (
            program("shared_mutex", both, write, read),
            (WITHIN if "for a time" in name else HOLDS,),
        )
        add = _call(take, "a", "data += 1;", give)
        found[f"{name}, read: readers do not exclude each other"] = (
            program("shared_mutex", both, add, add),
            (VIOLATED,),
        )
    return found


_CONDITION = "std::mutex m; std::condition_variable c; bool ready;"
_SLEEPER = "{ std::unique_lock l(m); while (!ready) c.%s; assert(data == 1); }"
_WAKER = "{ std::lock_guard g(m); data = 1; ready = true; } c.%s();"
_FUTURE = "data = 1; p.set_value(%s);"
_ONCE = "std::once_flag f, g;"
_STATIC = "struct Of { int n; Of() : n(3) {} }; Of &one() { static Of it; return it; } Of &two() { static Of it; return it; }"
_DYING = "struct Item { int n = 3; ~Item() { n = 0; } };"
_ATOMIC = "std::atomic<{0}> f{{0}}, g{{0}};"

# Name, program, and the verdicts that are right: with libc++; with libstdc++ 12, if it is another one.
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    **_lock_cases(),
    "notify_one: no fence": (
        _no_fence("condition_variable mutex", "std::condition_variable c, d;", "c.notify_one();", "d.notify_one();"),
        (VIOLATED,),
    ),
    "notify_all: no fence": (
        _no_fence("condition_variable mutex", "std::condition_variable c, d;", "c.notify_all();", "d.notify_all();"),
        (VIOLATED,),
    ),
    "wait may end without cause": (
        program("condition_variable mutex", _CONDITION, _WAKER % "notify_one", "{ std::unique_lock l(m); if (!ready) c.wait(l); assert(ready); }"),
        (VIOLATED,),
    ),
    "wait_for may be late": (
        program("condition_variable mutex", _CONDITION, _WAKER % "notify_one", "bool late; { std::unique_lock l(m); late = !ready && c.wait_for(l, 1s) == std::cv_status::timeout; } assert(!late);"),
        (VIOLATED,),
    ),
    "wait without notification": (
        program("condition_variable mutex", _CONDITION, "{ std::lock_guard g(m); data = 1; ready = true; }", _SLEEPER % "wait(l)"),
        (VIOLATED,),
    ),
    "notify_one is no message": (
        program("condition_variable mutex", _CONDITION, "data = 1; c.notify_one();", "{ std::unique_lock l(m); c.wait(l); data = 2; }"),
        (VIOLATED,),
    ),
    **{
        f"{wake} wakes who {way}": (
            program("condition_variable mutex", _CONDITION, _WAKER % wake, _SLEEPER % way),
            (UNKNOWN,) if "for" in way else (HOLDS,),
        )
        for wake in ("notify_one", "notify_all")
        for way in ("wait(l)", "wait_for(l, 1s)")
    },
    "a condition variable ends while a thread waits": (
        program("condition_variable mutex", "std::mutex m; std::atomic<bool> ready;", "std::unique_lock l(m); ready = true; while (y.load(RLX) == 0) c->wait(l);", "while (!ready) {} m.lock(); m.unlock(); delete c; y = 1;", setup="auto *c = new std::condition_variable;"),
        (VIOLATED,),
    ),
    "call_once: no fence": (
        _no_fence("mutex", _ONCE, "std::call_once(f, [] {});", "std::call_once(g, [] {});"),
        (VIOLATED,),
    ),
    "call_once: two that find it done are not ordered": (
        _no_fence("mutex", _ONCE, "std::call_once(f, [] {});", "std::call_once(f, [] {});", "std::call_once(f, [] {});"),
        (VIOLATED,),
    ),
    "call_once: done once, before everybody returns": (
        program("mutex", _ONCE, "std::call_once(f, [] { ++data; }); assert(data == 1);", "std::call_once(f, [] { ++data; }); assert(data == 1);"),
        (HOLDS,),
    ),
    "static local: no fence": (_no_fence("atomic", _STATIC, "one();", "two();"), (VIOLATED,)),
    "static local: two that find it initialised are not ordered": (
        _no_fence("atomic", _STATIC, "one();", "one();", "one();"),
        (VIOLATED,),
    ),
    "static local: initialised once, before every use": (
        program("atomic", _STATIC, "assert(one().n == 3);", "assert(one().n == 3);"),
        (HOLDS,),
    ),
    **{
        f"{kind}: notifying is no fence ({wake})": (
            _no_fence("atomic", _ATOMIC.format(kind), f"f.{wake}();", f"g.{wake}();"),
            (VIOLATED,),
        )
        for kind in ("char", "short", "int", "long")
        for wake in ("notify_one", "notify_all")
    },
    **{
        f"{kind}: a wait that reads another value is no fence": (
            _no_fence("atomic", _ATOMIC.format(kind), "f.wait(1, RLX);", "g.wait(1, RLX);"),
            (VIOLATED, WITHIN),  # libstdc++ counts in a table, by addresses
        )
        for kind in ("char", "short", "int", "long")
    },
    **{
        f"{kind}: {wake} wakes who waits, who sees what was released": (
            program("atomic", _ATOMIC.format(kind), f"data = 1; f.store(1, std::memory_order_release); f.{wake}();", "f.wait(0, std::memory_order_acquire); assert(data == 1);"),
            # libstdc++ may miss the waiting thread.
            (HOLDS, VIOLATED),
        )
        for kind in ("char", "short", "int", "long")
        for wake in ("notify_one", "notify_all")
    },
    "atomic wait: notifying is no message": (
        program("atomic", _ATOMIC.format("int"), "data = 1; f.store(1, RLX); f.notify_one();", "f.wait(0, std::memory_order_acquire); data = 2;"),
        (VIOLATED,),
    ),
    "atomic wait: nobody notifies": (
        program("atomic", _ATOMIC.format("int"), "f = 1;", "f.wait(0);"),
        (VIOLATED,),
    ),
    "atomic wait: two wait, one is notified": (
        program("atomic", _ATOMIC.format("int"), "f.wait(0);", "std::thread b([] { f.wait(0); }); f = 1; f.notify_one(); b.join();"),
        (VIOLATED,),
    ),
    "atomic wait: two wait, all are notified": (
        program("atomic", _ATOMIC.format("int"), "f.wait(0);", "std::thread b([] { f.wait(0); }); f = 1; f.notify_all(); b.join();"),
        (HOLDS, SLOW),
    ),
    "atomic_ref: relaxed": (
        program("atomic", "int n, m;", "std::atomic_ref(n).store(1, RLX); std::atomic_ref(m).store(1, RLX);", "int two = std::atomic_ref(m).load(RLX), one = std::atomic_ref(n).load(RLX); assert(one >= two);"),
        (VIOLATED,),
    ),
    "atomic_ref: released and acquired": (
        program("atomic", "int m;", "data = 1; std::atomic_ref(m).store(1, std::memory_order_release);", "if (std::atomic_ref(m).load(std::memory_order_acquire)) assert(data == 1);"),
        (HOLDS,),
    ),
    "atomic_thread_fence: released and acquired": (
        program("atomic", "", "data = 1; std::atomic_thread_fence(std::memory_order_release); x.store(1, RLX);", "if (x.load(RLX)) { std::atomic_thread_fence(std::memory_order_acquire); assert(data == 1); }"),
        (HOLDS,),
    ),
    "atomic_thread_fence: acq_rel does not order a store before a load": (
        _no_fence("atomic", "", "std::atomic_thread_fence(std::memory_order_acq_rel);", "std::atomic_thread_fence(std::memory_order_acq_rel);"),
        (VIOLATED,),
    ),
    "atomic_thread_fence: seq_cst does": (
        _no_fence("atomic", "", "std::atomic_thread_fence(std::memory_order_seq_cst);", "std::atomic_thread_fence(std::memory_order_seq_cst);"),
        (HOLDS,),
    ),
    "atomic_signal_fence orders nothing between threads": (
        _no_fence("atomic", "", "std::atomic_signal_fence(std::memory_order_seq_cst);", "std::atomic_signal_fence(std::memory_order_seq_cst);"),
        (VIOLATED,),
    ),
    "compare_exchange_weak may fail without cause": (
        program("atomic", "", "", "int old = 0; assert(x.compare_exchange_weak(old, 1));"),
        (VIOLATED,),
    ),
    "compare_exchange_strong does not": (
        program("atomic", "", "", "int old = 0; assert(x.compare_exchange_strong(old, 1));"),
        (HOLDS,),
    ),
    "thread: start and join are no fences": (
        _no_fence("atomic", "", "std::thread([] {}).join();", "std::thread([] {}).join();"),
        (VIOLATED,),
    ),
    "thread: what is done before the start and before the end is seen": (
        program("atomic", "", "assert(data == 1); data = 2;", "", "assert(data == 2);", "data = 1;"),
        (HOLDS,),
    ),
    "thread: joined twice": (program("atomic", "", "", "std::thread b([] {}); b.join(); b.join();"), (VIOLATED,)),
    "thread: detached twice": (program("atomic", "", "", "std::thread b([] {}); b.detach(); b.detach();"), (VIOLATED,)),
    "thread: neither joined nor detached": (program("atomic", "", "", "std::thread b([] {});"), (VIOLATED,)),
    "thread: a detached one is not waited for": (
        program("atomic", "", "", "std::thread([] { x = 1; }).detach();", "assert(x == 1);"),
        (VIOLATED,),
    ),
    "thread: sleeping and yielding order nothing": (
        _no_fence("atomic", "", "std::this_thread::sleep_for(1s);", "std::this_thread::yield();"),
        (VIOLATED,),
    ),
    "thread: sleeping until a time": (
        program("atomic", "", "", "std::this_thread::sleep_until(std::chrono::steady_clock::now() + 1s);", "assert(data == 0);"),
        (WITHIN,),
    ),
    "thread: the number of processors may be unknown": (
        program("atomic", "", "", "assert(std::thread::hardware_concurrency() > 0);"),
        (VIOLATED,),
    ),
    "jthread: joined at its end": (
        program("atomic", "", "", "{ std::jthread b([] { data = 1; }); } assert(data == 1);"),
        (WITHIN,),
    ),
    "jthread: a request to stop is no fence": (
        _no_fence("stop_token", "std::stop_source s, t;", "s.get_token().stop_requested();", "t.get_token().stop_requested();"),
        (VIOLATED,),
    ),
    "latch: no fence": (
        _no_fence("latch", "std::latch a{1}, b{1};", "a.count_down(); a.wait();", "b.arrive_and_wait();"),
        (VIOLATED,),
    ),
    "latch: counting down is seen by who waits": (
        program("latch", "std::latch a{1};", "data = 1; a.count_down();", "a.wait(); assert(data == 1);"),
        (HOLDS, VIOLATED),
    ),
    "latch: try_wait may fail without cause": (
        program("latch", "std::latch a{0};", "", "assert(a.try_wait());"),
        (HOLDS,),
    ),
    "barrier: no fence": (
        _no_fence("barrier", "std::barrier<> a{1}, b{1};", "a.arrive_and_wait();", "b.arrive_and_wait();"),
        (VIOLATED, UNKNOWN),
    ),
    "barrier: what is done before is seen after": (
        program("barrier", "std::barrier<> a{2}; int more;", "data = 1; a.arrive_and_wait(); assert(more == 1);", "more = 1; a.arrive_and_wait(); assert(data == 1);"),
        (HOLDS, UNKNOWN),
    ),
    "barrier: arriving sees nothing": (
        program("barrier", "std::barrier<> a{3};", "data = 1; (void)a.arrive(); x.store(1, RLX);", "while (x.load(RLX) == 0) {} (void)a.arrive(); assert(data == 1);"),
        (VIOLATED, UNKNOWN),
    ),
    "semaphore: what is done before release is seen after acquire": (
        program("semaphore", "std::counting_semaphore<4> a{0};", "data = 1; a.release();", "a.acquire(); assert(data == 1);"),
        (WITHIN, VIOLATED),
    ),
    "semaphore: release sees nothing": (
        program("semaphore", "std::counting_semaphore<4> a{0};", "data = 1; a.release(); x.store(1, RLX);", "while (x.load(RLX) == 0) {} a.release(); assert(data == 1);"),
        (VIOLATED,),
    ),
    "promise: no fence": (
        _no_fence("future", "", "std::promise<void> p; p.set_value(); p.get_future().get();", "std::promise<void> p; p.set_value(); p.get_future().get();"),
        (VIOLATED, REFUSED),
    ),
    "promise: what is done before is seen by who gets the value": (
        program("future", "std::promise<int> p;", _FUTURE % 3, "assert(f.get() == 3 && data == 1);", setup="auto f = p.get_future();"),
        (HOLDS, REFUSED),
    ),
    "promise: the same without a value, for all who share the future": (
        program("future", "std::promise<void> p;", _FUTURE % "", "std::shared_future<void> s = f.share(); s.wait(); assert(data == 1);", setup="auto f = p.get_future();"),
        (HOLDS, REFUSED),
    ),
    "promise: not waited for": (
        program("future", "std::promise<void> p;", _FUTURE % "", "data = 2;", setup="auto f = p.get_future();"),
        (VIOLATED, REFUSED),
    ),
    "promise: wait_for may be late": (
        program("future", "std::promise<void> p;", "p.set_value();", "assert(f.wait_for(1s) == std::future_status::ready);", setup="auto f = p.get_future();"),
        (VIOLATED, REFUSED),
    ),
    "async: what the function does is seen by who waits for it": (
        program("future", "", "", "auto f = std::async(std::launch::async, [] { data = 1; }); f.wait(); assert(data == 1);"),
        (HOLDS, REFUSED),
    ),
    "async: not waited for": (
        program("future", "", "", "auto f = std::async(std::launch::async, [] { data = 1; }); data = 2;"),
        (VIOLATED, REFUSED),
    ),
    "promise: set twice": (
        program("future", "", "", "std::promise<int> p; p.set_value(1); p.set_value(2);"),
        (VIOLATED, REFUSED),
    ),
    "promise: nobody sets it": (
        program("future", "std::promise<int> p;", "", "p.get_future().get();"),
        (VIOLATED, REFUSED),
    ),
    "shared_ptr: copies and ends are no fences": (
        _no_fence("memory", "", "{ auto c = p; }", "{ auto c = q; }", "auto p = std::make_shared<int>(1), q = std::make_shared<int>(2);"),
        (VIOLATED,),
    ),
    "shared_ptr: what owners did is seen by who deletes": (
        program("memory", "struct Item { int n = 0; ~Item() { assert(n == 1); } };", "p->n = 1; p.reset();", "q.reset();", setup="auto p = std::make_shared<Item>(); auto q = p;"),
        (HOLDS,),
    ),
    "shared_ptr: looking at the count orders nothing": (
        program("memory", "", "data = 1; p.reset();", "if (q.use_count() == 1) data = 2;", setup="auto p = std::make_shared<int>(1); auto q = p;"),
        (VIOLATED,),
    ),
    "shared_ptr: copying orders nothing": (
        program("memory", "", "data = 1; { auto c = p; } x.store(1, RLX);", "if (x.load(RLX)) { auto c = q; data = 2; }", setup="auto p = std::make_shared<int>(1); auto q = std::make_shared<int>(1);"),
        (VIOLATED,),
    ),
    "weak_ptr: who locks it keeps the object": (
        program("memory", _DYING, "p.reset();", "if (auto q = w.lock()) assert(q->n == 3);", setup="auto p = std::make_shared<Item>(); std::weak_ptr<Item> w = p;"),
        (HOLDS,),
    ),
    "weak_ptr: locking is no fence": (
        _no_fence("memory", "", "{ auto c = v.lock(); }", "{ auto c = w.lock(); }", "auto p = std::make_shared<int>(1), q = std::make_shared<int>(2); std::weak_ptr<int> v = p, w = q;"),
        (VIOLATED,),
    ),
    "weak_ptr: locking sees nothing": (
        program("memory", "", "data = 1; auto *c = new auto(w.lock()); x.store(1, RLX);", "while (x.load(RLX) == 0) {} auto *c = new auto(w.lock()); assert(data == 1);", setup="auto p = std::make_shared<int>(1); std::weak_ptr<int> w = p;"),
        (VIOLATED,),
    ),
    "shared_ptr, atomic: stored and loaded": (
        program("memory", "std::shared_ptr<int> p;", "data = 1; std::atomic_store(&p, std::make_shared<int>(3));", "if (auto q = std::atomic_load(&p)) assert(*q == 3 && data == 1);"),
        (HOLDS, REFUSED),
    ),
    "shared_ptr, atomic: two of them have nothing to do with each other": (
        program("memory", "std::shared_ptr<int> p, q;", "data = 1; std::atomic_store(&p, std::make_shared<int>(3)); x.store(1, RLX);", "while (x.load(RLX) == 0) {} std::atomic_store(&q, std::make_shared<int>(3)); assert(data == 1);"),
        (VIOLATED, REFUSED),
    ),
    "new and delete: no fences": (
        _no_fence("new", "", "delete new int(1); delete[] new int[2]; delete[] new (std::nothrow) int[2];", "delete new (std::nothrow) int(1);"),
        (VIOLATED,),
    ),
    "new and delete, aligned: no fences": (
        _no_fence("new", "struct alignas(64) Line { int n; };", "delete new Line; delete[] new Line[2];", "delete new (std::nothrow) Line; delete[] new (std::nothrow) Line[2];"),
        (VIOLATED,),
    ),
    "delete: not ordered with a use": (
        program("new", "", "*p = 1;", "delete p;", setup="int *p = new int(0);"),
        (VIOLATED,),
    ),
    "delete: of null": (program("new", "", "", "int *p = nullptr; delete p; delete[] p;"), (HOLDS,)),
    "new: not initialised": (program("new", "", "", "int *p = new int; data = *p; delete p;"), (VIOLATED,)),
    "delete[]: destroys every element": (
        program("new", _DYING, "", "delete[] new Item[2];"),
        (HOLDS,),
    ),
    "thread_local: one for each thread, no fence": (
        _no_fence("memory", "struct Of { int n; Of() : n(3) {} ~Of() {} }; thread_local Of it;", "it.n++; assert(it.n == 4);", "it.n++; assert(it.n == 4);"),
        (VIOLATED,),
    ),
    "thread_local: nobody else changes it": (
        program("memory", "struct Of { int n; Of() : n(3) {} ~Of() {} }; thread_local Of it;", "it.n++; assert(it.n == 4);", "it.n++; assert(it.n == 4);"),
        (HOLDS,),
    ),
    "a virtual function without a body": (
        program("memory", "struct Base { Base() { call(); } void call() { f(); } virtual void f() = 0; }; struct Of : Base { void f() override {} };", "", "Of it;"),
        (VIOLATED,),
    ),
    "new and delete: with the functions that no expression calls": (
        program(
            "new",
            "struct alignas(64) Line { int n = 1; ~Line() {} };",
            "",
            "operator delete(operator new(4), std::nothrow); operator delete[](operator new[](4), std::nothrow);"
            " operator delete(operator new(4)); "
            " operator delete[](operator new[](4)); "
            " operator delete(operator new(64, std::align_val_t(64)), std::align_val_t(64));"
            " "
            " delete[] new Line[2];",
        ),
        (HOLDS,),
    ),
    "a deleted virtual function": (
        program("memory", "struct Base { virtual void f() = delete; }; struct Of : Base { void f() = delete; };", "", "Of it; x.store(1, RLX);"),
        (HOLDS,),
    ),
    "containers: their elements may be freed": (
        program("vector deque", "", "", "std::vector<int> v{1}; int *p = &v[0]; v.reserve(8); std::deque<int> d; d.push_back(1); data = *p;"),
        (VIOLATED,),
    ),
    "list: its nodes": (
        program("list", "", "", "std::list<int> l{1}, o{2}; l.splice(l.end(), o); l.pop_front(); assert(l.front() == 2 && o.empty());"),
        (HOLDS,),
    ),
    "map and set: their nodes": (
        program("map set", "", "", "const std::set<int> s{1}; auto i = s.end(); --i; ++i; std::map<int, int> m{{1, 1}}; auto j = m.end(); --j; ++j; assert(i == s.end() && j == m.end()); m.erase(1);"),
        (SLOW, HOLDS),
    ),
    "hash: the same for the same string": (
        program("string", "", "", 'std::hash<std::string> hash; assert(hash("a") == hash("a"));'),
        (SLOW, WITHIN),
    ),
    "streams: what is written is gone": (
        program("iostream string", "", "", """std::string s("a");
std::cout << true << short(1) << (unsigned short)1 << 1 << 1u << 1l << 1ul << 1ll << 1ull << 1.0f << 1.0 << (void *)0 << s << "a" << 'a' << std::endl;
std::cerr.put('a').write("a", 1) << std::flush; std::clog.flush(); std::endl(std::clog);"""),
        (HOLDS,),
    ),
    "dynamic_cast: another class, or none": (
        program("memory", "struct Base { virtual ~Base() {} }; struct One : Base {}; struct Two : Base {};", "", "One one; Base *base = &one; assert(dynamic_cast<One *>(base) && !dynamic_cast<Two *>(base));"),
        (HOLDS,),
    ),
    "exception_ptr: none": (
        program("exception", "", "", "std::exception_ptr p, q = p; q = p; assert(!q); if (x.load(RLX) == 1) std::rethrow_exception(q);"),
        (HOLDS,),
    ),
    "functions that throw end the program": (
        program("functional vector array stdexcept", "", "", """switch (x.load(RLX)) {
case 1: std::function<void()>()(); break;
#ifdef __GLIBCXX__
case 2: std::__throw_bad_cast(); break;
case 3: std::__throw_logic_error(""); break;
case 4: std::__throw_out_of_range(""); break;
case 5: std::__throw_runtime_error(""); break;
case 6: std::__throw_invalid_argument(""); break;
#endif
default: std::vector<int>().at(0) = 1;
}"""),
        (VIOLATED,),
    ),
    "terminate": (program("exception", "", "", "if (x.load(RLX) == 0) std::terminate();"), (VIOLATED,)),
    "uncaught_exceptions: none": (program("exception", "", "", "assert(std::uncaught_exceptions() == 0);"), (HOLDS,)),
    "steady_clock: may stand still": (
        program("chrono", "", "", "auto a = std::chrono::steady_clock::now(); assert(a < std::chrono::steady_clock::now());"),
        (VIOLATED,),
    ),
    "steady_clock: does not run backwards": (
        program("chrono", "", "", "auto a = std::chrono::steady_clock::now(); assert(a <= std::chrono::steady_clock::now());"),
        (WITHIN,),
    ),
    "system_clock: may run backwards": (
        program("chrono", "", "", "auto a = std::chrono::system_clock::now(); assert(a <= std::chrono::system_clock::now());"),
        (VIOLATED,),
    ),
}  # fmt: skip


# What libstdc++ 12 makes of them. Its table of waiting threads has places by address, and objects lie at one address
# each; who notifies asks the kernel, which is a full fence. Its semaphores miss a release if the count was as before
# meanwhile: `acquire` waits for a value that it read before it tried.
_OF_LIBSTDCXX = {
    "timed mutex, until a time: excludes, and orders what it encloses": WITHIN,
    "recursive timed mutex, until a time: excludes, and orders what it encloses": WITHIN,
    "binary semaphore: no fence": HOLDS,
    "binary semaphore: excludes, and orders what it encloses": VIOLATED,
    "binary semaphore, tried: no fence": HOLDS,
    "binary semaphore, tried: excludes, and orders what it encloses": HOLDS,
    "binary semaphore, for a time: no fence": WITHIN,
    "latch: no fence": WITHIN,
    "semaphore: what is done before release is seen after acquire": WITHIN,
    "weak_ptr: who locks it keeps the object": WITHIN,
    "weak_ptr: locking sees nothing": WITHIN,  # it does, in the headers of libstdc++
    "delete[]: destroys every element": WITHIN,
    **{
        f"{kind}: {what}": WITHIN
        for kind in ("char", "short", "long")
        for wake in ("notify_one", "notify_all")
        for what in (
            f"notifying is no fence ({wake})",
            f"{wake} wakes who waits, who sees what was released",
        )
    },
}
CASES |= {name: (CASES[name][0], (CASES[name][1][0], verdict)) for name, verdict in _OF_LIBSTDCXX.items()}


def all_programs() -> str:
    """All of them in one file, each in a namespace of its own, for a test that looks for what they call."""
    texts = [text for text, _ in CASES.values()]
    headers = dict.fromkeys(
        line for text in texts for line in text.splitlines() if line.startswith("#include")
    )
    spaces = (
        f"namespace case_{number} {{ {_without_headers(text)} }}".replace("int main()", "void run()")
        for number, text in enumerate(texts)
    )
    return "\n".join((*headers, *spaces, "int main() {}", ""))


def _without_headers(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("#include"))
