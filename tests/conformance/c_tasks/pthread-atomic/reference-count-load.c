/* The same, but the count is looked at after it was lowered: both may free.
   Expected: sc VIOLATED. */
#include <stdatomic.h>
#include <stdlib.h>
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
struct object {
  atomic_int references;
} *object;

void *worker(void *unused) {
  atomic_fetch_sub(&object->references, 1);
  if (atomic_load(&object->references) == 0)
    free(object);
  return NULL;
}

int main(void) {
  pthread_t t[2];
  object = malloc(sizeof *object);
  atomic_init(&object->references, 2);
  pthread_create(&t[0], NULL, worker, NULL);
  pthread_create(&t[1], NULL, worker, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
