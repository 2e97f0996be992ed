//! Sets whose members have numbers, found by hash.

use std::sync::{Arc, Mutex, PoisonError};

/// Multiplies to spread; the bits at the top are good.
pub(super) const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// An odd number with as many ones as zeros.
const MIXER: u64 = 0xe703_7ed1_a0b4_28db;
/// Slots of a table at first, as a power of two.
const FIRST_BITS: u32 = 4;
/// A free slot.
const FREE: u32 = u32::MAX;
/// The number of what has none yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Spreads a word over all bits: both halves of a product of 128 bits.
#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
pub(super) fn mix(word: u64) -> u64 {
    let product = u128::from(word ^ SPREAD) * u128::from(MIXER);
    (product >> 64) as u64 ^ product as u64
}

pub(super) fn spread_bytes(bytes: &[u8]) -> u64 {
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
#[derive(Debug, Clone)]
pub(super) struct Index {
    pub(super) slots: Vec<u32>,
    bits: u32,
}

impl Index {
    pub(super) fn new() -> Self {
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
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Result<u32, usize> {
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

    /// The first entry that may be the one looked for, without a look at it, where `first` is in the first slot;
    /// `UNKNOWN` if there is none.
    fn candidate(&self, hash: u64, first: u32) -> u32 {
        let mask = self.slots.len() - 1;
        let (numbers, tag) = (self.numbers(), self.tag(hash));
        let (mut slot, mut entry) = (self.start(hash), first);
        while entry != FREE {
            if entry & !numbers == tag {
                return entry & numbers;
            }
            slot = (slot + 1) & mask;
            entry = self.slots[slot];
        }
        UNKNOWN
    }

    /// Puts an entry into a free slot.
    pub(super) fn put(&mut self, slot: usize, hash: u64, number: u32) {
        self.slots[slot] = number | self.tag(hash);
    }

    /// Makes room for one entry more, of `count` so far; whether slots have moved. None: there are too many.
    pub(super) fn grow(&mut self, count: usize, hash_of: impl Fn(u32) -> u64) -> Option<bool> {
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

/// Two numbers in one word.
pub(super) fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

pub(super) fn left_of(pair: u64) -> u32 {
    (pair >> 32) as u32
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half of a pair")]
pub(super) fn right_of(pair: u64) -> u32 {
    pair as u32
}

/// A set of pairs of numbers, each with a number.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    entries: Vec<u64>,
    index: Index,
}

impl Pairs {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), index: Index::new() }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// All pairs, by their numbers.
    pub(super) fn entries(&self) -> &[u64] {
        &self.entries
    }

    /// Hands over all pairs: then there are none.
    pub(super) fn take(&mut self) -> Vec<u64> {
        std::mem::replace(self, Self::new()).entries
    }

    /// The number of a pair, if it has one.
    pub(super) fn find(&self, pair: u64) -> Option<u32> {
        self.index.find(mix(pair), |entry| self.entries[entry as usize] == pair).ok()
    }

    /// The number of a pair, and whether it is new. None: there are as many as numbers.
    pub(super) fn number(&mut self, pair: u64) -> Option<(u32, bool)> {
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

    /// The numbers of many pairs, as far as they are found easily; `UNKNOWN` for the others.
    pub(super) fn find_all(&self, pairs: &[u64], found: &mut Vec<u32>) {
        find_in_parts(|_| self, pairs, found);
    }

    /// The numbers of many pairs, and whether they are new. None: there are as many as numbers.
    pub(super) fn number_all(
        &mut self,
        pairs: &[u64],
        found: &mut Vec<u32>,
        mut observe: impl FnMut(usize, u32, bool),
    ) -> Option<()> {
        self.find_all(pairs, found);
        for (place, &pair) in pairs.iter().enumerate() {
            if found[place] == UNKNOWN {
                let (number, is_new) = self.number(pair)?;
                found[place] = number;
                observe(place, number, is_new);
            } else {
                observe(place, found[place], false);
            }
        }
        Some(())
    }

    /// The pair with a number.
    pub(super) fn get(&self, number: u32) -> u64 {
        self.entries[number as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        8 * self.entries.capacity() + 4 * self.index.slots.len()
    }

    /// Bytes that it takes to grow by so many pairs, until the old slots are given back.
    pub(super) fn growth(&self, count: usize) -> usize {
        let slots = self.index.slots.len();
        if (self.entries.len() + count) * 4 < slots * 3 { 8 * count } else { 8 * count + 8 * slots }
    }
}

/// The numbers of many pairs, each in the part of a set that `part` says by its place in the list, as far as they are
/// found easily; `UNKNOWN` for the others. Slots and entries are far apart in memory. In each of these loops no access
/// waits for the one before it, so the processor makes several at a time, and `number` finds in its caches what it needs.
pub(super) fn find_in_parts<'p>(part: impl Fn(usize) -> &'p Pairs, pairs: &[u64], found: &mut Vec<u32>) {
    found.clear();
    found.extend(pairs.iter().enumerate().map(|(place, &pair)| {
        let index = &part(place).index;
        index.slots[index.start(mix(pair))]
    }));
    for (place, (&pair, found)) in pairs.iter().zip(&mut *found).enumerate() {
        *found = part(place).index.candidate(mix(pair), *found);
    }
    for (place, (&pair, found)) in pairs.iter().zip(found).enumerate() {
        let is_known = part(place).entries.get(*found as usize).is_some_and(|&entry| entry == pair);
        *found = if is_known { *found } else { UNKNOWN };
    }
}

/// A map from pairs to numbers that forgets: an entry may replace another one. It is small, so that the processor's caches
/// hold it.
#[derive(Debug)]
pub(super) struct RecentPairs {
    /// As many as a power of two.
    entries: Vec<(u64, u32)>,
}

impl RecentPairs {
    const MOST: usize = 1 << 15;

    pub(super) fn new() -> Self {
        Self { entries: vec![(0, UNKNOWN)] }
    }

    /// Forgets all, and makes room for so many pairs.
    pub(super) fn clear(&mut self, count: usize) {
        let room = (2 * count).next_power_of_two().clamp(self.entries.len(), Self::MOST);
        self.entries.clear();
        self.entries.resize(room, (0, UNKNOWN));
    }

    /// The number of a pair. If it has none, it has `next` from now on: then the second is true.
    pub(super) fn number(&mut self, pair: u64, next: u32) -> (u32, bool) {
        let slot = (pair.wrapping_mul(SPREAD) >> 40) as usize & (self.entries.len() - 1);
        let entry = &mut self.entries[slot];
        if entry.0 == pair && entry.1 != UNKNOWN {
            return (entry.1, false);
        }
        *entry = (pair, next);
        (next, true)
    }

    pub(super) fn bytes(&self) -> usize {
        16 * self.entries.capacity()
    }
}

/// A set of pairs that several threads number alike. Each has a copy; a pair that is new to it is looked for, and if need
/// be numbered, in a set that is common to all.
#[derive(Debug)]
pub(super) struct CommonPairs {
    pairs: Pairs,
    common: Option<Arc<Mutex<Pairs>>>,
}

impl CommonPairs {
    /// `count` sets with the same pairs, now and later.
    pub(super) fn several(count: usize) -> Vec<Self> {
        let common = (count > 1).then(|| Arc::new(Mutex::new(Pairs::new())));
        (0..count).map(|_| Self { pairs: Pairs::new(), common: common.clone() }).collect()
    }

    /// Takes over what others have numbered.
    pub(super) fn synchronize(&mut self) -> Option<()> {
        let Some(common) = &self.common else { return Some(()) };
        let common = common.lock().unwrap_or_else(PoisonError::into_inner);
        copy_new(&common, &mut self.pairs)
    }

    /// The number of a pair. None: there are as many as numbers.
    pub(super) fn number(&mut self, pair: u64) -> Option<u32> {
        let Some(common) = &self.common else { return Some(self.pairs.number(pair)?.0) };
        if let Some(known) = self.pairs.find(pair) {
            return Some(known);
        }
        let mut common = common.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, _) = common.number(pair)?;
        copy_new(&common, &mut self.pairs)?;
        Some(number)
    }

    /// The pair with a number.
    pub(super) fn get(&self, number: u32) -> u64 {
        self.pairs.get(number)
    }

    pub(super) fn bytes(&self) -> usize {
        self.pairs.bytes()
    }
}

fn copy_new(from: &Pairs, to: &mut Pairs) -> Option<()> {
    for &pair in &from.entries[to.len()..] {
        to.number(pair)?;
    }
    Some(())
}

/// The slot that a search without an answer ends in.
pub(super) trait FreeSlot {
    fn unwrap_err_or(self, slot: usize) -> usize;
}

impl FreeSlot for Result<u32, usize> {
    fn unwrap_err_or(self, slot: usize) -> usize {
        self.err().unwrap_or(slot)
    }
}
