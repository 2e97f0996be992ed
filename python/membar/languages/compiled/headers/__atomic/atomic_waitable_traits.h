/* Which atomic objects of libc++ threads wait at directly: here all of 1, 2, 4 and 8 bytes. libc++ shares a table among
   objects of other sizes than 4. */
#ifndef MEMBAR_ATOMIC_WAITABLE_TRAITS_H
#define MEMBAR_ATOMIC_WAITABLE_TRAITS_H
#define __has_native_atomic_wait __mb_has_native_atomic_wait
#include_next <__atomic/atomic_waitable_traits.h>
#undef __has_native_atomic_wait

_LIBCPP_BEGIN_NAMESPACE_STD

#if _LIBCPP_STD_VER >= 20
template <class _Tp>
concept __has_native_atomic_wait = sizeof(_Tp) == 1 || sizeof(_Tp) == 2 || sizeof(_Tp) == 4 || sizeof(_Tp) == 8;
#endif

_LIBCPP_END_NAMESPACE_STD

#endif
