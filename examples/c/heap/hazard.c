/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS, power HOLDS.
   Hazard pointers: a reader publishes the object that it is about to read and checks that it is still current;
   the writer replaces the object and frees the old one only if no reader has published it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef FENCE
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#endif
#ifndef MAY_FREE
#define MAY_FREE(old) (atomic_load_explicit(&hazard, memory_order_acquire) != (old))
#endif

struct object {
  int value;
};

_Atomic(struct object *) current, hazard;
struct object *kept;

static struct object *make(int value) {
  struct object *object = malloc(sizeof *object);
  object->value = value;
  return object;
}

static void *reader(void *unused) {
  struct object *seen = atomic_load_explicit(&current, memory_order_relaxed);
  atomic_store_explicit(&hazard, seen, memory_order_relaxed);
  FENCE;
  if (atomic_load_explicit(&current, memory_order_acquire) == seen)
    assert(seen->value == 1 || seen->value == 2);
  atomic_store_explicit(&hazard, NULL, memory_order_release);
  return NULL;
}

static void *writer(void *unused) {
  struct object *old = atomic_exchange_explicit(&current, make(2), memory_order_acq_rel);
  FENCE;
  if (MAY_FREE(old))
    free(old);
  else
    kept = old;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  atomic_init(&current, make(1));
  pthread_create(&a, NULL, reader, NULL);
  pthread_create(&b, NULL, writer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(kept);
  free(atomic_load(&current));
  return 0;
}
