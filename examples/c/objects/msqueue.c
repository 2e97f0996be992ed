/* Michael and Scott's queue with nodes that are not reused.

   unchanged                            sc, x86-tso, rc11, armv8: HOLDS WITHIN
   -D LINK=memory_order_relaxed         sc, x86-tso: HOLDS WITHIN; rc11, armv8: VIOLATED
   (a dequeue sees the node before its value)

       membar check msqueue.c --client 2,3 --model armv8 */
#include <stdatomic.h>
#include <stddef.h>

#ifndef LINK
#define LINK memory_order_release
#endif
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define RELAXED memory_order_relaxed

struct node {
  atomic_int value;
  _Atomic(struct node *) next;
};

static struct node nodes[MEMBAR_CALLS + 1]; /* the first one is the dummy that the queue begins with */
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];

// membar: object Queue
// membar: operation enqueue(fresh)
static void enqueue(int value) {
  struct node *mine = &nodes[value];
  atomic_store_explicit(&mine->value, value, RELAXED);
  for (;;) {
    struct node *last = atomic_load_explicit(&tail, ACQUIRE);
    struct node *next = atomic_load_explicit(&last->next, ACQUIRE);
    if (next != NULL) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, RELEASE, RELAXED);
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&last->next, &next, mine, LINK, RELAXED)) {
      atomic_compare_exchange_strong_explicit(&tail, &last, mine, RELEASE, RELAXED);
      return;
    }
  }
}

// membar: operation dequeue()
static int dequeue(void) {
  for (;;) {
    struct node *first = atomic_load_explicit(&head, ACQUIRE);
    struct node *last = atomic_load_explicit(&tail, ACQUIRE);
    struct node *next = atomic_load_explicit(&first->next, ACQUIRE);
    if (next == NULL)
      return -1;
    if (first == last) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, RELEASE, RELAXED);
      continue;
    }
    int value = atomic_load_explicit(&next->value, ACQUIRE);
    if (atomic_compare_exchange_strong_explicit(&head, &first, next, RELEASE, RELAXED))
      return value;
  }
}
