#if __has_include_next(<linux/types.h>)
#include_next <linux/types.h>
#endif
