/* Expected with --threads any: sc HOLDS.
   Lamport's complete fast mutex: a thread that meets another reads the flags of all threads before it continues. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

atomic_int b[N], x, y;
int owner;

static void lock(int me) {
start:
  atomic_store(&b[me], 1);
  atomic_store(&x, me + 1);
  if (atomic_load(&y) != 0) {
    atomic_store(&b[me], 0);
    while (atomic_load(&y) != 0)
      ;
    goto start;
  }
  atomic_store(&y, me + 1);
  if (atomic_load(&x) != me + 1) {
    atomic_store(&b[me], 0);
    for (int i = 0; i < N; i++)
      while (atomic_load(&b[i]))
        ;
    if (atomic_load(&y) != me + 1) {
      while (atomic_load(&y) != 0)
        ;
      goto start;
    }
  }
}

static void unlock(int me) {
  atomic_store(&y, 0);
  atomic_store(&b[me], 0);
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
