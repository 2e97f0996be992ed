//! Maps with a quick hash: keys come from the program, and millions of small ones are looked up.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map that is looked up often.
pub(super) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// A set that is looked up often.
pub(super) type QuickSet<K> = HashSet<K, BuildHasherDefault<Quick>>;

/// Multiplies and turns, word by word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Quick(u64);

const FACTOR: u64 = 0x517c_c1b7_2722_0a95;

impl Quick {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        // The table takes the upper bits for one thing and the lower ones for another.
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
}
