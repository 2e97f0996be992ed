/* What the compiler calls in C++ programs: guards of local variables that are static, virtual functions without a
   body, the end of the program by an error. */
#include "membar.h"
#include "cpp.h"

/* Addresses of these are compared and nothing else, unless there is a `dynamic_cast`. */
char _ZTVN10__cxxabiv117__class_type_infoE[64], _ZTVN10__cxxabiv120__si_class_type_infoE[64], _ZTVN10__cxxabiv121__vmi_class_type_infoE[64];
char _ZTVN10__cxxabiv119__pointer_type_infoE[64], _ZTVN10__cxxabiv120__function_type_infoE[64], _ZTVN10__cxxabiv116__enum_type_infoE[64];
void *__dso_handle;
char __libc_single_threaded; /* of glibc: counts of libstdc++ are atomic unless it is set */

struct guard {
    unsigned char is_done;
    unsigned lock;
};

/// __cxa_guard_acquire, __cxa_guard_release, __cxa_guard_abort: Local variables that are static: the first thread initialises the variable, others wait; its initialisation happens before every use.
int __cxa_guard_acquire(struct guard *guard)
{
    __membar_lock(&guard->lock);
    if (!LOAD(&guard->is_done, RELAXED))
        return 1;
    __membar_unlock(&guard->lock);
    return 0;
}
void __cxa_guard_release(struct guard *guard)
{
    STORE(&guard->is_done, 1, RELEASE);
    __membar_unlock(&guard->lock);
}
void __cxa_guard_abort(struct guard *guard) { __membar_unlock(&guard->lock); }

/// __cxa_pure_virtual, __cxa_deleted_virtual: Calling a virtual function that has no body violates `exits`.
_Noreturn void __cxa_pure_virtual(void) { end_by_error("a pure virtual function is called"); }
_Noreturn void __cxa_deleted_virtual(void) { end_by_error("a deleted virtual function is called"); }

/// _ZSt9terminatev, _ZNSt3__122__libcpp_verbose_abortEPKcz, _ZSt21__glibcxx_assert_failPKciS0_S0_, _ZN10__cxxabiv112__unexpectedEPFvvE: `std::terminate`, and checks of the library that fail, violate `exits`.
_Noreturn void _ZSt9terminatev(void) { end_by_error("std::terminate is called"); }
_Noreturn void _ZNSt3__122__libcpp_verbose_abortEPKcz(const char *format, ...) { end_by_error("the C++ library ends the program: an exception that nobody catches, or a failed check"); }
_Noreturn void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line, const char *function, const char *text) { end_by_error("a check of the C++ library fails"); }
_Noreturn void _ZN10__cxxabiv112__unexpectedEPFvvE(void (*handler)(void)) { end_by_error("std::unexpected is called"); }

/// _ZNSt3__120__throw_system_errorEiPKc, _ZSt20__throw_system_errori, _ZSt17__throw_bad_allocv, _ZSt28__throw_bad_array_new_lengthv, _ZSt20__throw_length_errorPKc, _ZSt19__throw_logic_errorPKc, _ZSt20__throw_out_of_rangePKc, _ZSt24__throw_out_of_range_fmtPKcz, _ZSt24__throw_invalid_argumentPKc, _ZSt25__throw_bad_function_callv, _ZSt21__throw_runtime_errorPKc, _ZSt16__throw_bad_castv: Functions of the library that throw: as exceptions of the library are not followed, this violates `exits`.
_Noreturn void _ZNSt3__120__throw_system_errorEiPKc(int error, const char *message) { throw_from_library("std::system_error"); }
_Noreturn void _ZSt20__throw_system_errori(int error) { throw_from_library("std::system_error"); }
_Noreturn void _ZSt17__throw_bad_allocv(void) { throw_from_library("std::bad_alloc"); }
_Noreturn void _ZSt28__throw_bad_array_new_lengthv(void) { throw_from_library("std::bad_array_new_length"); }
_Noreturn void _ZSt20__throw_length_errorPKc(const char *message) { throw_from_library("std::length_error"); }
_Noreturn void _ZSt19__throw_logic_errorPKc(const char *message) { throw_from_library("std::logic_error"); }
_Noreturn void _ZSt20__throw_out_of_rangePKc(const char *message) { throw_from_library("std::out_of_range"); }
_Noreturn void _ZSt24__throw_out_of_range_fmtPKcz(const char *format, ...) { throw_from_library("std::out_of_range"); }
_Noreturn void _ZSt24__throw_invalid_argumentPKc(const char *message) { throw_from_library("std::invalid_argument"); }
_Noreturn void _ZSt25__throw_bad_function_callv(void) { throw_from_library("std::bad_function_call"); }
_Noreturn void _ZSt21__throw_runtime_errorPKc(const char *message) { throw_from_library("std::runtime_error"); }
_Noreturn void _ZSt16__throw_bad_castv(void) { throw_from_library("std::bad_cast"); }

/// _ZSt18uncaught_exceptionv, _ZSt19uncaught_exceptionsv: `std::uncaught_exceptions`: 0, as what follows a `throw` is not explored.
_Bool _ZSt18uncaught_exceptionv(void) { return 0; }
int _ZSt19uncaught_exceptionsv(void) { return 0; }

/// __sanitizer_annotate_contiguous_container, __sanitizer_annotate_double_ended_contiguous_container: Does nothing: containers tell tools which of their memory is in use.
void __sanitizer_annotate_contiguous_container(const void *first, const void *end, const void *old, const void *now) {}
void __sanitizer_annotate_double_ended_contiguous_container(const void *first, const void *end, const void *old, const void *old_end, const void *now, const void *now_end) {}

/// __asan_poison_cxx_array_cookie: Does nothing: an array of objects with destructors starts with their number.
void __asan_poison_cxx_array_cookie(const size_t *number) {}

/// __asan_load_cxx_array_cookie: The number of objects, for `delete[]`.
size_t __asan_load_cxx_array_cookie(const size_t *number) { return *number; }

/// _ZNSt3__16chrono12steady_clock3nowEv, _ZNSt3__16chrono12system_clock3nowEv, _ZNSt6chrono3_V212steady_clock3nowEv, _ZNSt6chrono3_V212system_clock3nowEv: `now` of clocks: 0 or 18 minutes; `steady_clock` of a thread does not run backwards.
enum { LATER = 40 }; /* 2^40 nanoseconds: 18 minutes */
static _Thread_local long long last;
static long long any_time(void) { return __membar_input(0, 1) << LATER; }
static long long steady_time(void)
{
    if (last == 0)
        last = any_time();
    return last;
}
long long _ZNSt3__16chrono12steady_clock3nowEv(void) { return steady_time(); }
long long _ZNSt3__16chrono12system_clock3nowEv(void) { return any_time(); }
long long _ZNSt6chrono3_V212steady_clock3nowEv(void) { return steady_time(); }
long long _ZNSt6chrono3_V212system_clock3nowEv(void) { return any_time(); }
