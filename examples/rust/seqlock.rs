// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A seqlock: a reader checks that no writer was active meanwhile. Here it gives up after one failure.
use std::sync::atomic::{fence, AtomicU32, Ordering};
use std::thread;

static SEQUENCE: AtomicU32 = AtomicU32::new(0);
static A: AtomicU32 = AtomicU32::new(0);
static B: AtomicU32 = AtomicU32::new(0);

fn write(value: u32) {
    let now = SEQUENCE.load(Ordering::Relaxed);
    SEQUENCE.store(now + 1, Ordering::Relaxed);
    fence(Ordering::Release);
    A.store(value, Ordering::Relaxed);
    B.store(value, Ordering::Relaxed);
    SEQUENCE.store(now + 2, Ordering::Release);
}

fn read() -> Option<(u32, u32)> {
    let before = SEQUENCE.load(Ordering::Acquire);
    if before % 2 != 0 {
        return None;
    }
    let found = (A.load(Ordering::Relaxed), B.load(Ordering::Relaxed));
    fence(Ordering::Acquire);
    if SEQUENCE.load(Ordering::Relaxed) == before { Some(found) } else { None }
}

fn main() {
    let writer = thread::spawn(|| write(1));
    if let Some((a, b)) = read() {
        assert_eq!(a, b);
    }
    writer.join().unwrap();
}
