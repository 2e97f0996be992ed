//! An owner of states in a search in rounds: it has those whose hash is its own, and numbers them.
//!
//! While workers look at states, all may look at what all owners have; nothing is added. What seems to be new is written
//! to its owner, who adds it at the end of the round, and answers with its place.

use std::collections::VecDeque;
use std::ops::Range;

use membar_ir::error::CoreError;
use membar_ir::words::narrow;

use super::graph::ArcStarts;
use super::store::StateTable;
use super::successors::too_many;
use super::tables::{SPREAD, append};
use super::worker::Followed;

/// A state that has no number yet.
const UNNUMBERED: u32 = u32::MAX;
/// Messages that are read together.
const BATCH: usize = 128;

/// Where a state would come among those that one thread meets: the number of the state before it, and the place of
/// the step between them among those that are followed.
pub(super) type Key = (u32, u32);

/// A step into a state, told to the owner of the state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    /// The pair at the root of the state.
    pub(super) root: u64,
    /// The key.
    pub(super) number: u32,
    pub(super) step: u32,
    /// The name of the state before or, with a claim, the state of the automaton.
    pub(super) with: u32,
}

/// The states of an owner.
#[derive(Debug, Clone)]
pub(super) struct OwnStates {
    own: usize,
    pub(super) table: StateTable,
    /// Without a claim, per state the name of the state before it.
    pub(super) before: Vec<u32>,
    /// Per state its number.
    numbers: Vec<u32>,
    /// States that are new in this round, and where they come among all: in this order.
    pub(super) fresh: Vec<(Key, u32)>,
    /// States still to be looked at, by their numbers.
    queue: VecDeque<u32>,
    /// Those that are looked at in this round.
    current: Vec<u32>,
    /// With a claim, where the steps out of states are.
    pub(super) starts: ArcStarts,
    /// What workers wrote to it.
    pub(super) inbox: Vec<Vec<Message>>,
    /// With a claim, the places of the states that they wrote about.
    pub(super) places: Vec<Vec<u32>>,
    pub(super) error: Option<CoreError>,
    roots: Vec<u64>,
    found: Vec<u32>,
}

impl OwnStates {
    pub(super) fn new(own: usize, owners: usize, has_claim: bool) -> Self {
        Self {
            own,
            table: StateTable::new(has_claim),
            before: Vec::new(),
            numbers: Vec::new(),
            fresh: Vec::new(),
            queue: VecDeque::new(),
            current: Vec::new(),
            starts: ArcStarts::default(),
            inbox: vec![Vec::new(); owners],
            places: vec![Vec::new(); owners],
            error: None,
            roots: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let mail: usize = self.inbox.iter().map(Vec::capacity).sum();
        let lists = self.before.capacity() + self.numbers.capacity() + self.queue.capacity();
        self.table.bytes() + 4 * lists + size_of::<Message>() * mail + self.starts.bytes()
    }

    /// The number of the state at a place.
    pub(super) fn number(&self, place: u32) -> u32 {
        self.numbers[place as usize]
    }

    /// Adds a state in which runs begin, with the state of the automaton beside it; its place, and whether it is new.
    pub(super) fn begin(&mut self, root: u64, rider: u32) -> Result<(u32, bool), CoreError> {
        let mut met = (0, false);
        let observe = |_, place, is_new| met = (place, is_new);
        let riders = std::iter::once(rider);
        self.table.number_all(&mut vec![root], riders, &mut self.found, observe).ok_or_else(too_many)?;
        if met.1 {
            self.numbers.push(UNNUMBERED);
            if self.table.product.is_none() {
                self.before.push(name(self.own, met.0, self.inbox.len()).ok_or_else(too_many)?);
            }
        }
        Ok(met)
    }

    /// The places of its states with these numbers that are still to be looked at, in order.
    fn places_of(&self, range: &Range<u32>) -> Range<usize> {
        let start = self.queue.partition_point(|&place| self.number(place) < range.start);
        let end = self.queue.partition_point(|&place| self.number(place) < range.end);
        start..end
    }

    /// Writes the names of its states with these numbers into a list, each where its number is in the range.
    pub(super) fn put_names(&self, range: &Range<u32>, names: &mut [u32]) {
        for &place in self.queue.range(self.places_of(range)) {
            // Every state has a name, else it would not have been added.
            names[(self.number(place) - range.start) as usize] =
                name(self.own, place, self.inbox.len()).unwrap_or(0);
        }
    }

    /// Reads what was written about its states in a round over this range. Workers come in the order of the states that
    /// they look at, so what is new is met in the order in which one thread would have met it.
    pub(super) fn receive(&mut self, range: &Range<u32>) {
        let looked_at = self.places_of(range);
        self.current.extend(self.queue.drain(looked_at));
        for (from, mail) in std::mem::take(&mut self.inbox).into_iter().enumerate() {
            if self.read(from, &mail).is_none() {
                self.error = self.error.take().or_else(|| Some(too_many()));
            }
            self.inbox.push(mail);
        }
        for mail in &mut self.inbox {
            mail.clear();
        }
    }

    /// Reads the mail of one; None: there are more states than numbers or names.
    fn read(&mut self, from: usize, mail: &[Message]) -> Option<()> {
        name(self.own, narrow(self.table.len() + mail.len()), self.places.len())?;
        let has_claim = self.table.product.is_some();
        for messages in mail.chunks(BATCH) {
            self.roots.clear();
            self.roots.extend(messages.iter().map(|message| message.root));
            let riders = messages.iter().map(|message| message.with);
            let (numbers, before, fresh) = (&mut self.numbers, &mut self.before, &mut self.fresh);
            let observe = |place: usize, met: u32, is_new: bool| {
                if is_new {
                    let Message { number, step, with, .. } = messages[place];
                    append(numbers, UNNUMBERED);
                    fresh.push(((number, step), met));
                    if !has_claim {
                        append(before, with);
                    }
                }
            };
            self.table.number_all(&mut self.roots, riders, &mut self.found, observe)?;
            if has_claim {
                self.places[from].extend_from_slice(&self.found);
            }
        }
        Some(())
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
        self.numbers[place as usize] = number;
        self.queue.push_back(place);
    }

    /// Ends a round over this range: with a claim, notes where the steps are that workers have followed.
    pub(super) fn link(
        &mut self,
        range: &Range<u32>,
        followed: &[Vec<Followed>],
        is_followed: impl Fn(u32) -> bool,
    ) {
        let current = self.current.drain(..).filter(|_| self.table.product.is_some());
        let (mut worker, mut part) = (0, part_of(range, 0, followed.len()));
        for (place, number) in current.map(|place| (place, self.numbers[place as usize])) {
            if !is_followed(number) {
                break;
            }
            while number >= part.end {
                worker += 1;
                part = part_of(range, worker, followed.len());
            }
            let start = followed[worker][(number - part.start) as usize].start;
            if self.starts.set(place, (worker, followed.len()), start).is_none() {
                self.error = Some(too_many());
            }
        }
    }
}

/// The states of a round that a worker looks at: the first one the first, and so on.
pub(super) fn part_of(range: &Range<u32>, worker: usize, workers: usize) -> Range<u32> {
    let border = |worker: usize| range.start + narrow((range.end - range.start) as usize * worker / workers);
    border(worker)..border(worker + 1)
}

/// What the state at `place` of owner `own` is called.
pub(super) fn name(own: usize, place: u32, owners: usize) -> Option<u32> {
    u32::try_from(place as usize * owners + own).ok()
}

/// Whose a state is, by the pair at its root.
pub(super) fn owner(root: u64, owners: usize) -> usize {
    (((root.wrapping_mul(SPREAD) >> 32) * owners as u64) >> 32) as usize
}
