// Expected: rc20 HOLDS WITHIN, x86-tso HOLDS WITHIN, armv8 HOLDS WITHIN.
// A pair behind a read-write lock: readers never see half of a change.
use std::cell::Cell;
use std::sync::RwLock;
use std::thread;

struct Pair(Cell<u32>, Cell<u32>);
unsafe impl Sync for Pair {}
static PAIR: RwLock<Pair> = RwLock::new(Pair(Cell::new(0), Cell::new(0)));

fn main() {
    let other = thread::spawn(|| {
        let pair = PAIR.write().unwrap();
        pair.0.set(1);
        pair.1.set(1);
    });
    let pair = PAIR.read().unwrap();
    assert_eq!(pair.0.get(), pair.1.get());
    drop(pair);
    other.join().unwrap();
}
