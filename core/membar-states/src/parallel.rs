//! Parallel breadth-first exploration whose result does not depend on the number of threads. Each round expands the
//! states of one layer; a state is expanded by the worker that owns its hash. At the end of a round new states are
//! numbered in the order in which a sequential search finds them.
//!
//! In a round the next states, in the order of their numbers, are looked at, each by its owner; what follows them is
//! written to the owners of the states that follow. At the end of the round its new states are numbered by where one
//! thread would have met them: after which state, by which of its moves. So numbers, what is found first, runs and
//! what the reduction leaves out do not depend on how many threads there are. What a round found beyond the state at
//! which one thread would have stopped is left out.
//!
//! Threads share nothing while they work but the parts of states, of which there are few: each has a copy, and asks for
//! a new number only where it meets a new part (`store::ComponentTable`).

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Stopped, Watch};
use membar_ir::words::narrow;

use super::disk::DiskStates;
use super::findings::{Findings, Options};
use super::graph::{Graph, GraphPart};
use super::product::Claim;
use super::reduction::Reduction;
use super::runs::Runs;
use super::safety::{Exploration, Part, note_findings};
use super::store::Store;
use super::successors::too_many;
use super::symmetry::Symmetry;
use super::system::System;
use super::walk::Walk;
use super::worker::{Common, Key, Worker, name, owner};

/// States of a round: more when there are many, because threads are started several times in each.
const ROUND: std::ops::RangeInclusive<u32> = 1 << 12..=1 << 14;
/// About as many states of a worker are new in a round, at most.
const SOON: usize = 1 << 16;
/// With a claim, so many states are looked at newest first: a run that breaks it is often near, but deep.
const DEEP: u32 = 1 << 14;
/// States of a round then.
const DEEP_ROUND: u32 = 16;

/// Visits every state with `options.jobs` threads.
pub(super) fn explore(
    mut system: System,
    options: Options,
    watch: &mut Watch<'_>,
) -> Result<Exploration, CoreError> {
    let initial = system.initial()?;
    let reduction = options.reduced.then(|| Reduction::new(&system.program, &system.program.errors, false));
    let symmetry = Symmetry::for_safety(&system.program, options);
    let mut team = Team::new(system, options, None, symmetry.as_ref());
    team.begin(&initial, 0)?;
    team.found.stopped = team.search(reduction.as_ref(), watch)?;
    let explored = match options.disk.filter(|_| team.found.stopped == Some(Stopped::Memory)) {
        Some(most) => team.move_to_disk(most, watch)?.complete(options, watch, note_findings(options))?,
        None => team.finish()?,
    };
    Ok(Exploration { symmetry, ..explored })
}

/// Workers, and what they have found.
pub(super) struct Team<'c> {
    workers: Vec<Worker>,
    options: Options,
    claim: Option<&'c Claim<'c>>,
    symmetry: Option<&'c Symmetry>,
    pub(super) found: Findings,
    names: BTreeMap<u32, u32>,
    /// How many have numbers.
    states: u32,
    /// Per worker, the new states of the round that ends.
    fresh: Vec<Vec<(Key, u32)>>,
    /// Numbers of the states that are still to be looked at.
    open: VecDeque<Range<u32>>,
    /// With a claim, the graph of its product.
    pub(super) runs: Option<Runs>,
}

/// Where one thread would have stopped in a round.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// The last state that it would have looked at.
    number: u32,
    /// Whether it would have followed its moves.
    followed: bool,
    why: Stopped,
}

impl<'c> Team<'c> {
    pub(super) fn new(
        system: System,
        options: Options,
        claim: Option<&'c Claim<'c>>,
        symmetry: Option<&'c Symmetry>,
    ) -> Self {
        let errors = if claim.is_some() { 0 } else { system.program.errors.len() };
        let jobs = options.jobs.max(1);
        let systems = if jobs == 1 { vec![system] } else { system.share(jobs) };
        let stores = Store::several(&systems[0].program.leaf_order(), claim.is_some(), jobs);
        let workers = systems.into_iter().zip(stores).enumerate();
        Self {
            workers: workers
                .map(|(own, (system, store))| Worker::new(own, jobs, system, store, claim.is_some()))
                .collect(),
            options,
            claim,
            symmetry,
            found: Findings { errors: vec![None; errors], ..Findings::default() },
            names: BTreeMap::new(),
            states: 0,
            fresh: vec![Vec::new(); jobs],
            open: VecDeque::new(),
            runs: claim.map(Runs::new),
        }
    }

    /// Adds a state in which runs begin, with the state of the automaton beside it.
    pub(super) fn begin(&mut self, initial: &[u32], rider: u32) -> Result<(), CoreError> {
        let root = self.workers[0].states.store.root_of(initial).ok_or_else(too_many)?;
        let own = owner(root, self.workers.len());
        let (place, is_new) = self.workers[own].begin(root, rider)?;
        if is_new {
            self.workers[own].give_number(place, self.states);
            self.states += 1;
            self.add_open(self.states - 1);
        }
        if let Some(runs) = &mut self.runs {
            runs.initial.push(name(own, place, self.workers.len()).ok_or_else(too_many)?);
        }
        Ok(())
    }

    /// The steps of the product.
    fn graph(&self) -> Graph<'_> {
        let places = self.workers.iter().map(|worker| worker.states.store.len()).max().unwrap_or(0);
        Graph::new(self.workers.iter().map(|worker| &worker.graph), places * self.workers.len())
    }

    /// Adds the states from number `first` on to those that are still to be looked at.
    fn add_open(&mut self, first: u32) {
        match self.open.back_mut() {
            Some(last) if last.end == first => last.end = self.states,
            _ if first < self.states => self.open.push_back(first..self.states),
            _ => {}
        }
    }

    /// The states of the next round: the oldest or, at the beginning of a search for runs, the newest.
    fn next_round(&mut self) -> Option<Range<u32>> {
        let is_deep = self.claim.is_some() && !self.options.shortest && self.states < DEEP;
        let usual = (self.states / 32).clamp(*ROUND.start(), *ROUND.end());
        let size = self.options.round.unwrap_or(if is_deep { DEEP_ROUND } else { usual });
        let range = if is_deep { self.open.back_mut() } else { self.open.front_mut() }?;
        let size = size.min(range.end - range.start);
        let next = if is_deep { range.end - size..range.end } else { range.start..range.start + size };
        *range = if is_deep { range.start..next.start } else { next.end..range.end };
        self.open.retain(|range| !range.is_empty());
        Some(next)
    }

    fn bytes(&self) -> usize {
        self.workers.iter().map(Worker::bytes).sum()
    }

    /// Whether there is room for another round; with a disk, before there is none.
    fn look_at_memory(&self, watch: &Watch<'_>) -> Result<(), Stopped> {
        if self.options.disk.is_none() {
            return watch.bytes(self.bytes());
        }
        let growth = |worker: &Worker| worker.states.store.root.growth(SOON);
        let soon = self.bytes() + self.workers.iter().map(growth).sum::<usize>();
        let is_full = self.options.is_memory_full(self.states as usize, soon, watch);
        if is_full { Err(Stopped::Memory) } else { Ok(()) }
    }

    /// Visits states until there are no more, or the search ends for another reason.
    pub(super) fn search(
        &mut self,
        reduction: Option<&Reduction>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Stopped>, CoreError> {
        while !self.open.is_empty() {
            if let Err(stopped) = watch.look().and_then(|()| self.look_at_memory(watch)) {
                return Ok(Some(stopped));
            }
            let Some(range) = self.next_round() else { break };
            if let Some(stopped) = self.round(reduction, &range, watch) {
                return Ok(Some(stopped));
            }
            let before = self.states;
            let stopped = self.close(range.end - range.start, watch)?;
            self.add_open(before);
            watch.meter().count(u64::from(self.states - before), 0, 0);
            if stopped.is_some() {
                return Ok(stopped);
            }
            if let Some(mut runs) = self.runs.take_if(|runs| runs.is_due(self.states)) {
                let found = if self.options.shortest {
                    Ok(false)
                } else {
                    let stores: Vec<&Store> =
                        self.workers.iter().map(|worker| &worker.states.store).collect();
                    runs.find_component(&self.graph(), &stores, self.bytes(), watch)
                };
                self.runs = Some(runs);
                match found {
                    Ok(false) => {}
                    Ok(true) => return Ok(Some(Stopped::Found)),
                    Err(stopped) => return Ok(Some(stopped)),
                }
            }
        }
        Ok(None)
    }

    /// Looks at the states of a range, and lets the owners of those that follow know.
    fn round(
        &mut self,
        reduction: Option<&Reduction>,
        range: &Range<u32>,
        watch: &mut Watch<'_>,
    ) -> Option<Stopped> {
        let common = Common {
            options: self.options,
            reduction,
            claim: self.claim,
            symmetry: self.symmetry,
            found: &self.found,
            range: range.clone(),
            workers: self.workers.len(),
        };
        let workers = &mut self.workers;
        let is_large = self.options.is_worth_it(range.end - range.start);
        all(workers, is_large, watch, |worker, watch| worker.look(&common, watch));
        exchange(workers, |worker| &mut worker.outbox, |worker| &mut worker.inbox);
        all(workers, is_large, watch, |worker, _| worker.receive());
        exchange(workers, |worker| &mut worker.places, |worker| &mut worker.placed);
        workers.iter().find_map(|worker| worker.stopped)
    }

    /// Ends a round: records what was found and numbers what is new, up to where one thread would have stopped.
    fn close(&mut self, size: u32, watch: &mut Watch<'_>) -> Result<Option<Stopped>, CoreError> {
        self.take_fresh()?;
        let cut = self.cut();
        let is_inside = |number: u32| cut.is_none_or(|cut| number <= cut.number);
        let is_followed =
            |number: u32| cut.is_none_or(|cut| number < cut.number || (cut.followed && number == cut.number));
        let mut errors: Vec<(u32, CoreError)> =
            self.workers.iter_mut().filter_map(|worker| worker.error.take()).collect();
        errors.sort_by_key(|error| error.0);
        // One thread would have met the failure first.
        if let Some((_, error)) = errors.into_iter().find(|error| cut.is_none() || is_followed(error.0)) {
            return Err(error);
        }
        let mut notes: Vec<_> = self.workers.iter_mut().flat_map(|worker| worker.notes.drain(..)).collect();
        notes.sort_by_key(|note| note.0);
        for (number, name, note) in notes.into_iter().filter(|note| is_inside(note.0)) {
            if self.found.take(number, note, self.options.keep_finals) {
                self.names.insert(number, name);
            }
        }
        let (first, fresh) = (self.states, &self.fresh);
        let is_large = self.options.is_worth_it(size);
        all(&mut self.workers, is_large, watch, |worker, _| {
            worker.give_numbers(fresh, first, is_followed);
            worker.link(is_followed);
        });
        let followed = fresh.iter().map(|list| list.partition_point(|(key, _)| is_followed(key.0)));
        self.states += narrow(followed.sum());
        if let Some((_, error)) = self.workers.iter_mut().find_map(|worker| worker.error.take()) {
            return Err(error);
        }
        self.found.transitions = self.workers.iter().map(|worker| worker.transitions).sum();
        Ok(cut.map(|cut| cut.why))
    }

    /// Takes over the new states of a round.
    fn take_fresh(&mut self) -> Result<(), CoreError> {
        for (list, worker) in self.fresh.iter_mut().zip(&mut self.workers) {
            list.clear();
            *list = worker.take_fresh(std::mem::take(list));
        }
        let count: usize = self.fresh.iter().map(Vec::len).sum();
        u32::try_from(self.states as usize + count).map(|_| ()).map_err(|_| too_many())
    }

    /// The number of the state before new state `place` of this round, in the order in which one thread would have met
    /// them; None if there are not so many.
    fn before_fresh(&self, place: usize) -> Option<u32> {
        let count: usize = self.fresh.iter().map(Vec::len).sum();
        if place >= count {
            return None;
        }
        let mut keys: Vec<Key> = self.fresh.iter().flatten().map(|&(key, _)| key).collect();
        Some(keys.select_nth_unstable(place).1.0)
    }

    /// Where one thread would have stopped in this round, if anywhere.
    fn cut(&self) -> Option<Cut> {
        let notes = self.workers.iter().flat_map(|worker| &worker.notes);
        let failure = notes.filter(|note| note.2.ends(self.options)).map(|note| note.0).min();
        let most = self.options.states.and_then(|most| usize::try_from(most).ok());
        let full = most.and_then(|most| {
            let beyond = most.checked_sub(self.states as usize);
            // Where even the first state is too much, it is the last.
            beyond.map_or(Some(0), |beyond| self.before_fresh(beyond))
        });
        match (failure, full) {
            (Some(failure), full) if full.is_none_or(|full| failure <= full) => {
                Some(Cut { number: failure, followed: false, why: Stopped::Found })
            }
            (_, Some(full)) => Some(Cut { number: full, followed: true, why: Stopped::States }),
            _ => None,
        }
    }

    /// Hands over the steps of the product.
    pub(super) fn take_graph(&mut self) -> Vec<GraphPart> {
        self.workers.iter_mut().map(|worker| std::mem::take(&mut worker.graph)).collect()
    }

    /// Moves all states to disk, where one thread goes on: their numbers are what it would have given them.
    fn move_to_disk(mut self, most: u64, watch: &mut Watch<'_>) -> Result<Walk, CoreError> {
        self.found.bytes = self.bytes() as u64;
        let mut disk = self.options.disk_states(most);
        let moved = self.fill(&mut disk, watch);
        self.found.stopped = Failure::reason(moved)?;
        let next = self.open.front().map_or(self.states, |open| open.start);
        let Worker { mut system, mut states, .. } = self.workers.swap_remove(0);
        states.store.synchronize().ok_or_else(too_many)?;
        system.stepper.synchronize();
        Ok(Walk::resume(system, states.store, self.found, disk, next))
    }

    /// Takes the states from all workers, and puts them on disk.
    fn fill(&mut self, disk: &mut DiskStates, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let count = self.workers.len();
        let roots = self.workers.iter_mut().map(|worker| worker.states.store.root.take());
        let roots: Vec<Vec<u64>> = roots.collect();
        // What the states are called, by their numbers.
        let mut names = vec![0; self.states as usize];
        for (own, roots) in roots.iter().enumerate() {
            for place in 0..narrow(roots.len()) {
                let number = self.workers[own].states.number(place);
                names[number as usize] = name(own, place, count).ok_or_else(too_many)?;
            }
        }
        let place_of = |name: u32| (name as usize % count, name as usize / count);
        for (own, place) in names.into_iter().map(place_of) {
            let before = place_of(self.workers[own].states.before[place]);
            let before = self.workers[before.0].states.number(narrow(before.1));
            disk.push((roots[own][place], before))?;
        }
        for roots in roots {
            disk.add_visited(roots, watch)?;
        }
        Ok(())
    }

    /// All that was visited.
    pub(super) fn finish(mut self) -> Result<Exploration, CoreError> {
        self.found.bytes = self.bytes() as u64;
        self.found.states = u64::from(self.states) - self.found.inside;
        let mut parts = Vec::new();
        let mut system = None;
        for mut worker in self.workers {
            worker.states.store.synchronize().ok_or_else(too_many)?;
            parts.push(Part { store: worker.states.store, before: worker.states.before });
            system = system.or(Some(worker.system));
        }
        let mut system = system.ok_or_else(too_many)?;
        system.stepper.synchronize();
        let names = self.names;
        Ok(Exploration { system, parts, disk: None, names, run: None, symmetry: None, found: self.found })
    }
}

/// Lets every worker do its part, each in a thread of its own if that is worth it.
fn all(
    workers: &mut [Worker],
    is_large: bool,
    watch: &mut Watch<'_>,
    part: impl Fn(&mut Worker, &mut Watch<'_>) + Sync,
) {
    if !is_large {
        for worker in workers {
            part(worker, watch);
        }
        return;
    }
    let Some((first, others)) = workers.split_first_mut() else { return };
    let part = &part;
    std::thread::scope(|scope| {
        for worker in others {
            let mut watch = watch.of_helper();
            scope.spawn(move || part(worker, &mut watch));
        }
        // The thread that was called asks whether to go on.
        part(first, watch);
    });
}

/// Hands over what workers wrote for one another.
fn exchange<T>(
    workers: &mut [Worker],
    written: impl Fn(&mut Worker) -> &mut Vec<Vec<T>>,
    read: impl Fn(&mut Worker) -> &mut Vec<Vec<T>>,
) {
    for from in 0..workers.len() {
        for to in 0..workers.len() {
            let new = std::mem::take(&mut written(&mut workers[from])[to]);
            let old = std::mem::replace(&mut read(&mut workers[to])[from], new);
            written(&mut workers[from])[to] = old;
        }
    }
}
