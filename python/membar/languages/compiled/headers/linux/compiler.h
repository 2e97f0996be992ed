#if __has_include_next(<linux/compiler.h>)
#include_next <linux/compiler.h>
#endif
#include <lkmm.h>
