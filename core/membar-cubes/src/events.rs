//! Pending reads of a cube under weak memory, and what must come before them.
//!
//! The events of section 4 of the paper, reduced to what can still matter. Going backwards, a new event comes
//! before old ones, except that a pending read comes before a new write of its location that does not satisfy it.
//! So a cycle needs a pending read, and for all other old events only the nodes that they precede matter. These are
//! stored per process and per location. Nothing else about satisfied reads and writes is needed, and nothing is
//! lost.
//!
//! A node is a set of simultaneous accesses of which some reads are pending. The order of nodes is transitively
//! closed, and the marks are closed upwards.

use crate::term::Place;
use membar_ir::error::CoreError;

/// A set of nodes.
pub type Nodes = u128;
/// The most nodes of a cube.
const MOST_NODES: usize = 128;

/// Pending reads and the order that is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Events {
    /// For each node its pending reads, in order.
    pub reads: Vec<Vec<Place>>,
    /// For each node those that come after it.
    pub after: Vec<Nodes>,
    /// For each process the nodes that some event of its own comes before or is in.
    pub program: Vec<Nodes>,
    /// For each process the nodes that each earlier write of its own comes before.
    pub flushed: Vec<Nodes>,
    /// For each location the nodes that some write to it comes before or is in; none where empty.
    pub stored: Vec<(Place, Nodes)>,
}

/// The accesses of a transition, seen from a cube.
#[derive(Debug, Clone, Default)]
pub struct Accesses {
    /// Who.
    pub process: u8,
    /// What is read and matters, all in the new node.
    pub reads: Vec<Place>,
    /// Locations written.
    pub writes: Vec<Place>,
    /// Pending reads that take their value from the write.
    pub satisfied: Vec<Place>,
    /// Whether there is a write at all.
    pub is_write: bool,
    /// Whether reads and writes are one.
    pub is_atomic: bool,
    /// Whether the buffer is empty before.
    pub fence: bool,
}

fn bit(node: usize) -> Nodes {
    1 << node
}

/// The members of a set.
pub fn members(mut set: Nodes) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let node = set.trailing_zeros() as usize;
            set &= set - 1;
            node
        })
    })
}

impl Events {
    /// The number of the node that `before` adds.
    pub fn next(&self) -> Result<u8, CoreError> {
        if self.reads.len() >= MOST_NODES {
            return Err(CoreError::TooLarge("pending reads in a cube"));
        }
        Ok(u8::try_from(self.reads.len()).unwrap_or(0))
    }

    /// Makes room for processes.
    pub fn grow(&mut self, slots: usize) {
        self.program.resize(slots.max(self.program.len()), 0);
        self.flushed.resize(slots.max(self.flushed.len()), 0);
    }

    /// One node of simultaneous pending reads, of any processes, in a state: all that any process has done and all
    /// that it had to see flushed comes before.
    pub fn begin(&mut self, reads: Vec<Place>) {
        if reads.is_empty() {
            return;
        }
        for nodes in &mut self.program {
            *nodes |= 1;
        }
        self.reads.push(reads);
        self.after.push(0);
    }

    /// The nodes that writes to a location come before.
    #[must_use]
    pub fn stores_to(&self, location: Place) -> Nodes {
        self.stored.binary_search_by_key(&location, |one| one.0).map_or(0, |at| self.stored[at].1)
    }

    fn store(&mut self, location: Place, nodes: Nodes) {
        match self.stored.binary_search_by_key(&location, |one| one.0) {
            Ok(at) => self.stored[at].1 |= nodes,
            Err(at) if nodes != 0 => self.stored.insert(at, (location, nodes)),
            Err(_) => {}
        }
    }

    /// Every pending read.
    pub fn pending(&self) -> impl Iterator<Item = Place> {
        self.reads.iter().flatten().copied()
    }

    /// Puts the accesses of a transition before everything; false if that makes a cycle.
    #[must_use]
    pub fn before(&mut self, new: &Accesses) -> bool {
        let process = new.process as usize;
        let node = self.reads.len();
        let mut after: Nodes = 0;
        let mut waiting: Nodes = 0;
        if new.is_write {
            after |= self.flushed[process];
            for &location in &new.writes {
                after |= self.stores_to(location);
            }
            for read in &new.satisfied {
                if read.reader != new.process {
                    let at = read.node as usize - 1;
                    after |= bit(at) | self.after[at];
                }
            }
            waiting = self.waiting(new);
        }
        let has_node = !new.reads.is_empty();
        if !new.is_write || new.is_atomic {
            after |= self.program[process];
            for read in &new.reads {
                after |= self.stores_to(read.location());
            }
        }
        if after & waiting != 0 {
            return false;
        }
        let own = if has_node { bit(node) } else { 0 };
        self.follow(waiting, after | own);
        if has_node {
            self.reads.push(new.reads.clone());
            self.after.push(after);
        }
        let up = after | own;
        self.program[process] |= up;
        if new.is_write {
            self.flushed[process] |= up;
            for &location in &new.writes {
                self.store(location, up);
            }
        }
        if new.fence {
            self.flushed[process] |= self.program[process];
        }
        true
    }

    /// Nodes with a pending read of another process that the new write does not satisfy.
    fn waiting(&self, new: &Accesses) -> Nodes {
        let mut waiting = 0;
        for read in self.pending() {
            let is_missed = new.writes.contains(&read.location());
            if read.reader != new.process && is_missed && !new.satisfied.contains(&read) {
                waiting |= bit(read.node as usize - 1);
            }
        }
        waiting
    }

    /// Orders `first` before `then`, and with it all that comes before `first`.
    fn follow(&mut self, first: Nodes, then: Nodes) {
        if first == 0 || then == 0 {
            return;
        }
        for node in 0..self.after.len() {
            if (bit(node) | self.after[node]) & first != 0 {
                self.after[node] |= then;
            }
        }
        let marks = self.program.iter_mut().chain(&mut self.flushed);
        for mark in marks.chain(self.stored.iter_mut().map(|one| &mut one.1)) {
            if *mark & first != 0 {
                *mark |= then;
            }
        }
    }

    /// Keeps only some pending reads, and only nodes that have one; where each kept node went.
    pub fn retain(&mut self, keep: impl Fn(Place) -> bool) -> Vec<u8> {
        let mut place = vec![u8::MAX; self.reads.len()];
        let mut kept = Vec::new();
        for (node, to) in place.iter_mut().enumerate() {
            self.reads[node].retain(|&read| keep(read));
            if !self.reads[node].is_empty() {
                *to = u8::try_from(kept.len()).unwrap_or(u8::MAX);
                kept.push(node);
            }
        }
        if kept.len() == self.reads.len() {
            return place;
        }
        let squeezed = |set: Nodes| {
            kept.iter()
                .enumerate()
                .fold(0, |sum, (new, &old)| if set & bit(old) == 0 { sum } else { sum | bit(new) })
        };
        self.reads = kept.iter().map(|&node| std::mem::take(&mut self.reads[node])).collect();
        self.after = kept.iter().map(|&node| squeezed(self.after[node])).collect();
        for mark in self.program.iter_mut().chain(&mut self.flushed) {
            *mark = squeezed(*mark);
        }
        for (_, mark) in &mut self.stored {
            *mark = squeezed(*mark);
        }
        self.stored.retain(|one| one.1 != 0);
        for (node, reads) in self.reads.iter_mut().enumerate() {
            for read in reads {
                read.node = u8::try_from(node + 1).unwrap_or(u8::MAX);
            }
        }
        place
    }
}
