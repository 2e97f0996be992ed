/* Two looks at one variable never go back.
   Expected: armv8 HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int x, a, b;

void *p0(void *unused) {
  x = 1;
  x = 2;
  return NULL;
}

void *p1(void *unused) {
  a = x;
  b = x;
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, p0, NULL);
  pthread_create(&t[1], NULL, p1, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(!(a == 2 && b == 1))) { reach_error(); abort(); }
  return 0;
}
