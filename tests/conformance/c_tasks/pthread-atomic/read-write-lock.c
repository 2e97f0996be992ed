/* A lock of readers and a writer in atomic blocks.
   Expected: sc HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int readers, writing, x, y;

void __VERIFIER_atomic_take_write(void) {
  __VERIFIER_assume(writing == 0 && readers == 0);
  writing = 1;
}

void __VERIFIER_atomic_take_read(void) {
  __VERIFIER_assume(writing == 0);
  readers = readers + 1;
}

void *writer(void *unused) {
  __VERIFIER_atomic_take_write();
  x = 3;
  writing = 0;
  return NULL;
}

void *reader(void *unused) {
  __VERIFIER_atomic_take_read();
  int l = x;
  y = l;
  if (!(y == x)) { reach_error(); abort(); }
  __VERIFIER_atomic_begin();
  readers = readers - 1;
  __VERIFIER_atomic_end();
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, writer, NULL);
  pthread_create(&t[1], NULL, reader, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
