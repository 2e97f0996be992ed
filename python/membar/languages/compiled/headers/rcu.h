/* What Dartagnan's <rcu.h> declares: RCU is the kernel's own. */
#ifndef MEMBAR_RCU_H
#define MEMBAR_RCU_H
#include <lkmm.h>
static inline void init_rcu(void) {}
#endif
