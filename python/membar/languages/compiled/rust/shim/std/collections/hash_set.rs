//! `HashSet`: a `HashMap` without values.
use super::hash_map::{DrainKeys, HashMap, IntoKeys, Keys, RandomState};
use core::borrow::Borrow;
use core::fmt::{self, Debug, Formatter};
use core::hash::{BuildHasher, Hash};
use real::collections::TryReserveError;
use real::prelude::v1::*;

/// See `std::collections::HashSet`.
pub struct HashSet<T, S = RandomState> {
    map: HashMap<T, (), S>,
}
pub type Iter<'a, T> = Keys<'a, T, ()>;
pub type IntoIter<T> = IntoKeys<T, ()>;
pub type Drain<'a, T> = DrainKeys<'a, T, ()>;

impl<T> HashSet<T, RandomState> {
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }
    #[inline]
    pub fn with_capacity(_: usize) -> Self {
        Self::default()
    }
}
impl<T, S> HashSet<T, S> {
    #[inline]
    pub const fn with_hasher(hasher: S) -> Self {
        HashSet { map: HashMap::with_hasher(hasher) }
    }
    #[inline]
    pub const fn with_capacity_and_hasher(_: usize, hasher: S) -> Self {
        HashSet::with_hasher(hasher)
    }
    #[inline]
    pub fn hasher(&self) -> &S {
        self.map.hasher()
    }
    #[inline]
    pub fn capacity(&self) -> usize {
        self.map.capacity()
    }
    #[inline]
    pub fn len(&self) -> usize {
        self.map.len()
    }
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
    #[inline]
    pub fn clear(&mut self) {
        self.map.clear();
    }
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        self.map.keys()
    }
    #[inline]
    pub fn drain(&mut self) -> Drain<'_, T> {
        DrainKeys(self.map.drain())
    }
    #[inline]
    pub fn retain<F: FnMut(&T) -> bool>(&mut self, mut keeps: F) {
        self.map.retain(|key, _| keeps(key));
    }
}
impl<T: Eq + Hash, S: BuildHasher> HashSet<T, S> {
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
    pub fn contains<Q: ?Sized + Hash + Eq>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.contains_key(value)
    }
    #[inline]
    pub fn get<Q: ?Sized + Hash + Eq>(&self, value: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.map.get_key_value(value).map(|entry| entry.0)
    }
    #[inline]
    pub fn insert(&mut self, value: T) -> bool {
        self.map.insert(value, ()).is_none()
    }
    #[inline]
    pub fn replace(&mut self, value: T) -> Option<T> {
        let old = self.take(&value);
        self.insert(value);
        old
    }
    #[inline]
    pub fn remove<Q: ?Sized + Hash + Eq>(&mut self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.remove(value).is_some()
    }
    #[inline]
    pub fn take<Q: ?Sized + Hash + Eq>(&mut self, value: &Q) -> Option<T>
    where
        T: Borrow<Q>,
    {
        self.map.remove_entry(value).map(|entry| entry.0)
    }
    #[inline]
    pub fn union<'a>(&'a self, other: &'a HashSet<T, S>) -> impl Iterator<Item = &'a T> + Clone {
        self.iter().chain(other.difference(self))
    }
    #[inline]
    pub fn intersection<'a>(&'a self, other: &'a HashSet<T, S>) -> impl Iterator<Item = &'a T> + Clone {
        self.iter().filter(move |item| other.contains(*item))
    }
    #[inline]
    pub fn difference<'a>(&'a self, other: &'a HashSet<T, S>) -> impl Iterator<Item = &'a T> + Clone {
        self.iter().filter(move |item| !other.contains(*item))
    }
    #[inline]
    pub fn symmetric_difference<'a>(&'a self, other: &'a HashSet<T, S>) -> impl Iterator<Item = &'a T> + Clone {
        self.difference(other).chain(other.difference(self))
    }
    #[inline]
    pub fn is_subset(&self, other: &HashSet<T, S>) -> bool {
        self.len() <= other.len() && self.iter().all(|item| other.contains(item))
    }
    #[inline]
    pub fn is_superset(&self, other: &HashSet<T, S>) -> bool {
        other.is_subset(self)
    }
    #[inline]
    pub fn is_disjoint(&self, other: &HashSet<T, S>) -> bool {
        self.intersection(other).next().is_none()
    }
}
impl<'a, T, S> IntoIterator for &'a HashSet<T, S> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;
    #[inline]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
impl<T, S> IntoIterator for HashSet<T, S> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    #[inline]
    fn into_iter(self) -> IntoIter<T> {
        self.map.into_keys()
    }
}
impl<T, S: Default> Default for HashSet<T, S> {
    #[inline]
    fn default() -> Self {
        HashSet::with_hasher(S::default())
    }
}
impl<T: Clone, S: Clone> Clone for HashSet<T, S> {
    fn clone(&self) -> Self {
        HashSet { map: self.map.clone() }
    }
}
impl<T: Eq + Hash, S: BuildHasher> Extend<T> for HashSet<T, S> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        self.map.extend(more.into_iter().map(|item| (item, ())));
    }
}
impl<'a, T: Eq + Hash + Copy, S: BuildHasher> Extend<&'a T> for HashSet<T, S> {
    #[inline]
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, more: I) {
        self.extend(more.into_iter().copied());
    }
}
impl<T: Eq + Hash, S: BuildHasher + Default> FromIterator<T> for HashSet<T, S> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut made = Self::default();
        made.extend(items);
        made
    }
}
impl<T: Eq + Hash, const N: usize> From<[T; N]> for HashSet<T, RandomState> {
    #[inline]
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}
impl<T: Eq + Hash, S: BuildHasher> PartialEq for HashSet<T, S> {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}
impl<T: Eq + Hash, S: BuildHasher> Eq for HashSet<T, S> {}
impl<T: Debug, S> Debug for HashSet<T, S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
/// Operators that give a new set.
macro_rules! operators {
    ($($trait:ident $name:ident $made_by:ident;)*) => {$(
        impl<T: Eq + Hash + Clone, S: BuildHasher + Default> core::ops::$trait<&HashSet<T, S>> for &HashSet<T, S> {
            type Output = HashSet<T, S>;
            fn $name(self, other: &HashSet<T, S>) -> HashSet<T, S> {
                self.$made_by(other).cloned().collect()
            }
        }
    )*};
}
operators! {
    BitOr bitor union;
    BitAnd bitand intersection;
    BitXor bitxor symmetric_difference;
    Sub sub difference;
}
