# ruff: noqa: E501 - C programs, one per line
"""C programs that wait, and what membar must say about them: for tests and seeded mistakes."""

from __future__ import annotations

from strategies.c_heap_cases import HeapCase as Case

HEADERS = "#include <errno.h>\n#include <semaphore.h>\n#include <threads.h>\n"


def two(
    name: str,
    shared: str,
    first: str,
    second: str,
    says: str,
    *,
    start: str = "",
    end: str = "",
    model: str = "sc",
) -> Case:
    """Two threads besides `main`, which begins with `start` and ends, behind the joins, with `end`."""
    functions = f"void *first(void *unused) {{\n  {first}\n  return NULL;\n}}\nvoid *second(void *unused) {{\n  {second}\n  return NULL;\n}}\n"
    main = f"int main(void) {{\n  pthread_t one, two;\n  {start}\n  pthread_create(&one, NULL, first, NULL);\n  pthread_create(&two, NULL, second, NULL);\n  pthread_join(one, NULL);\n  pthread_join(two, NULL);\n  {end}\n}}\n"
    return Case(name, HEADERS + shared + "\n" + functions + main, says, model)


def each(
    name: str, shared: str, body: str, says: str, *, start: str = "", end: str = "", model: str = "sc"
) -> Case:
    """Two threads that do the same."""
    return two(name, shared, body, body, says, start=start, end=end, model=model)


_COUNT = "int x;"
_ADD = "x = x + 1;"
_RW = "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x, y;"
_COND = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, seen;"
_GET = "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); seen += ready; pthread_mutex_unlock(&m);"
_SET = "pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);"

SYNC_CASES = (
    *(two("writer and reader", _RW, "pthread_rwlock_wrlock(&l); x = 1; y = 1; pthread_rwlock_unlock(&l);", "pthread_rwlock_rdlock(&l); assert(x == y); pthread_rwlock_unlock(&l);", "holds", model=model) for model in ("sc", "x86-tso", "rc11")),
    two("a writer that only reads", _RW, "pthread_rwlock_rdlock(&l); x = 1; y = 1; pthread_rwlock_unlock(&l);", "pthread_rwlock_rdlock(&l); assert(x == y); pthread_rwlock_unlock(&l);", "assert(x == y) fails"),
    two("a writer that only reads, in C", _RW, "pthread_rwlock_rdlock(&l); x = 1; pthread_rwlock_unlock(&l);", "pthread_rwlock_rdlock(&l); int r = x; pthread_rwlock_unlock(&l);", "race", model="rc11"),
    two("two readers at once", "pthread_rwlock_t l; atomic_int a, b;", "pthread_rwlock_rdlock(&l); a = 1; int r = b; pthread_rwlock_unlock(&l); assert(r == 0);", "pthread_rwlock_rdlock(&l); b = 1; pthread_rwlock_unlock(&l);", "assert(r == 0) fails"),
    each("two writers", _RW, f"pthread_rwlock_wrlock(&l); {_ADD} pthread_rwlock_unlock(&l);", "holds", end="assert(x == 2);", model="rc11"),
    each("an attempt to write", _RW, f"if (pthread_rwlock_trywrlock(&l) == 0) {{ {_ADD} pthread_rwlock_unlock(&l); }}", "holds", end="assert(x == 1 || x == 2);", model="rc11"),
    each("an attempt to write may fail", _RW, f"if (pthread_rwlock_trywrlock(&l) == 0) {{ {_ADD} pthread_rwlock_unlock(&l); }}", "assert(x == 2) fails", end="assert(x == 2);"),
    each("an attempt to read beside a reader", _RW, "pthread_rwlock_rdlock(&l); assert(pthread_rwlock_tryrdlock(&l) == 0); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l);", "holds"),
    each("a writer whose time is over", _RW, "struct timespec t = {0, 0}; int e = pthread_rwlock_timedwrlock(&l, &t); assert(e == 0 || e == ETIMEDOUT); if (e == 0) { x = x + 1; pthread_rwlock_unlock(&l); }", "assert(x == 2) fails", end="assert(x == 2);"),
    each("a writer whose time is over does not wait forever", _RW, "struct timespec t = {0, 0}; pthread_rwlock_timedwrlock(&l, &t);", "holds"),
    two("a writer waits for both readers", "pthread_rwlock_t l; int x;", "pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); int r = x; pthread_rwlock_unlock(&l);", "pthread_rwlock_wrlock(&l); x = 1; pthread_rwlock_unlock(&l);", "holds-within", model="rc11"),
    each("nobody holds it", _RW, "pthread_rwlock_unlock(&l);", "a read-write lock is unlocked although no thread holds it"),
    each("a reader that wants to write", _RW, "pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l);", "deadlock"),
    *(each("spin lock", "pthread_spinlock_t l; int x;", f"pthread_spin_lock(&l); {_ADD} pthread_spin_unlock(&l);", "holds", start="pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);", end="assert(x == 2); pthread_spin_destroy(&l);", model=model) for model in ("sc", "rc11")),
    *(each("semaphore as a lock", "sem_t s; int x;", f"sem_wait(&s); {_ADD} sem_post(&s);", "holds", start="sem_init(&s, 0, 1);", end="assert(x == 2); int v; sem_getvalue(&s, &v); assert(v == 1); sem_destroy(&s);", model=model) for model in ("sc", "rc11", "x86-tso")),
    each("semaphore of two is no lock", "sem_t s; int x;", f"sem_wait(&s); {_ADD} sem_post(&s);", "race", start="sem_init(&s, 0, 2);", model="rc11"),
    two("semaphore as a signal", "sem_t s; int x;", "x = 7; sem_post(&s);", "sem_wait(&s); assert(x == 7);", "holds", start="sem_init(&s, 0, 0);", model="rc11"),
    two("nobody posts", "sem_t s;", "", "sem_wait(&s);", "deadlock", start="sem_init(&s, 0, 0);"),
    two("an attempt at a semaphore", "sem_t s; int x;", "x = 7; sem_post(&s);", "if (sem_trywait(&s) == 0) assert(x == 7);", "holds", start="sem_init(&s, 0, 0);", model="rc11"),
    two("a semaphore whose time is over", "sem_t s; int x; ", "x = 7; sem_post(&s);", "struct timespec t = {0, 0}; assert(sem_timedwait(&s, &t) == 0);", "fails", start="sem_init(&s, 0, 0);"),
    *(two("barrier", "pthread_barrier_t b; int x, y;", "x = 1; pthread_barrier_wait(&b); assert(y == 1);", "y = 1; pthread_barrier_wait(&b); assert(x == 1);", "holds", start="pthread_barrier_init(&b, NULL, 2);", model=model) for model in ("sc", "rc11")),
    two("barrier twice", "pthread_barrier_t b; int x, y;", "pthread_barrier_wait(&b); x = 1; pthread_barrier_wait(&b); assert(y == 1);", "pthread_barrier_wait(&b); y = 1; pthread_barrier_wait(&b); assert(x == 1);", "holds", start="pthread_barrier_init(&b, NULL, 2);", model="rc11"),
    two("one of them is told", "pthread_barrier_t b; atomic_int n;", "if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) n++;", "if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) n++;", "holds", start="pthread_barrier_init(&b, NULL, 2);", end="assert(n == 1);"),
    two("barrier for three", "pthread_barrier_t b;", "pthread_barrier_wait(&b);", "pthread_barrier_wait(&b);", "deadlock", start="pthread_barrier_init(&b, NULL, 3);"),
    two("barrier for one", "pthread_barrier_t b; int x;", "x = 1; pthread_barrier_wait(&b);", "pthread_barrier_wait(&b); int r = x;", "race", start="pthread_barrier_init(&b, NULL, 1);", model="rc11"),
    each("once", "pthread_once_t o = PTHREAD_ONCE_INIT; int x; void start(void) { x = x + 1; }", "pthread_once(&o, start); assert(x == 1);", "holds", model="rc11"),
    each("not once", "int x; void start(void) { x = x + 1; }", "start();", "race", model="rc11"),
    *(two("condition", _COND, _GET, _SET, "holds", end="assert(seen == 1);", model=model) for model in ("sc", "rc11")),
    two("no signal", _COND, _GET, _SET.replace("pthread_cond_signal(&c);", ""), "deadlock"),
    two("signal before the flag, without the mutex", _COND, _GET, "pthread_cond_signal(&c); pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m);", "deadlock"),
    two("waking up for no reason", _COND, _GET.replace("while (!ready)", "if (!ready)") + " assert(seen == 1);", _SET, "assert(seen == 1) fails"),
    two("waking up is counted", _COND + " int turns;", "pthread_mutex_lock(&m); while (turns += 1, !ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); assert(turns < 4);", _SET, "assert(turns < 4) fails"),
    two("waiting without the mutex", _COND, "pthread_cond_wait(&c, &m);", _SET, "does not hold it"),
    each("nobody signals", _COND, _GET, "deadlock"),
    Case("one signal wakes only one", HEADERS + _COND + "\nvoid *w(void *u) { " + _GET + " return NULL; }\nint main(void) { pthread_t a, b; pthread_create(&a, NULL, w, NULL); pthread_create(&b, NULL, w, NULL); " + _SET + " pthread_join(a, NULL); pthread_join(b, NULL); }\n", "deadlock"),
    Case("a broadcast wakes both", HEADERS + _COND + "\nvoid *w(void *u) { " + _GET + " return NULL; }\nint main(void) { pthread_t a, b; pthread_create(&a, NULL, w, NULL); pthread_create(&b, NULL, w, NULL); " + _SET.replace("signal", "broadcast") + " pthread_join(a, NULL); pthread_join(b, NULL); assert(seen == 2); }\n", "holds"),
    two("a wait whose time is over", _COND, "struct timespec t = {0, 0}; pthread_mutex_lock(&m); int e = 0; if (!ready) e = pthread_cond_timedwait(&c, &m, &t); assert(e == 0 || e == ETIMEDOUT); pthread_mutex_unlock(&m); assert(e == 0);", _SET, "assert(e == 0) fails"),
    two("C11's condition", "mtx_t m; cnd_t c; int ready;", "mtx_lock(&m); while (!ready) cnd_wait(&c, &m); mtx_unlock(&m);", "mtx_lock(&m); ready = 1; cnd_signal(&c); mtx_unlock(&m);", "holds", start="mtx_init(&m, mtx_plain); cnd_init(&c);"),
    each("a mutex whose time is over", "pthread_mutex_t m; int x;", "struct timespec t = {0, 0}; if (pthread_mutex_timedlock(&m, &t) == 0) { x = x + 1; pthread_mutex_unlock(&m); }", "assert(x == 2) fails", end="assert(x == 2);"),
    each("a mutex whose time may be over still excludes", "pthread_mutex_t m; int x;", "struct timespec t = {0, 0}; if (pthread_mutex_timedlock(&m, &t) == 0) { x = x + 1; pthread_mutex_unlock(&m); }", "holds", model="rc11"),
)  # fmt: skip
