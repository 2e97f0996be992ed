//! Every state, breadth-first: assertions, error states, deadlocks, final states.
//!
//! States are numbered in the order in which they are met, so the list of what is still to do is one number. A run is
//! found again from the state before each state: its moves are asked for once more.

use std::collections::BTreeMap;

use crate::error::CoreError;
use crate::program::EdgeId;
use crate::stop::{Stopped, Watch};

use super::fault::Fault;
use super::reduction::Reduction;
use super::store::{Spread, Store, append};
use super::system::{Move, Moves, System, too_many};

/// What the search may leave out, and when it stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Most states.
    pub states: Option<u64>,
    /// Ends with the first assertion that fails or error state.
    pub stop_at_failure: bool,
    /// Keeps the number of every final state.
    pub keep_finals: bool,
    /// Leaves out states that only differ in the order of what nobody notices.
    pub reduced: bool,
}

/// Why the search did not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halted {
    /// A request, time or memory.
    Stopped(Stopped),
    /// The limit of states.
    States,
    /// The first assertion that fails or error state.
    Failure,
}

/// Final states that show the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// How many there are.
    pub count: u64,
    /// The one met first.
    pub first: u32,
}

/// A step of a run: who, the edge (None for a flush), who received at once, and the values read and chosen, or the
/// cell and the value flushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Who moved.
    pub thread: usize,
    /// On which edge; None for a flush.
    pub edge: Option<EdgeId>,
    /// Who received what was sent, on which edge, and what it read and chose.
    pub partner: Option<(usize, EdgeId, Vec<u64>)>,
    /// The values read and chosen, or the cell and the value flushed.
    pub made: Vec<u64>,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Findings {
    /// States met.
    pub states: u64,
    /// Moves followed.
    pub transitions: u64,
    /// States in which nothing moves because an assumption fails.
    pub blocked: u64,
    /// Whether the bound held a store back.
    pub held: bool,
    /// The state before an assertion that fails, and which of its moves it is.
    pub failure: Option<(u32, usize)>,
    /// Per kind of error state the first one, if any.
    pub errors: Vec<Option<u32>>,
    /// The first state in which nothing moves although some thread has not ended.
    pub deadlock: Option<u32>,
    /// The first state with an access that hits no location, and by which thread and edge.
    pub fault: Option<(u32, usize, EdgeId)>,
    /// What final states show.
    pub endings: BTreeMap<Vec<u64>, Ending>,
    /// All final states, if they were asked for.
    pub finals: Vec<u32>,
    /// Why it did not end, if it did not.
    pub halted: Option<Halted>,
    /// Bytes held at the end.
    pub bytes: u64,
}

/// The states of a program, as far as they were visited.
#[derive(Debug)]
pub struct Exploration {
    system: System,
    store: Store,
    /// The state before each state; the first has itself.
    before: Vec<u32>,
    /// What was found.
    pub found: Findings,
}

/// Visits every state.
///
/// # Errors
/// There are too many, or something has no meaning.
pub fn explore(system: System, options: Options, watch: &mut Watch<'_>) -> Result<Exploration, CoreError> {
    let leaves = system.leaves();
    let store = Store::new(leaves, false);
    let found = Findings { errors: vec![None; system.program.errors.len()], ..Findings::default() };
    let mut exploration = Exploration { system, store, before: Vec::new(), found };
    exploration.found.halted = exploration.search(options, watch)?;
    exploration.found.states = exploration.store.len() as u64;
    exploration.found.bytes = exploration.bytes() as u64;
    Ok(exploration)
}

impl Exploration {
    fn bytes(&self) -> usize {
        self.store.bytes() + self.system.bytes() + 4 * self.before.capacity()
    }

    fn search(&mut self, options: Options, watch: &mut Watch<'_>) -> Result<Option<Halted>, CoreError> {
        let count = self.system.leaves();
        let (mut near, mut moves, mut scratch) = (Spread::default(), Moves::default(), Vec::new());
        let initial = self.system.initial()?;
        self.store.number(&initial, &near, &mut scratch).ok_or_else(too_many)?;
        self.before.push(0);
        let reduction =
            options.reduced.then(|| Reduction::new(&self.system.program, self.system.bench.fault));
        let mut told = 0;
        let mut next = 0;
        while (next as usize) < self.store.len() {
            if watch.is_due() {
                let states = self.store.len() as u64;
                watch.meter().count(states - told, 0, 0);
                told = states;
                if let Err(stopped) = watch.look().and_then(|()| watch.bytes(self.bytes())) {
                    return Ok(Some(Halted::Stopped(stopped)));
                }
            }
            self.store.fetch(next, &mut near);
            self.system.moves(near.leaves(count), &mut moves)?;
            self.look_at(next, near.leaves(count), &moves, options);
            if self.is_over(options) {
                return Ok(Some(Halted::Failure));
            }
            let alone = reduction
                .as_ref()
                .and_then(|reduction| reduction.chosen(&self.system.program, self.system.locals(), &moves));
            let is_chosen =
                |step: &Move| alone.is_none_or(|alone| step.thread == alone && step.edge.is_some());
            let goes_on = self.follow(next, &near, &moves, is_chosen, &mut scratch)?;
            if alone.is_some() && !goes_on && self.system.bench.fault != Fault::PutOffForEver {
                self.follow(next, &near, &moves, |step| !is_chosen(step), &mut scratch)?;
            }
            if options.states.is_some_and(|most| self.store.len() as u64 > most) {
                return Ok(Some(Halted::States));
            }
            next += 1;
        }
        Ok(None)
    }

    /// Follows some of the moves of a state; whether one of them leads to a state that is still to be looked at.
    fn follow(
        &mut self,
        from: u32,
        near: &Spread,
        moves: &Moves,
        is_chosen: impl Fn(&Move) -> bool,
        scratch: &mut Vec<u32>,
    ) -> Result<bool, CoreError> {
        let count = self.system.leaves();
        let mut goes_on = false;
        for step in moves.list.iter().filter(|step| is_chosen(step)) {
            self.found.transitions += 1;
            if step.failed {
                continue;
            }
            let after = self.identified(moves.after(step, count));
            let (number, is_new) = self.store.number(&after, near, scratch).ok_or_else(too_many)?;
            goes_on |= number > from;
            if is_new {
                append(&mut self.before, from);
            }
        }
        Ok(goes_on)
    }

    fn identified<'a>(&self, after: &'a [u32]) -> std::borrow::Cow<'a, [u32]> {
        if self.system.bench.fault == Fault::MemoryForgotten && self.system.program.words > 0 {
            let mut changed = after.to_vec();
            changed[self.system.program.words - 1] = 0;
            return changed.into();
        }
        after.into()
    }

    fn is_over(&self, options: Options) -> bool {
        let found = &self.found;
        let is_bad = found.failure.is_some() || found.errors.iter().any(Option::is_some);
        found.fault.is_some() || (options.stop_at_failure && is_bad)
    }

    /// Takes down what is to be said of a state.
    fn look_at(&mut self, number: u32, leaves: &[u32], moves: &Moves, options: Options) {
        let fault = self.system.bench.fault;
        self.found.held |= moves.held;
        if let Some((thread, edge)) = moves.fault {
            self.found.fault = Some((number, thread, edge));
        }
        if self.found.failure.is_none()
            && let Some(place) = moves.list.iter().position(|step| step.failed)
        {
            self.found.failure = Some((number, place));
        }
        let is_final = self.system.is_final();
        for place in 0..self.found.errors.len() {
            let is_looked_for = is_final || fault != Fault::ErrorsSeenLate;
            if self.found.errors[place].is_none()
                && is_looked_for
                && self.system.holds(self.system.program.errors[place], leaves)
            {
                self.found.errors[place] = Some(number);
            }
        }
        if is_final {
            let ending = Ending { count: 0, first: number };
            self.found.endings.entry(self.system.terms(leaves)).or_insert(ending).count += 1;
            if options.keep_finals {
                self.found.finals.push(number);
            }
        } else if moves.list.is_empty() {
            if moves.blocked {
                self.found.blocked += 1;
            } else if self.found.deadlock.is_none()
                && !moves.held
                && (!self.system.may_stay() || fault == Fault::EndsIgnored)
                && !(fault == Fault::DeadlockIgnored && self.system.has_ended())
            {
                self.found.deadlock = Some(number);
            }
        }
    }

    /// A shortest run to a state, and then the move at `last` of those possible there.
    ///
    /// # Errors
    /// Something has no meaning, which was found out before.
    pub fn run_to(&mut self, state: u32, last: Option<usize>) -> Result<Vec<Taken>, CoreError> {
        let count = self.system.leaves();
        let (mut spread, mut moves) = (Spread::default(), Moves::default());
        let mut run = Vec::new();
        if let Some(place) = last {
            self.store.fetch(state, &mut spread);
            self.system.moves(spread.leaves(count), &mut moves)?;
            run.extend(moves.list.get(place).map(|step| taken(step, &moves)));
        }
        let mut number = state;
        while number != 0 {
            self.store.fetch(number, &mut spread);
            let after = spread.leaves(count).to_vec();
            number = self.before[number as usize];
            self.store.fetch(number, &mut spread);
            self.system.moves(spread.leaves(count), &mut moves)?;
            let is_it = |step: &&Move| {
                !step.failed && *self.identified(moves.after(step, count)) == *after.as_slice()
            };
            run.extend(moves.list.iter().find(is_it).map(|step| taken(step, &moves)));
        }
        run.reverse();
        Ok(run)
    }
}

pub(super) fn taken(step: &Move, moves: &Moves) -> Taken {
    Taken {
        thread: step.thread,
        edge: step.edge,
        partner: step.partner.map(|(thread, edge)| (thread, edge, moves.theirs(step).to_vec())),
        made: moves.made(step).to_vec(),
    }
}
