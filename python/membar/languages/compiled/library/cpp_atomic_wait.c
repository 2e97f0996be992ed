/* std::atomic::wait and notify, over the futexes of futex.c: libc++ calls these for each size of an atomic object. */
#include "membar.h"

int __mb_wait_at(const void *word, unsigned long expected, int size);
void __mb_wake_at(const void *word, unsigned most);

/// _ZNSt3__120__atomic_wait_nativeILm1EEEvPKvS2_, _ZNSt3__120__atomic_wait_nativeILm2EEEvPKvS2_, _ZNSt3__120__atomic_wait_nativeILm4EEEvPKvS2_, _ZNSt3__120__atomic_wait_nativeILm8EEEvPKvS2_: `std::atomic::wait`: blocks while the value is the old one and nobody notifies, or waits for another value (headers/__thread/poll_with_backoff.h). It orders nothing besides reading the value.
void _ZNSt3__120__atomic_wait_nativeILm1EEEvPKvS2_(const void *word, const unsigned char *old) { __mb_wait_at(word, *old, 1); }
void _ZNSt3__120__atomic_wait_nativeILm2EEEvPKvS2_(const void *word, const unsigned short *old) { __mb_wait_at(word, *old, 2); }
void _ZNSt3__120__atomic_wait_nativeILm4EEEvPKvS2_(const void *word, const unsigned *old) { __mb_wait_at(word, *old, 4); }
void _ZNSt3__120__atomic_wait_nativeILm8EEEvPKvS2_(const void *word, const unsigned long *old) { __mb_wait_at(word, *old, 8); }

/// _ZNSt3__126__atomic_notify_one_nativeILm1EEEvPKv, _ZNSt3__126__atomic_notify_one_nativeILm2EEEvPKv, _ZNSt3__126__atomic_notify_one_nativeILm4EEEvPKv, _ZNSt3__126__atomic_notify_one_nativeILm8EEEvPKv, _ZNSt3__126__atomic_notify_all_nativeILm1EEEvPKv, _ZNSt3__126__atomic_notify_all_nativeILm2EEEvPKv, _ZNSt3__126__atomic_notify_all_nativeILm4EEEvPKv, _ZNSt3__126__atomic_notify_all_nativeILm8EEEvPKv: `std::atomic::notify_one` and `notify_all`: a notification that nobody waits for is lost.
void _ZNSt3__126__atomic_notify_one_nativeILm1EEEvPKv(const void *word) { __mb_wake_at(word, 1); }
void _ZNSt3__126__atomic_notify_one_nativeILm2EEEvPKv(const void *word) { __mb_wake_at(word, 1); }
void _ZNSt3__126__atomic_notify_one_nativeILm4EEEvPKv(const void *word) { __mb_wake_at(word, 1); }
void _ZNSt3__126__atomic_notify_one_nativeILm8EEEvPKv(const void *word) { __mb_wake_at(word, 1); }
void _ZNSt3__126__atomic_notify_all_nativeILm1EEEvPKv(const void *word) { __mb_wake_at(word, ~0u); }
void _ZNSt3__126__atomic_notify_all_nativeILm2EEEvPKv(const void *word) { __mb_wake_at(word, ~0u); }
void _ZNSt3__126__atomic_notify_all_nativeILm4EEEvPKv(const void *word) { __mb_wake_at(word, ~0u); }
void _ZNSt3__126__atomic_notify_all_nativeILm8EEEvPKv(const void *word) { __mb_wake_at(word, ~0u); }
