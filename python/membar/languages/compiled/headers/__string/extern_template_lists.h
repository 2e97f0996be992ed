/* std::string, which libc++ has compiled once, is compiled with the program: its IR is all that is read. */
#ifndef MEMBAR_EXTERN_TEMPLATE_LISTS_H
#define MEMBAR_EXTERN_TEMPLATE_LISTS_H
#pragma GCC system_header
#include_next <__string/extern_template_lists.h>
#undef _LIBCPP_STRING_V1_EXTERN_TEMPLATE_LIST
#undef _LIBCPP_STRING_UNSTABLE_EXTERN_TEMPLATE_LIST
#define _LIBCPP_STRING_V1_EXTERN_TEMPLATE_LIST(declare, type)
#define _LIBCPP_STRING_UNSTABLE_EXTERN_TEMPLATE_LIST(declare, type)
#endif
