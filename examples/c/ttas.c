/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Test-and-test-and-set lock: spins until the lock is free, then tries to acquire it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef TAKE
#define TAKE memory_order_acquire
#endif

atomic_int taken;
int shared;

static void lock(int me) {
  (void)me;
  do {
    while (atomic_load_explicit(&taken, memory_order_relaxed))
      ;
  } while (atomic_exchange_explicit(&taken, 1, TAKE));
}

static void unlock(int me) {
  (void)me;
  atomic_store_explicit(&taken, 0, memory_order_release);
}

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
