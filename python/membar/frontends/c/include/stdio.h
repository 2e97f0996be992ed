#ifndef MEMBAR_STDIO_H
#define MEMBAR_STDIO_H
#include <stddef.h>
#endif
