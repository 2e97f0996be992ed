use crate::primitives::{self, Word};
use core::cell::{Cell, UnsafeCell};
use core::fmt;
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::sync::atomic::Ordering::{Acquire, Release};

const NEW: u32 = 0;
const RUNNING: u32 = 1;
const DONE: u32 = 2;

/// See `std::sync::Once`: the end of the function that is called happens before every return.
pub struct Once {
    state: Word,
}
/// See `std::sync::OnceState`.
#[derive(Debug)]
pub struct OnceState(());
pub const ONCE_INIT: Once = Once::new();

impl OnceState {
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        primitives::panicked(false)
    }
}

impl Once {
    #[inline]
    pub const fn new() -> Once {
        Once { state: Word::new(NEW) }
    }
    #[inline]
    pub fn call_once<F: FnOnce()>(&self, function: F) {
        match self.state.compare_exchange(NEW, RUNNING, Acquire, Acquire) {
            Ok(_) => {
                function();
                self.state.store(DONE, Release);
            }
            Err(DONE) => {}
            Err(_) => self.wait(),
        }
    }
    #[inline]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, function: F) {
        if primitives::panicked(false) {
            self.state.store(NEW, Release); // whoever panicked in a function has not finished
        }
        self.call_once(|| function(&OnceState(())));
    }
    #[inline]
    pub fn is_completed(&self) -> bool {
        self.state.load(Acquire) == DONE
    }
    #[inline]
    pub fn wait(&self) {
        primitives::wait(self.state.load(Acquire) == DONE);
    }
    #[inline]
    pub fn wait_force(&self) {
        self.wait();
    }
}
impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once { .. }")
    }
}

/// See `std::sync::OnceLock`.
pub struct OnceLock<T> {
    once: Once,
    value: UnsafeCell<MaybeUninit<T>>,
}
unsafe impl<T: Sync + Send> Sync for OnceLock<T> {}
unsafe impl<T: Send> Send for OnceLock<T> {}
impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceLock<T> {}
impl<T: UnwindSafe> UnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    #[inline]
    pub const fn new() -> OnceLock<T> {
        OnceLock { once: Once::new(), value: UnsafeCell::new(MaybeUninit::uninit()) }
    }
    #[inline]
    unsafe fn value(&self) -> &T {
        (*self.value.get()).assume_init_ref()
    }
    #[inline]
    pub fn get(&self) -> Option<&T> {
        if self.once.is_completed() { Some(unsafe { self.value() }) } else { None }
    }
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        if self.once.is_completed() { Some(unsafe { self.value.get_mut().assume_init_mut() }) } else { None }
    }
    #[inline]
    pub fn wait(&self) -> &T {
        self.once.wait();
        unsafe { self.value() }
    }
    #[inline]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().unwrap());
        match value {
            None => Ok(()),
            Some(value) => Err(value),
        }
    }
    #[inline]
    pub fn get_or_init<F: FnOnce() -> T>(&self, function: F) -> &T {
        self.once.call_once(|| unsafe {
            (*self.value.get()).write(function());
        });
        unsafe { self.value() }
    }
    #[inline]
    pub fn into_inner(mut self) -> Option<T> {
        self.take()
    }
    #[inline]
    pub fn take(&mut self) -> Option<T> {
        if self.once.is_completed() {
            self.once = Once::new();
            Some(unsafe { self.value.get_mut().assume_init_read() })
        } else {
            None
        }
    }
}
impl<T> Drop for OnceLock<T> {
    #[inline]
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            self.take();
        }
    }
}
impl<T> Default for OnceLock<T> {
    #[inline]
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}
impl<T> From<T> for OnceLock<T> {
    #[inline]
    fn from(value: T) -> OnceLock<T> {
        OnceLock { once: Once { state: Word::new(DONE) }, value: UnsafeCell::new(MaybeUninit::new(value)) }
    }
}
impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnceLock { .. }")
    }
}

/// See `std::sync::LazyLock`.
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    function: Cell<Option<F>>,
}
unsafe impl<T: Sync + Send, F: Send> Sync for LazyLock<T, F> {}
impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    #[inline]
    pub const fn new(function: F) -> LazyLock<T, F> {
        LazyLock { value: OnceLock::new(), function: Cell::new(Some(function)) }
    }
    #[inline]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        this.value.get_or_init(|| match this.function.take() {
            Some(function) => function(),
            None => primitives::cut(c"a value that its own initialiser uses"),
        })
    }
}
impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}
impl<T: Default> Default for LazyLock<T> {
    #[inline]
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}
impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyLock { .. }")
    }
}
