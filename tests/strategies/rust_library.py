"""Small programs for the functions of Rust's `std`, and what membar must say of each."""

from __future__ import annotations

HEAD = """
use std::sync::atomic::{fence, AtomicBool, AtomicU32, Ordering::*};
use std::sync::*;
use std::thread;
use std::time::{Duration, Instant};
static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);
static M: Mutex<u32> = Mutex::new(0);
static N: Mutex<u32> = Mutex::new(0);
static R: RwLock<u32> = RwLock::new(0);
static C: Condvar = Condvar::new();
static ONCE: Once = Once::new();
static CELL: OnceLock<u32> = OnceLock::new();
static LAZY: LazyLock<u32> = LazyLock::new(|| { D.set(1); 5 });
static BOTH: Barrier = Barrier::new(2);
struct Plain(std::cell::UnsafeCell<u32>);
unsafe impl Sync for Plain {}
impl Plain {
    fn set(&self, value: u32) { unsafe { *self.0.get() = value } }
    fn get(&self) -> u32 { unsafe { *self.0.get() } }
}
static D: Plain = Plain(std::cell::UnsafeCell::new(0));
fn full() {
    let word = std::cell::UnsafeCell::new(0usize);
    #[cfg(target_arch = "x86_64")]
    unsafe { std::arch::asm!("lock not qword ptr [{0}]", in(reg) word.get()) };
    #[cfg(not(target_arch = "x86_64"))]
    { drop(word); fence(SeqCst); }
}
struct Own(u32);
impl Drop for Own {
    fn drop(&mut self) { if O.try_with(|_| ()).is_err() { X.fetch_add(1, Relaxed); } }
}
std::thread_local! { static O: Own = Own(3); }
static S: Mutex<std::collections::BTreeMap<u32, u32>> = Mutex::new(std::collections::BTreeMap::new());
struct Tie(u32);
impl PartialEq for Tie { fn eq(&self, _: &Tie) -> bool { true } }
impl Eq for Tie {}
impl PartialOrd for Tie {
    fn partial_cmp(&self, other: &Tie) -> Option<std::cmp::Ordering> { Some(self.cmp(other)) }
}
impl Ord for Tie { fn cmp(&self, _: &Tie) -> std::cmp::Ordering { std::cmp::Ordering::Equal } }
"""
_WAIT = "drop(C.wait_while(M.lock().unwrap(), |n| *n == 0).unwrap())"
_TIMED = "C.wait_timeout_while(M.lock().unwrap(), Duration::from_secs(9), |n| *n == 0).unwrap()"
# What a second thread does, what `main` does meanwhile, what it asserts after the join, and the verdict.
CASES = {
    "what is printed is not read": (
        "D.set(1);",
        'println!("{}", unsafe { &*D.0.get() });',
        "",
        "holds-within",
    ),
    "a thread that reads again may wait for a writer that waits for it": (
        "*R.write().unwrap() += 1;",
        "let (one, two) = (R.read(), R.read()); drop(one); drop(two);",
        "",
        "holds-within",
    ),
    "a mutex is no fence": (
        "X.store(1, Relaxed); drop(M.lock()); D.set(Y.load(Relaxed));",
        "Y.store(1, Relaxed); drop(N.lock()); let r = X.load(Relaxed);",
        "assert!(r == 1 || D.get() == 1);",
        "violated",
    ),
    "a mutex orders its critical sections": (
        "*M.lock().unwrap() += 1; D.set(1); drop(M.lock());",
        "drop(M.lock());",
        "assert_eq!(*M.lock().unwrap() + D.get(), 2);",
        "holds",
    ),
    "try_lock fails if the mutex is held": (
        "let held = M.lock(); drop(held);",
        "",
        "assert!(true);",
        "holds",
    ),
    "try_lock that fails orders nothing": (
        "X.store(1, Relaxed); let held = M.lock(); std::mem::forget(held);",
        "let r = M.try_lock().is_err() && X.load(Relaxed) == 0;",
        "assert!(!r);",
        "violated",
    ),
    "a read-write lock is no fence": (
        "X.store(1, Relaxed); drop(R.read()); D.set(Y.load(Relaxed));",
        "Y.store(1, Relaxed); drop(R.read()); let r = X.load(Relaxed);",
        "assert!(r == 1 || D.get() == 1);",
        "violated",
    ),
    "park may end without cause": (
        "X.store(1, Relaxed); main.unpark();",
        "thread::park(); let r = X.load(Relaxed);",
        "assert_eq!(r, 1);",
        "violated",
    ),
    "unpark happens before the end of park, if that has a cause": (
        "D.set(1); X.store(1, Relaxed); main.unpark();",
        "while X.load(Relaxed) == 0 { thread::park(); }",
        "assert_eq!(D.get(), 1);",
        "holds",
    ),
    "a once is done once": (
        "static O: Once = Once::new(); O.call_once(|| D.set(D.get() + 1));",
        "",
        "assert_eq!(D.get(), 1);",
        "holds",
    ),
    "a weak exchange may fail": (
        "",
        "let r = X.compare_exchange_weak(0, 1, Relaxed, Relaxed).is_ok();",
        "assert!(r);",
        "violated",
    ),
    "a thread-local value is one for each thread": (
        "T.set(1); assert_eq!(T.get(), 1);",
        "let r = T.get();",
        "assert_eq!(r, 0);",
        "holds",
    ),
    "the time may have passed": (
        "",
        "let r = Instant::now().elapsed().as_secs();",
        "assert_eq!(r, 0);",
        "violated",
    ),
    "a vector grows": (
        "",
        "let mut v = vec![]; for i in 0..3 { v.push(thread::spawn(move || i)); }",
        "let mut s = 0; for t in v { s += t.join().unwrap(); } assert_eq!(s, 3);",
        "holds",
    ),
    "a vector grows that threads share": (
        "V.lock().unwrap().push(1);",
        "V.lock().unwrap().push(1);",
        "assert_eq!(V.lock().unwrap().len(), 2);",
        "holds",
    ),
    "a thread that has ended has returned, which orders nothing": (
        "X.store(1, Relaxed);",
        "let r = other.is_finished() && X.load(Relaxed) == 0;",
        "assert!(!r);",
        "violated",
    ),
    "a thread-local value that is dropped cannot be used": (
        "O.with(|own| assert_eq!(own.0, 3));",
        "",
        "assert_eq!(X.load(Relaxed), 1);",
        "holds",
    ),
    "the clock of a thread does not run backwards": (
        "",
        "let (a, b) = (Instant::now(), Instant::now());",
        "assert!(a <= b);",
        "holds-within",
    ),
    "bytes and strings in vectors": (
        'let mut v = vec![String::from("a")]; v.push(v[0].clone()); assert!(v[1] == "a");',
        "let mut v = vec![0u8]; v.push(7);",
        "assert_eq!(v[1], 7);",
        "holds",
    ),
    "locking a local variable is a fence": (
        "X.store(1, Relaxed); full(); D.set(Y.load(Relaxed));",
        "Y.store(1, Relaxed); full(); let r = X.load(Relaxed);",
        "assert!(r == 1 || D.get() == 1 || thread::panicking());",
        "holds",
    ),
    "a wait for a condition ends if it holds": (
        "*M.lock().unwrap() = 1; C.notify_one();",
        "drop(C.wait_while(M.lock().unwrap(), |n| *n == 0).unwrap());",
        "assert_eq!(*M.lock().unwrap(), 1);",
        "holds",
    ),
    "a timed wait may end before the time": (
        "*M.lock().unwrap() = 1; C.notify_one();",
        "let r = *C.wait_timeout(M.lock().unwrap(), Duration::from_secs(9)).unwrap().0;",
        "assert_eq!(r, 1);",
        "violated",
    ),
    "try_read that fails orders nothing": (
        "X.store(1, Relaxed); std::mem::forget(R.write());",
        "let r = R.try_read().is_err() && X.load(Relaxed) == 0;",
        "assert!(!r);",
        "violated",
    ),
    "try_write that fails orders nothing": (
        "X.store(1, Relaxed); std::mem::forget(R.read());",
        "let r = R.try_write().is_err() && X.load(Relaxed) == 0;",
        "assert!(!r);",
        "violated",
    ),
    "a barrier orders what comes before it": (
        "D.set(1); BOTH.wait();",
        "BOTH.wait(); let r = D.get();",
        "assert_eq!(r, 1);",
        "holds",
    ),
    "who sees that a once is done sees what it did": (
        "ONCE.call_once(|| D.set(1));",
        "let r = !ONCE.is_completed() || D.get() == 1;",
        "assert!(r);",
        "holds",
    ),
    "a once that is not done orders nothing": (
        "X.store(1, Relaxed); ONCE.call_once(|| {});",
        "let r = X.load(Relaxed) == 1 && !ONCE.is_completed() && X.load(Relaxed) == 1;",
        "assert!(!r);",
        "violated",
    ),
    "who finds the value of a cell sees what came before": (
        "CELL.get_or_init(|| { D.set(1); 5 });",
        "let r = CELL.get().is_none() || D.get() == 1;",
        "assert!(r);",
        "holds",
    ),
    "a lazy value is made before every use": (
        "let _ = *LAZY;",
        "let r = *LAZY + D.get();",
        "assert_eq!(r, 6);",
        "holds",
    ),
    "a timed park may end without cause": (
        "X.store(1, Relaxed); main.unpark();",
        "thread::park_timeout(Duration::from_secs(9)); let r = X.load(Relaxed);",
        "assert_eq!(r, 1);",
        "violated",
    ),
    "there may be one processor": (
        "",
        "let r = thread::available_parallelism().unwrap().get();",
        "assert_eq!(r, 2);",
        "violated",
    ),
    "there may be many processors": (
        "",
        "let r = thread::available_parallelism().unwrap().get();",
        "assert!(r < 4);",
        "holds-within",
    ),
    "a scope waits for its threads": (
        "",
        "thread::scope(|s| { s.spawn(|| D.set(1)); }); let r = D.get();",
        "assert_eq!(r, 1);",
        "holds",
    ),
    "a scope does not wait until threads drop thread-local values": (
        "",
        "thread::scope(|s| { s.spawn(|| O.with(|_| ())); }); let r = X.load(Relaxed);",
        "assert_eq!(r, 1);",
        "violated",
    ),
    "a scope waits for the functions of threads that drop thread-local values": (
        "",
        "thread::scope(|s| { s.spawn(|| O.with(|_| D.set(1))); }); let r = D.get();",
        "assert_eq!(r, 1);",
        "holds",
    ),
    "joining a thread of a scope waits until it has dropped thread-local values": (
        "",
        "thread::scope(|s| s.spawn(|| O.with(|_| ())).join().unwrap()); let r = X.load(Relaxed);",
        "assert_eq!(r, 1);",
        "holds",
    ),
    "what two own is made again by who changes it": (
        "",
        "let mut own = Arc::new(1); let other_one = own.clone(); *Arc::make_mut(&mut own) = 2;",
        "assert_eq!((*own, *other_one), (2, 1));",
        "holds-within",
    ),
    "every waiting thread wakes by notify_all": (
        "drop(C.wait_while(M.lock().unwrap(), |n| *n == 0).unwrap());",
        f"thread::scope(|s| {{ s.spawn(|| {_WAIT}); *M.lock().unwrap() = 1; C.notify_all(); }});",
        "",
        "holds",
    ),
    "one waiting thread wakes by notify_one": (
        "drop(C.wait_while(M.lock().unwrap(), |n| *n == 0).unwrap());",
        f"thread::scope(|s| {{ s.spawn(|| {_WAIT}); *M.lock().unwrap() = 1; C.notify_one(); }});",
        "",
        "violated",
    ),
    "a wait may end without cause": (
        "*M.lock().unwrap() = 1; C.notify_one();",
        "let mut n = M.lock().unwrap(); if *n == 0 { n = C.wait(n).unwrap(); } let r = *n; drop(n);",
        "assert_eq!(r, 1);",
        "violated",
    ),
    "a timed wait says whether the condition held": (
        "*M.lock().unwrap() = 1; C.notify_one();",
        f"let (n, r) = {_TIMED}; let r = r.timed_out() == (*n == 0); drop(n);",
        "assert!(r);",
        "holds",
    ),
    "a timed wait for a condition may be too short": (
        "*M.lock().unwrap() = 1; C.notify_one();",
        f"let (n, r) = {_TIMED}; let r = r.timed_out(); drop(n);",
        "assert!(!r);",
        "violated",
    ),
    "a wait in milliseconds may be too short": (
        "*M.lock().unwrap() = 1; C.notify_one();",
        "let (n, r) = C.wait_timeout_ms(M.lock().unwrap(), 9).unwrap(); drop(n);",
        "assert!(r);",
        "violated",
    ),
    "a thread has the name that it was given": (
        "assert_eq!(thread::current().name(), None);",
        """
        let named = thread::Builder::new().name("a".into()).stack_size(4096);
        let t = named.spawn(|| assert_eq!(thread::current().name(), Some("a"))).unwrap();
        assert_eq!(t.thread().name(), Some("a"));
        t.join().unwrap();
        """,
        "",
        "holds",
    ),
    "the end of a thread of a scope happens before join returns": (
        "",
        """
        let r = thread::scope(|s| {
            let t = thread::Builder::new().spawn_scoped(s, || D.set(1)).unwrap();
            assert_eq!(t.thread().name(), None);
            t.join().unwrap();
            D.get()
        });
        """,
        "assert_eq!(r, 1);",
        "holds",
    ),
    "a thread of a scope that has ended has returned, which orders nothing": (
        "",
        """
        let r = thread::scope(|s| {
            let t = s.spawn(|| X.store(1, Relaxed));
            t.is_finished() && X.load(Relaxed) == 0
        });
        """,
        "assert!(!r);",
        "violated",
    ),
    "threads have different numbers": (
        "assert_ne!(thread::current().id(), main.id());",
        "let r = thread::current().id() != other.thread().id();",
        "assert!(r);",
        "holds",
    ),
    "a thread-local value is lent, taken and replaced": (
        "B.set(7);",
        "B.with_borrow_mut(|n| *n += 1); let r = B.with_borrow(|n| *n) + B.take() + B.replace(3);",
        "T.set(5); assert_eq!((r, B.take(), T.replace(4), T.take()), (2, 3, 5, 4));",
        "holds",
    ),
    "a thread-local value that is set first is not made": (
        "",
        """
        std::thread_local! {
            static CELL: std::cell::Cell<u32> = panic!();
            static LENT: std::cell::RefCell<u32> = panic!();
        }
        CELL.set(1); LENT.set(1);
        CELL.set(2); LENT.set(2);
        CELL.update(|n| n + 1);
        """,
        "assert_eq!((CELL.get(), LENT.take()), (3, 2));",
        "holds",
    ),
    "a thread-local value is made before it is replaced": (
        "",
        """
        std::thread_local! {
            static CELL: std::cell::Cell<u32> = { X.fetch_add(1, Relaxed); std::cell::Cell::new(5) };
            static LENT: std::cell::RefCell<u32> = { X.fetch_add(1, Relaxed); std::cell::RefCell::new(6) };
        }
        let r = (CELL.replace(1), LENT.replace(1));
        """,
        "assert_eq!((r, X.load(Relaxed)), ((5, 6), 2));",
        "holds",
    ),
    "a lock that is not shared needs no locking": (
        "",
        """
        let (mut m, mut l) = (Mutex::new(1), RwLock::new(3));
        (*m.get_mut().unwrap(), *l.get_mut().unwrap()) = (2, 4);
        (m.clear_poison(), l.clear_poison());
        assert!(!m.is_poisoned() && !l.is_poisoned());
        """,
        "assert_eq!((m.into_inner().unwrap(), l.into_inner().unwrap()), (2, 4));",
        "holds",
    ),
    "who waits for a once sees what it did": (
        "ONCE.call_once_force(|state| { assert!(!state.is_poisoned()); D.set(1); });",
        "ONCE.wait(); let r = D.get(); ONCE.wait_force();",
        "assert_eq!(r, 1);",
        "holds",
    ),
    "who waits for the value of a cell sees what came before": (
        "D.set(1); CELL.set(5).unwrap();",
        "let r = *CELL.wait() + D.get();",
        "assert_eq!(r, 6);",
        "holds",
    ),
    "a cell is set once": (
        "if CELL.set(1).is_ok() { X.fetch_add(1, Relaxed); }",
        "if CELL.set(2).is_ok() { X.fetch_add(1, Relaxed); }",
        "assert_eq!(X.load(Relaxed), 1);",
        "holds",
    ),
    "the value of a cell can be changed and taken": (
        "",
        "let mut c = OnceLock::from(1); *c.get_mut().unwrap() += 1;",
        "assert!(c.take() == Some(2) && c.get().is_none() && c.into_inner().is_none());",
        "holds",
    ),
    "a lazy value is made by who forces it first": (
        "LazyLock::force(&LAZY);",
        "let r = *LazyLock::force(&LAZY) + D.get();",
        "assert_eq!(r, 6);",
        "holds",
    ),
    "one of those who wait at a barrier leads": (
        "if BOTH.wait().is_leader() { X.fetch_add(1, Relaxed); }",
        "if BOTH.wait().is_leader() { X.fetch_add(1, Relaxed); }",
        "assert_eq!(X.load(Relaxed), 1);",
        "holds",
    ),
    "what is sent happens before it is received": (
        "",
        """
        let (s, r) = mpsc::channel();
        let t = thread::spawn(move || { D.set(1); s.send(5).unwrap(); });
        let r = r.recv().unwrap() + D.get();
        t.join().unwrap();
        """,
        "assert_eq!(r, 6);",
        "holds",
    ),
    "what two send is received in any order": (
        "",
        """
        let (s, r) = mpsc::channel();
        let also = s.clone();
        thread::spawn(move || s.send(1));
        thread::spawn(move || also.send(2));
        let r = r.iter().fold(0, |all, n| 10 * all + n);
        """,
        "assert_eq!(r, 12);",
        "violated",
    ),
    "what is sent may not have come yet": (
        "",
        "let (s, r) = mpsc::channel(); let t = thread::spawn(move || s.send(1)); let r = r.try_recv();",
        "t.join().unwrap().unwrap(); assert_eq!(r, Ok(1));",
        "violated",
    ),
    "a message may come too late": (
        "",
        """
        let (s, r) = mpsc::channel();
        let t = thread::spawn(move || s.send(1));
        let r = r.recv_timeout(Duration::from_secs(9));
        """,
        "drop(t.join()); assert_eq!(r, Ok(1));",
        "violated",
    ),
    "a channel without senders ends": (
        "",
        """
        let (s, r) = mpsc::channel();
        (s.send(1).unwrap(), s.send(2).unwrap());
        drop(s);
        assert_eq!(r.try_iter().sum::<u32>(), 3);
        """,
        "assert_eq!(r.try_recv(), Err(mpsc::TryRecvError::Disconnected));",
        "holds",
    ),
    "a full channel takes no message, nor one that nobody receives": (
        "",
        "let (s, r) = mpsc::sync_channel(1); s.send(1).unwrap(); let full = s.try_send(2).is_err(); drop(r);",
        "assert!(full && s.send(3).is_err());",
        "holds",
    ),
    "a channel without room waits for the receiver": (
        "",
        """
        let (s, r) = mpsc::sync_channel(0);
        let t = thread::spawn(move || { s.send(5).unwrap(); D.get() });
        D.set(1);
        assert_eq!(r.recv(), Ok(5));
        """,
        "assert_eq!(t.join().unwrap(), 1);",
        "holds",
    ),
    "a channel with room does not wait for the receiver": (
        "",
        """
        let (s, r) = mpsc::sync_channel(1);
        let t = thread::spawn(move || { s.send(5).unwrap(); X.load(Relaxed) });
        X.store(1, Relaxed);
        assert_eq!(r.recv(), Ok(5));
        """,
        "assert_eq!(t.join().unwrap(), 1);",
        "violated",
    ),
    "instants are a duration apart": (
        "",
        """
        let (a, second) = (Instant::now(), Duration::from_secs(1));
        let b = a.checked_add(second).unwrap();
        assert!(b.duration_since(a) == second && b.saturating_duration_since(a) == second);
        """,
        "assert!(a.checked_duration_since(b).is_none() && b.checked_sub(second) == Some(a));",
        "holds-within",
    ),
    "a code of exit other than 0 is a failure": (
        "X.store(1, Relaxed);",
        "std::process::exit(X.load(Relaxed) as i32);",
        "",
        "violated",
    ),
    "nothing comes after exit": (
        "",
        "if X.load(Relaxed) == 0 { std::process::exit(0); }",
        "assert!(false);",
        "holds",
    ),
    "abort is a failure": (
        "X.store(1, Relaxed);",
        "if X.load(Relaxed) == 1 { std::process::abort(); }",
        "",
        "violated",
    ),
    "who sleeps waits for nobody": (
        "X.store(1, Relaxed);",
        """
        thread::sleep(Duration::from_secs(9));
        (thread::sleep_ms(9), thread::yield_now());
        let r = X.load(Relaxed);
        """,
        "assert_eq!(r, 1);",
        "violated",
    ),
    "a park in milliseconds may end without cause": (
        "X.store(1, Relaxed); main.unpark();",
        "thread::park_timeout_ms(9); let r = X.load(Relaxed);",
        "assert_eq!(r, 1);",
        "violated",
    ),
    "without a panic there is nothing to catch": (
        "",
        "let r = std::panic::catch_unwind(|| 1).unwrap();",
        "assert_eq!(r, 1);",
        "holds",
    ),
    "a panic that goes on is a panic": (
        "X.store(1, Relaxed);",
        "if X.load(Relaxed) == 1 { std::panic::resume_unwind(Box::new(1)); }",
        "",
        "violated",
    ),
    "any value that is not excluded": (
        "",
        "let r = membar::nondet_in(1, 3); membar::assume(r != 2);",
        "assert!(r == 1 || r == 3);",
        "holds",
    ),
    "any value": (
        "",
        "let r = membar::nondet::<bool>();",
        "assert!(r);",
        "violated",
    ),
    "the system's clock may be set back": (
        "",
        "use std::time::SystemTime; let (a, b) = (SystemTime::now(), SystemTime::now());"
        "let r = b.duration_since(a).map_err(|e| e.duration());",
        "assert!(r.is_ok());",
        "violated",
    ),
    "the system's clock tells some time after 1970": (
        "",
        "use std::time::SystemTime; let (a, second) = (SystemTime::now(), Duration::from_secs(1));",
        "assert!(a.checked_sub(second) < a.checked_add(second)); assert!(a > SystemTime::UNIX_EPOCH);"
        "let _ = a.elapsed();",
        "holds-within",
    ),
    "a hash map gives its entries in any order": (
        "",
        "let m = std::collections::HashMap::from([(1, 5), (2, 6)]); let first = *m.keys().next().unwrap();",
        "assert_eq!(first, 1);",
        "violated",
    ),
    "a hash map gives each entry once": (
        "",
        "let m = std::collections::HashMap::from([(1, 5), (2, 6)]); let sum: u32 = m.into_values().sum();",
        "assert_eq!(sum, 11);",
        "holds",
    ),
    "a map may be dropped after what it refers to": (
        "",
        "let mut m = std::collections::HashMap::new(); let one = 7; m.insert(1, &one);",
        "assert_eq!(*m[&1], 7);",
        "holds",
    ),
    "hashes depend on keys": (
        "",
        "let s = std::hash::RandomState::new(); let r = std::hash::BuildHasher::hash_one(&s, 3u32);",
        "assert_eq!(r, std::hash::BuildHasher::hash_one(&s, 3u32));",
        "holds-within",
    ),
    "a map has room for a few entries": (
        "X.store(membar::nondet_in(0, 1) as u32, Relaxed);",
        "let mut m = std::collections::BTreeMap::new();"
        "for n in 0..4 { m.insert(n, n); } for n in 4..8 { m.insert(n, n); }",
        "if X.load(Relaxed) == 1 { m.insert(9, 9); }",
        "holds-within",
    ),
    "which of two equal elements is greatest is open": (
        "",
        "let mut h = std::collections::BinaryHeap::from([Tie(1), Tie(2)]); let r = h.pop().unwrap().0;",
        "assert_eq!(r, 2);",
        "violated",
    ),
    "a mutex protects a sorted map": (
        "S.lock().unwrap().insert(2, 7);",
        "S.lock().unwrap().insert(1, 8);",
        "assert!(S.lock().unwrap().iter().eq([(&1, &8), (&2, &7)]));",
        "holds",
    ),
    "slices are compared element by element": (
        "V.lock().unwrap().push(1);",
        "V.lock().unwrap().push(1);",
        "assert!(*V.lock().unwrap() == [1, 1]);",
        "holds",
    ),
    "iterating over a vector depends on no address": (
        "V.lock().unwrap().push(1);",
        "V.lock().unwrap().push(1);",
        "assert_eq!(V.lock().unwrap().iter().sum::<u32>(), 2);",
        "holds",
    ),
    "a few elements are sorted": (
        "V.lock().unwrap().push(2);",
        "let mut v = [X.load(Relaxed), 0, 3, 1]; v[1..].sort_unstable();",
        "assert_eq!(v, [0, 0, 1, 3]);",
        "holds",
    ),
    "a read whose value goes nowhere is a read": (
        "D.set(1);",
        "if X.load(Relaxed) == 0 { let _ = D.get(); }",
        "",
        "violated",
    ),
    "notifying orders nothing": (
        "D.set(1); X.store(1, Relaxed); C.notify_one();",
        f"drop({_TIMED}); if X.load(Relaxed) == 1 {{ let _ = D.get(); }}",
        "",
        "violated",
    ),
    "two unparks give one token": (
        "main.unpark(); main.unpark();",
        "thread::park(); thread::park();",
        "",
        "violated",
    ),
    "the number of owners orders nothing": (
        "",
        "let a = Arc::new(1); let b = a.clone(); let t = thread::spawn(move || { D.set(1); drop(b); });"
        "if Arc::strong_count(&a) == 1 { let _ = D.get(); } t.join().unwrap();",
        "",
        "violated",
    ),
    "that nobody receives orders nothing": (
        "",
        "let (s, r) = mpsc::channel::<u32>(); let t = thread::spawn(move || { D.set(1); drop(r); });"
        "if s.send(1).is_err() { let _ = D.get(); } t.join().unwrap();",
        "",
        "violated",
    ),
    "a cell without a value orders nothing": (
        "D.set(1); CELL.set(1).unwrap();",
        "if CELL.get().is_none() { let _ = D.get(); }",
        "",
        "violated",
    ),
    "a relaxed flag orders nothing": (
        "D.set(1); X.store(1, Relaxed);",
        "let r = X.load(Relaxed) == 1 && D.get() == 0;",
        "assert!(!r);",
        "violated",
    ),
}


def program(other: str, own: str, check: str) -> str:
    return f"""{HEAD}
static V: Mutex<Vec<u32>> = Mutex::new(Vec::new());
std::thread_local! {{
    static T: std::cell::Cell<u32> = const {{ std::cell::Cell::new(0) }};
    static B: std::cell::RefCell<u32> = const {{ std::cell::RefCell::new(0) }};
}}
fn main() {{
    let main = thread::current();
    let other = thread::spawn(move || {{ let _ = &main; {other} }});
    {own}
    other.join().unwrap();
    {check}
}}
"""


def all_programs() -> str:
    """One program that has the programs of all cases as modules."""
    modules, calls = "", ""
    for number, (*parts, _) in enumerate(CASES.values()):
        modules += f"mod case_{number} {{ {program(*parts).replace('fn main', 'pub fn main')} }}\n"
        calls += f"case_{number}::main();"
    return f"{modules}fn main() {{ {calls} }}\n"
