/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS, power HOLDS, riscv HOLDS.
   Peterson's mutual exclusion with seq_cst atomics. With more than two threads it is the filter lock: at each level the
   last thread to arrive waits, so one thread fewer reaches the next. With two threads only: power, riscv. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef RAISE
#define RAISE memory_order_seq_cst
#endif

atomic_int level[N], last[N];
int shared;

static void lock(int me) {
  for (int l = 1; l < N; l++) {
    atomic_store_explicit(&level[me], l, RAISE);
    atomic_store_explicit(&last[l], me, RAISE);
    for (int other = 0; other < N; other++)
      if (other != me)
        while (atomic_load(&level[other]) >= l && atomic_load(&last[l]) == me)
          ;
  }
}

static void unlock(int me) { atomic_store_explicit(&level[me], 0, memory_order_release); }

static void *worker(void *argument) {
  int me = (int)(long)argument;
  lock(me);
  shared = me;
  assert(shared == me);
  unlock(me);
  return NULL;
}

int main(void) {
  pthread_t thread[N];
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
