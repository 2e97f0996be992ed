/* Threads of <pthread.h> and <threads.h>. */
#include "membar.h"
#include "mutex.h"

enum { DETACHED = 1 };
struct attributes {
    int state;
    size_t stack_size;
};

static void end_once(long long thread, const char *message) { must(__membar_retire(thread), message); }

/// pthread_create: Never fails. The handle is written after the thread has started. Of the attributes only the detached state counts.
int pthread_create(unsigned long *handle, const struct attributes *attributes, void *(*function)(void *), void *argument)
{
    long long thread = __membar_spawn(function, argument);
    if (attributes && attributes->state == DETACHED)
        (void)__membar_retire(thread);
    *handle = (unsigned long)thread;
    return 0;
}

/// pthread_join: Joining or detaching a thread twice violates `locks`; a thread that joins itself waits forever. `main` can be joined too.
int pthread_join(unsigned long handle, void **result)
{
    end_once((long long)handle, "a thread is joined after it was already joined or detached");
    void *found = __membar_join((long long)handle);
    if (result)
        *result = found;
    return 0;
}

/// pthread_tryjoin_np, pthread_timedjoin_np, pthread_clockjoin_np: Gives up, or waits until the thread has ended.
int pthread_tryjoin_np(unsigned long handle, void **result) { return __membar_choose(0, 1) ? EBUSY : pthread_join(handle, result); }
int pthread_timedjoin_np(unsigned long handle, void **result, const long *time) { read_time(time); return __membar_choose(0, 1) ? ETIMEDOUT : pthread_join(handle, result); }
int pthread_clockjoin_np(unsigned long handle, void **result, int clock, const long *time) { read_time(time); return __membar_choose(0, 1) ? ETIMEDOUT : pthread_join(handle, result); }

/// pthread_detach: Joining or detaching a thread twice violates `locks`.
int pthread_detach(unsigned long handle)
{
    end_once((long long)handle, "a thread is detached after it was already joined or detached");
    return 0;
}

/* Defined in cleanup.c where the program has cleanup handlers. */
void __mb_end_of_handlers(void);

/* Defined in keys.c where the program has keys. */
void __mb_end_of_thread(void);

/* Defined in atexit.c where the program registers functions. */
void __mb_end_of_main(void);

static _Noreturn void end_thread(void *result)
{
    __mb_end_of_handlers();
    __mb_end_of_thread();
    if (__membar_self() == 0)
        __mb_end_of_main();
    __membar_finish(result);
}

/// pthread_exit: Ends the thread; the process continues, even if `main` calls it.
_Noreturn void pthread_exit(void *result) { end_thread(result); }

/// pthread_self, thrd_current: A number for each thread, never 0.
unsigned long pthread_self(void)
{
    long long self = __membar_self();
    return self ? (unsigned long)self : MAIN;
}
unsigned long thrd_current(void) { return pthread_self(); }

/// __mb_thread_pointer: `__builtin_thread_pointer` is another number in each thread; what it points to is not accessed.
void *__mb_thread_pointer(void) { return (void *)((uintptr_t)(__membar_self() + 1) << 12); }

/// pthread_equal, thrd_equal: Compares the numbers.
int pthread_equal(unsigned long left, unsigned long right) { return left == right; }
int thrd_equal(unsigned long left, unsigned long right) { return left == right; }

/// pthread_attr_init, pthread_attr_destroy, pthread_attr_setdetachstate, pthread_attr_getdetachstate, pthread_attr_setstacksize, pthread_attr_getstacksize: Keeps the detached state, and the size of the stack, which is 8 MiB at first; nothing else depends on it.
int pthread_attr_init(struct attributes *attributes)
{
    attributes->state = 0;
    attributes->stack_size = 8 << 20;
    return 0;
}
int pthread_attr_destroy(struct attributes *attributes) { return 0; }
int pthread_attr_setdetachstate(struct attributes *attributes, int state)
{
    attributes->state = state;
    return 0;
}
int pthread_attr_getdetachstate(const struct attributes *attributes, int *state)
{
    *state = attributes->state;
    return 0;
}
int pthread_attr_setstacksize(struct attributes *attributes, size_t size)
{
    attributes->stack_size = size;
    return 0;
}
int pthread_attr_getstacksize(const struct attributes *attributes, size_t *size)
{
    *size = attributes->stack_size;
    return 0;
}

/// pthread_attr_setguardsize, pthread_attr_setschedpolicy, pthread_attr_setschedparam, pthread_attr_setinheritsched, pthread_attr_setscope, pthread_attr_setstack, pthread_attr_setaffinity_np: Does nothing: no answer depends on it.
int pthread_attr_setguardsize(int *attributes, size_t size) { return 0; }
int pthread_attr_setschedpolicy(int *attributes, int policy) { return 0; }
int pthread_attr_setschedparam(int *attributes, const void *parameters) { return 0; }
int pthread_attr_setinheritsched(int *attributes, int inherits) { return 0; }
int pthread_attr_setscope(int *attributes, int scope) { return 0; }
int pthread_attr_setstack(int *attributes, void *stack, size_t size) { return 0; }
int pthread_attr_setaffinity_np(int *attributes, size_t size, const void *set) { return 0; }

/// pthread_attr_getguardsize, pthread_attr_getscope, pthread_attr_getinheritsched, pthread_attr_getschedpolicy, pthread_attr_getschedparam: An unknown number, see environment.c.
static int tell(int *number) { *number = (int)__membar_input(0, 1); return 0; }
int pthread_attr_getguardsize(const int *attributes, size_t *size) { *size = 4096 * (size_t)__membar_input(0, 1); return 0; }
int pthread_attr_getscope(const int *attributes, int *scope) { return tell(scope); }
int pthread_attr_getinheritsched(const int *attributes, int *inherits) { return tell(inherits); }
int pthread_attr_getschedpolicy(const int *attributes, int *policy) { return tell(policy); }
int pthread_attr_getschedparam(const int *attributes, int *priority) { return tell(priority); }

/// pthread_setname_np, pthread_setaffinity_np, sched_setaffinity, pthread_setschedparam, pthread_setconcurrency, pthread_setcancelstate, pthread_setcanceltype, pthread_testcancel, sched_yield, pthread_yield, thrd_yield, sleep, usleep, nanosleep, clock_nanosleep, thrd_sleep: Does nothing: every interleaving is explored anyway. Threads are never cancelled.
int pthread_setname_np(unsigned long thread, const char *name) { return 0; }
int pthread_setaffinity_np(unsigned long thread, size_t size, const void *set) { return 0; }
int sched_setaffinity(int process, size_t size, const void *set) { return 0; }
int pthread_setschedparam(unsigned long thread, int policy, const void *parameters) { return 0; }
int pthread_setconcurrency(int level) { return 0; }
int pthread_setcancelstate(int state, int *old)
{
    if (old)
        *old = 0;
    return 0;
}
int pthread_setcanceltype(int type, int *old)
{
    if (old)
        *old = 0;
    return 0;
}
void pthread_testcancel(void) {}
int sched_yield(void) { return 0; }
int pthread_yield(void) { return 0; }
void thrd_yield(void) {}
unsigned sleep(unsigned seconds) { return 0; }
int usleep(unsigned microseconds) { return 0; }
int nanosleep(const void *time, void *rest) { return 0; }
int clock_nanosleep(int clock, int flags, const void *time, void *rest) { return 0; }
int thrd_sleep(const void *time, void *rest) { return 0; }

/// sched_getcpu: Any small number.
int sched_getcpu(void) { return (int)__membar_input(0, 1); }

/// sched_getaffinity, pthread_getaffinity_np: The first processor, and the second one if there is one.
int sched_getaffinity(int process, size_t size, unsigned char *processors)
{
    __builtin_memset(processors, 0, size);
    processors[0] = (unsigned char)(__membar_input(0, 1) << 1 | 1);
    return 0;
}
int pthread_getaffinity_np(unsigned long handle, size_t size, unsigned char *processors)
{
    return sched_getaffinity(0, size, processors);
}

/// thrd_create, thrd_join, thrd_detach, thrd_exit: Like the functions of <pthread.h>.
int thrd_create(unsigned long *handle, int (*function)(void *), void *argument)
{
    *handle = (unsigned long)__membar_spawn((void *(*)(void *))function, argument);
    return THRD_SUCCESS;
}
int thrd_join(unsigned long handle, int *result)
{
    end_once((long long)handle, "a thread is joined after it was already joined or detached");
    void *found = __membar_join((long long)handle);
    if (result)
        *result = (int)(uintptr_t)found;
    return THRD_SUCCESS;
}
int thrd_detach(unsigned long handle)
{
    end_once((long long)handle, "a thread is detached after it was already joined or detached");
    return THRD_SUCCESS;
}
_Noreturn void thrd_exit(int result) { end_thread((void *)(uintptr_t)(unsigned)result); }
