/* Peterson's algorithm on plain variables.
   Expected: sc HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
int flag1, flag2, turn, inside;

void *p1(void *unused) {
  flag1 = 1;
  turn = 2;
  while (flag2 == 1 && turn == 2)
    ;
  inside = 1;
  if (!(inside == 1)) { reach_error(); abort(); }
  flag1 = 0;
  return NULL;
}

void *p2(void *unused) {
  flag2 = 1;
  turn = 1;
  while (flag1 == 1 && turn == 1)
    ;
  inside = 2;
  if (!(inside == 2)) { reach_error(); abort(); }
  flag2 = 0;
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
