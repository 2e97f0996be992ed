//! A worker of a search in rounds: it owns the states whose hash is its own, and sends others to their owners.
//!
//! A state is sent as the pair at its root, which means the same to all (`store`). A worker that is alone owns every state,
//! and writes to itself: that is how states are looked up many at a time (`Pairs::find_all`).

use std::collections::VecDeque;
use std::ops::Range;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};
use membar_ir::words::narrow;

use super::automaton::AcceptanceSets;
use super::findings::{Findings, Note, Options, look};
use super::graph::GraphPart;
use super::product::{Claim, OpenEdges};
use super::reduction::Reduction;
use super::safety::is_chosen;
use super::store::{ExpandedState, Store};
use super::successors::{Successors, Transition, too_many};
use super::symmetry::Symmetry;
use super::system::System;
use super::tables::{SPREAD, append};

/// A state that has no number yet.
const UNNUMBERED: u32 = u32::MAX;
/// Messages that are read together.
const BATCH: usize = 128;

/// What one thread says that all know.
#[derive(Debug)]
pub(super) struct Common<'c> {
    pub(super) options: Options,
    pub(super) reduction: Option<&'c Reduction>,
    /// The automaton beside the program, if there is one.
    pub(super) claim: Option<&'c Claim<'c>>,
    /// Threads that may be exchanged, if that is made use of.
    pub(super) symmetry: Option<&'c Symmetry>,
    /// What was found in earlier rounds.
    pub(super) found: &'c Findings,
    /// States with these numbers are looked at in this round.
    pub(super) range: Range<u32>,
    pub(super) workers: usize,
}

/// Where a state would come among those that one thread meets: the number of the state before it, and the place of
/// the step between them among those that are followed.
pub(super) type Key = (u32, u32);

/// A step into a state, told to the owner of the state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    /// The pair at the root of the state.
    root: u64,
    number: u32,
    /// The second part of the key.
    step: u32,
    /// The name of the state before or, with a claim, the state of the automaton.
    with: u32,
}

/// A state whose moves were followed.
#[derive(Debug, Clone, Copy)]
struct Followed {
    number: u32,
    place: u32,
    /// How many; with a claim, how many steps of the product.
    count: u32,
}

/// The states of a worker.
#[derive(Debug)]
pub(super) struct OwnStates {
    pub(super) store: Store,
    /// Without a claim, per state the name of the state before it.
    pub(super) before: Vec<u32>,
    /// Per state its number.
    numbers: Vec<u32>,
    /// States that are new in this round, and where they come among all.
    fresh: Vec<(Key, u32)>,
    has_claim: bool,
}

impl OwnStates {
    /// The number of the state at a place.
    pub(super) fn number(&self, place: u32) -> u32 {
        self.numbers[place as usize]
    }
}

/// Records a step into the state at a place, which may be new; `with` is the name of the state before it.
fn enter(
    states: (&mut Vec<u32>, &mut Vec<u32>, &mut Vec<(Key, u32)>),
    key: Key,
    with: Option<u32>,
    (place, is_new): (u32, bool),
) {
    let (numbers, before, fresh) = states;
    if is_new {
        append(numbers, UNNUMBERED);
        fresh.push((key, place));
        if let Some(with) = with {
            append(before, with);
        }
    } else if let Some(met) = (place as usize + fresh.len()).checked_sub(numbers.len())
        && key < fresh[met].0
    {
        fresh[met].0 = key;
        if let Some(with) = with {
            before[place as usize] = with;
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
    /// States whose moves were followed in this round.
    followed: Vec<Followed>,
    /// How many moves were followed in all.
    pub(super) transitions: u64,
    /// With a claim, the steps that were sent in this round: to whom, and their labels.
    sent: Vec<(u32, u32)>,
    pub(super) outbox: Vec<Vec<Message>>,
    pub(super) inbox: Vec<Vec<Message>>,
    /// With a claim, the places of the states that others wrote about, and of those that it wrote about.
    pub(super) places: Vec<Vec<u32>>,
    pub(super) placed: Vec<Vec<u32>>,
    /// What has no meaning, and in which number.
    pub(super) error: Option<(u32, CoreError)>,
    pub(super) stopped: Option<Stopped>,
    /// With a claim, the steps out of own states.
    pub(super) graph: GraphPart,
    near: ExpandedState,
    moves: Successors,
    open: OpenEdges,
    /// Where the moves at hand lead, by the pairs at the roots, and their marks.
    targets: Vec<(u64, AcceptanceSets)>,
    words: Vec<u32>,
    roots: Vec<u64>,
    found: Vec<u32>,
    said: Vec<Note>,
}

impl Worker {
    pub(super) fn new(own: usize, workers: usize, system: System, store: Store, has_claim: bool) -> Self {
        let states =
            OwnStates { store, before: Vec::new(), numbers: Vec::new(), fresh: Vec::new(), has_claim };
        Self {
            own,
            system,
            states,
            queue: VecDeque::new(),
            notes: Vec::new(),
            followed: Vec::new(),
            transitions: 0,
            sent: Vec::new(),
            outbox: vec![Vec::new(); workers],
            inbox: vec![Vec::new(); workers],
            places: vec![Vec::new(); workers],
            placed: vec![Vec::new(); workers],
            error: None,
            stopped: None,
            graph: GraphPart::default(),
            near: ExpandedState::default(),
            moves: Successors::default(),
            open: OpenEdges::default(),
            targets: Vec::new(),
            words: Vec::new(),
            roots: Vec::new(),
            found: Vec::new(),
            said: Vec::new(),
        }
    }

    /// Bytes held by its states, and by its copy of the parts of states.
    pub(super) fn bytes(&self) -> usize {
        let mail: usize = self.outbox.iter().chain(&self.inbox).map(Vec::capacity).sum();
        let states = &self.states;
        let lists = states.before.capacity()
            + states.numbers.capacity()
            + 2 * self.sent.capacity()
            + self.queue.capacity();
        let steps = size_of::<Message>() * mail + self.graph.bytes();
        self.states.store.bytes() + self.system.bytes() + 4 * lists + steps
    }

    /// Puts a state in which runs begin, with the state of the automaton beside it, where it belongs; its place, and
    /// whether it is new.
    pub(super) fn begin(&mut self, root: u64, rider: u32) -> Result<(u32, bool), CoreError> {
        let mut met = (0, false);
        let states = &mut self.states;
        let observe = |_, place, is_new| met = (place, is_new);
        let riders = std::iter::once(rider);
        states.store.number_all(&mut vec![root], riders, &mut self.found, observe).ok_or_else(too_many)?;
        if met.1 {
            states.numbers.push(UNNUMBERED);
            if !states.has_claim {
                states.before.push(name(self.own, met.0, self.outbox.len()).ok_or_else(too_many)?);
            }
        }
        Ok(met)
    }

    /// Looks at its states of this round, and writes to the owners of those that follow.
    pub(super) fn look(&mut self, common: &Common<'_>, watch: &mut Watch<'_>) {
        self.system.stepper.synchronize();
        if self.states.store.synchronize().is_none() {
            self.error = Some((0, too_many()));
        }
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
        let alone = common.reduction.and_then(|reduction| {
            let (program, locals) = self.system.locals();
            reduction.ample_thread(program, locals, &self.moves)
        });
        self.follow(place, number, |step| is_chosen(step, alone), common)?;
        Ok(true)
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
                let state = (self.near.leaves(count), self.near.rider);
                claim.look(system, state, moves, common.found, &mut self.open, notes);
            }
        }
        Ok(())
    }

    /// Follows some of the moves at hand: writes to the owners of the states that they lead to.
    fn follow(
        &mut self,
        place: u32,
        number: u32,
        is_chosen: impl Fn(&Transition) -> bool,
        common: &Common<'_>,
    ) -> Result<(), CoreError> {
        let failed = self.find_targets(is_chosen, common)?;
        let name = name(self.own, place, common.workers).ok_or_else(too_many)?;
        let mut step = 0;
        let mut send = |root: u64, with: u32| {
            let owner = owner(root, common.workers);
            self.outbox[owner].push(Message { root, number, step, with });
            step += 1;
            narrow(owner)
        };
        if common.claim.is_some() {
            for &(target, edge) in &self.open.list {
                for &(root, marks) in &self.targets {
                    let owner = send(root, target);
                    self.sent.push((owner, self.graph.marks.number(edge | marks)));
                }
            }
        } else {
            for &(root, _) in &self.targets {
                send(root, name);
            }
        }
        self.followed.push(Followed { number, place, count: step + failed });
        Ok(())
    }

    /// Finds where some of the moves at hand lead; without a claim, how many lead nowhere because an assertion fails.
    fn find_targets(
        &mut self,
        is_chosen: impl Fn(&Transition) -> bool,
        common: &Common<'_>,
    ) -> Result<u32, CoreError> {
        let store = &mut self.states.store;
        let mut failed = 0;
        self.targets.clear();
        if let Some(claim) = common.claim.filter(|_| self.open.stays) {
            self.targets.push((store.root_at(&self.near), claim.marks(0, None)));
        }
        for step in self.moves.list.iter().filter(|step| is_chosen(step)) {
            if step.failed {
                failed += u32::from(common.claim.is_none());
                continue;
            }
            let changes = self.moves.changes(step);
            let root = if let Some(symmetry) = common.symmetry {
                symmetry.root_after(&mut self.system, store, (&mut self.near, changes), &mut self.words)?
            } else {
                store.root_beside(step.sides, changes, &mut self.near)
            };
            let marks = common.claim.map_or(0, |claim| claim.marks(0, Some(step)));
            self.targets.push((root.ok_or_else(too_many)?, marks));
        }
        Ok(failed)
    }

    /// Reads what others wrote about its states, and brings the new ones into the order in which one thread would have met
    /// them.
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
        self.states.fresh.sort_unstable();
    }

    /// Reads the mail of one; None: there are more states than numbers or names.
    fn read(&mut self, from: usize, mail: &[Message]) -> Option<()> {
        name(self.own, narrow(self.states.store.len() + mail.len()), self.outbox.len())?;
        let states = &mut self.states;
        for messages in mail.chunks(BATCH) {
            self.roots.clear();
            self.roots.extend(messages.iter().map(|message| message.root));
            let riders = messages.iter().map(|message| message.with);
            let (numbers, before, fresh) = (&mut states.numbers, &mut states.before, &mut states.fresh);
            let has_claim = states.has_claim;
            let observe = |place: usize, met: u32, is_new: bool| {
                let Message { number, step, with, .. } = messages[place];
                let with = (!has_claim).then_some(with);
                enter((numbers, before, fresh), (number, step), with, (met, is_new));
            };
            states.store.number_all(&mut self.roots, riders, &mut self.found, observe)?;
            if has_claim {
                self.places[from].extend_from_slice(&self.found);
            }
        }
        Some(())
    }

    /// Hands over the new states of this round, and room for those of the next.
    pub(super) fn take_fresh(&mut self, room: Vec<(Key, u32)>) -> Vec<(Key, u32)> {
        std::mem::replace(&mut self.states.fresh, room)
    }

    /// Gives its new states that `is_followed` leads to their numbers, from `first` on: each is as many further as there are
    /// before it among the new states of all.
    pub(super) fn give_numbers(
        &mut self,
        fresh: &[Vec<(Key, u32)>],
        first: u32,
        is_followed: impl Fn(u32) -> bool,
    ) {
        let mut before = vec![0; fresh.len()];
        let own = fresh[self.own].iter().take_while(|(key, _)| is_followed(key.0));
        for (place, (key, state)) in own.enumerate() {
            let mut number = place;
            for (other, list) in fresh.iter().enumerate().filter(|&(other, _)| other != self.own) {
                while list.get(before[other]).is_some_and(|(known, _)| known < key) {
                    before[other] += 1;
                }
                number += before[other];
            }
            self.give_number(*state, first + narrow(number));
        }
    }

    /// Gives a new state its number.
    pub(super) fn give_number(&mut self, place: u32, number: u32) {
        self.states.numbers[place as usize] = number;
        self.queue.push_back(place);
    }

    /// Ends a round: counts the moves of those states that `is_followed`, and adds the steps of the product.
    pub(super) fn link(&mut self, is_followed: impl Fn(u32) -> bool) {
        let mut at = Cursor { step: 0, messages: vec![0; self.placed.len()] };
        let mut arcs = Vec::new();
        for &Followed { number, place, count } in
            self.followed.iter().take_while(|state| is_followed(state.number))
        {
            self.transitions += u64::from(count);
            if !self.states.has_claim {
                continue;
            }
            arcs.clear();
            at.take(count as usize, &self.sent, &self.placed, &mut arcs);
            if let Err(error) = self.graph.add(place, &arcs) {
                self.error = self.error.take().or(Some((number, error)));
            }
        }
        self.followed.clear();
        self.sent.clear();
        for places in &mut self.placed {
            places.clear();
        }
    }
}

/// How far the steps that were sent have been read: those of all, and per owner the messages to it.
#[derive(Debug, Default)]
struct Cursor {
    step: usize,
    messages: Vec<usize>,
}

impl Cursor {
    /// Adds the next steps: the names of the states that they lead to, by the places that owners gave them, and labels.
    fn take(&mut self, count: usize, sent: &[(u32, u32)], placed: &[Vec<u32>], arcs: &mut Vec<(u32, u32)>) {
        for &(owner, label) in &sent[self.step..self.step + count] {
            let message = &mut self.messages[owner as usize];
            let place = placed[owner as usize][*message];
            *message += 1;
            // Where there is no such name, its owner has said so.
            arcs.push((name(owner as usize, place, placed.len()).unwrap_or(0), label));
        }
        self.step += count;
    }
}

/// What the state at `place` of worker `own` is called.
pub(super) fn name(own: usize, place: u32, workers: usize) -> Option<u32> {
    u32::try_from(place as usize * workers + own).ok()
}

/// Whose a state is, by the pair at its root.
pub(super) fn owner(root: u64, workers: usize) -> usize {
    (((root.wrapping_mul(SPREAD) >> 32) * workers as u64) >> 32) as usize
}
