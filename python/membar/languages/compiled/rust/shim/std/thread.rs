//! Threads. What follows a panic of one is not followed, but membar looks whether the program would go on.
mod local;
mod parking;
mod scoped;

pub use local::{AccessError, LocalKey, Value};
pub use parking::{current, park, park_timeout, park_timeout_ms, Thread};
pub use real::thread::Result;
pub use scoped::{scope, Scope, ScopedJoinHandle};

use crate::primitives;
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::{self, ManuallyDrop, MaybeUninit};
use core::num::NonZeroU64;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use real::boxed::Box;
use real::io;
use real::string::String;

/// The number of a thread; `main` has the first.
#[derive(Eq, PartialEq, Clone, Copy, Hash, Debug)]
pub struct ThreadId(NonZeroU64);

/// The result of a thread, and who looks at it last: the thread itself, or its handle. It lies in memory of its own,
/// as what a thread is started with: nobody can tell, and its address is known.
struct Packet<T> {
    state: AtomicU32,
    result: UnsafeCell<MaybeUninit<T>>,
}
const DONE: u32 = 1;
const DETACHED: u32 = 2;

struct Start<F, T> {
    function: F,
    packet: *mut Packet<T>,
    running: *const AtomicU32,
}

extern "C" {
    /// Drops thread-local values, if the program has any that must be dropped.
    fn __mb_rust_end_of_thread();
    /// Sets `ENDED`, if the program reads it.
    fn __mb_rust_finished();
}

/// Which threads have returned from their functions.
static ENDED: [AtomicU32; primitives::MOST_THREADS] = [const { AtomicU32::new(0) }; primitives::MOST_THREADS];
mod ending {
    #[no_mangle]
    extern "C" fn __mb_rust_finished() {
        super::ENDED[super::primitives::me()].store(1, super::Ordering::Release);
    }
}

/// What a thread begins with whose result is nothing.
unsafe extern "C" fn enter<F: FnOnce() -> T, T>(argument: *mut u8) -> *mut u8 {
    mem::forget(primitives::argument_at::<F>(argument)());
    __mb_rust_finished();
    __mb_rust_end_of_thread();
    core::ptr::null_mut()
}

/// What other threads begin with, and those of a scope.
unsafe extern "C" fn enter_and_tell<F: FnOnce() -> T, T>(argument: *mut u8) -> *mut u8 {
    let Start { function, packet, running } = primitives::argument_at::<Start<F, T>>(argument);
    let result = function();
    if packet.is_null() {
        mem::forget(result);
    } else {
        *(*packet).result.get() = MaybeUninit::new(result);
        if (*packet).state.swap(DONE, Ordering::AcqRel) == DETACHED {
            (*(*packet).result.get()).assume_init_drop();
        }
    }
    __mb_rust_finished();
    if !running.is_null() {
        (*running).fetch_sub(1, Ordering::Release);
    }
    __mb_rust_end_of_thread();
    core::ptr::null_mut()
}

/// A thread that was started: joined or dropped once.
struct Native<T> {
    number: i64,
    packet: *mut Packet<T>,
}
unsafe impl<T> Send for Native<T> {}
unsafe impl<T> Sync for Native<T> {}

impl<T> Native<T> {
    #[inline]
    unsafe fn start<F: FnOnce() -> T>(function: F, running: *const AtomicU32) -> Native<T> {
        let has_result = mem::size_of::<T>() != 0 || mem::needs_drop::<T>();
        let packet = if has_result {
            let result = UnsafeCell::new(MaybeUninit::uninit());
            primitives::room(Packet::<T> { state: AtomicU32::new(0), result }) as *mut Packet<T>
        } else {
            core::ptr::null_mut()
        };
        let number = if has_result || !running.is_null() {
            primitives::spawn(enter_and_tell::<F, T>, primitives::room(Start { function, packet, running }))
        } else {
            primitives::spawn(enter::<F, T>, primitives::room(function))
        };
        Native { number, packet }
    }

    #[inline]
    fn join(self) -> Result<T> {
        let this = ManuallyDrop::new(self);
        primitives::join(this.number);
        if primitives::panicked(true) {
            return Err(unsafe { Box::from_raw(core::ptr::NonNull::<()>::dangling().as_ptr()) });
        }
        unsafe {
            Ok(if this.packet.is_null() {
                MaybeUninit::uninit().assume_init()
            } else {
                (*(*this.packet).result.get()).assume_init_read()
            })
        }
    }

    #[inline]
    fn is_finished(&self) -> bool {
        ENDED[self.number as usize].load(Ordering::Relaxed) != 0
    }
}

impl<T> Drop for Native<T> {
    #[inline]
    fn drop(&mut self) {
        unsafe {
            if !self.packet.is_null() && (*self.packet).state.swap(DETACHED, Ordering::AcqRel) == DONE {
                (*(*self.packet).result.get()).assume_init_drop();
            }
        }
    }
}

/// See `std::thread::JoinHandle`.
pub struct JoinHandle<T> {
    native: Native<T>,
    thread: Thread,
    result: PhantomData<T>,
}

impl<T> JoinHandle<T> {
    #[inline]
    pub fn join(self) -> Result<T> {
        self.native.join()
    }
    #[inline]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }
    /// Whether the function of the thread has returned; this orders nothing.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.native.is_finished()
    }
}

impl<T> core::fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("JoinHandle { .. }")
    }
}

#[inline]
pub fn spawn<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let native = unsafe { Native::start(function, core::ptr::null()) };
    JoinHandle { thread: Thread::numbered(native.number as usize, None), native, result: PhantomData }
}

/// See `std::thread::Builder`. The size of stacks does not matter, and threads can always be started.
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
}

impl Builder {
    #[inline]
    pub fn new() -> Builder {
        Builder { name: None }
    }
    #[inline]
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }
    #[inline]
    pub fn stack_size(self, _: usize) -> Builder {
        self
    }
    #[inline]
    pub fn spawn<F, T>(self, function: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let name = self.name.map(|name| &*name.leak());
        let native = unsafe {
            let named = move || {
                parking::set_name(name);
                function()
            };
            Native::start(named, core::ptr::null())
        };
        let thread = Thread::numbered(native.number as usize, name);
        Ok(JoinHandle { thread, native, result: PhantomData })
    }
    #[inline]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        function: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let name = self.name.map(|name| &*name.leak());
        Ok(scope.spawn_named(name, function))
    }
}

/// What a thread does while it panics is not followed.
#[inline]
pub fn panicking() -> bool {
    false
}

/// Other threads may run now, as at any time.
#[inline]
pub fn yield_now() {}

/// No time passes.
#[inline]
pub fn sleep(_: Duration) {}
#[inline]
pub fn sleep_ms(_: u32) {}

/// Executions in which more processors matter are not followed.
pub fn available_parallelism() -> io::Result<NonZeroUsize> {
    Ok(NonZeroUsize::new(primitives::input(1, 2) as usize).unwrap())
}

#[cfg(unix)]
impl<T> real::os::unix::thread::JoinHandleExt for JoinHandle<T> {
    fn as_pthread_t(&self) -> real::os::unix::thread::RawPthread {
        self.native.number as real::os::unix::thread::RawPthread
    }
    fn into_pthread_t(self) -> real::os::unix::thread::RawPthread {
        self.native.number as real::os::unix::thread::RawPthread
    }
}
