/* What the bodies of library functions are made of. The primitives are documented in membar/code/primitives.py.
   No header of the system is included: objects of <pthread.h> and its like are looked at by their first bytes,
   as glibc lays them out and initialises them. */
#ifndef MEMBAR_LIBRARY_H
#define MEMBAR_LIBRARY_H

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __builtin_va_list va_list;
#define NULL ((void *)0)

long long __membar_spawn(void *(*function)(void *), void *argument);
void *__membar_join(long long thread);
_Noreturn void __membar_finish(void *result);
long long __membar_self(void);
long long __membar_thread_count(void);
_Bool __membar_retire(long long thread);
enum { MAIN = 1 << 30 }; /* the handle of `main`: none is 0, which programs take for no thread */
void __membar_lock(unsigned *cell);
void __membar_unlock(unsigned *cell);
_Bool __membar_try_lock(unsigned *cell);
unsigned __membar_add_within(unsigned *cell, unsigned low, unsigned high, unsigned step);
unsigned __membar_peek(unsigned *cell);
void __membar_wait(_Bool condition);
_Bool __membar_wakes(void);
void __membar_assume(_Bool condition);
long long __membar_choose(long long low, long long high);
long long __membar_input(long long low, long long high);
long long __membar_unknown(void);
void __membar_check(_Bool condition, const char *property, const char *message);
_Noreturn void __membar_cut(const char *reason);
_Noreturn void __membar_exit(int status);
void *__membar_allocate(long long size, _Bool is_zeroed);
void *__membar_allocate_aligned(long long size, long long align);
long long __membar_block_size(void *block);
void __membar_release(void *block);
void __membar_atomic_begin(void);
void __membar_atomic_end(void);
void __membar_fence(const char *tags);
void __membar_use(long long value);

enum { EPERM = 1, EINTR = 4, EAGAIN = 11, ENOMEM = 12, EBUSY = 16, EINVAL = 22, EDOM = 33, ERANGE = 34, EDEADLK = 35, ENOSYS = 38, ETIMEDOUT = 110 };
enum { THRD_SUCCESS, THRD_BUSY, THRD_ERROR, THRD_NOMEM, THRD_TIMEDOUT };

int *__errno_location(void);

/* The time of a timed call must be set, but does not matter. */
static inline void read_time(const long *time)
{
    __membar_use(time[0]);
    __membar_use(time[1]);
}

static inline void must(_Bool condition, const char *message) { __membar_check(condition, "locks", message); }

/* Atomic accesses to a word of a library object. */
#define LOAD(word, order) __atomic_load_n(word, __ATOMIC_##order)
#define STORE(word, value, order) __atomic_store_n(word, value, __ATOMIC_##order)

/* What memory of 4 bytes holds that was never set. */
#define UNSET 0xa11c5e7au

/* An object that a function has initialised holds its own address in a word of its own: a copy of it, or memory
   that held something else, does not. */
static inline void begin_object(unsigned *itself, const char *message)
{
    unsigned address = (unsigned)(uintptr_t)itself;
    must(__membar_peek(itself) != address, message);
    *itself = address;
}
static inline void end_object(unsigned *itself) { STORE(itself, 0, RELAXED); }

#endif
