/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   A list in the style of RCU: a reader traverses it without locks; the writer removes a node and waits until a reader
   that was inside has left before it frees the node. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif
#ifndef SYNCHRONIZE
#define SYNCHRONIZE synchronize()
#endif

struct node {
  int value;
  _Atomic(struct node *) next;
};

_Atomic(struct node *) list;
atomic_int inside;

static struct node *make(int value, struct node *next) {
  struct node *node = malloc(sizeof *node);
  node->value = value;
  atomic_init(&node->next, next);
  return node;
}

static void synchronize(void) {
  atomic_thread_fence(memory_order_seq_cst);
  while (atomic_load_explicit(&inside, memory_order_acquire))
    ;
}

static void *reader(void *unused) {
  atomic_store_explicit(&inside, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  int sum = 0;
  for (struct node *node = atomic_load_explicit(&list, memory_order_acquire); node != NULL;
       node = atomic_load_explicit(&node->next, memory_order_acquire))
    sum += node->value;
  atomic_store_explicit(&inside, 0, memory_order_release);
  assert(sum == 3 || sum == 2 || sum == 6);
  return NULL;
}

static void *writer(void *unused) {
  struct node *first = atomic_load_explicit(&list, memory_order_relaxed);
  struct node *second = atomic_load_explicit(&first->next, memory_order_relaxed);
  atomic_store_explicit(&list, second, memory_order_release);
  SYNCHRONIZE;
  free(first);
  atomic_store_explicit(&list, make(4, second), PUBLISH);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  atomic_init(&list, make(1, make(2, NULL)));
  pthread_create(&a, NULL, reader, NULL);
  pthread_create(&b, NULL, writer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
