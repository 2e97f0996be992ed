/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS.
   The queue of Michael and Scott over static nodes: each thread enqueues its node and dequeues one. */
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
int taken[N];

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
  nodes[me].value = me + 1;
  enqueue(&nodes[me]);
  taken[me] = dequeue();
  return NULL;
}

int main(void) {
  pthread_t thread[N];
  int sum = 0;
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++) {
    pthread_join(thread[i], NULL);
    sum += taken[i];
  }
  assert(sum == N * (N + 1) / 2);
  return 0;
}
