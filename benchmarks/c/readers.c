/* readers(N): one thread releases x = 42, N threads acquire x. */
#include "bench.h"

atomic_int x;
THREAD(writer, me) { (void)me; L(x, 42); }
THREAD(reader, me) { (void)me; (void)A(x); }
int main(void) {
  START(writer, 0)
  for (int i = 0; i < N; i++)
    START(reader, i)
  return 0;
}
