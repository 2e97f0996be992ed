#ifndef MEMBAR_ASSERT_H
#define MEMBAR_ASSERT_H
#ifdef __cplusplus
extern "C" void __mb_assert(bool);
#else
void __mb_assert(_Bool);
#endif
#endif
