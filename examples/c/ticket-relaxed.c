/* Expected: rc11 VIOLATED, sc HOLDS, x86-tso HOLDS, armv8 VIOLATED.
   Ticket lock that waits with relaxed loads. */
#define WAIT memory_order_relaxed
#include "ticket.c"
