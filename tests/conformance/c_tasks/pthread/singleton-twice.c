/* Two threads write the buffer, main expects the first one's letter.
   Expected: sc VIOLATED. */
#include <stdlib.h>
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
char *text;

void *first(void *unused) {
  text[0] = 'X';
  return NULL;
}

void *second(void *unused) {
  text[0] = 'Y';
  return NULL;
}

int main(void) {
  pthread_t t[2];
  text = malloc(2);
  pthread_create(&t[0], NULL, first, NULL);
  pthread_create(&t[1], NULL, second, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  if (!(text[0] == 'X')) { reach_error(); abort(); }
  return 0;
}
