#ifndef MEMBAR_ERRNO_H
#define MEMBAR_ERRNO_H
#define EBUSY 16
#define EAGAIN 11
#define EINVAL 22
#define ETIMEDOUT 110
#define EDEADLK 35
#endif
