//! Parallel breadth-first exploration whose result does not depend on the number of threads. Each round expands the
//! next states. At the end of a round new states are
//! numbered in the order in which a sequential search finds them.
//!
//! In a round the next states, in the order of their numbers, are looked at: each worker looks at a part of them, and looks
//! up what follows among all states that are known, to which nothing is added meanwhile. What seems to be new is written to
//! its owner, whom its hash says. At the end of the round new states are numbered by where one
//! thread would have met them: after which state, by which of its moves. So numbers, what is found first, runs and
//! what the reduction leaves out do not depend on how many threads there are. What a round found beyond the state at
//! which one thread would have stopped is left out.
//!
//! Threads change nothing that others use but the parts of states, of which there are few: each has a copy, and asks for
//! a new number only where it meets a new part (`components::ComponentTable`).

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Stopped, Watch};
use membar_ir::words::narrow;

use super::crew::Crew;
use super::disk::DiskStates;
use super::findings::{Findings, Options};
use super::graph::{ArcStarts, Graph, GraphPart};
use super::owner::{Key, OwnStates, name, owner};
use super::product::Claim;
use super::reduction::Reduction;
use super::runs::Runs;
use super::safety::{Exploration, Part, note_findings};
use super::store::{StateTable, Store, Tree};
use super::successors::too_many;
use super::symmetry::Symmetry;
use super::system::System;
use super::walk::Walk;
use super::worker::{Common, Followed, Worker};

/// States of a round: more when there are many, because threads wait for each other several times in each.
const ROUND: std::ops::RangeInclusive<u32> = 1 << 12..=1 << 16;
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
    let stopped = team.search(reduction.as_ref(), watch)?;
    Arc::make_mut(&mut team.found).stopped = stopped;
    let explored = match options.disk.filter(|_| stopped == Some(Stopped::Memory)) {
        Some(most) => team.move_to_disk(most, watch)?.complete(options, watch, note_findings(options))?,
        None => team.finish()?,
    };
    Ok(Exploration { symmetry, ..explored })
}

/// Workers, and what they have found.
pub(super) struct Team<'c> {
    workers: Vec<Worker>,
    /// As many as workers. While workers look at states, all read them; otherwise only the team has them.
    owners: Arc<Vec<OwnStates>>,
    options: Options,
    claim: Option<&'c Claim<'c>>,
    symmetry: Option<&'c Symmetry>,
    pub(super) found: Arc<Findings>,
    names: BTreeMap<u32, u32>,
    /// How many have numbers.
    states: u32,
    lists: Lists,
    /// Numbers of the states that are still to be looked at.
    open: VecDeque<Range<u32>>,
    /// With a claim, the graph of its product.
    pub(super) runs: Option<Runs>,
}

/// What all need to know at the end of a round.
#[derive(Debug, Clone, Default)]
struct Lists {
    /// Per owner, the new states.
    fresh: Vec<Vec<(Key, u32)>>,
    /// Per worker, the states that it has followed.
    followed: Vec<Vec<Followed>>,
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
        let trees = Tree::several(&systems[0].program.leaf_order(), jobs);
        let workers = systems.into_iter().zip(trees).enumerate();
        Self {
            workers: workers
                .map(|(own, (system, tree))| Worker::new(own, jobs, system, tree, claim.is_some()))
                .collect(),
            owners: Arc::new((0..jobs).map(|own| OwnStates::new(own, jobs, claim.is_some())).collect()),
            options,
            claim,
            symmetry,
            found: Arc::new(Findings { errors: vec![None; errors], ..Findings::default() }),
            names: BTreeMap::new(),
            states: 0,
            lists: Lists { fresh: vec![Vec::new(); jobs], followed: vec![Vec::new(); jobs] },
            open: VecDeque::new(),
            runs: claim.map(Runs::new),
        }
    }

    /// Adds a state in which runs begin, with the state of the automaton beside it.
    pub(super) fn begin(&mut self, initial: &[u32], rider: u32) -> Result<(), CoreError> {
        let root = self.workers[0].tree.root_of(initial).ok_or_else(too_many)?;
        let own = owner(root, self.owners.len());
        let owner = &mut Arc::make_mut(&mut self.owners)[own];
        let (place, is_new) = owner.begin(root, rider)?;
        if is_new {
            owner.give_number(place, self.states);
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
        let places = self.owners.iter().map(|owner| owner.table.len()).max().unwrap_or(0);
        let starts = self.owners.iter().map(|owner| &owner.starts);
        let parts = self.workers.iter().map(|worker| &worker.graph).zip(starts);
        Graph::new(parts, places * self.owners.len())
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
        let workers: usize = self.workers.iter().map(Worker::bytes).sum();
        workers + self.owners.iter().map(OwnStates::bytes).sum::<usize>()
    }

    /// Whether there is room for another round; with a disk, before there is none.
    fn look_at_memory(&self, watch: &Watch<'_>) -> Result<(), Stopped> {
        if self.options.disk.is_none() {
            return watch.bytes(self.bytes());
        }
        let growth = |owner: &OwnStates| owner.table.root.growth(SOON);
        let soon = self.bytes() + self.owners.iter().map(growth).sum::<usize>();
        let is_full = self.options.is_memory_full(self.states as usize, soon, watch);
        if is_full { Err(Stopped::Memory) } else { Ok(()) }
    }

    /// Visits states until there are no more, or the search ends for another reason.
    pub(super) fn search(
        &mut self,
        reduction: Option<&Reduction>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Stopped>, CoreError> {
        std::thread::scope(|scope| self.search_with(&mut Crew::new(scope), reduction, watch))
    }

    fn search_with<'env, 'w: 'env>(
        &mut self,
        crew: &mut Crew<'_, 'env>,
        reduction: Option<&'env Reduction>,
        watch: &mut Watch<'w>,
    ) -> Result<Option<Stopped>, CoreError>
    where
        'c: 'env,
    {
        while !self.open.is_empty() {
            if let Err(stopped) = watch.look().and_then(|()| self.look_at_memory(watch)) {
                return Ok(Some(stopped));
            }
            let Some(range) = self.next_round() else { break };
            if let Some(stopped) = self.round(crew, reduction, &range, watch) {
                return Ok(Some(stopped));
            }
            let before = self.states;
            let stopped = self.close(crew, &range, watch)?;
            self.add_open(before);
            watch.meter().count(u64::from(self.states - before), 0, 0);
            if stopped.is_some() {
                return Ok(stopped);
            }
            if let Some(mut runs) = self.runs.take_if(|runs| runs.is_due(self.states)) {
                let crew = &mut self.options.is_worth_it(range.end - range.start).then_some(&mut *crew);
                work(crew, &mut self.workers, watch, |worker, _| worker.link());
                let found = if self.options.shortest {
                    Ok(false)
                } else {
                    let tables: Vec<&StateTable> = self.owners.iter().map(|owner| &owner.table).collect();
                    runs.find_component(&self.graph(), &tables, self.bytes(), watch)
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

    /// Looks at the states of a range, and lets the owners of those that follow and are new know.
    fn round<'env, 'w: 'env>(
        &mut self,
        crew: &mut Crew<'_, 'env>,
        reduction: Option<&'env Reduction>,
        range: &Range<u32>,
        watch: &mut Watch<'w>,
    ) -> Option<Stopped>
    where
        'c: 'env,
    {
        let common = Common {
            options: self.options,
            reduction,
            claim: self.claim,
            symmetry: self.symmetry,
            found: Arc::clone(&self.found),
            range: range.clone(),
            owners: Arc::clone(&self.owners),
        };
        let crew = &mut self.options.is_worth_it(range.end - range.start).then_some(crew);
        work(crew, &mut self.workers, watch, move |worker, watch| worker.look(&common, watch));
        self.exchange(|worker| &mut worker.outbox, |owner| &mut owner.inbox);
        let part = range.clone();
        work(crew, Arc::make_mut(&mut self.owners), watch, move |owner, _| owner.receive(&part));
        self.exchange(|worker| &mut worker.placed, |owner| &mut owner.places);
        self.workers.iter().find_map(|worker| worker.stopped)
    }

    /// Swaps what workers and owners have for one another.
    fn exchange<T>(
        &mut self,
        of_worker: impl Fn(&mut Worker) -> &mut Vec<Vec<T>>,
        of_owner: impl Fn(&mut OwnStates) -> &mut Vec<Vec<T>>,
    ) {
        for (own_worker, worker) in self.workers.iter_mut().enumerate() {
            for (own, owner) in Arc::make_mut(&mut self.owners).iter_mut().enumerate() {
                std::mem::swap(&mut of_worker(worker)[own], &mut of_owner(owner)[own_worker]);
            }
        }
    }

    /// Ends a round: records what was found and numbers what is new, up to where one thread would have stopped.
    fn close<'env, 'w: 'env>(
        &mut self,
        crew: &mut Crew<'_, 'env>,
        range: &Range<u32>,
        watch: &mut Watch<'w>,
    ) -> Result<Option<Stopped>, CoreError> {
        self.take_lists()?;
        let cut = self.cut();
        let is_inside = |number: u32| cut.is_none_or(|cut| number <= cut.number);
        let is_followed = move |number: u32| {
            cut.is_none_or(|cut| number < cut.number || (cut.followed && number == cut.number))
        };
        let mut errors: Vec<(u32, CoreError)> =
            self.workers.iter_mut().filter_map(|worker| worker.error.take()).collect();
        let owners = Arc::make_mut(&mut self.owners);
        errors.extend(owners.iter_mut().filter_map(|owner| owner.error.take().map(|error| (0, error))));
        errors.sort_by_key(|error| error.0);
        // One thread would have met the failure first.
        if let Some((_, error)) = errors.into_iter().find(|error| cut.is_none() || is_followed(error.0)) {
            return Err(error);
        }
        let mut notes: Vec<_> = self.workers.iter_mut().flat_map(|worker| worker.notes.drain(..)).collect();
        notes.sort_by_key(|note| note.0);
        for (number, name, note) in notes.into_iter().filter(|note| is_inside(note.0)) {
            if Arc::make_mut(&mut self.found).take(number, note, self.options.keep_finals) {
                self.names.insert(number, name);
            }
        }
        let lists = Arc::new(std::mem::take(&mut self.lists));
        let (first, range, all) = (self.states, range.clone(), Arc::clone(&lists));
        let crew = &mut self.options.is_worth_it(range.end - range.start).then_some(crew);
        work(crew, owners, watch, move |owner, _| {
            owner.give_numbers(&all.fresh, first, is_followed);
            owner.link(&range, &all.followed, is_followed);
        });
        self.lists = Arc::unwrap_or_clone(lists);
        let followed =
            self.lists.fresh.iter().map(|list| list.partition_point(|(key, _)| is_followed(key.0)));
        self.states += narrow(followed.sum());
        if let Some(error) = owners.iter_mut().find_map(|owner| owner.error.take()) {
            return Err(error);
        }
        // What is left of them is linked when the next round begins.
        for (worker, followed) in self.workers.iter_mut().zip(&mut self.lists.followed) {
            followed.truncate(followed.partition_point(|state| is_followed(state.number)));
            let moves = followed.iter().map(|state| u64::from(state.count)).sum::<u64>();
            Arc::make_mut(&mut self.found).transitions += moves;
            std::mem::swap(followed, &mut worker.followed);
        }
        Ok(cut.map(|cut| cut.why))
    }

    /// Takes over the lists of a round: which states are new, and which were followed.
    fn take_lists(&mut self) -> Result<(), CoreError> {
        let owners = Arc::make_mut(&mut self.owners);
        for (list, owner) in self.lists.fresh.iter_mut().zip(owners) {
            list.clear();
            std::mem::swap(list, &mut owner.fresh);
        }
        for (list, worker) in self.lists.followed.iter_mut().zip(&mut self.workers) {
            std::mem::swap(list, &mut worker.followed);
        }
        let count: usize = self.lists.fresh.iter().map(Vec::len).sum();
        u32::try_from(self.states as usize + count).map(|_| ()).map_err(|_| too_many())
    }

    /// The number of the state before new state `place` of this round, in the order in which one thread would have met
    /// them; None if there are not so many.
    fn before_fresh(&self, place: usize) -> Option<u32> {
        let count: usize = self.lists.fresh.iter().map(Vec::len).sum();
        if place >= count {
            return None;
        }
        let mut keys: Vec<Key> = self.lists.fresh.iter().flatten().map(|&(key, _)| key).collect();
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
    pub(super) fn take_graph(&mut self) -> Vec<(GraphPart, ArcStarts)> {
        self.workers.iter_mut().for_each(Worker::link);
        let parts = self.workers.iter_mut().map(|worker| std::mem::take(&mut worker.graph));
        parts
            .zip(Arc::make_mut(&mut self.owners).iter_mut().map(|owner| std::mem::take(&mut owner.starts)))
            .collect()
    }

    /// Moves all states to disk, where one thread goes on: their numbers are what it would have given them.
    fn move_to_disk(mut self, most: u64, watch: &mut Watch<'_>) -> Result<Walk, CoreError> {
        let mut found = Arc::unwrap_or_clone(std::mem::take(&mut self.found));
        found.bytes = self.bytes() as u64;
        let mut disk = self.options.disk_states(most);
        let moved = self.fill(&mut disk, watch);
        found.stopped = Failure::reason(moved)?;
        let next = self.open.front().map_or(self.states, |open| open.start);
        let Worker { mut system, mut tree, .. } = self.workers.swap_remove(0);
        tree.synchronize().ok_or_else(too_many)?;
        system.stepper.synchronize();
        let table = Arc::unwrap_or_clone(self.owners).swap_remove(0).table;
        Ok(Walk::resume(system, Store { tree, table }, found, disk, next))
    }

    /// Takes the states from all owners, and puts them on disk.
    fn fill(&mut self, disk: &mut DiskStates, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let count = self.owners.len();
        let owners = Arc::make_mut(&mut self.owners);
        let roots = owners.iter_mut().map(|owner| owner.table.root.take());
        let roots: Vec<Vec<u64>> = roots.collect();
        // What the states are called, by their numbers.
        let mut names = vec![0; self.states as usize];
        for (own, roots) in roots.iter().enumerate() {
            for place in 0..narrow(roots.len()) {
                let number = self.owners[own].number(place);
                names[number as usize] = name(own, place, count).ok_or_else(too_many)?;
            }
        }
        let place_of = |name: u32| (name as usize % count, name as usize / count);
        for (own, place) in names.into_iter().map(place_of) {
            let before = place_of(self.owners[own].before[place]);
            let before = self.owners[before.0].number(narrow(before.1));
            disk.push((roots[own][place], before))?;
        }
        for roots in roots {
            disk.add_visited(roots, watch)?;
        }
        Ok(())
    }

    /// All that was visited.
    pub(super) fn finish(self) -> Result<Exploration, CoreError> {
        let bytes = self.bytes() as u64;
        let mut found = Arc::unwrap_or_clone(self.found);
        found.bytes = bytes;
        found.states = u64::from(self.states) - found.inside;
        let mut parts = Vec::new();
        let mut system = None;
        for (mut worker, owner) in self.workers.into_iter().zip(Arc::unwrap_or_clone(self.owners)) {
            worker.tree.synchronize().ok_or_else(too_many)?;
            let store = Store { tree: worker.tree, table: owner.table };
            parts.push(Part { store, before: owner.before });
            system = system.or(Some(worker.system));
        }
        let mut system = system.ok_or_else(too_many)?;
        system.stepper.synchronize();
        let names = self.names;
        Ok(Exploration { system, parts, disk: None, names, run: None, symmetry: None, found })
    }
}

/// Does a part of the work with each of the items: with a crew, each in a thread of its own.
fn work<'env, 'w: 'env, T: Send + 'env>(
    crew: &mut Option<&mut Crew<'_, 'env>>,
    items: &mut Vec<T>,
    watch: &mut Watch<'w>,
    part: impl Fn(&mut T, &mut Watch<'w>) + Send + Sync + 'env,
) {
    match crew {
        Some(crew) if items.len() > 1 => crew.work(items, watch, part),
        _ => items.iter_mut().for_each(|item| part(item, watch)),
    }
}
