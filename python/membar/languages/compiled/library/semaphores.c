/* Semaphores. */
#include "mutex.h"

/* What the first words of an object are. */
struct object {
    unsigned word;
    unsigned itself;
};

#define MOST 0x7fffffffu /* the greatest value */

static void must_be_semaphore(unsigned found)
{
    must(found != UNSET, "a semaphore is used before it is initialised");
    must(found != DESTROYED, "a semaphore is used after it was destroyed");
}

static int take_one(struct object *semaphore, int failure)
{
    unsigned found = __membar_add_within(&semaphore->word, 1, MOST, -1u);
    if (!failure)
        __membar_wait(found != 0);
    must_be_semaphore(found);
    if (found != 0)
        return 0;
    *__errno_location() = failure;
    return -1;
}

/// sem_init: Plain writes. Initialising a semaphore twice, without destroying it in between, violates `locks`.
int sem_init(struct object *semaphore, int shared, unsigned value)
{
    begin_object(&semaphore->itself, "a semaphore is initialised twice");
    if (value > MOST) {
        *__errno_location() = EINVAL;
        return -1;
    }
    semaphore->word = value;
    return 0;
}

/// sem_destroy: Destroying it twice, or using it afterwards, violates `locks`.
int sem_destroy(struct object *semaphore)
{
    must_be_semaphore(LOAD(&semaphore->word, RELAXED));
    end_object(&semaphore->itself);
    STORE(&semaphore->word, DESTROYED, RELAXED);
    return 0;
}

/// sem_wait: An acquire. It is never interrupted.
int sem_wait(struct object *semaphore) { return take_one(semaphore, 0); }

/// sem_trywait, sem_timedwait, sem_clockwait: An acquire if it succeeds; else sets `errno`. Fails only if the value is 0.
int sem_trywait(struct object *semaphore) { return take_one(semaphore, EAGAIN); }
int sem_timedwait(struct object *semaphore, const long *time) { read_time(time); return take_one(semaphore, ETIMEDOUT); }
int sem_clockwait(struct object *semaphore, int clock, const long *time) { read_time(time); return take_one(semaphore, ETIMEDOUT); }

/// sem_post: A release.
int sem_post(struct object *semaphore)
{
    unsigned found = __atomic_fetch_add(&semaphore->word, 1, __ATOMIC_RELEASE);
    must_be_semaphore(found);
    must(found < MOST, "the value of a semaphore is too large");
    return 0;
}

/// sem_getvalue: A relaxed load.
int sem_getvalue(struct object *semaphore, int *value)
{
    unsigned found = LOAD(&semaphore->word, RELAXED);
    must_be_semaphore(found);
    *value = (int)found;
    return 0;
}
