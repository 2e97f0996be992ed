/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   CLH lock: each thread spins on the node of its predecessor. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef WAIT
#define WAIT memory_order_acquire
#endif

atomic_int busy[N + 1];
atomic_int tail = N;
int shared;

static void lock(int me) {
  atomic_store_explicit(&busy[me], 1, memory_order_relaxed);
  int before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
  while (atomic_load_explicit(&busy[before], WAIT))
    ;
}

static void unlock(int me) { atomic_store_explicit(&busy[me], 0, memory_order_release); }

static void *worker(void *argument) {
  int me = (int)(long)argument;
  lock(me);
  shared++;
  unlock(me);
  return NULL;
}

int main(void) {
  pthread_t thread[N];
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  assert(shared == N);
  return 0;
}
