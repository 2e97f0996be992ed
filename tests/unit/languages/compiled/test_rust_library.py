"""What membar's `std` lets happen: no more order than the documentation promises, and no less."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import membar

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
HEAD = """
use std::sync::atomic::{fence, AtomicBool, AtomicU32, Ordering::*};
use std::sync::*;
use std::thread;
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
"""
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
        "let r = std::time::Instant::now().elapsed().as_secs();",
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
        "let (a, b) = (std::time::Instant::now(), std::time::Instant::now());",
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
        "let r = *C.wait_timeout(M.lock().unwrap(), std::time::Duration::from_secs(9)).unwrap().0;",
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
        "thread::park_timeout(std::time::Duration::from_secs(9)); let r = X.load(Relaxed);",
        "assert_eq!(r, 1);",
        "violated",
    ),
    "there may be one processor": (
        "",
        "let r = thread::available_parallelism().unwrap().get();",
        "assert_eq!(r, 2);",
        "violated",
    ),
    "a scope waits for its threads": (
        "",
        "thread::scope(|s| { s.spawn(|| D.set(1)); }); let r = D.get();",
        "assert_eq!(r, 1);",
        "holds",
    ),
    "what two own is made again by who changes it": (
        "",
        "let mut own = Arc::new(1); let other_one = own.clone(); *Arc::make_mut(&mut own) = 2;",
        "assert_eq!((*own, *other_one), (2, 1));",
        "holds-within",
    ),
    "a relaxed flag orders nothing": (
        "D.set(1); X.store(1, Relaxed);",
        "let r = X.load(Relaxed) == 1 && D.get() == 0;",
        "assert!(!r);",
        "violated",
    ),
}
QUICK = {"a mutex is no fence", "a vector grows", "park may end without cause"}


def program(other: str, own: str, check: str) -> str:
    return f"""{HEAD}
static V: std::sync::Mutex<Vec<u32>> = std::sync::Mutex::new(Vec::new());
std::thread_local! {{ static T: std::cell::Cell<u32> = const {{ std::cell::Cell::new(0) }}; }}
fn main() {{
    let main = thread::current();
    let other = thread::spawn(move || {{ let _ = &main; {other} }});
    {own}
    other.join().unwrap();
    {check}
}}
"""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in CASES]
)
def test_the_library_promises_what_is_documented(name: str, tmp_path: Path) -> None:
    *parts, verdict = CASES[name]
    path = tmp_path / "case.rs"
    path.write_text(program(*parts))
    assert membar.check(path).verdict == verdict


PANICS = {
    "index out of bounds": "let a = [1, 2]; let i = X.load(Relaxed) as usize + 2; let _ = a[i];",
    "attempt to add with overflow": "let n = u32::MAX - X.load(Relaxed); let _ = n + 1;",
    "has no value": "let n: Option<u32> = if X.load(Relaxed) == 0 { None } else { Some(1) }; n.unwrap();",
    "the program panics": 'if X.load(Relaxed) == 0 { panic!("no") }',
    "attempt to divide by zero": "let _ = 1 / X.load(Relaxed);",
}


@pytest.mark.full
@pytest.mark.parametrize("message", PANICS)
def test_a_panic_is_a_failed_assertion(message: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(program("", PANICS[message], ""))
    answer = membar.check(path)
    assert answer.verdict == "violated"
    assert message in answer.render("terminal")


@pytest.mark.full
def test_a_closure_is_called_after_the_function_it_is_in(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(program("fn look() { assert!(X.load(Relaxed) == 1) } look();", "", ""))
    assert "in look ← closure in main case.rs:" in membar.check(path).render("terminal").replace("\n", " ")


@pytest.mark.full
def test_a_panic_that_is_caught_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    own = "let _ = std::panic::catch_unwind(|| if X.load(Relaxed) == 0 { panic!() });"
    path.write_text(program("", own, ""))
    answer = membar.check(path)
    assert answer.verdict == "unknown"
    assert "catch_unwind" in answer.render("terminal")


def test_a_test_that_should_panic_has_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text("#[test]\n#[should_panic]\nfn fails() { panic!() }\n")
    answer = membar.check(path, test="fails")
    assert answer.verdict == "unknown"


@pytest.mark.full
def test_a_loom_test_runs_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(
        """
        use loom::sync::{atomic::{AtomicUsize, Ordering}, Arc};
        #[test]
        fn loses() {
            loom::model(|| {
                let n = Arc::new(AtomicUsize::new(0));
                let m = n.clone();
                let t = loom::thread::spawn(move || {
                    let v = m.load(Ordering::Relaxed);
                    m.store(v + 1, Ordering::Relaxed);
                });
                let v = n.load(Ordering::Relaxed);
                n.store(v + 1, Ordering::Relaxed);
                t.join().unwrap();
                assert_eq!(n.load(Ordering::Relaxed), 2);
            });
        }
        """
    )
    assert membar.check(path, test="loses").verdict == "violated"


PACKAGE = {
    "Cargo.toml": '[package]\nname = "lock"\nversion = "0.1.0"\nedition = "2021"\n[features]\nweak = []\n',
    "src/main.rs": "fn main() {}",
    "src/lib.rs": """
        use std::sync::atomic::{AtomicBool, Ordering};
        pub struct Lock(AtomicBool);
        const TAKE: Ordering = if cfg!(feature = "weak") { Ordering::Relaxed } else { Ordering::Acquire };
        impl Lock {
            pub const fn new() -> Lock { Lock(AtomicBool::new(false)) }
            pub fn lock(&self) { while self.0.swap(true, TAKE) {} }
            pub fn unlock(&self) { self.0.store(false, Ordering::Release); }
        }
        #[cfg(test)]
        mod tests {
            static L: super::Lock = super::Lock::new();
            static mut N: u32 = 0;
            fn add() { L.lock(); unsafe { N += 1 }; L.unlock(); }
            #[test]
            fn excludes() { let t = std::thread::spawn(add); add(); t.join().unwrap(); }
            #[test]
            fn counts() { add(); assert_eq!(unsafe { N }, 2); }
        }
    """,
    "tests/outside.rs": """
        static L: lock::Lock = lock::Lock::new();
        #[test]
        fn excludes() {
            loom::model(|| { let t = loom::thread::spawn(|| L.lock()); L.lock(); t.join().unwrap(); });
        }
    """,
}


@pytest.mark.parametrize(
    ("test", "features", "verdict"),
    [
        ("tests::excludes", [], "holds"),
        pytest.param("tests::excludes", ["weak"], "violated", marks=pytest.mark.full),
        pytest.param("counts", [], "violated", marks=pytest.mark.full),
        pytest.param("outside::excludes", [], "violated", marks=pytest.mark.full),
    ],
)
def test_a_test_of_a_package_is_checked(test: str, features: list[str], verdict: str, tmp_path: Path) -> None:
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    answer = membar.check(tmp_path / "Cargo.toml", test=test, features=features, allow_build=True)
    assert answer.verdict == verdict


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("fn main() { let x: u32 = true; }", {}, "mismatched types"),
        ("#[test] fn a() {}", {}, "no function `main`"),
        ("#[test] fn a() {}", {"test": "b"}, "no test is called `b`"),
        ("#[test] fn a() {} mod m { #[test] fn a() {} }", {"test": "a"}, "several tests are called `a`"),
        ("#[test] fn a() -> Result<(), u8> { Ok(()) }", {"test": "a"}, "returns a value"),
        ("fn main() {}", {"rustc": "/nowhere/rustc"}, "not a program that can be run"),
        ('fn main() { std::fs::remove_file("x").ok(); }', {}, "is not modelled"),
        ('fn main() { drop(format!("{}", std::process::id())); }', {}, "macro `format!` is not modelled"),
    ],
)
def test_what_is_wrong_is_said(text: str, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "case.rs"
    path.write_text(text)
    with pytest.raises(membar.InputError, match=message):
        membar.check(path, **options)


def test_a_package_is_built_only_if_that_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "Cargo.toml"
    path.write_text('[package]\nname = "p"\nversion = "0.1.0"\n')
    with pytest.raises(membar.InputError, match="build scripts and procedural macros"):
        membar.check(path)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("case.rs", {"standard": "c17"}, "--std does not apply to Rust files"),
        ("case.rs", {"undefines": ["X"]}, "-U does not apply to Rust files"),
        ("case.rs", {"clang": "clang"}, "--clang does not apply to Rust files"),
        ("case.rs", {"arguments": ["a"]}, "--args does not apply to Rust files"),
        ("case.rs", {"defines": ["X=1"]}, "-D X=1: Rust has no macros of this kind"),
        ("case.rs", {"program": "a"}, "--bin does not apply to"),
        ("Cargo.toml", {"edition": "2018", "allow_build": True}, "--edition does not apply to"),
    ],
)
def test_options_without_effect_are_refused(
    name: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text("fn main() {}")
    with pytest.raises(membar.InputError, match=message):
        membar.check(path, **options)


def test_threads_that_run_a_closure_have_names_that_people_know() -> None:
    found = membar.check(Path(__file__).parents[4] / "examples/rust/spin-relaxed.rs")
    assert [thread.name for thread in found.program.threads] == ["main", "thread", "thread#2"]
