//! What rustc's own runtime would do: membar calls these instead (`membar/languages/compiled/rust/runtime.py`).
use crate::primitives;
use core::alloc::Layout;
use real::string::String;
use real::vec::Vec;

extern "C" {
    fn __membar_allocate(size: i64, is_zeroed: bool) -> *mut u8;
    fn __membar_allocate_aligned(size: i64, align: i64) -> *mut u8;
    fn __membar_block_size(block: *mut u8) -> i64;
    fn __membar_release(block: *mut u8);
}

/// What every allocator aligns to.
const USUAL: usize = 16;

#[no_mangle]
unsafe extern "C" fn __mb_rust_allocate(size: usize, align: usize) -> *mut u8 {
    if align <= USUAL {
        __membar_allocate(size as i64, false)
    } else {
        __membar_allocate_aligned(size as i64, align as i64)
    }
}

#[no_mangle]
unsafe extern "C" fn __mb_rust_allocate_zeroed(size: usize, align: usize) -> *mut u8 {
    if align <= USUAL {
        return __membar_allocate(size as i64, true);
    }
    let block = __membar_allocate_aligned(size as i64, align as i64);
    core::ptr::write_bytes(block, 0, size);
    block
}

/// Always moves the memory.
#[no_mangle]
unsafe extern "C" fn __mb_rust_reallocate(block: *mut u8, old: usize, align: usize, new: usize) -> *mut u8 {
    let moved = __mb_rust_allocate(new, align);
    core::ptr::copy_nonoverlapping(block, moved, if old < new { old } else { new });
    release(block, old);
    moved
}

/// Frees memory, whose size the caller knows from the layout: another one than was allocated is undefined behaviour.
#[inline]
unsafe fn release(block: *mut u8, size: usize) {
    let message = c"memory is deallocated with another size than it was allocated with";
    primitives::check(__membar_block_size(block) as usize == size, c"memory", message);
    __membar_release(block);
}

#[no_mangle]
unsafe extern "C" fn __mb_rust_deallocate(block: *mut u8, size: usize, _: usize) {
    release(block, size);
}

#[no_mangle]
extern "C" fn __mb_rust_nothing() {}

type Main = dyn Fn() -> i32 + Sync + core::panic::RefUnwindSafe;

#[no_mangle]
fn __mb_rust_start(main: &Main, _: isize, _: *const *const u8, _: u8) -> isize {
    main() as isize
}

/// `memcmp` of elements that have the same size: which of them are bytes, or words, is known from the length.
macro_rules! compare {
    ($($name:ident: $element:ty;)*) => {$(
        #[no_mangle]
        unsafe extern "C" fn $name(left: *const $element, right: *const $element, length: usize) -> i32 {
            let mut at = 0;
            while at < length / core::mem::size_of::<$element>() {
                let (a, b) = (left.add(at).read_unaligned(), right.add(at).read_unaligned());
                if a != b {
                    return if a.to_be() < b.to_be() { -1 } else { 1 };
                }
                at += 1;
            }
            0
        }
    )*};
}
compare! {
    __mb_rust_compare: u8;
    __mb_rust_compare_by_2: u16;
    __mb_rust_compare_by_4: u32;
    __mb_rust_compare_by_8: u64;
}

/// Types with the layout of others: the compiled `alloc` has the only bodies of some generic functions of those.
pub struct LikeByte(#[allow(dead_code)] u8);
pub struct LikeString(#[allow(dead_code)] [usize; 3]);

#[no_mangle]
fn __mb_rust_growing(bytes: &mut Vec<LikeByte>, strings: &mut Vec<LikeString>) {
    bytes.push(LikeByte(0));
    strings.push(LikeString([0; 3]));
}

#[no_mangle]
fn __mb_rust_clone_string(text: &String) -> String {
    String::from(text.as_str())
}

/// What `Arc` and `Rc` allocate: two counts, then the value.
#[no_mangle]
fn __mb_rust_layout_of_counted(value: Layout) -> Layout {
    Layout::new::<[usize; 2]>().extend(value).unwrap().0.pad_to_align()
}

/// About the square root, from which sorting computes the least length of a run.
#[no_mangle]
fn __mb_rust_square_root(number: usize) -> usize {
    let half = (1 + (number | 1).ilog2()) / 2;
    ((1 << half) + (number >> half)) / 2
}

/// Prints nothing, as `eprint!`.
#[no_mangle]
fn __mb_rust_print_to_stderr(_: core::fmt::Arguments<'_>) {
    primitives::not_printed();
}

/// What `unreachable_unchecked` and the like promise: rustc replaces branches that would lead there by an assumption.
#[no_mangle]
extern "C" fn __mb_rust_promise(condition: bool) {
    primitives::check(condition, c"memory", c"what the program promises to be impossible happens");
}

/// `core::intrinsics::abort`, which `Arc` calls if a count overflows.
#[no_mangle]
extern "C" fn __mb_rust_trap() -> ! {
    primitives::check(false, c"exits", c"the program aborts");
    primitives::exit(134)
}
