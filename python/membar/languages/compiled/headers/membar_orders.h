/* Orderings are checked where they are written. The compiler only warns of those that are invalid, drops the
   access, and says nothing at all in headers of the system. */
#ifndef MEMBAR_ORDERS_H
#define MEMBAR_ORDERS_H

#define __mb_invalid "the memory ordering is invalid for this operation"
#define __mb_is_none(order) ((order) < __ATOMIC_RELAXED || (order) > __ATOMIC_SEQ_CST)
static inline int __mb_check_load(int order) __attribute__((
    diagnose_if(__mb_is_none(order) || order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL, __mb_invalid, "error")));
static inline int __mb_check_store(int order) __attribute__((
    diagnose_if(__mb_is_none(order) || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE ||
                    order == __ATOMIC_ACQ_REL,
                __mb_invalid, "error")));
static inline int __mb_check_order(int order) __attribute__((diagnose_if(__mb_is_none(order), __mb_invalid, "error")));
/* Where the ordering is no constant the compiler makes an access of each ordering that is valid, and takes any
   other for relaxed: it is an error of the program if one of those is chosen. */
void __membar_check(_Bool condition, const char *property, const char *message);
static inline int __mb_chosen_load(int order)
{
  __membar_check(!__mb_is_none(order) && order != __ATOMIC_RELEASE && order != __ATOMIC_ACQ_REL, "memory", __mb_invalid);
  return order;
}
static inline int __mb_chosen_store(int order)
{
  __membar_check(order == __ATOMIC_RELAXED || order == __ATOMIC_RELEASE || order == __ATOMIC_SEQ_CST, "memory",
                 __mb_invalid);
  return order;
}
#define __mb_known(order, chosen) __builtin_choose_expr(__builtin_constant_p(order), (order), chosen(order))
#define __mb_load_order(order) ((void)sizeof(__mb_check_load(order)), __mb_known(order, __mb_chosen_load))
#define __mb_store_order(order) ((void)sizeof(__mb_check_store(order)), __mb_known(order, __mb_chosen_store))
#define __mb_order(order) ((void)sizeof(__mb_check_order(order)), (order))

/* A compare-exchange that fails has no release part. */
static inline int __mb_check_failure(int order) __attribute__((
    diagnose_if(__mb_is_none(order), __mb_invalid, "error"),
    diagnose_if(order == __ATOMIC_ACQ_REL || order == __ATOMIC_RELEASE,
                "the ordering of a compare-exchange that fails cannot have a release part; it is taken without one",
                "warning")));
#define __mb_failure(order)                                                                                  \
  ((void)sizeof(__mb_check_failure(order)), (order) == __ATOMIC_ACQ_REL  ? __ATOMIC_ACQUIRE                   \
                                            : (order) == __ATOMIC_RELEASE ? __ATOMIC_RELAXED                 \
                                                                          : (order))

#endif
