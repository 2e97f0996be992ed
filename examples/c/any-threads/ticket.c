/* Expected with --threads any: x86-tso UNKNOWN.
   Ticket lock: with more threads than an unsigned int has values, two threads get the same ticket, so no proof
   exists; and a run of so many threads cannot be shown. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

atomic_uint next, serving;
int owner;

static void lock(int me) {
  (void)me;
  unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
    ;
}

static void unlock(int me) {
  (void)me;
  unsigned mine = atomic_load_explicit(&serving, memory_order_relaxed);
  atomic_store_explicit(&serving, mine + 1, memory_order_release);
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
