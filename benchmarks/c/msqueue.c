/* msqueue(N): one enqueue and one dequeue each; a lost compare-exchange on next or head is given up. */
#include "bench.h"

struct node {
  atomic_int value;
  _Atomic(struct node *) next;
};
struct node nodes[N + 1];
_Atomic(struct node *) head = &nodes[N], tail = &nodes[N];
static int swap(_Atomic(struct node *) *place, struct node *expected, struct node *new) {
  return atomic_compare_exchange_strong_explicit(place, &expected, new, memory_order_acq_rel, memory_order_acquire);
}
static void enqueue(struct node *mine) {
  for (;;) {
    struct node *last = A(tail);
    struct node *next = A(last->next);
    if (next == NULL) {
      __VERIFIER_assume(swap(&last->next, NULL, mine));
      swap(&tail, last, mine);
      return;
    }
    swap(&tail, last, next);
  }
}
static void dequeue(void) {
  for (;;) {
    struct node *first = A(head);
    struct node *last = A(tail);
    struct node *next = A(first->next);
    if (next == NULL)
      return;
    if (first != last) {
      (void)R(next->value);
      __VERIFIER_assume(swap(&head, first, next));
      return;
    }
    swap(&tail, last, next);
  }
}
THREAD(worker, me) {
  W(nodes[me].value, me + 2);
  enqueue(&nodes[me]);
  dequeue();
}
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
