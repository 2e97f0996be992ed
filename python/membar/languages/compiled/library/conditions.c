/* Condition variables: a word with a bit for each thread that waits. A signal clears the bit of any one of
   them, a broadcast clears all; a waiting thread blocks until its own bit is cleared. */
#include "mutex.h"
#include "waiting.h"

struct condition {
    unsigned long waiters;
    unsigned itself;
};
#define GONE (~0ul) /* what a destroyed one holds */

static void must_be_there(unsigned long found) { must(found != GONE, "a condition variable is used after it was destroyed"); }

static int wait_for(struct condition *condition, struct mutex *mutex, _Bool is_timed, int late)
{
    unsigned long *waiters = &condition->waiters, bit = 1ul << own_place();
    int result = 0;
    begin_waiting(condition);
    must_be_there(__atomic_fetch_or(waiters, bit, __ATOMIC_RELAXED));
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
    end_waiting();
    lock_mutex(mutex);
    return result;
}

static int signal_one(struct condition *condition)
{
    long long thread = __membar_choose(0, __membar_thread_count() - 1);
    unsigned long bit = thread < MOST_THREADS ? 1ul << thread : 0;
    unsigned long found = __atomic_fetch_and(&condition->waiters, ~bit, __ATOMIC_RELAXED);
    must_be_there(found);
    __membar_assume((found & bit) != 0 || (found == 0 && thread == 0)); /* if nobody waits, one choice is enough */
    return 0;
}

static int signal_all(struct condition *condition)
{
    must_be_there(__atomic_exchange_n(&condition->waiters, 0ul, __ATOMIC_RELAXED));
    return 0;
}

static int begin(struct condition *condition)
{
    begin_object(&condition->itself, "a condition variable is initialised twice");
    condition->waiters = 0;
    return 0;
}

static int end(struct condition *condition)
{
    unsigned long found = LOAD(&condition->waiters, RELAXED);
    must_be_there(found);
    must(found == 0, "a condition variable is destroyed while a thread waits for it");
    let_all_leave(condition);
    end_object(&condition->itself);
    STORE(&condition->waiters, GONE, RELAXED);
    return 0;
}

/// pthread_cond_init, cnd_init: Plain writes. Attributes do not matter. Initialising it twice, without destroying it in between, violates `locks`; static initialisers do not count.
int pthread_cond_init(struct condition *condition, const void *attributes) { return begin(condition); }
int cnd_init(struct condition *condition) { return begin(condition); }

/// pthread_cond_destroy, cnd_destroy: Destroying it while a thread waits, or twice, or using it afterwards, violates `locks`. When it returns, all threads that were woken have left.
int pthread_cond_destroy(struct condition *condition) { return end(condition); }
void cnd_destroy(struct condition *condition) { end(condition); }

/// pthread_cond_wait, cnd_wait: Gives the mutex back, waits and takes it again; may wake up spuriously. It orders nothing besides the mutex.
int pthread_cond_wait(struct condition *condition, struct mutex *mutex) { return wait_for(condition, mutex, 0, 0); }
int cnd_wait(struct condition *condition, struct mutex *mutex) { return wait_for(condition, mutex, 0, 0); }

/// pthread_cond_timedwait, pthread_cond_clockwait, cnd_timedwait: May also give up at any time. The time must be set, and does not matter; so with all timed calls.
int pthread_cond_timedwait(struct condition *condition, struct mutex *mutex, const long *time) { read_time(time); return wait_for(condition, mutex, 1, ETIMEDOUT); }
int pthread_cond_clockwait(struct condition *condition, struct mutex *mutex, int clock, const long *time) { read_time(time); return wait_for(condition, mutex, 1, ETIMEDOUT); }
int cnd_timedwait(struct condition *condition, struct mutex *mutex, const long *time) { read_time(time); return wait_for(condition, mutex, 1, THRD_TIMEDOUT); }

/// pthread_cond_signal, cnd_signal: Wakes any one of the waiting threads; a signal that nobody waits for is lost. It orders nothing.
int pthread_cond_signal(struct condition *condition) { return signal_one(condition); }
int cnd_signal(struct condition *condition) { return signal_one(condition); }

/// pthread_cond_broadcast, cnd_broadcast: Wakes all waiting threads. It orders nothing.
int pthread_cond_broadcast(struct condition *condition) { return signal_all(condition); }
int cnd_broadcast(struct condition *condition) { return signal_all(condition); }

/// pthread_condattr_init, pthread_condattr_destroy, pthread_condattr_setclock, pthread_condattr_setpshared: Does nothing: there is one process, and time is not known.
int pthread_condattr_init(int *attributes) { return 0; }
int pthread_condattr_destroy(int *attributes) { return 0; }
int pthread_condattr_setclock(int *attributes, int clock) { return 0; }
int pthread_condattr_setpshared(int *attributes, int shared) { return 0; }
