#if __has_include_next(<linux/kernel.h>)
#include_next <linux/kernel.h>
#endif
#include <lkmm.h>
