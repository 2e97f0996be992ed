/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Sense-reversing barrier: no thread continues before all have arrived. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef OPEN
#define OPEN memory_order_release
#endif

atomic_int missing = N;
atomic_int sense;
int data[N];

static void wait_for_all(void) {
  int mine = !atomic_load_explicit(&sense, memory_order_relaxed);
  if (atomic_fetch_sub_explicit(&missing, 1, memory_order_acq_rel) == 1) {
    atomic_store_explicit(&missing, N, memory_order_relaxed);
    atomic_store_explicit(&sense, mine, OPEN);
  } else {
    while (atomic_load_explicit(&sense, memory_order_acquire) != mine)
      ;
  }
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  data[me] = me + 1;
  wait_for_all();
  assert(data[(me + 1) % N] == (me + 1) % N + 1);
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
