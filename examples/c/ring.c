/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A ring buffer with one producer and one consumer. With more than two threads, each passes what it
   received to the next one, through a ring buffer for each pair. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#define SIZE 2
#define ITEMS 3
#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif

struct ring {
  int slots[SIZE];
  atomic_uint head, tail;
} rings[N - 1];

static void put(struct ring *ring, unsigned i, int item) {
  while (i - atomic_load_explicit(&ring->head, memory_order_acquire) == SIZE)
    ;
  ring->slots[i % SIZE] = item;
  atomic_store_explicit(&ring->tail, i + 1, PUBLISH);
}

static int get(struct ring *ring, unsigned i) {
  while (atomic_load_explicit(&ring->tail, memory_order_acquire) == i)
    ;
  int item = ring->slots[i % SIZE];
  atomic_store_explicit(&ring->head, i + 1, memory_order_release);
  return item;
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  for (unsigned i = 0; i < ITEMS; i++) {
    int item = me == 0 ? (int)i + 1 : get(&rings[me - 1], i);
    assert(item == (int)i + 1);
    if (me < N - 1)
      put(&rings[me], i, item);
  }
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
