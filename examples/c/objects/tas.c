/* A register protected by a test-and-set lock.

   unchanged                            sc, x86-tso, rc11, armv8: HOLDS WITHIN
   -D UNLOCK=memory_order_relaxed       sc, x86-tso: HOLDS WITHIN; rc11, armv8: VIOLATED
   (a read sees half of the last write: the lock is free before both halves are visible)

       membar check tas.c --client 2,3 --model armv8 */
#include <stdatomic.h>

#ifndef UNLOCK
#define UNLOCK memory_order_release
#endif

static atomic_int taken, first, second;

static void lock(void) {
  int free;
  do
    free = 0;
  while (!atomic_compare_exchange_strong_explicit(&taken, &free, 1, memory_order_acquire, memory_order_relaxed));
}

static void unlock(void) { atomic_store_explicit(&taken, 0, UNLOCK); }

// membar: object SnapshotPair
// membar: operation write(fresh, fresh)
static void write(int a, int b) {
  lock();
  atomic_store_explicit(&first, a, memory_order_relaxed);
  atomic_store_explicit(&second, b, memory_order_relaxed);
  unlock();
}

// membar: operation read(out, out)
static void read(int *a, int *b) {
  lock();
  *a = atomic_load_explicit(&first, memory_order_relaxed);
  *b = atomic_load_explicit(&second, memory_order_relaxed);
  unlock();
}
