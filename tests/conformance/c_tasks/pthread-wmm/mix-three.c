/* Three threads on two variables with buffered stores.
   Expected: x86-tso VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int x, y, a, b, c;

void *p0(void *unused) {
  x = 1;
  a = y;
  return NULL;
}

void *p1(void *unused) {
  y = 1;
  b = y;
  c = x;
  return NULL;
}

void *p2(void *unused) {
  x = 2;
  return NULL;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], NULL, p0, NULL);
  pthread_create(&t[1], NULL, p1, NULL);
  pthread_create(&t[2], NULL, p2, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  pthread_join(t[2], NULL);
  if (!(!(a == 0 && b == 1 && c == 0))) { reach_error(); abort(); }
  return 0;
}
