#ifndef MEMBAR_STDLIB_H
#define MEMBAR_STDLIB_H
#include <stddef.h>
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *pointer, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void free(void *pointer);
void abort(void);
void exit(int status);
#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
