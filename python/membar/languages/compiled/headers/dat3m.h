/* What Dartagnan's <dat3m.h> declares. */
#ifndef MEMBAR_DAT3M_H
#define MEMBAR_DAT3M_H
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
void __VERIFIER_loop_bound(int);
unsigned __VERIFIER_tid(void);
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int);
/* Loops that only wait are recognised. */
#define await_while(condition) while (condition)
#endif
