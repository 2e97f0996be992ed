/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Burns' mutual exclusion: one bit per thread; threads with lower numbers have priority. */
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

atomic_int flag[N];
int shared;

static void lock(int me) {
  int clear;
  do {
    atomic_store_explicit(&flag[me], 0, RAISE);
    for (int i = 0; i < me; i++)
      while (atomic_load(&flag[i]))
        ;
    atomic_store_explicit(&flag[me], 1, RAISE);
    clear = 1;
    for (int i = 0; i < me; i++)
      if (atomic_load(&flag[i]))
        clear = 0;
  } while (!clear);
  for (int i = me + 1; i < N; i++)
    while (atomic_load(&flag[i]))
      ;
}

static void unlock(int me) { atomic_store_explicit(&flag[me], 0, memory_order_release); }

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
