/* membar knows the function `assert`. */
#ifdef NDEBUG
#define assert(condition) ((void)0)
#endif
#define static_assert _Static_assert
