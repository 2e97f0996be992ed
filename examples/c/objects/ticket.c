/* A counter protected by a ticket lock.

   unchanged                            sc, x86-tso, rc11, armv8: HOLDS WITHIN
   -D UNLOCK=memory_order_relaxed       sc, x86-tso: HOLDS WITHIN; rc11, armv8: VIOLATED
   (the next ticket is served before the new counter is visible)

       membar check ticket.c --client 2,3 --model armv8 */
#include <stdatomic.h>

#ifndef UNLOCK
#define UNLOCK memory_order_release
#endif

static atomic_int next, serving, count;

static int lock(void) {
  int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
    ;
  return mine;
}

static void unlock(int mine) { atomic_store_explicit(&serving, mine + 1, UNLOCK); }

// membar: object Counter
// membar: operation increment()
static int increment(void) {
  int mine = lock();
  int old = atomic_load_explicit(&count, memory_order_relaxed);
  atomic_store_explicit(&count, old + 1, memory_order_relaxed);
  unlock(mine);
  return old;
}

// membar: operation read()
static int read(void) {
  int mine = lock();
  int found = atomic_load_explicit(&count, memory_order_relaxed);
  unlock(mine);
  return found;
}
