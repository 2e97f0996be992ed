/* The types of <pthread.h>; membar knows the functions. */
#ifndef MEMBAR_PTHREAD_H
#define MEMBAR_PTHREAD_H
#include <stddef.h>
#include <time.h>
typedef unsigned long pthread_t;
typedef int pthread_mutex_t;
typedef int pthread_attr_t;
typedef int pthread_mutexattr_t;
typedef unsigned long pthread_cond_t;
typedef int pthread_condattr_t;
typedef int pthread_rwlock_t;
typedef unsigned long pthread_barrier_t;
typedef int pthread_barrierattr_t;
typedef int pthread_rwlockattr_t;
typedef int pthread_spinlock_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER {0}
#define PTHREAD_COND_INITIALIZER {0}
#define PTHREAD_RWLOCK_INITIALIZER {0}
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#include <sched.h>
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#endif
