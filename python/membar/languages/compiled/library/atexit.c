/* Functions that are called at the end of the process. */
#include "membar.h"

enum { MOST_HANDLERS = 32 };
static void (*handlers[MOST_HANDLERS])(void);
static unsigned registered;

/// __mb_end_of_process: At the end of `main`, and by `exit`, the functions given to `atexit` are called, the last one first.
void __mb_end_of_process(void)
{
    while (registered != 0)
        handlers[--registered]();
}

/// atexit: Up to 32 functions; executions with more are truncated.
int atexit(void (*function)(void))
{
    if (registered == MOST_HANDLERS)
        __membar_cut("more than 32 functions for the end of the process");
    handlers[registered++] = function;
    return 0;
}

/// at_quick_exit: Does nothing: `quick_exit` ends the process at once.
int at_quick_exit(void (*function)(void)) { return 0; }
