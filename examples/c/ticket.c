/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Ticket lock: first come, first served. */
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

atomic_uint next, owner;
int shared;

static void lock(int me) {
  (void)me;
  unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&owner, WAIT) != mine)
    ;
}

static void unlock(int me) {
  (void)me;
  unsigned mine = atomic_load_explicit(&owner, memory_order_relaxed);
  atomic_store_explicit(&owner, mine + 1, memory_order_release);
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
