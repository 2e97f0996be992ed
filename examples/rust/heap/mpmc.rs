// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Vyukov's bounded queue for many producers and consumers, with allocated messages: two threads send, one receives.
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const SIZE: usize = 2;

struct Slot {
    turn: AtomicUsize,
    message: Cell<Option<Box<u32>>>,
}
struct Queue {
    slots: [Slot; SIZE],
    tail: AtomicUsize,
    head: AtomicUsize,
}
unsafe impl Sync for Queue {}

impl Queue {
    fn new() -> Queue {
        let slot = |turn| Slot { turn: AtomicUsize::new(turn), message: Cell::new(None) };
        Queue { slots: [slot(0), slot(1)], tail: AtomicUsize::new(0), head: AtomicUsize::new(0) }
    }
    fn claim(counter: &AtomicUsize, at: usize) -> Result<usize, usize> {
        counter.compare_exchange(at, at + 1, Ordering::Relaxed, Ordering::Relaxed)
    }
    fn send(&self, message: Box<u32>) -> bool {
        let mut at = self.tail.load(Ordering::Relaxed);
        loop {
            let slot = &self.slots[at % SIZE];
            let turn = slot.turn.load(Ordering::Acquire);
            if turn < at {
                return false;
            }
            if turn > at {
                at = self.tail.load(Ordering::Relaxed);
                continue;
            }
            match Queue::claim(&self.tail, at) {
                Ok(_) => {
                    slot.message.set(Some(message));
                    slot.turn.store(at + 1, Ordering::Release);
                    return true;
                }
                Err(seen) => at = seen,
            }
        }
    }
    fn receive(&self) -> Option<Box<u32>> {
        let at = self.head.load(Ordering::Relaxed);
        let slot = &self.slots[at % SIZE];
        if slot.turn.load(Ordering::Acquire) != at + 1 || Queue::claim(&self.head, at).is_err() {
            return None;
        }
        let message = slot.message.take();
        slot.turn.store(at + SIZE, Ordering::Release);
        message
    }
}

fn count(message: Option<Box<u32>>) -> u32 {
    match message {
        Some(number) => {
            assert!(*number == 1 || *number == 2);
            1
        }
        None => 0,
    }
}

fn main() {
    let queue = Queue::new();
    let (sent, received) = thread::scope(|s| {
        let a = s.spawn(|| queue.send(Box::new(1)) as u32);
        let b = s.spawn(|| queue.send(Box::new(2)) as u32);
        let c = s.spawn(|| count(queue.receive()));
        (a.join().unwrap() + b.join().unwrap(), c.join().unwrap())
    });
    let rest = count(queue.receive()) + count(queue.receive());
    assert_eq!(received + rest, sent);
}
