//! Thread-local values: one place for each thread, set when it first looks, dropped when it ends.
use crate::primitives::{self, MOST_THREADS};
use core::cell::{Cell, RefCell, UnsafeCell};
use core::mem::needs_drop;
use super::AccessError;

/// The values of all threads.
pub struct Values<T>([UnsafeCell<Option<T>>; MOST_THREADS]);
unsafe impl<T> Sync for Values<T> {}

impl<T> Values<T> {
    pub const fn new() -> Values<T> {
        Values([const { UnsafeCell::new(None) }; MOST_THREADS])
    }
}

/// See `std::thread::LocalKey`.
pub struct LocalKey<T: 'static> {
    begin: fn() -> T,
    values: &'static Values<T>,
}

const MOST_DROPPED: usize = 4;
#[derive(Clone, Copy)]
struct Dropped {
    value: *mut u8,
    drop: unsafe fn(*mut u8),
}
struct Registered(UnsafeCell<[([Option<Dropped>; MOST_DROPPED], usize); MOST_THREADS]>);
unsafe impl Sync for Registered {}
static REGISTERED: Registered = Registered(UnsafeCell::new([([None; MOST_DROPPED], 0); MOST_THREADS]));

unsafe fn drop_value<T>(value: *mut u8) {
    drop((*(value as *mut Option<T>)).take());
}

#[inline]
fn register(dropped: Dropped) {
    let (list, count) = unsafe { &mut (*REGISTERED.0.get())[primitives::me()] };
    if *count == MOST_DROPPED {
        primitives::cut(c"threads that drop more than 4 thread-local values");
    }
    list[*count] = Some(dropped);
    *count += 1;
}

/// Drops the values of the thread, the last one first.
#[no_mangle]
extern "C" fn __mb_rust_end_of_thread() {
    let (list, count) = unsafe { &mut (*REGISTERED.0.get())[primitives::me()] };
    while *count > 0 {
        *count -= 1;
        if let Some(found) = list[*count].take() {
            unsafe { (found.drop)(found.value) };
        }
    }
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(begin: fn() -> T, values: &'static Values<T>) -> LocalKey<T> {
        LocalKey { begin, values }
    }

    #[inline]
    fn value(&'static self) -> &'static T {
        let value = unsafe { &mut *self.values.0[primitives::me()].get() };
        if value.is_none() {
            *value = Some((self.begin)());
            if needs_drop::<T>() {
                register(Dropped { value: value as *mut Option<T> as *mut u8, drop: drop_value::<T> });
            }
        }
        match value {
            Some(found) => found,
            None => primitives::cut(c"thread-local values that are used while they are made"),
        }
    }

    #[inline]
    pub fn with<F: FnOnce(&T) -> R, R>(&'static self, function: F) -> R {
        function(self.value())
    }
    #[inline]
    pub fn try_with<F: FnOnce(&T) -> R, R>(&'static self, function: F) -> core::result::Result<R, AccessError> {
        Ok(function(self.value()))
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    #[inline]
    pub fn set(&'static self, value: T) {
        self.value().set(value);
    }
    #[inline]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.value().get()
    }
    #[inline]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.value().take()
    }
    #[inline]
    pub fn replace(&'static self, value: T) -> T {
        self.value().replace(value)
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    #[inline]
    pub fn with_borrow<F: FnOnce(&T) -> R, R>(&'static self, function: F) -> R {
        function(&self.value().borrow())
    }
    #[inline]
    pub fn with_borrow_mut<F: FnOnce(&mut T) -> R, R>(&'static self, function: F) -> R {
        function(&mut self.value().borrow_mut())
    }
    #[inline]
    pub fn set(&'static self, value: T) {
        *self.value().borrow_mut() = value;
    }
    #[inline]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.value().take()
    }
    #[inline]
    pub fn replace(&'static self, value: T) -> T {
        self.value().replace(value)
    }
}

impl<T: 'static> core::fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("LocalKey { .. }")
    }
}
