/* mcs(N): N threads take an MCS lock once. */
#include "bench.h"

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};
struct node nodes[N];
_Atomic(struct node *) tail;
int cs;
THREAD(worker, me) {
  struct node *mine = &nodes[me];
  W(mine->next, NULL);
  W(mine->waits, 1);
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  if (before != NULL) {
    L(before->next, mine);
    while (A(mine->waits))
      ;
  }
  cs = me;
  assert(cs == me);
  struct node *after = A(mine->next);
  if (after == NULL) {
    struct node *expected = mine;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_acq_rel,
                                                memory_order_acquire))
      return;
    while ((after = A(mine->next)) == NULL)
      ;
  }
  L(after->waits, 0);
}
int main(void) {
  for (int i = 0; i < N; i++)
    START(worker, i)
  return 0;
}
