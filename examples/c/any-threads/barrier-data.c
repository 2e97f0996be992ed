/* Expected with --threads any: x86-tso HOLDS.
   Sense-reversing barrier, one round: what all other threads stored before the barrier is visible after it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

atomic_int arrived, sense;
atomic_int data[N];

static void wait_for_all(int mine) {
  if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) == N - 1) {
    atomic_store_explicit(&arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&sense, mine, memory_order_release);
  } else {
    while (atomic_load_explicit(&sense, memory_order_acquire) != mine)
      ;
  }
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  atomic_store_explicit(&data[me], 1, memory_order_relaxed);
  wait_for_all(1);
  for (int i = 0; i < N; i++)
    assert(atomic_load_explicit(&data[i], memory_order_relaxed) == 1);
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
