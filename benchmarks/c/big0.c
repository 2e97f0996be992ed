/* big0(N): two writers of two variables each, two readers of all. */
#include "bench.h"

atomic_int x, y, z, w;
THREAD(long_reader, me) { (void)me; (void)A(x); (void)A(y); (void)A(z); (void)A(w); (void)A(x); (void)A(y); (void)A(z); }
THREAD(short_reader, me) { (void)me; (void)A(x); (void)A(y); (void)A(z); }
THREAD(first, me) {
  (void)me;
  for (int i = 1; i <= N; i++) {
    L(x, i);
    L(y, i);
  }
}
THREAD(second, me) {
  (void)me;
  for (int i = 1; i <= N; i++) {
    L(z, i);
    L(w, i);
  }
}
int main(void) {
  START(long_reader, 0)
  START(short_reader, 0)
  START(first, 0)
  START(second, 0)
  return 0;
}
