#if __has_include_next(<linux/module.h>)
#include_next <linux/module.h>
#endif
#include <lkmm.h>
