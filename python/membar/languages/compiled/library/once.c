/* One-time initialisation. */
#include "membar.h"

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
