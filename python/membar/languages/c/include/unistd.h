#ifndef MEMBAR_UNISTD_H
#define MEMBAR_UNISTD_H
#include <stddef.h>
#include <stdint.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#endif
