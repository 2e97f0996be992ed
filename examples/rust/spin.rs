// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS WITHIN.
// A spin lock used by scoped threads.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct Spin {
    held: AtomicBool,
    data: UnsafeCell<u32>,
}
unsafe impl Sync for Spin {}

impl Spin {
    fn with<R>(&self, f: impl FnOnce(&mut u32) -> R) -> R {
        while self.held.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let result = f(unsafe { &mut *self.data.get() });
        self.held.store(false, Ordering::Release);
        result
    }
}

fn main() {
    let lock = Spin { held: AtomicBool::new(false), data: UnsafeCell::new(0) };
    thread::scope(|s| {
        s.spawn(|| lock.with(|n| *n += 1));
        s.spawn(|| lock.with(|n| *n += 1));
    });
    assert_eq!(lock.with(|n| *n), 2);
}
