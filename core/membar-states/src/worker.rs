//! A worker of the parallel search: it owns the states whose hash is its own, and sends others to their owners.

use std::collections::VecDeque;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};

use super::findings::{Findings, Note, Options, look};
use super::reduction::Reduction;
use super::safety::is_chosen;
use super::store::{ExpandedState, Store, append, spread_words};
use super::successors::{Successors, Transition, too_many};
use super::system::System;

/// A state that has no number yet.
const UNNUMBERED: u32 = u32::MAX;
/// Words of a message before those of its state.
pub(super) const HEAD: usize = 3;

/// What one thread says that all know.
#[derive(Debug)]
pub(super) struct Common<'c> {
    pub(super) options: Options,
    pub(super) reduction: Option<&'c Reduction>,
    /// What was found in earlier rounds.
    pub(super) found: &'c Findings,
    /// States below this number are looked at in this round.
    pub(super) limit: u32,
    pub(super) workers: usize,
}

/// Where a state would come among those that one thread meets: the number of the state before it, and the place of
/// the move between them.
pub(super) type Key = (u32, u32);

/// Messages about states: the number of the state before, the place of the move with a bit for whether an answer is
/// wanted, the name of the state before, and the words of the state.
type StateMessage = Vec<u32>;

/// A state of which only the moves of one thread were followed so far.
#[derive(Debug)]
struct Alone {
    place: u32,
    thread: usize,
    /// Who knows whether one of them leads on: the end of its part of `asked`.
    end: usize,
}

/// A thread's states, and what it has to say and to do in a round.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) own: usize,
    pub(super) system: System,
    pub(super) store: Store,
    /// Per own state the name of the state before it.
    pub(super) before: Vec<u32>,
    /// Per own state its number.
    numbers: Vec<u32>,
    /// Own states still to be looked at, by their numbers.
    queue: VecDeque<u32>,
    /// What is to be said: of which number and name.
    pub(super) notes: Vec<(u32, u32, Note)>,
    /// How many moves of which number were followed.
    pub(super) followed: Vec<(u32, u32)>,
    /// States that are new in this round, and where they come among all.
    pub(super) fresh: Vec<(Key, u32)>,
    pub(super) outbox: Vec<StateMessage>,
    pub(super) inbox: Vec<StateMessage>,
    /// Answers to others, and those of others: whether a state is still to be looked at.
    pub(super) answers: Vec<Vec<bool>>,
    pub(super) answered: Vec<Vec<bool>>,
    alone: Vec<Alone>,
    asked: Vec<usize>,
    /// What has no meaning, and in which number.
    pub(super) error: Option<(u32, CoreError)>,
    pub(super) stopped: Option<Stopped>,
    near: ExpandedState,
    last: ExpandedState,
    scratch: Vec<u32>,
    moves: Successors,
    said: Vec<Note>,
}

impl Worker {
    pub(super) fn new(own: usize, workers: usize, system: System) -> Self {
        let store = Store::new(system.leaves(), false);
        let mail = || vec![Vec::new(); workers];
        Self {
            own,
            system,
            store,
            before: Vec::new(),
            numbers: Vec::new(),
            queue: VecDeque::new(),
            notes: Vec::new(),
            followed: Vec::new(),
            fresh: Vec::new(),
            outbox: mail(),
            inbox: mail(),
            answers: vec![Vec::new(); workers],
            answered: vec![Vec::new(); workers],
            alone: Vec::new(),
            asked: Vec::new(),
            error: None,
            stopped: None,
            near: ExpandedState::default(),
            last: ExpandedState::default(),
            scratch: Vec::new(),
            moves: Successors::default(),
            said: Vec::new(),
        }
    }

    /// Bytes held by its states, and by its copy of the parts of states.
    pub(super) fn bytes(&self) -> usize {
        let mail: usize = self.outbox.iter().chain(&self.inbox).map(Vec::capacity).sum();
        let lists = self.before.capacity() + self.numbers.capacity() + self.queue.capacity() + mail;
        self.store.bytes() + self.system.bytes() + 4 * lists
    }

    /// Puts the first state of all where it belongs.
    pub(super) fn begin(&mut self, initial: &[u32]) -> Result<(), CoreError> {
        self.store.number(initial, &ExpandedState::default(), &mut self.scratch).ok_or_else(too_many)?;
        let name = name(self.own, 0, self.outbox.len()).ok_or_else(too_many)?;
        self.before.push(name);
        self.numbers.push(0);
        self.queue.push_back(0);
        Ok(())
    }

    /// Looks at its states of this round, and writes to the owners of those that follow.
    pub(super) fn look(&mut self, common: &Common<'_>, watch: &mut Watch<'_>) {
        self.system.stepper.synchronize();
        while let Some(&place) = self.queue.front() {
            let number = self.numbers[place as usize];
            if number >= common.limit {
                return;
            }
            self.queue.pop_front();
            if let Err(stopped) = watch.step() {
                self.stopped = Some(stopped);
                return;
            }
            match self.look_at(place, number, common) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    self.error = Some((number, error));
                    return;
                }
            }
        }
    }

    /// Looks at one state; whether to go on.
    fn look_at(&mut self, place: u32, number: u32, common: &Common<'_>) -> Result<bool, CoreError> {
        let count = self.system.leaves();
        self.store.fetch(place, &mut self.near);
        self.system.moves(self.near.leaves(count), &mut self.moves)?;
        look(&mut self.system, self.near.leaves(count), &self.moves, common.found, &mut self.said);
        let is_over = self.said.iter().any(|note| note.ends(common.options));
        let name = name(self.own, place, common.workers).ok_or_else(too_many)?;
        self.notes.extend(self.said.drain(..).map(|note| (number, name, note)));
        if is_over {
            return Ok(false);
        }
        let chosen = |reduction: &Reduction| {
            reduction.ample_thread(&self.system.program, self.system.locals(), &self.moves)
        };
        let alone = common.reduction.and_then(chosen);
        self.follow(place, number, |step| is_chosen(step, alone), alone.is_some(), common)?;
        if let Some(thread) = alone {
            self.alone.push(Alone { place, thread, end: self.asked.len() });
        }
        Ok(true)
    }

    /// Writes about the states that some of the moves at hand lead to.
    fn follow(
        &mut self,
        place: u32,
        number: u32,
        is_chosen: impl Fn(&Transition) -> bool,
        asks: bool,
        common: &Common<'_>,
    ) -> Result<(), CoreError> {
        let count = self.system.leaves();
        let name = name(self.own, place, common.workers).ok_or_else(too_many)?;
        // What is put off comes behind what was chosen.
        let behind = if asks || common.reduction.is_none() { 0 } else { self.moves.list.len() };
        let mut followed = 0;
        for (position, step) in self.moves.list.iter().enumerate().filter(|(_, step)| is_chosen(step)) {
            followed += 1;
            if step.failed {
                continue;
            }
            let after = self.moves.after(step, count);
            let owner = owner(after, common.workers);
            let place = u32::try_from(behind + position).ok().filter(|&place| place < 1 << 31);
            let mail = &mut self.outbox[owner];
            mail.extend([number, place.ok_or_else(too_many)? << 1 | u32::from(asks), name]);
            mail.extend_from_slice(after);
            if asks {
                self.asked.push(owner);
            }
        }
        self.followed.push((number, followed));
        Ok(())
    }

    /// Reads what others wrote about its states.
    pub(super) fn receive(&mut self) {
        for (from, mail) in std::mem::take(&mut self.inbox).into_iter().enumerate() {
            let known = self.read(from, &mail);
            self.inbox.push(mail);
            if known.is_none() {
                self.error = self.error.take().or_else(|| Some((0, too_many())));
            }
        }
        for mail in &mut self.inbox {
            mail.clear();
        }
    }

    /// Reads the mail of one; None: there are more states than numbers.
    fn read(&mut self, from: usize, mail: &[u32]) -> Option<()> {
        let old = self.numbers.len() - self.fresh.len();
        for message in mail.chunks_exact(HEAD + self.system.leaves()) {
            let (head, leaves) = message.split_at(HEAD);
            let (number, move_of, before) = (head[0], head[1] >> 1, head[2]);
            let (place, is_new) = self.store.number_after(leaves, &mut self.last, &mut self.scratch)?;
            let key = (number, move_of);
            if is_new {
                append(&mut self.before, before);
                append(&mut self.numbers, UNNUMBERED);
                self.fresh.push((key, place));
            } else if let Some(met) = (place as usize).checked_sub(old)
                && key < self.fresh[met].0
            {
                self.fresh[met].0 = key;
                self.before[place as usize] = before;
            }
            if head[1] & 1 == 1 {
                let goes_on = self.numbers[place as usize] > number;
                self.answers[from].push(goes_on);
            }
        }
        Some(())
    }

    /// Follows the other moves of states of which those followed lead nowhere new.
    pub(super) fn expand_fully(&mut self, common: &Common<'_>) {
        let alone = std::mem::take(&mut self.alone);
        let asked = std::mem::take(&mut self.asked);
        let mut next = vec![0; common.workers];
        let mut start = 0;
        for state in &alone {
            let mut goes_on = false;
            for &other in &asked[start..state.end] {
                goes_on |= self.answered[other].get(next[other]).copied().unwrap_or(true);
                next[other] += 1;
            }
            start = state.end;
            if !goes_on && let Err(error) = self.follow_others(state, common) {
                let number = self.numbers[state.place as usize];
                self.error = self.error.take().or(Some((number, error)));
            }
        }
        for answers in &mut self.answered {
            answers.clear();
        }
    }

    fn follow_others(&mut self, state: &Alone, common: &Common<'_>) -> Result<(), CoreError> {
        let count = self.system.leaves();
        let number = self.numbers[state.place as usize];
        self.store.fetch(state.place, &mut self.near);
        self.system.moves(self.near.leaves(count), &mut self.moves)?;
        self.follow(state.place, number, |step| !is_chosen(step, Some(state.thread)), false, common)
    }

    /// Puts the new states of this round into the order in which one thread would have met them.
    pub(super) fn sort(&mut self) {
        self.fresh.sort_unstable();
    }

    /// Gives a new state its number.
    pub(super) fn give_number(&mut self, place: u32, number: u32) {
        self.numbers[place as usize] = number;
        self.queue.push_back(place);
    }
}

/// What the state at `place` of worker `own` is called.
pub(super) fn name(own: usize, place: u32, workers: usize) -> Option<u32> {
    u32::try_from(place as usize * workers + own).ok()
}

/// Whose a state is.
pub(super) fn owner(leaves: &[u32], workers: usize) -> usize {
    spread_words(leaves) as usize % workers
}
