/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS, power HOLDS, riscv HOLDS.
   Publication: a structure is filled in, then a pointer to it is published with a release store. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif

struct message {
  int length;
  long body;
};

struct message letter;
_Atomic(struct message *) box;

static void *sender(void *unused) {
  (void)unused;
  letter.length = 1;
  letter.body = 42;
  atomic_store_explicit(&box, &letter, PUBLISH);
  return NULL;
}

static void *receiver(void *unused) {
  (void)unused;
  struct message *found = atomic_load_explicit(&box, memory_order_acquire);
  if (found != NULL)
    assert(found->length == 1 && found->body == 42);
  return NULL;
}

int main(void) {
  pthread_t thread[N];
  pthread_create(&thread[0], NULL, sender, NULL);
  for (int i = 1; i < N; i++)
    pthread_create(&thread[i], NULL, receiver, NULL);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
