/* The types of <threads.h>; membar knows the functions. */
#ifndef MEMBAR_THREADS_H
#define MEMBAR_THREADS_H
#include <time.h>
typedef unsigned long thrd_t;
typedef int mtx_t;
typedef unsigned long cnd_t;
typedef int once_flag;
typedef unsigned int tss_t;
typedef void (*tss_dtor_t)(void *);
#define ONCE_FLAG_INIT 0
typedef int (*thrd_start_t)(void *);
#define thread_local _Thread_local
enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain, mtx_timed, mtx_recursive };
#endif
