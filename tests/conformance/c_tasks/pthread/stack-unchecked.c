/* The same, but the popper looks before it takes the lock.
   Expected: sc VIOLATED. */
extern void abort(void);
extern void reach_error(void);
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stack[2], top;

void *pusher(void *unused) {
  pthread_mutex_lock(&m);
  stack[top++] = 1;
  pthread_mutex_unlock(&m);
  return NULL;
}

void *popper(void *unused) {
  if (top == 0)
    return NULL;
  pthread_mutex_lock(&m);
  top--;
  int value = stack[top];
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], NULL, pusher, NULL);
  pthread_create(&t[1], NULL, popper, NULL);
  pthread_create(&t[2], NULL, popper, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  pthread_join(t[2], NULL);
  return 0;
}
