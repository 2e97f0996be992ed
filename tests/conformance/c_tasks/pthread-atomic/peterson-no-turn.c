/* Peterson's algorithm without the turn.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
int flag1, flag2, inside;

void *p1(void *unused) {
  while (flag2 == 1)
    ;
  flag1 = 1;
  inside = 1;
  if (!(inside == 1)) { reach_error(); abort(); }
  flag1 = 0;
  return NULL;
}

void *p2(void *unused) {
  while (flag1 == 1)
    ;
  flag2 = 1;
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
