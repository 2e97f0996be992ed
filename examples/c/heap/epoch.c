/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS, power HOLDS.
   Epoch-based reclamation: a reader announces the epoch in which it reads; the writer retires the old object in one
   epoch and frees it after the next, when no reader of the earlier epoch is left. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef FENCE
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#endif
#ifndef IS_QUIET
#define IS_QUIET(seen, epoch) ((seen) == 0 || (seen) == (epoch))
#endif

struct object {
  int value;
};

_Atomic(struct object *) current;
atomic_int epoch = 1;
atomic_int active; /* the epoch in which the reader looks; 0: it does not */
struct object *kept;

static struct object *make(int value) {
  struct object *object = malloc(sizeof *object);
  object->value = value;
  return object;
}

static void *reader(void *unused) {
  atomic_store_explicit(&active, atomic_load_explicit(&epoch, memory_order_relaxed), memory_order_relaxed);
  FENCE;
  struct object *seen = atomic_load_explicit(&current, memory_order_acquire);
  assert(seen->value == 1 || seen->value == 2);
  atomic_store_explicit(&active, 0, memory_order_release);
  return NULL;
}

static void *writer(void *unused) {
  struct object *old = atomic_exchange_explicit(&current, make(2), memory_order_acq_rel);
  FENCE;
  int now = atomic_fetch_add_explicit(&epoch, 1, memory_order_acq_rel) + 1;
  int seen = atomic_load_explicit(&active, memory_order_acquire);
  if (IS_QUIET(seen, now))
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
