#ifndef MEMBAR_SCHED_H
#define MEMBAR_SCHED_H
#include <stddef.h>
#include <stdint.h>
#endif
