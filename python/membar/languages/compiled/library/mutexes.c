/* Mutexes and spin locks of <pthread.h> and <threads.h>. */
#include "mutex.h"

static void begin_mutex(struct mutex *mutex, int kind)
{
    begin_object(&mutex->itself, "a mutex is initialised twice");
    mutex->word = 0;
    mutex->kind = kind;
}

/// pthread_mutex_init, mtx_init: Plain writes: using the mutex without being ordered after its initialisation is a data race. Initialising it twice, without destroying it in between, violates `locks`; static initialisers do not count.
int pthread_mutex_init(struct mutex *mutex, const int *attributes)
{
    begin_mutex(mutex, attributes ? *attributes : NORMAL);
    return 0;
}
int mtx_init(struct mutex *mutex, int type)
{
    begin_mutex(mutex, type & 1 ? RECURSIVE : NORMAL);
    return THRD_SUCCESS;
}

/// pthread_mutex_destroy, mtx_destroy: Destroying a mutex that is held, or twice, or using it afterwards, violates `locks`.
int pthread_mutex_destroy(struct mutex *mutex)
{
    unsigned found = LOAD(&mutex->word, RELAXED);
    must(found != DESTROYED, "a mutex is destroyed twice");
    must(found == 0, "a mutex is destroyed while it is held");
    end_object(&mutex->itself);
    STORE(&mutex->word, DESTROYED, RELAXED);
    return 0;
}
void mtx_destroy(struct mutex *mutex) { pthread_mutex_destroy(mutex); }

/// pthread_mutex_lock, mtx_lock: An acquire and nothing more. A recursive mutex counts how often its owner has locked it; an error-checking one returns EDEADLK; with any other a thread that locks twice waits forever. Robust mutexes and priorities are not modelled.
int pthread_mutex_lock(struct mutex *mutex) { return lock_mutex(mutex); }
int mtx_lock(struct mutex *mutex) { return lock_mutex(mutex) ? THRD_ERROR : THRD_SUCCESS; }

/// pthread_mutex_trylock: An acquire if it succeeds; fails only if the mutex is held.
int pthread_mutex_trylock(struct mutex *mutex) { return try_mutex(mutex, EBUSY); }

/// mtx_trylock: An acquire if it succeeds; may fail although the mutex is free, as the standard allows.
int mtx_trylock(struct mutex *mutex) { return __membar_choose(0, 1) ? THRD_BUSY : try_mutex(mutex, THRD_BUSY); }

/// pthread_mutex_timedlock, pthread_mutex_clocklock, mtx_timedlock: Succeeds, or gives up at any time at which the mutex is held.
int pthread_mutex_timedlock(struct mutex *mutex, const long *time) { read_time(time); return try_mutex(mutex, ETIMEDOUT); }
int pthread_mutex_clocklock(struct mutex *mutex, int clock, const long *time) { read_time(time); return try_mutex(mutex, ETIMEDOUT); }
int mtx_timedlock(struct mutex *mutex, const long *time) { read_time(time); return try_mutex(mutex, THRD_TIMEDOUT); }

/// pthread_mutex_unlock, mtx_unlock: A release and nothing more. Unlocking a mutex that the thread does not hold violates `locks`, except that an error-checking one returns EPERM.
int pthread_mutex_unlock(struct mutex *mutex) { return unlock_mutex(mutex); }
int mtx_unlock(struct mutex *mutex) { return unlock_mutex(mutex) ? THRD_ERROR : THRD_SUCCESS; }

/// pthread_mutexattr_init, pthread_mutexattr_destroy, pthread_mutexattr_settype, pthread_mutexattr_gettype: Keeps the type.
int pthread_mutexattr_init(int *attributes)
{
    *attributes = NORMAL;
    return 0;
}
int pthread_mutexattr_destroy(int *attributes) { return 0; }
int pthread_mutexattr_settype(int *attributes, int type)
{
    *attributes = type;
    return 0;
}
int pthread_mutexattr_gettype(const int *attributes, int *type)
{
    *type = *attributes;
    return 0;
}

/// pthread_mutexattr_setpshared, pthread_mutexattr_setprotocol, pthread_mutexattr_setprioceiling, pthread_mutex_setprioceiling: Does nothing: there is one process, and no priorities.
int pthread_mutexattr_setpshared(int *attributes, int shared) { return 0; }
int pthread_mutexattr_setprotocol(int *attributes, int protocol) { return 0; }
int pthread_mutexattr_setprioceiling(int *attributes, int priority) { return 0; }
int pthread_mutex_setprioceiling(struct mutex *mutex, int priority, int *old) { return 0; }

/// pthread_mutexattr_getpshared, pthread_mutexattr_getprotocol, pthread_mutexattr_getprioceiling, pthread_mutexattr_getrobust, pthread_mutex_getprioceiling: An unknown number, see environment.c.
static int from_outside(int *found)
{
    *found = (int)__membar_input(0, 1);
    return 0;
}
int pthread_mutexattr_getpshared(const int *attributes, int *found) { return from_outside(found); }
int pthread_mutexattr_getprotocol(const int *attributes, int *found) { return from_outside(found); }
int pthread_mutexattr_getprioceiling(const int *attributes, int *found) { return from_outside(found); }
int pthread_mutexattr_getrobust(const int *attributes, int *found) { return from_outside(found); }
int pthread_mutex_getprioceiling(const struct mutex *mutex, int *found) { return from_outside(found); }

/// pthread_mutexattr_setrobust: Executions with robust mutexes are truncated.
int pthread_mutexattr_setrobust(int *attributes, int robust)
{
    if (robust)
        __membar_cut("robust mutexes");
    return 0;
}

/* A spin lock: FREE once it is initialised, and who holds it besides. There is no static initialiser. */
#define FREE 0x10000u

static inline void must_be_spin_lock(unsigned found)
{
    must(found != DESTROYED, "a spin lock is used after it was destroyed");
    must((found & ~(unsigned)OWNER) == FREE, "a spin lock is used before it is initialised");
}

/// pthread_spin_init: A plain write. Initialising a lock twice, without destroying it in between, violates `locks`.
int pthread_spin_init(unsigned *lock, int shared)
{
    unsigned before = __membar_peek(lock);
    must((before & ~(unsigned)OWNER) != FREE, "a spin lock is initialised twice");
    *lock = FREE;
    return 0;
}

/// pthread_spin_destroy: Destroying a lock that is held, or twice, or using it afterwards, violates `locks`.
int pthread_spin_destroy(unsigned *lock)
{
    unsigned found = LOAD(lock, RELAXED);
    must_be_spin_lock(found);
    must(found == FREE, "a spin lock is destroyed while it is held");
    STORE(lock, DESTROYED, RELAXED);
    return 0;
}

/// pthread_spin_lock: An acquire and nothing more; waits like a mutex. Using a lock that was not initialised violates `locks`.
int pthread_spin_lock(unsigned *lock)
{
    unsigned found = __membar_add_within(lock, FREE, FREE, own_number());
    __membar_wait((found == FREE) | ((found & ~(unsigned)OWNER) != FREE));
    must_be_spin_lock(found);
    return 0;
}

/// pthread_spin_trylock: An acquire if it succeeds; fails only if the lock is held.
int pthread_spin_trylock(unsigned *lock)
{
    unsigned found = __membar_add_within(lock, FREE, FREE, own_number());
    must_be_spin_lock(found);
    return found == FREE ? 0 : EBUSY;
}

/// pthread_spin_unlock: A release and nothing more. Unlocking what the thread does not hold violates `locks`.
int pthread_spin_unlock(unsigned *lock)
{
    must(LOAD(lock, RELAXED) == FREE + own_number(), "a spin lock is unlocked by a thread that does not hold it");
    STORE(lock, FREE, RELEASE);
    return 0;
}
