/* Condition variables: a word with a bit for each thread that waits. A signal clears the bit of any one of
   them, a broadcast clears all; a waiting thread blocks until its own bit is cleared. */
#include "mutex.h"

enum { MOST_THREADS = 8 * sizeof(unsigned long) };

static unsigned long own_bit(void)
{
    long long me = __membar_self();
    if (me >= MOST_THREADS)
        __membar_cut("more threads than a condition variable has room for");
    return 1ul << me;
}

static int wait_for(unsigned long *waiters, struct mutex *mutex, _Bool is_timed, int late)
{
    unsigned long bit = own_bit();
    int result = 0;
    __atomic_fetch_or(waiters, bit, __ATOMIC_RELAXED);
    unlock_mutex(mutex);
    if (__membar_wakes()) {
        __atomic_fetch_and(waiters, ~bit, __ATOMIC_RELAXED);
        if (is_timed && __membar_choose(0, 1))
            result = late;
    } else if (is_timed) {
        __membar_assume((LOAD(waiters, RELAXED) & bit) == 0);
    } else {
        __membar_wait((LOAD(waiters, RELAXED) & bit) == 0);
    }
    lock_mutex(mutex);
    return result;
}

static int signal_one(unsigned long *waiters)
{
    long long thread = __membar_choose(0, __membar_thread_count() - 1);
    unsigned long bit = thread < MOST_THREADS ? 1ul << thread : 0;
    unsigned long found = __atomic_fetch_and(waiters, ~bit, __ATOMIC_RELAXED);
    __membar_assume((found & bit) != 0 || (found == 0 && thread == 0)); /* if nobody waits, one choice is enough */
    return 0;
}

static int signal_all(unsigned long *waiters)
{
    __atomic_exchange_n(waiters, 0ul, __ATOMIC_RELAXED);
    return 0;
}

static int begin(unsigned long *waiters)
{
    *waiters = 0;
    return 0;
}

static int end(unsigned long *waiters)
{
    must(LOAD(waiters, RELAXED) == 0, "a condition variable is destroyed while a thread waits for it");
    return 0;
}

/// pthread_cond_init, cnd_init: A plain write. Attributes do not matter.
int pthread_cond_init(unsigned long *waiters, const void *attributes) { return begin(waiters); }
int cnd_init(unsigned long *waiters) { return begin(waiters); }

/// pthread_cond_destroy, cnd_destroy: Destroying it while a thread waits violates `locks`.
int pthread_cond_destroy(unsigned long *waiters) { return end(waiters); }
void cnd_destroy(unsigned long *waiters) { end(waiters); }

/// pthread_cond_wait, cnd_wait: Gives the mutex back, waits and takes it again; may wake up without cause. It orders nothing besides the mutex.
int pthread_cond_wait(unsigned long *waiters, struct mutex *mutex) { return wait_for(waiters, mutex, 0, 0); }
int cnd_wait(unsigned long *waiters, struct mutex *mutex) { return wait_for(waiters, mutex, 0, 0); }

/// pthread_cond_timedwait, pthread_cond_clockwait, cnd_timedwait: May also give up at any time.
int pthread_cond_timedwait(unsigned long *waiters, struct mutex *mutex, const void *time) { return wait_for(waiters, mutex, 1, ETIMEDOUT); }
int pthread_cond_clockwait(unsigned long *waiters, struct mutex *mutex, int clock, const void *time) { return wait_for(waiters, mutex, 1, ETIMEDOUT); }
int cnd_timedwait(unsigned long *waiters, struct mutex *mutex, const void *time) { return wait_for(waiters, mutex, 1, THRD_TIMEDOUT); }

/// pthread_cond_signal, cnd_signal: Wakes any one of the threads that wait; a signal that nobody waits for is lost. It orders nothing.
int pthread_cond_signal(unsigned long *waiters) { return signal_one(waiters); }
int cnd_signal(unsigned long *waiters) { return signal_one(waiters); }

/// pthread_cond_broadcast, cnd_broadcast: Wakes all threads that wait. It orders nothing.
int pthread_cond_broadcast(unsigned long *waiters) { return signal_all(waiters); }
int cnd_broadcast(unsigned long *waiters) { return signal_all(waiters); }

/// pthread_condattr_init, pthread_condattr_destroy, pthread_condattr_setclock, pthread_condattr_setpshared: Does nothing: there is one process, and time is not known.
int pthread_condattr_init(int *attributes) { return 0; }
int pthread_condattr_destroy(int *attributes) { return 0; }
int pthread_condattr_setclock(int *attributes, int clock) { return 0; }
int pthread_condattr_setpshared(int *attributes, int shared) { return 0; }
