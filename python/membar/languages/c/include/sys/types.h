#ifndef MEMBAR_SYS_TYPES_H
#define MEMBAR_SYS_TYPES_H
#include <stddef.h>
#include <stdint.h>
#endif
