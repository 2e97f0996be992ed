#if __has_include_next(<linux/sched.h>)
#include_next <linux/sched.h>
#endif
#include <lkmm.h>
