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

use std::collections::BTreeMap;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};

use super::findings::{Findings, Options};
use super::reduction::Reduction;
use super::safety::{Exploration, Part};
use super::successors::too_many;
use super::system::System;
use super::worker::{Common, Key, Worker, owner};

/// States of a round.
const ROUND: u32 = 1 << 12;
/// Fewer than these are not worth starting threads for.
const WORTH_IT: u32 = 256;

/// Visits every state with `options.jobs` threads.
pub(super) fn explore(
    mut system: System,
    options: Options,
    watch: &mut Watch<'_>,
) -> Result<Exploration, CoreError> {
    let initial = system.initial()?;
    let reduction = options.reduced.then(|| Reduction::new(&system.program));
    let found = Findings { errors: vec![None; system.program.errors.len()], ..Findings::default() };
    let workers = system.share(options.jobs).into_iter().enumerate();
    let mut parallel = Team {
        workers: workers.map(|(own, system)| Worker::new(own, options.jobs, system)).collect(),
        found,
        names: BTreeMap::new(),
        states: 1,
    };
    parallel.workers[owner(&initial, options.jobs)].begin(&initial)?;
    parallel.found.stopped = parallel.search(options, reduction.as_ref(), watch)?;
    parallel.found.bytes = parallel.bytes() as u64;
    parallel.found.states = u64::from(parallel.states) - parallel.found.inside;
    let mut parts = Vec::new();
    let mut system = None;
    for worker in parallel.workers {
        parts.push(Part { store: worker.store, before: worker.before });
        system = system.or(Some(worker.system));
    }
    let mut system = system.ok_or_else(too_many)?;
    system.stepper.synchronize();
    Ok(Exploration { system, parts, names: parallel.names, found: parallel.found })
}

struct Team {
    workers: Vec<Worker>,
    found: Findings,
    names: BTreeMap<u32, u32>,
    /// How many have numbers.
    states: u32,
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

impl Team {
    fn bytes(&self) -> usize {
        self.workers.iter().map(Worker::bytes).sum()
    }

    fn search(
        &mut self,
        options: Options,
        reduction: Option<&Reduction>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Stopped>, CoreError> {
        let mut next = 0;
        while next < self.states {
            if let Err(stopped) = watch.look().and_then(|()| watch.bytes(self.bytes())) {
                return Ok(Some(stopped));
            }
            let limit = self.states.min(next.saturating_add(options.round.unwrap_or(ROUND)));
            if let Some(stopped) = self.round(options, reduction, limit - next, limit, watch) {
                return Ok(Some(stopped));
            }
            let before = self.states;
            let stopped = self.close(options)?;
            watch.meter().count(u64::from(self.states - before), 0, 0);
            if stopped.is_some() {
                return Ok(stopped);
            }
            next = limit;
        }
        Ok(None)
    }

    /// Looks at the states below `limit`, and lets the owners of those that follow know.
    fn round(
        &mut self,
        options: Options,
        reduction: Option<&Reduction>,
        size: u32,
        limit: u32,
        watch: &mut Watch<'_>,
    ) -> Option<Stopped> {
        let common = Common { options, reduction, found: &self.found, limit, workers: self.workers.len() };
        let workers = &mut self.workers;
        let is_large = size >= WORTH_IT || (options.round.is_some() && size > 1);
        all(workers, is_large, watch, |worker, watch| worker.look(&common, watch));
        deliver(workers);
        all(workers, is_large, watch, |worker, _| worker.receive());
        if reduction.is_some() {
            answer(workers);
            all(workers, is_large, watch, |worker, _| worker.expand_fully(&common));
            deliver(workers);
            all(workers, is_large, watch, |worker, _| worker.receive());
        }
        all(workers, is_large, watch, |worker, _| worker.sort());
        workers.iter().find_map(|worker| worker.stopped)
    }

    /// Ends a round: records what was found and numbers what is new, up to where one thread would have stopped.
    fn close(&mut self, options: Options) -> Result<Option<Stopped>, CoreError> {
        let fresh = self.merge_round()?;
        let cut = self.cut(options, &fresh);
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
            if self.found.take(number, note, options.keep_finals) {
                self.names.insert(number, name);
            }
        }
        for (number, followed) in self.workers.iter_mut().flat_map(|worker| worker.followed.drain(..)) {
            if is_followed(number) {
                self.found.transitions += u64::from(followed);
            }
        }
        for (key, worker, place) in fresh {
            if is_followed(key.0) {
                self.workers[worker].give_number(place, self.states);
                self.states = self.states.checked_add(1).ok_or_else(too_many)?;
            }
        }
        Ok(cut.map(|cut| cut.why))
    }

    /// The new states of a round: where they come, whose they are, and their places there.
    fn merge_round(&mut self) -> Result<Vec<(Key, usize, u32)>, CoreError> {
        let lists: Vec<Vec<(Key, u32)>> =
            self.workers.iter_mut().map(|worker| std::mem::take(&mut worker.fresh)).collect();
        let count: usize = lists.iter().map(Vec::len).sum();
        u32::try_from(self.states as usize + count).map_err(|_| too_many())?;
        let mut heads = vec![0; lists.len()];
        let mut merged = Vec::with_capacity(count);
        while merged.len() < count {
            let first = (0..lists.len()).filter_map(|list| Some((lists[list].get(heads[list])?, list)));
            let Some((&(key, place), list)) = first.min() else { break };
            heads[list] += 1;
            merged.push((key, list, place));
        }
        Ok(merged)
    }

    /// Where one thread would have stopped in this round, if anywhere.
    fn cut(&self, options: Options, fresh: &[(Key, usize, u32)]) -> Option<Cut> {
        let notes = self.workers.iter().flat_map(|worker| &worker.notes);
        let failure = notes.filter(|note| note.2.ends(options)).map(|note| note.0).min();
        let most = options.states.and_then(|most| usize::try_from(most).ok());
        let full = most.and_then(|most| {
            let beyond = most.checked_sub(self.states as usize);
            // Where even the first state is too much, it is the last.
            beyond.map_or(Some(0), |beyond| fresh.get(beyond).map(|&((number, _), ..)| number))
        });
        match (failure, full) {
            (Some(failure), full) if full.is_none_or(|full| failure <= full) => {
                Some(Cut { number: failure, followed: false, why: Stopped::Found })
            }
            (_, Some(full)) => Some(Cut { number: full, followed: true, why: Stopped::States }),
            _ => None,
        }
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

/// Hands over what was written.
fn deliver(workers: &mut [Worker]) {
    for from in 0..workers.len() {
        for to in 0..workers.len() {
            let mail = std::mem::take(&mut workers[from].outbox[to]);
            workers[from].outbox[to] = std::mem::replace(&mut workers[to].inbox[from], mail);
        }
    }
}

/// Hands over the answers.
fn answer(workers: &mut [Worker]) {
    for from in 0..workers.len() {
        for to in 0..workers.len() {
            let answers = std::mem::take(&mut workers[from].answers[to]);
            workers[from].answers[to] = std::mem::replace(&mut workers[to].answered[from], answers);
        }
    }
}
