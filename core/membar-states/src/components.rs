//! Parts of states, as byte strings: each is stored once and named by a number.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::tables::{FreeSlot, Index, spread_bytes};

/// A set of byte strings, each with a number. Several threads may each have one, with the same numbers: then a string
/// that is new to one is looked for, and if need be numbered, in a set that is common to all.
#[derive(Debug)]
pub(super) struct ComponentTable {
    bytes: Vec<u8>,
    /// Where each string ends.
    ends: Vec<usize>,
    index: Index,
    common: Option<Arc<Mutex<ComponentTable>>>,
}

impl ComponentTable {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new(), index: Index::new(), common: None }
    }

    /// `count` sets with the same strings, now and later.
    pub(super) fn share(self, count: usize) -> Vec<Self> {
        let common = Arc::new(Mutex::new(self));
        let follower = |_| {
            let mut strings = Self { common: Some(Arc::clone(&common)), ..Self::new() };
            strings.synchronize();
            strings
        };
        (0..count).map(follower).collect()
    }

    /// Takes over what others have numbered.
    pub(super) fn synchronize(&mut self) {
        if let Some(common) = self.common.clone() {
            self.copy_new(&whole(&common));
        }
    }

    fn copy_new(&mut self, common: &Self) {
        for string in common.strings_from(self.ends.len()) {
            // It has room for as many as the other has.
            self.add(string, spread_bytes(string));
        }
    }

    fn strings_from(&self, first: usize) -> impl Iterator<Item = &[u8]> {
        (first..self.ends.len()).map(|number| {
            let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.bytes[start..self.ends[number]]
        })
    }

    pub(super) fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[number]]
    }

    /// The number of a string; None: there are as many as numbers.
    pub(super) fn number(&mut self, string: &[u8]) -> Option<u32> {
        let hash = spread_bytes(string);
        if let Ok(known) = self.index.find(hash, |entry| self.get(entry) == string) {
            return Some(known);
        }
        if let Some(common) = self.common.clone() {
            let mut common = whole(&common);
            let number = common.number(string)?;
            self.copy_new(&common);
            return Some(number);
        }
        self.add(string, hash)
    }

    /// Adds a string that it does not have.
    fn add(&mut self, string: &[u8], hash: u64) -> Option<u32> {
        let number = u32::try_from(self.ends.len()).ok()?;
        let (bytes, ends) = (&self.bytes, &self.ends);
        self.index.grow(ends.len(), |entry| {
            let entry = entry as usize;
            let start = entry.checked_sub(1).map_or(0, |before| ends[before]);
            spread_bytes(&bytes[start..ends[entry]])
        })?;
        let slot = self.index.find(hash, |_| false).unwrap_err_or(0);
        self.index.put(slot, hash, number);
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len());
        Some(number)
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.capacity() + 8 * self.ends.capacity() + 4 * self.index.slots.len()
    }
}

/// The set that is common to all; one who panicked left it whole.
fn whole(common: &Mutex<ComponentTable>) -> MutexGuard<'_, ComponentTable> {
    common.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_keep_their_numbers() {
        let mut strings = ComponentTable::new();
        for round in 0..2 {
            for number in 0..1000_u32 {
                let string = number.to_le_bytes().repeat(1 + number as usize % 5);
                assert_eq!(strings.number(&string), Some(number), "round {round}");
                assert_eq!(strings.get(number), string);
            }
        }
        assert_eq!(strings.number(&[]), Some(1000));
    }

    #[test]
    fn shared_strings_have_the_same_numbers_everywhere() {
        let mut strings = ComponentTable::new();
        assert_eq!(strings.number(b"first"), Some(0));
        let mut all = strings.share(3);
        for number in 1..200_u32 {
            let who = number as usize % 3;
            assert_eq!(all[who].number(&number.to_le_bytes()), Some(number));
        }
        for strings in &mut all {
            strings.synchronize();
            assert_eq!(strings.get(0), b"first");
            for number in 1..200_u32 {
                assert_eq!(strings.get(number), number.to_le_bytes());
                assert_eq!(strings.number(&number.to_le_bytes()), Some(number));
            }
        }
    }
}
