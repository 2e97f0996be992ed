/* Who waits at which object. A thread that was woken still looks at the object; whoever destroys it waits for that,
   as glibc does, so that the memory may be used for something else at once. */
#ifndef MEMBAR_WAITING_H
#define MEMBAR_WAITING_H
#include "membar.h"

enum { MOST_THREADS = 16 };
static uintptr_t waits_at[MOST_THREADS]; /* addresses of objects */

static inline long long own_place(void)
{
    long long me = __membar_self();
    if (me >= MOST_THREADS)
        __membar_cut("waiting by threads beyond the first 16");
    return me;
}

static inline void begin_waiting(const void *object) { STORE(&waits_at[own_place()], (uintptr_t)object, RELEASE); }
static inline void end_waiting(void) { STORE(&waits_at[own_place()], 0, RELEASE); }

static inline void let_all_leave(const void *object)
{
    for (long long thread = 0; thread < MOST_THREADS; thread++)
        if (thread < __membar_thread_count())
            __membar_wait(LOAD(&waits_at[thread], ACQUIRE) != (uintptr_t)object);
}

#endif
