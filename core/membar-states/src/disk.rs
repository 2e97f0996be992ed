//! States on disk: what is done when visited states no longer fit into memory.
//!
//! States are listed in a file by their numbers, each with the number of the state before it: the list is what is still to
//! be looked at, and a run is found again in it. The pairs at the roots of visited states are also in sorted files. What was
//! met last is in a table in memory as before; whether a state that is new there was visited earlier is found out for
//! many at a time, by reading the sorted files next to them (delayed duplicate detection: Stern, Dill, "Using magnetic disk
//! instead of main memory in the Murφ verifier", CAV 1998). Those that are new are numbered in the order in which they were
//! met, so every number is the same as in memory. When the table is full, it becomes another sorted file.

use membar_ir::bits::SmallSet;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Stopped, Watch};

use super::blocks::BlockFile;
use super::sorted::SortedFile;
use super::successors::too_many;
use super::tables::{Pairs, left_of, pair, right_of};
use super::thread_state::{put, take};

/// States of a block, usually.
pub(super) const BLOCK: usize = 1 << 12;

/// A state: the pair at its root, and the number of the state before it.
pub(super) type Entry = (u64, u32);

/// States in files.
#[derive(Debug, Default)]
pub(super) struct DiskStates {
    /// States by their numbers, but for the last ones, which do not fill a block yet.
    list: BlockFile,
    last: Vec<Entry>,
    /// A block that was read, and which.
    block: (usize, Vec<Entry>),
    coded: Vec<u8>,
    block_size: usize,
    /// The pairs at the roots of visited states, but for those that are in memory; the larger sets come first.
    visited: Vec<SortedFile>,
    /// So many states in memory are settled: either they are in the list or, being `known`, they are in the sorted files.
    settled: usize,
    known: SmallSet,
    /// Most bytes on disk.
    most: u64,
    /// Most bytes that were there.
    peak: u64,
}

impl DiskStates {
    /// No states yet, and at most so many bytes on disk, in blocks of so many states.
    pub(super) fn new(most: u64, block_size: usize) -> Self {
        // No block has the number that is said to have been read.
        Self { block: (usize::MAX, Vec::new()), block_size, most, ..Self::default() }
    }

    /// How many states have numbers.
    pub(super) fn len(&self) -> usize {
        self.list.len() * self.block_size + self.last.len()
    }

    /// Most bytes that were on disk.
    pub(super) fn peak(&self) -> u64 {
        self.peak
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        let lists = self.last.capacity() + self.block.1.capacity();
        let visited: usize = self.visited.iter().map(SortedFile::bytes).sum();
        self.list.bytes() + size_of::<Entry>() * lists + visited + self.settled / 8
    }

    /// The state with a number.
    pub(super) fn get(&mut self, number: u32) -> Result<Entry, CoreError> {
        let (block, place) = (number as usize / self.block_size, number as usize % self.block_size);
        if block == self.list.len() {
            return Ok(self.last[place]);
        }
        if self.block.0 != block {
            self.list.read(block, &mut self.coded)?;
            self.block.0 = block;
            self.block.1.clear();
            let (mut rest, mut entry) = (self.coded.as_slice(), (0, 0));
            while !rest.is_empty() {
                let mut next = |last: u32| last.wrapping_add(unfold(take(&mut rest)));
                let root = pair(next(left_of(entry.0)), next(right_of(entry.0)));
                entry = (root, next(entry.1));
                self.block.1.push(entry);
            }
        }
        Ok(self.block.1[place])
    }

    /// Gives a state the next number.
    pub(super) fn push(&mut self, entry: Entry) -> Result<(), Failure> {
        if self.len() >= u32::MAX as usize {
            return Err(Failure::Error(too_many()));
        }
        self.last.push(entry);
        if self.last.len() == self.block_size {
            self.coded.clear();
            let mut last: Entry = (0, 0);
            for entry in self.last.drain(..) {
                let mut add = |last: u32, next: u32| put(&mut self.coded, fold(next.wrapping_sub(last)));
                add(left_of(last.0), left_of(entry.0));
                add(right_of(last.0), right_of(entry.0));
                add(last.1, entry.1);
                last = entry;
            }
            self.list.append(&self.coded)?;
            self.weigh()?;
        }
        Ok(())
    }

    /// Numbers the states in memory that are new, in their order; `before` are the states before those that are not settled.
    pub(super) fn settle(
        &mut self,
        recent: &Pairs,
        before: &mut Vec<u32>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        let fresh = &recent.entries()[self.settled..];
        if !self.visited.is_empty() && !fresh.is_empty() {
            let mut sorted = fresh.to_vec();
            sorted.sort_unstable();
            let known = &mut self.known;
            for visited in &mut self.visited {
                visited.find(&sorted, watch, |root| {
                    if let Some(place) = recent.find(root) {
                        known.insert(place as usize);
                    }
                })?;
            }
        }
        for (place, (&root, &before)) in (self.settled..).zip(fresh.iter().zip(&*before)) {
            if !self.known.contains(place) {
                self.push((root, before))?;
            }
        }
        self.settled = recent.len();
        before.clear();
        Ok(())
    }

    /// Puts the states in memory, all of which are settled, into sorted files.
    pub(super) fn put_away(&mut self, recent: &mut Pairs, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let mut roots = recent.take();
        let known = std::mem::take(&mut self.known);
        let mut place = 0;
        roots.retain(|_| {
            place += 1;
            !known.contains(place - 1)
        });
        self.settled = 0;
        self.add_visited(roots, watch)
    }

    /// Adds states that are in the list to those that are known as visited.
    pub(super) fn add_visited(&mut self, mut roots: Vec<u64>, watch: &mut Watch<'_>) -> Result<(), Failure> {
        roots.sort_unstable();
        self.visited.push(SortedFile::new(&roots, self.block_size, watch)?);
        drop(roots);
        self.weigh()?;
        // Every set is read whenever states are settled, so there are few: each is more than twice as large as the next.
        while let [.., left, right] = &mut *self.visited
            && left.len() < 2 * right.len()
        {
            let union = SortedFile::union(left, right, watch)?;
            let size = self.size() + union.size();
            self.peak = self.peak.max(size);
            self.visited.truncate(self.visited.len() - 2);
            self.visited.push(union);
        }
        self.weigh()
    }

    /// Bytes on disk.
    fn size(&self) -> u64 {
        self.list.size() + self.visited.iter().map(SortedFile::size).sum::<u64>()
    }

    /// Compares what is on disk with the limit.
    fn weigh(&mut self) -> Result<(), Failure> {
        let size = self.size();
        self.peak = self.peak.max(size);
        if size > self.most { Err(Failure::Stopped(Stopped::Disk)) } else { Ok(()) }
    }
}

/// A difference as a number that is small where it is near 0, above or below.
fn fold(difference: u32) -> u64 {
    u64::from(difference << 1 ^ 0_u32.wrapping_sub(difference >> 31))
}

#[expect(clippy::cast_possible_truncation, reason = "it was a number of 32 bits")]
fn unfold(word: u64) -> u32 {
    let word = word as u32;
    word >> 1 ^ 0_u32.wrapping_sub(word & 1)
}
