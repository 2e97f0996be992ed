//! Sets of small numbers (events of a thread, runs of a thread): one word inline, more only where needed.

use crate::bits::Bits;

/// A set of small numbers. Two equal sets may differ in trailing zero words, so it is no key by itself.
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
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.low & other.low != 0 || self.high.iter().zip(&other.high).any(|(a, b)| a & b != 0)
    }

    /// Whether all its members are in `other`.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        let rest = other.high.iter().copied().chain(std::iter::repeat(0));
        self.low & !other.low == 0 && self.high.iter().zip(rest).all(|(a, b)| a & !b == 0)
    }

    /// Whether it has no member.
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
