/* Peterson's algorithm without fences breaks with store buffers.
   Expected: x86-tso VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int flag1, flag2, turn, inside;

void *p1(void *unused) {
  flag1 = 1;
  turn = 2;
  if (flag2 == 0 || turn == 1) {
    inside = 1;
    if (!(inside == 1)) { reach_error(); abort(); }
  }
  return NULL;
}

void *p2(void *unused) {
  flag2 = 1;
  turn = 1;
  if (flag1 == 0 || turn == 2) {
    inside = 2;
    if (!(inside == 2)) { reach_error(); abort(); }
  }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, p1, NULL);
  pthread_create(&t[1], NULL, p2, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
