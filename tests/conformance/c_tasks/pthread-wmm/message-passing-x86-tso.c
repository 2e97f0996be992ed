/* A flag set after the data may be seen before it where stores are reordered.
   Expected: x86-tso HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int x, y, r0, r1;

void *p0(void *unused) {
  x = 1;
  y = 1;
  return NULL;
}

void *p1(void *unused) {
  r0 = y;
  r1 = x;
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, p0, NULL);
  pthread_create(&t[1], NULL, p1, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(r0 == 0 || r1 == 1)) { reach_error(); abort(); }
  return 0;
}
