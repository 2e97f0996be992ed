/* The type of <semaphore.h>; membar knows the functions. */
#ifndef MEMBAR_SEMAPHORE_H
#define MEMBAR_SEMAPHORE_H
#include <time.h>
typedef int sem_t;
#endif
