/* A bounded stack behind a mutex: nobody pops from the empty one.
   Expected: sc HOLDS. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stack[2], top;

void *pusher(void *unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    if (top < 2)
      stack[top++] = i + 1;
    pthread_mutex_unlock(&m);
  }
  return NULL;
}

void *popper(void *unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    if (top > 0) {
      int value = stack[--top];
      if (!(value > 0)) { reach_error(); abort(); }
    }
    pthread_mutex_unlock(&m);
  }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, pusher, NULL);
  pthread_create(&t[1], NULL, popper, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
