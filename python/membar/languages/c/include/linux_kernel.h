/* The types of the Linux kernel that programs under its memory model use; membar knows the functions. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic64_t;
typedef struct { long counter; } atomic_long_t;
typedef int spinlock_t;
typedef int raw_spinlock_t;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long s64;
#define ATOMIC_INIT(value) { (value) }
#define ATOMIC64_INIT(value) { (value) }
#define DEFINE_SPINLOCK(name) spinlock_t name = 0
#define __rcu
#define likely(x) (x)
#define unlikely(x) (x)
#define cpu_relax() ((void)0)
#define BUG_ON(x) assert(!(x))
#define WARN_ON(x) assert(!(x))
