/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
   Treiber's stack with allocated nodes: each thread pushes one and pops one. Nodes are freed after all threads have ended. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef FREE
#define FREE(node) retire(node)
#endif
#ifndef PUSH
#define PUSH memory_order_release
#endif

struct node {
  int value;
  _Atomic(struct node *) next;
};

_Atomic(struct node *) top;
struct node *retired[2];

static void push(int value) {
  struct node *mine = malloc(sizeof *mine);
  mine->value = value;
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

static _Thread_local int me;

static void retire(struct node *node) { retired[me] = node; }

static void *worker(void *argument) {
  me = (int)(long)argument;
  push(me + 1);
  struct node *mine = pop();
  assert(mine != NULL && (mine->value == 1 || mine->value == 2));
  FREE(mine);
  return NULL;
}

int main(void) {
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < 2; i++)
    free(retired[i]);
  return 0;
}
