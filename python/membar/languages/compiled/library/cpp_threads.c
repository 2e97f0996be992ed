/* std::thread: headers of libc++ start threads by pthread_create, those of libstdc++ by a function of the library. */
#include "cpp.h"

void _ZdlPv(void *block);
int pthread_join(unsigned long handle, void **result);
int pthread_detach(unsigned long handle);

/// _ZNSt3__115__thread_structC1Ev, _ZNSt3__115__thread_structD1Ev: What libc++ keeps for the end of a thread: nothing here.
void _ZNSt3__115__thread_structC1Ev(void *self) {}
void _ZNSt3__115__thread_structD1Ev(void *self) {}

/// _ZNSt3__119__thread_local_dataEv, _ZNSt3__121__thread_specific_ptrINS_15__thread_structEE11set_pointerEPS1_: Where libc++ keeps that: nobody reads it, so it is deleted at once. Optimised code sets the key itself.
static const unsigned end_of_thread_key = END_OF_THREAD_KEY;
void *_ZNSt3__119__thread_local_dataEv(void) { return (void *)&end_of_thread_key; }
void _ZNSt3__121__thread_specific_ptrINS_15__thread_structEE11set_pointerEPS1_(void *self, void *data) { _ZdlPv(data); }

static inline void join(unsigned long *self)
{
    if (*self == 0)
        end_by_error("a thread is joined that is not joinable: std::system_error is thrown");
    pthread_join(*self, NULL);
    *self = 0;
}

static inline void detach(unsigned long *self)
{
    if (*self == 0)
        end_by_error("a thread is detached that is not joinable: std::system_error is thrown");
    pthread_detach(*self);
    *self = 0;
}

/// _ZNSt3__16thread4joinEv, _ZNSt6thread4joinEv: `std::thread::join`: joining a thread that is not joinable violates `exits`.
void _ZNSt3__16thread4joinEv(unsigned long *self) { join(self); }
void _ZNSt6thread4joinEv(unsigned long *self) { join(self); }

/// _ZNSt3__16thread6detachEv, _ZNSt6thread6detachEv: `std::thread::detach`: detaching a thread that is not joinable violates `exits`.
void _ZNSt3__16thread6detachEv(unsigned long *self) { detach(self); }
void _ZNSt6thread6detachEv(unsigned long *self) { detach(self); }

/// _ZNSt3__16threadD1Ev, _ZNSt3__16threadD2Ev: `std::thread::~thread`: destroying a thread that was neither joined nor detached violates `exits`.
void _ZNSt3__16threadD1Ev(unsigned long *self)
{
    if (*self != 0)
        end_by_error("a thread is destroyed that was neither joined nor detached: std::terminate is called");
}
void _ZNSt3__16threadD2Ev(unsigned long *self) { _ZNSt3__16threadD1Ev(self); }

/* A function and its arguments, as libstdc++ keeps them. */
struct state;
struct functions {
    void (*destroy)(struct state *self);
    void (*destroy_and_delete)(struct state *self);
    void (*run)(struct state *self);
};
struct state {
    const struct functions *functions;
};

static void *run_state(void *argument)
{
    struct state *state = argument;
    state->functions->run(state);
    state->functions->destroy_and_delete(state);
    return NULL;
}

/// _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE: `std::thread` of libstdc++ starts: never fails.
void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(unsigned long *self, struct state **state, void (*unused)(void))
{
    struct state *given = *state;
    *state = NULL;
    *self = (unsigned long)__membar_spawn(run_state, given);
}

/// _ZNSt6thread6_StateD2Ev: The end of what libstdc++ keeps for a thread.
void _ZNSt6thread6_StateD2Ev(struct state *self) {}
char _ZTINSt6thread6_StateE[16];
void *_ZTVNSt6thread6_StateE[8];

/// _ZNSt3__16thread20hardware_concurrencyEv, _ZNSt6thread20hardware_concurrencyEv: `std::thread::hardware_concurrency`: 0 or 1.
unsigned _ZNSt3__16thread20hardware_concurrencyEv(void) { return (unsigned)__membar_input(0, 1); }
unsigned _ZNSt6thread20hardware_concurrencyEv(void) { return (unsigned)__membar_input(0, 1); }

/// _ZNSt3__111this_thread9sleep_for, _ZNSt3__111this_thread11sleep_until, _ZNSt3__111this_thread9sleep_forERKNS_6chrono8durationIxNS_5ratioILl1ELl1000000000EEEEE, _ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE: `std::this_thread::sleep_for` and `sleep_until`: do nothing, as every interleaving is explored anyway.
void _ZNSt3__111this_thread9sleep_for(const void *time) {}
void _ZNSt3__111this_thread11sleep_until(const void *time) {}
void _ZNSt3__111this_thread9sleep_forERKNS_6chrono8durationIxNS_5ratioILl1ELl1000000000EEEEE(const void *time) {}
void _ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE(long seconds, long rest) {}
