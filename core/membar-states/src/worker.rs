//! A worker of a search in rounds: it owns the states whose hash is its own, and sends others to their owners.
//!
//! A worker that is alone owns every state: it numbers states as it meets them, and sends nothing.

use std::collections::VecDeque;
use std::ops::Range;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};
use membar_ir::words::narrow;

use super::automaton::AcceptanceSets;
use super::findings::{Findings, Note, Options, look};
use super::product::{Claim, LabelTable, OpenEdges};
use super::reduction::Reduction;
use super::safety::is_chosen;
use super::store::{ExpandedState, Store};
use super::successors::{Successors, Transition, too_many};
use super::system::System;
use super::tables::{append, spread_words};

/// A state that has no number yet.
const UNNUMBERED: u32 = u32::MAX;
/// Words of a message before those of its state.
const HEAD: usize = 3;

/// What one thread says that all know.
#[derive(Debug)]
pub(super) struct Common<'c> {
    pub(super) options: Options,
    pub(super) reduction: Option<&'c Reduction>,
    /// The automaton beside the program, if there is one.
    pub(super) claim: Option<&'c Claim<'c>>,
    /// What was found in earlier rounds.
    pub(super) found: &'c Findings,
    /// States with these numbers are looked at in this round.
    pub(super) range: Range<u32>,
    pub(super) workers: usize,
}

/// Where a state would come among those that one thread meets: the number of the state before it, and the place of
/// the step between them among those that are followed.
pub(super) type Key = (u32, u32);

/// Messages about states: the key of the step, twice its second part with a bit for whether an answer is wanted; the
/// name of the state before or, with a claim, the label of the step; and the words of the state.
type StateMessage = Vec<u32>;

/// A state of which only the moves of one thread were followed so far.
#[derive(Debug)]
struct Alone {
    place: u32,
    thread: usize,
    /// How many steps were followed.
    followed: u32,
    /// Who knows whether they lead on: the end of its part of `asked`.
    end: usize,
}

/// What was chosen for a state of the program, whatever the state of the automaton beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// Nothing yet.
    Open,
    /// One thread moves alone.
    Reduced,
    /// All steps are followed.
    Full,
}

/// A step of the product into an own state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Received {
    pub(super) key: Key,
    /// The place of the state that it leads to.
    pub(super) place: u32,
    /// The label of the step, as numbered by worker `from`.
    pub(super) label: u32,
    pub(super) from: u32,
}

/// The states of a worker.
#[derive(Debug)]
pub(super) struct OwnStates {
    pub(super) store: Store,
    /// Without a claim, per state the name of the state before it.
    pub(super) before: Vec<u32>,
    /// Per state its number; none if there is one worker, because then places are numbers.
    numbers: Vec<u32>,
    /// States that are new in this round, and where they come among all.
    fresh: Vec<(Key, u32)>,
    /// With a claim, the steps of this round into these states.
    pub(super) received: Vec<Received>,
    /// With a claim and reduction, per state of the program what was chosen.
    choices: Vec<Choice>,
    /// And, with several workers, the smallest number of a state of the product that it is part of.
    firsts: Vec<u32>,
    last: ExpandedState,
    scratch: Vec<u32>,
    is_only: bool,
    has_claim: bool,
}

impl OwnStates {
    /// The number of the state at a place.
    pub(super) fn number(&self, place: u32) -> u32 {
        if self.is_only { place } else { self.numbers[place as usize] }
    }

    /// What was chosen for the program's part, with this number, of a state.
    fn choice(&mut self, program: u32) -> &mut Choice {
        let place = program as usize;
        if self.choices.len() <= place {
            self.choices.resize(place + 1, Choice::Open);
        }
        &mut self.choices[place]
    }

    /// Where the program's part, with this number, of a state comes in the order in which such parts were met.
    fn age(&self, program: u32) -> u32 {
        let first = || self.firsts.get(program as usize).copied().unwrap_or(UNNUMBERED);
        if self.is_only { program } else { first() }
    }

    /// Gives a new state its number.
    fn give_number(&mut self, place: u32, number: u32, reduces: bool) {
        self.numbers[place as usize] = number;
        if reduces && self.has_claim {
            let program = self.store.beside_rider_of(place) as usize;
            if self.firsts.len() <= program {
                self.firsts.resize(program + 1, UNNUMBERED);
            }
            self.firsts[program] = self.firsts[program].min(number);
        }
    }

    /// Records a step into the state at a place, which may be new; `with` is the name of the state before, or a label.
    fn enter(&mut self, from: u32, key: Key, with: u32, (place, is_new): (u32, bool)) {
        if is_new {
            if !self.has_claim {
                append(&mut self.before, with);
            }
            if !self.is_only {
                append(&mut self.numbers, UNNUMBERED);
                self.fresh.push((key, place));
            }
        } else if let Some(met) = (place as usize + self.fresh.len()).checked_sub(self.numbers.len())
            && !self.is_only
            && key < self.fresh[met].0
        {
            self.fresh[met].0 = key;
            if !self.has_claim {
                self.before[place as usize] = with;
            }
        }
        if self.has_claim {
            self.received.push(Received { key, place, label: with, from });
        }
    }
}

/// A thread's states, and what it has to say and to do in a round.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) own: usize,
    pub(super) system: System,
    pub(super) states: OwnStates,
    /// Own states still to be looked at, by their numbers.
    queue: VecDeque<u32>,
    /// What is to be said: of which number and name.
    pub(super) notes: Vec<(u32, u32, Note)>,
    /// How many moves of which number were followed.
    pub(super) followed: Vec<(u32, u32)>,
    pub(super) outbox: Vec<StateMessage>,
    pub(super) inbox: Vec<StateMessage>,
    /// Answers to others, and those of others: the numbers of states or, with a claim, their ages.
    pub(super) answers: Vec<Vec<u32>>,
    pub(super) answered: Vec<Vec<u32>>,
    alone: Vec<Alone>,
    asked: Vec<usize>,
    /// What has no meaning, and in which number.
    pub(super) error: Option<(u32, CoreError)>,
    pub(super) stopped: Option<Stopped>,
    /// If it is alone, the state after which there were more states than there may be.
    pub(super) full: Option<u32>,
    /// Numbers for marks of steps out of own states.
    pub(super) labels: LabelTable,
    near: ExpandedState,
    moves: Successors,
    open: OpenEdges,
    words: Vec<u32>,
    said: Vec<Note>,
}

impl Worker {
    pub(super) fn new(own: usize, workers: usize, system: System, has_claim: bool) -> Self {
        let states = OwnStates {
            store: Store::new(&system.program.leaf_order(), has_claim),
            before: Vec::new(),
            numbers: Vec::new(),
            fresh: Vec::new(),
            received: Vec::new(),
            choices: Vec::new(),
            firsts: Vec::new(),
            last: ExpandedState::default(),
            scratch: Vec::new(),
            is_only: workers == 1,
            has_claim,
        };
        let mail = || vec![Vec::new(); workers];
        Self {
            own,
            system,
            states,
            queue: VecDeque::new(),
            notes: Vec::new(),
            followed: Vec::new(),
            outbox: mail(),
            inbox: mail(),
            answers: vec![Vec::new(); workers],
            answered: vec![Vec::new(); workers],
            alone: Vec::new(),
            asked: Vec::new(),
            error: None,
            stopped: None,
            full: None,
            labels: LabelTable::default(),
            near: ExpandedState::default(),
            moves: Successors::default(),
            open: OpenEdges::default(),
            words: Vec::new(),
            said: Vec::new(),
        }
    }

    /// Bytes held by its states, and by its copy of the parts of states.
    pub(super) fn bytes(&self) -> usize {
        let mail: usize = self.outbox.iter().chain(&self.inbox).map(Vec::capacity).sum();
        let states = &self.states;
        let lists = states.before.capacity()
            + states.numbers.capacity()
            + states.firsts.capacity()
            + states.choices.capacity() / 4
            + self.queue.capacity();
        let received = self.states.received.capacity() * size_of::<Received>();
        self.states.store.bytes() + self.system.bytes() + 4 * (lists + mail) + received
    }

    /// Puts a state in which runs begin where it belongs; its place, and whether it is new.
    pub(super) fn begin(&mut self, initial: &[u32]) -> Result<(u32, bool), CoreError> {
        let states = &mut self.states;
        let met = states.store.number(initial, &ExpandedState::default(), &mut states.scratch);
        let (place, is_new) = met.ok_or_else(too_many)?;
        if is_new && !states.has_claim {
            states.before.push(name(self.own, place, self.outbox.len()).ok_or_else(too_many)?);
        }
        if is_new && !states.is_only {
            states.numbers.push(UNNUMBERED);
        }
        Ok((place, is_new))
    }

    /// Looks at its states of this round, and writes to the owners of those that follow.
    pub(super) fn look(&mut self, common: &Common<'_>, watch: &mut Watch<'_>) {
        self.system.stepper.synchronize();
        for place in self.places_of(&common.range) {
            if let Err(stopped) = watch.step() {
                self.stopped = Some(stopped);
                return;
            }
            let number = self.states.number(place);
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

    /// The own states with these numbers, in order.
    fn places_of(&mut self, range: &Range<u32>) -> Vec<u32> {
        if self.states.is_only {
            return range.clone().collect();
        }
        let start = self.queue.partition_point(|&place| self.states.number(place) < range.start);
        let end = self.queue.partition_point(|&place| self.states.number(place) < range.end);
        self.queue.drain(start..end).collect()
    }

    /// Looks at one state; whether to go on.
    fn look_at(&mut self, place: u32, number: u32, common: &Common<'_>) -> Result<bool, CoreError> {
        self.find_moves(place, common)?;
        let is_over = self.said.iter().any(|note| note.ends(common.options));
        let name = name(self.own, place, common.workers).ok_or_else(too_many)?;
        self.notes.extend(self.said.drain(..).map(|note| (number, name, note)));
        if is_over {
            return Ok(false);
        }
        let (alone, mut choice) = self.choose(common);
        let asks = alone.is_some() && choice == Choice::Open;
        let (followed, goes_on) =
            self.follow(place, number, |step| is_chosen(step, alone), 0, asks, common)?;
        if let Some(thread) = alone.filter(|_| followed > 0) {
            if asks && self.states.is_only {
                choice = self.settle(goes_on);
            } else if asks {
                self.alone.push(Alone { place, thread, followed, end: self.asked.len() });
            }
            if choice == Choice::Full {
                let others = |step: &Transition| !is_chosen(step, alone);
                self.follow(place, number, others, followed, false, common)?;
            }
        }
        let most = common.options.states.filter(|_| self.states.is_only);
        if most.is_some_and(|most| self.states.store.len() as u64 > most) {
            self.full = Some(number);
        }
        Ok(self.full.is_none())
    }

    /// A thread that may move alone in the state at hand but for the cycle proviso, and what was chosen there before.
    fn choose(&mut self, common: &Common<'_>) -> (Option<usize>, Choice) {
        let Some(reduction) = common.reduction else { return (None, Choice::Full) };
        let (program, locals) = self.system.locals();
        let thread = reduction.ample_thread(program, locals, &self.moves);
        let choice = match common.claim {
            Some(_) => *self.states.choice(self.states.store.beside_rider(&self.near)),
            None => Choice::Open,
        };
        (thread, choice)
    }

    /// Chooses, by the cycle proviso, what is followed in the state at hand, with a claim whatever the automaton's state.
    fn settle(&mut self, goes_on: bool) -> Choice {
        let choice = if goes_on { Choice::Reduced } else { Choice::Full };
        if self.states.has_claim {
            *self.states.choice(self.states.store.beside_rider(&self.near)) = choice;
        }
        choice
    }

    /// Finds what can happen in a state, and what is to be said of it.
    fn find_moves(&mut self, place: u32, common: &Common<'_>) -> Result<(), CoreError> {
        let count = self.system.leaves();
        self.states.store.fetch(place, &mut self.near);
        self.system.moves(self.near.leaves(count), &mut self.moves)?;
        let (system, moves, notes) = (&mut self.system, &self.moves, &mut self.said);
        match common.claim {
            None => look(system, self.near.leaves(count), moves, common.found, notes),
            Some(claim) => {
                let leaves = self.near.leaves(count + 1);
                claim.look(system, leaves, moves, common.found, &mut self.open, notes);
            }
        }
        Ok(())
    }

    /// Follows some of the moves at hand, the first of them as step `first`: writes to the owners of the states that
    /// they lead to. How many steps were followed, with those before, and whether the cycle proviso holds, as far as that
    /// is known here.
    fn follow(
        &mut self,
        place: u32,
        number: u32,
        is_chosen: impl Fn(&Transition) -> bool,
        first: u32,
        asks: bool,
        common: &Common<'_>,
    ) -> Result<(u32, bool), CoreError> {
        let count = self.system.leaves();
        let name = name(self.own, place, common.workers).ok_or_else(too_many)?;
        let (mut next, mut failed) = (first, 0);
        // With a claim all must go on, without one of them.
        let mut goes_on = common.claim.is_some();
        let age = if asks && goes_on { self.states.store.beside_rider(&self.near) } else { 0 };
        let mut go = |edge: (u32, AcceptanceSets), step: Option<&Transition>| {
            self.words.clear();
            self.words.extend_from_slice(self.near.leaves(count));
            for &(leaf, word) in step.map_or(&[][..], |step| self.moves.changes(step)) {
                self.words[leaf as usize] = word;
            }
            let mut with = name;
            if let Some(claim) = common.claim {
                if let Some(symmetry) = &claim.symmetry {
                    symmetry.normalize(&mut self.system, &mut self.words)?;
                }
                self.words.push(edge.0);
                with = self.labels.number(claim.marks(edge.1, step));
            }
            if next >= UNNUMBERED >> 1 {
                return Err(too_many());
            }
            if self.states.is_only {
                let states = &mut self.states;
                let met = states.store.number(&self.words, &self.near, &mut states.scratch);
                let met = met.ok_or_else(too_many)?;
                if common.claim.is_none() {
                    goes_on |= met.0 > number;
                } else if asks {
                    goes_on &= states.store.beside_rider_of(met.0) > age;
                }
                states.enter(0, (number, next), with, met);
            } else {
                let owner = owner(&self.words[..count], common.workers);
                let mail = &mut self.outbox[owner];
                mail.extend([number, next << 1 | u32::from(asks), with]);
                mail.extend_from_slice(&self.words);
                if asks {
                    self.asked.push(owner);
                }
            }
            next += 1;
            Ok(())
        };
        let without_claim = [(0, 0)];
        let edges = if common.claim.is_some() { self.open.list.as_slice() } else { &without_claim };
        for &edge in edges {
            if self.open.stays {
                go(edge, None)?;
            }
            for step in self.moves.list.iter().filter(|step| is_chosen(step)) {
                if step.failed {
                    failed += u32::from(common.claim.is_none());
                } else {
                    go(edge, Some(step))?;
                }
            }
        }
        self.followed.push((number, next - first + failed));
        Ok((next, goes_on))
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
        let states = &mut self.states;
        let words = self.system.leaves() + usize::from(states.has_claim);
        for message in mail.chunks_exact(HEAD + words) {
            let (head, leaves) = message.split_at(HEAD);
            let (number, step, with) = (head[0], head[1] >> 1, head[2]);
            let met = states.store.number_after(leaves, &mut states.last, &mut states.scratch)?;
            states.enter(narrow(from), (number, step), with, met);
            if head[1] & 1 == 1 {
                let answer = if states.has_claim {
                    states.age(states.store.beside_rider_of(met.0))
                } else {
                    states.number(met.0)
                };
                self.answers[from].push(answer);
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
            let mut number = self.states.number(state.place);
            if common.claim.is_some() {
                number = self.states.age(self.states.store.beside_rider_of(state.place));
            }
            let mut goes_on = common.claim.is_some();
            for &other in &asked[start..state.end] {
                let is_later = self.answered[other].get(next[other]).is_none_or(|&answer| answer > number);
                goes_on = if common.claim.is_some() { goes_on && is_later } else { goes_on || is_later };
                next[other] += 1;
            }
            start = state.end;
            self.states.store.fetch(state.place, &mut self.near);
            self.settle(goes_on);
            if !goes_on && let Err(error) = self.follow_others(state, common) {
                let number = self.states.number(state.place);
                self.error = self.error.take().or(Some((number, error)));
            }
        }
        for answers in &mut self.answered {
            answers.clear();
        }
    }

    fn follow_others(&mut self, state: &Alone, common: &Common<'_>) -> Result<(), CoreError> {
        let number = self.states.number(state.place);
        self.find_moves(state.place, common)?;
        self.said.clear();
        let others = |step: &Transition| !is_chosen(step, Some(state.thread));
        self.follow(state.place, number, others, state.followed, false, common).map(|_| ())
    }

    /// The new states of this round, in the order in which one thread would have met them.
    pub(super) fn sort(&mut self) {
        self.states.fresh.sort_unstable();
    }

    /// Hands over the new states of this round.
    pub(super) fn take_fresh(&mut self) -> Vec<(Key, u32)> {
        std::mem::take(&mut self.states.fresh)
    }

    /// Gives a new state its number.
    pub(super) fn give_number(&mut self, place: u32, number: u32, reduces: bool) {
        if !self.states.is_only {
            self.states.give_number(place, number, reduces);
            self.queue.push_back(place);
        }
    }
}

/// What the state at `place` of worker `own` is called.
pub(super) fn name(own: usize, place: u32, workers: usize) -> Option<u32> {
    u32::try_from(place as usize * workers + own).ok()
}

/// Whose a state is, by its words without those of a claim.
pub(super) fn owner(leaves: &[u32], workers: usize) -> usize {
    if workers == 1 { 0 } else { spread_words(leaves) as usize % workers }
}
