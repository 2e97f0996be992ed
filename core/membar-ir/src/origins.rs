//! Dependencies of values on reads, as `program/origins.py` defines them.

use crate::bits::SmallSet;

/// The reads of a thread that a value depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Origins {
    /// It was computed from theirs.
    pub data: SmallSet,
    /// Theirs decided, in a selection, what it was computed from.
    pub pick: SmallSet,
}

impl Origins {
    /// The value that `read` returned.
    #[must_use]
    pub fn of(read: usize) -> Self {
        Self { data: SmallSet::one(read), pick: SmallSet::default() }
    }

    /// Adds those of another value.
    pub fn extend(&mut self, other: &Self) {
        self.data.extend(&other.data);
        self.pick.extend(&other.pick);
    }

    /// Adds that `condition` decided what the value was computed from.
    pub fn pick_by(&mut self, condition: &Self) {
        self.pick.extend(&condition.data);
        self.pick.extend(&condition.pick);
    }

    /// Whether it depends on nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.data.is_empty() && self.pick.is_empty()
    }

    /// Whether `other` depends on all that it depends on.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        self.data.is_within(&other.data) && self.pick.is_within(&other.pick)
    }
}
