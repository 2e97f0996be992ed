/* Read-write locks. */
#include "mutex.h"

/* What the first words of an object are. */
struct object {
    unsigned word;
    unsigned itself;
};

/* How many read, or WRITER and the number of the thread that writes. */
#define WRITER 0x80000000u
static _Thread_local unsigned reading, writing; /* how many locks the thread holds */

static unsigned as_writer(void) { return WRITER | own_number(); }

static void must_be_shared_lock(unsigned found)
{
    must(found != UNSET, "a read-write lock is used before it is initialised");
    must(found != DESTROYED, "a read-write lock is used after it was destroyed");
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
    begin_object(&lock->itself, "a read-write lock is initialised twice");
    lock->word = 0;
    return 0;
}

/// pthread_rwlock_destroy: Destroying a lock that is held, or twice, or using it afterwards, violates `locks`.
int pthread_rwlock_destroy(struct object *lock)
{
    unsigned found = LOAD(&lock->word, RELAXED);
    must_be_shared_lock(found);
    must(found == 0, "a read-write lock is destroyed while it is held");
    end_object(&lock->itself);
    STORE(&lock->word, DESTROYED, RELAXED);
    return 0;
}

/// pthread_rwlock_rdlock, pthread_rwlock_wrlock: An acquire. No order among waiting threads is assumed, but who reads never waits for a thread that only waits to write: if a thread may be stuck while it reads, the answer for `deadlock` is HOLDS WITHIN and does not cover such waiting.
int pthread_rwlock_rdlock(struct object *lock) { return enter_to_read(lock, 0); }
int pthread_rwlock_wrlock(struct object *lock) { return enter_to_write(lock, 0); }

/// pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock: An acquire if it succeeds; fails only if the lock is held, so HOLDS WITHIN for one that POSIX lets fail because a thread waits to write.
int pthread_rwlock_tryrdlock(struct object *lock) { return enter_to_read(lock, EBUSY); }
int pthread_rwlock_trywrlock(struct object *lock) { return enter_to_write(lock, EBUSY); }

/// pthread_rwlock_timedrdlock, pthread_rwlock_timedwrlock, pthread_rwlock_clockrdlock, pthread_rwlock_clockwrlock: Succeeds, or gives up at any time at which the lock is held.
int pthread_rwlock_timedrdlock(struct object *lock, const long *time) { read_time(time); return enter_to_read(lock, ETIMEDOUT); }
int pthread_rwlock_timedwrlock(struct object *lock, const long *time) { read_time(time); return enter_to_write(lock, ETIMEDOUT); }
int pthread_rwlock_clockrdlock(struct object *lock, int clock, const long *time) { read_time(time); return enter_to_read(lock, ETIMEDOUT); }
int pthread_rwlock_clockwrlock(struct object *lock, int clock, const long *time) { read_time(time); return enter_to_write(lock, ETIMEDOUT); }

/// pthread_rwlock_unlock: A release. Unlocking a lock that nobody holds, one that another thread holds for writing, or any while the thread holds no lock violates `locks`.
int pthread_rwlock_unlock(struct object *lock)
{
    unsigned me = as_writer();
    /* One step if it is clear what the thread holds; others may change the number of readers meanwhile. */
    _Bool writes = writing != 0 && (reading == 0 || LOAD(&lock->word, RELAXED) == me);
    unsigned found = __atomic_fetch_sub(&lock->word, writes ? me : 1, __ATOMIC_RELEASE);
    must_be_shared_lock(found);
    must(found != 0, "a read-write lock is unlocked although no thread holds it");
    if (writes) {
        must(found == me, "a read-write lock is unlocked by a thread that does not hold it");
        writing--;
        return 0;
    }
    must(found < WRITER, "a read-write lock that another thread holds for writing is unlocked");
    must(reading != 0, "a read-write lock is unlocked by a thread that does not hold it");
    reading--;
    return 0;
}

static int any_setting(int *found)
{
    *found = (int)__membar_input(0, 1);
    return 0;
}

/// pthread_rwlockattr_getpshared, pthread_rwlockattr_getkind_np: An unknown number, see environment.c.
int pthread_rwlockattr_getpshared(const void *attributes, int *found) { return any_setting(found); }
int pthread_rwlockattr_getkind_np(const void *attributes, int *found) { return any_setting(found); }

/// pthread_rwlockattr_init, pthread_rwlockattr_destroy, pthread_rwlockattr_setpshared, pthread_rwlockattr_setkind_np: Does nothing: there is one process, and the preference does not matter, see `pthread_rwlock_rdlock`.
int pthread_rwlockattr_init(void *attributes) { return 0; }
int pthread_rwlockattr_destroy(void *attributes) { return 0; }
int pthread_rwlockattr_setpshared(void *attributes, int shared) { return 0; }
int pthread_rwlockattr_setkind_np(void *attributes, int kind) { return 0; }
