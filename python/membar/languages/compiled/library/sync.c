/* Locks for readers and writers, semaphores, barriers, and functions that are called once. */
#include "mutex.h"

/* A lock for readers and writers: how many read, or WRITER and the number of the thread that writes. */
#define WRITER 0x80000000u
static _Thread_local unsigned reading, writing; /* how many locks the thread holds */

static unsigned as_writer(void) { return WRITER | own_number(); }

static int enter_to_read(unsigned *lock, int failure)
{
    unsigned found = __membar_add_within(lock, 0, WRITER - 1, 1);
    if (!failure)
        __membar_wait((found < WRITER) | (found == DESTROYED));
    must(found != DESTROYED, "a lock for readers and writers is locked that was destroyed");
    if (found >= WRITER)
        return failure;
    reading++;
    return 0;
}

static int enter_to_write(unsigned *lock, int failure)
{
    unsigned found = __membar_add_within(lock, 0, 0, as_writer());
    if (!failure)
        __membar_wait((found == 0) | (found == DESTROYED));
    must(found != DESTROYED, "a lock for readers and writers is locked that was destroyed");
    if (found != 0)
        return failure;
    writing++;
    return 0;
}

/// pthread_rwlock_init: A plain write. Attributes do not matter.
int pthread_rwlock_init(unsigned *lock, const void *attributes)
{
    *lock = 0;
    return 0;
}

/// pthread_rwlock_destroy: Destroying a lock that is held, or twice, and using it afterwards violate `locks`.
int pthread_rwlock_destroy(unsigned *lock)
{
    unsigned found = LOAD(lock, RELAXED);
    must(found != DESTROYED, "a lock for readers and writers is destroyed twice");
    must(found == 0, "a lock for readers and writers is destroyed while it is held");
    STORE(lock, DESTROYED, RELAXED);
    return 0;
}

/// pthread_rwlock_rdlock, pthread_rwlock_wrlock: An acquire. No order among waiting threads is assumed.
int pthread_rwlock_rdlock(unsigned *lock) { return enter_to_read(lock, 0); }
int pthread_rwlock_wrlock(unsigned *lock) { return enter_to_write(lock, 0); }

/// pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock: An acquire if it succeeds; fails only if the lock is held.
int pthread_rwlock_tryrdlock(unsigned *lock) { return enter_to_read(lock, EBUSY); }
int pthread_rwlock_trywrlock(unsigned *lock) { return enter_to_write(lock, EBUSY); }

/// pthread_rwlock_timedrdlock, pthread_rwlock_timedwrlock: Succeeds, or gives up at any time at which the lock is held.
int pthread_rwlock_timedrdlock(unsigned *lock, const void *time) { return enter_to_read(lock, ETIMEDOUT); }
int pthread_rwlock_timedwrlock(unsigned *lock, const void *time) { return enter_to_write(lock, ETIMEDOUT); }

/// pthread_rwlock_unlock: A release. Unlocking what nobody holds, what another thread holds to write, or anything while the thread holds no lock violates `locks`.
int pthread_rwlock_unlock(unsigned *lock)
{
    unsigned me = as_writer();
    /* One step if it is clear what the thread holds; others may change the number of readers meanwhile. */
    _Bool writes = writing != 0 && (reading == 0 || LOAD(lock, RELAXED) == me);
    unsigned found = __atomic_fetch_sub(lock, writes ? me : 1, __ATOMIC_RELEASE);
    must(found != DESTROYED, "a lock for readers and writers is unlocked that was destroyed");
    must(found != 0, "a lock for readers and writers is unlocked that nobody holds");
    if (writes) {
        must(found == me, "a lock for readers and writers is unlocked by a thread that does not hold it");
        writing--;
        return 0;
    }
    must(found < WRITER, "a lock for readers and writers is unlocked that another thread holds to write");
    must(reading != 0, "a lock for readers and writers is unlocked by a thread that does not hold it");
    reading--;
    return 0;
}

/// pthread_rwlockattr_getpshared, pthread_rwlockattr_getkind_np, pthread_barrierattr_getpshared: An unknown number, see outside.c.
static int from_outside(int *found)
{
    *found = (int)__membar_input(0, 1);
    return 0;
}
int pthread_rwlockattr_getpshared(const void *attributes, int *found) { return from_outside(found); }
int pthread_rwlockattr_getkind_np(const void *attributes, int *found) { return from_outside(found); }
int pthread_barrierattr_getpshared(const void *attributes, int *found) { return from_outside(found); }

/// pthread_rwlockattr_init, pthread_rwlockattr_destroy, pthread_rwlockattr_setpshared, pthread_rwlockattr_setkind_np: Does nothing: there is one process, and no preference.
int pthread_rwlockattr_init(void *attributes) { return 0; }
int pthread_rwlockattr_destroy(void *attributes) { return 0; }
int pthread_rwlockattr_setpshared(void *attributes, int shared) { return 0; }
int pthread_rwlockattr_setkind_np(void *attributes, int kind) { return 0; }

/* A semaphore: its value. */
#define MOST 0x7fffffffu

static int take_one(unsigned *semaphore, int failure)
{
    unsigned found = __membar_add_within(semaphore, 1, MOST, -1u);
    if (!failure)
        __membar_wait(found != 0);
    must(found != DESTROYED, "a semaphore is used that was destroyed");
    if (found != 0)
        return 0;
    *__errno_location() = failure;
    return -1;
}

/// sem_init: A plain write.
int sem_init(unsigned *semaphore, int shared, unsigned value)
{
    *semaphore = value;
    return 0;
}

/// sem_destroy: Using it afterwards violates `locks`.
int sem_destroy(unsigned *semaphore)
{
    must(LOAD(semaphore, RELAXED) != DESTROYED, "a semaphore is destroyed twice");
    STORE(semaphore, DESTROYED, RELAXED);
    return 0;
}

/// sem_wait: An acquire. It is never interrupted.
int sem_wait(unsigned *semaphore) { return take_one(semaphore, 0); }

/// sem_trywait, sem_timedwait, sem_clockwait: An acquire if it succeeds; else sets `errno`. Fails only if the value is 0.
int sem_trywait(unsigned *semaphore) { return take_one(semaphore, EAGAIN); }
int sem_timedwait(unsigned *semaphore, const void *time) { return take_one(semaphore, ETIMEDOUT); }
int sem_clockwait(unsigned *semaphore, int clock, const void *time) { return take_one(semaphore, ETIMEDOUT); }

/// sem_post: A release.
int sem_post(unsigned *semaphore)
{
    unsigned found = __atomic_fetch_add(semaphore, 1, __ATOMIC_RELEASE);
    must(found < MOST, "a semaphore is used that was destroyed, or its value is too large");
    return 0;
}

/// sem_getvalue: A relaxed load.
int sem_getvalue(unsigned *semaphore, int *value)
{
    *value = (int)LOAD(semaphore, RELAXED);
    return 0;
}

/* A barrier: for how many threads it is, and in the lower half how many have arrived so far, over all rounds. */
enum { HALF = 16, LOW = 0xffff };

/// pthread_barrier_init: A plain write. For up to 65,535 threads. Initialising a barrier twice violates `locks`.
int pthread_barrier_init(unsigned *barrier, const void *attributes, unsigned count)
{
    if (count == 0)
        return EINVAL;
    if (count > LOW)
        __membar_cut("barriers for more than 65,535 threads");
    unsigned before = __membar_peek(barrier);
    must(before == 0 || before == UNSET, "a barrier is initialised that was initialised before");
    *barrier = count << HALF;
    return 0;
}

/// pthread_barrier_destroy: Destroying a barrier at which threads wait, or using it afterwards, violates `locks`.
int pthread_barrier_destroy(unsigned *barrier)
{
    unsigned found = LOAD(barrier, RELAXED), count = found >> HALF;
    if (count == 0) {
        must(0, "a barrier is destroyed that was not initialised, or was destroyed before");
        return EINVAL;
    }
    must((found & LOW) % count == 0, "a barrier is destroyed while threads wait at it");
    STORE(barrier, 0, RELAXED);
    return 0;
}

/// pthread_barrier_wait: What threads do before it happens before what they do after it. The last one to arrive gets PTHREAD_BARRIER_SERIAL_THREAD.
int pthread_barrier_wait(unsigned *barrier)
{
    unsigned found = __atomic_fetch_add(barrier, 1, __ATOMIC_ACQ_REL), count = found >> HALF;
    if (count == 0) {
        must(0, "a barrier is used that was not initialised, or was destroyed");
        return EINVAL;
    }
    unsigned arrived = found & LOW;
    if (arrived == LOW)
        __membar_cut("more than 65,535 arrivals at a barrier");
    unsigned all = (arrived / count + 1) * count;
    if (arrived + 1 == all)
        return -1;
    __membar_wait((LOAD(barrier, ACQUIRE) & LOW) >= all);
    return 0;
}

/// pthread_barrierattr_init, pthread_barrierattr_destroy, pthread_barrierattr_setpshared: Does nothing: there is one process.
int pthread_barrierattr_init(void *attributes) { return 0; }
int pthread_barrierattr_destroy(void *attributes) { return 0; }
int pthread_barrierattr_setpshared(void *attributes, int shared) { return 0; }

/* 0, RUNNING while the function runs, DONE. */
enum { RUNNING = 1, DONE };

static inline void call_once_only(int *state, void (*function)(void))
{
    int found = 0;
    if (__atomic_compare_exchange_n(state, &found, RUNNING, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        function();
        STORE(state, DONE, RELEASE);
    } else if (found != DONE) {
        __membar_wait(LOAD(state, ACQUIRE) == DONE);
    }
}

/// pthread_once, call_once: The function's end happens before every return.
int pthread_once(int *state, void (*function)(void))
{
    call_once_only(state, function);
    return 0;
}
void call_once(int *state, void (*function)(void)) { call_once_only(state, function); }
