/* The end of the process, assertions, and errno. */
#include "membar.h"

static _Thread_local int error;

/// __errno_location: Each thread has its own `errno`; only functions of this table that say so set it.
int *__errno_location(void) { return &error; }

/* Defined in atexit.c where the program registers functions. */
void __mb_end_of_process(void);
void __mb_end_of_quick_exit(void);

static void must_be_zero(int status, const char *message) { __membar_check(status == 0, "exits", message); }

/// exit: Ends the process; a status other than 0 violates `exits`.
_Noreturn void exit(int status)
{
    __mb_end_of_process();
    must_be_zero(status, "exit is called with an exit code other than 0");
    __membar_exit(status);
}

/// err, errx: Prints nothing, and ends the process as `exit` does.
_Noreturn void err(int status, const char *format, ...) { exit(status); }
_Noreturn void errx(int status, const char *format, ...) { exit(status); }

/// _Exit, _exit: Ends the process at once; a status other than 0 violates `exits`.
_Noreturn void _Exit(int status)
{
    must_be_zero(status, "_Exit is called with an exit code other than 0");
    __membar_exit(status);
}
_Noreturn void _exit(int status) { _Exit(status); }

/// quick_exit: Calls the functions given to `at_quick_exit`, and ends the process; a status other than 0 violates `exits`.
_Noreturn void quick_exit(int status)
{
    __mb_end_of_quick_exit();
    _Exit(status);
}

/// abort: Ends the process, and violates `exits`.
_Noreturn void abort(void)
{
    must_be_zero(134, "abort is called");
    __membar_exit(134);
}

/// __mb_trap: `__builtin_trap` ends the process, and violates `exits`.
_Noreturn void __mb_trap(void)
{
    must_be_zero(132, "a trap is reached");
    __membar_exit(132);
}

/// __mb_assert: `assert` of membar's <assert.h>: violates `assertions` if its argument is 0.
void __mb_assert(_Bool condition) { __membar_check(condition, "assertions", "the assertion fails"); }

/// __assert_fail, __assert, __assert_perror_fail, __assert_rtn: What a failing `assert` of the system's <assert.h> calls: violates `assertions`.
_Noreturn void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    __membar_check(0, "assertions", text);
    __membar_exit(134);
}
_Noreturn void __assert(const char *text, const char *file, int line)
{
    __membar_check(0, "assertions", text);
    __membar_exit(134);
}
_Noreturn void __assert_perror_fail(int number, const char *file, unsigned line, const char *function)
{
    __membar_check(0, "assertions", "the assertion fails");
    __membar_exit(134);
}
_Noreturn void __assert_rtn(const char *function, const char *file, int line, const char *text)
{
    __membar_check(0, "assertions", text);
    __membar_exit(134);
}
