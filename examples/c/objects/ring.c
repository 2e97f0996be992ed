/* A ring buffer for one producer (thread 0) and one consumer (thread 1), with capacity two.

   unchanged                                    sc, x86-tso, rc11, armv8: HOLDS WITHIN
   -D PUBLISH=memory_order_release -D LOOK=memory_order_acquire
                                                sc, armv8: HOLDS WITHIN; x86-tso, rc11: VIOLATED
   (store buffering: the producer finds the ring full and the consumer finds it empty; Armv8 orders
   store-releases before later load-acquires)
   -D PUBLISH=memory_order_relaxed              sc: HOLDS WITHIN; x86-tso, rc11, armv8: VIOLATED
   (rc11, armv8: the consumer sees the new tail before the item)

       membar check ring.c --client 2,3 --model armv8 */
#include <stdatomic.h>

#ifndef PUBLISH
#define PUBLISH memory_order_seq_cst
#endif
#ifndef LOOK
#define LOOK memory_order_seq_cst
#endif
#define SLOTS 2

static atomic_int slots[SLOTS];
static atomic_int head, tail; /* how many were taken, how many were put in */

// membar: object Queue2
// membar: operation enqueue(fresh) by 0
static int enqueue(int value) {
  int at = atomic_load_explicit(&tail, memory_order_relaxed);
  if (at - atomic_load_explicit(&head, LOOK) == SLOTS)
    return 0;
  atomic_store_explicit(&slots[at % SLOTS], value, memory_order_relaxed);
  atomic_store_explicit(&tail, at + 1, PUBLISH);
  return 1;
}

// membar: operation dequeue() by 1
static int dequeue(void) {
  int at = atomic_load_explicit(&head, memory_order_relaxed);
  if (atomic_load_explicit(&tail, LOOK) == at)
    return -1;
  int value = atomic_load_explicit(&slots[at % SLOTS], memory_order_relaxed);
  atomic_store_explicit(&head, at + 1, PUBLISH);
  return value;
}
