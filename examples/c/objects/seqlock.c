/* Winter's seqlock (figure 2 of the paper), with the five fences that Armv8 needs. Each can be removed:

       -D NO_FENCES, or -D NO_FENCE_3, NO_FENCE_5, NO_FENCE_AFTER_5, NO_FENCE_9, NO_FENCE_AFTER_10

   unchanged            sc, x86-tso, armv8, xc: HOLDS WITHIN (causal order)
   without any fence    x86-tso: HOLDS WITHIN in causal and flush order, VIOLATED in real-time order by figure 4 (a
                        write returns while its stores are still in the buffer); armv8, xc: VIOLATED, by figure 9
   without one fence    armv8: VIOLATED for each, with two operations per thread; xc: the same, except for the
                        fence before line 9, because nothing is read before the branch of line 8

       membar check seqlock.c --client 2,2 --model armv8

   -D NO_FENCES shows figure 9, x1 written before c is odd. Under xc, where reads stay in order and nothing else can be
   the reason, the same is shown by

       membar check seqlock.c -D NO_FENCE_3 --client 2,1 --model xc */
#include <stdatomic.h>

#define FENCE atomic_thread_fence(memory_order_seq_cst)
#define READ(x) atomic_load_explicit(&x, memory_order_relaxed)
#define WRITE(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)

#ifdef NO_FENCES
#define NO_FENCE_3
#define NO_FENCE_5
#define NO_FENCE_AFTER_5
#define NO_FENCE_9
#define NO_FENCE_AFTER_10
#endif

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
#ifndef NO_FENCE_3
  FENCE;
#endif
  WRITE(x1, d1); /* 3 */
  WRITE(x2, d2); /* 4 */
#ifndef NO_FENCE_5
  FENCE;
#endif
  WRITE(c, READ(c) + 1); /* 5 */
#ifndef NO_FENCE_AFTER_5
  FENCE;
#endif
  WRITE(lock, 1); /* 6 */
}

// membar: operation read(out, out)
static void read(int *d1, int *d2) {
  int c0;
  do {
    do
      c0 = READ(c); /* 7 */
    while (c0 % 2 != 0); /* 8 */
#ifndef NO_FENCE_9
    FENCE;
#endif
    *d1 = READ(x1); /* 9 */
    *d2 = READ(x2); /* 10 */
#ifndef NO_FENCE_AFTER_10
    FENCE;
#endif
  } while (READ(c) != c0); /* 11 */
}
