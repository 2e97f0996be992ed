//! Records findings, with an execution for each.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::execution::Execution;
use crate::findings::{Ending, Findings, Seen};
use crate::stateless::Options;
use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, GraphEvent, Label, Location, Start};
use crate::stateless::thread_tree::{Next, ThreadTree};
use crate::stateless::work_queue::Order;
use crate::thread::{Status, ThreadRun};
use membar_ir::error::CoreError;
use membar_ir::program::{Program, Term};
use membar_ir::words::narrow;

/// Counts and witnesses.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) findings: Findings,
    /// The places of the tasks that were done, among all.
    pub(super) orders: Vec<Order>,
    /// The present one, by number.
    task: u32,
    /// Every complete execution, if they are to be kept, with its task.
    pub(super) kept: Vec<(u32, Execution)>,
    /// Per thread the runs that witnesses refer to, by what determines them.
    runs: Vec<FxHashMap<Box<[u64]>, Arc<ThreadRun>>>,
    /// Executions that were found once more; counted only on request.
    pub(super) duplicates: u64,
    pub(super) seen: Option<FxHashSet<Vec<u64>>>,
    /// Reads-from classes, each with how often an execution of it was found; counted only on request.
    seen_classes: FxHashMap<Vec<u64>, u64>,
    /// Fingerprints of all executions, where the search may come to one twice.
    met: Option<FxHashSet<u128>>,
    keep_all: bool,
    /// No more complete executions may be counted, and whether there was one.
    pub(super) is_full: bool,
    pub(super) is_over: bool,
    terms: Vec<Term>,
    initial: Vec<u64>,
    state: Vec<u64>,
}

impl Record {
    pub(super) fn new(program: &Program, options: Options) -> Self {
        Self {
            findings: Findings::default(),
            orders: vec![Order::new()],
            task: 0,
            kept: Vec::new(),
            runs: vec![FxHashMap::default(); program.threads.len()],
            duplicates: 0,
            seen: (options.verify && options.order.is_none()).then(FxHashSet::default),
            seen_classes: FxHashMap::default(),
            met: options.order.map(|_| FxHashSet::default()),
            keep_all: options.keep_all,
            is_full: false,
            is_over: false,
            terms: program.terms.clone(),
            initial: program.cells.iter().map(|cell| cell.initial).collect(),
            state: Vec::new(),
        }
    }

    /// What comes now belongs to the task at `order`.
    pub(super) fn begin(&mut self, order: Order) {
        self.task = narrow(self.orders.len());
        self.orders.push(order);
    }

    /// Whether the present task has a failure.
    pub(super) fn has_failure(&self) -> bool {
        self.findings.failures.values().any(|seen| seen.task == self.task)
    }

    /// Whether something that `task` found first comes earlier in the present one.
    fn is_earlier(&self, task: u32) -> bool {
        task != self.task && self.orders[self.task as usize] < self.orders[task as usize]
    }

    /// Counts a maximal graph, which represents `weight` executions.
    pub(super) fn take(
        &mut self,
        graph: &Graph,
        weight: u64,
        thread_tree: &mut ThreadTree<'_>,
        flags: &[usize],
    ) -> Result<(), CoreError> {
        self.look_for_duplicate(graph, thread_tree)?;
        if self.is_met_before(graph, thread_tree) {
            self.duplicates += 1;
            return Ok(());
        }
        for &check in flags {
            self.note(|findings| &mut findings.flags, check, graph, thread_tree)?;
        }
        // A thread that waits for another one now waits forever.
        let status = |thread: usize| graph.status(thread, thread_tree).unwrap_or(Status::Blocked);
        let threads = graph.threads.len();
        let is_cut = (0..threads).any(|thread| status(thread) == Status::Cut);
        self.findings.cut |= is_cut;
        match Ending::of(status, threads) {
            Ending::Fault(thread) => {
                self.note(|findings| &mut findings.faults, thread, graph, thread_tree)?;
                self.take_failed(graph, weight, thread_tree)
            }
            Ending::Failed(thread) => {
                self.note(|findings| &mut findings.failures, thread, graph, thread_tree)?;
                self.take_failed(graph, weight, thread_tree)
            }
            Ending::Cut => {
                if self.keep_all {
                    self.findings.truncated = self.findings.truncated.saturating_add(weight);
                }
                self.take_stuck(graph, thread_tree)?;
                self.keep(graph, thread_tree)
            }
            Ending::Blocked => {
                self.findings.blocked = self.findings.blocked.saturating_add(weight);
                self.take_stuck(graph, thread_tree)
            }
            Ending::Complete => self.take_complete(graph, weight, thread_tree),
        }
    }

    fn take_stuck(&mut self, graph: &Graph, thread_tree: &mut ThreadTree<'_>) -> Result<(), CoreError> {
        for key in graph.stuck(thread_tree).keys() {
            self.note(|findings| &mut findings.stuck, key, graph, thread_tree)?;
        }
        Ok(())
    }

    fn take_complete(
        &mut self,
        graph: &Graph,
        weight: u64,
        thread_tree: &mut ThreadTree<'_>,
    ) -> Result<(), CoreError> {
        if self.is_full {
            self.is_over = true;
            return Ok(());
        }
        self.findings.executions = self.findings.executions.saturating_add(weight);
        self.findings.explored += 1;
        let mut state = std::mem::take(&mut self.state);
        state.clear();
        for &term in &self.terms {
            state.push(self.last_value(term, graph, thread_tree));
        }
        let seen = self.findings.states.get_mut(state.as_slice()).map(|seen| {
            seen.count = seen.count.saturating_add(weight);
            seen.task
        });
        if seen.is_none_or(|task| self.is_earlier(task)) {
            let (first, task) = (self.execution(graph, thread_tree)?, self.task);
            if let Some(seen) = self.findings.states.get_mut(state.as_slice()) {
                (seen.first, seen.task) = (first, task);
            } else {
                self.findings.bytes += 8 * state.len() + 16 * graph.events.len() + 200;
                self.findings.states.insert(state.as_slice().into(), Seen { count: weight, first, task });
            }
        }
        self.state = state;
        self.keep(graph, thread_tree)
    }

    fn take_failed(
        &mut self,
        graph: &Graph,
        weight: u64,
        thread_tree: &mut ThreadTree<'_>,
    ) -> Result<(), CoreError> {
        self.findings.failed = self.findings.failed.saturating_add(weight);
        self.keep(graph, thread_tree)
    }

    fn keep(&mut self, graph: &Graph, thread_tree: &mut ThreadTree<'_>) -> Result<(), CoreError> {
        if self.keep_all {
            self.findings.bytes += 16 * graph.events.len() + 100;
            let execution = self.execution(graph, thread_tree)?;
            self.kept.push((self.task, execution));
        }
        Ok(())
    }

    fn note(
        &mut self,
        which: fn(&mut Findings) -> &mut BTreeMap<u32, Seen>,
        key: usize,
        graph: &Graph,
        thread_tree: &mut ThreadTree<'_>,
    ) -> Result<(), CoreError> {
        let key = narrow(key);
        let seen = which(&mut self.findings).get_mut(&key).map(|seen| {
            seen.count += 1;
            seen.task
        });
        if seen.is_none_or(|task| self.is_earlier(task)) {
            let (first, task) = (self.execution(graph, thread_tree)?, self.task);
            let seen = which(&mut self.findings).entry(key);
            seen.and_modify(|seen| (seen.first, seen.task) = (first.clone(), task)).or_insert(Seen {
                count: 1,
                first,
                task,
            });
        }
        Ok(())
    }

    fn last_value(&self, term: Term, graph: &Graph, thread_tree: &ThreadTree<'_>) -> u64 {
        match term {
            Term::Register(thread, register) => {
                let own = &graph.threads[thread.index()];
                match &thread_tree.node(own.node).next {
                    Next::Ended(_, registers) if own.start != Start::NotStarted => {
                        registers[register.index()]
                    }
                    _ => thread_tree.not_started(thread.index()).registers[register.index()],
                }
            }
            Term::Cell(cell) => {
                let location = graph.locations.iter().find(|location| location.cell == cell);
                let last = location.and_then(|location| location.writes.last());
                last.map_or(self.initial[cell.index()], |&last| graph.item(last).value)
            }
        }
    }

    /// The graph as an execution, which has another numbering.
    fn execution(&mut self, graph: &Graph, thread_tree: &mut ThreadTree<'_>) -> Result<Execution, CoreError> {
        let mut numbers = vec![0; graph.items.len()];
        let mut locations: Vec<_> = graph.locations.iter().collect();
        locations.sort_by_key(|location| location.cell);
        let events = graph.threads.iter().flat_map(|own| own.events.iter().copied());
        let initial = locations.iter().filter_map(|location| location.writes.first().copied());
        let all: Vec<EventId> = initial.chain(events).collect();
        for (new, id) in (0_u32..).zip(&all) {
            numbers[id.index()] = new;
        }
        let number = |id: &EventId| numbers[id.index()];
        let pair = |read: &EventId| match graph.item(*read).label {
            Label::Read(_, source) => Some((number(&source), number(read))),
            _ => None,
        };
        let order = |location: &&Location| (location.cell, location.writes.iter().map(number).collect());
        let runs = (0..graph.threads.len()).map(|thread| self.run(thread, graph, thread_tree));
        Ok(Execution {
            threads: runs.collect::<Result<_, _>>()?,
            rf: all.iter().filter_map(pair).collect(),
            co: locations.iter().map(order).collect(),
        })
    }

    /// The run of `thread`.
    fn run(
        &mut self,
        thread: usize,
        graph: &Graph,
        thread_tree: &mut ThreadTree<'_>,
    ) -> Result<Arc<ThreadRun>, CoreError> {
        let own = &graph.threads[thread];
        let run = if own.start == Start::NotStarted {
            thread_tree.not_started(thread)
        } else {
            let waits = matches!(thread_tree.node(own.node).next, Next::Join(_));
            thread_tree.run_to(own.node, waits.then_some(0))?
        };
        let bytes = 200 * run.values.len() + 8 * run.registers.len();
        let known = self.runs[thread].entry(run_key(run.skeleton.status, &run.choices).collect());
        Ok(Arc::clone(known.or_insert_with(|| {
            self.findings.bytes += bytes;
            Arc::new(run.finish(None))
        })))
    }

    /// Whether the search came to this execution before, as far as 128 bits can say.
    fn is_met_before(&mut self, graph: &Graph, thread_tree: &ThreadTree<'_>) -> bool {
        let Some(met) = &mut self.met else { return false };
        let is_new = met.insert(fingerprint(graph, thread_tree));
        if is_new {
            self.findings.bytes += 2 * size_of::<u128>();
        }
        !is_new
    }

    fn look_for_duplicate(
        &mut self,
        graph: &Graph,
        thread_tree: &mut ThreadTree<'_>,
    ) -> Result<(), CoreError> {
        if self.seen.is_none() {
            return Ok(());
        }
        let execution = self.execution(graph, thread_tree)?;
        let runs = execution.threads.iter();
        let mut key: Vec<u64> = runs.flat_map(|run| run_key(run.skeleton.status, &run.choices)).collect();
        key.extend(execution.rf.iter().flat_map(|pair| [u64::from(pair.0), u64::from(pair.1)]));
        let class = self.class_key(key.clone(), graph, thread_tree);
        *self.seen_classes.entry(class).or_default() += 1;
        key.extend(execution.co.iter().flat_map(|(_, writes)| writes).map(|&write| u64::from(write)));
        if let Some(seen) = &mut self.seen {
            self.duplicates += u64::from(!seen.insert(key));
        }
        Ok(())
    }
}

/// What determines a run of a thread. One that was not started made no choices, as one that began and made none.
fn run_key(status: Status, choices: &[u64]) -> impl Iterator<Item = u64> + '_ {
    let length = if status == Status::NotStarted { u64::MAX } else { choices.len() as u64 };
    std::iter::once(length).chain(choices.iter().copied())
}

/// What each thread chose and read, and the order of writes, in few bits.
fn fingerprint(graph: &Graph, thread_tree: &ThreadTree<'_>) -> u128 {
    let mut hashers = [DefaultHasher::new(), DefaultHasher::new()];
    1.hash(&mut hashers[0]);
    let halves = hashers.map(|mut hasher| {
        let stand = |id: EventId| (graph.item(id).thread, graph.item(id).position);
        for own in &graph.threads {
            (own.start == Start::NotStarted, own.items.len()).hash(&mut hasher);
            for &id in &own.items {
                match graph.item(id).label {
                    Label::Read(_, source) => stand(source).hash(&mut hasher),
                    Label::Choice(_) => thread_tree.answer(graph.item(id).node).hash(&mut hasher),
                    _ => {}
                }
            }
        }
        let mut locations: Vec<_> = graph.locations.iter().collect();
        locations.sort_unstable_by_key(|location| location.cell);
        for location in locations {
            location.cell.hash(&mut hasher);
            location.writes.iter().for_each(|&write| stand(write).hash(&mut hasher));
        }
        u128::from(hasher.finish())
    });
    halves[0] << 64 | halves[1]
}

impl Record {
    /// How many reads-from classes were seen.
    pub(super) fn distinct_classes(&self) -> u64 {
        self.seen_classes.len() as u64
    }

    /// How often a class was found once more.
    pub(super) fn class_duplicates(&self) -> u64 {
        self.seen_classes.values().map(|count| count - 1).sum()
    }

    /// What tells classes apart: runs and reads-from, which `key` holds, and for complete executions the last writes
    /// that final states show.
    fn class_key(&self, mut key: Vec<u64>, graph: &Graph, thread_tree: &ThreadTree<'_>) -> Vec<u64> {
        let is_over =
            |thread| matches!(graph.status(thread, thread_tree), Some(Status::Complete | Status::NotStarted));
        if (0..graph.threads.len()).all(is_over) {
            for term in &self.terms {
                if let Term::Cell(cell) = *term
                    && let Some(location) = graph.locations.iter().find(|location| location.cell == cell)
                    && let Some(&last) = location.writes.last()
                {
                    let GraphEvent { thread, position, .. } = *graph.item(last);
                    key.extend([u64::from(thread), u64::from(position)]);
                }
            }
        }
        key
    }
}
