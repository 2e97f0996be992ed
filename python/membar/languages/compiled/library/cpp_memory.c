/* operator new and delete, and what runs before and after a C++ program. */
#include "membar.h"

char _ZSt7nothrow;

void *malloc(size_t size);
void *aligned_alloc(size_t align, size_t size);
void free(void *block);

/* An array with elements that have destructors is allocated with room for their number. */
static inline void *allocate(size_t size) { return malloc(size ? size : 1); }

/// _Znwm, _Znam, _ZnwmRKSt9nothrow_t, _ZnamRKSt9nothrow_t: `new`: never fails; the bytes are uninitialised.
void *_Znwm(size_t size) { return allocate(size); }
void *_Znam(size_t size) { return allocate(size); }
void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag) { return allocate(size); }
void *_ZnamRKSt9nothrow_t(size_t size, const void *tag) { return allocate(size); }

/// _ZnwmSt11align_val_t, _ZnamSt11align_val_t, _ZnwmSt11align_val_tRKSt9nothrow_t, _ZnamSt11align_val_tRKSt9nothrow_t: `new` with an alignment: never fails.
void *_ZnwmSt11align_val_t(size_t size, size_t align) { return aligned_alloc(align, size ? size : 1); }
void *_ZnamSt11align_val_t(size_t size, size_t align) { return aligned_alloc(align, size ? size : 1); }
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t size, size_t align, const void *tag) { return aligned_alloc(align, size ? size : 1); }
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t size, size_t align, const void *tag) { return aligned_alloc(align, size ? size : 1); }

/* The compiler passes the size of the type that is deleted: another one than was allocated is the wrong type. */
static inline void free_of_size(void *block, size_t size)
{
    if (block)
        __membar_check((size_t)__membar_block_size(block) == (size ? size : 1), "memory", "memory is deleted with another size than it was allocated with");
    free(block);
}

/// _ZdlPv, _ZdlPvm, _ZdaPv, _ZdaPvm, _ZdlPvRKSt9nothrow_t, _ZdaPvRKSt9nothrow_t: `delete`: using the memory afterwards, deleting it twice, or deleting it as a type of another size violates `memory`. A null pointer is ignored.
void _ZdlPv(void *block) { free(block); }
void _ZdlPvm(void *block, size_t size) { free_of_size(block, size); }
void _ZdaPv(void *block) { free(block); }
void _ZdaPvm(void *block, size_t size) { free_of_size(block, size); }
void _ZdlPvRKSt9nothrow_t(void *block, const void *tag) { free(block); }
void _ZdaPvRKSt9nothrow_t(void *block, const void *tag) { free(block); }

/// _ZdlPvSt11align_val_t, _ZdlPvmSt11align_val_t, _ZdaPvSt11align_val_t, _ZdaPvmSt11align_val_t: `delete` with an alignment: like `delete`.
void _ZdlPvSt11align_val_t(void *block, size_t align) { free(block); }
void _ZdlPvmSt11align_val_t(void *block, size_t size, size_t align) { free_of_size(block, size); }
void _ZdaPvSt11align_val_t(void *block, size_t align) { free(block); }
void _ZdaPvmSt11align_val_t(void *block, size_t size, size_t align) { free_of_size(block, size); }
