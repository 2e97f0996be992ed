/* std::sort: by insertion, which gives what every sorting gives. That of libc++ partitions in ways that depend on the
   number of elements, and is compiled into the library for numbers. */
#ifndef MEMBAR_SORT_H
#define MEMBAR_SORT_H
#pragma GCC system_header
#include <__algorithm/iterator_operations.h>

_LIBCPP_BEGIN_NAMESPACE_STD

template <class _AlgPolicy, class _Iterator, class _Compare>
__attribute__((enable_if(true, ""))) constexpr void __sort_impl(_Iterator __first, _Iterator __last, _Compare &__less) {
  for (_Iterator __next = __first; __next != __last; ++__next)
    for (_Iterator __at = __next; __at != __first; --__at) {
      _Iterator __before = __at;
      --__before;
      if (!__less(*__at, *__before))
        break;
      _IterOps<_AlgPolicy>::iter_swap(__at, __before);
    }
}

_LIBCPP_END_NAMESPACE_STD

#include_next <__algorithm/sort.h>
#endif
