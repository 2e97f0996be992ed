#ifndef MEMBAR_ASSERT_H
#define MEMBAR_ASSERT_H
#ifdef __cplusplus
extern "C" void __mb_assert(bool);
#else
void __mb_assert(_Bool);
static inline int __mb_compiled_out(int is_checked)
    __attribute__((diagnose_if(!is_checked, "assertions are compiled out (NDEBUG): not checked", "warning")));
#endif
#endif
