/* std::atomic::wait and notify of libc++, which calls these for each size of an atomic object.

   A table has an entry for each thread. The thread that waits exchanges its own, the one that notifies updates those of
   all others: either the latter finds the address, or the former comes after it and sees the value that was notified.
   The update is only a release and the exchange only an acquire, so that notifying is no fence. */
#include "waiting.h"

/* Whoever finds another value now, or was woken, need not be followed: headers/__thread/poll_with_backoff.h. */
static inline void enter(const void *word) { __atomic_exchange_n(&waits_at[own_place()], (uintptr_t)word, __ATOMIC_ACQUIRE); }
static inline void wait_in_table(_Bool is_old)
{
    __membar_assume(is_old);
    __membar_wait(LOAD(&waits_at[own_place()], RELAXED) == 0);
}

static inline void notify(const void *word, _Bool all)
{
    long long me = __membar_self(), count = __membar_thread_count();
    long long threads = count < MOST_THREADS ? count : MOST_THREADS;
    /* Any one of those who wait, by beginning the search anywhere. */
    long long first = all ? 0 : __membar_choose(0, threads - 1);
    _Bool is_done = 0;
    for (long long at = 0; at < MOST_THREADS; at++) {
        if (at >= threads || is_done)
            continue;
        long long thread = first + at < threads ? first + at : first + at - threads;
        if (thread == me)
            continue;
        uintptr_t found = __atomic_fetch_or(&waits_at[thread], 0, __ATOMIC_RELEASE);
        if (found == (uintptr_t)word)
            is_done = __atomic_compare_exchange_n(&waits_at[thread], &found, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) & !all;
    }
}

/// _ZNSt3__120__atomic_wait_nativeILm1EEEvPKvS2_, _ZNSt3__120__atomic_wait_nativeILm2EEEvPKvS2_, _ZNSt3__120__atomic_wait_nativeILm4EEEvPKvS2_, _ZNSt3__120__atomic_wait_nativeILm8EEEvPKvS2_: `std::atomic::wait`: blocks while the value is the old one and nobody notifies, or waits for another value (headers/__thread/poll_with_backoff.h). It orders nothing besides reading the value.
void _ZNSt3__120__atomic_wait_nativeILm1EEEvPKvS2_(const void *word, const unsigned char *old)
{
    enter(word);
    wait_in_table(LOAD((const unsigned char *)word, RELAXED) == *old);
}
void _ZNSt3__120__atomic_wait_nativeILm2EEEvPKvS2_(const void *word, const unsigned short *old)
{
    enter(word);
    wait_in_table(LOAD((const unsigned short *)word, RELAXED) == *old);
}
void _ZNSt3__120__atomic_wait_nativeILm4EEEvPKvS2_(const void *word, const unsigned *old)
{
    enter(word);
    wait_in_table(LOAD((const unsigned *)word, RELAXED) == *old);
}
void _ZNSt3__120__atomic_wait_nativeILm8EEEvPKvS2_(const void *word, const unsigned long long *old)
{
    enter(word);
    wait_in_table(LOAD((const unsigned long long *)word, RELAXED) == *old);
}

/// _ZNSt3__133__atomic_wait_native_with_timeoutILm1EEEvPKvS2_m, _ZNSt3__133__atomic_wait_native_with_timeoutILm2EEEvPKvS2_m, _ZNSt3__133__atomic_wait_native_with_timeoutILm4EEEvPKvS2_m, _ZNSt3__133__atomic_wait_native_with_timeoutILm8EEEvPKvS2_m: `try_acquire_for` of semaphores: may give up at any time, so nobody comes here (headers/__thread/poll_with_backoff.h).
void _ZNSt3__133__atomic_wait_native_with_timeoutILm1EEEvPKvS2_m(const void *word, const void *old, unsigned long time) { __membar_assume(0); }
void _ZNSt3__133__atomic_wait_native_with_timeoutILm2EEEvPKvS2_m(const void *word, const void *old, unsigned long time) { __membar_assume(0); }
void _ZNSt3__133__atomic_wait_native_with_timeoutILm4EEEvPKvS2_m(const void *word, const void *old, unsigned long time) { __membar_assume(0); }
void _ZNSt3__133__atomic_wait_native_with_timeoutILm8EEEvPKvS2_m(const void *word, const void *old, unsigned long time) { __membar_assume(0); }

/// _ZNSt3__126__atomic_notify_one_nativeILm1EEEvPKv, _ZNSt3__126__atomic_notify_one_nativeILm2EEEvPKv, _ZNSt3__126__atomic_notify_one_nativeILm4EEEvPKv, _ZNSt3__126__atomic_notify_one_nativeILm8EEEvPKv, _ZNSt3__126__atomic_notify_all_nativeILm1EEEvPKv, _ZNSt3__126__atomic_notify_all_nativeILm2EEEvPKv, _ZNSt3__126__atomic_notify_all_nativeILm4EEEvPKv, _ZNSt3__126__atomic_notify_all_nativeILm8EEEvPKv: `std::atomic::notify_one` and `notify_all`: a notification that nobody waits for is lost. They order nothing.
void _ZNSt3__126__atomic_notify_one_nativeILm1EEEvPKv(const void *word) { notify(word, 0); }
void _ZNSt3__126__atomic_notify_one_nativeILm2EEEvPKv(const void *word) { notify(word, 0); }
void _ZNSt3__126__atomic_notify_one_nativeILm4EEEvPKv(const void *word) { notify(word, 0); }
void _ZNSt3__126__atomic_notify_one_nativeILm8EEEvPKv(const void *word) { notify(word, 0); }
void _ZNSt3__126__atomic_notify_all_nativeILm1EEEvPKv(const void *word) { notify(word, 1); }
void _ZNSt3__126__atomic_notify_all_nativeILm2EEEvPKv(const void *word) { notify(word, 1); }
void _ZNSt3__126__atomic_notify_all_nativeILm4EEEvPKv(const void *word) { notify(word, 1); }
void _ZNSt3__126__atomic_notify_all_nativeILm8EEEvPKv(const void *word) { notify(word, 1); }
