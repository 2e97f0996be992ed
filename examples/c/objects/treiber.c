/* Treiber's stack. With the relaxed push, a pop can see a node before its value.
   unchanged                        sc, x86-tso, rc11, armv8: HOLDS WITHIN
   -D PUSH=memory_order_relaxed     sc, x86-tso: HOLDS WITHIN; rc11, armv8: VIOLATED
       membar check treiber.c --client 2,3 --model armv8 */
#include <stdatomic.h>
#include <stddef.h>

#ifndef PUSH
#define PUSH memory_order_release
#endif

struct node {
  atomic_int value;
  _Atomic(struct node *) next;
};

static struct node nodes[MEMBAR_CALLS + 1]; /* one per call: memory is not reused */
static _Atomic(struct node *) top;

// membar: object Stack
// membar: operation push(fresh)
static void push(int value) {
  struct node *mine = &nodes[value];
  atomic_store_explicit(&mine->value, value, memory_order_relaxed);
  struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
  do
    atomic_store_explicit(&mine->next, old, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&top, &old, mine, PUSH, memory_order_relaxed));
}

// membar: operation pop()
static int pop(void) {
  struct node *old = atomic_load_explicit(&top, memory_order_acquire);
  while (old != NULL) {
    struct node *next = atomic_load_explicit(&old->next, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&top, &old, next, memory_order_acquire, memory_order_acquire))
      return atomic_load_explicit(&old->value, memory_order_relaxed);
  }
  return -1;
}
