#ifndef MEMBAR_INTTYPES_H
#define MEMBAR_INTTYPES_H
#include <stddef.h>
#include <stdint.h>
#endif
