/* Objects that libc++ has functions for outside its headers: counts of std::shared_ptr, std::barrier. */
#include "cpp.h"

void *malloc(size_t size);
void free(void *block);

struct shared_count;
struct count_functions {
    void (*destroy)(struct shared_count *self);
    void (*destroy_and_delete)(struct shared_count *self);
    void (*on_zero_shared)(struct shared_count *self);
    void *get_deleter;
    void (*on_zero_weak)(struct shared_count *self);
};
struct shared_count {
    const struct count_functions *functions;
    long owners, weak_owners; /* less one */
};
void *_ZTVNSt3__114__shared_countE[8], *_ZTVNSt3__119__shared_weak_countE[8];
char _ZTINSt3__119__shared_weak_countE[32], _ZTINSt3__114__shared_countE[16];

/// _ZNSt3__119__shared_weak_count14__release_weakEv: The last `std::shared_ptr` or `std::weak_ptr` deletes the counts: the read is an acquire, the decrement acquires and releases, as in libc++.
void _ZNSt3__119__shared_weak_count14__release_weakEv(struct shared_count *self)
{
    if (LOAD(&self->weak_owners, ACQUIRE) == 0)
        self->functions->on_zero_weak(self);
    else if (__atomic_fetch_sub(&self->weak_owners, 1, __ATOMIC_ACQ_REL) == 0)
        self->functions->on_zero_weak(self);
}

/// _ZNSt3__119__shared_weak_count16__release_sharedEv, _ZNSt3__114__shared_count16__release_sharedEv, _ZNSt3__119__shared_weak_count12__add_sharedEv, _ZNSt3__114__shared_count12__add_sharedEv, _ZNSt3__119__shared_weak_count10__add_weakEv: Counts of `std::shared_ptr`: increments are relaxed, decrements acquire and release.
static inline _Bool release_shared(struct shared_count *self)
{
    if (__atomic_fetch_sub(&self->owners, 1, __ATOMIC_ACQ_REL) != 0)
        return 0;
    self->functions->on_zero_shared(self);
    return 1;
}
void _ZNSt3__119__shared_weak_count16__release_sharedEv(struct shared_count *self)
{
    if (release_shared(self))
        _ZNSt3__119__shared_weak_count14__release_weakEv(self);
}
_Bool _ZNSt3__114__shared_count16__release_sharedEv(struct shared_count *self) { return release_shared(self); }
void _ZNSt3__119__shared_weak_count12__add_sharedEv(struct shared_count *self) { __atomic_fetch_add(&self->owners, 1, __ATOMIC_RELAXED); }
void _ZNSt3__114__shared_count12__add_sharedEv(struct shared_count *self) { __atomic_fetch_add(&self->owners, 1, __ATOMIC_RELAXED); }
void _ZNSt3__119__shared_weak_count10__add_weakEv(struct shared_count *self) { __atomic_fetch_add(&self->weak_owners, 1, __ATOMIC_RELAXED); }

/// _ZNSt3__119__shared_weak_count4lockEv: `std::weak_ptr::lock`: orders nothing.
struct shared_count *_ZNSt3__119__shared_weak_count4lockEv(struct shared_count *self)
{
    long owners = LOAD(&self->owners, RELAXED);
    while (owners != -1)
        if (__atomic_compare_exchange_n(&self->owners, &owners, owners + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return self;
    return NULL;
}

/// _ZNSt3__119__shared_weak_countD2Ev, _ZNSt3__114__shared_countD2Ev, _ZNKSt3__119__shared_weak_count13__get_deleterERKSt9type_info: The end of these counts.
void _ZNSt3__119__shared_weak_countD2Ev(struct shared_count *self) {}
void _ZNSt3__114__shared_countD2Ev(struct shared_count *self) {}
const void *_ZNKSt3__119__shared_weak_count13__get_deleterERKSt9type_info(const struct shared_count *self, const void *type) { return NULL; }

/// _ZNSt3__112__get_sp_mutEPKv, _ZNSt3__18__sp_mut4lockEv, _ZNSt3__18__sp_mut6unlockEv: `std::atomic_load` and the like of `std::shared_ptr`: under a mutex of each such object; programs with more than 4 are truncated.
enum { MOST_POINTERS = 4 };
static struct {
    uintptr_t owner;
    unsigned lock;
} locks_of_pointers[MOST_POINTERS];
void *_ZNSt3__112__get_sp_mutEPKv(const void *pointer)
{
    for (int at = 0; at < MOST_POINTERS; at++) {
        uintptr_t owner = LOAD(&locks_of_pointers[at].owner, RELAXED);
        if (owner == 0 && __atomic_compare_exchange_n(&locks_of_pointers[at].owner, &owner, (uintptr_t)pointer, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            owner = (uintptr_t)pointer;
        if (owner == (uintptr_t)pointer)
            return &locks_of_pointers[at].lock;
    }
    __membar_cut("atomic accesses to more than 4 shared pointers");
}
void _ZNSt3__18__sp_mut4lockEv(void *self) { __membar_lock(self); }
void _ZNSt3__18__sp_mut6unlockEv(void *self) { __membar_unlock(self); }

/* Counts as libstdc++ has them. */
struct counts;
struct functions_of_counts {
    void (*destroy)(struct counts *self);
    void (*destroy_and_delete)(struct counts *self);
    void (*dispose)(struct counts *self);
    void (*delete_counts)(struct counts *self);
};
struct counts {
    const struct functions_of_counts *functions;
    int uses, weak_uses;
};

/// _ZNSt16_Sp_counted_baseILN9__gnu_cxx12_Lock_policyE2EE10_M_releaseEv: The end of a `std::shared_ptr` of libstdc++: decrements acquire and release, each count by an access of its own.
void _ZNSt16_Sp_counted_baseILN9__gnu_cxx12_Lock_policyE2EE10_M_releaseEv(struct counts *self)
{
    if (__atomic_fetch_sub(&self->uses, 1, __ATOMIC_ACQ_REL) != 1)
        return;
    self->functions->dispose(self);
    if (__atomic_fetch_sub(&self->weak_uses, 1, __ATOMIC_ACQ_REL) == 1)
        self->functions->delete_counts(self);
}

struct barrier {
    const long *expected;
    long arrived;
};

/// _ZNSt3__134__construct_barrier_algorithm_baseERl, _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh, _ZNSt3__132__destroy_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseE: `std::barrier`: what comes before an arrival happens before the completion of the phase, and this before every return from waiting.
struct barrier *_ZNSt3__134__construct_barrier_algorithm_baseERl(const long *expected)
{
    struct barrier *self = malloc(sizeof *self);
    self->expected = expected;
    self->arrived = 0;
    return self;
}
_Bool _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(struct barrier *self, unsigned char phase)
{
    long expected = *self->expected;
    if (__atomic_fetch_add(&self->arrived, 1, __ATOMIC_RELEASE) + 1 != expected)
        return 0;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    STORE(&self->arrived, 0, RELAXED);
    return 1;
}
void _ZNSt3__132__destroy_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseE(struct barrier *self) { free(self); }
