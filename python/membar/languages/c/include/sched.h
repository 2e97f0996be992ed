/* On which processors threads run changes nothing. */
#ifndef MEMBAR_SCHED_H
#define MEMBAR_SCHED_H
#include <stddef.h>
#include <stdint.h>
typedef unsigned long cpu_set_t;
struct sched_param {
    int sched_priority;
};
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define CPU_SETSIZE 64
#define CPU_ZERO(set) ((void)(*(set) = 0))
#define CPU_SET(cpu, set) ((void)(*(set) |= 1ul << (cpu)))
#define CPU_CLR(cpu, set) ((void)(*(set) &= ~(1ul << (cpu))))
#define CPU_ISSET(cpu, set) ((int)(*(set) >> (cpu) & 1))
#endif
