/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Lamport's fast mutex: seven accesses without contention. Here a thread that meets another gives up. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef LEAVE
#define LEAVE memory_order_seq_cst
#endif

atomic_int b[N], x, y;
int shared;

static int try_lock(int me) {
  atomic_store(&b[me], 1);
  atomic_store(&x, me + 1);
  if (atomic_load(&y) != 0) {
    atomic_store(&b[me], 0);
    return 0;
  }
  atomic_store(&y, me + 1);
  if (atomic_load(&x) != me + 1) {
    atomic_store(&b[me], 0);
    for (int i = 0; i < N; i++)
      while (atomic_load(&b[i]))
        ;
    if (atomic_load(&y) != me + 1)
      return 0;
  }
  return 1;
}

static void unlock(int me) {
  atomic_store_explicit(&y, 0, LEAVE);
  atomic_store_explicit(&b[me], 0, LEAVE);
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  if (try_lock(me)) {
    shared = me;
    assert(shared == me);
    unlock(me);
  }
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
