/* Winter's seqlock (figure 2 of the paper) without any fence but those of its lock. `membar repair` finds the
   fences that Armv8 needs.

   unchanged    sc, x86-tso: HOLDS WITHIN; armv8: VIOLATED

       membar repair seqlock-bare.c --client 2,1 --model armv8 */
#include <stdatomic.h>

#define FENCE atomic_thread_fence(memory_order_seq_cst)
#define READ(x) atomic_load_explicit(&x, memory_order_relaxed)
#define WRITE(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)

static atomic_int x1, x2, c, lock = 1;

static void acquire(void) {
  int free;
  FENCE; /* the paper's read-modify-write is a full fence */
  do
    free = 1;
  while (!atomic_compare_exchange_strong_explicit(&lock, &free, 0, memory_order_relaxed, memory_order_relaxed));
  FENCE;
}

// membar: object SnapshotPair
// membar: operation write(fresh, fresh)
static void write(int d1, int d2) {
  acquire();           /* 1 */
  WRITE(c, READ(c) + 1); /* 2 */
  WRITE(x1, d1); /* 3 */
  WRITE(x2, d2); /* 4 */
  WRITE(c, READ(c) + 1); /* 5 */
  WRITE(lock, 1); /* 6 */
}

// membar: operation read(out, out)
static void read(int *d1, int *d2) {
  int c0;
  do {
    do
      c0 = READ(c); /* 7 */
    while (c0 % 2 != 0); /* 8 */
    *d1 = READ(x1); /* 9 */
    *d2 = READ(x2); /* 10 */
  } while (READ(c) != c0); /* 11 */
}
