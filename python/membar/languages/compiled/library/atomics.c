/* Atomic accesses that the compiler turns into calls: of objects that are not aligned, or are too large for the
   processor. They are still atomic. */
#include "membar.h"

#define DEFINE(bytes, type)                                                                                       \
    type __atomic_load_##bytes(const volatile void *at, int order) { return __atomic_load_n((type *)at, order); }  \
    void __atomic_store_##bytes(volatile void *at, type value, int order) { __atomic_store_n((type *)at, value, order); } \
    type __atomic_exchange_##bytes(volatile void *at, type value, int order) { return __atomic_exchange_n((type *)at, value, order); } \
    _Bool __atomic_compare_exchange_##bytes(volatile void *at, void *expected, type value, int success, int failure) \
    {                                                                                                              \
        return __atomic_compare_exchange_n((type *)at, (type *)expected, value, 0, success, failure);              \
    }                                                                                                              \
    type __atomic_fetch_add_##bytes(volatile void *at, type value, int order) { return __atomic_fetch_add((type *)at, value, order); } \
    type __atomic_fetch_sub_##bytes(volatile void *at, type value, int order) { return __atomic_fetch_sub((type *)at, value, order); } \
    type __atomic_fetch_and_##bytes(volatile void *at, type value, int order) { return __atomic_fetch_and((type *)at, value, order); } \
    type __atomic_fetch_or_##bytes(volatile void *at, type value, int order) { return __atomic_fetch_or((type *)at, value, order); } \
    type __atomic_fetch_xor_##bytes(volatile void *at, type value, int order) { return __atomic_fetch_xor((type *)at, value, order); }

/// __atomic_load_1, __atomic_store_1, __atomic_exchange_1, __atomic_compare_exchange_1, __atomic_fetch_add_1, __atomic_fetch_sub_1, __atomic_fetch_and_1, __atomic_fetch_or_1, __atomic_fetch_xor_1: One access of 1 byte.
DEFINE(1, unsigned char)
/// __atomic_load_2, __atomic_store_2, __atomic_exchange_2, __atomic_compare_exchange_2, __atomic_fetch_add_2, __atomic_fetch_sub_2, __atomic_fetch_and_2, __atomic_fetch_or_2, __atomic_fetch_xor_2: One access of 2 bytes.
DEFINE(2, unsigned short)
/// __atomic_load_4, __atomic_store_4, __atomic_exchange_4, __atomic_compare_exchange_4, __atomic_fetch_add_4, __atomic_fetch_sub_4, __atomic_fetch_and_4, __atomic_fetch_or_4, __atomic_fetch_xor_4: One access of 4 bytes.
DEFINE(4, unsigned int)
/// __atomic_load_8, __atomic_store_8, __atomic_exchange_8, __atomic_compare_exchange_8, __atomic_fetch_add_8, __atomic_fetch_sub_8, __atomic_fetch_and_8, __atomic_fetch_or_8, __atomic_fetch_xor_8: One access of 8 bytes.
typedef unsigned long long __attribute__((aligned(8))) wide;
DEFINE(8, wide)

/* Objects that no processor accesses at once: one lock for all. */
static unsigned large;
void __mb_load(size_t size, const void *at, void *to, int order) __asm__("__atomic_load");
void __mb_store(size_t size, void *at, const void *value, int order) __asm__("__atomic_store");
void __mb_exchange(size_t size, void *at, const void *value, void *old, int order) __asm__("__atomic_exchange");
_Bool __mb_compare_exchange(size_t size, void *at, void *expected, const void *value, int success, int failure) __asm__("__atomic_compare_exchange");

/// __atomic_load, __atomic_store, __atomic_exchange, __atomic_compare_exchange: One access of 1, 2, 4, 8 or 16 bytes; of other sizes, plain accesses under one lock, an acquire and a release.
void __mb_load(size_t size, const void *at, void *to, int order)
{
    __membar_lock(&large);
    __builtin_memcpy(to, at, size);
    __membar_unlock(&large);
}
void __mb_store(size_t size, void *at, const void *value, int order) { __mb_load(size, value, at, order); }
void __mb_exchange(size_t size, void *at, const void *value, void *old, int order)
{
    __membar_lock(&large);
    __builtin_memcpy(old, at, size);
    __builtin_memcpy(at, value, size);
    __membar_unlock(&large);
}
_Bool __mb_compare_exchange(size_t size, void *at, void *expected, const void *value, int success, int failure)
{
    _Bool is_equal = 1;
    __membar_lock(&large);
    if (size % sizeof(long) == 0) {
        for (size_t word = 0; word < size / sizeof(long); word++)
            is_equal &= ((const long *)at)[word] == ((const long *)expected)[word];
    } else {
        for (size_t byte = 0; byte < size; byte++)
            is_equal &= ((const char *)at)[byte] == ((const char *)expected)[byte];
    }
    if (is_equal)
        __builtin_memcpy(at, value, size);
    else
        __builtin_memcpy(expected, at, size);
    __membar_unlock(&large);
    return is_equal;
}

/// __atomic_is_lock_free: Yes, up to 8 bytes.
_Bool __mb_is_lock_free(size_t size, const volatile void *at) __asm__("__atomic_is_lock_free");
_Bool __mb_is_lock_free(size_t size, const volatile void *at) { return size <= 8; }
