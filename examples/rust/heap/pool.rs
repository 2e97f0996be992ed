// Expected: rc20 HOLDS, sc HOLDS, x86-tso HOLDS, armv8 HOLDS.
// A pool of two workers, each with a queue of jobs protected by a lock: an idle worker steals from the other. A job is a
// function and its argument; the worker that ran it frees it.
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;
use std::thread;

struct Job {
    run: fn(u32),
    argument: u32,
    next: Option<Box<Job>>,
}

static QUEUES: [Mutex<Option<Box<Job>>>; 2] = [Mutex::new(None), Mutex::new(None)];
static SUM: AtomicU32 = AtomicU32::new(0);
static PRODUCT: AtomicU32 = AtomicU32::new(1);

fn add(number: u32) {
    SUM.fetch_add(number, Ordering::SeqCst);
}

fn multiply(number: u32) {
    PRODUCT.store(PRODUCT.load(Ordering::SeqCst) * number, Ordering::SeqCst);
}

fn put(queue: &Mutex<Option<Box<Job>>>, run: fn(u32), argument: u32) {
    let mut first = queue.lock().unwrap();
    *first = Some(Box::new(Job { run, argument, next: first.take() }));
}

fn get(queue: &Mutex<Option<Box<Job>>>) -> Option<Box<Job>> {
    let mut first = queue.lock().unwrap();
    let mut job = first.take()?;
    *first = job.next.take();
    Some(job)
}

fn work(me: usize) {
    if let Some(job) = get(&QUEUES[me]).or_else(|| get(&QUEUES[1 - me])) {
        (job.run)(job.argument);
    }
}

fn main() {
    put(&QUEUES[0], add, 4);
    put(&QUEUES[0], multiply, 3);
    let a = thread::spawn(|| work(0));
    let b = thread::spawn(|| work(1));
    a.join().unwrap();
    b.join().unwrap();
    assert!(SUM.load(Ordering::SeqCst) == 4 && PRODUCT.load(Ordering::SeqCst) == 3);
}
