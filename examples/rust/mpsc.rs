// Expected: rc20 HOLDS, x86-tso HOLDS, armv8 HOLDS.
// Two senders and a channel: what is sent is received once.
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let second = sender.clone();
    let a = thread::spawn(move || sender.send(1).unwrap());
    let b = thread::spawn(move || second.send(2).unwrap());
    let mut sum = 0;
    for value in &receiver {
        sum += value;
    }
    assert_eq!(sum, 3);
    a.join().unwrap();
    b.join().unwrap();
}
