/* mpchain(N): a message is passed on through N threads. */
#include "bench.h"

atomic_int data, flag[N + 1];
THREAD(sender, me) { (void)me; W(data, 1); L(flag[0], 1); }
THREAD(worker, me) {
  if (A(flag[me - 1])) {
    assert(R(data) == 1);
    L(flag[me], 1);
  }
}
int main(void) {
  START(sender, 0)
  for (int i = 1; i <= N; i++)
    START(worker, i)
  return 0;
}
