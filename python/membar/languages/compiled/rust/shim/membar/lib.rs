//! What tests can say to membar, and to nobody else.

/// Discards executions in which the condition does not hold.
#[inline]
pub fn assume(condition: bool) {
    std::primitives::assume(condition);
}

/// Any number from the first to the second.
#[inline]
pub fn nondet_in(low: i64, high: i64) -> i64 {
    std::primitives::choose(low, high)
}

/// Types that `nondet` has values of.
pub trait Nondet: Sized {
    fn any() -> Self;
}

/// Any value of a type: both of `bool`; of numbers 0 to 2, and executions with others are not followed.
#[inline]
pub fn nondet<T: Nondet>() -> T {
    T::any()
}

impl Nondet for bool {
    #[inline]
    fn any() -> bool {
        nondet_in(0, 1) != 0
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Nondet for $type {
            #[inline]
            fn any() -> $type {
                let found = nondet_in(-1, 2);
                if found < 0 {
                    std::primitives::cut(c"inputs other than 0 to 2");
                }
                found as $type
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);
