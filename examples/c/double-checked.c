/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Double-checked locking: an object is created once, by the first thread that needs it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef LOOK
#define LOOK memory_order_acquire
#endif

int object, made;
_Atomic(int *) instance;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int *get(void) {
  int *found = atomic_load_explicit(&instance, LOOK);
  if (found == NULL) {
    pthread_mutex_lock(&mutex);
    found = atomic_load_explicit(&instance, memory_order_relaxed);
    if (found == NULL) {
      object = 42;
      made++;
      found = &object;
      atomic_store_explicit(&instance, found, memory_order_release);
    }
    pthread_mutex_unlock(&mutex);
  }
  return found;
}

static void *worker(void *unused) {
  (void)unused;
  assert(*get() == 42);
  return NULL;
}

int main(void) {
  pthread_t thread[N];
  for (int i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  assert(made == 1);
  return 0;
}
