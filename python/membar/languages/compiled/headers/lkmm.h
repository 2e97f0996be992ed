/* The Linux kernel's macros for memory that threads share, over functions that membar knows. Orders, operations
   and functions have the names and numbers that Dartagnan's headers gave them, so that these work too. */
#ifndef MEMBAR_LKMM_H
#define MEMBAR_LKMM_H
#include <membar_assert.h>
#include <stddef.h>
#include <stdint.h>

enum {
  __LKMM_once, __LKMM_acquire, __LKMM_release, __LKMM_mb, __LKMM_wmb, __LKMM_rmb, __LKMM_rcu_lock,
  __LKMM_rcu_unlock, __LKMM_rcu_sync, __LKMM_before_atomic, __LKMM_after_atomic, __LKMM_after_spinlock,
  __LKMM_barrier, __LKMM_after_unlock_lock
};
enum { __LKMM_op_add, __LKMM_op_sub, __LKMM_op_and, __LKMM_op_or, __LKMM_op_xor };

intmax_t __LKMM_load(const volatile void *, size_t, int order);
void __LKMM_store(volatile void *, size_t, intmax_t, int order);
intmax_t __LKMM_xchg(volatile void *, size_t, intmax_t, int order);
intmax_t __LKMM_cmpxchg(volatile void *, size_t, intmax_t expected, intmax_t, int success, int failure);
void __LKMM_atomic_op(volatile void *, size_t, intmax_t, int operation);
intmax_t __LKMM_atomic_op_return(volatile void *, size_t, intmax_t, int order, int operation);
intmax_t __LKMM_atomic_fetch_op(volatile void *, size_t, intmax_t, int order, int operation);
void __LKMM_fence(int order);

#define __mb_as(p, value) ((__typeof__((void)0, *(p)))(value))
#define __mb_load(p, order) __mb_as(p, __LKMM_load(p, sizeof(*(p)), __LKMM_##order))
#define __mb_store(p, value, order) __LKMM_store(p, sizeof(*(p)), (intmax_t)(value), __LKMM_##order)
#define __mb_xchg(p, value, order) __mb_as(p, __LKMM_xchg(p, sizeof(*(p)), (intmax_t)(value), __LKMM_##order))
#define __mb_cmpxchg(p, old, value, order) \
  __mb_as(p, __LKMM_cmpxchg(p, sizeof(*(p)), (intmax_t)(old), (intmax_t)(value), __LKMM_##order, __LKMM_once))
#define __mb_try_cmpxchg(p, old, value, order)                         \
  ({                                                                   \
    __typeof__(old) __mb_old = (old);                                  \
    __typeof__(*__mb_old) __mb_wanted = *__mb_old;                     \
    *__mb_old = __mb_cmpxchg(p, __mb_wanted, value, order);            \
    *__mb_old == __mb_wanted;                                          \
  })
#define __mb_op(p, value, operation) __LKMM_atomic_op(p, sizeof(*(p)), (intmax_t)(value), __LKMM_op_##operation)
#define __mb_op_return(p, value, order, operation) \
  __mb_as(p, __LKMM_atomic_op_return(p, sizeof(*(p)), (intmax_t)(value), __LKMM_##order, __LKMM_op_##operation))
#define __mb_fetch_op(p, value, order, operation) \
  __mb_as(p, __LKMM_atomic_fetch_op(p, sizeof(*(p)), (intmax_t)(value), __LKMM_##order, __LKMM_op_##operation))

#define READ_ONCE(x) __mb_load(&(x), once)
#define WRITE_ONCE(x, value) __mb_store(&(x), value, once)
#define smp_load_acquire(p) __mb_load(p, acquire)
#define smp_store_release(p, value) __mb_store(p, value, release)
#define smp_store_mb(x, value) (WRITE_ONCE(x, value), smp_mb())
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_dereference_check(p, condition) READ_ONCE(p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_assign_pointer(p, value) smp_store_release(&(p), value)
#define RCU_INIT_POINTER(p, value) WRITE_ONCE(p, value)

#define barrier() __LKMM_fence(__LKMM_barrier)
#define smp_mb() __LKMM_fence(__LKMM_mb)
#define smp_rmb() __LKMM_fence(__LKMM_rmb)
#define smp_wmb() __LKMM_fence(__LKMM_wmb)
#define smp_mb__before_atomic() __LKMM_fence(__LKMM_before_atomic)
#define smp_mb__after_atomic() __LKMM_fence(__LKMM_after_atomic)
#define smp_mb__after_spinlock() __LKMM_fence(__LKMM_after_spinlock)
#define smp_mb__after_unlock_lock() __LKMM_fence(__LKMM_after_unlock_lock)
#define rcu_read_lock() __LKMM_fence(__LKMM_rcu_lock)
#define rcu_read_unlock() __LKMM_fence(__LKMM_rcu_unlock)
#define synchronize_rcu() __LKMM_fence(__LKMM_rcu_sync)
#define synchronize_rcu_expedited() __LKMM_fence(__LKMM_rcu_sync)

typedef struct { int counter; } atomic_t;
typedef struct { int64_t counter; } atomic64_t;
typedef struct { long counter; } atomic_long_t;
typedef struct { unsigned __mb_word; } spinlock_t;
typedef spinlock_t raw_spinlock_t;
#define ATOMIC_INIT(value) { (value) }
#define ATOMIC64_INIT(value) { (value) }
#define ATOMIC_LONG_INIT(value) { (value) }
#define DEFINE_SPINLOCK(name) spinlock_t name = { 0 }
#define DEFINE_RAW_SPINLOCK(name) spinlock_t name = { 0 }
#define __SPIN_LOCK_UNLOCKED(name) { 0 }

int __LKMM_SPIN_LOCK(spinlock_t *);
int __LKMM_SPIN_UNLOCK(spinlock_t *);
int __LKMM_SPIN_TRYLOCK(spinlock_t *);
int __LKMM_SPIN_IS_LOCKED(spinlock_t *);
#define spin_lock_init(lock) ((void)((lock)->__mb_word = 0))
#define spin_lock(lock) ((void)__LKMM_SPIN_LOCK(lock))
#define spin_unlock(lock) ((void)__LKMM_SPIN_UNLOCK(lock))
#define spin_trylock(lock) __LKMM_SPIN_TRYLOCK(lock)
#define spin_is_locked(lock) __LKMM_SPIN_IS_LOCKED(lock)
#define raw_spin_lock(lock) spin_lock(lock)
#define raw_spin_unlock(lock) spin_unlock(lock)
#define raw_spin_trylock(lock) spin_trylock(lock)
#define raw_spin_is_locked(lock) spin_is_locked(lock)

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
#ifndef __cplusplus
#include <stdbool.h>
#endif
#define __rcu
#define likely(x) (x)
#define unlikely(x) (x)
#define cpu_relax() ((void)0)
#define BUG_ON(x) __mb_assert(!(x))
#define WARN_ON(x) __mb_assert(!(x))

#define xchg(p, value) __mb_xchg(p, value, mb)
#define cmpxchg(p, old, value) __mb_cmpxchg(p, old, value, mb)
#define try_cmpxchg(p, old, value) __mb_try_cmpxchg(p, old, value, mb)
#define xchg_relaxed(p, value) __mb_xchg(p, value, once)
#define cmpxchg_relaxed(p, old, value) __mb_cmpxchg(p, old, value, once)
#define try_cmpxchg_relaxed(p, old, value) __mb_try_cmpxchg(p, old, value, once)
#define xchg_acquire(p, value) __mb_xchg(p, value, acquire)
#define cmpxchg_acquire(p, old, value) __mb_cmpxchg(p, old, value, acquire)
#define try_cmpxchg_acquire(p, old, value) __mb_try_cmpxchg(p, old, value, acquire)
#define xchg_release(p, value) __mb_xchg(p, value, release)
#define cmpxchg_release(p, old, value) __mb_cmpxchg(p, old, value, release)
#define try_cmpxchg_release(p, old, value) __mb_try_cmpxchg(p, old, value, release)

#define atomic_read(v) READ_ONCE((v)->counter)
#define atomic_set(v, value) WRITE_ONCE((v)->counter, value)
#define atomic_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_set_release(v, value) smp_store_release(&(v)->counter, value)
#define atomic_add(value, v) __mb_op(&(v)->counter, value, add)
#define atomic_sub(value, v) __mb_op(&(v)->counter, value, sub)
#define atomic_and(value, v) __mb_op(&(v)->counter, value, and)
#define atomic_or(value, v) __mb_op(&(v)->counter, value, or)
#define atomic_xor(value, v) __mb_op(&(v)->counter, value, xor)
#define atomic_andnot(value, v) __mb_op(&(v)->counter, ~(value), and)
#define atomic_inc(v) atomic_add(1, v)
#define atomic_dec(v) atomic_sub(1, v)
#define atomic_fetch_add(value, v) __mb_fetch_op(&(v)->counter, value, mb, add)
#define atomic_fetch_sub(value, v) __mb_fetch_op(&(v)->counter, value, mb, sub)
#define atomic_fetch_and(value, v) __mb_fetch_op(&(v)->counter, value, mb, and)
#define atomic_fetch_or(value, v) __mb_fetch_op(&(v)->counter, value, mb, or)
#define atomic_fetch_xor(value, v) __mb_fetch_op(&(v)->counter, value, mb, xor)
#define atomic_fetch_andnot(value, v) __mb_fetch_op(&(v)->counter, ~(value), mb, and)
#define atomic_add_return(value, v) __mb_op_return(&(v)->counter, value, mb, add)
#define atomic_sub_return(value, v) __mb_op_return(&(v)->counter, value, mb, sub)
#define atomic_inc_return(v) atomic_add_return(1, v)
#define atomic_fetch_inc(v) atomic_fetch_add(1, v)
#define atomic_dec_return(v) atomic_sub_return(1, v)
#define atomic_fetch_dec(v) atomic_fetch_sub(1, v)
#define atomic_add_negative(value, v) (atomic_add_return(value, v) < 0)
#define atomic_xchg(v, value) xchg(&(v)->counter, value)
#define atomic_cmpxchg(v, old, value) cmpxchg(&(v)->counter, old, value)
#define atomic_try_cmpxchg(v, old, value) try_cmpxchg(&(v)->counter, old, value)
#define atomic_fetch_add_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, add)
#define atomic_fetch_sub_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, sub)
#define atomic_fetch_and_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, and)
#define atomic_fetch_or_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, or)
#define atomic_fetch_xor_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, xor)
#define atomic_fetch_andnot_relaxed(value, v) __mb_fetch_op(&(v)->counter, ~(value), once, and)
#define atomic_add_return_relaxed(value, v) __mb_op_return(&(v)->counter, value, once, add)
#define atomic_sub_return_relaxed(value, v) __mb_op_return(&(v)->counter, value, once, sub)
#define atomic_inc_return_relaxed(v) atomic_add_return_relaxed(1, v)
#define atomic_fetch_inc_relaxed(v) atomic_fetch_add_relaxed(1, v)
#define atomic_dec_return_relaxed(v) atomic_sub_return_relaxed(1, v)
#define atomic_fetch_dec_relaxed(v) atomic_fetch_sub_relaxed(1, v)
#define atomic_add_negative_relaxed(value, v) (atomic_add_return_relaxed(value, v) < 0)
#define atomic_xchg_relaxed(v, value) xchg_relaxed(&(v)->counter, value)
#define atomic_cmpxchg_relaxed(v, old, value) cmpxchg_relaxed(&(v)->counter, old, value)
#define atomic_try_cmpxchg_relaxed(v, old, value) try_cmpxchg_relaxed(&(v)->counter, old, value)
#define atomic_fetch_add_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, add)
#define atomic_fetch_sub_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, sub)
#define atomic_fetch_and_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, and)
#define atomic_fetch_or_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, or)
#define atomic_fetch_xor_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, xor)
#define atomic_fetch_andnot_acquire(value, v) __mb_fetch_op(&(v)->counter, ~(value), acquire, and)
#define atomic_add_return_acquire(value, v) __mb_op_return(&(v)->counter, value, acquire, add)
#define atomic_sub_return_acquire(value, v) __mb_op_return(&(v)->counter, value, acquire, sub)
#define atomic_inc_return_acquire(v) atomic_add_return_acquire(1, v)
#define atomic_fetch_inc_acquire(v) atomic_fetch_add_acquire(1, v)
#define atomic_dec_return_acquire(v) atomic_sub_return_acquire(1, v)
#define atomic_fetch_dec_acquire(v) atomic_fetch_sub_acquire(1, v)
#define atomic_add_negative_acquire(value, v) (atomic_add_return_acquire(value, v) < 0)
#define atomic_xchg_acquire(v, value) xchg_acquire(&(v)->counter, value)
#define atomic_cmpxchg_acquire(v, old, value) cmpxchg_acquire(&(v)->counter, old, value)
#define atomic_try_cmpxchg_acquire(v, old, value) try_cmpxchg_acquire(&(v)->counter, old, value)
#define atomic_fetch_add_release(value, v) __mb_fetch_op(&(v)->counter, value, release, add)
#define atomic_fetch_sub_release(value, v) __mb_fetch_op(&(v)->counter, value, release, sub)
#define atomic_fetch_and_release(value, v) __mb_fetch_op(&(v)->counter, value, release, and)
#define atomic_fetch_or_release(value, v) __mb_fetch_op(&(v)->counter, value, release, or)
#define atomic_fetch_xor_release(value, v) __mb_fetch_op(&(v)->counter, value, release, xor)
#define atomic_fetch_andnot_release(value, v) __mb_fetch_op(&(v)->counter, ~(value), release, and)
#define atomic_add_return_release(value, v) __mb_op_return(&(v)->counter, value, release, add)
#define atomic_sub_return_release(value, v) __mb_op_return(&(v)->counter, value, release, sub)
#define atomic_inc_return_release(v) atomic_add_return_release(1, v)
#define atomic_fetch_inc_release(v) atomic_fetch_add_release(1, v)
#define atomic_dec_return_release(v) atomic_sub_return_release(1, v)
#define atomic_fetch_dec_release(v) atomic_fetch_sub_release(1, v)
#define atomic_add_negative_release(value, v) (atomic_add_return_release(value, v) < 0)
#define atomic_xchg_release(v, value) xchg_release(&(v)->counter, value)
#define atomic_cmpxchg_release(v, old, value) cmpxchg_release(&(v)->counter, old, value)
#define atomic_try_cmpxchg_release(v, old, value) try_cmpxchg_release(&(v)->counter, old, value)
#define atomic_sub_and_test(value, v) (atomic_sub_return(value, v) == 0)
#define atomic_inc_and_test(v) (atomic_inc_return(v) == 0)
#define atomic_dec_and_test(v) (atomic_dec_return(v) == 0)
#define atomic_add_unless(v, value, unless) __mb_add_unless(&(v)->counter, value, unless)
#define atomic_inc_not_zero(v) atomic_add_unless(v, 1, 0)

#define atomic64_read(v) READ_ONCE((v)->counter)
#define atomic64_set(v, value) WRITE_ONCE((v)->counter, value)
#define atomic64_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic64_set_release(v, value) smp_store_release(&(v)->counter, value)
#define atomic64_add(value, v) __mb_op(&(v)->counter, value, add)
#define atomic64_sub(value, v) __mb_op(&(v)->counter, value, sub)
#define atomic64_and(value, v) __mb_op(&(v)->counter, value, and)
#define atomic64_or(value, v) __mb_op(&(v)->counter, value, or)
#define atomic64_xor(value, v) __mb_op(&(v)->counter, value, xor)
#define atomic64_andnot(value, v) __mb_op(&(v)->counter, ~(value), and)
#define atomic64_inc(v) atomic64_add(1, v)
#define atomic64_dec(v) atomic64_sub(1, v)
#define atomic64_fetch_add(value, v) __mb_fetch_op(&(v)->counter, value, mb, add)
#define atomic64_fetch_sub(value, v) __mb_fetch_op(&(v)->counter, value, mb, sub)
#define atomic64_fetch_and(value, v) __mb_fetch_op(&(v)->counter, value, mb, and)
#define atomic64_fetch_or(value, v) __mb_fetch_op(&(v)->counter, value, mb, or)
#define atomic64_fetch_xor(value, v) __mb_fetch_op(&(v)->counter, value, mb, xor)
#define atomic64_fetch_andnot(value, v) __mb_fetch_op(&(v)->counter, ~(value), mb, and)
#define atomic64_add_return(value, v) __mb_op_return(&(v)->counter, value, mb, add)
#define atomic64_sub_return(value, v) __mb_op_return(&(v)->counter, value, mb, sub)
#define atomic64_inc_return(v) atomic64_add_return(1, v)
#define atomic64_fetch_inc(v) atomic64_fetch_add(1, v)
#define atomic64_dec_return(v) atomic64_sub_return(1, v)
#define atomic64_fetch_dec(v) atomic64_fetch_sub(1, v)
#define atomic64_add_negative(value, v) (atomic64_add_return(value, v) < 0)
#define atomic64_xchg(v, value) xchg(&(v)->counter, value)
#define atomic64_cmpxchg(v, old, value) cmpxchg(&(v)->counter, old, value)
#define atomic64_try_cmpxchg(v, old, value) try_cmpxchg(&(v)->counter, old, value)
#define atomic64_fetch_add_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, add)
#define atomic64_fetch_sub_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, sub)
#define atomic64_fetch_and_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, and)
#define atomic64_fetch_or_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, or)
#define atomic64_fetch_xor_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, xor)
#define atomic64_fetch_andnot_relaxed(value, v) __mb_fetch_op(&(v)->counter, ~(value), once, and)
#define atomic64_add_return_relaxed(value, v) __mb_op_return(&(v)->counter, value, once, add)
#define atomic64_sub_return_relaxed(value, v) __mb_op_return(&(v)->counter, value, once, sub)
#define atomic64_inc_return_relaxed(v) atomic64_add_return_relaxed(1, v)
#define atomic64_fetch_inc_relaxed(v) atomic64_fetch_add_relaxed(1, v)
#define atomic64_dec_return_relaxed(v) atomic64_sub_return_relaxed(1, v)
#define atomic64_fetch_dec_relaxed(v) atomic64_fetch_sub_relaxed(1, v)
#define atomic64_add_negative_relaxed(value, v) (atomic64_add_return_relaxed(value, v) < 0)
#define atomic64_xchg_relaxed(v, value) xchg_relaxed(&(v)->counter, value)
#define atomic64_cmpxchg_relaxed(v, old, value) cmpxchg_relaxed(&(v)->counter, old, value)
#define atomic64_try_cmpxchg_relaxed(v, old, value) try_cmpxchg_relaxed(&(v)->counter, old, value)
#define atomic64_fetch_add_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, add)
#define atomic64_fetch_sub_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, sub)
#define atomic64_fetch_and_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, and)
#define atomic64_fetch_or_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, or)
#define atomic64_fetch_xor_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, xor)
#define atomic64_fetch_andnot_acquire(value, v) __mb_fetch_op(&(v)->counter, ~(value), acquire, and)
#define atomic64_add_return_acquire(value, v) __mb_op_return(&(v)->counter, value, acquire, add)
#define atomic64_sub_return_acquire(value, v) __mb_op_return(&(v)->counter, value, acquire, sub)
#define atomic64_inc_return_acquire(v) atomic64_add_return_acquire(1, v)
#define atomic64_fetch_inc_acquire(v) atomic64_fetch_add_acquire(1, v)
#define atomic64_dec_return_acquire(v) atomic64_sub_return_acquire(1, v)
#define atomic64_fetch_dec_acquire(v) atomic64_fetch_sub_acquire(1, v)
#define atomic64_add_negative_acquire(value, v) (atomic64_add_return_acquire(value, v) < 0)
#define atomic64_xchg_acquire(v, value) xchg_acquire(&(v)->counter, value)
#define atomic64_cmpxchg_acquire(v, old, value) cmpxchg_acquire(&(v)->counter, old, value)
#define atomic64_try_cmpxchg_acquire(v, old, value) try_cmpxchg_acquire(&(v)->counter, old, value)
#define atomic64_fetch_add_release(value, v) __mb_fetch_op(&(v)->counter, value, release, add)
#define atomic64_fetch_sub_release(value, v) __mb_fetch_op(&(v)->counter, value, release, sub)
#define atomic64_fetch_and_release(value, v) __mb_fetch_op(&(v)->counter, value, release, and)
#define atomic64_fetch_or_release(value, v) __mb_fetch_op(&(v)->counter, value, release, or)
#define atomic64_fetch_xor_release(value, v) __mb_fetch_op(&(v)->counter, value, release, xor)
#define atomic64_fetch_andnot_release(value, v) __mb_fetch_op(&(v)->counter, ~(value), release, and)
#define atomic64_add_return_release(value, v) __mb_op_return(&(v)->counter, value, release, add)
#define atomic64_sub_return_release(value, v) __mb_op_return(&(v)->counter, value, release, sub)
#define atomic64_inc_return_release(v) atomic64_add_return_release(1, v)
#define atomic64_fetch_inc_release(v) atomic64_fetch_add_release(1, v)
#define atomic64_dec_return_release(v) atomic64_sub_return_release(1, v)
#define atomic64_fetch_dec_release(v) atomic64_fetch_sub_release(1, v)
#define atomic64_add_negative_release(value, v) (atomic64_add_return_release(value, v) < 0)
#define atomic64_xchg_release(v, value) xchg_release(&(v)->counter, value)
#define atomic64_cmpxchg_release(v, old, value) cmpxchg_release(&(v)->counter, old, value)
#define atomic64_try_cmpxchg_release(v, old, value) try_cmpxchg_release(&(v)->counter, old, value)
#define atomic64_sub_and_test(value, v) (atomic64_sub_return(value, v) == 0)
#define atomic64_inc_and_test(v) (atomic64_inc_return(v) == 0)
#define atomic64_dec_and_test(v) (atomic64_dec_return(v) == 0)
#define atomic64_add_unless(v, value, unless) __mb_add_unless(&(v)->counter, value, unless)
#define atomic64_inc_not_zero(v) atomic64_add_unless(v, 1, 0)

#define atomic_long_read(v) READ_ONCE((v)->counter)
#define atomic_long_set(v, value) WRITE_ONCE((v)->counter, value)
#define atomic_long_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_long_set_release(v, value) smp_store_release(&(v)->counter, value)
#define atomic_long_add(value, v) __mb_op(&(v)->counter, value, add)
#define atomic_long_sub(value, v) __mb_op(&(v)->counter, value, sub)
#define atomic_long_and(value, v) __mb_op(&(v)->counter, value, and)
#define atomic_long_or(value, v) __mb_op(&(v)->counter, value, or)
#define atomic_long_xor(value, v) __mb_op(&(v)->counter, value, xor)
#define atomic_long_andnot(value, v) __mb_op(&(v)->counter, ~(value), and)
#define atomic_long_inc(v) atomic_long_add(1, v)
#define atomic_long_dec(v) atomic_long_sub(1, v)
#define atomic_long_fetch_add(value, v) __mb_fetch_op(&(v)->counter, value, mb, add)
#define atomic_long_fetch_sub(value, v) __mb_fetch_op(&(v)->counter, value, mb, sub)
#define atomic_long_fetch_and(value, v) __mb_fetch_op(&(v)->counter, value, mb, and)
#define atomic_long_fetch_or(value, v) __mb_fetch_op(&(v)->counter, value, mb, or)
#define atomic_long_fetch_xor(value, v) __mb_fetch_op(&(v)->counter, value, mb, xor)
#define atomic_long_fetch_andnot(value, v) __mb_fetch_op(&(v)->counter, ~(value), mb, and)
#define atomic_long_add_return(value, v) __mb_op_return(&(v)->counter, value, mb, add)
#define atomic_long_sub_return(value, v) __mb_op_return(&(v)->counter, value, mb, sub)
#define atomic_long_inc_return(v) atomic_long_add_return(1, v)
#define atomic_long_fetch_inc(v) atomic_long_fetch_add(1, v)
#define atomic_long_dec_return(v) atomic_long_sub_return(1, v)
#define atomic_long_fetch_dec(v) atomic_long_fetch_sub(1, v)
#define atomic_long_add_negative(value, v) (atomic_long_add_return(value, v) < 0)
#define atomic_long_xchg(v, value) xchg(&(v)->counter, value)
#define atomic_long_cmpxchg(v, old, value) cmpxchg(&(v)->counter, old, value)
#define atomic_long_try_cmpxchg(v, old, value) try_cmpxchg(&(v)->counter, old, value)
#define atomic_long_fetch_add_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, add)
#define atomic_long_fetch_sub_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, sub)
#define atomic_long_fetch_and_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, and)
#define atomic_long_fetch_or_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, or)
#define atomic_long_fetch_xor_relaxed(value, v) __mb_fetch_op(&(v)->counter, value, once, xor)
#define atomic_long_fetch_andnot_relaxed(value, v) __mb_fetch_op(&(v)->counter, ~(value), once, and)
#define atomic_long_add_return_relaxed(value, v) __mb_op_return(&(v)->counter, value, once, add)
#define atomic_long_sub_return_relaxed(value, v) __mb_op_return(&(v)->counter, value, once, sub)
#define atomic_long_inc_return_relaxed(v) atomic_long_add_return_relaxed(1, v)
#define atomic_long_fetch_inc_relaxed(v) atomic_long_fetch_add_relaxed(1, v)
#define atomic_long_dec_return_relaxed(v) atomic_long_sub_return_relaxed(1, v)
#define atomic_long_fetch_dec_relaxed(v) atomic_long_fetch_sub_relaxed(1, v)
#define atomic_long_add_negative_relaxed(value, v) (atomic_long_add_return_relaxed(value, v) < 0)
#define atomic_long_xchg_relaxed(v, value) xchg_relaxed(&(v)->counter, value)
#define atomic_long_cmpxchg_relaxed(v, old, value) cmpxchg_relaxed(&(v)->counter, old, value)
#define atomic_long_try_cmpxchg_relaxed(v, old, value) try_cmpxchg_relaxed(&(v)->counter, old, value)
#define atomic_long_fetch_add_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, add)
#define atomic_long_fetch_sub_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, sub)
#define atomic_long_fetch_and_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, and)
#define atomic_long_fetch_or_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, or)
#define atomic_long_fetch_xor_acquire(value, v) __mb_fetch_op(&(v)->counter, value, acquire, xor)
#define atomic_long_fetch_andnot_acquire(value, v) __mb_fetch_op(&(v)->counter, ~(value), acquire, and)
#define atomic_long_add_return_acquire(value, v) __mb_op_return(&(v)->counter, value, acquire, add)
#define atomic_long_sub_return_acquire(value, v) __mb_op_return(&(v)->counter, value, acquire, sub)
#define atomic_long_inc_return_acquire(v) atomic_long_add_return_acquire(1, v)
#define atomic_long_fetch_inc_acquire(v) atomic_long_fetch_add_acquire(1, v)
#define atomic_long_dec_return_acquire(v) atomic_long_sub_return_acquire(1, v)
#define atomic_long_fetch_dec_acquire(v) atomic_long_fetch_sub_acquire(1, v)
#define atomic_long_add_negative_acquire(value, v) (atomic_long_add_return_acquire(value, v) < 0)
#define atomic_long_xchg_acquire(v, value) xchg_acquire(&(v)->counter, value)
#define atomic_long_cmpxchg_acquire(v, old, value) cmpxchg_acquire(&(v)->counter, old, value)
#define atomic_long_try_cmpxchg_acquire(v, old, value) try_cmpxchg_acquire(&(v)->counter, old, value)
#define atomic_long_fetch_add_release(value, v) __mb_fetch_op(&(v)->counter, value, release, add)
#define atomic_long_fetch_sub_release(value, v) __mb_fetch_op(&(v)->counter, value, release, sub)
#define atomic_long_fetch_and_release(value, v) __mb_fetch_op(&(v)->counter, value, release, and)
#define atomic_long_fetch_or_release(value, v) __mb_fetch_op(&(v)->counter, value, release, or)
#define atomic_long_fetch_xor_release(value, v) __mb_fetch_op(&(v)->counter, value, release, xor)
#define atomic_long_fetch_andnot_release(value, v) __mb_fetch_op(&(v)->counter, ~(value), release, and)
#define atomic_long_add_return_release(value, v) __mb_op_return(&(v)->counter, value, release, add)
#define atomic_long_sub_return_release(value, v) __mb_op_return(&(v)->counter, value, release, sub)
#define atomic_long_inc_return_release(v) atomic_long_add_return_release(1, v)
#define atomic_long_fetch_inc_release(v) atomic_long_fetch_add_release(1, v)
#define atomic_long_dec_return_release(v) atomic_long_sub_return_release(1, v)
#define atomic_long_fetch_dec_release(v) atomic_long_fetch_sub_release(1, v)
#define atomic_long_add_negative_release(value, v) (atomic_long_add_return_release(value, v) < 0)
#define atomic_long_xchg_release(v, value) xchg_release(&(v)->counter, value)
#define atomic_long_cmpxchg_release(v, old, value) cmpxchg_release(&(v)->counter, old, value)
#define atomic_long_try_cmpxchg_release(v, old, value) try_cmpxchg_release(&(v)->counter, old, value)
#define atomic_long_sub_and_test(value, v) (atomic_long_sub_return(value, v) == 0)
#define atomic_long_inc_and_test(v) (atomic_long_inc_return(v) == 0)
#define atomic_long_dec_and_test(v) (atomic_long_dec_return(v) == 0)
#define atomic_long_add_unless(v, value, unless) __mb_add_unless(&(v)->counter, value, unless)
#define atomic_long_inc_not_zero(v) atomic_long_add_unless(v, 1, 0)

/* Adds unless the value is one; a read-modify-write that fails orders nothing. */
#define __mb_add_unless(p, value, unless)                                                   \
  ({                                                                                        \
    __typeof__((void)0, *(p)) __mb_seen = __mb_load(p, once), __mb_before;                  \
    _Bool __mb_done = 0;                                                                    \
    while (!__mb_done && __mb_seen != (unless)) {                                           \
      __mb_before = __mb_seen;                                                              \
      __mb_seen = __mb_cmpxchg(p, __mb_before, __mb_before + (value), mb);                  \
      __mb_done = __mb_seen == __mb_before;                                                 \
    }                                                                                       \
    __mb_done;                                                                              \
  })

#endif
