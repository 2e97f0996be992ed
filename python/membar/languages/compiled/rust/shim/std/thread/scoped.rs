//! Threads whose functions return before a call does.
use super::{local, parking, Native, Result, Thread};
use crate::primitives;
use core::cell::Cell;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};

/// See `std::thread::Scope`: it knows the threads that its own thread started, and counts those that others did, or
/// that go on after their functions returned: they drop thread-local values.
pub struct Scope<'scope, 'env: 'scope> {
    owner: usize,
    count: Cell<usize>,
    threads: Threads,
    others: *const Others,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}
/// Threads of a scope that are counted: whether there are any, and how many run.
struct Others {
    exist: AtomicU32,
    running: AtomicU32,
}
unsafe impl Sync for Scope<'_, '_> {}

/// The numbers of threads; not an array, so that each is known where it is joined.
macro_rules! threads {
    ($($name:ident = $number:literal),*) => {
        #[derive(Default)]
        struct Threads { $($name: Cell<i64>),* }
        impl Threads {
            #[inline]
            fn set(&self, at: usize, thread: i64) {
                match at {
                    $($number => self.$name.set(thread),)*
                    _ => primitives::cut(c"more than 8 threads in a scope"),
                }
            }
            #[inline]
            fn join(&self, count: usize) {
                $(if count > $number {
                    primitives::join(self.$name.get());
                })*
            }
        }
    };
}
threads!(t0 = 0, t1 = 1, t2 = 2, t3 = 3, t4 = 4, t5 = 5, t6 = 6, t7 = 7);

/// See `std::thread::ScopedJoinHandle`.
pub struct ScopedJoinHandle<'scope, T> {
    native: Native<T>,
    thread: Thread,
    scope: PhantomData<&'scope ()>,
}

/// Calls the function, and waits for the functions of the threads that it started there: that they return happens
/// before this returns. Thread-local values may be dropped later.
#[inline]
pub fn scope<'env, F, T>(function: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let others = Others { exist: AtomicU32::new(0), running: AtomicU32::new(0) };
    let scope = Scope {
        owner: primitives::me(),
        count: Cell::new(0),
        threads: Threads::default(),
        others: &others,
        scope: PhantomData,
        env: PhantomData,
    };
    let result = function(unsafe { &*(&scope as *const Scope<'_, 'env>) });
    scope.threads.join(scope.count.get());
    // Whoever stored it is this thread, has been joined, or is counted by somebody who has.
    if unsafe { *others.exist.as_ptr() } != 0 {
        primitives::wait(others.running.load(Ordering::Acquire) == 0);
    }
    result
}

impl<'scope, 'env> Scope<'scope, 'env> {
    #[inline]
    pub fn spawn<F, T>(&'scope self, function: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.handle(self.start(function), None)
    }

    #[inline]
    pub(super) fn spawn_named<F, T>(
        &'scope self,
        name: Option<&'static str>,
        function: F,
    ) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let native = self.start(move || {
            parking::set_name(name);
            function()
        });
        self.handle(native, name)
    }

    #[inline]
    fn handle<T>(&'scope self, native: Native<T>, name: Option<&'static str>) -> ScopedJoinHandle<'scope, T> {
        let thread = Thread::numbered(native.number as usize, name);
        ScopedJoinHandle { native, thread, scope: PhantomData }
    }

    #[inline]
    fn start<F: FnOnce() -> T, T>(&self, function: F) -> Native<T> {
        if primitives::me() != self.owner || local::is_any_dropped() {
            let others = unsafe { &*self.others };
            others.exist.store(1, Ordering::Relaxed);
            others.running.fetch_add(1, Ordering::Relaxed);
            return unsafe { Native::start(function, &others.running) };
        }
        let native = unsafe { Native::start(function, core::ptr::null()) };
        let count = self.count.get();
        self.threads.set(count, native.number);
        self.count.set(count + 1);
        native
    }
}

impl<'scope, T> ScopedJoinHandle<'scope, T> {
    #[inline]
    pub fn join(self) -> Result<T> {
        self.native.join()
    }
    #[inline]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.native.is_finished()
    }
}

impl core::fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Scope { .. }")
    }
}
impl<T> core::fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ScopedJoinHandle { .. }")
    }
}
