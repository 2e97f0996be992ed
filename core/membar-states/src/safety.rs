//! Every state, breadth-first: assertions, error states, deadlocks, final states.
//!
//! States are numbered in the order in which they are met, so the list of what is still to do is one number. A run is
//! found again from the state before each state: its moves are asked for once more. `parallel` does the same with several
//! threads, and numbers states as one thread does.

use std::collections::BTreeMap;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::EdgeId;
use membar_ir::words::narrow;

use super::findings::{FEW, Findings, Note, Options, look};
use super::parallel;
use super::reduction::Reduction;
use super::store::{ExpandedState, Store, append};
use super::successors::{Successors, Transition, too_many};
use super::system::System;

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
    /// What was found.
    pub found: Findings,
}

/// Visits every state.
pub fn explore(system: System, options: Options, watch: &mut Watch<'_>) -> Result<Exploration, CoreError> {
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
    let store = Store::new(system.leaves(), false);
    let found = Findings { errors: vec![None; system.program.errors.len()], ..Findings::default() };
    let mut walk = Walk { system, store, before: Vec::new(), found };
    walk.found.stopped = walk.search(options, watch, observe)?;
    walk.found.states = walk.store.len() as u64 - walk.found.inside;
    walk.found.bytes = walk.bytes() as u64;
    let Walk { system, store, before, found, .. } = walk;
    Ok(Exploration { system, parts: vec![Part { store, before }], names: BTreeMap::new(), found })
}

/// The search with one thread.
struct Walk {
    system: System,
    store: Store,
    before: Vec<u32>,
    found: Findings,
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
        let count = self.system.leaves();
        let (mut near, mut moves, mut scratch) =
            (ExpandedState::default(), Successors::default(), Vec::new());
        let initial = self.system.initial()?;
        self.store.number(&initial, &near, &mut scratch).ok_or_else(too_many)?;
        self.before.push(0);
        let reduction =
            options.reduced.then(|| Reduction::new(&self.system.program, &self.system.program.errors, false));
        let mut reported = 0;
        let mut next = 0;
        while (next as usize) < self.store.len() {
            if watch.is_due() || next < FEW {
                let states = self.store.len() as u64;
                watch.meter().count(states - reported, 0, 0);
                reported = states;
                if let Err(stopped) = watch.look().and_then(|()| watch.bytes(self.bytes())) {
                    return Ok(Some(stopped));
                }
            }
            self.store.fetch(next, &mut near);
            self.system.moves(near.leaves(count), &mut moves)?;
            if observe(&mut self.system, near.leaves(count), &moves, next, &mut self.found) {
                return Ok(Some(Stopped::Found));
            }
            let alone = reduction.as_ref().and_then(|reduction| {
                reduction.ample_thread(&self.system.program, self.system.locals(), &moves)
            });
            let goes_on = self.follow(next, &near, &moves, |step| is_chosen(step, alone), &mut scratch)?;
            if alone.is_some() && !goes_on {
                self.follow(next, &near, &moves, |step| !is_chosen(step, alone), &mut scratch)?;
            }
            if options.states.is_some_and(|most| self.store.len() as u64 > most) {
                return Ok(Some(Stopped::States));
            }
            next += 1;
        }
        Ok(None)
    }

    /// Follows some of the moves of a state; whether one of them leads to a state that is still to be looked at.
    fn follow(
        &mut self,
        from: u32,
        near: &ExpandedState,
        moves: &Successors,
        is_chosen: impl Fn(&Transition) -> bool,
        scratch: &mut Vec<u32>,
    ) -> Result<bool, CoreError> {
        let count = self.system.leaves();
        let mut goes_on = false;
        for step in moves.list.iter().filter(|step| is_chosen(step)) {
            self.found.transitions += 1;
            if step.failed {
                continue;
            }
            let after = moves.after(step, count);
            let (number, is_new) = self.store.number(after, near, scratch).ok_or_else(too_many)?;
            goes_on |= number > from;
            if is_new {
                append(&mut self.before, from);
            }
        }
        Ok(goes_on)
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
            let is_it = |step: &&Transition| !step.failed && moves.after(step, count) == after.as_slice();
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
