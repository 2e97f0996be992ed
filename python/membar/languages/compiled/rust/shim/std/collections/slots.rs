//! A vector with room for a few elements, whose memory never moves: growing is what costs most to explore.
use crate::primitives;
use core::alloc::Layout;
use core::mem::{self, ManuallyDrop};
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use real::alloc::{alloc, dealloc};
use real::prelude::v1::*;

/// Executions in which a map or set has more entries are not followed.
pub const ROOM: usize = 8;

pub struct Slots<T> {
    first: Option<NonNull<T>>,
    length: usize,
}
unsafe impl<T: Send> Send for Slots<T> {}
unsafe impl<T: Sync> Sync for Slots<T> {}

impl<T> Slots<T> {
    const LAYOUT: Layout = match Layout::array::<T>(ROOM) {
        Ok(layout) if layout.size() > 0 => layout,
        _ => Layout::new::<u8>(),
    };
    #[inline]
    pub const fn new() -> Self {
        Slots { first: None, length: 0 }
    }
    #[inline]
    pub const fn count(&self) -> usize {
        self.length
    }
    #[inline]
    pub fn push(&mut self, element: T) {
        let first = match self.first {
            Some(first) => first,
            None => {
                let made = unsafe { NonNull::new_unchecked(alloc(Self::LAYOUT) as *mut T) };
                self.first = Some(made);
                made
            }
        };
        if self.length >= ROOM {
            primitives::cut(c"more than 8 entries of a map or set");
        }
        unsafe { first.as_ptr().add(self.length).write(element) };
        self.length += 1;
    }
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let first = self.first?;
        if self.length == 0 {
            return None;
        }
        self.length -= 1;
        Some(unsafe { first.as_ptr().add(self.length).read() })
    }
    /// Inserts an element before the others from a place on.
    #[inline]
    pub fn insert(&mut self, place: usize, element: T) {
        self.push(element);
        let mut at = self.length - 1;
        while at > place {
            self.swap(at - 1, at);
            at -= 1;
        }
    }
    /// Takes an element out; the others keep their order.
    #[inline]
    pub fn remove(&mut self, place: usize) -> T {
        let mut at = place;
        while at + 1 < self.length {
            self.swap(at, at + 1);
            at += 1;
        }
        self.pop().unwrap()
    }
    /// Takes an element out; the last one takes its place.
    #[inline]
    pub fn swap_remove(&mut self, place: usize) -> T {
        let last = self.length - 1;
        if place != last {
            self.swap(place, last);
        }
        self.pop().unwrap()
    }
    #[inline]
    pub fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}

impl<T> Deref for Slots<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        let first = self.first.unwrap_or(NonNull::dangling());
        unsafe { core::slice::from_raw_parts(first.as_ptr(), self.length) }
    }
}
impl<T> DerefMut for Slots<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        let first = self.first.unwrap_or(NonNull::dangling());
        unsafe { core::slice::from_raw_parts_mut(first.as_ptr(), self.length) }
    }
}
impl<T> Default for Slots<T> {
    #[inline]
    fn default() -> Self {
        Slots::new()
    }
}
impl<T> Drop for Slots<T> {
    #[inline]
    fn drop(&mut self) {
        if mem::needs_drop::<T>() {
            self.clear();
        }
        if let Some(first) = self.first {
            unsafe { dealloc(first.as_ptr() as *mut u8, Self::LAYOUT) };
        }
    }
}
impl<T: Clone> Clone for Slots<T> {
    #[inline]
    fn clone(&self) -> Self {
        let mut made = Slots::new();
        for element in self.iter() {
            made.push(element.clone());
        }
        made
    }
}

/// The elements, from both ends.
pub struct Taken<T> {
    slots: ManuallyDrop<Slots<T>>,
    at: usize,
}
impl<T> Slots<T> {
    #[inline]
    pub fn taken(self) -> Taken<T> {
        Taken { slots: ManuallyDrop::new(self), at: 0 }
    }
}
impl<T> Iterator for Taken<T> {
    type Item = T;
    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.at == self.slots.length {
            return None;
        }
        self.at += 1;
        Some(unsafe { self.slots.as_ptr().add(self.at - 1).read() })
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.slots.length - self.at;
        (left, Some(left))
    }
}
impl<T> DoubleEndedIterator for Taken<T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        if self.at == self.slots.length {
            return None;
        }
        self.slots.pop()
    }
}
impl<T> ExactSizeIterator for Taken<T> {}
impl<T> Drop for Taken<T> {
    #[inline]
    fn drop(&mut self) {
        if mem::needs_drop::<T>() {
            while self.next_back().is_some() {}
        }
        self.slots.length = 0;
        unsafe { ManuallyDrop::drop(&mut self.slots) };
    }
}
