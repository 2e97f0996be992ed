//! Thread-local values: set when a thread first looks, dropped when it ends.
use crate::primitives::{self, Own};
use core::cell::{Cell, RefCell, UnsafeCell};
use core::mem::{needs_drop, MaybeUninit};

/// The value of a thread; each thread has a variable of its own.
pub struct Value<T> {
    state: Cell<u8>,
    value: UnsafeCell<MaybeUninit<T>>,
}
unsafe impl<T> Sync for Value<T> {}
const NEW: u8 = 0;
const ALIVE: u8 = 1;
const DROPPED: u8 = 2;

impl<T> Value<T> {
    pub const fn new() -> Value<T> {
        Value { state: Cell::new(NEW), value: UnsafeCell::new(MaybeUninit::uninit()) }
    }
}

/// See `std::thread::LocalKey`.
pub struct LocalKey<T: 'static> {
    begin: fn() -> T,
    own: fn() -> &'static Value<T>,
}

/// See `std::thread::AccessError`.
#[derive(Clone, Copy, Eq, PartialEq, Debug)]
pub struct AccessError(());
impl core::fmt::Display for AccessError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("already destroyed")
    }
}
impl core::error::Error for AccessError {}

const MOST_DROPPED: usize = 4;
#[derive(Clone, Copy)]
struct Dropped {
    value: *mut u8,
    drop: unsafe fn(*mut u8),
}
static MEMBAR_THREAD_LOCAL_REGISTERED: Own<[Option<Dropped>; MOST_DROPPED]> = Own::new([None; MOST_DROPPED]);
static MEMBAR_THREAD_LOCAL_COUNT: Own<usize> = Own::new(0);

unsafe fn drop_value<T>(value: *mut u8) {
    let value = &*(value as *const Value<T>);
    value.state.set(DROPPED);
    (*value.value.get()).assume_init_drop();
}

#[inline]
fn register(dropped: Dropped) {
    let count = &MEMBAR_THREAD_LOCAL_COUNT.0;
    if count.get() == MOST_DROPPED {
        primitives::cut(c"threads that drop more than 4 thread-local values");
    }
    unsafe { (*MEMBAR_THREAD_LOCAL_REGISTERED.0.as_ptr())[count.get()] = Some(dropped) };
    count.set(count.get() + 1);
}

extern "C" {
    /// Sets it, if threads of the program may have values that must be dropped.
    fn __mb_rust_drops_values(found: &mut bool);
}
mod dropping {
    #[no_mangle]
    extern "C" fn __mb_rust_drops_values(found: &mut bool) {
        *found = true;
    }
}

/// Whether threads may drop values when they end.
#[inline]
pub(super) fn is_any_dropped() -> bool {
    let mut found = false;
    unsafe { __mb_rust_drops_values(&mut found) };
    found
}

/// Drops the values of the thread, the last one first.
#[no_mangle]
extern "C" fn __mb_rust_end_of_thread() {
    let count = &MEMBAR_THREAD_LOCAL_COUNT.0;
    while count.get() > 0 {
        count.set(count.get() - 1);
        let list = MEMBAR_THREAD_LOCAL_REGISTERED.0.as_ptr();
        if let Some(found) = unsafe { (*list)[count.get()] } {
            unsafe { (found.drop)(found.value) };
        }
    }
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(begin: fn() -> T, own: fn() -> &'static Value<T>) -> LocalKey<T> {
        LocalKey { begin, own }
    }

    /// The value, unless it has been dropped already; if there is none yet, what is given takes its place.
    #[inline]
    fn living(&'static self, given: Option<&mut Option<T>>) -> Option<&'static T> {
        let own = (self.own)();
        if own.state.get() == NEW {
            let value = given.and_then(Option::take).unwrap_or_else(self.begin);
            if own.state.get() == ALIVE {
                unsafe { (*own.value.get()).assume_init_drop() }; // it was set while it was made
            } else if needs_drop::<T>() {
                register(Dropped { value: own as *const Value<T> as *mut u8, drop: drop_value::<T> });
            }
            unsafe { (*own.value.get()).write(value) };
            own.state.set(ALIVE);
        }
        if needs_drop::<T>() && own.state.get() == DROPPED {
            return None;
        }
        Some(unsafe { (*own.value.get()).assume_init_ref() })
    }

    #[inline]
    fn value(&'static self, given: Option<&mut Option<T>>) -> &'static T {
        match self.living(given) {
            Some(value) => value,
            None => {
                primitives::check(false, c"assertions", c"a thread-local value is used after it was dropped");
                primitives::exit(101)
            }
        }
    }

    #[inline]
    pub fn with<F: FnOnce(&T) -> R, R>(&'static self, function: F) -> R {
        function(self.value(None))
    }
    #[inline]
    pub fn try_with<F: FnOnce(&T) -> R, R>(&'static self, function: F) -> core::result::Result<R, AccessError> {
        self.living(None).map(function).ok_or(AccessError(()))
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    #[inline]
    pub fn set(&'static self, value: T) {
        let mut given = Some(Cell::new(value));
        let cell = self.value(Some(&mut given));
        if let Some(value) = given {
            cell.set(value.into_inner());
        }
    }
    #[inline]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.value(None).get()
    }
    #[inline]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.value(None).take()
    }
    #[inline]
    pub fn replace(&'static self, value: T) -> T {
        self.value(None).replace(value)
    }
    #[inline]
    pub fn update(&'static self, function: impl FnOnce(T) -> T)
    where
        T: Copy,
    {
        let cell = self.value(None);
        cell.set(function(cell.get()));
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    #[inline]
    pub fn with_borrow<F: FnOnce(&T) -> R, R>(&'static self, function: F) -> R {
        function(&self.value(None).borrow())
    }
    #[inline]
    pub fn with_borrow_mut<F: FnOnce(&mut T) -> R, R>(&'static self, function: F) -> R {
        function(&mut self.value(None).borrow_mut())
    }
    #[inline]
    pub fn set(&'static self, value: T) {
        let mut given = Some(RefCell::new(value));
        let cell = self.value(Some(&mut given));
        if let Some(value) = given {
            *cell.borrow_mut() = value.into_inner();
        }
    }
    #[inline]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.value(None).take()
    }
    #[inline]
    pub fn replace(&'static self, value: T) -> T {
        self.value(None).replace(value)
    }
}

impl<T: 'static> core::fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("LocalKey { .. }")
    }
}
