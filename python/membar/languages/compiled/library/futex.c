/* `syscall`: the thread's identifier, and futexes. A table has an entry for each waiting thread. As in the kernel, a
   full barrier stands between making the entry and reading the word, and before the table is read: either the thread
   that wakes others sees the entry, or the thread that is about to wait sees the new value. */
#include "membar.h"

#if defined __x86_64__
enum { SYS_futex = 202, SYS_gettid = 186, SYS_sched_yield = 24, SYS_membarrier = 324 };
#elif defined __i386__
enum { SYS_futex = 240, SYS_gettid = 224, SYS_sched_yield = 158, SYS_membarrier = 375 };
#elif defined __powerpc64__
enum { SYS_futex = 221, SYS_gettid = 207, SYS_sched_yield = 158, SYS_membarrier = 365 };
#else
enum { SYS_futex = 98, SYS_gettid = 178, SYS_sched_yield = 124, SYS_membarrier = 283 };
#endif
enum { FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET = 9, FUTEX_WAKE_BITSET = 10, COMMAND = 0x7f, MOST_THREADS = 16 };
static uintptr_t waits_at[MOST_THREADS]; /* addresses of words */

static long fail(int number)
{
    if (number == 0)
        return 0;
    *__errno_location() = number;
    return -1;
}

/* Waits while a word has a value; gives 0, or the number of an error. */
static inline int wait_at(unsigned *word, unsigned expected, _Bool is_timed)
{
    long long me = __membar_self();
    if (me >= MOST_THREADS)
        __membar_cut("futexes of more than 16 threads");
    if (LOAD(word, RELAXED) != expected)
        return EAGAIN;
    if (__membar_wakes())
        return is_timed && __membar_choose(0, 1) ? ETIMEDOUT : 0;
    uintptr_t address = (uintptr_t)word;
    STORE(&waits_at[me], address, RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (LOAD(word, RELAXED) != expected) {
        /* Who was woken meanwhile has waited. */
        _Bool is_woken = !__atomic_compare_exchange_n(&waits_at[me], &address, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        return is_woken ? 0 : EAGAIN;
    }
    if (is_timed)
        __membar_assume(LOAD(&waits_at[me], RELAXED) == 0);
    else
        __membar_wait(LOAD(&waits_at[me], RELAXED) == 0);
    return 0;
}

static long wake_at(const void *word, unsigned most)
{
    long woken = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    long long threads = __membar_thread_count();
    if (threads > MOST_THREADS)
        __membar_cut("futexes of more than 16 threads");
    if (most > 1 && most < threads)
        __membar_cut("waking some of the threads that wait at a futex");
    /* Any one of those who wait, by beginning the search anywhere. */
    long long first = most == 1 ? __membar_choose(0, threads - 1) : 0;
    for (long long at = 0; at < MOST_THREADS; at++) {
        if (at >= threads || woken == most)
            continue;
        long long thread = first + at < threads ? first + at : first + at - threads;
        uintptr_t expected = (uintptr_t)word;
        if (__atomic_compare_exchange_n(&waits_at[thread], &expected, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            woken++;
    }
    return woken;
}

/// syscall: The thread's identifier, `sched_yield`, and futexes: a wait may wake up spuriously, and orders nothing unless it blocks; a wake is a full barrier; executions with a full membarrier or other calls are truncated.
long syscall(long number, long first, long second, long third, long fourth, long fifth, long sixth)
{
    if (number == SYS_gettid)
        return (long)__membar_self() + 1;
    if (number == SYS_sched_yield)
        return 0;
    if (number == SYS_futex) {
        long command = second & COMMAND;
        if (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET)
            return fail(wait_at((unsigned *)first, (unsigned)third, fourth != 0));
        if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET)
            return wake_at((void *)first, (unsigned)third);
    }
    __membar_cut("calls of the system other than simple ones");
    return -1;
}
