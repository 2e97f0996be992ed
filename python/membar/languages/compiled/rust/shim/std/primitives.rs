//! membar's primitives (`membar/code/primitives.py`), by names of Rust.
use core::cell::Cell;
use core::ffi::c_char;
use core::sync::atomic::AtomicU32;

extern "C" {
    fn __membar_spawn(function: unsafe extern "C" fn(*mut u8) -> *mut u8, argument: *mut u8) -> i64;
    fn __membar_argument(size: i64) -> *mut u8;
    fn __membar_join(thread: i64) -> *mut u8;
    fn __membar_self() -> i64;
    fn __membar_thread_count() -> i64;
    fn __membar_lock(cell: *const AtomicU32);
    fn __membar_unlock(cell: *const AtomicU32);
    fn __membar_add_within(cell: *const AtomicU32, low: u32, high: u32, step: u32) -> u32;
    fn __membar_wait(condition: bool);
    fn __membar_wakes() -> bool;
    fn __membar_assume(condition: bool);
    fn __membar_choose(low: i64, high: i64) -> i64;
    fn __membar_input(low: i64, high: i64) -> i64;
    fn __membar_check(condition: bool, property: *const c_char, message: *const c_char);
    fn __membar_cut(reason: *const c_char);
    fn __membar_throw();
    fn __membar_panicked(is_ignored: bool) -> bool;
    fn __membar_exit(status: i32);
}

/// A word that a lock consists of.
pub type Word = AtomicU32;
/// The most threads that the words of condition variables and channels have room for.
pub const MOST_THREADS: usize = 32;

/// What each thread has a copy of, if it is the type of a variable whose name begins with `MEMBAR_THREAD_LOCAL`.
pub struct Own<T>(pub Cell<T>);
unsafe impl<T> Sync for Own<T> {}
impl<T> Own<T> {
    pub const fn new(value: T) -> Own<T> {
        Own(Cell::new(value))
    }
}

#[inline]
pub fn spawn(function: unsafe extern "C" fn(*mut u8) -> *mut u8, argument: *mut u8) -> i64 {
    unsafe { __membar_spawn(function, argument) }
}
/// Moves a value to memory that is never used for anything else, such as what a thread is started with.
#[inline]
pub fn room<T>(value: T) -> *mut u8 {
    if core::mem::size_of::<T>() == 0 {
        core::mem::forget(value);
        return core::ptr::null_mut();
    }
    unsafe {
        let place = __membar_argument(core::mem::size_of::<T>() as i64);
        core::ptr::write(place as *mut T, value);
        place
    }
}
/// What a thread was started with.
///
/// # Safety
/// It is read once.
#[inline]
pub unsafe fn argument_at<T>(place: *mut u8) -> T {
    if core::mem::size_of::<T>() == 0 {
        return core::ptr::read(core::ptr::NonNull::<T>::dangling().as_ptr());
    }
    core::ptr::read(place as *const T)
}
#[inline]
pub fn join(thread: i64) -> *mut u8 {
    unsafe { __membar_join(thread) }
}
/// The number of the thread; `main` is 0.
#[inline]
pub fn me() -> usize {
    let found = unsafe { __membar_self() } as usize;
    if found >= MOST_THREADS {
        cut(c"more than 32 threads");
    }
    found
}
/// How many threads the program has.
#[inline]
pub fn thread_count() -> i64 {
    unsafe { __membar_thread_count() }
}
#[inline]
pub fn lock(word: &Word) {
    unsafe { __membar_lock(word) }
}
#[inline]
pub fn try_lock(word: &Word) -> bool {
    add_within(word, 0, 0, 1) == 0
}
#[inline]
pub fn unlock(word: &Word) {
    unsafe { __membar_unlock(word) }
}
/// The word and, if it was between two numbers, it becomes larger by a third: then an acquire.
#[inline]
pub fn add_within(word: &Word, low: u32, high: u32, step: u32) -> u32 {
    unsafe { __membar_add_within(word, low, high, step) }
}
/// Blocks together with the access before it.
#[inline]
pub fn wait(condition: bool) {
    unsafe { __membar_wait(condition) }
}
/// Whether a wait ends spuriously.
#[inline]
pub fn wakes() -> bool {
    unsafe { __membar_wakes() }
}
#[inline]
pub fn assume(condition: bool) {
    unsafe { __membar_assume(condition) }
}
#[inline]
pub fn choose(low: i64, high: i64) -> i64 {
    unsafe { __membar_choose(low, high) }
}
/// A number from outside: if it matters, one from the first to the second; executions with others are not followed.
#[inline]
pub fn input(low: i64, high: i64) -> i64 {
    unsafe { __membar_input(low, high) }
}
/// The answer holds only for executions that do not come here.
#[inline]
pub fn cut(reason: &core::ffi::CStr) -> ! {
    unsafe {
        __membar_cut(reason.as_ptr());
        core::hint::unreachable_unchecked()
    }
}
/// Unwinds the stack, which nobody follows: the verdict is open if an execution comes here.
#[inline]
pub fn unwind() -> ! {
    unsafe {
        __membar_throw();
        core::hint::unreachable_unchecked()
    }
}
/// Whether another thread has panicked, which is never followed. membar looks at what the program would do then; if
/// `is_ignored`, nothing else than before counts as nothing.
#[inline]
pub fn panicked(is_ignored: bool) -> bool {
    unsafe { __membar_panicked(is_ignored) }
}
#[inline]
pub fn check(condition: bool, property: &core::ffi::CStr, message: &core::ffi::CStr) {
    unsafe { __membar_check(condition, property.as_ptr(), message.as_ptr()) }
}
#[inline]
pub fn exit(status: i32) -> ! {
    unsafe {
        __membar_exit(status);
        core::hint::unreachable_unchecked()
    }
}
/// Marks where text is printed: what it is made of is not read. A call of it is what membar looks for.
#[inline(never)]
pub fn not_printed() {}
/// Marks where a thread may wait for itself: whether it does is up to the system's policy for writers that wait.
#[inline(never)]
pub fn may_read_again() {}
/// Marks where something is hashed with random keys, which are always the same here.
#[inline(never)]
pub fn random_keys() {}
