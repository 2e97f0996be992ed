/* Expected with --threads any: x86-tso UNKNOWN.
   Lamport's bakery, whose numbers grow without bound: the search does not terminate. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef TAKE
#define TAKE memory_order_seq_cst
#endif

atomic_int choosing[N], number[N];
int owner;

static void lock(int me) {
  atomic_store_explicit(&choosing[me], 1, TAKE);
  int highest = 0;
  for (int i = 0; i < N; i++) {
    int seen = atomic_load(&number[i]);
    if (seen > highest)
      highest = seen;
  }
  int mine = highest + 1;
  atomic_store_explicit(&number[me], mine, TAKE);
  atomic_store_explicit(&choosing[me], 0, TAKE);
  for (int i = 0; i < N; i++) {
    if (i == me)
      continue;
    while (atomic_load(&choosing[i]))
      ;
    int seen;
    do
      seen = atomic_load(&number[i]);
    while (seen != 0 && (seen < mine || (seen == mine && i < me)));
  }
}

static void unlock(int me) { atomic_store_explicit(&number[me], 0, memory_order_release); }

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
