"""C++ programs that use one part of the library each, right and with one mistake, and what membar must say.

`make test` takes the first rows; compiling C++ takes a second each.
"""

# ruff: noqa: E501 - one row for each program

from __future__ import annotations

_HEAD = """
#include <atomic>
#include <cassert>
#include <{header}>
#include <thread>
"""


def program(header: str, text: str) -> str:
    """A whole program."""
    return _HEAD.format(header=header) + text


VIOLATED, HOLDS, WITHIN, UNKNOWN = "violated", "holds", "holds-within", "unknown"

_MUTEX = """
std::mutex m; int counter;
void work() { std::lock_guard<std::mutex> guard(m); ++counter; }
int main() { std::thread a(work), b(work); a.join(); b.join(); assert(counter == 2); }
"""
_ANY = """
std::mutex m; std::condition_variable_any c; bool ready;
int main() {
  std::thread a([] { { std::lock_guard<std::mutex> guard(m); ready = true; } c.notify_one(); });
  { std::unique_lock<std::mutex> lock(m); c.wait(lock, [] { return ready; }); }
  a.join();
}
"""
_CONDITION = """
#include <condition_variable>
std::mutex m; std::condition_variable c; bool ready; int data;
int main() {
  std::thread producer([] { { std::unique_lock lock(m); data = 1; ready = true; } c.notify_one(); });
  { std::unique_lock lock(m); c.wait(lock, [] { return ready; }); assert(data == 1); }
  producer.join();
}
"""
_SHARED = """
std::shared_mutex m; int data;
int main() {
  std::thread w([] { std::unique_lock lock(m); ++data; });
  { std::shared_lock lock(m); assert(data == 0 || data == 1); }
  w.join(); assert(data == 1);
}
"""
_ONCE = """
std::once_flag flag; int value;
void use() { std::call_once(flag, [] { value += 1; }); assert(value == 1); }
int main() { std::thread a(use), b(use); a.join(); b.join(); }
"""
_STATIC = """
struct Config { int value; Config() : value(42) {} };
Config &config() { static Config instance; return instance; }
int main() {
  std::thread a([] { assert(config().value == 42); });
  assert(config().value == 42); a.join();
}
"""
_POINTER = """
int main() {
  auto p = std::make_shared<int>(7);
  std::thread a([p] { assert(*p == 7); });
  p.reset(); a.join();
}
"""
_VIRTUAL = """
struct Shape { virtual ~Shape() = default; virtual int area() const = 0; };
struct Square : Shape {
  int side; explicit Square(int side) : side(side) {}
  int area() const override { return side * side; }
};
std::atomic<Shape *> published{nullptr};
int main() {
  std::thread a([] { published.store(new Square(3), std::memory_order_release); });
  if (Shape *shape = published.load(std::memory_order_acquire)) assert(shape->area() == 9);
  a.join(); delete published.load();
}
"""
_WAIT = """
std::atomic<int> flag{0}; int data;
int main() {
  std::thread a([] { data = 1; flag.store(1, std::memory_order_release); flag.notify_one(); });
  flag.wait(0, std::memory_order_acquire); assert(data == 1); a.join();
}
"""
_LOCAL = """
struct Counter { int n = 5; ~Counter() { n = 0; } };
thread_local Counter mine; thread_local int plain = 1;
int main() {
  std::thread a([] { mine.n++; plain++; assert(mine.n == 6 && plain == 2); });
  a.join(); assert(mine.n == 5 && plain == 1);
}
"""
_FUNCTION = """
std::atomic<int> x{0};
int main() {
  int k = 3; std::function<void()> f = [k] { x.fetch_add(k); };
  std::thread a(f); f(); a.join(); assert(x == 6);
}
"""
_FUNCTIONS = """
std::atomic<int> a{0}, b{0}, c{0};
void f() { a += 1; } void g() { b += 10; } void h() { c += 100; }
int main() {
  void (*functions[])() = {f, g, h, g};
  std::thread threads[4];
  for (int i = 0; i < 4; i++) threads[i] = std::thread(functions[i]);
  for (auto &thread : threads) thread.join();
  assert(a == 1 && b == 20 && c == 100);
}
"""
_CHOSEN = """
std::atomic<int> a{0}, b{0}; std::atomic<bool> which{false};
void f(int k) { a += k; } void g(int k) { b += k; }
int main() {
  std::thread z([] { which = true; });
  void (*p)(int) = which ? f : g, (*q)(int) = which ? f : g;
  std::thread t(p, 1), u(q, 10);
  z.join(); t.join(); u.join();
  assert(a + b == 11 && !(a == 1 && b == 10));
}
"""
_LATCH = """
std::latch l{1}; int x;
int main() { std::thread a([] { x = 1; l.count_down(); }); l.wait(); assert(x == 1); a.join(); }
"""
_BARRIER = """
std::barrier b{2}; int x, y;
int main() {
  std::thread a([] { x = 1; b.arrive_and_wait(); assert(y == 1); });
  y = 1; b.arrive_and_wait(); assert(x == 1); a.join();
}
"""
_SEMAPHORE = """
std::counting_semaphore<2> s{0}; int data;
int main() { std::thread a([] { data = 1; s.release(); }); s.acquire(); assert(data == 1); a.join(); }
"""
_REFERENCE = """
int n;
int main() {
  std::thread a([] { std::atomic_ref(n).fetch_add(1, std::memory_order_relaxed); });
  std::atomic_ref(n).fetch_add(1); a.join(); assert(n == 2);
}
"""
_MEMORY = """
struct Node { int value; };
int main() {
  auto *node = new Node{1}; std::thread a([node] { node->value = 2; });
  a.join(); assert(node->value == 2); delete node;
}
"""
_RECURSIVE = """
std::recursive_mutex m; int x;
void twice() { m.lock(); m.lock(); ++x; m.unlock(); m.unlock(); }
int main() { std::thread a(twice); twice(); a.join(); assert(x == 2); }
"""
_TRY = """
std::mutex m; int x;
int main() { if (m.try_lock()) { x = 1; m.unlock(); } assert(x == 1); }
"""
_JOINING = """
std::atomic<int> x{0};
int main() { { std::jthread a([] { x = 1; }); } assert(x == 1); }
"""

_THROWING = """
#include <stdexcept>
std::atomic<int> x;
int main() {
  std::thread a([] { x = 1; });
  if (x.load() == 1) throw std::runtime_error("no");
  a.join();
}
"""
_CATCHING = """
#include <stdexcept>
std::atomic<int> x;
int main() {
  std::thread a([] { x = 1; });
  try { if (x.load() == 1) throw std::runtime_error("no"); } catch (const std::exception &) { x = 2; }
  a.join();
}
"""
_PROMISE = """
int data;
int main() {
  std::promise<int> p; auto f = p.get_future();
  std::thread a([&] { data = 1; p.set_value(3); });
  assert(f.get() == 3); assert(data == 1); a.join();
}
"""
_TASK = """
int data;
int main() {
  std::packaged_task<int()> p([] { data = 1; return 3; }); auto f = p.get_future();
  std::thread a(std::move(p));
  assert(f.get() == 3); assert(data == 1); a.join();
}
"""
_SHARED_TIMED = """
std::shared_timed_mutex m; int data;
int main() {
  std::thread w([] { m.lock(); ++data; m.unlock(); });
  m.lock_shared(); assert(data == 0 || data == 1); m.unlock_shared();
  w.join();
}
"""
_OLD_ATOMICS = """
std::shared_ptr<int> p;
int main() {
  std::thread a([] { std::atomic_store(&p, std::make_shared<int>(3)); });
  auto q = std::atomic_load(&p); if (q) assert(*q == 3); a.join();
}
"""
_STDATOMIC = """
atomic_int x; int data;
int main() {
  std::thread a([] { data = 1; atomic_store_explicit(&x, 1, memory_order_release); });
  if (atomic_load_explicit(&x, memory_order_acquire)) assert(data == 1);
  a.join();
}
"""
_NESTED = """
int x;
int main() {
  std::thread outer([] { std::thread inner([] { x = 1; }); inner.join(); ++x; });
  outer.join(); assert(x == 2);
}
"""
_ARRAY = """
std::atomic<int> destroyed{0};
struct Item { int value = 1; ~Item() { destroyed.fetch_add(value); } };
int main() {
  auto *items = new Item[2]; std::thread a([items] { items[1].value = 3; });
  a.join(); delete[] items; assert(destroyed == 4);
}
"""
_EXPECTED = """
std::atomic<long> x{0};
int main() { long old = 0; assert(x.compare_exchange_strong(old, 1)); }
"""

_PADDING = """
struct Pair { short a; int b; };
std::atomic<Pair> p{Pair{1, 2}};
int main() {
  Pair old; std::memset(&old, 0xff, sizeof old); old.a = 1; old.b = 2;
  assert(p.compare_exchange_strong(old, Pair{3, 4}));
  old = p.load(); assert(p.compare_exchange_strong(old, Pair{5, 6}));
}
"""
_GROWING = """
struct Item { int value; Item(int value) : value(value) {} Item(const Item &other) : value(other.value) {} ~Item() {} };
int main() { std::vector<Item> v; v.push_back(Item(1)); v.push_back(Item(2)); v.push_back(Item(3)); assert(v[0].value + v[2].value != 4); }
"""

_STRING = """
std::mutex m; std::string s;
void add(const char *text) { std::lock_guard<std::mutex> guard(m); s += text; }
int main() {
  std::thread a(add, "ab"); add("cd"); a.join();
  assert(s == "abcd" || s == "cdab");
}
"""
_STRING_ARGUMENT = """
void use(std::string s) { assert(s == "abc"); }
int main() { std::thread a(use, std::string("abc")); a.join(); }
"""
_LIST = """
#include <mutex>
std::mutex m; std::list<int> l;
void add(int k) { std::lock_guard<std::mutex> guard(m); l.push_back(k); }
int main() { std::thread a(add, 1); add(2); a.join(); assert(l.size() == 2 && l.front() + l.back() == 3); }
"""
_MAP = """
std::atomic<int> found;
int main() {
  std::map<int, int> m; m[3] = 1; m[1] = 2; m[2] = 5; m.erase(1);
  std::thread a([&m] { found = m.at(2) + m.size(); });
  a.join(); assert(found == 7 && m.begin()->first == 2);
}
"""
_PRINTING = """
int x;
int main() { std::thread a([] { x = 1; std::cout << "x is " << x << std::endl; }); a.join(); assert(x == 1); }
"""
_DYNAMIC = """
struct Base { virtual ~Base() = default; };
struct Derived : Base { int value = 2; };
struct Other : Base {};
int main() {
  Base *base = new Derived;
  std::thread a([base] { assert(dynamic_cast<Derived *>(base)->value == 2 && !dynamic_cast<Other *>(base)); });
  a.join(); delete base;
}
"""
_BIND = """
std::atomic<int> n{0};
struct Worker { void run(int k) { n += k; } };
int main() {
  Worker worker; std::thread a(std::bind(&Worker::run, &worker, std::placeholders::_1), 3);
  worker.run(4); a.join(); assert(n == 7);
}
"""
_SEVERAL_MUTEXES = """
std::mutex m, n; int counter;
void work() { std::scoped_lock both(m, n); ++counter; }
int main() { std::thread a(work); { std::scoped_lock both(n, m); ++counter; } a.join(); assert(counter == 2); }
"""
_SEVERAL_KINDS = """
std::mutex m; std::recursive_mutex n; std::shared_mutex o; int counter;
void work() { std::unique_lock first(m, std::defer_lock); std::lock(first, n, o); ++counter; n.unlock(); o.unlock(); }
int main() { std::thread a(work); { std::scoped_lock both(n, m); ++counter; } a.join(); assert(counter == 2); }
"""
_MAP_BEHIND_MUTEX = """
std::map<int, int> map; std::mutex m;
void work(int key) { std::lock_guard<std::mutex> guard(m); map[key] += 1; }
int main() { std::thread a(work, 1); work(2); a.join(); assert(map.size() == 2 && map[1] == 1); }
"""
_THREADS_IN_VECTOR = """
std::atomic<int> n{0};
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([] { n.fetch_add(1); });
  for (auto &thread : threads) thread.join();
  assert(n == 2);
}
"""
_SORT = """
std::vector<int> items{3, 1, 2}; std::mutex m;
void work() { std::lock_guard<std::mutex> guard(m); std::sort(items.begin(), items.end()); }
int main() { std::thread a(work); work(); a.join(); assert(items[0] == 1 && items[1] == 2 && items[2] == 3); }
"""
_PRIORITIES = """
std::priority_queue<int> queue; std::mutex m;
void work(int k) { std::lock_guard<std::mutex> guard(m); queue.push(k); }
int main() { std::thread a(work, 1); work(2); a.join(); assert(queue.top() == 2); }
"""
_ASYNC = """
int x;
int main() { auto f = std::async(std::launch::async, [] { x = 1; return 5; }); assert(f.get() == 5); assert(x == 1); }
"""
_RECURSIVE_TEMPLATE = """
std::mutex m, n;
template <class First, class... Rest> void lock_all(int skipped, First &first, Rest &...rest) {
  if (skipped) return lock_all(skipped - 1, rest..., first);
  first.lock(); (rest.lock(), ...);
}
std::atomic<int> skipped{0};
void work() { std::unique_lock first(m, std::defer_lock); lock_all(skipped, first, n); n.unlock(); }
int main() { std::thread a(work); skipped = 1; work(); a.join(); }
"""

CASES: tuple[tuple[str, str, str], ...] = (
    ("mutex", program("mutex", _MUTEX), HOLDS),
    ("mutex not taken", program("mutex", _MUTEX.replace("guard(m)", "guard(*new std::mutex)")), VIOLATED),
    ("condition variable", program("mutex", _CONDITION), HOLDS),
    ("condition variable without loop", program("mutex", _CONDITION.replace(", [] { return ready; }", "")), VIOLATED),
    ("shared mutex", program("shared_mutex", "#include <mutex>" + _SHARED), HOLDS),
    ("shared mutex, written by readers", program("shared_mutex", _SHARED.replace("unique_lock", "shared_lock")), VIOLATED),
    ("call once", program("mutex", _ONCE), HOLDS),
    ("call twice", program("mutex", _ONCE.replace("std::call_once(flag, [] { value += 1; })", "value += 1")), VIOLATED),
    ("static local", program("memory", _STATIC), HOLDS),
    ("shared pointer", program("memory", _POINTER), HOLDS),
    ("raw pointer", program("memory", _POINTER.replace("[p] { assert(*p", "[q = p.get()] { assert(*q")), VIOLATED),
    ("virtual call", program("memory", _VIRTUAL), HOLDS),
    ("virtual call, relaxed", program("memory", _VIRTUAL.replace("memory_order_release", "memory_order_relaxed")), VIOLATED),
    ("atomic wait", program("memory", _WAIT), HOLDS),
    ("atomic wait without notification", program("memory", _WAIT.replace("flag.notify_one();", "")), VIOLATED),
    ("atomic wait, relaxed", program("memory", _WAIT.replace("0, std::memory_order_acquire", "0, std::memory_order_relaxed")), VIOLATED),
    ("thread-local", program("memory", _LOCAL), HOLDS),
    ("not thread-local", program("memory", _LOCAL.replace("thread_local int", "int")), VIOLATED),
    ("std::function", program("functional", _FUNCTION), HOLDS),
    ("an array of functions", program("thread", _FUNCTIONS), HOLDS),
    ("functions that are chosen while threads run", program("thread", _CHOSEN), HOLDS),
    ("functions that may be chosen", program("thread", _CHOSEN.replace("a == 1 && b == 10", "a == 10")), VIOLATED),
    ("latch", program("latch", _LATCH), HOLDS),
    ("latch not awaited", program("latch", _LATCH.replace("l.wait();", "")), VIOLATED),
    ("barrier", program("barrier", _BARRIER), HOLDS),
    ("semaphore", program("semaphore", _SEMAPHORE), HOLDS),
    ("semaphore not taken", program("semaphore", _SEMAPHORE.replace("s.acquire();", "")), VIOLATED),
    ("atomic_ref", program("memory", _REFERENCE), HOLDS),
    ("new and delete", program("memory", _MEMORY), HOLDS),
    ("deleted too early", program("memory", _MEMORY.replace("a.join(); assert(node->value == 2); delete node;", "delete node; a.join();")), VIOLATED),
    ("deleted twice", program("memory", _MEMORY.replace("delete node;", "delete node; delete node;")), VIOLATED),
    ("new[] and delete", program("memory", _MEMORY.replace("new Node{1}", "new Node[1]{{1}}")), VIOLATED),
    ("new[] and delete[]", program("memory", _MEMORY.replace("new Node{1}", "new Node[1]{{1}}").replace("delete", "delete[]")), HOLDS),
    ("recursive mutex", program("mutex", _RECURSIVE), HOLDS),
    ("locked twice", program("mutex", _RECURSIVE.replace("recursive_mutex", "mutex")), VIOLATED),
    ("try_lock may fail", program("mutex", _TRY), VIOLATED),
    ("jthread", program("memory", _JOINING), HOLDS),
    ("exception", program("memory", _THROWING), VIOLATED),
    ("exception that may be caught", program("memory", _CATCHING), UNKNOWN),
    ("exception that is not thrown", program("memory", _CATCHING.replace("x.load() == 1", "x.load() == 2")), HOLDS),
    ("promise", program("future", _PROMISE), HOLDS),
    ("promise set twice", program("future", _PROMISE.replace("assert(f.get()", "p.set_value(4); assert(f.get()")), VIOLATED),
    ("promise not awaited", program("future", _PROMISE.replace("assert(f.get() == 3);", "")), VIOLATED),
    ("packaged task", program("future", _TASK), HOLDS),
    ("packaged task not awaited", program("future", _TASK.replace("assert(f.get() == 3);", "")), VIOLATED),
    ("shared timed mutex", program("shared_mutex", _SHARED_TIMED), HOLDS),
    ("shared timed mutex, written by readers", program("shared_mutex", _SHARED_TIMED.replace("m.lock();", "m.lock_shared();").replace("m.unlock();", "m.unlock_shared();")), VIOLATED),
    ("recursive timed mutex", program("mutex", _RECURSIVE.replace("recursive_mutex", "recursive_timed_mutex")), HOLDS),
    ("atomic access to a shared pointer", program("memory", _OLD_ATOMICS), HOLDS),
    ("plain access to a shared pointer", program("memory", _OLD_ATOMICS.replace("std::atomic_load(&p)", "p")), VIOLATED),
    ("a clock does not run backwards", program("chrono", "int main() { auto a = std::chrono::steady_clock::now(); assert(a <= std::chrono::steady_clock::now()); }"), WITHIN),
    ("vector that grows", program("vector", _GROWING), VIOLATED),
    ("stdatomic.h", program("stdatomic.h", _STDATOMIC), HOLDS),
    ("stdatomic.h, relaxed", program("stdatomic.h", _STDATOMIC.replace("memory_order_release", "memory_order_relaxed")), VIOLATED),
    ("thread that starts a thread", program("memory", _NESTED), HOLDS),
    ("thread that is not joined by a thread", program("memory", _NESTED.replace("inner.join()", "inner.detach()")), VIOLATED),
    ("array of objects with destructors", program("memory", _ARRAY), HOLDS),
    ("compare_exchange_strong does not fail without a cause", program("memory", _EXPECTED), HOLDS),
    ("compare_exchange_weak may", program("memory", _EXPECTED.replace("strong", "weak")), VIOLATED),
    ("compare_exchange_strong does not compare padding", program("cstring", _PADDING), WITHIN),
    ("compare_exchange_strong compares values", program("cstring", _PADDING.replace("old.b = 2", "old.b = 3")), VIOLATED),
    ("thread not joined", program("memory", "int main() { std::thread a([] {}); }"), VIOLATED),
    ("uncaught exceptions", program("exception", "int main() { assert(std::uncaught_exceptions() == 0); }"), HOLDS),
    ("condition_variable_any", program("condition_variable", _ANY), HOLDS),
    ("string", program("string", "#include <mutex>" + _STRING), HOLDS),
    ("string without its mutex", program("string", "#include <mutex>" + _STRING.replace("std::lock_guard<std::mutex> guard(m); ", "")), VIOLATED),
    ("string handed over", program("string", _STRING_ARGUMENT), HOLDS),
    ("another string expected", program("string", _STRING_ARGUMENT.replace('s == "abc"', 's == "abd"')), VIOLATED),
    ("list", program("list", _LIST), HOLDS),
    ("list without its mutex", program("list", _LIST.replace("std::lock_guard<std::mutex> guard(m); ", "")), VIOLATED),
    ("map", program("map", _MAP), HOLDS),
    ("map that changes while it is read", program("map", _MAP.replace("a.join(); assert", "m[4] = 1; a.join(); assert")), VIOLATED),
    ("std::cout", program("iostream", _PRINTING), HOLDS),
    ("std::cout reads what it writes", program("iostream", _PRINTING.replace("a.join(); assert(x == 1);", "x = 2; a.join();")), VIOLATED),
    ("dynamic_cast", program("memory", _DYNAMIC), HOLDS),
    ("dynamic_cast to another class", program("memory", _DYNAMIC.replace("!dynamic_cast", "dynamic_cast")), VIOLATED),
    ("std::bind", program("functional", _BIND), HOLDS),
    ("condition_variable_any not notified", program("condition_variable", _ANY.replace("c.notify_one();", "")), VIOLATED),
    ("several mutexes", program("mutex", _SEVERAL_MUTEXES), HOLDS),
    ("several mutexes, one by one", program("mutex", _SEVERAL_MUTEXES.replace("std::scoped_lock both(m, n)", "std::lock_guard one(m); std::lock_guard other(n)").replace("std::scoped_lock both(n, m)", "std::lock_guard one(n); std::lock_guard other(m)")), VIOLATED),
    ("several mutexes, of which one is never given back", program("mutex", _SEVERAL_MUTEXES.replace("std::scoped_lock both(n, m); ++counter;", "n.lock(); ++counter;")), VIOLATED),
    ("a mutex twice", program("mutex", _SEVERAL_MUTEXES.replace("both(m, n)", "both(m, m)")), VIOLATED),
    ("mutexes of several kinds", program("mutex", "#include <shared_mutex>" + _SEVERAL_KINDS), HOLDS),
    ("map behind a mutex", program("map", "#include <mutex>" + _MAP_BEHIND_MUTEX), HOLDS),
    ("map without its mutex", program("map", "#include <mutex>" + _MAP_BEHIND_MUTEX.replace("std::lock_guard<std::mutex> guard(m); ", "")), VIOLATED),
    ("threads in a vector", program("vector", _THREADS_IN_VECTOR), HOLDS),
    ("sort", program("vector", "#include <algorithm>\n#include <mutex>" + _SORT), HOLDS),
    ("sort without its mutex", program("vector", "#include <algorithm>\n#include <mutex>" + _SORT.replace("std::lock_guard<std::mutex> guard(m); ", "")), VIOLATED),
    ("priority queue", program("queue", "#include <mutex>" + _PRIORITIES), HOLDS),
    ("priority queue without its mutex", program("queue", "#include <mutex>" + _PRIORITIES.replace("std::lock_guard<std::mutex> guard(m); ", "")), VIOLATED),
    ("async", program("future", _ASYNC), HOLDS),
    ("async without a policy", program("future", _ASYNC.replace("std::launch::async, ", "")), HOLDS),
    ("async that returns nothing", program("future", _ASYNC.replace("return 5; ", "").replace("assert(f.get() == 5)", "f.get()")), HOLDS),
    ("async not awaited", program("future", _ASYNC.replace("return 5; ", "").replace("assert(f.get() == 5)", "x = 2")), VIOLATED),
    ("template that calls itself", program("mutex", _RECURSIVE_TEMPLATE), VIOLATED),
)  # fmt: skip
"""Name, text and verdict under rc20."""

# libstdc++ refuses some of these, its waits may miss a notification, and one is UNKNOWN for deadlock.
OF_LIBCXX = frozenset(
    {
        "atomic wait",
        "latch",
        "barrier",
        "condition_variable_any",
        "promise",
        "promise set twice",
        "promise not awaited",
        "packaged task",
        "packaged task not awaited",
        "async",
        "async without a policy",
        "async that returns nothing",
        "async not awaited",
        "string",
        "string without its mutex",
        "atomic access to a shared pointer",
        "plain access to a shared pointer",
    }
)

# libc++ takes too long for these.
OF_LIBSTDCXX = frozenset({"map", "map that changes while it is read"})
