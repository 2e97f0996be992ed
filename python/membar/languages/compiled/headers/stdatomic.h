/* <stdatomic.h> over clang's builtins. Objects that are not _Atomic are accepted, as gcc accepts them. */
#ifndef MEMBAR_STDATOMIC_H
#define MEMBAR_STDATOMIC_H

#ifdef __cplusplus /* as C++23 has it */
#include <atomic>
#define _Atomic(type) std::atomic<type>
using std::atomic;
using std::atomic_flag;
using std::atomic_bool;
using std::atomic_char;
using std::atomic_schar;
using std::atomic_uchar;
using std::atomic_short;
using std::atomic_ushort;
using std::atomic_int;
using std::atomic_uint;
using std::atomic_long;
using std::atomic_ulong;
using std::atomic_llong;
using std::atomic_ullong;
using std::atomic_char16_t;
using std::atomic_char32_t;
using std::atomic_wchar_t;
using std::atomic_intptr_t;
using std::atomic_uintptr_t;
using std::atomic_size_t;
using std::atomic_ptrdiff_t;
using std::atomic_intmax_t;
using std::atomic_uintmax_t;
using std::atomic_init;
using std::atomic_is_lock_free;
using std::atomic_store;
using std::atomic_store_explicit;
using std::atomic_load;
using std::atomic_load_explicit;
using std::atomic_exchange;
using std::atomic_exchange_explicit;
using std::atomic_compare_exchange_strong;
using std::atomic_compare_exchange_strong_explicit;
using std::atomic_compare_exchange_weak;
using std::atomic_compare_exchange_weak_explicit;
using std::atomic_fetch_add;
using std::atomic_fetch_add_explicit;
using std::atomic_fetch_sub;
using std::atomic_fetch_sub_explicit;
using std::atomic_fetch_or;
using std::atomic_fetch_or_explicit;
using std::atomic_fetch_xor;
using std::atomic_fetch_xor_explicit;
using std::atomic_fetch_and;
using std::atomic_fetch_and_explicit;
using std::atomic_flag_test_and_set;
using std::atomic_flag_test_and_set_explicit;
using std::atomic_flag_clear;
using std::atomic_flag_clear_explicit;
using std::atomic_thread_fence;
using std::atomic_signal_fence;
using std::memory_order;
using std::memory_order_relaxed;
using std::memory_order_consume;
using std::memory_order_acquire;
using std::memory_order_release;
using std::memory_order_acq_rel;
using std::memory_order_seq_cst;
#else

#include <stddef.h>
#include <stdint.h>
#include <membar_orders.h>

typedef enum memory_order {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_consume = __ATOMIC_CONSUME,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;

#define ATOMIC_BOOL_LOCK_FREE __GCC_ATOMIC_BOOL_LOCK_FREE
#define ATOMIC_CHAR_LOCK_FREE __GCC_ATOMIC_CHAR_LOCK_FREE
#define ATOMIC_CHAR16_T_LOCK_FREE __GCC_ATOMIC_CHAR16_T_LOCK_FREE
#define ATOMIC_CHAR32_T_LOCK_FREE __GCC_ATOMIC_CHAR32_T_LOCK_FREE
#define ATOMIC_WCHAR_T_LOCK_FREE __GCC_ATOMIC_WCHAR_T_LOCK_FREE
#define ATOMIC_SHORT_LOCK_FREE __GCC_ATOMIC_SHORT_LOCK_FREE
#define ATOMIC_INT_LOCK_FREE __GCC_ATOMIC_INT_LOCK_FREE
#define ATOMIC_LONG_LOCK_FREE __GCC_ATOMIC_LONG_LOCK_FREE
#define ATOMIC_LLONG_LOCK_FREE __GCC_ATOMIC_LLONG_LOCK_FREE
#define ATOMIC_POINTER_LOCK_FREE __GCC_ATOMIC_POINTER_LOCK_FREE

typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned int) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(uint_least16_t) atomic_char16_t;
typedef _Atomic(uint_least32_t) atomic_char32_t;
typedef _Atomic(wchar_t) atomic_wchar_t;
typedef _Atomic(int_least8_t) atomic_int_least8_t;
typedef _Atomic(uint_least8_t) atomic_uint_least8_t;
typedef _Atomic(int_least16_t) atomic_int_least16_t;
typedef _Atomic(uint_least16_t) atomic_uint_least16_t;
typedef _Atomic(int_least32_t) atomic_int_least32_t;
typedef _Atomic(uint_least32_t) atomic_uint_least32_t;
typedef _Atomic(int_least64_t) atomic_int_least64_t;
typedef _Atomic(uint_least64_t) atomic_uint_least64_t;
typedef _Atomic(int_fast8_t) atomic_int_fast8_t;
typedef _Atomic(uint_fast8_t) atomic_uint_fast8_t;
typedef _Atomic(int_fast16_t) atomic_int_fast16_t;
typedef _Atomic(uint_fast16_t) atomic_uint_fast16_t;
typedef _Atomic(int_fast32_t) atomic_int_fast32_t;
typedef _Atomic(uint_fast32_t) atomic_uint_fast32_t;
typedef _Atomic(int_fast64_t) atomic_int_fast64_t;
typedef _Atomic(uint_fast64_t) atomic_uint_fast64_t;
typedef _Atomic(intptr_t) atomic_intptr_t;
typedef _Atomic(uintptr_t) atomic_uintptr_t;
typedef _Atomic(size_t) atomic_size_t;
typedef _Atomic(ptrdiff_t) atomic_ptrdiff_t;
typedef _Atomic(intmax_t) atomic_intmax_t;
typedef _Atomic(uintmax_t) atomic_uintmax_t;
typedef struct atomic_flag { atomic_bool _Value; } atomic_flag;

#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT { 0 }
#define kill_dependency(y) (y)

/* The comma operator drops _Atomic and the qualifiers. */
#define __mb_value(p) __typeof__((void)0, *(p))
#define __mb_at(p) ((_Atomic(__mb_value(p)) *)(p))

#define atomic_init(p, v) __c11_atomic_init(__mb_at(p), v)
#define atomic_is_lock_free(p) __c11_atomic_is_lock_free(sizeof(*(p)))
#define atomic_thread_fence(order) __c11_atomic_thread_fence(__mb_order(order))
#define atomic_signal_fence(order) __c11_atomic_signal_fence(__mb_order(order))

/* A statement expression, so that the members of a structure can be named behind it. */
#define atomic_load_explicit(p, order) ({ __c11_atomic_load(__mb_at(p), __mb_load_order(order)); })
#define atomic_store_explicit(p, v, order) __c11_atomic_store(__mb_at(p), v, __mb_store_order(order))
#define atomic_exchange_explicit(p, v, order) ({ __c11_atomic_exchange(__mb_at(p), v, order); })
#define atomic_compare_exchange_strong_explicit(p, expected, v, success, failure) \
  __c11_atomic_compare_exchange_strong(__mb_at(p), (__mb_value(p) *)(expected), v, success, __mb_failure(failure))
#define atomic_compare_exchange_weak_explicit(p, expected, v, success, failure) \
  __c11_atomic_compare_exchange_weak(__mb_at(p), (__mb_value(p) *)(expected), v, success, __mb_failure(failure))
#define atomic_fetch_add_explicit(p, v, order) __c11_atomic_fetch_add(__mb_at(p), v, order)
#define atomic_fetch_sub_explicit(p, v, order) __c11_atomic_fetch_sub(__mb_at(p), v, order)
#define atomic_fetch_or_explicit(p, v, order) __c11_atomic_fetch_or(__mb_at(p), v, order)
#define atomic_fetch_xor_explicit(p, v, order) __c11_atomic_fetch_xor(__mb_at(p), v, order)
#define atomic_fetch_and_explicit(p, v, order) __c11_atomic_fetch_and(__mb_at(p), v, order)

#define atomic_load(p) atomic_load_explicit(p, __ATOMIC_SEQ_CST)
#define atomic_store(p, v) atomic_store_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_exchange(p, v) atomic_exchange_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_strong(p, expected, v) \
  __c11_atomic_compare_exchange_strong(__mb_at(p), (__mb_value(p) *)(expected), v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_weak(p, expected, v) \
  __c11_atomic_compare_exchange_weak(__mb_at(p), (__mb_value(p) *)(expected), v, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_sub(p, v) atomic_fetch_sub_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_or(p, v) atomic_fetch_or_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_xor(p, v) atomic_fetch_xor_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_and(p, v) atomic_fetch_and_explicit(p, v, __ATOMIC_SEQ_CST)

/* Of any pointer, as in gcc. */
#define __mb_flag(f) (&((volatile atomic_flag *)(volatile void *)(f))->_Value)
#define atomic_flag_test_and_set_explicit(f, order) __c11_atomic_exchange(__mb_flag(f), 1, order)
#define atomic_flag_clear_explicit(f, order) __c11_atomic_store(__mb_flag(f), 0, __mb_store_order(order))
#define atomic_flag_test_and_set(f) atomic_flag_test_and_set_explicit(f, __ATOMIC_SEQ_CST)
#define atomic_flag_clear(f) atomic_flag_clear_explicit(f, __ATOMIC_SEQ_CST)

#endif /* C++ */
#endif
