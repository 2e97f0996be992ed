/* treiber(N): each thread pushes its node and pops once; a lost compare-exchange is given up. */
#include "bench.h"

struct node {
  _Atomic(struct node *) next;
};
struct node nodes[N];
_Atomic(struct node *) top;
THREAD(worker, me) {
  struct node *old = A(top);
  W(nodes[me].next, old);
  __VERIFIER_assume(atomic_compare_exchange_strong_explicit(&top, &old, &nodes[me], memory_order_acq_rel,
                                                            memory_order_acquire));
  old = A(top);
  if (old == NULL)
    return;
  struct node *next = R(old->next);
  __VERIFIER_assume(atomic_compare_exchange_strong_explicit(&top, &old, next, memory_order_acq_rel,
                                                            memory_order_acquire));
}
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
