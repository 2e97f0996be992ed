/* Barriers. */
#include "mutex.h"
#include "waiting.h"

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
    must(before == 0 || before == UNSET, "a barrier is initialised twice");
    *barrier = count << HALF;
    return 0;
}

/// pthread_barrier_destroy: Destroying a barrier at which threads wait, or using it afterwards, violates `locks`. When it returns, all threads that met there have left.
int pthread_barrier_destroy(unsigned *barrier)
{
    unsigned found = LOAD(barrier, RELAXED), count = found >> HALF;
    if (count == 0) {
        must(0, "a barrier is destroyed before it is initialised, or twice");
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
        must(0, "a barrier is used before it is initialised or after it was destroyed");
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

/// pthread_barrierattr_getpshared: An unknown number, see environment.c.
int pthread_barrierattr_getpshared(const void *attributes, int *found)
{
    *found = (int)__membar_input(0, 1);
    return 0;
}

/// pthread_barrierattr_init, pthread_barrierattr_destroy, pthread_barrierattr_setpshared: Does nothing: there is one process.
int pthread_barrierattr_init(void *attributes) { return 0; }
int pthread_barrierattr_destroy(void *attributes) { return 0; }
int pthread_barrierattr_setpshared(void *attributes, int shared) { return 0; }
