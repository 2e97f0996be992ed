/* How the bodies of C++ library functions report what ends the program. */
#ifndef MEMBAR_CPP_H
#define MEMBAR_CPP_H
#include "membar.h"

/* The key of <pthread.h> under which libc++ keeps what belongs to the end of a thread. */
#define END_OF_THREAD_KEY 0xffffffffU

static inline _Noreturn void end_by_error(const char *message)
{
    __membar_check(0, "exits", message);
    __membar_exit(134);
}
/* The bytes of objects of <pthread.h>, where those of the C++ libraries consist of several. */
#ifdef __aarch64__
enum { MUTEX_SIZE = 48 };
#elif __SIZEOF_POINTER__ == 8
enum { MUTEX_SIZE = 40 };
#else
enum { MUTEX_SIZE = 24 };
#endif
enum { CONDITION_SIZE = 48 };

/* Violates `exits`, unless the program catches exceptions. */
_Noreturn void __membar_throw(void);
#define throw_from_library(type) __membar_throw()

#endif
