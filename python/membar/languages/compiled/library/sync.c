/* Read-write locks, semaphores, barriers, and one-time initialisation. */
#include "mutex.h"
#include "waiting.h"

/* What the first words of an object are. */
struct object {
    unsigned word;
    unsigned itself;
};

/* A lock for readers and writers: how many read, or WRITER and the number of the thread that writes. */
#define WRITER 0x80000000u
static _Thread_local unsigned reading, writing; /* how many locks the thread holds */

static unsigned as_writer(void) { return WRITER | own_number(); }

static void must_be_shared_lock(unsigned found)
{
    must(found != UNSET, "a lock for readers and writers is used that was not initialised");
    must(found != DESTROYED, "a lock for readers and writers is used that was destroyed");
}

static int enter_to_read(struct object *lock, int failure)
{
    unsigned found = __membar_add_within(&lock->word, 0, WRITER - 1, 1);
    if (!failure)
        __membar_wait((found < WRITER) | !is_usable(found));
    must_be_shared_lock(found);
    if (found >= WRITER)
        return failure;
    reading++;
    return 0;
}

static int enter_to_write(struct object *lock, int failure)
{
    unsigned found = __membar_add_within(&lock->word, 0, 0, as_writer());
    if (!failure)
        __membar_wait((found == 0) | !is_usable(found));
    must_be_shared_lock(found);
    if (found != 0)
        return failure;
    writing++;
    return 0;
}

/// pthread_rwlock_init: Plain writes. Attributes do not matter. Initialising a lock twice, without destroying it in between, violates `locks`; static initialisers do not count.
int pthread_rwlock_init(struct object *lock, const void *attributes)
{
    begin_object(&lock->itself, "a lock for readers and writers is initialised that was initialised before");
    lock->word = 0;
    return 0;
}

/// pthread_rwlock_destroy: Destroying a lock that is held, or twice, or using it afterwards, violates `locks`.
int pthread_rwlock_destroy(struct object *lock)
{
    unsigned found = LOAD(&lock->word, RELAXED);
    must_be_shared_lock(found);
    must(found == 0, "a lock for readers and writers is destroyed while it is held");
    end_object(&lock->itself);
    STORE(&lock->word, DESTROYED, RELAXED);
    return 0;
}

/// pthread_rwlock_rdlock, pthread_rwlock_wrlock: An acquire. No order among waiting threads is assumed.
int pthread_rwlock_rdlock(struct object *lock) { return enter_to_read(lock, 0); }
int pthread_rwlock_wrlock(struct object *lock) { return enter_to_write(lock, 0); }

/// pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock: An acquire if it succeeds; fails only if the lock is held.
int pthread_rwlock_tryrdlock(struct object *lock) { return enter_to_read(lock, EBUSY); }
int pthread_rwlock_trywrlock(struct object *lock) { return enter_to_write(lock, EBUSY); }

/// pthread_rwlock_timedrdlock, pthread_rwlock_timedwrlock: Succeeds, or gives up at any time at which the lock is held.
int pthread_rwlock_timedrdlock(struct object *lock, const long *time) { read_time(time); return enter_to_read(lock, ETIMEDOUT); }
int pthread_rwlock_timedwrlock(struct object *lock, const long *time) { read_time(time); return enter_to_write(lock, ETIMEDOUT); }

/// pthread_rwlock_unlock: A release. Unlocking a lock that nobody holds, one that another thread holds for writing, or any while the thread holds no lock violates `locks`.
int pthread_rwlock_unlock(struct object *lock)
{
    unsigned me = as_writer();
    /* One step if it is clear what the thread holds; others may change the number of readers meanwhile. */
    _Bool writes = writing != 0 && (reading == 0 || LOAD(&lock->word, RELAXED) == me);
    unsigned found = __atomic_fetch_sub(&lock->word, writes ? me : 1, __ATOMIC_RELEASE);
    must_be_shared_lock(found);
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

static void must_be_semaphore(unsigned found)
{
    must(found != UNSET, "a semaphore is used that was not initialised");
    must(found != DESTROYED, "a semaphore is used that was destroyed");
}

static int take_one(struct object *semaphore, int failure)
{
    unsigned found = __membar_add_within(&semaphore->word, 1, MOST, -1u);
    if (!failure)
        __membar_wait(found != 0);
    must_be_semaphore(found);
    if (found != 0)
        return 0;
    *__errno_location() = failure;
    return -1;
}

/// sem_init: Plain writes. Initialising a semaphore twice, without destroying it in between, violates `locks`.
int sem_init(struct object *semaphore, int shared, unsigned value)
{
    begin_object(&semaphore->itself, "a semaphore is initialised that was initialised before");
    if (value > MOST) {
        *__errno_location() = EINVAL;
        return -1;
    }
    semaphore->word = value;
    return 0;
}

/// sem_destroy: Destroying it twice, or using it afterwards, violates `locks`.
int sem_destroy(struct object *semaphore)
{
    must_be_semaphore(LOAD(&semaphore->word, RELAXED));
    end_object(&semaphore->itself);
    STORE(&semaphore->word, DESTROYED, RELAXED);
    return 0;
}

/// sem_wait: An acquire. It is never interrupted.
int sem_wait(struct object *semaphore) { return take_one(semaphore, 0); }

/// sem_trywait, sem_timedwait, sem_clockwait: An acquire if it succeeds; else sets `errno`. Fails only if the value is 0.
int sem_trywait(struct object *semaphore) { return take_one(semaphore, EAGAIN); }
int sem_timedwait(struct object *semaphore, const long *time) { read_time(time); return take_one(semaphore, ETIMEDOUT); }
int sem_clockwait(struct object *semaphore, int clock, const long *time) { read_time(time); return take_one(semaphore, ETIMEDOUT); }

/// sem_post: A release.
int sem_post(struct object *semaphore)
{
    unsigned found = __atomic_fetch_add(&semaphore->word, 1, __ATOMIC_RELEASE);
    must_be_semaphore(found);
    must(found < MOST, "the value of a semaphore is too large");
    return 0;
}

/// sem_getvalue: A relaxed load.
int sem_getvalue(struct object *semaphore, int *value)
{
    unsigned found = LOAD(&semaphore->word, RELAXED);
    must_be_semaphore(found);
    *value = (int)found;
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

/// pthread_barrier_destroy: Destroying a barrier at which threads wait, or using it afterwards, violates `locks`. When it returns, all threads that met there have left.
int pthread_barrier_destroy(unsigned *barrier)
{
    unsigned found = LOAD(barrier, RELAXED), count = found >> HALF;
    if (count == 0) {
        must(0, "a barrier is destroyed that was not initialised, or was destroyed before");
        return EINVAL;
    }
    must((found & LOW) % count == 0, "a barrier is destroyed while threads wait at it");
    let_all_leave(barrier);
    STORE(barrier, 0, RELAXED);
    return 0;
}

/// pthread_barrier_wait: What threads do before it happens before what they do after it. The last one to arrive gets PTHREAD_BARRIER_SERIAL_THREAD.
int pthread_barrier_wait(unsigned *barrier)
{
    begin_waiting(barrier);
    unsigned found = __atomic_fetch_add(barrier, 1, __ATOMIC_ACQ_REL), count = found >> HALF;
    if (count == 0) {
        must(0, "a barrier is used that was not initialised, or was destroyed");
        return EINVAL;
    }
    unsigned arrived = found & LOW;
    if (arrived == LOW)
        __membar_cut("more than 65,535 arrivals at a barrier");
    unsigned all = (arrived / count + 1) * count;
    _Bool is_last = arrived + 1 == all;
    if (!is_last)
        __membar_wait((LOAD(barrier, ACQUIRE) & LOW) >= all);
    end_waiting();
    return is_last ? -1 : 0;
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

/// pthread_once, call_once: The end of the function that is called happens before every return.
int pthread_once(int *state, void (*function)(void))
{
    call_once_only(state, function);
    return 0;
}
void call_once(int *state, void (*function)(void)) { call_once_only(state, function); }
