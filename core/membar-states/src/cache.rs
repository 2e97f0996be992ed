//! A cache of successors: steps that find the same words lead to the same result.
//!
//! What a step does depends on the part of its thread and on the words of the state that it reads: cells of memory,
//! contents of channels, parts of other threads. Both repeat: there are few parts of a thread beside the states that
//! they occur in. So the steps of a part are computed once for each way in which the words that they read can look. A
//! step is a small tree: cells that are read together, and for each of their values the next cells, or what the step
//! does. The branches of all trees are in one table. Steps that choose are not remembered.

use rustc_hash::FxHashMap;

use membar_ir::words::narrow;

use super::program::CellLayout;
use super::stepper::{Done, Halt, Stepper};
use super::store::is_left;
use super::tables::SPREAD;
use joint_steps::JointSteps;

mod joint_steps;

/// Bytes after which the cache begins anew, or nothing more is remembered.
const ROOM: usize = 12 << 20;
/// A step of which nothing is known.
pub(super) const UNKNOWN: u32 = u32::MAX;
/// The bit that tells outcomes from nodes.
const OUTCOME: u32 = 1 << 31;
/// More different sets of changes than this are not told apart.
const MOST_SETS: u32 = 1 << 16;
/// A cache whose entries are used less often than this before it is full is not worth filling again.
const WORTH_IT: u64 = 8;

/// What a step looked at and did, while it runs.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// Cells as they were before the step, in the order in which they were first read.
    reads: Vec<(CellLayout, u64)>,
    /// Where those that are read together end; the last ones may become more.
    groups: Vec<usize>,
    writes: Vec<(CellLayout, u64)>,
    /// Whether what it reads next depends on what it has read.
    is_sealed: bool,
    /// Whether it looked at more than is worth remembering.
    pub(super) is_spoilt: bool,
}

impl Trace {
    pub(super) fn clear(&mut self) {
        self.reads.clear();
        self.groups.clear();
        self.writes.clear();
        (self.is_sealed, self.is_spoilt) = (true, false);
    }

    /// From here on what it reads depends on what it has read: cells before and behind are not read together.
    pub(super) fn seal(&mut self) {
        self.is_sealed = true;
    }

    pub(super) fn read(&mut self, place: CellLayout, value: u64) {
        // What it reads again, or of its own writes, is known already.
        if self.writes.iter().chain(&self.reads).any(|&(known, _)| known == place) {
            return;
        }
        self.reads.push((place, value));
        let start = self.groups.len().checked_sub(2).map_or(0, |before| self.groups[before]);
        let bits: u32 = self.reads[start..].iter().map(|(place, _)| place.bits()).sum();
        match self.groups.last_mut().filter(|_| !self.is_sealed && bits <= 64) {
            Some(end) => *end += 1,
            None => self.groups.push(self.reads.len()),
        }
        self.is_sealed = false;
    }

    /// What is read together, and what it holds, in order.
    fn groups(&self) -> impl Iterator<Item = (Vec<CellLayout>, u64)> {
        let starts = std::iter::once(0).chain(self.groups.iter().copied());
        starts.zip(&self.groups).map(|(start, &end)| join(&self.reads[start..end]))
    }

    pub(super) fn write(&mut self, place: CellLayout, value: u64) {
        self.writes.push((place, value));
    }
}

/// Cells in the order of their words, neighbours as one, and what they hold.
fn join(reads: &[(CellLayout, u64)]) -> (Vec<CellLayout>, u64) {
    let mut reads = reads.to_vec();
    reads.sort_unstable_by_key(|&(place, _)| place.bit());
    let mut places: Vec<CellLayout> = Vec::new();
    let (mut word, mut bits) = (0, 0);
    for (place, value) in reads {
        word |= value << bits;
        bits += place.bits();
        match places.last_mut().and_then(|last| Some((last.followed_by(place)?, last))) {
            Some((both, last)) => *last = both,
            None => places.push(place),
        }
    }
    (places, word)
}

/// New bits of a word of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Change {
    pub(super) leaf: u32,
    mask: u32,
    bits: u32,
}

impl Change {
    /// The word as it is afterwards.
    pub(super) fn apply(self, word: u32) -> u32 {
        (word & !self.mask) | self.bits
    }
}

/// Numbers of what a step changes among the words on the left and on the right of the root of the tree of states; 0 if
/// nothing, `UNKNOWN` if they have none.
pub(super) type Sides = (u32, u32);

/// Numbers for sets of changes on one side.
#[derive(Debug, Default)]
struct ChangeSets {
    numbers: FxHashMap<Vec<Change>, u32>,
}

impl ChangeSets {
    fn number(&mut self, mut changes: Vec<Change>) -> u32 {
        if changes.is_empty() {
            return 0;
        }
        changes.sort_unstable_by_key(|change| change.leaf);
        let next = narrow(self.numbers.len() + 1);
        if next > MOST_SETS {
            return self.numbers.get(&changes).copied().unwrap_or(UNKNOWN);
        }
        *self.numbers.entry(changes).or_insert(next)
    }
}

/// What a step does: why it is not taken or fails, if so, and whose operation was the last; its changes are in a list of
/// `SuccessorCache`. Many steps have the same outcome: it is kept once, so that few are read again and again.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    done: Done,
    thread: u32,
    changes: (u32, u32),
    sides: Sides,
}

/// What follows in a tree below a node if this is what it reads.
#[derive(Debug, Clone, Copy)]
struct Branch {
    word: u64,
    node: u32,
    next: u32,
}

const NO_BRANCH: Branch = Branch { word: 0, node: UNKNOWN, next: UNKNOWN };

/// A remembered step.
#[derive(Debug)]
pub(super) struct Recalled<'m> {
    pub(super) done: Done,
    pub(super) thread: usize,
    pub(super) changes: &'m [Change],
    pub(super) sides: Sides,
}

/// Steps of all threads. Each has a root, which is a node, an outcome or unknown.
#[derive(Debug)]
pub(super) struct SuccessorCache {
    /// Where in `places` those are that each node reads.
    nodes: Vec<(u32, u32)>,
    places: Vec<CellLayout>,
    /// A power of two.
    branches: Vec<Branch>,
    used: usize,
    outcomes: Vec<Outcome>,
    changes: Vec<Change>,
    joint: JointSteps,
    /// The numbers of outcomes.
    known: FxHashMap<(Done, u32, Sides), u32>,
    is_full: bool,
    /// Whether anything is recalled now.
    pub(super) recalls: bool,
    kept: u64,
    recalled: u64,
    /// Per word, whether it is on the left side, and what steps change on each.
    is_left: Vec<bool>,
    left: ChangeSets,
    right: ChangeSets,
}

impl SuccessorCache {
    /// A cache of steps between states whose words are in this order in the tree.
    pub(super) fn new(order: &[usize]) -> Self {
        Self {
            nodes: Vec::new(),
            places: Vec::new(),
            branches: vec![NO_BRANCH; 64],
            used: 0,
            outcomes: Vec::new(),
            changes: Vec::new(),
            joint: JointSteps::default(),
            known: FxHashMap::default(),
            is_full: false,
            recalls: true,
            kept: 0,
            recalled: 0,
            is_left: is_left(order),
            left: ChangeSets::default(),
            right: ChangeSets::default(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<(u32, u32)>() * self.nodes.capacity()
            + size_of::<CellLayout>() * self.places.capacity()
            + size_of::<Branch>() * self.branches.len()
            + size_of::<Outcome>() * self.outcomes.capacity()
            + size_of::<Change>() * self.changes.capacity()
            + self.joint.bytes()
            + size_of::<((Done, u32, Sides), u32)>() * self.known.capacity()
    }

    /// Forgets all steps if it is full and was worth it; whether it did: then no root means anything any more.
    pub(super) fn begins_anew(&mut self) -> bool {
        if !self.is_full || self.recalled / WORTH_IT <= self.kept {
            return false;
        }
        self.nodes = Vec::new();
        self.places = Vec::new();
        self.branches = vec![NO_BRANCH; 64];
        self.outcomes = Vec::new();
        self.changes = Vec::new();
        self.joint = JointSteps::default();
        self.known = FxHashMap::default();
        (self.used, self.kept, self.recalled, self.is_full) = (0, 0, 0, false);
        true
    }

    /// What the step with this root does in a state, if it did that before.
    pub(super) fn recall(&mut self, root: u32, leaves: &[u32]) -> Option<Recalled<'_>> {
        let outcome = self.find(root, leaves, |_| ()).filter(|_| self.recalls)?;
        self.recalled += 1;
        Some(self.outcome(outcome))
    }

    /// The number of what the step with this root does in a state; `read` is told of each node on the way.
    fn find(&self, root: u32, leaves: &[u32], mut read: impl FnMut(u32)) -> Option<u32> {
        let mut node = root;
        while node & OUTCOME == 0 {
            read(node);
            node = self.next(node, self.word_of(node, leaves));
        }
        (node != UNKNOWN).then_some(node & !OUTCOME)
    }

    /// What has this number.
    fn outcome(&self, number: u32) -> Recalled<'_> {
        let Outcome { done, thread, changes, sides } = self.outcomes[number as usize];
        let changes = &self.changes[changes.0 as usize..changes.1 as usize];
        Recalled { done, thread: thread as usize, changes, sides }
    }

    /// What a node reads in a state.
    fn word_of(&self, node: u32, leaves: &[u32]) -> u64 {
        let (mut word, mut bits) = (0, 0);
        for place in self.places_of(node) {
            word |= place.get(leaves) << bits;
            bits += place.bits();
        }
        word
    }

    /// What a node reads.
    fn places_of(&self, node: u32) -> &[CellLayout] {
        let (start, end) = self.nodes[node as usize];
        &self.places[start as usize..end as usize]
    }

    /// Where a branch is, or the free place for it; half of the table is free.
    fn slot(&self, node: u32, word: u64) -> usize {
        let mask = self.branches.len() - 1;
        let hash = (word ^ u64::from(node) << 32).wrapping_mul(SPREAD);
        let mut slot = (hash >> 40) as usize & mask;
        loop {
            let branch = &self.branches[slot];
            if (branch.node == node && branch.word == word) || branch.node == UNKNOWN {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// What follows a node, or another number that is no outcome, if it reads this.
    pub(super) fn next(&self, node: u32, word: u64) -> u32 {
        self.branches[self.slot(node, word)].next
    }

    /// Remembers what the step with this root, which the stepper took, looked at and did; its root afterwards.
    pub(super) fn keep(&mut self, root: u32, stepper: &Stepper, done: Done) -> u32 {
        let trace = &stepper.trace;
        let is_error = matches!(done, Err(Halt::Fault | Halt::Refused(_) | Halt::Full));
        if trace.is_spoilt || self.is_full || is_error {
            return root;
        }
        self.make_room(trace.groups.len());
        self.kept += 1;
        let (mut root, mut at) = (root, None);
        for (places, word) in trace.groups() {
            let known = at.map_or(root, |slot: usize| self.branches[slot].next);
            let node = if known == UNKNOWN { self.add_node(&places) } else { known };
            if node & OUTCOME != 0 || self.places_of(node) != places {
                // The same step looks at the same words, as long as these look the same.
                return root;
            }
            self.set(&mut root, at, node);
            let slot = self.slot(node, word);
            if self.branches[slot].node == UNKNOWN {
                self.used += 1;
                self.branches[slot] = Branch { word, node, next: UNKNOWN };
            }
            at = Some(slot);
        }
        let outcome = self.add_outcome(stepper, done);
        self.set(&mut root, at, outcome);
        self.is_full = self.bytes() > ROOM;
        root
    }

    /// Puts `next` behind `word` at a node.
    pub(super) fn set_next(&mut self, node: u32, word: u64, next: u32) {
        self.make_room(1);
        let slot = self.slot(node, word);
        self.used += usize::from(self.branches[slot].node == UNKNOWN);
        self.branches[slot] = Branch { word, node, next };
    }

    fn set(&mut self, root: &mut u32, at: Option<usize>, next: u32) {
        match at {
            None => *root = next,
            Some(slot) => self.branches[slot].next = next,
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "there is no room for so many")]
    pub(super) fn add_node(&mut self, places: &[CellLayout]) -> u32 {
        let start = self.places.len() as u32;
        self.places.extend_from_slice(places);
        self.nodes.push((start, self.places.len() as u32));
        self.nodes.len() as u32 - 1
    }

    #[expect(clippy::cast_possible_truncation, reason = "there is no room for so many")]
    fn add_outcome(&mut self, stepper: &Stepper, done: Done) -> u32 {
        let start = self.changes.len();
        if done.is_ok() {
            for &(place, value) in &stepper.trace.writes {
                for (leaf, mask, bits) in place.masked(value) {
                    let known = self.changes[start..].iter_mut().find(|change| change.leaf == leaf);
                    let Some(known) = known else {
                        self.changes.push(Change { leaf, mask, bits });
                        continue;
                    };
                    known.mask |= mask;
                    known.bits = (known.bits & !mask) | bits;
                }
            }
        }
        let side = |is_left: bool| {
            let is_on_it = |change: &&Change| self.is_left[change.leaf as usize] == is_left;
            self.changes[start..].iter().filter(is_on_it).copied().collect::<Vec<_>>()
        };
        let (left, right) = (side(true), side(false));
        let sides = (self.left.number(left), self.right.number(right));
        let (thread, next) = (stepper.thread as u32, self.outcomes.len() as u32);
        if sides.0 != UNKNOWN && sides.1 != UNKNOWN {
            let number = *self.known.entry((done, thread, sides)).or_insert(next);
            if number != next {
                self.changes.truncate(start);
                return OUTCOME | number;
            }
        }
        let changes = (start as u32, self.changes.len() as u32);
        self.outcomes.push(Outcome { done, thread, changes, sides });
        OUTCOME | next
    }

    /// Doubles the table of branches where it is half full.
    fn make_room(&mut self, more: usize) {
        while 2 * (self.used + more) > self.branches.len() {
            let twice = vec![NO_BRANCH; 2 * self.branches.len()];
            for branch in std::mem::replace(&mut self.branches, twice) {
                if branch.node != UNKNOWN {
                    let slot = self.slot(branch.node, branch.word);
                    self.branches[slot] = branch;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::program::{BufferKind, Program, Registers};
    use super::*;
    use membar_ir::decoder::VERSION;
    use membar_ir::program;

    fn word(leaf: u32) -> CellLayout {
        CellLayout::of_leaf(leaf as usize)
    }

    /// A stepper after a step that read these words, each because of those before, and wrote these.
    pub(super) fn step(reads: &[(u32, u64)], writes: &[(u32, u64)]) -> Stepper {
        // Two cells of four bytes, and one thread that does nothing.
        let form = [VERSION, 1, 4096, 4, 0, 2, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let program = program::Program::decode(&form, 0).unwrap();
        let program = Program::new(Arc::new(program), BufferKind::Sc, 1, Registers::All);
        let mut stepper = Stepper::new(&program);
        let trace = &mut stepper.trace;
        for &(leaf, value) in reads {
            trace.seal();
            trace.read(word(leaf), value);
        }
        for &(leaf, value) in writes {
            trace.write(word(leaf), value);
        }
        stepper
    }

    /// The words after a step; the first is one of those that it made.
    fn after(cache: &mut SuccessorCache, root: u32, leaves: &[u32]) -> Option<Result<Vec<u32>, Halt>> {
        let step = cache.recall(root, leaves)?;
        let mut words = leaves.to_vec();
        for change in step.changes {
            words[change.leaf as usize] = change.apply(words[change.leaf as usize]);
        }
        Some(step.done.map(|()| words))
    }

    #[test]
    fn a_step_is_recalled_where_the_words_it_reads_look_as_before() {
        let mut cache = SuccessorCache::new(&[0, 1]);
        assert_eq!(after(&mut cache, UNKNOWN, &[0, 0]), None);
        let root = cache.keep(UNKNOWN, &step(&[(0, 5), (1, 6)], &[(1, 7)]), Ok(()));
        let root = cache.keep(root, &step(&[(0, 4)], &[]), Err(Halt::Waits));
        let other = cache.keep(UNKNOWN, &step(&[], &[]), Err(Halt::Failed));
        assert_eq!(after(&mut cache, root, &[5, 6]), Some(Ok(vec![5, 7])));
        assert_eq!(after(&mut cache, root, &[4, 9]), Some(Err(Halt::Waits)));
        assert_eq!(after(&mut cache, root, &[5, 7]), None);
        assert_eq!(after(&mut cache, root, &[6, 6]), None);
        assert_eq!(after(&mut cache, other, &[6, 6]), Some(Err(Halt::Failed)));
    }

    #[test]
    fn words_that_are_read_together_are_told_apart_at_once() {
        let mut cache = SuccessorCache::new(&[0, 1, 2]);
        let mut root = UNKNOWN;
        for (left, right) in [(1, 2), (2, 1), (1, 1)] {
            let mut both = step(&[(1, left)], &[]);
            for (leaf, value) in [(0, right), (1, left), (2, 9)] {
                both.trace.read(word(leaf), value);
            }
            both.trace.write(word(2), left + 2 * right);
            root = cache.keep(root, &both, Ok(()));
        }
        // One for the first two words, and behind each way in which they look one for the third.
        assert_eq!(cache.nodes.len(), 4);
        assert_eq!(after(&mut cache, root, &[2, 1, 9]), Some(Ok(vec![2, 1, 5])));
        assert_eq!(after(&mut cache, root, &[1, 2, 9]), Some(Ok(vec![1, 2, 4])));
        assert_eq!(after(&mut cache, root, &[1, 1, 9]), Some(Ok(vec![1, 1, 3])));
        assert_eq!(after(&mut cache, root, &[2, 2, 9]), None);
    }

    #[test]
    fn what_a_step_reads_of_its_own_writes_does_not_count() {
        let mut own = step(&[], &[(0, 1)]);
        own.trace.read(word(0), 1);
        let mut cache = SuccessorCache::new(&[0, 1]);
        let root = cache.keep(UNKNOWN, &own, Ok(()));
        assert_eq!(after(&mut cache, root, &[8, 8]), Some(Ok(vec![1, 8])));
    }

    #[test]
    fn it_takes_no_more_than_its_room() {
        let mut cache = SuccessorCache::new(&[0, 1]);
        let mut roots = Vec::new();
        while !cache.is_full {
            let number = roots.len() as u64;
            let root = (0..100)
                .fold(UNKNOWN, |root, value| cache.keep(root, &step(&[(0, value)], &[(1, number)]), Ok(())));
            roots.push(root);
        }
        assert!(cache.bytes() < 3 * ROOM, "{}", cache.bytes());
        let mut answers = 0;
        for (number, &root) in (0_u32..).zip(&roots) {
            for value in 0..100 {
                let found = after(&mut cache, root, &[value, 0]);
                answers += usize::from(found.is_some());
                assert!(found.is_none_or(|found| found == Ok(vec![value, number])));
            }
        }
        assert!(answers > 100 * (roots.len() - 1), "{answers}");
    }

    #[test]
    fn a_step_that_looks_at_too_much_is_not_remembered() {
        let mut cache = SuccessorCache::new(&[0, 1]);
        let mut spoilt = step(&[], &[]);
        spoilt.trace.is_spoilt = true;
        assert_eq!(cache.keep(UNKNOWN, &spoilt, Ok(())), UNKNOWN);
    }
}
