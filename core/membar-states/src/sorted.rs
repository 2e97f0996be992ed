//! Sorted sets of words in files: blocks of differences between neighbours.

use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::Watch;

use super::blocks::BlockFile;
use super::thread_state::{put, take};

/// A sorted set that does not change.
#[derive(Debug, Default)]
pub(super) struct SortedFile {
    file: BlockFile,
    /// The first word of each block.
    firsts: Vec<u64>,
    count: u64,
    /// Words of a block.
    block_size: usize,
}

impl SortedFile {
    /// The set of these words, which are sorted, in blocks of so many.
    pub(super) fn new(words: &[u64], block_size: usize, watch: &mut Watch<'_>) -> Result<Self, Failure> {
        let mut writer = Writer::new(block_size);
        for &word in words {
            writer.push(word, watch)?;
        }
        writer.finish()
    }

    /// The union of two sets.
    pub(super) fn union(left: &mut Self, right: &mut Self, watch: &mut Watch<'_>) -> Result<Self, Failure> {
        let mut writer = Writer::new(left.block_size);
        let (mut left, mut right) = (Reader::new(left)?, Reader::new(right)?);
        loop {
            let least = match (left.first(), right.first()) {
                (Some(left), Some(right)) => left.min(right),
                (Some(word), None) | (None, Some(word)) => word,
                (None, None) => return writer.finish(),
            };
            for reader in [&mut left, &mut right] {
                if reader.first() == Some(least) {
                    reader.advance()?;
                }
            }
            writer.push(least, watch)?;
        }
    }

    /// How many words there are.
    pub(super) fn len(&self) -> u64 {
        self.count
    }

    /// How long the file is.
    pub(super) fn size(&self) -> u64 {
        self.file.size()
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.file.bytes() + 8 * self.firsts.capacity()
    }

    /// Names those of `words`, which are sorted, that are in the set. Only blocks that may hold one are read.
    pub(super) fn find(
        &mut self,
        words: &[u64],
        watch: &mut Watch<'_>,
        mut observe: impl FnMut(u64),
    ) -> Result<(), Failure> {
        let mut rest = words;
        let mut block = Block::default();
        for number in 0..self.firsts.len() {
            let first = self.firsts[number];
            let next = self.firsts.get(number + 1);
            rest = &rest[rest.partition_point(|&word| word < first)..];
            let end = next.map_or(rest.len(), |&next| rest.partition_point(|&word| word < next));
            let (mut here, later) = rest.split_at(end);
            rest = later;
            if here.is_empty() {
                continue;
            }
            watch.work(self.block_size)?;
            block.read(&mut self.file, number)?;
            for &word in &block.words {
                while let Some((&wanted, others)) = here.split_first()
                    && wanted <= word
                {
                    if wanted == word {
                        observe(word);
                    }
                    here = others;
                }
            }
        }
        Ok(())
    }
}

/// A block that was read.
#[derive(Debug, Default)]
struct Block {
    coded: Vec<u8>,
    words: Vec<u64>,
}

impl Block {
    fn read(&mut self, file: &mut BlockFile, number: usize) -> Result<(), CoreError> {
        file.read(number, &mut self.coded)?;
        self.words.clear();
        let (mut rest, mut last) = (self.coded.as_slice(), 0_u64);
        while !rest.is_empty() {
            last = last.wrapping_add(take(&mut rest));
            self.words.push(last);
        }
        Ok(())
    }
}

/// Reads a set from its first word to its last.
struct Reader<'f> {
    file: &'f mut BlockFile,
    /// The block after the one at hand.
    next: usize,
    block: Block,
    place: usize,
}

impl<'f> Reader<'f> {
    fn new(set: &'f mut SortedFile) -> Result<Self, CoreError> {
        let mut reader = Self { file: &mut set.file, next: 0, block: Block::default(), place: 0 };
        reader.refill()?;
        Ok(reader)
    }

    /// The first word that has not been read.
    fn first(&self) -> Option<u64> {
        self.block.words.get(self.place).copied()
    }

    fn advance(&mut self) -> Result<(), CoreError> {
        self.place += 1;
        self.refill()
    }

    fn refill(&mut self) -> Result<(), CoreError> {
        if self.place == self.block.words.len() && self.next < self.file.len() {
            self.block.read(self.file, self.next)?;
            self.next += 1;
            self.place = 0;
        }
        Ok(())
    }
}

/// Writes a set.
#[derive(Default)]
struct Writer {
    set: SortedFile,
    coded: Vec<u8>,
    last: u64,
    /// Words of the block at hand.
    words: usize,
}

impl Writer {
    fn new(block_size: usize) -> Self {
        Self { set: SortedFile { block_size, ..SortedFile::default() }, ..Self::default() }
    }

    fn push(&mut self, word: u64, watch: &mut Watch<'_>) -> Result<(), Failure> {
        if self.words == 0 {
            self.set.firsts.push(word);
            self.last = 0;
        }
        put(&mut self.coded, word - self.last);
        self.last = word;
        self.set.count += 1;
        self.words += 1;
        if self.words == self.set.block_size {
            watch.work(self.words)?;
            self.close()?;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Failure> {
        self.set.file.append(&self.coded)?;
        self.coded.clear();
        self.words = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<SortedFile, Failure> {
        if self.words > 0 {
            self.close()?;
        }
        Ok(self.set)
    }
}

#[cfg(test)]
mod tests {
    use membar_ir::limits::{Limits, Stop};
    use std::collections::BTreeSet;

    use super::*;

    fn words(seed: u64, count: usize, spread: u64) -> BTreeSet<u64> {
        let mut word = seed;
        let mut next = || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word >> 20
        };
        (0..count).map(|_| next() % spread).collect()
    }

    #[test]
    fn sets_are_searched_and_united_as_in_memory() {
        let stop = Stop::default();
        let mut watch = Watch::new(&stop, Limits::default());
        for (count, spread) in [(0, 1), (1, 1), (5000, 1 << 14), (64, u64::MAX), (9000, 1 << 40)] {
            let [left, right] = [3, 4].map(|seed| words(seed, count, spread));
            let [mut one, mut other] = [&left, &right].map(|set| {
                let list: Vec<u64> = set.iter().copied().collect();
                SortedFile::new(&list, 64, &mut watch).unwrap()
            });
            let mut both = SortedFile::union(&mut one, &mut other, &mut watch).unwrap();
            assert_eq!(both.len(), left.union(&right).count() as u64);
            for (file, set) in [(&mut one, left.clone()), (&mut both, &left | &right)] {
                for wanted in [&left | &right, words(5, 100, spread), [0, u64::MAX].into()] {
                    let list: Vec<u64> = wanted.iter().copied().collect();
                    let mut found = Vec::new();
                    file.find(&list, &mut watch, |word| found.push(word)).unwrap();
                    assert!(found.iter().eq(wanted.intersection(&set)));
                }
            }
        }
    }
}
