/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Dekker's mutual exclusion for two threads. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef RAISE
#define RAISE memory_order_seq_cst
#endif

atomic_int wants[2], turn;
int shared;

static void lock(int me) {
  int other = 1 - me;
  atomic_store_explicit(&wants[me], 1, RAISE);
  while (atomic_load(&wants[other])) {
    if (atomic_load_explicit(&turn, memory_order_relaxed) != me) {
      atomic_store_explicit(&wants[me], 0, memory_order_relaxed);
      while (atomic_load_explicit(&turn, memory_order_relaxed) != me)
        ;
      atomic_store_explicit(&wants[me], 1, RAISE);
    }
  }
}

static void unlock(int me) {
  atomic_store_explicit(&turn, 1 - me, memory_order_relaxed);
  atomic_store_explicit(&wants[me], 0, memory_order_release);
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  lock(me);
  shared = me;
  assert(shared == me);
  unlock(me);
  return NULL;
}

int main(void) {
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
