/* lastzero(N): one thread looks for the last zero, the others fill the array. */
#include "bench.h"

atomic_int a[N + 1];
THREAD(scanner, me) {
  (void)me;
  for (int i = N; A(a[i]) != 0; i--)
    ;
}
THREAD(worker, me) { L(a[me], A(a[me - 1]) + 1); }
int main(void) {
  START(scanner, 0)
  for (int i = 1; i <= N; i++)
    START(worker, i)
  return 0;
}
