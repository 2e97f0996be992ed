//! Sets of small numbers as bits of words: slices of a fixed length, and `SmallSet`, which grows.

/// The positions of the bits of one word, lowest first.
#[derive(Debug, Clone)]
pub struct Bits(pub u64);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let position = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(position)
    }
}

/// The members of a set, lowest first.
pub fn bits(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| Bits(bits).map(move |bit| word * 64 + bit))
}

/// Whether a number is in a set.
#[inline]
#[must_use]
pub fn contains(set: &[u64], member: usize) -> bool {
    set[member / 64] >> (member % 64) & 1 != 0
}

/// Adds a number to a set.
#[inline]
pub fn insert(set: &mut [u64], member: usize) {
    set[member / 64] |= 1 << (member % 64);
}

/// Removes a number from a set.
#[inline]
pub fn remove(set: &mut [u64], member: usize) {
    set[member / 64] &= !(1 << (member % 64));
}

/// Adds the members of `more` to `set`.
#[inline]
pub fn union(set: &mut [u64], more: &[u64]) {
    for (word, more) in set.iter_mut().zip(more) {
        *word |= more;
    }
}

/// Whether a set has no member.
#[inline]
#[must_use]
pub fn is_empty(set: &[u64]) -> bool {
    set.iter().all(|&word| word == 0)
}

/// A set of small numbers (events or runs of a thread, cells): one word inline, more only where needed. Two equal sets may differ in trailing zero words, so it is no key by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SmallSet {
    low: u64,
    high: Vec<u64>,
}

impl SmallSet {
    /// The set with one member.
    #[must_use]
    pub fn one(member: usize) -> Self {
        let mut set = Self::default();
        set.insert(member);
        set
    }

    /// Adds a member.
    #[inline]
    pub fn insert(&mut self, member: usize) {
        if member < 64 {
            self.low |= 1 << member;
        } else {
            let word = member / 64 - 1;
            if self.high.len() <= word {
                self.high.resize(word + 1, 0);
            }
            self.high[word] |= 1 << (member % 64);
        }
    }

    /// Whether a number is in it.
    #[inline]
    #[must_use]
    pub fn contains(&self, member: usize) -> bool {
        let word = if member < 64 { self.low } else { self.high.get(member / 64 - 1).copied().unwrap_or(0) };
        word >> (member % 64) & 1 != 0
    }

    /// Adds the members of `other`.
    pub fn extend(&mut self, other: &Self) {
        self.low |= other.low;
        if self.high.len() < other.high.len() {
            self.high.resize(other.high.len(), 0);
        }
        for (a, b) in self.high.iter_mut().zip(&other.high) {
            *a |= b;
        }
    }

    /// The numbers below `count`.
    #[must_use]
    pub fn below(count: usize) -> Self {
        let ones = |count: usize| if count >= 64 { u64::MAX } else { (1 << count) - 1 };
        let high = (64..count).step_by(64).map(|start| ones(count - start)).collect();
        Self { low: ones(count), high }
    }

    /// The members of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let high = self.high.iter().zip(&other.high).map(|(a, b)| a & b).collect();
        Self { low: self.low & other.low, high }
    }

    /// Whether some number is in both.
    #[inline]
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.low & other.low != 0 || self.high.iter().zip(&other.high).any(|(a, b)| a & b != 0)
    }

    /// Whether all its members are in `other`.
    #[inline]
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        let rest = other.high.iter().copied().chain(std::iter::repeat(0));
        self.low & !other.low == 0 && self.high.iter().zip(rest).all(|(a, b)| a & !b == 0)
    }

    /// Whether it has no member.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.iter().all(|&word| word == 0)
    }

    /// The members, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let rest = (1..).zip(&self.high).flat_map(|(word, &bits)| Bits(bits).map(move |bit| word * 64 + bit));
        Bits(self.low).chain(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back_in_order() {
        let mut set = SmallSet::one(200);
        set.insert(3);
        let mut other = SmallSet::one(64);
        other.extend(&set);
        assert_eq!(other.iter().collect::<Vec<_>>(), [3, 64, 200]);
        set.extend(&SmallSet::one(63));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 63, 200]);
        assert_eq!(set.and(&SmallSet::below(64)).iter().collect::<Vec<_>>(), [3, 63]);
        assert!(SmallSet::one(100).and(&SmallSet::below(100)).is_empty());
        assert!(SmallSet::one(3).is_within(&set) && !set.is_within(&SmallSet::below(200)));
        assert_eq!(SmallSet::below(130).iter().count(), 130);
    }
}
