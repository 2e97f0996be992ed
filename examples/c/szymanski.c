/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Szymanski's mutual exclusion: a waiting room whose door closes behind a group. */
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

atomic_int flag[N];
int shared;

/* Whether somebody else is at one of these stages. */
static int somebody(int me, int first, int last) {
  for (int other = 0; other < N; other++)
    if (other != me) {
      int stage = atomic_load(&flag[other]);
      if (first <= stage && stage <= last)
        return 1;
    }
  return 0;
}

static void lock(int me) {
  atomic_store_explicit(&flag[me], 1, ENTER);
  for (int other = 0; other < N; other++)
    while (other != me && atomic_load(&flag[other]) >= 3)
      ;
  atomic_store_explicit(&flag[me], 3, ENTER);
  if (somebody(me, 1, 1)) {
    atomic_store_explicit(&flag[me], 2, ENTER);
    while (!somebody(me, 4, 4))
      ;
  }
  atomic_store_explicit(&flag[me], 4, ENTER);
  for (int other = 0; other < me; other++)
    while (atomic_load(&flag[other]) >= 2)
      ;
}

static void unlock(int me) {
  for (int other = me + 1; other < N; other++) {
    int seen;
    do
      seen = atomic_load(&flag[other]);
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
  pthread_t thread[N];
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
