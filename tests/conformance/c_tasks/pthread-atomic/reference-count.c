/* Whoever drops the last reference frees the object.
   Expected: sc HOLDS. */
#include <stdatomic.h>
#include <stdlib.h>
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
struct object {
  atomic_int references;
  int value;
} *object;

void *worker(void *unused) {
  if (!(object->value == 7)) { reach_error(); abort(); }
  if (atomic_fetch_sub(&object->references, 1) == 1)
    free(object);
  return NULL;
}

int main(void) {
  pthread_t t[2];
  object = malloc(sizeof *object);
  atomic_init(&object->references, 2);
  object->value = 7;
  pthread_create(&t[0], NULL, worker, NULL);
  pthread_create(&t[1], NULL, worker, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
