//! Every state, breadth-first: assertions, error states, deadlocks, final states.
//!
//! States are numbered in the order in which they are met (`walk`), so the list of what is still to do is one number. A run
//! is found again from the state before each state: its moves are asked for once more. `parallel` does the same with several
//! threads, and numbers states as one thread does.

use std::collections::BTreeMap;
use std::sync::Arc;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::EdgeId;
use membar_ir::words::narrow;

use super::bitstate;
use super::disk::DiskStates;
use super::early_violations;
use super::findings::{Findings, Note, Options, look};
use super::parallel;
use super::store::{ExpandedState, Store};
use super::successors::{Successors, Transition};
use super::symmetry::{Companion, Symmetry};
use super::system::System;
use super::walk;

/// States that are visited before a depth-first search begins, and states of that. It is in vain where nothing is violated, so
/// in all it must cost little beside a search that is only somewhat larger.
const FIRST: u64 = 1 << 12;
const EARLY_SEARCH: usize = 1 << 12;
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
    /// With states on disk, all of them, called as they are numbered; the only part then says what their roots mean.
    pub(super) disk: Option<DiskStates>,
    /// What the states are called that `found` names by their numbers; with one part, as they are numbered.
    pub(super) names: BTreeMap<u32, u32>,
    /// Of a bit-state search, which keeps no states, the run to what ended it.
    pub(super) run: Option<Vec<RunStep>>,
    /// Threads up to whose exchange states were kept.
    pub(super) symmetry: Option<Symmetry>,
    /// What was found.
    pub found: Findings,
}

/// Visits every state, or as many as it takes to find what ends the search.
///
/// If that may be found early, a short depth-first search (`early_violations`) looks for it after the first states, then
/// breadth-first search among `CHEAP` states without reduction for a shortest run to the same. All this is decided by
/// numbers of states, so it does not depend on how many threads there are.
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
        found = early_violations::search(anew(), options, EARLY_SEARCH, watch)?;
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
    walk::visit(system, options, watch, note_findings(options))
}

/// Records what is to be said of each state; whether the search is over with it.
pub(super) fn note_findings(
    options: Options,
) -> impl FnMut(&mut System, &[u32], &Successors, u32, &mut Findings) -> bool {
    let mut notes = Vec::new();
    move |system, leaves, moves, number, found| {
        look(system, leaves, moves, found, &mut notes);
        let is_over = notes.iter().any(|note: &Note| note.ends(options));
        for note in notes.drain(..) {
            found.take(number, note, options.keep_finals);
        }
        is_over
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

    /// Spreads out a state; what the state before it is called.
    fn fetch_with_before(&mut self, name: u32, expanded: &mut ExpandedState) -> Result<u32, CoreError> {
        if let Some(disk) = &mut self.disk {
            let (root, before) = disk.get(name)?;
            self.parts[0].store.tree.fetch_root(root, expanded);
            return Ok(before);
        }
        self.fetch(name, expanded);
        Ok(self.parts[name as usize % self.parts.len()].before[name as usize / self.parts.len()])
    }

    /// What the state with a number is called, if there is one.
    fn name(&self, number: u32) -> Option<u32> {
        let states = self.disk.as_ref().map_or(self.parts[0].before.len(), DiskStates::len);
        if self.parts.len() > 1 {
            self.names.get(&number).copied()
        } else {
            Some(number).filter(|_| (number as usize) < states)
        }
    }

    /// Groups of threads up to whose exchange states were kept.
    #[must_use]
    pub fn symmetric(&self) -> Vec<Vec<usize>> {
        self.symmetry.as_ref().map_or(Vec::new(), Symmetry::threads)
    }

    /// A shortest run to a state that was found, and then the move at `last` of those possible there.
    pub fn run_to(&mut self, state: u32, last: Option<usize>) -> Result<Vec<RunStep>, CoreError> {
        if let Some(run) = &self.run {
            return Ok(run.clone());
        }
        let (count, mut expanded) = (self.system.leaves(), ExpandedState::default());
        let mut name = self.name(state).ok_or(CoreError::Unsupported("there is no such state"))?;
        let mut kept = Vec::new();
        loop {
            let before = self.fetch_with_before(name, &mut expanded)?;
            kept.push(expanded.leaves(count).to_vec());
            if before == name {
                break;
            }
            name = before;
        }
        let mut kept = kept.into_iter().rev();
        let mut before = kept.next().unwrap_or_default();
        let (mut moves, mut run) = (Successors::default(), Vec::new());
        let mut companion = Companion::new(self.symmetry.as_ref(), before.clone());
        for after in kept {
            self.system.moves(&before, &mut moves)?;
            for step in moves.list.iter().filter(|step| !step.failed) {
                if let Some(step) = companion.take(&mut self.system, (&before, &after), (step, &moves))? {
                    run.push(step);
                    break;
                }
            }
            before = after;
        }
        if let Some(place) = last {
            self.system.moves(&before, &mut moves)?;
            let step = moves.list.get(place).map(|step| (companion.thread(step.thread), step.edge));
            self.system.moves_in_full(&companion.state, &mut moves)?;
            // Without symmetry it is the step at the same place.
            let is_it = |found: &&Transition| Some((found.thread, found.edge)) == step && found.failed;
            let same = moves.list.get(place).filter(is_it);
            run.extend(same.or_else(|| moves.list.iter().find(is_it)).map(|step| moves.run_step(step)));
        }
        Ok(run)
    }
}
