/* <pthread.h> whose cleanup handlers are a list: the system's, in C, are `setjmp` and what its library jumps to. */
#include_next <pthread.h>
#if !defined MEMBAR_PTHREAD_H && defined pthread_cleanup_push && !defined __cplusplus
#define MEMBAR_PTHREAD_H

struct __mb_handler {
    void (*__function)(void *);
    void *__argument;
    struct __mb_handler *__outer;
};
void __mb_push_handler(struct __mb_handler *);
void __mb_pop_handler(struct __mb_handler *);

#undef pthread_cleanup_push
#undef pthread_cleanup_pop
#define pthread_cleanup_push(function, argument)                                                                       \
    do {                                                                                                               \
        struct __mb_handler __mb_own_handler = {(function), (argument), 0};                                            \
        __mb_push_handler(&__mb_own_handler);                                                                          \
        do {
#define pthread_cleanup_pop(execute)                                                                                   \
        } while (0);                                                                                                   \
        __mb_pop_handler(&__mb_own_handler);                                                                           \
        if (execute)                                                                                                   \
            __mb_own_handler.__function(__mb_own_handler.__argument);                                                  \
    } while (0)

#endif
