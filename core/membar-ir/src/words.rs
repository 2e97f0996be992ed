//! Decodes a compact form: a cursor over 64-bit words that never reads past the end.

use crate::error::CoreError;

/// A position in a list of words.
#[derive(Debug)]
pub struct Words<'a> {
    words: &'a [u64],
    at: usize,
}

impl<'a> Words<'a> {
    /// A cursor at the first word.
    #[must_use]
    pub fn new(words: &'a [u64]) -> Self {
        Self { words, at: 0 }
    }

    /// An error at the word that was read last.
    #[must_use]
    pub fn malformed(&self, what: &'static str) -> CoreError {
        CoreError::Malformed { at: self.at.saturating_sub(1), what }
    }

    /// The next word.
    pub fn word(&mut self) -> Result<u64, CoreError> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word.ok_or_else(|| self.malformed("ends too early"))
    }

    /// The next word as an index below `bound`.
    pub fn index(&mut self, bound: usize, what: &'static str) -> Result<usize, CoreError> {
        let word = self.word()?;
        usize::try_from(word).ok().filter(|&index| index < bound).ok_or_else(|| self.malformed(what))
    }

    /// The next word as a number of items that follow; each takes at least one word.
    pub fn count(&mut self) -> Result<usize, CoreError> {
        let bound = self.words.len().saturating_sub(self.at);
        self.index(bound.max(1), "more items than words")
    }

    /// The next word as a flag.
    pub fn flag(&mut self) -> Result<bool, CoreError> {
        Ok(self.index(2, "a flag is 0 or 1")? == 1)
    }

    /// Nothing may follow.
    pub fn end(&self) -> Result<(), CoreError> {
        if self.at == self.words.len() {
            Ok(())
        } else {
            Err(CoreError::Malformed { at: self.at, what: "words after the end" })
        }
    }
}

/// An index in 32 bits. Tables never grow that long: their entries would not fit into memory.
#[must_use]
pub fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_bounded_by_what_is_left() {
        assert_eq!(Words::new(&[2, 7, 8]).count(), Ok(2));
        assert_eq!(Words::new(&[0]).count(), Ok(0));
        assert!(Words::new(&[3, 7, 8]).count().is_err());
        assert!(Words::new(&[u64::MAX]).count().is_err());
    }

    #[test]
    fn reading_past_the_end_is_an_error() {
        let mut words = Words::new(&[5]);
        assert!(words.end().is_err());
        assert_eq!(words.word(), Ok(5));
        assert!(words.end().is_ok());
        assert_eq!(words.word(), Err(CoreError::Malformed { at: 1, what: "ends too early" }));
    }
}
