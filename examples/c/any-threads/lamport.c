/* Expected with --threads any: sc HOLDS, x86-tso HOLDS.
   The fast path of Lamport's mutex: x holds the last thread to arrive, y the one that may enter; losers start again. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef ENTER
#define ENTER memory_order_seq_cst
#endif

atomic_int x, y;
int owner;

static void lock(int me) {
  for (;;) {
    atomic_store_explicit(&x, me + 1, ENTER);
    if (atomic_load(&y) != 0)
      continue;
    atomic_store_explicit(&y, me + 1, ENTER);
    if (atomic_load(&x) == me + 1)
      return;
    while (atomic_load(&y) == me + 1)
      ;
  }
}

static void unlock(int me) {
  (void)me;
  atomic_store_explicit(&y, 0, memory_order_release);
}

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
