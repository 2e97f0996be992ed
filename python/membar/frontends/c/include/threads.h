/* The types of <threads.h>; membar knows the functions. */
#ifndef MEMBAR_THREADS_H
#define MEMBAR_THREADS_H
typedef unsigned long thrd_t;
typedef int mtx_t;
typedef int cnd_t;
typedef int once_flag;
#define ONCE_FLAG_INIT 0
typedef int (*thrd_start_t)(void *);
#define thread_local _Thread_local
enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain, mtx_timed, mtx_recursive };
#endif
