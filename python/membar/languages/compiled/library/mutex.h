/* A mutex: its first word says who holds it (0: nobody) and how often besides. The kind stands where glibc has
   it, so that static initialisers work; it is only looked at by a thread that holds the mutex already. */
#ifndef MEMBAR_MUTEX_H
#define MEMBAR_MUTEX_H
#include "membar.h"

struct mutex {
    unsigned word;
    unsigned itself;
#if __SIZEOF_POINTER__ == 8
    unsigned unused[2];
#else
    unsigned unused[1];
#endif
    int kind;
};

enum { NORMAL, RECURSIVE, CHECKED, KINDS = 3 };
enum { OWNER = 0xffff, AGAIN = 0x10000 };
#define DESTROYED 0xffffffffu

static inline unsigned own_number(void) { return (unsigned)__membar_self() + 1; }

/* Whether an object can be used; one that cannot lets nobody wait. */
static inline _Bool is_usable(unsigned found) { return (found != UNSET) & (found != DESTROYED); }

static inline void must_be_lockable(unsigned found)
{
    must(found != UNSET, "a mutex is locked before it is initialised");
    must(found != DESTROYED, "a mutex is locked after it was destroyed");
}

static inline int lock_mutex(struct mutex *mutex)
{
    unsigned me = own_number(), found = __membar_add_within(&mutex->word, 0, 0, me);
    __membar_wait((found == 0) | ((found & OWNER) == me) | !is_usable(found));
    if (found == 0)
        return 0;
    must_be_lockable(found);
    if ((mutex->kind & KINDS) == RECURSIVE) {
        STORE(&mutex->word, found + AGAIN, RELAXED);
        return 0;
    }
    if ((mutex->kind & KINDS) == CHECKED)
        return EDEADLK;
    __membar_wait(LOAD(&mutex->word, RELAXED) == 0); /* a thread waits for itself */
    return 0;
}

static inline int try_mutex(struct mutex *mutex, int busy)
{
    unsigned me = own_number(), found = __membar_add_within(&mutex->word, 0, 0, me);
    if (found == 0)
        return 0;
    must_be_lockable(found);
    if ((found & OWNER) == me && (mutex->kind & KINDS) == RECURSIVE) {
        STORE(&mutex->word, found + AGAIN, RELAXED);
        return 0;
    }
    return busy;
}

static inline int unlock_mutex(struct mutex *mutex)
{
    unsigned me = own_number(), found = LOAD(&mutex->word, RELAXED);
    if (found != me) {
        must(found != DESTROYED, "a mutex is unlocked after it was destroyed");
        if ((found & OWNER) == me) {
            STORE(&mutex->word, found - AGAIN, RELAXED);
            return 0;
        }
        must((mutex->kind & KINDS) == CHECKED, "a mutex is unlocked by a thread that does not hold it");
        return EPERM;
    }
    STORE(&mutex->word, 0, RELEASE);
    return 0;
}

#endif
