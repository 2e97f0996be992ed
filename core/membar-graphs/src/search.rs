//! Candidate enumeration (as herd does it): every consistent execution under any cat model, each exactly once.
//!
//! One class of runs per thread gives the events and all that is static. Then each read takes a write (and a value)
//! in turn; for every thread the runs that still fit are kept as a set, so that runs which differ only in values are
//! searched together. Then each pair of writes of one location is put in order. After every choice the checks that
//! can only get worse are asked (`schedule`). Nothing is assumed of the model: a read may take its value from a later
//! write of its own thread.

use std::collections::BTreeMap;

use crate::forced_coherence::ForcedCoherence;
use crate::graph::{Cursor, Graph};
use crate::tally::{Seen, Tally, Witness};
use crate::thread::Status;
use crate::traces::{Class, all_classes};
use membar_cat::evaluation::Evaluation;
use membar_cat::plan::Plan;
use membar_cat::schedule::{Phase, Schedule};
use membar_ir::bits::SmallSet;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Limits, Stop, Stopped, Watch};
use membar_ir::program::{Program, Term};
use membar_ir::words::narrow;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How often each back edge may be taken.
    pub bound: u32,
    /// How much may be spent.
    pub limits: Limits,
    /// Whether to keep every complete execution.
    pub keep_all: bool,
}

/// What was found, with the runs that witnesses speak of.
#[derive(Debug)]
pub struct Findings {
    /// Counts and witnesses.
    pub tally: Tally,
    /// The classes of each thread.
    pub classes: Vec<Vec<Class>>,
}

/// Searches all executions.
///
/// # Errors
/// The core cannot hold the program.
pub fn search(
    program: &Program,
    plan: &Plan,
    schedule: &Schedule,
    options: Options,
    stop: &Stop<'_>,
) -> Result<Findings, CoreError> {
    let mut watch = Watch::new(stop, options.limits);
    let mut tally = Tally::default();
    let classes = match watch
        .look()
        .map_err(Failure::from)
        .and_then(|()| all_classes(program, options.bound, &mut watch, &mut tally))
    {
        Ok(classes) => classes,
        Err(Failure::Error(error)) => return Err(error),
        Err(Failure::Stopped(stopped)) => {
            tally.stopped = Some(stopped);
            return Ok(Findings { tally, classes: Vec::new() });
        }
    };
    tally.cut = classes.iter().flatten().any(|class| class.skeleton.status == Status::Cut);
    let mut search = Search {
        program,
        plan,
        schedule,
        keep_all: options.keep_all,
        watch,
        tally,
        graph: Graph::new(program),
        evaluation: Evaluation::default(),
        forced: ForcedCoherence::new(schedule.axioms),
        chosen: Vec::new(),
        alive: Vec::new(),
        order: Vec::new(),
        asking: 0,
        saved: Vec::new(),
        terms: Vec::new(),
    };
    match search.combine(&classes, &mut Vec::new()) {
        Ok(()) => {}
        Err(Failure::Stopped(stopped)) => search.tally.stopped = Some(stopped),
        Err(Failure::Error(error)) => return Err(error),
    }
    let tally = search.tally;
    Ok(Findings { tally, classes })
}

/// Where at most so many choices are left to all later reads together, the model is asked about each outcome only: to
/// ask after every read costs more than it saves.
const FEW: usize = 64;

/// A way for a read to get its value.
#[derive(Debug, Clone, Copy)]
struct Source {
    write: usize,
    value: u64,
}

/// A read that goes through its sources.
#[derive(Debug, Default)]
struct ReadChoice {
    /// The next source to try.
    next: usize,
    /// How to take the present one back.
    undo: Option<Undo>,
}

/// What was before a read took its value: the runs that fitted, of its own thread and of the writer's.
#[derive(Debug)]
struct Undo {
    read: usize,
    before: [Option<(usize, SmallSet)>; 2],
    /// The coherence order is kept from here on in `Search::saved`.
    saved: usize,
}

/// Two writes that are put in order, first one way, then the other.
#[derive(Debug)]
struct WriteChoice {
    pair: (Cursor, usize, usize),
    taken: u8,
}

struct Search<'a> {
    program: &'a Program,
    plan: &'a Plan,
    schedule: &'a Schedule,
    keep_all: bool,
    watch: Watch<'a>,
    tally: Tally,
    graph: Graph<'a>,
    evaluation: Evaluation,
    forced: ForcedCoherence,
    /// Per thread the class that is being looked at.
    chosen: Vec<u32>,
    /// Per thread the runs of its class that fit the reads chosen so far.
    alive: Vec<SmallSet>,
    /// The reads in the order in which they choose, with their sources.
    order: Vec<(usize, Vec<Source>)>,
    /// For how many of them it pays to ask the model after each choice.
    asking: usize,
    /// Coherence orders to go back to.
    saved: Vec<u64>,
    /// Room for a final state.
    terms: Vec<u64>,
}

impl<'a> Search<'a> {
    /// Every choice of one class per thread.
    fn combine(&mut self, threads: &'a [Vec<Class>], classes: &mut Vec<&'a Class>) -> Result<(), Failure> {
        let Some(here) = threads.get(classes.len()) else { return self.complete_combination(classes) };
        for (number, class) in (0..).zip(here) {
            classes.push(class);
            self.chosen.push(number);
            let result = self.combine(threads, classes);
            self.chosen.pop();
            classes.pop();
            result?;
        }
        Ok(())
    }

    fn complete_combination(&mut self, classes: &[&'a Class]) -> Result<(), Failure> {
        self.watch.step()?;
        if !self.is_worth_it(classes) {
            return Ok(());
        }
        self.graph.assemble(classes);
        if !self.graph.are_born_and_joined() {
            return Ok(());
        }
        self.alive.clear();
        self.alive.extend(classes.iter().map(|class| SmallSet::below(class.traces.len())));
        if !self.forced.begin(&mut self.graph, &mut self.watch)? || !self.order_reads()? {
            return Ok(());
        }
        self.tally.combinations += 1;
        self.evaluation.resize(self.plan, self.graph.events.len(), &mut self.watch)?;
        if !self.passes(&self.schedule.statics)? {
            return Ok(());
        }
        self.evaluation.focus(self.plan, self.schedule);
        self.choose_reads()
    }

    /// Whether the candidate, as far as it is complete, passes the checks of a phase.
    fn passes(&mut self, phase: &Phase) -> Result<bool, Stopped> {
        self.evaluation.passes(self.plan, phase, &self.graph, &mut self.watch)
    }

    /// What was cut is looked at only for what already went wrong in it, unless all is to be kept.
    fn is_worth_it(&self, classes: &[&Class]) -> bool {
        let any = |wanted: &[Status]| classes.iter().any(|class| wanted.contains(&class.skeleton.status));
        self.keep_all
            || !any(&[Status::Cut])
            || any(&[Status::Failed, Status::Fault])
            || !self.schedule.remarks.is_empty()
    }

    /// Lists the sources of every read, reads with few of them first; whether every read has one.
    fn order_reads(&mut self) -> Result<bool, Stopped> {
        self.order.clear();
        for at in 0..self.graph.reads.len() {
            let read = self.graph.reads[at];
            let sources = self.sources(read)?;
            if sources.is_empty() {
                return Ok(false);
            }
            self.order.push((read, sources));
        }
        self.order.sort_by_key(|(read, sources)| (sources.len(), *read));
        self.asking = self.order.len();
        let mut left = 1_usize;
        while left < FEW
            && let Some(last) = self.asking.checked_sub(1)
        {
            left = left.saturating_mul(self.order[last].1.len());
            self.asking = last;
        }
        Ok(true)
    }

    /// The writes and values that `read` can take.
    fn sources(&mut self, read: usize) -> Result<Vec<Source>, Stopped> {
        let mut sources = Vec::new();
        let place = self.graph.events[read];
        let (Some(thread), Some(cell)) = (place.thread, place.cell) else { return Ok(sources) };
        let Some((_, writes)) = self.graph.cells.iter().find(|(other, _)| *other == cell) else {
            return Ok(sources);
        };
        for &(value, _) in &self.graph.classes[thread].by_value[place.position] {
            for &write in writes {
                let source = Source { write, value };
                if self.can_take(read, source) && self.forced.allows(&self.graph, read, write) {
                    sources.push(source);
                }
                self.watch.work(self.graph.events.len())?;
            }
        }
        Ok(sources)
    }

    /// Whether some runs that fit so far let `read` take its value from `source`.
    fn can_take(&self, read: usize, source: Source) -> bool {
        let place = self.graph.events[read];
        let (Some(thread), Some(cell)) = (place.thread, place.cell) else { return false };
        let Some(readers) = self.graph.classes[thread].with_value(place.position, source.value) else {
            return false;
        };
        let written = self.graph.events[source.write];
        let Some(other) = written.thread else {
            return self.program.cells[cell.index()].initial == source.value
                && readers.meets(&self.alive[thread]);
        };
        let writers = self.graph.classes[other].with_value(written.position, source.value);
        writers.is_some_and(|writers| {
            if other == thread {
                writers.and(readers).meets(&self.alive[thread])
            } else {
                readers.meets(&self.alive[thread]) && writers.meets(&self.alive[other])
            }
        })
    }

    /// Gives each read a write, in all ways. No recursion: programs may be long.
    fn choose_reads(&mut self) -> Result<(), Failure> {
        if self.order.is_empty() {
            return self.reads_chosen();
        }
        let mut choices = vec![ReadChoice::default()];
        while let Some(choice) = choices.last_mut() {
            if let Some(undo) = choice.undo.take() {
                self.undo(undo);
            }
            let next = choice.next;
            choice.next += 1;
            let depth = choices.len() - 1;
            let (read, sources) = &self.order[depth];
            let (read, several) = (*read, sources.len() > 1);
            let Some(&source) = sources.get(next) else {
                choices.pop();
                continue;
            };
            if !self.can_take(read, source) {
                continue;
            }
            self.watch.step()?;
            self.tally.nodes += 1;
            choices[depth].undo = Some(self.take_source(read, source));
            self.count_saved()?;
            if !self.forced.read_chosen(&mut self.graph, read, &mut self.watch)? {
                continue;
            }
            if depth + 1 == self.order.len() {
                self.reads_chosen()?;
            } else if !several || depth >= self.asking || self.passes(&self.schedule.growing_reads)? {
                choices.push(ReadChoice::default());
            }
        }
        Ok(())
    }

    /// Lets `read` take its value from `source`.
    fn take_source(&mut self, read: usize, source: Source) -> Undo {
        let written = self.graph.events[source.write];
        let ends = [self.graph.events[read], written].map(|place| place.thread.map(|t| (t, place.position)));
        let before = ends.map(|end| {
            end.map(|(thread, position)| {
                let fitting = self.graph.classes[thread].with_value(position, source.value);
                let narrowed = fitting.map_or_else(SmallSet::default, |runs| runs.and(&self.alive[thread]));
                (thread, std::mem::replace(&mut self.alive[thread], narrowed))
            })
        });
        self.graph.source[read] = Some(source.write);
        let saved = self.saved.len();
        self.saved.extend_from_slice(&self.graph.coherence);
        Undo { read, before, saved }
    }

    fn undo(&mut self, undo: Undo) {
        self.graph.source[undo.read] = None;
        self.graph.coherence.copy_from_slice(&self.saved[undo.saved..]);
        self.saved.truncate(undo.saved);
        // In reverse: reader and writer may be one thread.
        for (thread, runs) in undo.before.into_iter().rev().flatten() {
            self.alive[thread] = runs;
        }
    }

    fn reads_chosen(&mut self) -> Result<(), Failure> {
        if self.graph.is_spawned_twice() {
            return Err(CoreError::TooLarge("a thread is started more than once").into());
        }
        if !self.passes(&self.schedule.reads)? {
            return Ok(());
        }
        self.order_writes()
    }

    /// Puts every two writes of one location in order, in all ways.
    fn order_writes(&mut self) -> Result<(), Failure> {
        let Some(first) = self.graph.unordered(Cursor::default()) else { return self.ordered() };
        let size = self.graph.coherence.len();
        let mut choices = vec![WriteChoice { pair: first, taken: 0 }];
        self.saved.extend_from_slice(&self.graph.coherence);
        while let Some(choice) = choices.last_mut() {
            let (cursor, a, b) = choice.pair;
            let (earlier, later) = if choice.taken == 0 { (a, b) } else { (b, a) };
            let start = self.saved.len() - size;
            if choice.taken > 0 {
                self.graph.coherence.copy_from_slice(&self.saved[start..]);
            }
            if choice.taken == 2 {
                choices.pop();
                self.saved.truncate(start);
                continue;
            }
            choice.taken += 1;
            self.watch.step()?;
            self.tally.nodes += 1;
            if !self.graph.order(earlier, later, &mut self.watch)?
                || !self.forced.saturate(&mut self.graph, &mut self.watch)?
                || !self.passes(&self.schedule.growing_coherence)?
            {
                continue;
            }
            match self.graph.unordered(cursor) {
                None => self.ordered()?,
                Some(pair) => {
                    self.saved.extend_from_slice(&self.graph.coherence);
                    self.count_saved()?;
                    choices.push(WriteChoice { pair, taken: 0 });
                }
            }
        }
        Ok(())
    }

    /// Counts what a coherence order takes that has just been saved.
    fn count_saved(&mut self) -> Result<(), Stopped> {
        self.watch.work(self.graph.coherence.len())?;
        self.watch.bytes(self.tally.bytes.saturating_add(size_of_val(&self.saved[..])))
    }

    /// A whole candidate: the last checks, then it counts.
    fn ordered(&mut self) -> Result<(), Failure> {
        if !self.passes(&self.schedule.coherence)? {
            return Ok(());
        }
        let same = self.alive.iter().map(|runs| runs.iter().count() as u64).product();
        for &check in &self.schedule.remarks {
            if self.evaluation.remarks(self.plan.checks[check]) {
                self.note(|tally| &mut tally.remarks, check, same);
            }
        }
        let with = |status: Status| self.graph.classes.iter().position(|c| c.skeleton.status == status);
        if let Some(thread) = with(Status::Fault) {
            self.note(|tally| &mut tally.faults, thread, same);
            self.take_failed(same)?;
        } else if let Some(thread) = with(Status::Failed) {
            self.note(|tally| &mut tally.failures, thread, same);
            self.take_failed(same)?;
        } else if with(Status::Cut).is_some() {
            // Not complete, and whether it would be blocked cannot be said.
            if self.keep_all {
                self.tally.truncated += same;
                self.take_runs(&mut Vec::new(), Self::keep)?;
            }
        } else if [Status::Blocked, Status::Waiting, Status::Suspended].into_iter().any(|s| with(s).is_some())
        {
            self.tally.blocked += same;
            self.watch.meter().count(0, same, 0);
            for key in self.graph.stuck().keys() {
                self.note(|tally| &mut tally.stuck, key, same);
            }
        } else {
            self.take_runs(&mut Vec::new(), Self::take)?;
        }
        Ok(())
    }

    /// Counts the present execution under `key`, with a witness the first time.
    fn note(&mut self, which: fn(&mut Tally) -> &mut BTreeMap<u32, Seen>, key: usize, count: u64) {
        let key = u32::try_from(key).unwrap_or(u32::MAX);
        if let Some(seen) = which(&mut self.tally).get_mut(&key) {
            seen.count += count;
        } else {
            let first = self.witness(&self.first_runs());
            which(&mut self.tally).insert(key, Seen { count, first, task: 0 });
        }
    }

    fn take_failed(&mut self, count: u64) -> Result<(), Stopped> {
        self.tally.failed += count;
        if self.keep_all { self.take_runs(&mut Vec::new(), Self::keep) } else { Ok(()) }
    }

    /// Takes every combination of runs that fits.
    fn take_runs(
        &mut self,
        runs: &mut Vec<u32>,
        take: fn(&mut Self, &[u32]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        if runs.len() == self.alive.len() {
            return take(self, runs);
        }
        let alive = self.alive[runs.len()].clone();
        for run in alive.iter() {
            runs.push(u32::try_from(run).unwrap_or(u32::MAX));
            let result = self.take_runs(runs, take);
            runs.pop();
            result?;
        }
        Ok(())
    }

    /// Counts a complete execution and its final state.
    fn take(&mut self, runs: &[u32]) -> Result<(), Stopped> {
        self.watch.executions(self.tally.executions + 1)?;
        self.tally.executions += 1;
        self.watch.meter().count(1, 0, 0);
        let mut terms = std::mem::take(&mut self.terms);
        terms.clear();
        terms.extend(self.program.terms.iter().map(|&term| self.last_value(term, runs)));
        if let Some(seen) = self.tally.states.get_mut(terms.as_slice()) {
            seen.count += 1;
        } else {
            let first = self.witness(runs);
            self.tally.bytes += 8 * terms.len() + 16 * self.graph.events.len() + 200;
            self.tally.states.insert(terms.clone().into(), Seen { count: 1, first, task: 0 });
        }
        self.terms = terms;
        if self.keep_all { self.keep(runs) } else { self.watch.bytes(self.tally.bytes) }
    }

    fn keep(&mut self, runs: &[u32]) -> Result<(), Stopped> {
        self.tally.bytes += 16 * self.graph.events.len() + 100;
        self.tally.kept.push(self.witness(runs));
        self.watch.bytes(self.tally.bytes)
    }

    fn last_value(&self, term: Term, runs: &[u32]) -> u64 {
        match term {
            Term::Register(thread, register) => {
                let run = runs[thread.index()] as usize;
                self.graph.classes[thread.index()].traces[run].registers[register.index()]
            }
            Term::Cell(cell) => {
                let writes = self.graph.cells.iter().find(|(other, _)| *other == cell);
                let last = writes.and_then(|(_, writes)| self.graph.last(writes));
                let event = last.map(|last| self.graph.events[last]);
                match event.and_then(|event| event.thread.map(|thread| (thread, event.position))) {
                    None => self.program.cells[cell.index()].initial,
                    Some((thread, position)) => {
                        self.graph.classes[thread].traces[runs[thread] as usize].values[position]
                    }
                }
            }
        }
    }

    /// The first run of each thread that fits.
    fn first_runs(&self) -> Vec<u32> {
        let first = |runs: &SmallSet| runs.iter().next().and_then(|run| u32::try_from(run).ok());
        self.alive.iter().map(|runs| first(runs).unwrap_or_default()).collect()
    }

    fn witness(&self, runs: &[u32]) -> Witness {
        let pair = |&read: &usize| self.graph.source[read].map(|write| (narrow(write), narrow(read)));
        let order = |order: &Vec<usize>| order.iter().map(|&write| narrow(write)).collect();
        Witness {
            runs: self.chosen.iter().copied().zip(runs.iter().copied()).collect(),
            reads_from: self.graph.reads.iter().filter_map(pair).collect(),
            coherence: self.graph.orders().iter().map(order).collect(),
        }
    }
}
