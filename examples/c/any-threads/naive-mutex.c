/* Expected with --threads any: sc HOLDS, x86-tso HOLDS.
   A naive mutex: raise your flag, then wait until all others are down. Safe, though it may wait forever. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef FENCE
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#endif

atomic_int flag[N];
int owner;

static void lock(int me) {
  atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
  FENCE;
  for (int i = 0; i < N; i++)
    if (i != me)
      while (atomic_load_explicit(&flag[i], memory_order_acquire))
        ;
}

static void unlock(int me) { atomic_store_explicit(&flag[me], 0, memory_order_release); }

static void *worker(void *argument) {
  int me = (int)(long)argument;
  for (;;) {
    lock(me);
    owner = me;
    assert(owner == me);
    unlock(me);
  }
}

int main(void) {
  pthread_t thread[N];
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
