//! `BinaryHeap`: slots with sorted elements. Which of several equal ones is greatest is open.
use super::slots::{Slots, Taken, ROOM};
use crate::primitives;
use core::cmp::Ordering;
use core::fmt::{self, Debug, Formatter};
use core::mem;
use core::ops::{Deref, DerefMut};
use core::slice;
use real::collections::TryReserveError;
use real::prelude::v1::*;
use real::vec::Vec;

/// See `std::collections::BinaryHeap`.
#[derive(Clone)]
pub struct BinaryHeap<T> {
    sorted: Slots<T>,
}
pub type Iter<'a, T> = slice::Iter<'a, T>;
pub type IntoIter<T> = Taken<T>;
pub type Drain<'a, T> = Taken<T>;

impl<T> BinaryHeap<T> {
    #[inline]
    pub fn len(&self) -> usize {
        self.sorted.count()
    }
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    #[inline]
    pub fn clear(&mut self) {
        self.sorted.clear();
    }
    #[inline]
    pub fn peek(&self) -> Option<&T> {
        self.sorted.last()
    }
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.sorted
    }
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        self.sorted.iter()
    }
    #[inline]
    pub fn into_vec(self) -> Vec<T> {
        self.into_iter().collect()
    }
    #[inline]
    pub fn drain(&mut self) -> Drain<'_, T> {
        mem::take(&mut self.sorted).taken()
    }
    #[inline]
    pub fn reserve(&mut self, _: usize) {}
    #[inline]
    pub fn reserve_exact(&mut self, _: usize) {}
    #[inline]
    pub fn try_reserve(&mut self, _: usize) -> Result<(), TryReserveError> {
        Ok(())
    }
    #[inline]
    pub fn capacity(&self) -> usize {
        ROOM
    }
    #[inline]
    pub fn shrink_to_fit(&mut self) {}
    #[inline]
    pub fn shrink_to(&mut self, _: usize) {}
}
impl<T: Ord> BinaryHeap<T> {
    #[inline]
    pub const fn new() -> Self {
        BinaryHeap { sorted: Slots::new() }
    }
    #[inline]
    pub fn with_capacity(_: usize) -> Self {
        BinaryHeap::new()
    }
    #[inline]
    pub fn push(&mut self, element: T) {
        let mut at = self.len();
        while at > 0 {
            match element.cmp(&self.sorted[at - 1]) {
                Ordering::Less => at -= 1,
                Ordering::Equal if primitives::choose(0, 1) == 0 => at -= 1,
                _ => break,
            }
        }
        self.sorted.insert(at, element);
    }
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.sorted.pop()
    }
    #[inline]
    pub fn peek_mut(&mut self) -> Option<PeekMut<'_, T>> {
        if self.is_empty() { None } else { Some(PeekMut { heap: self, is_changed: false }) }
    }
    #[inline]
    pub fn append(&mut self, other: &mut Self) {
        self.extend(other.drain());
    }
    #[inline]
    pub fn into_sorted_vec(self) -> Vec<T> {
        self.into_vec()
    }
    #[inline]
    pub fn retain<F: FnMut(&T) -> bool>(&mut self, mut keeps: F) {
        let mut at = 0;
        while at < self.len() {
            if keeps(&self.sorted[at]) {
                at += 1;
            } else {
                self.sorted.remove(at);
            }
        }
    }
}

/// The greatest element, which finds its place again if it was changed.
pub struct PeekMut<'a, T: Ord + 'a> {
    heap: &'a mut BinaryHeap<T>,
    is_changed: bool,
}
impl<'a, T: Ord> PeekMut<'a, T> {
    #[inline]
    pub fn pop(mut this: PeekMut<'a, T>) -> T {
        this.is_changed = false;
        this.heap.pop().unwrap()
    }
}
impl<T: Ord> Drop for PeekMut<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.is_changed {
            let changed = self.heap.pop().unwrap();
            self.heap.push(changed);
        }
    }
}
impl<T: Ord> Deref for PeekMut<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.heap.sorted.last().unwrap()
    }
}
impl<T: Ord> DerefMut for PeekMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.is_changed = true;
        self.heap.sorted.last_mut().unwrap()
    }
}

impl<'a, T> IntoIterator for &'a BinaryHeap<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;
    #[inline]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
impl<T> IntoIterator for BinaryHeap<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    #[inline]
    fn into_iter(self) -> IntoIter<T> {
        self.sorted.taken()
    }
}
impl<T: Ord> Default for BinaryHeap<T> {
    #[inline]
    fn default() -> Self {
        BinaryHeap::new()
    }
}
impl<T: Ord> Extend<T> for BinaryHeap<T> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        for element in more {
            self.push(element);
        }
    }
}
impl<'a, T: Ord + Copy> Extend<&'a T> for BinaryHeap<T> {
    #[inline]
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, more: I) {
        self.extend(more.into_iter().copied());
    }
}
impl<T: Ord> FromIterator<T> for BinaryHeap<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut made = BinaryHeap::new();
        made.extend(elements);
        made
    }
}
impl<T: Ord> From<Vec<T>> for BinaryHeap<T> {
    #[inline]
    fn from(elements: Vec<T>) -> Self {
        elements.into_iter().collect()
    }
}
impl<T: Ord, const N: usize> From<[T; N]> for BinaryHeap<T> {
    #[inline]
    fn from(elements: [T; N]) -> Self {
        elements.into_iter().collect()
    }
}
impl<T> From<BinaryHeap<T>> for Vec<T> {
    #[inline]
    fn from(heap: BinaryHeap<T>) -> Vec<T> {
        heap.into_vec()
    }
}
impl<T: Debug> Debug for BinaryHeap<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
