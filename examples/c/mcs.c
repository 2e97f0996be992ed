/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   MCS lock: a queue of threads, each spinning on its own node. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef HAND_OVER
#define HAND_OVER memory_order_release
#endif

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};

struct node nodes[N];
_Atomic(struct node *) tail;
int shared;

static void lock(int me) {
  struct node *mine = &nodes[me];
  atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  if (before == NULL)
    return;
  atomic_store_explicit(&before->next, mine, memory_order_release);
  while (atomic_load_explicit(&mine->waits, memory_order_acquire))
    ;
}

static void unlock(int me) {
  struct node *mine = &nodes[me];
  struct node *after = atomic_load_explicit(&mine->next, memory_order_acquire);
  if (after == NULL) {
    struct node *expected = mine;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_acq_rel,
                                                memory_order_relaxed))
      return;
    while ((after = atomic_load_explicit(&mine->next, memory_order_acquire)) == NULL)
      ;
  }
  atomic_store_explicit(&after->waits, 0, HAND_OVER);
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
