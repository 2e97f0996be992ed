/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Seqlock: readers retry if a writer was active. Here a reader gives up after one failure. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef CHECK
#define CHECK memory_order_acquire
#endif

atomic_uint sequence;
atomic_int left, right;

static void *writer(void *unused) {
  (void)unused;
  unsigned now = atomic_load_explicit(&sequence, memory_order_relaxed);
  atomic_store_explicit(&sequence, now + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&left, 1, memory_order_relaxed);
  atomic_store_explicit(&right, 1, memory_order_relaxed);
  atomic_store_explicit(&sequence, now + 2, memory_order_release);
  return NULL;
}

static void *reader(void *unused) {
  (void)unused;
  unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
  int a = atomic_load_explicit(&left, memory_order_relaxed);
  int b = atomic_load_explicit(&right, memory_order_relaxed);
  atomic_thread_fence(CHECK);
  unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
  if (before == after && before % 2 == 0)
    assert(a == b);
  return NULL;
}

int main(void) {
  pthread_t thread[N];
  pthread_create(&thread[0], NULL, writer, NULL);
  for (int i = 1; i < N; i++)
    pthread_create(&thread[i], NULL, reader, NULL);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
