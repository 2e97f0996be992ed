// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A ticket lock: threads are served in the order in which they came.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

struct Ticket {
    next: AtomicU32,
    serving: AtomicU32,
    data: UnsafeCell<u32>,
}
unsafe impl Sync for Ticket {}

impl Ticket {
    fn with(&self, f: impl FnOnce(&mut u32)) {
        let mine = self.next.fetch_add(1, Ordering::Relaxed);
        while self.serving.load(Ordering::Acquire) != mine {
            std::hint::spin_loop();
        }
        f(unsafe { &mut *self.data.get() });
        self.serving.store(mine + 1, Ordering::Release);
    }
}

fn main() {
    static LOCK: Ticket =
        Ticket { next: AtomicU32::new(0), serving: AtomicU32::new(0), data: UnsafeCell::new(0) };
    let other = thread::spawn(|| LOCK.with(|n| *n += 1));
    LOCK.with(|n| *n += 1);
    other.join().unwrap();
    LOCK.with(|n| assert_eq!(*n, 2));
}
