/* Cleanup handlers, which each thread keeps in a list. */
#include "membar.h"

struct handler { /* as in headers/pthread.h */
    void (*function)(void *);
    void *argument;
    struct handler *outer;
};
enum { MOST_HANDLERS = 8 };
static _Thread_local struct handler *innermost;

/// __mb_push_handler, __mb_pop_handler: What `pthread_cleanup_push` and `pthread_cleanup_pop` call. `pthread_exit` calls the handlers that were pushed and not popped, the last one first; executions in which there are more than 8 are truncated.
void __mb_push_handler(struct handler *handler)
{
    handler->outer = innermost;
    innermost = handler;
}
void __mb_pop_handler(struct handler *handler) { innermost = handler->outer; }

/// __mb_end_of_handlers: What `pthread_exit` calls where the program pushes handlers.
void __mb_end_of_handlers(void)
{
    for (int left = MOST_HANDLERS; left && innermost; left--) {
        struct handler *last = innermost;
        innermost = last->outer;
        last->function(last->argument);
    }
    if (innermost)
        __membar_cut("more than 8 cleanup handlers");
}
