/* <assert.h>: a function, so that what stands inside keeps its own place in the debug information. */
#include <membar_assert.h>
#undef assert
#ifdef NDEBUG
#ifdef __cplusplus
#define assert(condition) ((void)0)
#else
#define assert(condition) ((void)sizeof(__mb_compiled_out(0)))
#endif
#else
#define assert(condition) __mb_assert(!!(condition))
#endif
#if !defined(__cplusplus) && __STDC_VERSION__ >= 201112L
#undef static_assert
#define static_assert _Static_assert
#endif
