/* A counter in atomic blocks.
   Expected: sc HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int count;

void *worker(void *unused) {
  for (int i = 0; i < 2; i++) {
    __VERIFIER_atomic_begin();
    count = count + 1;
    __VERIFIER_atomic_end();
  }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, worker, NULL);
  pthread_create(&t[1], NULL, worker, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(count == 4)) { reach_error(); abort(); }
  return 0;
}
