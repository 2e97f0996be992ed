//! Executions: one run of each thread, reads-from and coherence.

use std::sync::Arc;

use crate::enumeration::candidate::Candidate;
use crate::thread::ThreadRun;
use membar_cat::evaluation::Provider;
use membar_cat::plan::Primitive;
use membar_ir::program::{CellId, Program, ThreadId};
use membar_ir::words::narrow;

/// A whole execution.
///
/// Events are numbered as in `program/execution.py`: initial writes of the accessed cells first, in the order of the
/// cells, then thread by thread in program order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// How each thread ran.
    pub threads: Vec<Arc<ThreadRun>>,
    /// Reads-from: write and read.
    pub rf: Vec<(u32, u32)>,
    /// The accessed cells, each with its writes in coherence order.
    pub co: Vec<(CellId, Vec<u32>)>,
}

impl Execution {
    /// A relation that does not depend on rf and co: a row of bits for each event.
    #[must_use]
    pub fn relation(&self, program: &Program, relation: Primitive) -> Vec<u64> {
        let mut candidate = Candidate::new(program);
        candidate.assemble(self.threads.iter().map(|run| &*run.skeleton));
        let mut rows = vec![0; candidate.shape.relation()];
        candidate.primitive(relation, candidate.shape, &mut rows);
        rows
    }

    /// The execution in which each thread plays the part of thread `parts[thread]`, whose registers become those in
    /// `registers[thread]`: for threads that are interchangeable.
    #[must_use]
    pub fn exchange_threads(&self, parts: &[usize], registers: &[Vec<usize>]) -> Self {
        let initial = narrow(self.co.len());
        let mut starts = vec![initial];
        for run in &self.threads {
            starts.push(starts[starts.len() - 1] + narrow(run.values.len()));
        }
        let mut numbers: Vec<u32> = (0..starts[self.threads.len()]).collect();
        let mut next = initial;
        for &part in parts {
            for event in starts[part]..starts[part + 1] {
                numbers[event as usize] = next;
                next += 1;
            }
        }
        let renumber = |event: &u32| numbers[*event as usize];
        let mut rf: Vec<_> = self.rf.iter().map(|(write, read)| (renumber(write), renumber(read))).collect();
        rf.sort_unstable();
        let co =
            self.co.iter().map(|(cell, writes)| (*cell, writes.iter().map(renumber).collect())).collect();
        let player = |part: ThreadId| {
            let thread = parts.iter().position(|&other| other == part.index());
            thread.map_or(part, |thread| ThreadId(narrow(thread)))
        };
        let run = |(&part, names): (&usize, &Vec<usize>)| Arc::new(self.threads[part].rename(names, player));
        Self { threads: parts.iter().zip(registers).map(run).collect(), rf, co }
    }
}
