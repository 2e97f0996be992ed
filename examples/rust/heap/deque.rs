// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Chase and Lev's deque: its owner pushes two tasks and takes them back, a thief tries to steal both; whoever takes a task drops it.
// The store of `take` is a release: a relaxed one, which is enough in C11, ends the release sequence of `push` in C++20.
use std::ptr;
use std::sync::atomic::{fence, AtomicIsize, AtomicPtr, Ordering};
use std::thread;

const SIZE: isize = 2;

struct Deque {
    top: AtomicIsize,
    bottom: AtomicIsize,
    buffer: [AtomicPtr<u32>; SIZE as usize],
}

static DEQUE: Deque = Deque {
    top: AtomicIsize::new(0),
    bottom: AtomicIsize::new(0),
    buffer: [AtomicPtr::new(ptr::null_mut()), AtomicPtr::new(ptr::null_mut())],
};

impl Deque {
    fn slot(&self, index: isize) -> &AtomicPtr<u32> {
        &self.buffer[(index % SIZE) as usize]
    }
    fn claim(&self, t: isize) -> bool {
        self.top.compare_exchange(t, t + 1, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }
    fn push(&self, task: Box<u32>) {
        let b = self.bottom.load(Ordering::Relaxed);
        self.slot(b).store(Box::into_raw(task), Ordering::Relaxed);
        self.bottom.store(b + 1, Ordering::Release);
    }
    fn take(&self) -> Option<Box<u32>> {
        let b = self.bottom.load(Ordering::Relaxed) - 1;
        self.bottom.store(b, Ordering::Release);
        fence(Ordering::SeqCst);
        let t = self.top.load(Ordering::Relaxed);
        if t < b {
            return Some(unsafe { Box::from_raw(self.slot(b).load(Ordering::Relaxed)) });
        }
        let is_mine = t == b && self.claim(t);
        self.bottom.store(b + 1, Ordering::Relaxed);
        is_mine.then(|| unsafe { Box::from_raw(self.slot(b).load(Ordering::Relaxed)) })
    }
    fn steal(&self) -> Option<Box<u32>> {
        let t = self.top.load(Ordering::Acquire);
        fence(Ordering::SeqCst);
        if t >= self.bottom.load(Ordering::Acquire) {
            return None;
        }
        let task = self.slot(t).load(Ordering::Relaxed);
        self.claim(t).then(|| unsafe { Box::from_raw(task) })
    }
}

fn run(task: Option<Box<u32>>) {
    if let Some(number) = task {
        assert!(*number == 1 || *number == 2);
    }
}

fn main() {
    let thief = thread::spawn(|| {
        run(DEQUE.steal());
        run(DEQUE.steal());
    });
    DEQUE.push(Box::new(1));
    DEQUE.push(Box::new(2));
    run(DEQUE.take());
    run(DEQUE.take());
    thief.join().unwrap();
}
