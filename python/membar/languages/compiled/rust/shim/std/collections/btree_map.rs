//! `BTreeMap`: slots with sorted entries.
use super::entry::{entries, parts};
use super::slots::{Slots, Taken};
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt::{self, Debug, Formatter};
use core::hash::{Hash, Hasher};
use core::mem;
use core::ops::{Bound, Index, RangeBounds};
use core::slice;
use real::prelude::v1::*;

/// See `std::collections::BTreeMap`.
pub struct BTreeMap<K, V> {
    entries: Slots<(K, V)>,
}

entries!(insert remove, Ord);

impl<K, V> BTreeMap<K, V> {
    #[inline]
    pub const fn new() -> Self {
        BTreeMap { entries: Slots::new() }
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
        Iter(self.entries.iter())
    }
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut(self.entries.iter_mut())
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

    /// The place of a key, or the one where it belongs.
    #[inline]
    fn find<Q: ?Sized + Ord>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        let mut at = 0;
        while at < self.entries.count() {
            match self.entries[at].0.borrow().cmp(key) {
                Ordering::Less => at += 1,
                Ordering::Equal => return Ok(at),
                Ordering::Greater => break,
            }
        }
        Err(at)
    }
    /// The first place of a range, and the one behind it.
    #[inline]
    fn places<Q: ?Sized + Ord, R: RangeBounds<Q>>(&self, range: &R) -> (usize, usize)
    where
        K: Borrow<Q>,
    {
        match (range.start_bound(), range.end_bound()) {
            (Bound::Excluded(start), Bound::Excluded(end)) if start == end => {
                core::panic!("range start and end are equal and excluded in BTreeMap")
            }
            (Bound::Included(start) | Bound::Excluded(start), Bound::Included(end) | Bound::Excluded(end))
                if start > end =>
            {
                core::panic!("range start is greater than range end in BTreeMap")
            }
            _ => {}
        }
        let first = match range.start_bound() {
            Bound::Included(key) => self.find(key).unwrap_or_else(|at| at),
            Bound::Excluded(key) => self.find(key).map_or_else(|at| at, |at| at + 1),
            Bound::Unbounded => 0,
        };
        let last = match range.end_bound() {
            Bound::Included(key) => self.find(key).map_or_else(|at| at, |at| at + 1),
            Bound::Excluded(key) => self.find(key).unwrap_or_else(|at| at),
            Bound::Unbounded => self.len(),
        };
        (first, last)
    }
}

impl<K: Ord, V> BTreeMap<K, V> {
    #[inline]
    pub fn get<Q: ?Sized + Ord>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &self.entries[at].1)
    }
    #[inline]
    pub fn get_key_value<Q: ?Sized + Ord>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| (&self.entries[at].0, &self.entries[at].1))
    }
    #[inline]
    pub fn get_mut<Q: ?Sized + Ord>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &mut self.entries[at].1)
    }
    #[inline]
    pub fn contains_key<Q: ?Sized + Ord>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }
    #[inline]
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }
    #[inline]
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }
    #[inline]
    pub fn first_entry(&mut self) -> Option<OccupiedEntry<'_, K, V>> {
        if self.is_empty() {
            return None;
        }
        Some(OccupiedEntry { entries: &mut self.entries, at: 0 })
    }
    #[inline]
    pub fn last_entry(&mut self) -> Option<OccupiedEntry<'_, K, V>> {
        let at = self.len().checked_sub(1)?;
        Some(OccupiedEntry { entries: &mut self.entries, at })
    }
    #[inline]
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        self.first_entry().map(OccupiedEntry::remove_entry)
    }
    #[inline]
    pub fn pop_last(&mut self) -> Option<(K, V)> {
        self.entries.pop()
    }
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => Some(mem::replace(&mut self.entries[at].1, value)),
            Err(at) => {
                self.entries.insert(at, (key, value));
                None
            }
        }
    }
    #[inline]
    pub fn remove<Q: ?Sized + Ord>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.remove_entry(key).map(|entry| entry.1)
    }
    #[inline]
    pub fn remove_entry<Q: ?Sized + Ord>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| self.entries.remove(at))
    }
    #[inline]
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        match self.find(&key) {
            Ok(at) => Entry::Occupied(OccupiedEntry { entries: &mut self.entries, at }),
            Err(at) => Entry::Vacant(VacantEntry { entries: &mut self.entries, at, key }),
        }
    }
    #[inline]
    pub fn retain<F: FnMut(&K, &mut V) -> bool>(&mut self, mut keeps: F) {
        let mut at = 0;
        while at < self.len() {
            let (key, value) = &mut self.entries[at];
            if keeps(key, value) {
                at += 1;
            } else {
                self.entries.remove(at);
            }
        }
    }
    #[inline]
    pub fn append(&mut self, other: &mut Self) {
        self.extend(mem::take(other));
    }
    #[inline]
    pub fn split_off<Q: ?Sized + Ord>(&mut self, key: &Q) -> Self
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).unwrap_or_else(|at| at);
        let mut after = BTreeMap::new();
        while self.len() > at {
            after.entries.insert(0, self.entries.pop().unwrap());
        }
        after
    }
    #[inline]
    pub fn range<Q: ?Sized + Ord, R: RangeBounds<Q>>(&self, range: R) -> Range<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (first, last) = self.places(&range);
        Iter(self.entries[first..last].iter())
    }
    #[inline]
    pub fn range_mut<Q: ?Sized + Ord, R: RangeBounds<Q>>(&mut self, range: R) -> RangeMut<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (first, last) = self.places(&range);
        IterMut(self.entries[first..last].iter_mut())
    }
}

pub type Range<'a, K, V> = Iter<'a, K, V>;
pub type RangeMut<'a, K, V> = IterMut<'a, K, V>;
type Entries<'a, K, V> = slice::Iter<'a, (K, V)>;
type MutableEntries<'a, K, V> = slice::IterMut<'a, (K, V)>;
type OwnEntries<K, V> = Taken<(K, V)>;

/// Iterators that also begin at the end.
macro_rules! from_both_ends {
    ($($name:ident<$($life:lifetime,)? $k:ident, $v:ident>: $inner:ident => $item:ty, $part:expr;)*) => {
        parts! { $($name<$($life,)? $k, $v>: $inner => $item, $part;)* }
        $(impl<$($life,)? $k, $v> DoubleEndedIterator for $name<$($life,)? $k, $v> {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                self.0.next_back().map($part)
            }
        })*
    };
}
from_both_ends! {
    Iter<'a, K, V>: Entries => (&'a K, &'a V), |entry| (&entry.0, &entry.1);
    IterMut<'a, K, V>: MutableEntries => (&'a K, &'a mut V), |entry| (&entry.0, &mut entry.1);
    IntoIter<K, V>: OwnEntries => (K, V), |entry| entry;
    Keys<'a, K, V>: Iter => &'a K, |entry| entry.0;
    Values<'a, K, V>: Iter => &'a V, |entry| entry.1;
    ValuesMut<'a, K, V>: IterMut => &'a mut V, |entry| entry.1;
    IntoKeys<K, V>: IntoIter => K, |entry| entry.0;
    IntoValues<K, V>: IntoIter => V, |entry| entry.1;
}
impl<K, V> Clone for Iter<'_, K, V> {
    #[inline]
    fn clone(&self) -> Self {
        Iter(self.0.clone())
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

impl<'a, K, V> IntoIterator for &'a BTreeMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
    #[inline]
    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}
impl<'a, K, V> IntoIterator for &'a mut BTreeMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;
    #[inline]
    fn into_iter(self) -> IterMut<'a, K, V> {
        self.iter_mut()
    }
}
impl<K, V> IntoIterator for BTreeMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;
    #[inline]
    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter(self.entries.taken())
    }
}
impl<K, V> Default for BTreeMap<K, V> {
    #[inline]
    fn default() -> Self {
        BTreeMap::new()
    }
}
impl<K: Clone, V: Clone> Clone for BTreeMap<K, V> {
    fn clone(&self) -> Self {
        BTreeMap { entries: self.entries.clone() }
    }
}
impl<K: Ord, V> Extend<(K, V)> for BTreeMap<K, V> {
    #[inline]
    fn extend<T: IntoIterator<Item = (K, V)>>(&mut self, more: T) {
        for (key, value) in more {
            self.insert(key, value);
        }
    }
}
impl<'a, K: Ord + Copy, V: Copy> Extend<(&'a K, &'a V)> for BTreeMap<K, V> {
    #[inline]
    fn extend<T: IntoIterator<Item = (&'a K, &'a V)>>(&mut self, more: T) {
        for (key, value) in more {
            self.insert(*key, *value);
        }
    }
}
impl<K: Ord, V> FromIterator<(K, V)> for BTreeMap<K, V> {
    #[inline]
    fn from_iter<T: IntoIterator<Item = (K, V)>>(entries: T) -> Self {
        let mut made = BTreeMap::new();
        made.extend(entries);
        made
    }
}
impl<K: Ord, V, const N: usize> From<[(K, V); N]> for BTreeMap<K, V> {
    #[inline]
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}
impl<K: PartialEq, V: PartialEq> PartialEq for BTreeMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        *self.entries == *other.entries
    }
}
impl<K: Eq, V: Eq> Eq for BTreeMap<K, V> {}
impl<K: PartialOrd, V: PartialOrd> PartialOrd for BTreeMap<K, V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.entries.partial_cmp(&*other.entries)
    }
}
impl<K: Ord, V: Ord> Ord for BTreeMap<K, V> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.entries.cmp(&*other.entries)
    }
}
impl<K: Hash, V: Hash> Hash for BTreeMap<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries.hash(state);
    }
}
impl<K: Ord + Borrow<Q>, Q: ?Sized + Ord, V> Index<&Q> for BTreeMap<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no entry found for key")
    }
}
impl<K: Debug, V: Debug> Debug for BTreeMap<K, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
