//! A cache of successors: steps that read the same cells with the same values lead to the same result.
//!
//! What a step does depends on the part of its thread and on the cells that it reads, and both repeat: there are few
//! parts of a thread beside the states that they occur in. So the steps of a part are computed once for each way in
//! which the cells that they read can look. A step is a small tree: a cell that is read, and below each of its values
//! seen so far the next cell, or what the step does. Steps that look at other threads or channels, or choose, are not
//! remembered; nor is anything when the room for it is used up.

use membar_ir::program::CellId;

use super::program::Program;
use super::stepper::{Done, Halt};
use super::store::append;

/// Bytes after which nothing more is remembered.
const ROOM: usize = 1 << 20;
/// Nothing, where a place is asked for.
const NONE: u32 = u32::MAX;
/// Values of one cell that are told apart; more are rarely met again.
const VALUES: usize = 64;

/// What a step looked at and did, while it runs.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// Cells of memory as they were before the step, in the order in which they were read.
    reads: Vec<(CellId, u64)>,
    writes: Vec<(CellId, u64)>,
    /// Whether it looked at, or changed, anything else outside its thread.
    pub(super) is_spoilt: bool,
}

impl Trace {
    pub(super) fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.is_spoilt = false;
    }

    pub(super) fn read(&mut self, cell: CellId, value: u64) {
        // What it reads of its own stores is known without memory.
        if !self.writes.iter().any(|&(written, _)| written == cell) {
            self.reads.push((cell, value));
        }
    }

    pub(super) fn write(&mut self, cell: CellId, value: u64) {
        self.writes.push((cell, value));
    }
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Its guard is closed.
    Closed,
    /// It is not taken, or fails.
    Halted(Halt),
    /// It gives the thread the part with this number.
    Moved(u32),
}

/// What a remembered step does; its stores and the values it makes are in lists of `SuccessorCache`.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    effect: Effect,
    writes: (u32, u32),
    values: (u32, u32),
}

#[derive(Debug, Clone, Copy)]
enum Node {
    /// Nothing is known yet.
    Unknown,
    /// It depends on a cell: the first of the values seen.
    Reads(CellId, u32),
    /// The number of what it does.
    Does(u32),
}

/// A value of a cell, what follows, and the next value.
#[derive(Debug, Clone, Copy)]
struct Value {
    word: u64,
    node: Node,
    next: u32,
}

/// A remembered step.
#[derive(Debug)]
pub(super) struct Recalled<'m> {
    pub(super) effect: Effect,
    pub(super) writes: &'m [(CellId, u64)],
    pub(super) values: &'m [u64],
}

/// Steps of all threads.
#[derive(Debug)]
pub(super) struct SuccessorCache {
    /// Per thread and number of its part, where its steps begin in `roots`.
    parts: Vec<Vec<u32>>,
    roots: Vec<Node>,
    branches: Vec<Value>,
    outcomes: Vec<Outcome>,
    writes: Vec<(CellId, u64)>,
    values: Vec<u64>,
    is_full: bool,
}

impl SuccessorCache {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            parts: vec![Vec::new(); threads],
            roots: Vec::new(),
            branches: Vec::new(),
            outcomes: Vec::new(),
            writes: Vec::new(),
            values: Vec::new(),
            is_full: false,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(Vec::capacity).sum();
        4 * parts
            + size_of::<Node>() * self.roots.capacity()
            + size_of::<Value>() * self.branches.capacity()
            + size_of::<Outcome>() * self.outcomes.capacity()
            + size_of::<(CellId, u64)>() * self.writes.capacity()
            + 8 * self.values.capacity()
    }

    /// Where the `count` steps of a part of a thread are remembered; None: nowhere.
    pub(super) fn steps(&mut self, thread: usize, part: u32, count: usize) -> Option<usize> {
        let parts = &mut self.parts[thread];
        let place = part as usize;
        match parts.get(place) {
            Some(&root) if root != NONE => return Some(root as usize),
            _ if self.is_full => return None,
            Some(_) => {}
            None => parts.resize(place + 1, NONE),
        }
        let root = self.roots.len();
        parts[place] = u32::try_from(root).ok()?;
        self.roots.resize(root + count, Node::Unknown);
        Some(root)
    }

    /// What the step at `root` does in a state, if it did that before.
    pub(super) fn recall(&self, program: &Program, root: usize, leaves: &[u32]) -> Option<Recalled<'_>> {
        let mut node = self.roots[root];
        loop {
            match node {
                Node::Unknown => return None,
                Node::Does(number) => {
                    let Outcome { effect, writes, values } = self.outcomes[number as usize];
                    let writes = &self.writes[writes.0 as usize..writes.1 as usize];
                    let values = &self.values[values.0 as usize..values.1 as usize];
                    return Some(Recalled { effect, writes, values });
                }
                Node::Reads(cell, first) => {
                    let word = program.layout[cell.index()].get(leaves);
                    let mut value = &self.branches[first as usize];
                    while value.word != word {
                        value = self.branches.get(value.next as usize)?;
                    }
                    node = value.node;
                }
            }
        }
    }

    /// Remembers what the step at `root` looked at and did.
    pub(super) fn keep(&mut self, root: usize, trace: &Trace, effect: Effect, values: &[u64]) {
        if trace.is_spoilt || self.is_full {
            return;
        }
        let reads = &trace.reads;
        let writes = &trace.writes;
        if self.extend(root, reads, effect, writes, values).is_none() || self.bytes() > ROOM {
            self.is_full = true;
        }
    }

    /// Puts a step into its tree. None: a number does not fit.
    fn extend(
        &mut self,
        root: usize,
        reads: &[(CellId, u64)],
        effect: Effect,
        writes: &[(CellId, u64)],
        values: &[u64],
    ) -> Option<()> {
        let mut at = None;
        for &(cell, word) in reads {
            let first = match self.node(root, at) {
                Node::Reads(known, first) if known == cell => first,
                // The same step looks at the same cells, as long as these look the same.
                Node::Reads(..) | Node::Does(_) => return Some(()),
                Node::Unknown => NONE,
            };
            let known = self.branches_from(first).find(|&value| self.branches[value].word == word);
            if known.is_none() && self.branches_from(first).count() >= VALUES {
                return Some(());
            }
            let value = known.unwrap_or(self.branches.len());
            if known.is_none() {
                append(&mut self.branches, Value { word, node: Node::Unknown, next: first });
                self.set(root, at, Node::Reads(cell, u32::try_from(value).ok()?));
            }
            at = Some(value);
        }
        let outcome = u32::try_from(self.outcomes.len()).ok()?;
        let range = |start: usize, count: usize| {
            Some((u32::try_from(start).ok()?, u32::try_from(start + count).ok()?))
        };
        let (stored, shown) =
            (range(self.writes.len(), writes.len())?, range(self.values.len(), values.len())?);
        append(&mut self.outcomes, Outcome { effect, writes: stored, values: shown });
        self.writes.extend_from_slice(writes);
        self.values.extend_from_slice(values);
        self.set(root, at, Node::Does(outcome));
        Some(())
    }

    fn branches_from(&self, first: u32) -> impl Iterator<Item = usize> {
        let value = |place: u32| self.branches.get(place as usize).map(|_| place as usize);
        std::iter::successors(value(first), move |&place| value(self.branches[place].next))
    }

    fn node(&self, root: usize, at: Option<usize>) -> Node {
        at.map_or(self.roots[root], |value| self.branches[value].node)
    }

    fn set(&mut self, root: usize, at: Option<usize>, node: Node) {
        match at {
            None => self.roots[root] = node,
            Some(value) => self.branches[value].node = node,
        }
    }
}

/// What a step that was run did, if that can be remembered.
pub(super) fn effect(done: Done, part: u32) -> Option<Effect> {
    match done {
        Ok(()) => Some(Effect::Moved(part)),
        Err(Halt::Refused(_) | Halt::Full) => None,
        Err(halt) => Some(Effect::Halted(halt)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::program::{BufferKind, Registers};
    use super::*;
    use membar_ir::form::VERSION;
    use membar_ir::program;

    const STEP: (usize, u32) = (0, 3);

    fn program() -> Program {
        // Two cells of four bytes, and one thread that does nothing.
        let form = [VERSION, 1, 4096, 4, 0, 2, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let program = program::Program::decode(&form, 0).unwrap();
        Program::new(Arc::new(program), BufferKind::Sc, 1, Registers::All)
    }

    fn trace(reads: &[(u32, u64)], writes: &[(u32, u64)]) -> Trace {
        let mut trace = Trace::default();
        for &(cell, value) in reads {
            trace.read(CellId(cell), value);
        }
        for &(cell, value) in writes {
            trace.write(CellId(cell), value);
        }
        trace
    }

    fn part(cache: &SuccessorCache, root: usize, leaves: &[u32]) -> Option<Effect> {
        cache.recall(&program(), root, leaves).map(|step| step.effect)
    }

    #[test]
    fn a_step_is_recalled_where_the_cells_it_reads_look_as_before() {
        let mut cache = SuccessorCache::new(1);
        let root = cache.steps(STEP.0, STEP.1, 2).unwrap();
        assert_eq!(cache.steps(STEP.0, STEP.1, 2), Some(root));
        assert_eq!(part(&cache, root, &[0, 0]), None);
        cache.keep(root, &trace(&[(0, 5), (1, 6)], &[(1, 7)]), Effect::Moved(1), &[5, 6]);
        cache.keep(root, &trace(&[(0, 4)], &[]), Effect::Halted(Halt::Waits), &[]);
        cache.keep(root + 1, &trace(&[], &[]), Effect::Closed, &[]);
        let step = cache.recall(&program(), root, &[5, 6]);
        let step = step.map(|step| (step.effect, step.writes.to_vec(), step.values.to_vec()));
        assert_eq!(step, Some((Effect::Moved(1), vec![(CellId(1), 7)], vec![5, 6])));
        assert_eq!(part(&cache, root, &[4, 9]), Some(Effect::Halted(Halt::Waits)));
        assert_eq!(part(&cache, root, &[5, 7]), None);
        assert_eq!(part(&cache, root, &[6, 6]), None);
        assert_eq!(part(&cache, root + 1, &[6, 6]), Some(Effect::Closed));
    }

    #[test]
    fn what_a_step_reads_of_its_own_stores_does_not_count() {
        let mut own = trace(&[], &[(0, 1)]);
        own.read(CellId(0), 1);
        let mut cache = SuccessorCache::new(1);
        let root = cache.steps(STEP.0, STEP.1, 1).unwrap();
        cache.keep(root, &own, Effect::Moved(2), &[]);
        assert_eq!(part(&cache, root, &[8, 8]), Some(Effect::Moved(2)));
    }

    #[test]
    fn it_takes_no_more_than_its_room() {
        let mut cache = SuccessorCache::new(1);
        let mut number = 0;
        while let Some(root) = cache.steps(0, number, 3) {
            for value in 0..100 {
                cache.keep(root, &trace(&[(0, value)], &[(1, value)]), Effect::Moved(number), &[value]);
            }
            number += 1;
        }
        assert!(cache.bytes() < 3 * ROOM, "{}", cache.bytes());
        assert!(number > 20);
        assert_eq!(part(&cache, 0, &[63, 0]), Some(Effect::Moved(0)), "the first 64 values are remembered");
        assert_eq!(part(&cache, 0, &[64, 0]), None);
    }

    #[test]
    fn a_step_that_looks_elsewhere_is_not_remembered() {
        let mut cache = SuccessorCache::new(1);
        let root = cache.steps(STEP.0, STEP.1, 1).unwrap();
        cache.keep(root, &Trace { is_spoilt: true, ..Trace::default() }, Effect::Moved(2), &[]);
        assert_eq!(part(&cache, root, &[0, 0]), None);
    }
}
