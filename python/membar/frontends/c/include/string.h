#ifndef MEMBAR_STRING_H
#define MEMBAR_STRING_H
#include <stddef.h>
#include <stdint.h>
#endif
