/* std::thread of libc++: its headers start threads by pthread_create. */
#include "membar.h"

_Noreturn void abort(void);
void free(void *block);
int pthread_join(unsigned long handle, void **result);
int pthread_detach(unsigned long handle);

static _Noreturn void raise(const char *message)
{
    __membar_check(0, "exits", message);
    __membar_exit(134);
}

/// _ZNSt3__115__thread_structC1Ev, _ZNSt3__115__thread_structD1Ev: What a thread of libc++ keeps for its end; nothing here.
void _ZNSt3__115__thread_structC1Ev(void *self) {}
void _ZNSt3__115__thread_structD1Ev(void *self) {}

/// _ZNSt3__119__thread_local_dataEv, _ZNSt3__121__thread_specific_ptrINS_15__thread_structEE11set_pointerEPS1_: Where libc++ keeps that: nobody reads it, so it is deleted at once.
void *_ZNSt3__119__thread_local_dataEv(void) { return NULL; }
void _ZNSt3__121__thread_specific_ptrINS_15__thread_structEE11set_pointerEPS1_(void *self, void *data) { free(data); }

/// _ZNSt3__16thread4joinEv: `std::thread::join`: joining one that cannot be joined throws, which violates `exits`.
void _ZNSt3__16thread4joinEv(unsigned long *self)
{
    if (*self == 0)
        raise("join of a thread that is not joinable: std::system_error is thrown and not caught");
    pthread_join(*self, NULL);
    *self = 0;
}

/// _ZNSt3__16thread6detachEv: `std::thread::detach`: detaching a thread that cannot be joined throws, which violates `exits`.
void _ZNSt3__16thread6detachEv(unsigned long *self)
{
    if (*self == 0)
        raise("detach of a thread that is not joinable: std::system_error is thrown and not caught");
    pthread_detach(*self);
    *self = 0;
}

/// _ZNSt3__16threadD1Ev, _ZNSt3__16threadD2Ev: `std::thread::~thread`: destroying a thread that is joinable calls std::terminate, which violates `exits`.
void _ZNSt3__16threadD1Ev(unsigned long *self)
{
    if (*self != 0)
        raise("a thread is destroyed that was neither joined nor detached: std::terminate is called");
}
void _ZNSt3__16threadD2Ev(unsigned long *self) { _ZNSt3__16threadD1Ev(self); }

/// _ZNSt3__16thread20hardware_concurrencyEv: `std::thread::hardware_concurrency`: 0 or 1.
unsigned _ZNSt3__16thread20hardware_concurrencyEv(void) { return (unsigned)__membar_input(0, 1); }

/// _ZNSt3__120__throw_system_errorEiPKc: `std::system_error`: is thrown by a function of the library; as nobody catches it, this violates `exits`.
_Noreturn void _ZNSt3__120__throw_system_errorEiPKc(int error, const char *message) { raise(message); }
