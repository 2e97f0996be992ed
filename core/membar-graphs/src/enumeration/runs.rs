//! All runs of all threads, when reads may return whatever the threads can write.
//!
//! The least fixpoint of written values, in rounds: round 1 reads initial values only, round n + 1 also what was
//! written in round n or before. Rounds end when nothing new was written, or when round n shows fewer than n writes
//! (`engines/reference/values.py` has the argument). Guesses of the program may be read in round 1. A run that
//! waits for a value is kept, and continues when its cell gets new ones, so no run is computed twice.
//!
//! Runs of one thread that differ only in values form a class: a model cannot distinguish them before rf is chosen.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::findings::Findings;
use crate::thread::{Kind, Question, Run, Skeleton, ThreadRun, ThreadRunner};
use membar_ir::bits::SmallSet;
use membar_ir::error::Failure;
use membar_ir::limits::Watch;
use membar_ir::program::{CellId, Program};

/// Runs of one thread with the same skeleton.
#[derive(Debug)]
pub(super) struct RunClass {
    /// What they have in common.
    pub(super) skeleton: Arc<Skeleton>,
    /// The runs.
    pub(super) runs: Vec<Arc<ThreadRun>>,
    /// For each event its possible values, each with the runs that have it; nothing for fences.
    pub(super) by_value: Vec<Vec<(u64, SmallSet)>>,
}

impl RunClass {
    /// The runs in which `event` has `value`.
    pub(super) fn with_value(&self, event: usize, value: u64) -> Option<&SmallSet> {
        let values = &self.by_value[event];
        values.binary_search_by_key(&value, |entry| entry.0).ok().map(|found| &values[found].1)
    }
}

/// A run that waits for a value of a cell.
struct Waiting {
    run: Run,
    cell: CellId,
    /// How many of the cell's values it has seen.
    seen: usize,
}

/// The runs of one thread found so far.
struct Found<'a> {
    machine: ThreadRunner<'a>,
    waiting: Vec<Waiting>,
    classes: Vec<RunClass>,
    index: FxHashMap<Arc<Skeleton>, usize>,
    most_writes: usize,
}

/// About what copying a run costs for each of its events.
const WORDS_PER_EVENT: usize = 32;

/// What can be read from each cell: in the order of discovery, the first `known` in this round.
struct Values {
    known: Vec<usize>,
    list: Vec<Vec<u64>>,
    present: BTreeSet<(CellId, u64)>,
}

/// The classes of every thread, with each back edge taken at most `bound` times; `findings` gets the steps at which
/// runs that wait look first, and those that close loops which were cut.
pub(super) fn all_classes(
    program: &Program,
    bound: u32,
    watch: &mut Watch<'_>,
    findings: &mut Findings,
) -> Result<Vec<Vec<RunClass>>, Failure> {
    let mut values = Values { known: Vec::new(), list: Vec::new(), present: BTreeSet::new() };
    for (number, cell) in (0..).zip(&program.cells) {
        values.known.push(1);
        values.list.push(vec![cell.initial]);
        values.present.insert((CellId(number), cell.initial));
    }
    for &(cell, value) in &program.guesses {
        if values.present.insert((cell, value)) {
            values.known[cell.index()] += 1;
            values.list[cell.index()].push(value);
        }
    }
    let mut bytes = 0;
    let mut threads = Vec::with_capacity(program.threads.len());
    for thread in &program.threads {
        let mut found = Found {
            machine: ThreadRunner::new(program, thread, bound),
            waiting: Vec::new(),
            classes: Vec::new(),
            index: FxHashMap::default(),
            most_writes: 0,
        };
        if !thread.started {
            let not_started = found.machine.not_started();
            bytes += found.keep(not_started, &mut values);
        }
        let mut run = found.machine.begin();
        let question = found.machine.advance(&mut run)?;
        bytes += found.explore(run, question, &mut values, watch)?;
        threads.push(found);
    }
    for round in 1_usize.. {
        let grown = values.list.iter().zip(&values.known).any(|(list, &known)| list.len() > known);
        if !grown || round > threads.iter().map(|found| found.most_writes).sum::<usize>() {
            break;
        }
        for (known, list) in values.known.iter_mut().zip(&values.list) {
            *known = list.len();
        }
        for found in &mut threads {
            bytes += found.resume(&mut values, watch)?;
            watch.bytes(bytes)?;
        }
    }
    for (thread, found) in (0..).zip(&threads) {
        findings.waits.extend(found.machine.waits.iter().map(|edge| (thread, edge.0)));
        findings.cuts.extend(found.machine.cuts.iter().map(|edge| (thread, edge.0)));
    }
    Ok(threads.into_iter().map(|found| index_values(found.classes)).collect())
}

impl Found<'_> {
    /// Goes on from `run`, which asks `question`, with all known values.
    fn explore(
        &mut self,
        run: Run,
        question: Question,
        values: &mut Values,
        watch: &mut Watch<'_>,
    ) -> Result<usize, Failure> {
        let mut bytes = 0;
        let mut todo = vec![(run, question)];
        while let Some((run, question)) = todo.pop() {
            watch.step()?;
            watch.work(WORDS_PER_EVENT * run.values.len())?;
            match question {
                Question::Ended => bytes += self.keep(run, values),
                Question::OneOf(options) => {
                    for &option in options.iter().rev() {
                        let mut next = run.clone();
                        let question = self.machine.answer(&mut next, option)?;
                        todo.push((next, question));
                    }
                }
                Question::Read(cell) => {
                    let seen = values.known[cell.index()];
                    for at in (0..seen).rev() {
                        let mut next = run.clone();
                        let question = self.machine.answer(&mut next, values.list[cell.index()][at])?;
                        todo.push((next, question));
                    }
                    bytes += 64 * run.values.len() + 256;
                    self.waiting.push(Waiting { run, cell, seen });
                }
            }
        }
        Ok(bytes)
    }

    /// Gives every waiting run the values that are new to it.
    fn resume(&mut self, values: &mut Values, watch: &mut Watch<'_>) -> Result<usize, Failure> {
        let mut bytes = 0;
        for at in 0..self.waiting.len() {
            let cell = self.waiting[at].cell;
            while self.waiting[at].seen < values.known[cell.index()] {
                let mut next = self.waiting[at].run.clone();
                let value = values.list[cell.index()][self.waiting[at].seen];
                self.waiting[at].seen += 1;
                let question = self.machine.answer(&mut next, value)?;
                bytes += self.explore(next, question, values, watch)?;
            }
        }
        Ok(bytes)
    }

    /// Files a run that has ended; gives a rough number of bytes.
    fn keep(&mut self, run: Run, values: &mut Values) -> usize {
        let mut writes = 0;
        for (event, &value) in run.skeleton.events.iter().zip(&run.values) {
            if let (Kind::Write, Some(cell)) = (event.kind, event.cell) {
                writes += 1;
                if values.present.insert((cell, value)) {
                    values.list[cell.index()].push(value);
                }
            }
        }
        self.most_writes = self.most_writes.max(writes);
        let bytes = 8 * (run.values.len() + run.registers.len() + run.choices.len()) + 128;
        if let Some((skeleton, &class)) = self.index.get_key_value(&run.skeleton) {
            self.classes[class].runs.push(Arc::new(run.finish(Some(skeleton))));
            return bytes;
        }
        let run = Arc::new(run.finish(None));
        let skeleton = Arc::clone(&run.skeleton);
        self.index.insert(Arc::clone(&skeleton), self.classes.len());
        let more = 200 * skeleton.events.len();
        self.classes.push(RunClass { skeleton, runs: vec![run], by_value: Vec::new() });
        bytes + more
    }
}

/// Sorts the runs by their choices, so that the order of discovery does not show, and indexes their values.
fn index_values(mut classes: Vec<RunClass>) -> Vec<RunClass> {
    for class in &mut classes {
        class.runs.sort_unstable_by(|a, b| a.choices.cmp(&b.choices));
        for (position, event) in class.skeleton.events.iter().enumerate() {
            let mut values: Vec<(u64, SmallSet)> = Vec::new();
            if event.kind != Kind::Fence {
                for (number, run) in class.runs.iter().enumerate() {
                    let value = run.values[position];
                    match values.binary_search_by_key(&value, |entry| entry.0) {
                        Ok(found) => values[found].1.insert(number),
                        Err(place) => values.insert(place, (value, SmallSet::one(number))),
                    }
                }
            }
            class.by_value.push(values);
        }
    }
    classes
}
