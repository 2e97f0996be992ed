//! Every state, breadth-first: assertions, error states, deadlocks, final states.
//!
//! States are numbered in the order in which they are met, so the list of what is still to do is one number. A run is
//! found again from the state before each state: its moves are asked for once more. `parallel` does the same with several
//! threads, and numbers states as one thread does.

use std::collections::BTreeMap;
use std::sync::Arc;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::EdgeId;
use membar_ir::words::narrow;

use super::bitstate;
use super::findings::{FEW, Findings, Note, Options, look};
use super::parallel;
use super::probe;
use super::reduction::Reduction;
use super::store::{ExpandedState, Store};
use super::successors::{Successors, Transition, too_many};
use super::system::System;
use super::tables::{UNKNOWN, append};

/// States that are numbered together.
const BATCH: usize = 128;
/// States that are visited before a depth-first search begins, and states of that.
const FIRST: u64 = 1 << 12;
const PROBE: usize = 1 << 14;
/// A search of so many states takes about a tenth of a second.
const CHEAP: u64 = 1 << 16;

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStep {
    /// The thread that moved.
    pub thread: usize,
    /// On which edge; None for a flush.
    pub edge: Option<EdgeId>,
    /// The receiver of a rendezvous, its edge, and the values that it read and chose.
    pub partner: Option<(usize, EdgeId, Vec<u64>)>,
    /// The values read and chosen, or the cell and the value flushed.
    pub values: Vec<u64>,
}

/// Some of the states, and for each the state before it; the first of all has itself.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) store: Store,
    pub(super) before: Vec<u32>,
}

/// The states of a program, as far as they were visited.
#[derive(Debug)]
pub struct Exploration {
    pub(super) system: System,
    /// The states, by worker: state `n` of part `p` of `k` parts is called `n * k + p`.
    pub(super) parts: Vec<Part>,
    /// What the states are called that `found` names by their numbers; with one part, as they are numbered.
    pub(super) names: BTreeMap<u32, u32>,
    /// Of a bit-state search, which keeps no states, the run to what ended it.
    pub(super) run: Option<Vec<RunStep>>,
    /// What was found.
    pub found: Findings,
}

/// Visits every state, or as many as it takes to find what ends the search.
///
/// If that may be found early, a depth-first `probe` looks for it after the first states, and then breadth-first search
/// among `CHEAP` states without reduction for a shortest run to the same. All this is decided by numbers of states, so
/// it does not depend on how many threads there are.
pub fn explore(system: System, options: Options, watch: &mut Watch<'_>) -> Result<Exploration, CoreError> {
    if let Some(bytes) = options.bitstate {
        return bitstate::explore(system, options, bytes, watch);
    }
    if !options.stop_at_failure && !options.stop_at_deadlock {
        return explore_all(system, options, watch);
    }
    let program = Arc::clone(&system.program);
    let anew = || System::new(Arc::clone(&program));
    let first = Options { states: options.states.or(Some(FIRST)).map(|most| most.min(FIRST)), ..options };
    let mut found = explore_all(system, first, watch)?;
    if found.found.stopped == Some(Stopped::States) && options.states != first.states {
        found = probe::probe(anew(), options, PROBE, watch)?;
        if found.found.stopped != Some(Stopped::Found) {
            found = explore_all(anew(), options, watch)?;
        } else if found.found.fault.is_none() {
            return shorten(found, anew(), options, watch);
        }
    }
    let is_shortest = !options.reduced || found.found.stopped != Some(Stopped::Found);
    if is_shortest || found.found.fault.is_some() {
        Ok(found)
    } else {
        shorten(found, anew(), options, watch)
    }
}

/// Looks for a shortest run to what was found, as long as that is cheap.
fn shorten(
    longer: Exploration,
    system: System,
    options: Options,
    watch: &mut Watch<'_>,
) -> Result<Exploration, CoreError> {
    let known = &longer.found;
    let has_failed = known.failure.is_some() || known.errors.iter().any(Option::is_some);
    let options = Options {
        reduced: false,
        states: Some(options.states.map_or(CHEAP, |most| most.min(CHEAP))),
        stop_at_failure: has_failed,
        stop_at_deadlock: known.deadlock.is_some() && !has_failed,
        ..options
    };
    let mut shorter = explore_all(system, options, watch)?;
    if shorter.found.stopped != Some(Stopped::Found) || shorter.found.fault.is_some() {
        return Ok(longer);
    }
    // A deadlock that it met on its way to a failure is not what was found first.
    let found = &mut shorter.found;
    found.deadlock = found.deadlock.filter(|_| known.deadlock.is_some());
    (found.states, found.inside, found.transitions) = (known.states, known.inside, known.transitions);
    Ok(shorter)
}

fn explore_all(system: System, options: Options, watch: &mut Watch<'_>) -> Result<Exploration, CoreError> {
    if options.jobs > 1 {
        return parallel::explore(system, options, watch);
    }
    let mut notes = Vec::new();
    visit(system, options, watch, |system, leaves, moves, number, found| {
        look(system, leaves, moves, found, &mut notes);
        let is_over = notes.iter().any(|note: &Note| note.ends(options));
        for note in notes.drain(..) {
            found.take(number, note, options.keep_finals);
        }
        is_over
    })
}

/// Visits states with one thread until `observe`, which is told of each with its moves and number, says that it is over.
pub(super) fn visit(
    system: System,
    options: Options,
    watch: &mut Watch<'_>,
    observe: impl FnMut(&mut System, &[u32], &Successors, u32, &mut Findings) -> bool,
) -> Result<Exploration, CoreError> {
    let store = Store::new(&system.program.leaf_order());
    let found = Findings { errors: vec![None; system.program.errors.len()], ..Findings::default() };
    let (near, moves) = (ExpandedState::default(), Successors::default());
    let mut walk = Walk { system, store, before: Vec::new(), found, near, moves };
    walk.found.stopped = walk.search(options, watch, observe)?;
    walk.found.states = walk.store.len() as u64 - walk.found.inside;
    walk.found.bytes = walk.bytes() as u64;
    let Walk { system, store, before, found, .. } = walk;
    Ok(Exploration { system, parts: vec![Part { store, before }], names: BTreeMap::new(), run: None, found })
}

/// The search with one thread.
struct Walk {
    system: System,
    store: Store,
    before: Vec<u32>,
    found: Findings,
    /// The state at hand, and what can happen there.
    near: ExpandedState,
    moves: Successors,
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
    fn bytes(&self) -> usize {
        self.store.bytes() + self.system.bytes() + 4 * self.before.capacity()
    }

    fn search(
        &mut self,
        options: Options,
        watch: &mut Watch<'_>,
        mut observe: impl FnMut(&mut System, &[u32], &Successors, u32, &mut Findings) -> bool,
    ) -> Result<Option<Stopped>, CoreError> {
        let initial = self.system.initial()?;
        let initial = self.store.root_of(&initial).ok_or_else(too_many)?;
        self.store.root.number(initial).ok_or_else(too_many)?;
        self.before.push(0);
        let reduction =
            options.reduced.then(|| Reduction::new(&self.system.program, &self.system.program.errors, false));
        let mut batch = Batch::default();
        let (mut reported, mut next) = (0, 0);
        while (next as usize) < self.store.len() {
            if watch.is_due() || next < FEW {
                let states = self.store.len() as u64;
                watch.meter().count(states - reported, 0, 0);
                reported = states;
                if let Err(stopped) = watch.look().and_then(|()| watch.bytes(self.bytes())) {
                    return Ok(Some(stopped));
                }
            }
            let is_over = self.expand(next, reduction.as_ref(), &mut batch, &mut observe)?;
            next += 1;
            // Where the limit may be exceeded, then by the last state of the batch, not by one before it.
            let most = (self.store.len() + batch.most) as u64;
            let may_exceed = options.states.is_some_and(|limit| most > limit);
            if is_over || may_exceed || next <= FEW || batch.is_full() || next as usize == self.store.len() {
                self.close(&mut batch)?;
            }
            if is_over {
                return Ok(Some(Stopped::Found));
            }
            if options.states.is_some_and(|most| self.store.len() as u64 > most) {
                return Ok(Some(Stopped::States));
            }
        }
        Ok(None)
    }

    /// Looks at a state, and puts the states that follow into the batch; whether the search is over with it.
    fn expand(
        &mut self,
        number: u32,
        reduction: Option<&Reduction>,
        batch: &mut Batch,
        mut observe: impl FnMut(&mut System, &[u32], &Successors, u32, &mut Findings) -> bool,
    ) -> Result<bool, CoreError> {
        let count = self.system.leaves();
        self.store.fetch(number, &mut self.near);
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
                let pair =
                    self.store.root_beside(step.sides, changes, &mut self.near).ok_or_else(too_many)?;
                batch.pairs.push(pair);
            }
        }
        Ok(())
    }

    /// Numbers the states of the batch, in the order in which they were met.
    fn close(&mut self, batch: &mut Batch) -> Result<(), CoreError> {
        let mut known = std::mem::take(&mut batch.known);
        self.store.root.find_all(&batch.pairs, &mut known);
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
        if known == UNKNOWN && self.store.root.number(pair).ok_or_else(too_many)?.1 {
            append(&mut self.before, from);
        }
        Ok(())
    }
}

/// Whether a move is followed where the steps of thread `alone`, if it is one, stand for all.
pub(super) fn is_chosen(step: &Transition, alone: Option<usize>) -> bool {
    alone.is_none_or(|alone| step.thread == alone && step.edge.is_some())
}

impl Exploration {
    pub(super) fn fetch(&self, name: u32, expanded: &mut ExpandedState) {
        let (place, part) = (name as usize / self.parts.len(), name as usize % self.parts.len());
        // Both are numbers of 32 bits: a name is one.
        self.parts[part].store.fetch(narrow(place), expanded);
    }

    fn before(&self, name: u32) -> u32 {
        self.parts[name as usize % self.parts.len()].before[name as usize / self.parts.len()]
    }

    /// A shortest run to a state that was found, and then the move at `last` of those possible there.
    pub fn run_to(&mut self, state: u32, last: Option<usize>) -> Result<Vec<RunStep>, CoreError> {
        if let Some(run) = &self.run {
            return Ok(run.clone());
        }
        let count = self.system.leaves();
        let (mut expanded, mut moves) = (ExpandedState::default(), Successors::default());
        let mut run = Vec::new();
        let is_known = self.parts.len() > 1 || (state as usize) < self.parts[0].before.len();
        let known = if self.parts.len() > 1 { self.names.get(&state).copied() } else { Some(state) };
        let mut name = known.filter(|_| is_known).ok_or(CoreError::Unsupported("there is no such state"))?;
        if let Some(place) = last {
            self.fetch(name, &mut expanded);
            self.system.moves(expanded.leaves(count), &mut moves)?;
            run.extend(moves.list.get(place).map(|step| run_step(step, &moves)));
        }
        while self.before(name) != name {
            self.fetch(name, &mut expanded);
            let after = expanded.leaves(count).to_vec();
            name = self.before(name);
            self.fetch(name, &mut expanded);
            self.system.moves(expanded.leaves(count), &mut moves)?;
            let is_it = |step: &&Transition| moves.leads_to(step, expanded.leaves(count), &after);
            run.extend(moves.list.iter().find(is_it).map(|step| run_step(step, &moves)));
        }
        run.reverse();
        Ok(run)
    }
}

pub(super) fn run_step(step: &Transition, moves: &Successors) -> RunStep {
    RunStep {
        thread: step.thread,
        edge: step.edge,
        partner: step.partner.map(|(thread, edge)| (thread, edge, moves.partner_values(step).to_vec())),
        values: moves.values(step).to_vec(),
    }
}
