//! A vector with room for a few elements, which never grows: that is what costs most to explore.
use crate::primitives;
use core::mem;
use core::ops::{Deref, DerefMut};
use real::prelude::v1::*;
use real::vec::{self, Vec};

/// Executions in which a map or set has more entries are not followed.
pub const ROOM: usize = 8;

pub struct Slots<T> {
    elements: Vec<T>,
}

impl<T> Slots<T> {
    #[inline]
    pub const fn new() -> Self {
        Slots { elements: Vec::new() }
    }
    #[inline]
    pub fn count(&self) -> usize {
        self.elements.len()
    }
    #[inline]
    pub fn push(&mut self, element: T) {
        if self.elements.capacity() == 0 {
            mem::forget(mem::replace(&mut self.elements, Vec::with_capacity(ROOM)));
        }
        let length = self.elements.len();
        if mem::size_of::<T>() != 0 && length >= ROOM {
            primitives::cut(c"more than 8 entries of a map or set");
        }
        unsafe {
            self.elements.as_mut_ptr().add(length).write(element);
            self.elements.set_len(length + 1);
        }
    }
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.elements.pop()
    }
    /// Inserts an element before the others from a place on.
    #[inline]
    pub fn insert(&mut self, place: usize, element: T) {
        self.push(element);
        let mut at = self.count() - 1;
        while at > place {
            self.swap(at - 1, at);
            at -= 1;
        }
    }
    /// Takes an element out; the others keep their order.
    #[inline]
    pub fn remove(&mut self, place: usize) -> T {
        let mut at = place;
        while at + 1 < self.count() {
            self.swap(at, at + 1);
            at += 1;
        }
        self.pop().unwrap()
    }
    /// Takes an element out; the last one takes its place.
    #[inline]
    pub fn swap_remove(&mut self, place: usize) -> T {
        let last = self.count() - 1;
        if place != last {
            self.swap(place, last);
        }
        self.pop().unwrap()
    }
    #[inline]
    pub fn clear(&mut self) {
        self.elements.clear();
    }
    #[inline]
    pub fn taken(self) -> Taken<T> {
        self.elements.into_iter()
    }
}

/// The elements, from both ends.
pub type Taken<T> = vec::IntoIter<T>;

impl<T> Deref for Slots<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.elements
    }
}
impl<T> DerefMut for Slots<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }
}
impl<T> Default for Slots<T> {
    #[inline]
    fn default() -> Self {
        Slots::new()
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
