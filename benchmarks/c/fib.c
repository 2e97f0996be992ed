/* fib(N): two threads add the two variables up, a third looks at both. */
#include "bench.h"

atomic_int x = 1, y = 1;
THREAD(first, me) {
  (void)me;
  for (int i = 0; i < N; i++) {
    int a = A(x);
    int b = A(y);
    L(x, a + b);
  }
}
THREAD(second, me) {
  (void)me;
  for (int i = 0; i < N; i++) {
    int a = A(x);
    int b = A(y);
    L(y, a + b);
  }
}
THREAD(third, me) {
  (void)me;
  int a = A(x);
  int b = A(y);
  assert(a <= 100000 && b <= 100000);
}
int main(void) {
  START(first, 0)
  START(second, 0)
  START(third, 0)
  return 0;
}
