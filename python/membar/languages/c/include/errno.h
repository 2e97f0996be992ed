#ifndef MEMBAR_ERRNO_H
#define MEMBAR_ERRNO_H
static _Thread_local int __membar_errno;
#define errno __membar_errno
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define EAGAIN 11
#define EWOULDBLOCK 11
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22
#define ENOSPC 28
#define EDOM 33
#define ERANGE 34
#define EDEADLK 35
#define ENOSYS 38
#define EOVERFLOW 75
#define ENOTSUP 95
#define ETIMEDOUT 110
#define ECANCELED 125
#define EOWNERDEAD 130
#endif
