/* A buffer allocated by main, written by one thread after the other.
   Expected: sc HOLDS. */
#include <stdlib.h>
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
char *text;

void *writer(void *unused) {
  text[0] = 'X';
  return NULL;
}

int main(void) {
  pthread_t t;
  text = malloc(2);
  text[0] = 'A';
  pthread_create(&t, NULL, writer, NULL);
  pthread_join(t, NULL);
  if (!(text[0] == 'X')) { reach_error(); abort(); }
  free(text);
  return 0;
}
