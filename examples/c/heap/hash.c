/* Expected: rc11 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS, power HOLDS.
   Buckets of a lock-free hash table: a compare-exchange inserts a node at the front, unless its key is present. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef INSERT
#define INSERT memory_order_release
#endif
#ifndef AGAIN
#define AGAIN first
#endif
#define BUCKETS 2

struct node {
  int key, value;
  struct node *next;
};

_Atomic(struct node *) bucket[BUCKETS];
atomic_int inserted;

static struct node *find(struct node *node, int key) {
  while (node != NULL && node->key != key)
    node = node->next;
  return node;
}

static bool insert(int key, int value) {
  _Atomic(struct node *) *place = &bucket[key % BUCKETS];
  struct node *mine = malloc(sizeof *mine);
  mine->key = key;
  mine->value = value;
  struct node *first = atomic_load_explicit(place, memory_order_acquire);
  struct node *seen = first;
  do {
    if (find(AGAIN, key) != NULL) {
      free(mine);
      return false;
    }
    mine->next = first;
  } while (!atomic_compare_exchange_strong_explicit(place, &first, mine, INSERT, memory_order_acquire));
  (void)seen;
  return true;
}

static void *worker(void *argument) {
  if (insert(3, (int)(long)argument))
    atomic_fetch_add(&inserted, 1);
  struct node *found = find(atomic_load_explicit(&bucket[1], memory_order_acquire), 3);
  assert(found != NULL && (found->value == 1 || found->value == 2));
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, (void *)1);
  pthread_create(&b, NULL, worker, (void *)2);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(inserted == 1);
  return 0;
}
