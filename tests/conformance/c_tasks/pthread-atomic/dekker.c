/* Dekker's algorithm, one entry each.
   Expected: sc HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
int flag1, flag2, turn, inside;

void *d1(void *unused) {
  flag1 = 1;
  while (flag2) {
    if (turn != 0) {
      flag1 = 0;
      while (turn != 0)
        ;
      flag1 = 1;
    }
  }
  inside = 1;
  if (!(inside == 1)) { reach_error(); abort(); }
  turn = 1;
  flag1 = 0;
  return NULL;
}

void *d2(void *unused) {
  flag2 = 1;
  while (flag1) {
    if (turn != 1) {
      flag2 = 0;
      while (turn != 1)
        ;
      flag2 = 1;
    }
  }
  inside = 2;
  if (!(inside == 2)) { reach_error(); abort(); }
  turn = 0;
  flag2 = 0;
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, d1, NULL);
  pthread_create(&t[1], NULL, d2, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
