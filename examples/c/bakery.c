/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Lamport's bakery: each thread takes a number, and the lowest number goes first. */
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
int shared;

static void lock(int me) {
  atomic_store(&choosing[me], 1);
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
