/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS WITHIN.
   Test-and-set lock. An iteration that finds it taken writes the same value back, so it only waits; under armv8, where
   this has not been proved, the loop is bounded. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef RELEASE
#define RELEASE memory_order_release
#endif

atomic_flag taken = ATOMIC_FLAG_INIT;
int shared;

static void lock(int me) {
  (void)me;
  while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
    ;
}

static void unlock(int me) {
  (void)me;
  atomic_flag_clear_explicit(&taken, RELEASE);
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
