/* Functions that are called at the end of the process. */
#include "membar.h"

enum { MOST_HANDLERS = 32 };
struct handlers {
    unsigned count;
    void (*functions[MOST_HANDLERS])(void);
    void (*destructors[MOST_HANDLERS])(void *); /* of C++ objects, instead of a function */
    void *objects[MOST_HANDLERS];
};
static struct handlers at_end, at_quick_end;

/* Threads may register functions at the same time, and while the process ends. */
static unsigned add(struct handlers *handlers, void (*function)(void))
{
    unsigned at = __atomic_fetch_add(&handlers->count, 1, __ATOMIC_RELAXED);
    if (at >= MOST_HANDLERS)
        __membar_cut("more than 32 functions for the end of the process");
    STORE(&handlers->functions[at], function, RELEASE);
    return at;
}

static void call_all(struct handlers *handlers)
{
    unsigned left;
    while ((left = LOAD(&handlers->count, RELAXED)) != 0) {
        void (*function)(void) = LOAD(&handlers->functions[left - 1], ACQUIRE);
        STORE(&handlers->count, left - 1, RELAXED);
        if (function) {
            function();
            continue;
        }
        void (*destructor)(void *) = LOAD(&handlers->destructors[left - 1], ACQUIRE);
        if (destructor)
            destructor(handlers->objects[left - 1]);
    }
}

/// __mb_end_of_process: At the end of `main`, and by `exit`, the functions given to `atexit` are called, the last one first.
void __mb_end_of_process(void) { call_all(&at_end); }

/// __mb_end_of_quick_exit: `quick_exit` calls the functions given to `at_quick_exit`, the last one first.
void __mb_end_of_quick_exit(void) { call_all(&at_quick_end); }

/// atexit, at_quick_exit: Up to 32 functions; executions with more are truncated.
int atexit(void (*function)(void))
{
    add(&at_end, function);
    return 0;
}
int at_quick_exit(void (*function)(void))
{
    add(&at_quick_end, function);
    return 0;
}

/// __cxa_atexit: Destructors of C++ objects, as `atexit`.
int __cxa_atexit(void (*destructor)(void *), void *object, void *library)
{
    unsigned at = add(&at_end, NULL);
    at_end.objects[at] = object;
    STORE(&at_end.destructors[at], destructor, RELEASE);
    return 0;
}

/// __mb_end_of_main: Executions in which `main` ends without the process are truncated if there are such functions.
void __mb_end_of_main(void)
{
    if (LOAD(&at_end.count, RELAXED) != 0)
        __membar_cut("functions for the end of the process after that of main");
}
