/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Michael and Scott's queue with allocated nodes: two threads enqueue, one dequeues; the old dummy node is freed at the end. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef LINK
#define LINK memory_order_release
#endif
#ifndef RETIRE
#define RETIRE(node) (retired = (node))
#endif

struct node {
  int value;
  _Atomic(struct node *) next;
};

_Atomic(struct node *) head, tail;
struct node *retired;
int found;

static struct node *make(int value) {
  struct node *node = malloc(sizeof *node);
  node->value = value;
  atomic_init(&node->next, NULL);
  return node;
}

static void enqueue(int value) {
  struct node *mine = make(value);
  for (;;) {
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
    if (next == NULL) {
      if (atomic_compare_exchange_strong_explicit(&last->next, &next, mine, LINK, memory_order_relaxed)) {
        atomic_compare_exchange_strong_explicit(&tail, &last, mine, memory_order_release, memory_order_relaxed);
        return;
      }
    } else {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
    }
  }
}

static bool dequeue(int *value) {
  for (;;) {
    struct node *first = atomic_load_explicit(&head, memory_order_acquire);
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
    if (next == NULL)
      return false;
    if (first == last)
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
    *value = next->value;
    if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release, memory_order_relaxed)) {
      RETIRE(first);
      return true;
    }
  }
}

static void *producer(void *unused) {
  enqueue(5);
  return NULL;
}

static void *consumer(void *unused) {
  int value = 0;
  if (dequeue(&value))
    assert(value == 5);
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  struct node *dummy = make(0);
  atomic_init(&head, dummy);
  atomic_init(&tail, dummy);
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, producer, NULL);
  pthread_create(&c, NULL, consumer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  free(retired);
  return 0;
}
