//! `HashMap`: slots with entries, which iterators give in any order. Keys are compared, and never hashed.
use super::entry::{entries, parts};
use super::slots::{Slots, ROOM};
use crate::primitives;
use core::borrow::Borrow;
use core::fmt::{self, Debug, Formatter};
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;
use core::mem;
use core::ops::Index;
use real::collections::TryReserveError;
use real::prelude::v1::*;

pub use real::collections::hash_map::DefaultHasher;

/// See `std::hash::RandomState`: who hashes with it is told that other keys are not looked at.
#[derive(Clone)]
pub struct RandomState;
impl RandomState {
    #[inline]
    pub fn new() -> RandomState {
        RandomState
    }
}
impl Default for RandomState {
    #[inline]
    fn default() -> RandomState {
        RandomState::new()
    }
}
impl Debug for RandomState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("RandomState { .. }")
    }
}
impl BuildHasher for RandomState {
    type Hasher = DefaultHasher;
    #[inline]
    fn build_hasher(&self) -> DefaultHasher {
        primitives::random_keys();
        DefaultHasher::new()
    }
}

/// See `std::collections::HashMap`.
pub struct HashMap<K, V, S = RandomState> {
    entries: Slots<(K, V)>,
    hasher: S,
}

/// The numbers below a length, in any order.
#[derive(Clone)]
struct AnyOrder {
    length: usize,
    left: usize,
    given: u32,
}
impl AnyOrder {
    #[inline]
    fn new(length: usize) -> AnyOrder {
        AnyOrder { length, left: length, given: 0 }
    }
}
impl Iterator for AnyOrder {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        let at = if self.length == 1 { 0 } else { primitives::choose(0, self.length as i64 - 1) as usize };
        primitives::assume(self.given & (1 << at) == 0);
        self.given |= 1 << at;
        self.left -= 1;
        Some(at)
    }
}

entries!(insert swap_remove);

impl<K, V> HashMap<K, V, RandomState> {
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }
    #[inline]
    pub fn with_capacity(_: usize) -> Self {
        Self::default()
    }
}

impl<K, V, S> HashMap<K, V, S> {
    #[inline]
    pub const fn with_hasher(hasher: S) -> Self {
        HashMap { entries: Slots::new(), hasher }
    }
    #[inline]
    pub const fn with_capacity_and_hasher(_: usize, hasher: S) -> Self {
        HashMap::with_hasher(hasher)
    }
    #[inline]
    pub fn capacity(&self) -> usize {
        ROOM
    }
    #[inline]
    pub fn hasher(&self) -> &S {
        &self.hasher
    }
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.count()
    }
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    #[inline]
    pub fn clear(&mut self) {
        self.entries.clear();
    }
    #[inline]
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { entries: &self.entries, order: AnyOrder::new(self.len()) }
    }
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        let order = AnyOrder::new(self.len());
        IterMut { entries: self.entries.as_mut_ptr(), order, life: PhantomData }
    }
    #[inline]
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys(self.iter())
    }
    #[inline]
    pub fn values(&self) -> Values<'_, K, V> {
        Values(self.iter())
    }
    #[inline]
    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V> {
        ValuesMut(self.iter_mut())
    }
    #[inline]
    pub fn into_keys(self) -> IntoKeys<K, V> {
        IntoKeys(self.into_iter())
    }
    #[inline]
    pub fn into_values(self) -> IntoValues<K, V> {
        IntoValues(self.into_iter())
    }
    #[inline]
    pub fn drain(&mut self) -> Drain<'_, K, V> {
        Drain { entries: IntoIter { entries: mem::take(&mut self.entries) }, life: PhantomData }
    }
    #[inline]
    pub fn retain<F: FnMut(&K, &mut V) -> bool>(&mut self, mut keeps: F) {
        let mut dropped = 0u32;
        for at in AnyOrder::new(self.len()) {
            let (key, value) = &mut self.entries[at];
            if !keeps(key, value) {
                dropped |= 1 << at;
            }
        }
        for at in (0..self.len()).rev() {
            if dropped & (1 << at) != 0 {
                self.entries.swap_remove(at);
            }
        }
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> HashMap<K, V, S> {
    #[inline]
    fn find<Q: ?Sized + Eq>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        let mut at = 0;
        while at < self.entries.count() {
            if self.entries[at].0.borrow() == key {
                return Some(at);
            }
            at += 1;
        }
        None
    }
    #[inline]
    pub fn reserve(&mut self, _: usize) {}
    #[inline]
    pub fn try_reserve(&mut self, _: usize) -> Result<(), TryReserveError> {
        Ok(())
    }
    #[inline]
    pub fn shrink_to_fit(&mut self) {}
    #[inline]
    pub fn shrink_to(&mut self, _: usize) {}
    #[inline]
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        match self.find(&key) {
            Some(at) => Entry::Occupied(OccupiedEntry { entries: &mut self.entries, at }),
            None => Entry::Vacant(VacantEntry { at: self.len(), entries: &mut self.entries, key }),
        }
    }
    #[inline]
    pub fn get<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).map(|at| &self.entries[at].1)
    }
    #[inline]
    pub fn get_key_value<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.find(key).map(|at| (&self.entries[at].0, &self.entries[at].1))
    }
    #[inline]
    pub fn get_mut<Q: ?Sized + Hash + Eq>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).map(|at| &mut self.entries[at].1)
    }
    #[inline]
    pub fn contains_key<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_some()
    }
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Some(at) => Some(mem::replace(&mut self.entries[at].1, value)),
            None => {
                self.entries.push((key, value));
                None
            }
        }
    }
    #[inline]
    pub fn remove<Q: ?Sized + Hash + Eq>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.remove_entry(key).map(|entry| entry.1)
    }
    #[inline]
    pub fn remove_entry<Q: ?Sized + Hash + Eq>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        self.find(key).map(|at| self.entries.swap_remove(at))
    }
}

pub struct Iter<'a, K, V> {
    entries: &'a [(K, V)],
    order: AnyOrder,
}
impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);
    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        self.order.next().map(|at| (&self.entries[at].0, &self.entries[at].1))
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.order.left, Some(self.order.left))
    }
}
impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}
impl<K, V> core::iter::FusedIterator for Iter<'_, K, V> {}
impl<K, V> Clone for Iter<'_, K, V> {
    #[inline]
    fn clone(&self) -> Self {
        Iter { entries: self.entries, order: self.order.clone() }
    }
}
impl<K, V> Clone for Keys<'_, K, V> {
    #[inline]
    fn clone(&self) -> Self {
        Keys(self.0.clone())
    }
}
impl<K, V> Clone for Values<'_, K, V> {
    #[inline]
    fn clone(&self) -> Self {
        Values(self.0.clone())
    }
}

pub struct IterMut<'a, K, V> {
    entries: *mut (K, V),
    order: AnyOrder,
    life: PhantomData<&'a mut (K, V)>,
}
unsafe impl<K: Send, V: Send> Send for IterMut<'_, K, V> {}
unsafe impl<K: Sync, V: Sync> Sync for IterMut<'_, K, V> {}
impl<'a, K, V> Iterator for IterMut<'a, K, V> {
    type Item = (&'a K, &'a mut V);
    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a mut V)> {
        let at = self.order.next()?;
        let entry = unsafe { &mut *self.entries.add(at) }; // none is given twice
        Some((&entry.0, &mut entry.1))
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.order.left, Some(self.order.left))
    }
}
impl<K, V> ExactSizeIterator for IterMut<'_, K, V> {}
impl<K, V> core::iter::FusedIterator for IterMut<'_, K, V> {}

pub struct IntoIter<K, V> {
    entries: Slots<(K, V)>,
}
impl<K, V> Iterator for IntoIter<K, V> {
    type Item = (K, V);
    #[inline]
    fn next(&mut self) -> Option<(K, V)> {
        match self.entries.count() {
            0 | 1 => self.entries.pop(),
            left => Some(self.entries.swap_remove(primitives::choose(0, left as i64 - 1) as usize)),
        }
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.entries.count(), Some(self.entries.count()))
    }
}
impl<K, V> ExactSizeIterator for IntoIter<K, V> {}
impl<K, V> core::iter::FusedIterator for IntoIter<K, V> {}

pub struct Drain<'a, K, V> {
    entries: IntoIter<K, V>,
    life: PhantomData<&'a mut (K, V)>,
}
impl<K, V> Iterator for Drain<'_, K, V> {
    type Item = (K, V);
    #[inline]
    fn next(&mut self) -> Option<(K, V)> {
        self.entries.next()
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}
impl<K, V> ExactSizeIterator for Drain<'_, K, V> {}

parts! {
    Keys<'a, K, V>: Iter => &'a K, |entry| entry.0;
    Values<'a, K, V>: Iter => &'a V, |entry| entry.1;
    ValuesMut<'a, K, V>: IterMut => &'a mut V, |entry| entry.1;
    IntoKeys<K, V>: IntoIter => K, |entry| entry.0;
    DrainKeys<'a, K, V>: Drain => K, |entry| entry.0;
    IntoValues<K, V>: IntoIter => V, |entry| entry.1;
}

impl<'a, K, V, S> IntoIterator for &'a HashMap<K, V, S> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
    #[inline]
    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}
impl<'a, K, V, S> IntoIterator for &'a mut HashMap<K, V, S> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;
    #[inline]
    fn into_iter(self) -> IterMut<'a, K, V> {
        self.iter_mut()
    }
}
impl<K, V, S> IntoIterator for HashMap<K, V, S> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;
    #[inline]
    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter { entries: self.entries }
    }
}

impl<K, V, S: Default> Default for HashMap<K, V, S> {
    #[inline]
    fn default() -> Self {
        HashMap::with_hasher(S::default())
    }
}
impl<K: Clone, V: Clone, S: Clone> Clone for HashMap<K, V, S> {
    fn clone(&self) -> Self {
        HashMap { entries: self.entries.clone(), hasher: self.hasher.clone() }
    }
}
impl<K: Eq + Hash, V, S: BuildHasher> Extend<(K, V)> for HashMap<K, V, S> {
    #[inline]
    fn extend<T: IntoIterator<Item = (K, V)>>(&mut self, more: T) {
        for (key, value) in more {
            self.insert(key, value);
        }
    }
}
impl<'a, K: Eq + Hash + Copy, V: Copy, S: BuildHasher> Extend<(&'a K, &'a V)> for HashMap<K, V, S> {
    #[inline]
    fn extend<T: IntoIterator<Item = (&'a K, &'a V)>>(&mut self, more: T) {
        for (key, value) in more {
            self.insert(*key, *value);
        }
    }
}
impl<K: Eq + Hash, V, S: BuildHasher + Default> FromIterator<(K, V)> for HashMap<K, V, S> {
    #[inline]
    fn from_iter<T: IntoIterator<Item = (K, V)>>(entries: T) -> Self {
        let mut made = Self::default();
        made.extend(entries);
        made
    }
}
impl<K: Eq + Hash, V, const N: usize> From<[(K, V); N]> for HashMap<K, V, RandomState> {
    #[inline]
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}
impl<K: Eq + Hash, V: PartialEq, S: BuildHasher> PartialEq for HashMap<K, V, S> {
    fn eq(&self, other: &Self) -> bool {
        let is_in_other = |(key, value): &(K, V)| other.get(key).is_some_and(|found| found == value);
        self.len() == other.len() && self.entries.iter().all(is_in_other)
    }
}
impl<K: Eq + Hash, V: Eq, S: BuildHasher> Eq for HashMap<K, V, S> {}
impl<K: Eq + Hash + Borrow<Q>, Q: ?Sized + Eq + Hash, V, S: BuildHasher> Index<&Q> for HashMap<K, V, S> {
    type Output = V;
    #[inline]
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no entry found for key")
    }
}
impl<K: Debug, V: Debug, S> Debug for HashMap<K, V, S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
