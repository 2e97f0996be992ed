/* The same without the atomic block.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int lock, inside;

void *worker(void *unused) {
  __VERIFIER_assume(lock == 0);
  lock = 1;
  inside = 1;
  if (!(inside == 1)) { reach_error(); abort(); }
  inside = 0;
  lock = 0;
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, worker, NULL);
  pthread_create(&t[1], NULL, worker, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
