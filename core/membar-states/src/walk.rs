//! The search with one thread, breadth-first. States are numbered in the order in which they are met.
//!
//! When memory is full and there is a disk, states move there (`disk`), and the search goes on with the same numbers.

use std::collections::BTreeMap;

use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Stopped, Watch};

use super::disk::DiskStates;
use super::findings::{FEW, Findings, Options};
use super::reduction::Reduction;
use super::safety::{Exploration, Part, is_chosen};
use super::store::{ExpandedState, Store};
use super::successors::{Successors, Transition, too_many};
use super::symmetry::Symmetry;
use super::system::System;
use super::tables::{UNKNOWN, append};

/// States that are numbered together.
const BATCH: usize = 128;
/// About as many states are met between two looks at the memory.
const SOON: usize = 1 << 13;

/// Visits states until `observe`, which is told of each with its moves and number, says that it is over.
pub(super) fn visit(
    system: System,
    options: Options,
    watch: &mut Watch<'_>,
    observe: impl FnMut(&mut System, &[u32], &Successors, u32, &mut Findings) -> bool,
) -> Result<Exploration, CoreError> {
    let store = Store::new(&system.program.leaf_order());
    let found = Findings { errors: vec![None; system.program.errors.len()], ..Findings::default() };
    let mut walk = Walk::new(system, store, found);
    let initial = walk.system.initial()?;
    let initial = walk.store.tree.root_of(&initial).ok_or_else(too_many)?;
    walk.store.table.root.number(initial).ok_or_else(too_many)?;
    walk.before.push(0);
    walk.complete(options, watch, observe)
}

/// A search, and where it is.
pub(super) struct Walk {
    system: System,
    /// The states or, with a disk, those that were met last.
    store: Store,
    /// Threads up to whose exchange states are kept.
    symmetry: Option<Symmetry>,
    /// Per state the one before it; with a disk, of those that are not settled.
    before: Vec<u32>,
    disk: Option<DiskStates>,
    /// The number of the state that is looked at next.
    next: u32,
    found: Findings,
    /// The state at hand, and what can happen there.
    near: ExpandedState,
    moves: Successors,
    words: Vec<u32>,
}

/// States that were looked at, and the states that follow them and have no numbers yet. To number many at a time is
/// faster (`Pairs::find_all`).
#[derive(Debug, Default)]
struct Batch {
    /// Numbers of the states that were looked at, and where the states that follow end.
    states: Vec<(u32, usize)>,
    /// The states that follow, by their roots, and the numbers of some.
    pairs: Vec<u64>,
    known: Vec<u32>,
    /// How many may follow at most.
    most: usize,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.pairs.len() >= BATCH
    }
}

impl Walk {
    fn new(system: System, store: Store, found: Findings) -> Self {
        Self {
            system,
            store,
            symmetry: None,
            before: Vec::new(),
            disk: None,
            next: 0,
            found,
            near: ExpandedState::default(),
            moves: Successors::default(),
            words: Vec::new(),
        }
    }

    /// A search that goes on where another one has stopped, with its states on disk; `next` is looked at next.
    pub(super) fn resume(system: System, store: Store, found: Findings, disk: DiskStates, next: u32) -> Self {
        Self { disk: Some(disk), next, ..Self::new(system, store, found) }
    }

    /// Visits what is left, and hands over all that was visited.
    pub(super) fn complete(
        mut self,
        options: Options,
        watch: &mut Watch<'_>,
        observe: impl FnMut(&mut System, &[u32], &Successors, u32, &mut Findings) -> bool,
    ) -> Result<Exploration, CoreError> {
        self.symmetry = Symmetry::for_safety(&self.system.program, options);
        if self.found.stopped.is_none() {
            let ended = self.search(options, watch, observe);
            self.found.stopped = Failure::reason(ended)?;
        }
        self.found.states = self.len() as u64 - self.found.inside;
        self.found.bytes = self.found.bytes.max(self.bytes() as u64);
        self.found.disk = self.disk.as_ref().map(DiskStates::peak);
        let Self { system, store, symmetry, before, disk, found, .. } = self;
        let parts = vec![Part { store, before }];
        Ok(Exploration { system, parts, disk, names: BTreeMap::new(), run: None, symmetry, found })
    }

    fn bytes(&self) -> usize {
        let disk = self.disk.as_ref().map_or(0, DiskStates::bytes);
        self.store.bytes() + self.system.bytes() + 4 * self.before.capacity() + disk
    }

    /// How many states have numbers.
    fn len(&self) -> usize {
        self.disk.as_ref().map_or(self.store.len(), DiskStates::len)
    }

    /// How many may have numbers when all that were met are settled.
    fn most(&self) -> usize {
        self.disk.as_ref().map_or(self.store.len(), |disk| disk.len() + self.before.len())
    }

    fn search(
        &mut self,
        options: Options,
        watch: &mut Watch<'_>,
        mut observe: impl FnMut(&mut System, &[u32], &Successors, u32, &mut Findings) -> bool,
    ) -> Result<(), Failure> {
        let reduction =
            options.reduced.then(|| Reduction::new(&self.system.program, &self.system.program.errors, false));
        let exceeds = |states: usize| options.states.is_some_and(|most| states as u64 > most);
        let mut batch = Batch::default();
        let mut reported = 0;
        while (self.next as usize) < self.len() {
            if watch.is_due() || self.next < FEW || options.recent.is_some() {
                let states = self.len() as u64;
                watch.meter().count(states - reported, 0, 0);
                reported = states;
                watch.look()?;
                self.make_room(options, watch)?;
            }
            let is_over = self.expand(reduction.as_ref(), &mut batch, &mut observe)?;
            self.next += 1;
            // Where the limit may be exceeded, then by the last state of the batch, not by one before it.
            let may_exceed = exceeds(self.most() + batch.most);
            let is_last = self.next as usize == self.len();
            if is_over || may_exceed || self.next <= FEW || batch.is_full() || is_last {
                self.close(&mut batch)?;
            }
            if is_over || is_last || exceeds(self.most()) {
                self.settle(watch)?;
            }
            if is_over {
                return Err(Stopped::Found.into());
            }
            if exceeds(self.len()) {
                return Err(Stopped::States.into());
            }
        }
        Ok(())
    }

    /// Where memory is full, moves states to disk, if there is one.
    fn make_room(&mut self, options: Options, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let Some(most) = options.disk else { return Ok(watch.bytes(self.bytes())?) };
        let soon = self.bytes() + self.store.table.root.growth(SOON) + 8 * self.before.len();
        if !options.is_memory_full(self.store.len(), soon, watch) {
            return Ok(());
        }
        self.found.bytes = self.found.bytes.max(self.bytes() as u64);
        let disk = self.disk.get_or_insert_with(|| options.disk_states(most));
        disk.settle(&self.store.table.root, &mut self.before, watch)?;
        disk.put_away(&mut self.store.table.root, watch)?;
        self.before.shrink_to(SOON);
        // What remains are parts of states: if they leave too little room, the disk is of no use.
        Ok(watch.bytes(2 * self.bytes())?)
    }

    /// With a disk, numbers the states that were met.
    fn settle(&mut self, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let Some(disk) = &mut self.disk else { return Ok(()) };
        disk.settle(&self.store.table.root, &mut self.before, watch)
    }

    /// Looks at the next state, and puts the states that follow into the batch; whether the search is over with it.
    fn expand(
        &mut self,
        reduction: Option<&Reduction>,
        batch: &mut Batch,
        mut observe: impl FnMut(&mut System, &[u32], &Successors, u32, &mut Findings) -> bool,
    ) -> Result<bool, Failure> {
        let (count, number) = (self.system.leaves(), self.next);
        match &mut self.disk {
            None => self.store.fetch(number, &mut self.near),
            Some(disk) => self.store.tree.fetch_root(disk.get(number)?.0, &mut self.near),
        }
        self.system.moves(self.near.leaves(count), &mut self.moves)?;
        if observe(&mut self.system, self.near.leaves(count), &self.moves, number, &mut self.found) {
            return Ok(true);
        }
        let alone = reduction.and_then(|reduction| {
            let (program, locals) = self.system.locals();
            reduction.ample_thread(program, locals, &self.moves)
        });
        self.follow(|step| is_chosen(step, alone), batch)?;
        batch.most += self.moves.list.len();
        batch.states.push((number, batch.pairs.len()));
        Ok(false)
    }

    /// Puts the states that some of the moves at hand lead to into the batch.
    fn follow(
        &mut self,
        is_chosen: impl Fn(&Transition) -> bool,
        batch: &mut Batch,
    ) -> Result<(), CoreError> {
        for step in self.moves.list.iter().filter(|step| is_chosen(step)) {
            self.found.transitions += 1;
            if !step.failed {
                let changes = self.moves.changes(step);
                let pair = if let Some(symmetry) = &self.symmetry {
                    let near = (&mut self.near, changes);
                    symmetry.root_after(&mut self.system, &mut self.store.tree, near, &mut self.words)?
                } else {
                    self.store.tree.root_beside(step.sides, changes, &mut self.near)
                };
                batch.pairs.push(pair.ok_or_else(too_many)?);
            }
        }
        Ok(())
    }

    /// Numbers the states of the batch, in the order in which they were met.
    fn close(&mut self, batch: &mut Batch) -> Result<(), CoreError> {
        let mut known = std::mem::take(&mut batch.known);
        self.store.table.root.find_all(&batch.pairs, &mut known);
        let mut start = 0;
        for (number, end) in batch.states.drain(..) {
            for (&pair, &known) in batch.pairs[start..end].iter().zip(&known[start..end]) {
                self.number(number, pair, known)?;
            }
            start = end;
        }
        batch.known = known;
        batch.pairs.clear();
        batch.most = 0;
        Ok(())
    }

    /// Gives a state that follows `from` its number, unless it is known.
    fn number(&mut self, from: u32, pair: u64, known: u32) -> Result<(), CoreError> {
        if known == UNKNOWN && self.store.table.root.number(pair).ok_or_else(too_many)?.1 {
            append(&mut self.before, from);
        }
        Ok(())
    }
}
