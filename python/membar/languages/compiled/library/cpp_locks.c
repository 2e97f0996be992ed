/* Mutexes, condition variables and call_once of libc++ and libstdc++, over those of <pthread.h>. */
#include "cpp.h"

struct mutex;
struct condition;
int pthread_mutex_init(void *mutex, const int *attributes);
int pthread_mutex_destroy(void *mutex);
int pthread_mutex_lock(void *mutex);
int pthread_mutex_trylock(void *mutex);
int pthread_mutex_unlock(void *mutex);
int pthread_cond_destroy(void *condition);
int pthread_cond_init(void *condition, const void *attributes);
int pthread_cond_wait(void *condition, void *mutex);
int pthread_cond_timedwait(void *condition, void *mutex, const long *time);
int pthread_cond_signal(void *condition);
int pthread_cond_broadcast(void *condition);
int pthread_rwlock_init(void *lock, const void *attributes);
int pthread_rwlock_destroy(void *lock);
int pthread_rwlock_rdlock(void *lock);
int pthread_rwlock_wrlock(void *lock);
int pthread_rwlock_tryrdlock(void *lock);
int pthread_rwlock_trywrlock(void *lock);
int pthread_rwlock_unlock(void *lock);

enum { RECURSIVE = 1 };

/// _ZNSt3__15mutex4lockEv, _ZNSt3__15mutex6unlockEv: `std::mutex`: `lock` is an acquire, `unlock` a release, and nothing more. Locking a mutex that the thread holds already waits forever; unlocking one that it does not hold violates `locks`.
void _ZNSt3__15mutex4lockEv(void *self) { pthread_mutex_lock(self); }
void _ZNSt3__15mutex6unlockEv(void *self) { pthread_mutex_unlock(self); }

/// _ZNSt3__15mutex8try_lockEv, _ZNSt5mutex8try_lockEv, _ZNSt15recursive_mutex8try_lockEv, _ZNSt11timed_mutex8try_lockEv, _ZNSt21recursive_timed_mutex8try_lockEv: `try_lock` of mutexes: may fail although the mutex is free, as the standard allows; this orders nothing.
static inline _Bool try_mutex(void *self) { return !__membar_choose(0, 1) && pthread_mutex_trylock(self) == 0; }
_Bool _ZNSt3__15mutex8try_lockEv(void *self) { return try_mutex(self); }
_Bool _ZNSt5mutex8try_lockEv(void *self) { return try_mutex(self); }
_Bool _ZNSt15recursive_mutex8try_lockEv(void *self) { return try_mutex(self); }
_Bool _ZNSt11timed_mutex8try_lockEv(void *self) { return try_mutex(self); }
_Bool _ZNSt21recursive_timed_mutex8try_lockEv(void *self) { return try_mutex(self); }

/// _ZNSt11timed_mutex12_M_clocklockEiRK8timespec, _ZNSt21recursive_timed_mutex12_M_clocklockEiRK8timespec, _ZNSt11timed_mutex12_M_timedlockERK8timespec, _ZNSt21recursive_timed_mutex12_M_timedlockERK8timespec: `try_lock_for` and `try_lock_until` of libstdc++: may fail at any time.
_Bool _ZNSt11timed_mutex12_M_clocklockEiRK8timespec(void *self, int clock, const long *time)
{
    read_time(time);
    return try_mutex(self);
}
_Bool _ZNSt21recursive_timed_mutex12_M_clocklockEiRK8timespec(void *self, int clock, const long *time) { return _ZNSt11timed_mutex12_M_clocklockEiRK8timespec(self, clock, time); }
_Bool _ZNSt11timed_mutex12_M_timedlockERK8timespec(void *self, const long *time) { return _ZNSt11timed_mutex12_M_clocklockEiRK8timespec(self, 0, time); }
_Bool _ZNSt21recursive_timed_mutex12_M_timedlockERK8timespec(void *self, const long *time) { return _ZNSt11timed_mutex12_M_clocklockEiRK8timespec(self, 0, time); }

/// _ZNSt3__15mutexD1Ev, _ZNSt3__15mutexD2Ev: `std::mutex::~mutex`: destroying a mutex that is held violates `locks`.
void _ZNSt3__15mutexD1Ev(void *self) { pthread_mutex_destroy(self); }
void _ZNSt3__15mutexD2Ev(void *self) { pthread_mutex_destroy(self); }

/// _ZNSt3__115recursive_mutexC1Ev, _ZNSt3__115recursive_mutexD1Ev, _ZNSt3__115recursive_mutex4lockEv, _ZNSt3__115recursive_mutex6unlockEv, _ZNSt3__115recursive_mutex8try_lockEv: `std::recursive_mutex`: counts how often its owner has locked it.
void _ZNSt3__115recursive_mutexC1Ev(void *self)
{
    int kind = RECURSIVE;
    pthread_mutex_init(self, &kind);
}
void _ZNSt3__115recursive_mutexD1Ev(void *self) { pthread_mutex_destroy(self); }
void _ZNSt3__115recursive_mutex4lockEv(void *self) { pthread_mutex_lock(self); }
void _ZNSt3__115recursive_mutex6unlockEv(void *self) { pthread_mutex_unlock(self); }
_Bool _ZNSt3__115recursive_mutex8try_lockEv(void *self) { return try_mutex(self); }

/* Of a mutex or lock of <pthread.h>, which stands in the first member. What libc++ makes them of would order more:
   whoever fails, or only reads, takes the mutex inside. So its functions in headers that do this have bodies here. */

/// _ZNSt3__111timed_mutexC1Ev, _ZNSt3__111timed_mutexD1Ev, _ZNSt3__111timed_mutex4lockEv, _ZNSt3__111timed_mutex6unlockEv: `std::timed_mutex`: as `std::mutex`.
void _ZNSt3__111timed_mutexC1Ev(void *self) { pthread_mutex_init(self, NULL); }
void _ZNSt3__111timed_mutexD1Ev(void *self) { pthread_mutex_destroy(self); }
void _ZNSt3__111timed_mutex4lockEv(void *self) { pthread_mutex_lock(self); }
void _ZNSt3__111timed_mutex6unlockEv(void *self) { pthread_mutex_unlock(self); }

/// _ZNSt3__121recursive_timed_mutexC1Ev, _ZNSt3__121recursive_timed_mutexD1Ev, _ZNSt3__121recursive_timed_mutex4lockEv, _ZNSt3__121recursive_timed_mutex6unlockEv: `std::recursive_timed_mutex`: as `std::recursive_mutex`.
void _ZNSt3__121recursive_timed_mutexC1Ev(void *self) { _ZNSt3__115recursive_mutexC1Ev(self); }
void _ZNSt3__121recursive_timed_mutexD1Ev(void *self) { pthread_mutex_destroy(self); }
void _ZNSt3__121recursive_timed_mutex4lockEv(void *self) { pthread_mutex_lock(self); }
void _ZNSt3__121recursive_timed_mutex6unlockEv(void *self) { pthread_mutex_unlock(self); }

/// _ZNSt3__111timed_mutex8try_lockEv, _ZNSt3__111timed_mutex14try_lock_until, _ZNSt3__121recursive_timed_mutex8try_lockEv, _ZNSt3__121recursive_timed_mutex14try_lock_until: `try_lock`, `try_lock_for` and `try_lock_until` of timed mutexes: may fail at any time, which orders nothing.
_Bool _ZNSt3__111timed_mutex8try_lockEv(void *self) { return try_mutex(self); }
_Bool _ZNSt3__111timed_mutex14try_lock_until(void *self, const long long *time)
{
    __membar_use(*time);
    return try_mutex(self);
}
_Bool _ZNSt3__121recursive_timed_mutex8try_lockEv(void *self) { return try_mutex(self); }
_Bool _ZNSt3__121recursive_timed_mutex14try_lock_until(void *self, const long long *time) { return _ZNSt3__111timed_mutex14try_lock_until(self, time); }

/* libc++ keeps a mutex and two condition variables, which are destroyed by code in its headers. */
static void begin_shared(char *self)
{
    pthread_rwlock_init(self, NULL);
    pthread_cond_init(self + MUTEX_SIZE, NULL);
    pthread_cond_init(self + MUTEX_SIZE + CONDITION_SIZE, NULL);
}

/// _ZNSt3__119__shared_mutex_baseC1Ev, _ZNSt3__119__shared_mutex_base4lockEv, _ZNSt3__119__shared_mutex_base6unlockEv, _ZNSt3__119__shared_mutex_base11lock_sharedEv, _ZNSt3__119__shared_mutex_base13unlock_sharedEv, _ZNSt3__118shared_timed_mutexC1Ev, _ZNSt3__118shared_timed_mutex4lockEv, _ZNSt3__118shared_timed_mutex6unlockEv, _ZNSt3__118shared_timed_mutex11lock_sharedEv, _ZNSt3__118shared_timed_mutex13unlock_sharedEv: `std::shared_mutex` and `std::shared_timed_mutex`: locking is an acquire, unlocking a release, of readers too. No order among waiting threads is assumed.
void _ZNSt3__119__shared_mutex_baseC1Ev(void *self) { begin_shared(self); }
void _ZNSt3__119__shared_mutex_base4lockEv(void *self) { pthread_rwlock_wrlock(self); }
void _ZNSt3__119__shared_mutex_base6unlockEv(void *self) { pthread_rwlock_unlock(self); }
void _ZNSt3__119__shared_mutex_base11lock_sharedEv(void *self) { pthread_rwlock_rdlock(self); }
void _ZNSt3__119__shared_mutex_base13unlock_sharedEv(void *self) { pthread_rwlock_unlock(self); }
void _ZNSt3__118shared_timed_mutexC1Ev(void *self) { begin_shared(self); }
void _ZNSt3__118shared_timed_mutex4lockEv(void *self) { pthread_rwlock_wrlock(self); }
void _ZNSt3__118shared_timed_mutex6unlockEv(void *self) { pthread_rwlock_unlock(self); }
void _ZNSt3__118shared_timed_mutex11lock_sharedEv(void *self) { pthread_rwlock_rdlock(self); }
void _ZNSt3__118shared_timed_mutex13unlock_sharedEv(void *self) { pthread_rwlock_unlock(self); }

/// _ZNSt3__119__shared_mutex_base8try_lockEv, _ZNSt3__119__shared_mutex_base15try_lock_sharedEv, _ZNSt3__118shared_timed_mutex8try_lockEv, _ZNSt3__118shared_timed_mutex15try_lock_sharedEv, _ZNSt3__118shared_timed_mutex14try_lock_until, _ZNSt3__118shared_timed_mutex21try_lock_shared_until, _ZNSt22__shared_mutex_pthread8try_lockEv, _ZNSt22__shared_mutex_pthread15try_lock_sharedEv, _ZNSt18shared_timed_mutex14try_lock_until, _ZNSt18shared_timed_mutex21try_lock_shared_until: `try_lock`, `try_lock_shared` and the like of these: may fail at any time, which orders nothing.
static inline _Bool try_to_write(void *self) { return !__membar_choose(0, 1) && pthread_rwlock_trywrlock(self) == 0; }
static inline _Bool try_to_read(void *self) { return !__membar_choose(0, 1) && pthread_rwlock_tryrdlock(self) == 0; }
_Bool _ZNSt3__119__shared_mutex_base8try_lockEv(void *self) { return try_to_write(self); }
_Bool _ZNSt3__119__shared_mutex_base15try_lock_sharedEv(void *self) { return try_to_read(self); }
_Bool _ZNSt3__118shared_timed_mutex8try_lockEv(void *self) { return try_to_write(self); }
_Bool _ZNSt3__118shared_timed_mutex15try_lock_sharedEv(void *self) { return try_to_read(self); }
_Bool _ZNSt3__118shared_timed_mutex14try_lock_until(void *self, const long long *time)
{
    __membar_use(*time);
    return try_to_write(self);
}
_Bool _ZNSt3__118shared_timed_mutex21try_lock_shared_until(void *self, const long long *time)
{
    __membar_use(*time);
    return try_to_read(self);
}
_Bool _ZNSt22__shared_mutex_pthread8try_lockEv(void *self) { return try_to_write(self); }
_Bool _ZNSt22__shared_mutex_pthread15try_lock_sharedEv(void *self) { return try_to_read(self); }
_Bool _ZNSt18shared_timed_mutex14try_lock_until(void *self, const long long *time) { return _ZNSt3__118shared_timed_mutex14try_lock_until(self, time); }
_Bool _ZNSt18shared_timed_mutex21try_lock_shared_until(void *self, const long long *time) { return _ZNSt3__118shared_timed_mutex21try_lock_shared_until(self, time); }

struct unique_lock {
    void *mutex;
    _Bool is_owner;
};

static inline void wait_with(void *self, struct unique_lock *lock)
{
    if (!lock->is_owner)
        end_by_error("a condition variable waits with a mutex that is not locked: std::system_error is thrown");
    pthread_cond_wait(self, lock->mutex);
}

/// _ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE: `std::condition_variable::wait`: gives the mutex back, waits and takes it again; may wake up spuriously. It orders nothing besides the mutex.
void _ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE(void *self, struct unique_lock *lock) { wait_with(self, lock); }
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *self, struct unique_lock *lock) { wait_with(self, lock); }

/// _ZNSt3__118condition_variable15__do_timed_waitERNS_11unique_lockINS_5mutexEEENS_6chrono10time_pointINS5_12system_clockENS5_8durationIxNS_5ratioILl1ELl1000000000EEEEEEE: `wait_for` and `wait_until`: may also give up at any time.
void _ZNSt3__118condition_variable15__do_timed_waitERNS_11unique_lockINS_5mutexEEENS_6chrono10time_pointINS5_12system_clockENS5_8durationIxNS_5ratioILl1ELl1000000000EEEEEEE(void *self, struct unique_lock *lock, long long time)
{
    long until[2] = {0, 0};
    pthread_cond_timedwait(self, lock->mutex, until);
}

/// _ZNSt3__118condition_variable10notify_oneEv, _ZNSt3__118condition_variable10notify_allEv, _ZNSt18condition_variable10notify_oneEv, _ZNSt18condition_variable10notify_allEv: `notify_one` wakes any one of the waiting threads, `notify_all` all; a notification that nobody waits for is lost. It orders nothing.
void _ZNSt3__118condition_variable10notify_oneEv(void *self) { pthread_cond_signal(self); }
void _ZNSt3__118condition_variable10notify_allEv(void *self) { pthread_cond_broadcast(self); }
void _ZNSt18condition_variable10notify_oneEv(void *self) { pthread_cond_signal(self); }
void _ZNSt18condition_variable10notify_allEv(void *self) { pthread_cond_broadcast(self); }

/// _ZNSt3__118condition_variableD1Ev, _ZNSt3__118condition_variableD2Ev, _ZNSt18condition_variableD1Ev, _ZNSt18condition_variableC1Ev: The beginning and the end of a `std::condition_variable`: destroying it while a thread waits violates `locks`.
void _ZNSt3__118condition_variableD1Ev(void *self) { pthread_cond_destroy(self); }
void _ZNSt3__118condition_variableD2Ev(void *self) { pthread_cond_destroy(self); }
void _ZNSt18condition_variableD1Ev(void *self) { pthread_cond_destroy(self); }
void _ZNSt18condition_variableC1Ev(void *self) { pthread_cond_init(self, NULL); }

/// _ZNSt3__111__call_onceERVmPvPFvS2_E: `std::call_once`: the end of the function that is called happens before every return.
void _ZNSt3__111__call_onceERVmPvPFvS2_E(unsigned long *flag, void *argument, void (*function)(void *))
{
    enum { BEGUN = 1 };
    const unsigned long done = ~0ul;
    unsigned long found = 0;
    if (__atomic_compare_exchange_n(flag, &found, BEGUN, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        function(argument);
        STORE(flag, done, RELEASE);
        return;
    }
    __membar_wait(LOAD(flag, ACQUIRE) == done);
}

/* How libstdc++ passes the function to pthread_once. */
_Thread_local void *_ZSt15__once_callable;
_Thread_local void (*_ZSt11__once_call)(void);

/// __once_proxy: What `std::call_once` of libstdc++ gives to `pthread_once`.
void __once_proxy(void) { _ZSt11__once_call(); }
