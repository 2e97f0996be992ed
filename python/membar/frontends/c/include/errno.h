#ifndef MEMBAR_ERRNO_H
#define MEMBAR_ERRNO_H
#define EBUSY 16
#define EINVAL 22
#define EDEADLK 35
#endif
