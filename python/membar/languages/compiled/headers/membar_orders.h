/* The ordering of a compare-exchange that fails: it has no release part. */
#ifndef MEMBAR_ORDERS_H
#define MEMBAR_ORDERS_H

static inline int __mb_check_failure(int order) __attribute__((
    diagnose_if(order == __ATOMIC_ACQ_REL || order == __ATOMIC_RELEASE,
                "the ordering of a compare-exchange that fails cannot have a release part; it is taken without one",
                "warning")));
#define __mb_failure(order)                                                                                  \
  ((void)sizeof(__mb_check_failure(order)), (order) == __ATOMIC_ACQ_REL  ? __ATOMIC_ACQUIRE                   \
                                            : (order) == __ATOMIC_RELEASE ? __ATOMIC_RELAXED                 \
                                                                          : (order))

#endif
