/* std::sort: by insertion, which gives what every sorting gives. That of libstdc++ partitions in ways that depend on the
   number of elements. */
#ifndef MEMBAR_STL_ALGO_H
#define MEMBAR_STL_ALGO_H
#pragma GCC system_header
#include <bits/stl_algobase.h>

namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION

template <class _Iterator, class _Compare>
__attribute__((enable_if(true, ""))) _GLIBCXX20_CONSTEXPR inline void __sort(_Iterator __first, _Iterator __last,
                                                                           _Compare __less) {
  for (_Iterator __next = __first; __next != __last; ++__next)
    for (_Iterator __at = __next; __at != __first; --__at) {
      _Iterator __before = __at;
      --__before;
      if (!__less(__at, __before))
        break;
      std::iter_swap(__at, __before);
    }
}

_GLIBCXX_END_NAMESPACE_VERSION
}

#include_next <bits/stl_algo.h>
#endif
