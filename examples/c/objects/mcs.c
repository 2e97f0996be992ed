/* A counter protected by the queue lock of Mellor-Crummey and Scott; every call has its own node.

   unchanged                            sc, x86-tso, rc11, armv8: HOLDS WITHIN
   -D HAND_OVER=memory_order_relaxed    sc, x86-tso: HOLDS WITHIN; rc11, armv8: VIOLATED
   (the next thread continues before it sees the new counter)

       membar check mcs.c --client 2,3 --model armv8 */
#include <stdatomic.h>
#include <stddef.h>

#ifndef HAND_OVER
#define HAND_OVER memory_order_release
#endif

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};

static struct node nodes[MEMBAR_CALLS];
static _Atomic(struct node *) last;
static atomic_int count;

static void lock(struct node *mine) {
  atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&last, mine, memory_order_acq_rel);
  if (before == NULL)
    return;
  atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
  atomic_store_explicit(&before->next, mine, memory_order_release);
  while (atomic_load_explicit(&mine->waits, memory_order_acquire))
    ;
}

static void unlock(struct node *mine) {
  struct node *after = atomic_load_explicit(&mine->next, memory_order_acquire);
  if (after == NULL) {
    struct node *expected = mine;
    if (atomic_compare_exchange_strong_explicit(&last, &expected, NULL, memory_order_release,
                                                memory_order_relaxed))
      return;
    do
      after = atomic_load_explicit(&mine->next, memory_order_acquire);
    while (after == NULL);
  }
  atomic_store_explicit(&after->waits, 0, HAND_OVER);
}

// membar: object Counter
// membar: operation increment(call)
static int increment(int number) {
  lock(&nodes[number]);
  int old = atomic_load_explicit(&count, memory_order_relaxed);
  atomic_store_explicit(&count, old + 1, memory_order_relaxed);
  unlock(&nodes[number]);
  return old;
}

// membar: operation read(call)
static int read(int number) {
  lock(&nodes[number]);
  int found = atomic_load_explicit(&count, memory_order_relaxed);
  unlock(&nodes[number]);
  return found;
}
