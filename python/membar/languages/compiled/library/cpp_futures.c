/* std::promise, std::future and what else shares a state, as libc++ has them. */
#include "cpp.h"

void *_Znwm(size_t size);
int pthread_mutex_init(void *mutex, const int *attributes);
int pthread_mutex_lock(void *mutex);
int pthread_mutex_unlock(void *mutex);
int pthread_mutex_destroy(void *mutex);
int pthread_cond_init(void *condition, const void *attributes);
int pthread_cond_wait(void *condition, void *mutex);
int pthread_cond_broadcast(void *condition);
int pthread_cond_destroy(void *condition);
void _ZdlPv(void *block);

struct state;
struct state_functions {
    void (*destroy)(struct state *self);
    void (*destroy_and_delete)(struct state *self);
    void (*on_zero_shared)(struct state *self);
    void (*execute)(struct state *self);
};
struct state {
    const struct state_functions *functions;
    long owners; /* less one */
    void *exception;
    char mutex[MUTEX_SIZE], condition[CONDITION_SIZE];
    unsigned flags;
};
enum { CONSTRUCTED = 1, HAS_FUTURE = 2, READY = 4, DEFERRED = 8 };
struct unique_lock {
    void *mutex;
    _Bool is_owner;
};
void *_ZTVNSt3__117__assoc_sub_stateE[8];
char _ZTINSt3__117__assoc_sub_stateE[24], _ZTINSt3__112future_errorE[24];

/// _ZNSt13exception_ptrC1ERKS_, _ZNSt13exception_ptrC1Ev, _ZNSt13exception_ptrD1Ev, _ZNSt13exception_ptraSERKS_: `std::exception_ptr`: only null pointers, as nobody catches exceptions.
void _ZNSt13exception_ptrC1ERKS_(void **self, void *const *other) { *self = *other; }
void _ZNSt13exception_ptrC1Ev(void **self) { *self = NULL; }
void _ZNSt13exception_ptrD1Ev(void **self) {}
void **_ZNSt13exception_ptraSERKS_(void **self, void *const *other)
{
    *self = *other;
    return self;
}

/// _ZSt17rethrow_exceptionSt13exception_ptr, _ZNSt3__112future_errorC1ENS_10error_codeE, _ZNSt3__112future_errorD1Ev, _ZNSt3__115future_categoryEv, _ZNSt3__117__assoc_sub_state13set_exceptionESt13exception_ptr, _ZNSt3__117__assoc_sub_state9__executeEv: `std::future_error`, and exceptions that a promise passes on: as any exception of the library.
_Noreturn void _ZSt17rethrow_exceptionSt13exception_ptr(void **exception) { throw_from_library("an exception of a promise"); }
_Noreturn void _ZNSt3__112future_errorC1ENS_10error_codeE(void *self, long error, const void *category) { throw_from_library("std::future_error"); }
void _ZNSt3__112future_errorD1Ev(void *self) {}
static char category[8];
const void *_ZNSt3__115future_categoryEv(void) { return category; }
_Noreturn void _ZNSt3__117__assoc_sub_state13set_exceptionESt13exception_ptr(struct state *self, void **exception) { throw_from_library("an exception of a promise"); }
_Noreturn void _ZNSt3__117__assoc_sub_state9__executeEv(struct state *self) { throw_from_library("std::future_error"); }

static inline void wait_until_ready(struct state *self, _Bool *is_owner)
{
    if (self->flags & READY)
        return;
    if (self->flags & DEFERRED) {
        self->flags &= ~DEFERRED;
        pthread_mutex_unlock(self->mutex);
        *is_owner = 0;
        self->functions->execute(self);
        return;
    }
    while (!(self->flags & READY))
        pthread_cond_wait(self->condition, self->mutex);
}

/// _ZNSt3__117__assoc_sub_state10__sub_waitERNS_11unique_lockINS_5mutexEEE, _ZNSt3__117__assoc_sub_state4waitEv, _ZNSt3__117__assoc_sub_state4copyEv: `std::future::get` and `wait`: what happens before the state becomes ready happens before the return; a state that nobody sets is waited for forever.
void _ZNSt3__117__assoc_sub_state10__sub_waitERNS_11unique_lockINS_5mutexEEE(struct state *self, struct unique_lock *lock) { wait_until_ready(self, &lock->is_owner); }
void _ZNSt3__117__assoc_sub_state4waitEv(struct state *self)
{
    _Bool is_owner = 1;
    pthread_mutex_lock(self->mutex);
    wait_until_ready(self, &is_owner);
    if (is_owner)
        pthread_mutex_unlock(self->mutex);
}
void _ZNSt3__117__assoc_sub_state4copyEv(struct state *self) { _ZNSt3__117__assoc_sub_state4waitEv(self); }

/// _ZNSt3__117__assoc_sub_state9set_valueEv, _ZNSt3__117__assoc_sub_state12__make_readyEv: `std::promise::set_value`: setting it twice is an exception.
void _ZNSt3__117__assoc_sub_state9set_valueEv(struct state *self)
{
    pthread_mutex_lock(self->mutex);
    if (self->flags & CONSTRUCTED)
        throw_from_library("std::future_error");
    self->flags |= CONSTRUCTED | READY;
    pthread_cond_broadcast(self->condition);
    pthread_mutex_unlock(self->mutex);
}
void _ZNSt3__117__assoc_sub_state12__make_readyEv(struct state *self)
{
    pthread_mutex_lock(self->mutex);
    self->flags |= READY;
    pthread_cond_broadcast(self->condition);
    pthread_mutex_unlock(self->mutex);
}

/// _ZNSt3__117__assoc_sub_state16__on_zero_sharedEv: The last promise or future of a state deletes it.
static void end_state(struct state *self)
{
    pthread_cond_destroy(self->condition);
    pthread_mutex_destroy(self->mutex);
}
static void delete_state(struct state *self)
{
    end_state(self);
    _ZdlPv(self);
}
void _ZNSt3__117__assoc_sub_state16__on_zero_sharedEv(struct state *self) { self->functions->destroy_and_delete(self); }
static const struct state_functions plain = {end_state, delete_state, _ZNSt3__117__assoc_sub_state16__on_zero_sharedEv, _ZNSt3__117__assoc_sub_state9__executeEv};

static inline void release(struct state **self)
{
    if (*self && __atomic_fetch_sub(&(*self)->owners, 1, __ATOMIC_ACQ_REL) == 0)
        (*self)->functions->on_zero_shared(*self);
}
static inline struct state *state_of(struct state **self)
{
    if (!*self)
        throw_from_library("std::future_error");
    return *self;
}

/* A state may have one future, which is one more owner. */
static inline void attach_future(struct state *found)
{
    pthread_mutex_lock(found->mutex);
    if (found->flags & HAS_FUTURE)
        throw_from_library("std::future_error");
    __atomic_fetch_add(&found->owners, 1, __ATOMIC_RELAXED);
    found->flags |= HAS_FUTURE;
    pthread_mutex_unlock(found->mutex);
}

/// _ZNSt3__17promiseIvEC1Ev, _ZNSt3__17promiseIvED1Ev, _ZNSt3__17promiseIvE10get_futureEv, _ZNSt3__17promiseIvE9set_valueEv: `std::promise<void>`. A promise that is destroyed without a value leaves its future waiting.
void _ZNSt3__17promiseIvEC1Ev(struct state **self)
{
    struct state *found = _Znwm(sizeof *found);
    found->functions = &plain;
    found->owners = 0;
    found->exception = NULL;
    pthread_mutex_init(found->mutex, NULL);
    pthread_cond_init(found->condition, NULL);
    found->flags = 0;
    *self = found;
}
void _ZNSt3__17promiseIvED1Ev(struct state **self) { release(self); }
void _ZNSt3__17promiseIvE10get_futureEv(struct state **future, struct state **self)
{
    *future = state_of(self);
    attach_future(*future);
}
void _ZNSt3__17promiseIvE9set_valueEv(struct state **self) { _ZNSt3__117__assoc_sub_state9set_valueEv(state_of(self)); }

/// _ZNSt3__16futureIvEC1EPNS_17__assoc_sub_stateE, _ZNSt3__16futureIvE3getEv, _ZNSt3__16futureIvED1Ev, _ZNSt3__113shared_futureIvED1Ev: `std::future<void>` and `std::shared_future<void>`.
void _ZNSt3__16futureIvEC1EPNS_17__assoc_sub_stateE(struct state **self, struct state *found)
{
    *self = found;
    attach_future(found);
}
void _ZNSt3__16futureIvE3getEv(struct state **self)
{
    struct state *found = state_of(self);
    *self = NULL;
    _ZNSt3__117__assoc_sub_state4waitEv(found);
    release(&found);
}
void _ZNSt3__16futureIvED1Ev(struct state **self) { release(self); }
void _ZNSt3__113shared_futureIvED1Ev(struct state **self) { release(self); }
