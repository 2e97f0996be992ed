/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Michael and Scott's queue with static nodes: every thread but the last enqueues
   a node, and the last one dequeues one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef LINK
#define LINK memory_order_release
#endif

struct node {
  int value;
  _Atomic(struct node *) next;
};

struct node nodes[N + 1];
_Atomic(struct node *) head = &nodes[N], tail = &nodes[N];
int taken;

static void enqueue(struct node *mine) {
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

static int dequeue(void) {
  for (;;) {
    struct node *first = atomic_load_explicit(&head, memory_order_acquire);
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
    if (next == NULL)
      return 0;
    if (first == last) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
    } else {
      int value = next->value;
      if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release,
                                                  memory_order_relaxed))
        return value;
    }
  }
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  if (me < N - 1) {
    nodes[me].value = me + 1;
    enqueue(&nodes[me]);
  } else {
    taken = dequeue();
  }
  return NULL;
}

int main(void) {
  pthread_t thread[N];
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  int sum = taken;
  for (int i = 0; i < N - 1; i++)
    sum += dequeue();
  assert(sum == N * (N - 1) / 2);
  return 0;
}
