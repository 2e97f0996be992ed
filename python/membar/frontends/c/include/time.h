#ifndef MEMBAR_TIME_H
#define MEMBAR_TIME_H
#include <stddef.h>
#include <stdint.h>
struct timespec {
  long tv_sec;
  long tv_nsec;
};
#endif
