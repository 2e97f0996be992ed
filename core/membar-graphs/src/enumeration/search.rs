//! The search: chooses a class of runs for each thread, then a source for each read, then an order of the writes.

use crate::enumeration::candidate::{Candidate, Cursor};
use crate::enumeration::forced_coherence::ForcedCoherence;
use crate::enumeration::runs::RunClass;
use crate::final_status::{FinalStatus, Stuck};
use crate::findings::Findings;
use crate::thread::Status;
use membar_cat::evaluation::Evaluation;
use membar_cat::plan::Plan;
use membar_cat::schedule::{Phase, Schedule};
use membar_ir::bits::SmallSet;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::Program;

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

/// The search.
pub(super) struct Search<'a, 'w> {
    pub(super) program: &'a Program,
    pub(super) plan: &'a Plan,
    pub(super) schedule: &'a Schedule,
    pub(super) keep_all: bool,
    pub(super) watch: &'a mut Watch<'w>,
    pub(super) findings: &'a mut Findings,
    pub(super) candidate: Candidate<'a>,
    pub(super) evaluation: Evaluation,
    forced: ForcedCoherence,
    /// Per thread the class that is being explored.
    pub(super) classes: Vec<&'a RunClass>,
    /// Per thread the runs of its class that fit the reads chosen so far.
    pub(super) alive: Vec<SmallSet>,
    /// The reads in the order in which they choose, with their sources.
    order: Vec<(usize, Vec<Source>)>,
    /// For how many of them it pays to ask the model after each choice.
    asking: usize,
    /// Coherence orders to go back to.
    saved: Vec<u64>,
    /// Room for a final state.
    pub(super) terms: Vec<u64>,
}

impl<'a, 'w> Search<'a, 'w> {
    pub(super) fn new(
        program: &'a Program,
        plan: &'a Plan,
        schedule: &'a Schedule,
        keep_all: bool,
        watch: &'a mut Watch<'w>,
        findings: &'a mut Findings,
    ) -> Self {
        Self {
            program,
            plan,
            schedule,
            keep_all,
            watch,
            findings,
            candidate: Candidate::new(program),
            evaluation: Evaluation::default(),
            forced: ForcedCoherence::new(schedule.axioms),
            classes: Vec::new(),
            alive: Vec::new(),
            order: Vec::new(),
            asking: 0,
            saved: Vec::new(),
            terms: Vec::new(),
        }
    }

    /// Every choice of one class for each of the `threads` that are left.
    pub(super) fn run(&mut self, threads: &'a [Vec<RunClass>]) -> Result<(), Failure> {
        let Some((here, rest)) = threads.split_first() else { return self.complete_combination() };
        for class in here {
            self.classes.push(class);
            let result = self.run(rest);
            self.classes.pop();
            result?;
        }
        Ok(())
    }

    fn complete_combination(&mut self) -> Result<(), Failure> {
        self.watch.step()?;
        if !self.is_worth_it() {
            return Ok(());
        }
        self.candidate.assemble(self.classes.iter().map(|class| &*class.skeleton));
        if !self.candidate.respects_spawns_and_joins() {
            return Ok(());
        }
        self.alive.clear();
        self.alive.extend(self.classes.iter().map(|class| SmallSet::below(class.runs.len())));
        if !self.forced.begin(&mut self.candidate, self.watch)? || !self.order_reads()? {
            return Ok(());
        }
        self.findings.combinations += 1;
        self.evaluation.resize(self.plan, self.candidate.events.len(), self.watch)?;
        if !self.passes(&self.schedule.statics)? {
            return Ok(());
        }
        self.evaluation.restrict_to_needed(self.plan, self.schedule);
        self.choose_reads()
    }

    /// Whether the candidate, as far as it is complete, passes the checks of a phase.
    pub(super) fn passes(&mut self, phase: &Phase) -> Result<bool, Stopped> {
        self.evaluation.passes(self.plan, phase, &self.candidate, self.watch)
    }

    /// What was cut is looked at only for what already went wrong in it or is blocked, unless all is to be kept.
    fn is_worth_it(&self) -> bool {
        let any =
            |wanted: &[Status]| self.classes.iter().any(|class| wanted.contains(&class.skeleton.status));
        self.keep_all
            || !any(&[Status::Cut])
            || any(&[Status::Failed, Status::Fault])
            || self.may_block_regardless_of_truncation()
            || !self.schedule.flags.is_empty()
    }

    /// Whether a thread of these runs may be blocked, and not only because it joins one that was cut.
    fn may_block_regardless_of_truncation(&self) -> bool {
        let threads: Option<Vec<FinalStatus>> =
            self.classes.iter().map(|class| FinalStatus::of(&class.skeleton)).collect();
        threads.is_some_and(|threads| Stuck::of(&threads).blocks_beside_truncated)
    }

    /// Lists the sources of every read, reads with few of them first; whether every read has one.
    fn order_reads(&mut self) -> Result<bool, Stopped> {
        self.order.clear();
        for at in 0..self.candidate.reads.len() {
            let read = self.candidate.reads[at];
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
        let place = self.candidate.events[read];
        let (Some(thread), Some(cell)) = (place.thread, place.cell) else { return Ok(sources) };
        let Some((_, writes)) = self.candidate.cells.iter().find(|(other, _)| *other == cell) else {
            return Ok(sources);
        };
        for &(value, _) in &self.classes[thread].by_value[place.position] {
            for &write in writes {
                let source = Source { write, value };
                if self.can_take(read, source) && self.forced.allows(&self.candidate, read, write) {
                    sources.push(source);
                }
                self.watch.work(self.candidate.events.len())?;
            }
        }
        Ok(sources)
    }

    /// Whether some runs that fit so far let `read` take its value from `source`.
    fn can_take(&self, read: usize, source: Source) -> bool {
        let place = self.candidate.events[read];
        let (Some(thread), Some(cell)) = (place.thread, place.cell) else { return false };
        let Some(readers) = self.classes[thread].with_value(place.position, source.value) else {
            return false;
        };
        let written = self.candidate.events[source.write];
        let Some(other) = written.thread else {
            return self.program.cells[cell.index()].initial == source.value
                && readers.meets(&self.alive[thread]);
        };
        let writers = self.classes[other].with_value(written.position, source.value);
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
            return self.complete_reads();
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
            self.findings.nodes += 1;
            choices[depth].undo = Some(self.take_source(read, source));
            self.count_saved()?;
            if !self.forced.add_source(&mut self.candidate, read, self.watch)? {
                continue;
            }
            if depth + 1 == self.order.len() {
                self.complete_reads()?;
            } else if !several || depth >= self.asking || self.passes(&self.schedule.growing_reads)? {
                choices.push(ReadChoice::default());
            }
        }
        Ok(())
    }

    /// Lets `read` take its value from `source`.
    fn take_source(&mut self, read: usize, source: Source) -> Undo {
        let written = self.candidate.events[source.write];
        let ends =
            [self.candidate.events[read], written].map(|place| place.thread.map(|t| (t, place.position)));
        let before = ends.map(|end| {
            end.map(|(thread, position)| {
                let fitting = self.classes[thread].with_value(position, source.value);
                let narrowed = fitting.map_or_else(SmallSet::default, |runs| runs.and(&self.alive[thread]));
                (thread, std::mem::replace(&mut self.alive[thread], narrowed))
            })
        });
        self.candidate.source[read] = Some(source.write);
        let saved = self.saved.len();
        self.saved.extend_from_slice(&self.candidate.coherence);
        Undo { read, before, saved }
    }

    fn undo(&mut self, undo: Undo) {
        self.candidate.source[undo.read] = None;
        self.candidate.coherence.copy_from_slice(&self.saved[undo.saved..]);
        self.saved.truncate(undo.saved);
        // In reverse: reader and writer may be one thread.
        for (thread, runs) in undo.before.into_iter().rev().flatten() {
            self.alive[thread] = runs;
        }
    }

    fn complete_reads(&mut self) -> Result<(), Failure> {
        if self.candidate.is_spawned_twice() {
            return Err(CoreError::TooLarge("a thread is started more than once").into());
        }
        if !self.passes(&self.schedule.reads)? {
            return Ok(());
        }
        self.order_writes()
    }

    /// Puts every two writes of one location in order, in all ways.
    fn order_writes(&mut self) -> Result<(), Failure> {
        let Some(first) = self.candidate.unordered(Cursor::default()) else { return self.count() };
        let size = self.candidate.coherence.len();
        let mut choices = vec![WriteChoice { pair: first, taken: 0 }];
        self.saved.extend_from_slice(&self.candidate.coherence);
        while let Some(choice) = choices.last_mut() {
            let (cursor, a, b) = choice.pair;
            let (earlier, later) = if choice.taken == 0 { (a, b) } else { (b, a) };
            let start = self.saved.len() - size;
            if choice.taken > 0 {
                self.candidate.coherence.copy_from_slice(&self.saved[start..]);
            }
            if choice.taken == 2 {
                choices.pop();
                self.saved.truncate(start);
                continue;
            }
            choice.taken += 1;
            self.watch.step()?;
            self.findings.nodes += 1;
            if !self.candidate.order(earlier, later, self.watch)?
                || !self.forced.saturate(&mut self.candidate, self.watch)?
                || !self.passes(&self.schedule.growing_coherence)?
            {
                continue;
            }
            match self.candidate.unordered(cursor) {
                None => self.count()?,
                Some(pair) => {
                    self.saved.extend_from_slice(&self.candidate.coherence);
                    self.count_saved()?;
                    choices.push(WriteChoice { pair, taken: 0 });
                }
            }
        }
        Ok(())
    }

    /// Counts what a coherence order takes that has just been saved.
    fn count_saved(&mut self) -> Result<(), Stopped> {
        self.watch.work(self.candidate.coherence.len())?;
        self.watch.bytes(self.findings.bytes.saturating_add(size_of_val(&self.saved[..])))
    }
}
