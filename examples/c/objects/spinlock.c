/* A counter protected by a spinlock that reads before it tries to acquire (test and test-and-set).

   unchanged                            sc, x86-tso, rc11, armv8: HOLDS WITHIN
   -D LOCK=memory_order_relaxed         sc, x86-tso: HOLDS WITHIN; rc11, armv8: VIOLATED
   (the counter is read before the lock is acquired)

       membar check spinlock.c --client 2,3 --model armv8 */
#include <stdatomic.h>

#ifndef LOCK
#define LOCK memory_order_acquire
#endif

static atomic_int taken, count;

static void lock(void) {
  int free;
  do {
    while (atomic_load_explicit(&taken, memory_order_relaxed))
      ;
    free = 0;
  } while (!atomic_compare_exchange_strong_explicit(&taken, &free, 1, LOCK, memory_order_relaxed));
}

static void unlock(void) { atomic_store_explicit(&taken, 0, memory_order_release); }

// membar: object Counter
// membar: operation increment()
static int increment(void) {
  lock();
  int old = atomic_load_explicit(&count, memory_order_relaxed);
  atomic_store_explicit(&count, old + 1, memory_order_relaxed);
  unlock();
  return old;
}

// membar: operation read()
static int read(void) {
  lock();
  int found = atomic_load_explicit(&count, memory_order_relaxed);
  unlock();
  return found;
}
