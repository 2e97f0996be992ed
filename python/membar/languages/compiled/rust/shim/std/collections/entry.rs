//! What both kinds of maps have in common.

/// `Entry` and its variants, for a map whose entries lie in slots; how one is inserted and removed.
macro_rules! entries {
    ($insert:ident $remove:ident $(, $bound:ident)?) => {
        /// An entry of a map, or the place of one.
        pub enum Entry<'a, K: 'a, V: 'a> {
            Occupied(OccupiedEntry<'a, K, V>),
            Vacant(VacantEntry<'a, K, V>),
        }
        pub struct OccupiedEntry<'a, K: 'a, V: 'a> {
            entries: &'a mut Slots<(K, V)>,
            at: usize,
        }
        pub struct VacantEntry<'a, K: 'a, V: 'a> {
            entries: &'a mut Slots<(K, V)>,
            at: usize,
            key: K,
        }

        impl<'a, K $(: $bound)?, V> Entry<'a, K, V> {
            #[inline]
            pub fn or_insert(self, default: V) -> &'a mut V {
                self.or_insert_with(|| default)
            }
            #[inline]
            pub fn or_insert_with<F: FnOnce() -> V>(self, default: F) -> &'a mut V {
                self.or_insert_with_key(|_| default())
            }
            #[inline]
            pub fn or_insert_with_key<F: FnOnce(&K) -> V>(self, default: F) -> &'a mut V {
                match self {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let value = default(&entry.key);
                        entry.insert(value)
                    }
                }
            }
            #[inline]
            pub fn or_default(self) -> &'a mut V
            where
                V: Default,
            {
                self.or_insert_with(V::default)
            }
            #[inline]
            pub fn key(&self) -> &K {
                match self {
                    Entry::Occupied(entry) => entry.key(),
                    Entry::Vacant(entry) => entry.key(),
                }
            }
            #[inline]
            pub fn and_modify<F: FnOnce(&mut V)>(mut self, change: F) -> Self {
                if let Entry::Occupied(entry) = &mut self {
                    change(entry.get_mut());
                }
                self
            }
            #[inline]
            pub fn insert_entry(self, value: V) -> OccupiedEntry<'a, K, V> {
                match self {
                    Entry::Occupied(mut entry) => {
                        entry.insert(value);
                        entry
                    }
                    Entry::Vacant(entry) => entry.insert_entry(value),
                }
            }
        }

        impl<'a, K $(: $bound)?, V> OccupiedEntry<'a, K, V> {
            #[inline]
            pub fn key(&self) -> &K {
                &self.entries[self.at].0
            }
            #[inline]
            pub fn get(&self) -> &V {
                &self.entries[self.at].1
            }
            #[inline]
            pub fn get_mut(&mut self) -> &mut V {
                &mut self.entries[self.at].1
            }
            #[inline]
            pub fn into_mut(self) -> &'a mut V {
                &mut self.entries[self.at].1
            }
            #[inline]
            pub fn insert(&mut self, value: V) -> V {
                core::mem::replace(self.get_mut(), value)
            }
            #[inline]
            pub fn remove(self) -> V {
                self.remove_entry().1
            }
            #[inline]
            pub fn remove_entry(self) -> (K, V) {
                self.entries.$remove(self.at)
            }
        }

        impl<'a, K $(: $bound)?, V> VacantEntry<'a, K, V> {
            #[inline]
            pub fn key(&self) -> &K {
                &self.key
            }
            #[inline]
            pub fn into_key(self) -> K {
                self.key
            }
            #[inline]
            pub fn insert(self, value: V) -> &'a mut V {
                self.insert_entry(value).into_mut()
            }
            #[inline]
            pub fn insert_entry(self, value: V) -> OccupiedEntry<'a, K, V> {
                self.entries.$insert(self.at, (self.key, value));
                OccupiedEntry { entries: self.entries, at: self.at }
            }
        }

        impl<K: Debug $(+ $bound)?, V: Debug> Debug for Entry<'_, K, V> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.debug_tuple("Entry").field(self.key()).finish()
            }
        }
        impl<K: Debug $(+ $bound)?, V: Debug> Debug for OccupiedEntry<'_, K, V> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.debug_tuple("OccupiedEntry").field(self.key()).field(self.get()).finish()
            }
        }
        impl<K: Debug $(+ $bound)?, V> Debug for VacantEntry<'_, K, V> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.debug_tuple("VacantEntry").field(self.key()).finish()
            }
        }
    };
}
pub(super) use entries;

/// An iterator over another one's items, of which it gives a part.
macro_rules! parts {
    ($($name:ident<$($life:lifetime,)? $k:ident, $v:ident>: $inner:ident => $item:ty, $part:expr;)*) => {$(
        pub struct $name<$($life,)? $k, $v>(pub(super) $inner<$($life,)? $k, $v>);
        impl<$($life,)? $k, $v> Iterator for $name<$($life,)? $k, $v> {
            type Item = $item;
            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.0.next().map($part)
            }
            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }
        impl<$($life,)? $k, $v> ExactSizeIterator for $name<$($life,)? $k, $v> {}
        impl<$($life,)? $k, $v> core::iter::FusedIterator for $name<$($life,)? $k, $v> {}
    )*};
}
pub(super) use parts;
