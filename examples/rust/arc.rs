// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A reference count: who drops last frees, after an acquire fence.
use std::sync::atomic::{fence, AtomicUsize, Ordering};
use std::thread;

struct Inner {
    count: AtomicUsize,
    data: u32,
}
struct Counted(*mut Inner);
unsafe impl Send for Counted {}

impl Counted {
    fn new(data: u32) -> Counted {
        Counted(Box::into_raw(Box::new(Inner { count: AtomicUsize::new(1), data })))
    }
    fn get(&self) -> u32 {
        unsafe { (*self.0).data }
    }
}
impl Clone for Counted {
    fn clone(&self) -> Counted {
        unsafe { (*self.0).count.fetch_add(1, Ordering::Relaxed) };
        Counted(self.0)
    }
}
impl Drop for Counted {
    fn drop(&mut self) {
        if unsafe { (*self.0).count.fetch_sub(1, Ordering::Release) } == 1 {
            fence(Ordering::Acquire);
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

fn main() {
    let first = Counted::new(7);
    let second = first.clone();
    let other = thread::spawn(move || second.get());
    assert_eq!(first.get(), 7);
    drop(first);
    assert_eq!(other.join().unwrap(), 7);
}
