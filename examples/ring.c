/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A ring buffer with one producer and one consumer. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define SIZE 2
#define ITEMS 3
#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif

int slots[SIZE];
atomic_uint head, tail;

static void *producer(void *unused) {
  (void)unused;
  for (unsigned i = 0; i < ITEMS; i++) {
    while (i - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
      ;
    slots[i % SIZE] = (int)i + 1;
    atomic_store_explicit(&tail, i + 1, PUBLISH);
  }
  return NULL;
}

static void *consumer(void *unused) {
  (void)unused;
  for (unsigned i = 0; i < ITEMS; i++) {
    while (atomic_load_explicit(&tail, memory_order_acquire) == i)
      ;
    assert(slots[i % SIZE] == (int)i + 1);
    atomic_store_explicit(&head, i + 1, memory_order_release);
  }
  return NULL;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, producer, NULL);
  pthread_create(&other, NULL, consumer, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  return 0;
}
