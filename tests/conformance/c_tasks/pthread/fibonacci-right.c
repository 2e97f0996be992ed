/* Two threads add up each other's numbers; the bound is never passed.
   Expected: sc HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int i = 1, j = 1;

void *first(void *unused) {
  for (int k = 0; k < 3; k++) {
    __VERIFIER_atomic_begin();
    i += j;
    __VERIFIER_atomic_end();
  }
  return NULL;
}

void *second(void *unused) {
  for (int k = 0; k < 3; k++) {
    __VERIFIER_atomic_begin();
    j += i;
    __VERIFIER_atomic_end();
  }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, first, NULL);
  pthread_create(&t[1], NULL, second, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(i <= 21 && j <= 21)) { reach_error(); abort(); }
  return 0;
}
