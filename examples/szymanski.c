/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS.
   Szymanski's mutual exclusion: a waiting room whose door closes behind a group. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef ENTER
#define ENTER memory_order_seq_cst
#endif

atomic_int flag[2];
int shared;

static void lock(int me) {
  int other = 1 - me;
  atomic_store_explicit(&flag[me], 1, ENTER);
  while (atomic_load(&flag[other]) >= 3)
    ;
  atomic_store_explicit(&flag[me], 3, ENTER);
  if (atomic_load(&flag[other]) == 1) {
    atomic_store_explicit(&flag[me], 2, ENTER);
    while (atomic_load(&flag[other]) != 4)
      ;
  }
  atomic_store_explicit(&flag[me], 4, ENTER);
  if (me == 1)
    while (atomic_load(&flag[0]) >= 2)
      ;
}

static void unlock(int me) {
  if (me == 0) {
    int seen;
    do
      seen = atomic_load(&flag[1]);
    while (seen == 2 || seen == 3);
  }
  atomic_store_explicit(&flag[me], 0, memory_order_release);
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  lock(me);
  shared = me;
  assert(shared == me);
  unlock(me);
  return NULL;
}

int main(void) {
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
