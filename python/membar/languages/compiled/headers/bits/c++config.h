/* Templates that libstdc++ has compiled once, such as std::string, are compiled with the program: its IR is all that
   is read. */
#ifndef MEMBAR_CXXCONFIG_H
#define MEMBAR_CXXCONFIG_H
#pragma GCC system_header
#include_next <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
