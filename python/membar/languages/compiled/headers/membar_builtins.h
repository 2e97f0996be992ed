/* gcc's atomic builtins on _Atomic objects, which gcc accepts and clang refuses. Included before every file. */
#ifndef MEMBAR_BUILTINS_H
#define MEMBAR_BUILTINS_H
#if !defined(__cplusplus) && !defined(__ASSEMBLER__)

#include <membar_orders.h>

#define __mb_plain(p) ((__typeof__((void)0, *(p)) *)(p))
/* Bits of a pointer can be set and cleared, too: gcc takes it for an integer. */
#define __mb_is_pointer(p) (__builtin_classify_type(*(p)) == 5)
#define __mb_bits(function, p, v, order)                                                                          \
  __builtin_choose_expr(__mb_is_pointer(p),                                                                       \
                        (__typeof__((void)0, *(p)))function(                                                      \
                            (__UINTPTR_TYPE__ *)(p), (__UINTPTR_TYPE__)(v), order),                               \
                        function(__builtin_choose_expr(__mb_is_pointer(p), (__UINTPTR_TYPE__ *)0, __mb_plain(p)), \
                                 v, order))
#define __atomic_load_n(p, order) __atomic_load_n(__mb_plain(p), __mb_load_order(order))
#define __atomic_load(p, result, order) __atomic_load(__mb_plain(p), result, __mb_load_order(order))
#define __atomic_store_n(p, v, order) __atomic_store_n(__mb_plain(p), v, __mb_store_order(order))
#define __atomic_store(p, v, order) __atomic_store(__mb_plain(p), v, __mb_store_order(order))
#define __atomic_exchange_n(p, v, order) __atomic_exchange_n(__mb_plain(p), v, order)
#define __atomic_exchange(p, v, result, order) __atomic_exchange(__mb_plain(p), v, result, order)
#define __atomic_compare_exchange_n(p, expected, v, weak, success, failure) \
  __atomic_compare_exchange_n(__mb_plain(p), expected, v, weak, success, __mb_failure(failure))
#define __atomic_compare_exchange(p, expected, v, weak, success, failure) \
  __atomic_compare_exchange(__mb_plain(p), expected, v, weak, success, __mb_failure(failure))
#define __atomic_fetch_add(p, v, order) __atomic_fetch_add(__mb_plain(p), v, order)
#define __atomic_fetch_sub(p, v, order) __atomic_fetch_sub(__mb_plain(p), v, order)
#define __atomic_fetch_and(p, v, order) __mb_bits(__atomic_fetch_and, p, v, order)
#define __atomic_fetch_or(p, v, order) __mb_bits(__atomic_fetch_or, p, v, order)
#define __atomic_fetch_xor(p, v, order) __mb_bits(__atomic_fetch_xor, p, v, order)
#define __atomic_fetch_nand(p, v, order) __mb_bits(__atomic_fetch_nand, p, v, order)
#define __atomic_add_fetch(p, v, order) __atomic_add_fetch(__mb_plain(p), v, order)
#define __atomic_sub_fetch(p, v, order) __atomic_sub_fetch(__mb_plain(p), v, order)
#define __atomic_and_fetch(p, v, order) __mb_bits(__atomic_and_fetch, p, v, order)
#define __atomic_or_fetch(p, v, order) __mb_bits(__atomic_or_fetch, p, v, order)
#define __atomic_xor_fetch(p, v, order) __mb_bits(__atomic_xor_fetch, p, v, order)
#define __atomic_nand_fetch(p, v, order) __mb_bits(__atomic_nand_fetch, p, v, order)
#define __atomic_thread_fence(order) __atomic_thread_fence(__mb_order(order))
#define __atomic_signal_fence(order) __atomic_signal_fence(__mb_order(order))
#define __sync_fetch_and_add(p, ...) __sync_fetch_and_add(__mb_plain(p), __VA_ARGS__)
#define __sync_fetch_and_sub(p, ...) __sync_fetch_and_sub(__mb_plain(p), __VA_ARGS__)
#define __sync_fetch_and_or(p, ...) __sync_fetch_and_or(__mb_plain(p), __VA_ARGS__)
#define __sync_fetch_and_and(p, ...) __sync_fetch_and_and(__mb_plain(p), __VA_ARGS__)
#define __sync_fetch_and_xor(p, ...) __sync_fetch_and_xor(__mb_plain(p), __VA_ARGS__)
#define __sync_fetch_and_nand(p, ...) __sync_fetch_and_nand(__mb_plain(p), __VA_ARGS__)
#define __sync_add_and_fetch(p, ...) __sync_add_and_fetch(__mb_plain(p), __VA_ARGS__)
#define __sync_sub_and_fetch(p, ...) __sync_sub_and_fetch(__mb_plain(p), __VA_ARGS__)
#define __sync_or_and_fetch(p, ...) __sync_or_and_fetch(__mb_plain(p), __VA_ARGS__)
#define __sync_and_and_fetch(p, ...) __sync_and_and_fetch(__mb_plain(p), __VA_ARGS__)
#define __sync_xor_and_fetch(p, ...) __sync_xor_and_fetch(__mb_plain(p), __VA_ARGS__)
#define __sync_nand_and_fetch(p, ...) __sync_nand_and_fetch(__mb_plain(p), __VA_ARGS__)
#define __sync_bool_compare_and_swap(p, ...) __sync_bool_compare_and_swap(__mb_plain(p), __VA_ARGS__)
#define __sync_val_compare_and_swap(p, ...) __sync_val_compare_and_swap(__mb_plain(p), __VA_ARGS__)
/* An acquire and no more, as gcc has it; clang's own one is seq_cst. */
#define __sync_lock_test_and_set(p, v, ...) __atomic_exchange_n(p, v, __ATOMIC_ACQUIRE)
#define __sync_lock_release(p, ...) __sync_lock_release(__mb_plain(p), ##__VA_ARGS__)

#endif
#endif
