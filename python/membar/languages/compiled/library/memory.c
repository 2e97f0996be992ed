/* Memory of <stdlib.h>. */
#include "membar.h"

/* No object is larger. */
#define LARGEST ((size_t)__PTRDIFF_MAX__)

/// malloc, calloc: Never fails, unless the size exceeds that of the largest possible object; the answer says so in a note. The bytes are uninitialised; the zeros of `calloc` are plain writes of its thread.
void *malloc(size_t size) { return size > LARGEST ? NULL : __membar_allocate((long long)size, 0); }
void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > LARGEST)
        return NULL;
    return __membar_allocate((long long)bytes, 1);
}

/// realloc, reallocarray: Never fails, unless the size exceeds that of the largest possible object, and always moves the memory, which the answer notes; with size 0 it frees and returns a null pointer, as in glibc.
void *realloc(void *block, size_t size)
{
    if (size > LARGEST)
        return NULL;
    if (!block)
        return __membar_allocate((long long)size, 0);
    if (size == 0) {
        __membar_release(block);
        return NULL;
    }
    void *moved = __membar_allocate((long long)size, 0);
    size_t old = (size_t)__membar_block_size(block);
    __builtin_memcpy(moved, block, old < size ? old : size);
    __membar_release(block);
    return moved;
}
void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return realloc(block, bytes);
}

/// aligned_alloc, memalign, valloc, posix_memalign: Never fails, unless the alignment is not a power of two.
void *aligned_alloc(size_t align, size_t size)
{
    if (align == 0 || (align & (align - 1)) || size > LARGEST)
        return NULL;
    return __membar_allocate_aligned((long long)size, (long long)align);
}
void *memalign(size_t align, size_t size) { return aligned_alloc(align, size); }
void *valloc(size_t size) { return __membar_allocate_aligned((long long)size, 4096); }
int posix_memalign(void **block, size_t align, size_t size)
{
    if (align < sizeof(void *) || (align & (align - 1)))
        return EINVAL;
    if (size > LARGEST)
        return ENOMEM;
    *block = __membar_allocate_aligned((long long)size, (long long)align);
    return 0;
}

/// free, cfree, free_sized, free_aligned_sized: Using the memory afterwards, or freeing it twice, violates `memory`. A null pointer is ignored.
void free(void *block)
{
    if (block)
        __membar_release(block);
}
void cfree(void *block) { free(block); }
void free_sized(void *block, size_t size) { free(block); }
void free_aligned_sized(void *block, size_t align, size_t size) { free(block); }

/// malloc_usable_size: The size that was requested.
size_t malloc_usable_size(void *block) { return block ? (size_t)__membar_block_size(block) : 0; }
