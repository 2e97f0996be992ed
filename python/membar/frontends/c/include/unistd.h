#ifndef MEMBAR_UNISTD_H
#define MEMBAR_UNISTD_H
#include <stddef.h>
#include <stdint.h>
#endif
