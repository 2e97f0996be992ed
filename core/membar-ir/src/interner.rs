//! Numbers for values: equal values get the same number, and each value is stored once.

use std::hash::Hash;

use crate::words::narrow;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Values by number, in the order in which they were first seen.
#[derive(Debug, Clone)]
pub struct Interner<T> {
    values: IndexSet<T, FxBuildHasher>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: IndexSet::default() }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of a value, and whether it is new. More than 2^32 values do not fit into memory.
    pub fn intern(&mut self, value: T) -> (u32, bool) {
        let (number, is_new) = self.values.insert_full(value);
        (narrow(number), is_new)
    }

    /// The number of a value, which is only cloned if it is new.
    pub fn intern_ref(&mut self, value: &T) -> u32
    where
        T: Clone,
    {
        match self.values.get_index_of(value) {
            Some(known) => narrow(known),
            None => self.intern(value.clone()).0,
        }
    }

    /// The value with a number.
    #[must_use]
    pub fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All values, in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }
}
