/* Arguments after `...` may be handed on to functions that print; nobody else sees them. */
#ifndef MEMBAR_STDARG_H
#define MEMBAR_STDARG_H
typedef int va_list;
#define va_start(list, last) ((void)((list) = 0))
#define va_end(list) ((void)0)
#define va_copy(to, from) ((void)((to) = (from)))
#define va_arg(list, type) (*(type *)__membar_va_arg(list))
#endif
