/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS, power HOLDS.
   A stack whose top is a pointer with a version number in its low bits, which every change increments. The link between
   its two nodes is stored elsewhere, so that no thread reads a node it does not own; but malloc may return a freed node
   again at the same address. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef RAISED
#define RAISED(old) (((old) + 1) & 7)
#endif

struct node {
  long value;
};

_Atomic uintptr_t top;
_Atomic(struct node *) below; /* the node below the top */
struct node *first, *second;

static struct node *node_of(uintptr_t word) { return (struct node *)(word & ~(uintptr_t)7); }

static uintptr_t word_of(struct node *node, uintptr_t old) { return (uintptr_t)node | RAISED(old); }

static void *popper(void *unused) {
  uintptr_t old = atomic_load(&top);
  struct node *next = atomic_load(&below);
  if (node_of(old) != NULL && next != NULL &&
      atomic_compare_exchange_strong(&top, &old, word_of(next, old)))
    next->value = 7;
  return NULL;
}

static void *worker(void *unused) {
  uintptr_t old = atomic_load(&top);
  if (node_of(old) == first && atomic_compare_exchange_strong(&top, &old, word_of(NULL, old))) {
    free(second);
    free(first);
    struct node *again = malloc(sizeof *again);
    again->value = 3;
    atomic_store(&below, NULL);
    atomic_store(&top, word_of(again, atomic_load(&top)));
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  first = malloc(sizeof *first);
  second = malloc(sizeof *second);
  atomic_store(&below, second);
  atomic_store(&top, (uintptr_t)first);
  pthread_create(&a, NULL, popper, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
