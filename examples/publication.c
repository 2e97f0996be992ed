/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS, power HOLDS, riscv HOLDS.
   Publication: a structure is filled in, then a pointer to it is released. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

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
  pthread_t one, other;
  pthread_create(&one, NULL, sender, NULL);
  pthread_create(&other, NULL, receiver, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  return 0;
}
