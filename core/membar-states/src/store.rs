//! Tables of states: tree compression stores equal parts of states once.
//!
//! A state is a fixed number of words (`leaves`). A binary tree stands over them; each inner node has a table of the
//! pairs that its two children have taken, and a state is the number of its pair in the table of the root (Laarman,
//! van de Pol, Weber, "Parallel recursive state compression for free", SPIN 2011). Most states differ from the one
//! they were reached from in few leaves, and only the nodes above these are looked up.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Multiplies to spread; the bits at the top are good.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Slots of a table at first, as a power of two.
const FIRST_BITS: u32 = 4;
/// A free slot.
const FREE: u32 = u32::MAX;

fn mix(word: u64) -> u64 {
    let mixed = (word ^ (word >> 32)).wrapping_mul(SPREAD);
    (mixed ^ (mixed >> 29)).wrapping_mul(SPREAD)
}

/// A number that words are spread by.
pub(super) fn spread_words(words: &[u32]) -> u32 {
    let add = |hash: u64, &word: &u32| (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(SPREAD);
    (mix(words.iter().fold(0, add)) >> 32) as u32
}

fn spread_bytes(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut hash = bytes.len() as u64;
    for chunk in chunks {
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(*chunk)).wrapping_mul(SPREAD);
    }
    let mut last = 0;
    for &byte in rest {
        last = (last << 8) | u64::from(byte);
    }
    mix(hash.rotate_left(5) ^ last)
}

/// Slots that name entries by their number, found by hash. The bits of a slot that no number needs yet hold bits of the
/// hash, so that entries, which are far away in memory, are looked at only where they are likely to be the right ones.
#[derive(Debug)]
struct Index {
    slots: Vec<u32>,
    bits: u32,
}

impl Index {
    fn new() -> Self {
        Self { slots: vec![FREE; 1 << FIRST_BITS], bits: FIRST_BITS }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the top bits of a hash")]
    fn start(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    /// The bits of a slot that are a number.
    fn numbers(&self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low bits of a hash")]
    fn tag(&self, hash: u64) -> u32 {
        hash as u32 & !self.numbers()
    }

    /// Goes through the entries that may be the one looked for, until `is` says so; else the free slot.
    fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let (numbers, tag) = (self.numbers(), self.tag(hash));
        let mut slot = self.start(hash);
        loop {
            let entry = self.slots[slot];
            if entry == FREE {
                return Err(slot);
            }
            if entry & !numbers == tag && is(entry & numbers) {
                return Ok(entry & numbers);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Puts an entry into a free slot.
    fn put(&mut self, slot: usize, hash: u64, number: u32) {
        self.slots[slot] = number | self.tag(hash);
    }

    /// Makes room for one entry more, of `count` so far; whether slots have moved. None: there are too many.
    fn grow(&mut self, count: usize, hash_of: impl Fn(u32) -> u64) -> Option<bool> {
        if count * 4 < self.slots.len() * 3 {
            return Some(false);
        }
        if self.bits == 32 {
            return None;
        }
        self.bits += 1;
        self.slots = vec![FREE; 1 << self.bits];
        let mask = self.slots.len() - 1;
        for entry in 0..u32::try_from(count).ok()? {
            let hash = hash_of(entry);
            let mut slot = self.start(hash);
            while self.slots[slot] != FREE {
                slot = (slot + 1) & mask;
            }
            self.put(slot, hash, entry);
        }
        Some(true)
    }
}

/// Appends to a list that grows by a quarter, not to its double: there are few, and they are long.
pub(super) fn append<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(16 + list.len() / 4);
    }
    list.push(item);
}

/// A set of pairs of numbers, each with a number.
#[derive(Debug)]
struct Pairs {
    entries: Vec<u64>,
    index: Index,
}

impl Pairs {
    fn new() -> Self {
        Self { entries: Vec::new(), index: Index::new() }
    }

    /// The number of a pair, and whether it is new. None: there are as many as numbers.
    fn number(&mut self, left: u32, right: u32) -> Option<(u32, bool)> {
        let pair = u64::from(left) << 32 | u64::from(right);
        let hash = mix(pair);
        let entries = &self.entries;
        let mut slot = match self.index.find(hash, |entry| entries[entry as usize] == pair) {
            Ok(known) => return Some((known, false)),
            Err(slot) => slot,
        };
        let number = u32::try_from(self.entries.len()).ok()?;
        if self.index.grow(entries.len(), |entry| mix(entries[entry as usize]))? {
            slot = self.index.find(hash, |_| false).unwrap_err_or(slot);
        }
        self.index.put(slot, hash, number);
        append(&mut self.entries, pair);
        Some((number, true))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the two halves of a pair")]
    fn pair(&self, number: u32) -> (u32, u32) {
        let pair = self.entries[number as usize];
        ((pair >> 32) as u32, pair as u32)
    }

    fn bytes(&self) -> usize {
        8 * self.entries.capacity() + 4 * self.index.slots.len()
    }
}

/// The slot that a search without an answer ends in.
trait FreeSlot {
    fn unwrap_err_or(self, slot: usize) -> usize;
}

impl FreeSlot for Result<u32, usize> {
    fn unwrap_err_or(self, slot: usize) -> usize {
        self.err().unwrap_or(slot)
    }
}

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

/// The tree over the leaves, and the tables of its inner nodes.
#[derive(Debug)]
pub(super) struct Store {
    leaves: usize,
    /// The children of each inner node, by their places in a list of all leaves and, behind them, all inner nodes.
    /// Children come before their parents; the last node is the root.
    nodes: Vec<(usize, usize)>,
    tables: Vec<Pairs>,
}

/// A state spread out: its leaves, and the numbers of all inner nodes over them.
#[derive(Debug, Clone, Default)]
pub(super) struct ExpandedState {
    values: Vec<u32>,
}

impl ExpandedState {
    /// The leaves, of which there are `count`.
    pub(super) fn leaves(&self, count: usize) -> &[u32] {
        &self.values[..count]
    }
}

impl Store {
    /// A tree over `leaves` words; with a `rider`, one more leaf stands beside all others, right under the root.
    pub(super) fn new(leaves: usize, rider: bool) -> Self {
        let (below, leaves) = if rider { (leaves, leaves + 1) } else { (leaves.max(2), leaves.max(2)) };
        let mut nodes = Vec::new();
        let mut level: Vec<usize> = (0..below).collect();
        while level.len() > 1 {
            let mut above = Vec::new();
            for pair in level.chunks(2) {
                above.push(match *pair {
                    [left, right] => {
                        nodes.push((left, right));
                        leaves + nodes.len() - 1
                    }
                    _ => pair[0],
                });
            }
            level = above;
        }
        if rider {
            nodes.push((level[0], leaves - 1));
        }
        let tables = nodes.iter().map(|_| Pairs::new()).collect();
        Self { leaves, nodes, tables }
    }

    /// With a rider, the number of what stands beside it in a state that was spread out, in the order in which such parts
    /// were met; there must be two leaves or more.
    pub(super) fn beside_rider(&self, expanded: &ExpandedState) -> u32 {
        self.nodes.last().map_or(0, |&(left, _)| expanded.values[left])
    }

    /// The same of state `number`.
    pub(super) fn beside_rider_of(&self, number: u32) -> u32 {
        self.tables.last().map_or(0, |root| root.pair(number).0)
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.tables.last().map_or(0, |root| root.entries.len())
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.tables.iter().map(Pairs::bytes).sum()
    }

    /// Spreads out state `number`.
    pub(super) fn fetch(&self, number: u32, expanded: &mut ExpandedState) {
        expanded.values.resize(self.leaves + self.nodes.len(), 0);
        if let Some(root) = expanded.values.last_mut() {
            *root = number;
        }
        for (node, &(left, right)) in self.nodes.iter().enumerate().rev() {
            let (first, second) = self.tables[node].pair(expanded.values[self.leaves + node]);
            expanded.values[left] = first;
            expanded.values[right] = second;
        }
    }

    /// The number of the state with these leaves, and whether it is new; `near` is a state that it resembles.
    /// None: there are as many states as numbers.
    pub(super) fn number(
        &mut self,
        leaves: &[u32],
        near: &ExpandedState,
        scratch: &mut Vec<u32>,
    ) -> Option<(u32, bool)> {
        scratch.clear();
        scratch.extend_from_slice(leaves);
        scratch.resize(self.leaves, 0);
        let is_first = near.values.is_empty();
        let mut last = (0, false);
        for (node, &(left, right)) in self.nodes.iter().enumerate() {
            let place = self.leaves + node;
            let (first, second) = (scratch[left], scratch[right]);
            last = if !is_first && near.values[left] == first && near.values[right] == second {
                (near.values[place], false)
            } else {
                self.tables[node].number(first, second)?
            };
            scratch.push(last.0);
        }
        Some(last)
    }

    /// As `number`, where the state resembles the `last` one whose number was asked for; it is the last one afterwards.
    pub(super) fn number_after(
        &mut self,
        leaves: &[u32],
        last: &mut ExpandedState,
        scratch: &mut Vec<u32>,
    ) -> Option<(u32, bool)> {
        let found = self.number(leaves, last, scratch)?;
        std::mem::swap(&mut last.values, scratch);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_states_have_one_number_and_can_be_fetched() {
        for (leaves, rider) in (1..9).flat_map(|leaves| [(leaves, false), (leaves + 1, true)]) {
            let mut store = Store::new(leaves - usize::from(rider), rider);
            let (mut expanded, mut scratch) = (ExpandedState::default(), Vec::new());
            let mut known = std::collections::BTreeMap::new();
            let mut word = 7_u32;
            for _ in 0..2000 {
                let state: Vec<u32> = (0..leaves)
                    .map(|_| {
                        word = word.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                        (word >> 16) % 3
                    })
                    .collect();
                let expected = known.len();
                let (number, is_new) = store.number(&state, &expanded, &mut scratch).unwrap();
                let place = *known.entry(state.clone()).or_insert(expected);
                assert_eq!((number as usize, is_new), (place, place == expected));
                store.fetch(number, &mut expanded);
                assert_eq!(expanded.leaves(leaves), state);
            }
            assert_eq!(store.len(), known.len());
        }
    }

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
