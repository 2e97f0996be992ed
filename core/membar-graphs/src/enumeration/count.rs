//! Counts the consistent executions that the search reaches.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::enumeration::search::Search;
use crate::execution::Execution;
use crate::findings::{Ending, Findings, Seen};
use membar_ir::error::Failure;
use membar_ir::limits::Stopped;
use membar_ir::program::Term;
use membar_ir::words::narrow;

impl Search<'_, '_> {
    /// A whole candidate: the last checks, then it counts.
    pub(super) fn count(&mut self) -> Result<(), Failure> {
        if !self.passes(&self.schedule.coherence)? {
            return Ok(());
        }
        let same = self.alive.iter().map(|runs| runs.iter().count() as u64).product();
        for &check in &self.schedule.flags {
            if self.evaluation.raises_flag(self.plan.checks[check]) {
                self.note(|findings| &mut findings.flags, check, same);
            }
        }
        let status = |thread: usize| self.candidate.skeletons[thread].status;
        match Ending::of(status, self.candidate.skeletons.len()) {
            Ending::Fault(thread) => {
                self.note(|findings| &mut findings.faults, thread, same);
                self.take_failed(same)?;
            }
            Ending::Failed(thread) => {
                self.note(|findings| &mut findings.failures, thread, same);
                self.take_failed(same)?;
            }
            Ending::Cut => {
                self.take_stuck(same);
                if self.keep_all {
                    self.findings.truncated += same;
                    self.take_runs(&mut Vec::new(), Self::keep)?;
                }
            }
            Ending::Blocked => {
                self.findings.blocked += same;
                self.watch.meter().count(0, same, 0);
                self.take_stuck(same);
            }
            Ending::Complete => self.take_runs(&mut Vec::new(), Self::take)?,
        }
        Ok(())
    }

    fn take_stuck(&mut self, count: u64) {
        for key in self.candidate.stuck().keys() {
            self.note(|findings| &mut findings.stuck, key, count);
        }
    }

    /// Counts the present execution under `key`, with a witness the first time.
    fn note(&mut self, which: fn(&mut Findings) -> &mut BTreeMap<u32, Seen>, key: usize, count: u64) {
        let key = narrow(key);
        if let Some(seen) = which(self.findings).get_mut(&key) {
            seen.count += count;
        } else {
            let first = self.execution(&self.first_runs());
            which(self.findings).insert(key, Seen { count, first, task: 0 });
        }
    }

    fn take_failed(&mut self, count: u64) -> Result<(), Stopped> {
        self.findings.failed += count;
        if self.keep_all { self.take_runs(&mut Vec::new(), Self::keep) } else { Ok(()) }
    }

    /// Takes every combination of runs that fits.
    fn take_runs(
        &mut self,
        runs: &mut Vec<usize>,
        take: fn(&mut Self, &[usize]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        if runs.len() == self.alive.len() {
            return take(self, runs);
        }
        let alive = self.alive[runs.len()].clone();
        for run in alive.iter() {
            runs.push(run);
            let result = self.take_runs(runs, take);
            runs.pop();
            result?;
        }
        Ok(())
    }

    /// Counts a complete execution and its final state.
    fn take(&mut self, runs: &[usize]) -> Result<(), Stopped> {
        self.watch.executions(self.findings.executions + 1)?;
        self.findings.executions += 1;
        self.watch.meter().count(1, 0, 0);
        let mut terms = std::mem::take(&mut self.terms);
        terms.clear();
        terms.extend(self.program.terms.iter().map(|&term| self.last_value(term, runs)));
        if let Some(seen) = self.findings.states.get_mut(terms.as_slice()) {
            seen.count += 1;
        } else {
            let first = self.execution(runs);
            self.findings.bytes += 8 * terms.len() + 16 * self.candidate.events.len() + 200;
            self.findings.states.insert(terms.clone().into(), Seen { count: 1, first, task: 0 });
        }
        self.terms = terms;
        if self.keep_all { self.keep(runs) } else { self.watch.bytes(self.findings.bytes) }
    }

    fn keep(&mut self, runs: &[usize]) -> Result<(), Stopped> {
        self.findings.bytes += 16 * self.candidate.events.len() + 100;
        self.findings.kept.push(self.execution(runs));
        self.watch.bytes(self.findings.bytes)
    }

    fn last_value(&self, term: Term, runs: &[usize]) -> u64 {
        let run = |thread: usize| &self.classes[thread].runs[runs[thread]];
        match term {
            Term::Register(thread, register) => run(thread.index()).registers[register.index()],
            Term::Cell(cell) => {
                let writes = self.candidate.cells.iter().find(|(other, _)| *other == cell);
                let last = writes.and_then(|(_, writes)| self.candidate.last(writes));
                let event = last.map(|last| self.candidate.events[last]);
                match event.and_then(|event| event.thread.map(|thread| (thread, event.position))) {
                    None => self.program.cells[cell.index()].initial,
                    Some((thread, position)) => run(thread).values[position],
                }
            }
        }
    }

    /// The first run of each thread that fits.
    fn first_runs(&self) -> Vec<usize> {
        self.alive.iter().map(|runs| runs.iter().next().unwrap_or_default()).collect()
    }

    /// The present candidate with one of the runs of each class.
    fn execution(&self, runs: &[usize]) -> Execution {
        let pair = |&read: &usize| self.candidate.source[read].map(|write| (narrow(write), narrow(read)));
        Execution {
            threads: self
                .classes
                .iter()
                .zip(runs)
                .map(|(class, &run)| Arc::clone(&class.runs[run]))
                .collect(),
            rf: self.candidate.reads.iter().filter_map(pair).collect(),
            co: self.candidate.orders(),
        }
    }
}
