#ifndef MEMBAR_STRING_H
#define MEMBAR_STRING_H
#include <stddef.h>
#include <stdint.h>
void *memcpy(void *target, const void *source, size_t size);
void *memmove(void *target, const void *source, size_t size);
void *memset(void *target, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);
#endif
