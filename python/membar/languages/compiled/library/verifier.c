/* Functions of verification tasks: SV-COMP's `__VERIFIER_…`, CBMC's `__CPROVER_…`, GenMC's and Dartagnan's. */
#include "membar.h"

/// reach_error, __VERIFIER_error: A call violates `assertions`, whatever the program's own body does.
void reach_error(void) { __membar_check(0, "assertions", "reach_error is called"); }
_Noreturn void __VERIFIER_error(void)
{
    __membar_check(0, "assertions", "__VERIFIER_error is called");
    __membar_exit(134);
}

/// __VERIFIER_assert, __CPROVER_assert: Violates `assertions` if it is 0.
void __VERIFIER_assert(int condition) { __membar_check(condition != 0, "assertions", "the assertion fails"); }
void __CPROVER_assert(int condition, const char *text) { __membar_check(condition != 0, "assertions", text); }

/// __VERIFIER_assume, __CPROVER_assume, assume_abort_if_not: Discards executions in which the argument is 0.
void __VERIFIER_assume(int condition) { __membar_assume(condition != 0); }
void __CPROVER_assume(int condition) { __membar_assume(condition != 0); }
void assume_abort_if_not(int condition) { __membar_assume(condition != 0); }

/// __VERIFIER_atomic_begin, __VERIFIER_atomic_end, __CPROVER_atomic_begin, __CPROVER_atomic_end: The code between them is one step, and so is every function whose name begins with `__VERIFIER_atomic_`.
void __VERIFIER_atomic_begin(void) { __membar_atomic_begin(); }
void __VERIFIER_atomic_end(void) { __membar_atomic_end(); }
void __CPROVER_atomic_begin(void) { __membar_atomic_begin(); }
void __CPROVER_atomic_end(void) { __membar_atomic_end(); }

/* Any value: from -1 (0 if unsigned) to 2 unless MEMBAR_NONDET_MIN and MEMBAR_NONDET_MAX say otherwise. */
static long long any(long long least, unsigned long long most)
{
#if defined MEMBAR_NONDET_MIN && defined MEMBAR_NONDET_MAX
    long long low = MEMBAR_NONDET_MIN, high = MEMBAR_NONDET_MAX;
    if (low < least)
        low = least;
    if (high > 0 && (unsigned long long)high > most)
        high = (long long)most;
    if (low > high)
        __membar_cut("values of a type that has none from MEMBAR_NONDET_MIN to MEMBAR_NONDET_MAX");
    return __membar_choose(low, high);
#else
    long long low = least < 0 ? -1 : 0;
    long long found = __membar_choose(low - 1, 2);
    if (found < low) {
        if (least < 0)
            __membar_cut("inputs other than -1 to 2");
        __membar_cut("inputs other than 0 to 2");
    }
    return found;
#endif
}

#define ANY(name, type, least, most) \
    type __VERIFIER_nondet_##name(void) { return (type)any(least, most); }

/// __VERIFIER_nondet_char, __VERIFIER_nondet_short, __VERIFIER_nondet_int, __VERIFIER_nondet_long, __VERIFIER_nondet_longlong: -1 to 2, and executions with other values are truncated; if MEMBAR_NONDET_MIN and MEMBAR_NONDET_MAX are defined, every value between them.
ANY(char, char, -128, 127)
ANY(short, short, -32768, 32767)
ANY(int, int, -2147483648ll, 2147483647)
ANY(long, long, -__LONG_MAX__ - 1, __LONG_MAX__)
ANY(longlong, long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)

/// __VERIFIER_nondet_uchar, __VERIFIER_nondet_ushort, __VERIFIER_nondet_uint, __VERIFIER_nondet_unsigned, __VERIFIER_nondet_unsigned_int, __VERIFIER_nondet_ulong, __VERIFIER_nondet_ulonglong, __VERIFIER_nondet_size_t, __VERIFIER_nondet_u8, __VERIFIER_nondet_u16, __VERIFIER_nondet_u32, __VERIFIER_nondet_u64, __VERIFIER_nondet_loff_t: 0 to 2, and executions with other values are truncated; if MEMBAR_NONDET_MIN and MEMBAR_NONDET_MAX are defined, every value between them.
ANY(uchar, unsigned char, 0, 255)
ANY(ushort, unsigned short, 0, 65535)
ANY(uint, unsigned, 0, -1u)
ANY(unsigned, unsigned, 0, -1u)
ANY(unsigned_int, unsigned, 0, -1u)
ANY(ulong, unsigned long, 0, -1ul)
ANY(ulonglong, unsigned long long, 0, -1ull)
ANY(size_t, size_t, 0, (size_t)-1)
ANY(u8, unsigned char, 0, 255)
ANY(u16, unsigned short, 0, 65535)
ANY(u32, unsigned, 0, -1u)
ANY(u64, unsigned long long, 0, -1ull)
ANY(loff_t, long long, 0, -1ull)

/// __VERIFIER_nondet_bool: 0 or 1.
_Bool __VERIFIER_nondet_bool(void) { return __membar_choose(0, 1) != 0; }

/// __VERIFIER_nondet_range: Any number from the first to the second.
int __VERIFIER_nondet_range(int low, int high) { return (int)__membar_choose(low, high); }

/// __VERIFIER_nondet_pointer: A null pointer, or one to no object of the program; executions with others are truncated.
void *__VERIFIER_nondet_pointer(void) { return (void *)(uintptr_t)(__membar_input(0, 1) << 8); }

/// __VERIFIER_loop_begin, __VERIFIER_spin_start, __VERIFIER_loop_bound, __VERIFIER_opt_begin: Does nothing: waiting loops are recognised.
void __VERIFIER_loop_begin(void) {}
void __VERIFIER_spin_start(void) {}
void __VERIFIER_loop_bound(int bound) {}
int __VERIFIER_opt_begin(void) { return 1; }

/// __VERIFIER_spin_end: Discards executions in which the argument is 0.
void __VERIFIER_spin_end(int condition) { __membar_assume(condition != 0); }
/// __VERIFIER_kill_thread: Discards executions in which the argument is not 0.
void __VERIFIER_kill_thread(int condition) { __membar_assume(condition == 0); }

/// __VERIFIER_tid: The number of the thread.
unsigned __VERIFIER_tid(void) { return (unsigned)__membar_self(); }

/// __VERIFIER_spawn, __VERIFIER_spawn_symmetric, __VERIFIER_join, __VERIFIER_join_symmetric: Like `pthread_create` and `pthread_join`.
unsigned long __VERIFIER_spawn(void *(*function)(void *), void *argument) { return (unsigned long)__membar_spawn(function, argument); }
unsigned long __VERIFIER_spawn_symmetric(void *(*function)(void *), void *argument, unsigned long other) { return (unsigned long)__membar_spawn(function, argument); }
void *__VERIFIER_join(unsigned long thread)
{
    must(__membar_retire((long long)thread), "a thread is joined after it was already joined or detached");
    return __membar_join((long long)thread);
}
void __VERIFIER_join_symmetric(unsigned long thread) { __VERIFIER_join(thread); }
