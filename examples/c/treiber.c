/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Treiber's stack with static nodes: every thread but the last pushes a node, and the last one pops one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef PUSH
#define PUSH memory_order_release
#endif

struct node {
  int value;
  _Atomic(struct node *) next;
};

struct node nodes[N];
_Atomic(struct node *) top;
int popped;

static void push(struct node *mine) {
  struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
  do
    atomic_store_explicit(&mine->next, old, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&top, &old, mine, PUSH, memory_order_relaxed));
}

static struct node *pop(void) {
  struct node *old = atomic_load_explicit(&top, memory_order_acquire);
  while (old != NULL) {
    struct node *next = atomic_load_explicit(&old->next, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&top, &old, next, memory_order_acquire, memory_order_acquire))
      break;
  }
  return old;
}

static void *worker(void *argument) {
  int me = (int)(long)argument;
  if (me < N - 1) {
    nodes[me].value = me + 1;
    push(&nodes[me]);
  } else {
    struct node *found = pop();
    popped = found == NULL ? 0 : found->value;
  }
  return NULL;
}

int main(void) {
  pthread_t thread[N];
  for (long i = 0; i < N; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < N; i++)
    pthread_join(thread[i], NULL);
  int sum = popped;
  for (int i = 0; i < N - 1; i++) {
    struct node *found = pop();
    sum += found == NULL ? 0 : found->value;
  }
  assert(sum == N * (N - 1) / 2);
  return 0;
}
