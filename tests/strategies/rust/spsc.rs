//! weaken: head.load(Ordering::Acquire) => head.load(Ordering::Relaxed)
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const SIZE: usize = 2;
struct Ring {
    slots: [UnsafeCell<u32>; SIZE],
    head: AtomicUsize,
    tail: AtomicUsize,
}
unsafe impl Sync for Ring {}

impl Ring {
    fn push(&self, value: u32) -> bool {
        let head = self.head.load(Ordering::Relaxed);
        if head - self.tail.load(Ordering::Acquire) == SIZE {
            return false;
        }
        unsafe { *self.slots[head % SIZE].get() = value };
        self.head.store(head + 1, Ordering::Release);
        true
    }
    fn pop(&self) -> Option<u32> {
        let tail = self.tail.load(Ordering::Relaxed);
        if self.head.load(Ordering::Acquire) == tail {
            return None;
        }
        let value = unsafe { *self.slots[tail % SIZE].get() };
        self.tail.store(tail + 1, Ordering::Release);
        Some(value)
    }
}

fn main() {
    let ring = Ring {
        slots: [UnsafeCell::new(0), UnsafeCell::new(0)],
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
    };
    thread::scope(|s| {
        s.spawn(|| {
            ring.push(1);
            ring.push(2);
            ring.push(3);
        });
        let mut last = 0;
        for _ in 0..3 {
            if let Some(value) = ring.pop() {
                assert!(value > last);
                last = value;
            }
        }
    });
}
