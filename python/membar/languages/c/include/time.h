#ifndef MEMBAR_TIME_H
#define MEMBAR_TIME_H
#include <stddef.h>
#include <stdint.h>
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCKS_PER_SEC 1000000
#define TIME_UTC 1
#define TIMER_ABSTIME 1
#endif
