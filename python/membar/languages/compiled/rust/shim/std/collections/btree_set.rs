//! `BTreeSet`: a `BTreeMap` without values.
use super::btree_map::{BTreeMap, IntoKeys, Keys};
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt::{self, Debug, Formatter};
use core::iter::Peekable;
use core::ops::RangeBounds;
use real::prelude::v1::*;

/// See `std::collections::BTreeSet`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BTreeSet<T> {
    map: BTreeMap<T, ()>,
}
pub type Iter<'a, T> = Keys<'a, T, ()>;
pub type Range<'a, T> = Keys<'a, T, ()>;
pub type IntoIter<T> = IntoKeys<T, ()>;

impl<T> BTreeSet<T> {
    #[inline]
    pub const fn new() -> Self {
        BTreeSet { map: BTreeMap::new() }
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
}
impl<T: Ord> BTreeSet<T> {
    #[inline]
    pub fn contains<Q: ?Sized + Ord>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.contains_key(value)
    }
    #[inline]
    pub fn get<Q: ?Sized + Ord>(&self, value: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.map.get_key_value(value).map(|entry| entry.0)
    }
    #[inline]
    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }
    #[inline]
    pub fn last(&self) -> Option<&T> {
        self.iter().next_back()
    }
    #[inline]
    pub fn pop_first(&mut self) -> Option<T> {
        self.map.pop_first().map(|entry| entry.0)
    }
    #[inline]
    pub fn pop_last(&mut self) -> Option<T> {
        self.map.pop_last().map(|entry| entry.0)
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
    pub fn remove<Q: ?Sized + Ord>(&mut self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.remove(value).is_some()
    }
    #[inline]
    pub fn take<Q: ?Sized + Ord>(&mut self, value: &Q) -> Option<T>
    where
        T: Borrow<Q>,
    {
        self.map.remove_entry(value).map(|entry| entry.0)
    }
    #[inline]
    pub fn retain<F: FnMut(&T) -> bool>(&mut self, mut keeps: F) {
        self.map.retain(|key, _| keeps(key));
    }
    #[inline]
    pub fn append(&mut self, other: &mut Self) {
        self.map.append(&mut other.map);
    }
    #[inline]
    pub fn split_off<Q: ?Sized + Ord>(&mut self, value: &Q) -> Self
    where
        T: Borrow<Q>,
    {
        BTreeSet { map: self.map.split_off(value) }
    }
    #[inline]
    pub fn range<Q: ?Sized + Ord, R: RangeBounds<Q>>(&self, range: R) -> Range<'_, T>
    where
        T: Borrow<Q>,
    {
        Keys(self.map.range(range))
    }
    #[inline]
    pub fn union<'a>(&'a self, other: &'a BTreeSet<T>) -> impl Iterator<Item = &'a T> + Clone {
        Merged { one: self.iter().peekable(), other: other.iter().peekable(), has_common: true }
    }
    #[inline]
    pub fn symmetric_difference<'a>(&'a self, other: &'a BTreeSet<T>) -> impl Iterator<Item = &'a T> + Clone {
        Merged { one: self.iter().peekable(), other: other.iter().peekable(), has_common: false }
    }
    #[inline]
    pub fn intersection<'a>(&'a self, other: &'a BTreeSet<T>) -> impl Iterator<Item = &'a T> + Clone {
        self.iter().filter(move |item| other.contains(*item))
    }
    #[inline]
    pub fn difference<'a>(&'a self, other: &'a BTreeSet<T>) -> impl Iterator<Item = &'a T> + Clone {
        self.iter().filter(move |item| !other.contains(*item))
    }
    #[inline]
    pub fn is_subset(&self, other: &BTreeSet<T>) -> bool {
        self.len() <= other.len() && self.iter().all(|item| other.contains(item))
    }
    #[inline]
    pub fn is_superset(&self, other: &BTreeSet<T>) -> bool {
        other.is_subset(self)
    }
    #[inline]
    pub fn is_disjoint(&self, other: &BTreeSet<T>) -> bool {
        self.intersection(other).next().is_none()
    }
}

/// What is in one of two sets, in order, or in both.
struct Merged<'a, T> {
    one: Peekable<Iter<'a, T>>,
    other: Peekable<Iter<'a, T>>,
    has_common: bool,
}
impl<T> Clone for Merged<'_, T> {
    fn clone(&self) -> Self {
        Merged { one: self.one.clone(), other: self.other.clone(), has_common: self.has_common }
    }
}
impl<'a, T: Ord> Iterator for Merged<'a, T> {
    type Item = &'a T;
    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        loop {
            match (self.one.peek(), self.other.peek()) {
                (Some(one), Some(other)) => match one.cmp(other) {
                    Ordering::Less => return self.one.next(),
                    Ordering::Greater => return self.other.next(),
                    Ordering::Equal => {
                        self.other.next();
                        let common = self.one.next();
                        if self.has_common {
                            return common;
                        }
                    }
                },
                (Some(_), None) => return self.one.next(),
                (None, _) => return self.other.next(),
            }
        }
    }
}

impl<'a, T> IntoIterator for &'a BTreeSet<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;
    #[inline]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
impl<T> IntoIterator for BTreeSet<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    #[inline]
    fn into_iter(self) -> IntoIter<T> {
        self.map.into_keys()
    }
}
impl<T> Default for BTreeSet<T> {
    #[inline]
    fn default() -> Self {
        BTreeSet::new()
    }
}
impl<T: Ord> Extend<T> for BTreeSet<T> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        self.map.extend(more.into_iter().map(|item| (item, ())));
    }
}
impl<'a, T: Ord + Copy> Extend<&'a T> for BTreeSet<T> {
    #[inline]
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, more: I) {
        self.extend(more.into_iter().copied());
    }
}
impl<T: Ord> FromIterator<T> for BTreeSet<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut made = BTreeSet::new();
        made.extend(items);
        made
    }
}
impl<T: Ord, const N: usize> From<[T; N]> for BTreeSet<T> {
    #[inline]
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}
impl<T: Debug> Debug for BTreeSet<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
/// Operators that give a new set.
macro_rules! operators {
    ($($trait:ident $name:ident $made_by:ident;)*) => {$(
        impl<T: Ord + Clone> core::ops::$trait<&BTreeSet<T>> for &BTreeSet<T> {
            type Output = BTreeSet<T>;
            fn $name(self, other: &BTreeSet<T>) -> BTreeSet<T> {
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
