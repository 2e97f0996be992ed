/* How threads wait in libc++: its own function reads the value 64 times before it looks at the clock, and then blocks
   until it is notified or wakes up spuriously. As it may always do the latter, it is enough here to wait for the value;
   in other executions the thread blocks until it is notified, so that a missing notification is found as a deadlock: its
   own, or that of another thread, if one was notified instead of the other. Who is notified without a cause is left to
   the first kind. A function with a time limit may give up at any time. */
#ifndef MEMBAR_POLL_WITH_BACKOFF_H
#define MEMBAR_POLL_WITH_BACKOFF_H
#define __libcpp_thread_poll_with_backoff __mb_poll_with_backoff
#include_next <__thread/poll_with_backoff.h>
#undef __libcpp_thread_poll_with_backoff

extern "C" long long __membar_choose(long long, long long);
extern "C" void __membar_assume(bool);

_LIBCPP_BEGIN_NAMESPACE_STD

template <class _Poll, class _Backoff>
inline auto __libcpp_thread_poll_with_backoff(_Poll &&__poll, _Backoff &&__backoff,
                                              chrono::nanoseconds __limit = chrono::nanoseconds::zero())
    -> decltype(std::__mb_poll_with_backoff(__poll, __backoff, __limit))
{
  using __result = decltype(std::__mb_poll_with_backoff(__poll, __backoff, __limit));
  constexpr auto __done = static_cast<__result>(is_same<__result, bool>::value ? 1 : 2);
  constexpr auto __late = static_cast<__result>(is_same<__result, bool>::value ? 0 : 3);
  if (__poll())
    return __done;
  if (__limit != chrono::nanoseconds::zero()) {
    if (__membar_choose(0, 1))
      return __late;
  } else if (__membar_choose(0, 1)) {
    (void)__backoff(chrono::nanoseconds::max());
    if (!__poll())
      __membar_assume(false);
    return __done;
  }
  while (!__poll()) {
  }
  return __done;
}

_LIBCPP_END_NAMESPACE_STD

#endif
