/* A lock taken by an exchange, given back twice.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int lock, count;

int __VERIFIER_atomic_swap(int new) {
  int old = lock;
  lock = new;
  return old;
}

void *worker(void *unused) {
  while (__VERIFIER_atomic_swap(1) == 1)
    ;
  lock = 0;
  int seen = count;
  count = seen + 1;
  lock = 0;
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, worker, NULL);
  pthread_create(&t[1], NULL, worker, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(count == 2)) { reach_error(); abort(); }
  return 0;
}
