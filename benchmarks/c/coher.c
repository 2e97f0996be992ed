/* coher(K): one thread writes x K times, one reads it K times. */
#include "bench.h"

atomic_int x;
THREAD(writer, me) {
  (void)me;
  for (int i = 1; i <= N; i++)
    W(x, i);
}
THREAD(reader, me) {
  (void)me;
  for (int i = 0; i < N; i++)
    (void)R(x);
}
int main(void) {
  START(writer, 0)
  START(reader, 0)
  return 0;
}
