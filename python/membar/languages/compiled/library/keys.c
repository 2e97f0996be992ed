/* Thread-specific data. */
#include "cpp.h"

void _ZdlPv(void *block);

enum { MOST_KEYS = 8, ROUNDS = 4 };
static unsigned keys;
static void (*destructors[MOST_KEYS])(void *);
static _Thread_local void *values[MOST_KEYS];

static int create(unsigned *key, void (*destructor)(void *))
{
    unsigned number = __atomic_fetch_add(&keys, 1, __ATOMIC_RELAXED);
    if (number >= MOST_KEYS)
        __membar_cut("more than 8 keys");
    destructors[number] = destructor;
    *key = number;
    return 0;
}

static int set(unsigned key, const void *value)
{
    if (key == END_OF_THREAD_KEY) {
        _ZdlPv((void *)value);
        return 0;
    }
    __membar_check(key < LOAD(&keys, RELAXED), "memory", "a key that was never created is used");
    values[key] = (void *)value;
    return 0;
}

static void *get(unsigned key)
{
    __membar_check(key < LOAD(&keys, RELAXED), "memory", "a key that was never created is used");
    return values[key];
}

/* Destructors of C++ objects that each thread has for itself. */
enum { MOST_LOCALS = 8 };
static _Thread_local unsigned locals;
static _Thread_local void (*local_destructors[MOST_LOCALS])(void *);
static _Thread_local void *local_objects[MOST_LOCALS];

/// __mb_end_of_locals: At the end of a thread, its thread_local objects are destroyed, the last one first.
void __mb_end_of_locals(void)
{
    for (unsigned left = MOST_LOCALS; left; left--)
        if (left <= locals)
            local_destructors[left - 1](local_objects[left - 1]);
}

/// __cxa_thread_atexit: Up to 8 thread_local objects with destructors; executions with more are truncated.
int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *library)
{
    if (locals == MOST_LOCALS)
        __membar_cut("more than 8 thread_local objects with destructors");
    local_destructors[locals] = destructor;
    local_objects[locals] = object;
    locals++;
    return 0;
}

/// __mb_end_of_thread: At the end of a thread, the destructors of its keys are called with their values, up to four times.
void __mb_end_of_thread(void)
{
    __mb_end_of_locals();
    if (LOAD(&keys, RELAXED) == 0)
        return;
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned key = 0; key < MOST_KEYS; key++) {
            void *value = values[key];
            if (value && destructors[key]) {
                values[key] = NULL;
                destructors[key](value);
            }
        }
}

/// pthread_key_create, tss_create: Up to 8 keys; executions with more are truncated.
int pthread_key_create(unsigned *key, void (*destructor)(void *)) { return create(key, destructor); }
int tss_create(unsigned *key, void (*destructor)(void *)) { return create(key, destructor); }

/// pthread_key_delete, tss_delete: The key's destructor is no longer called.
int pthread_key_delete(unsigned key)
{
    destructors[key] = NULL;
    return 0;
}
void tss_delete(unsigned key) { destructors[key] = NULL; }

/// pthread_setspecific, tss_set, pthread_getspecific, tss_get: Using a key that was never created violates `memory`.
int pthread_setspecific(unsigned key, const void *value) { return set(key, value); }
int tss_set(unsigned key, void *value) { return set(key, value); }
void *pthread_getspecific(unsigned key) { return get(key); }
void *tss_get(unsigned key) { return get(key); }
