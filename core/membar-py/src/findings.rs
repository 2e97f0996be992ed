//! What a search found, as Python sees it: counters and states at once, witnesses written out when asked for.

use std::sync::Arc;

use membar_graphs::execution;
use membar_graphs::findings;
use membar_graphs::stateless::Verification;
use membar_ir::limits::Stopped;
use membar_ir::program::Program;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::values::Execution;

/// The result of a search.
#[pyclass(frozen, module = "membar._core")]
pub(crate) struct Findings {
    program: Arc<Program>,
    found: findings::Findings,
    states: Vec<(Box<[u64]>, u64)>,
    verification: Verification,
}

impl Findings {
    pub(crate) fn new(program: Program, found: findings::Findings, verification: Verification) -> Self {
        let states = found.states.iter().map(|(state, seen)| (state.clone(), seen.count)).collect();
        Self { program: Arc::new(program), found, states, verification }
    }

    fn execution_of(&self, execution: Option<&execution::Execution>) -> PyResult<Execution> {
        let execution = execution.ok_or_else(|| PyIndexError::new_err("there is no such execution"))?;
        Ok(Execution::new(&self.program, execution.clone()))
    }
}

#[pymethods]
impl Findings {
    /// Complete consistent executions.
    #[getter]
    fn executions(&self) -> u64 {
        self.found.executions
    }

    /// Complete executions that were looked at: one of all that differ in the names of interchangeable threads.
    #[getter]
    fn explored(&self) -> u64 {
        self.found.explored
    }

    /// The groups of interchangeable threads that were explored up to symmetry.
    #[getter]
    fn symmetric(&self) -> Vec<Vec<usize>> {
        self.found.symmetric.clone()
    }

    /// Consistent executions in which some thread waits forever.
    #[getter]
    fn blocked(&self) -> u64 {
        self.found.blocked
    }

    /// Whether the loop bound cut some run.
    #[getter]
    fn cut(&self) -> bool {
        self.found.cut
    }

    /// Combinations of runs looked at.
    #[getter]
    fn combinations(&self) -> u64 {
        self.found.combinations
    }

    /// Partial executions looked at.
    #[getter]
    fn nodes(&self) -> u64 {
        self.found.nodes
    }

    /// Executions that came more than once; only the exactly-once search counts them, with `verify`.
    #[getter]
    fn duplicates(&self) -> u64 {
        self.verification.duplicates
    }

    /// Maximal additions that were not consistent; only the exactly-once search counts them, with `verify`.
    #[getter]
    fn surprises(&self) -> u64 {
        self.verification.surprises
    }

    /// Graphs about which two ways to ask the model differ; only the exactly-once search, with `verify`.
    #[getter]
    fn contradictions(&self) -> u64 {
        self.verification.contradictions
    }

    /// Reads-from classes of executions of all kinds; only counted with `verify`.
    #[getter]
    fn classes(&self) -> u64 {
        self.verification.classes
    }

    /// Why it did not end, if it did not: `request` (Ctrl-C), `time`, `executions`, `memory`, `failure`: one was enough,
    /// or `dead ends`: another search is better.
    #[getter]
    fn stopped(&self) -> Option<&'static str> {
        self.found.stopped.map(Stopped::word)
    }

    /// The final states, a word per term, each with its number of executions.
    #[getter]
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyTuple>, u64)>> {
        self.states.iter().map(|(state, count)| Ok((PyTuple::new(py, state.iter())?, *count))).collect()
    }

    /// Numbers of the checks that are no requirement and have something to say.
    #[getter]
    fn flags(&self) -> Vec<u32> {
        self.found.flags.keys().copied().collect()
    }

    /// Threads in which an assertion fails.
    #[getter]
    fn failures(&self) -> Vec<u32> {
        self.found.failures.keys().copied().collect()
    }

    /// Threads that access what is no location.
    #[getter]
    fn faults(&self) -> Vec<u32> {
        self.found.faults.keys().copied().collect()
    }

    /// Executions in which some thread looks at memory in a loop forever.
    #[getter]
    fn stuck(&self) -> u64 {
        self.found.stuck.get(&0).map_or(0, |seen| seen.count)
    }

    /// Executions in which some thread can never leave a call that blocks.
    #[getter]
    fn deadlocks(&self) -> u64 {
        self.found.stuck.get(&1).map_or(0, |seen| seen.count)
    }

    /// How many situations there are in which some thread is in a call that blocks, and the loop bound truncated another.
    #[getter]
    fn blocked_beside_truncated(&self) -> usize {
        self.found.stuck.range(2..).count()
    }

    /// Executions that the loop bound cut; counted only if all are kept.
    #[getter]
    fn truncated(&self) -> u64 {
        self.found.truncated
    }

    /// Executions in which an assertion fails, or an access goes to what is no location.
    #[getter]
    fn failed(&self) -> u64 {
        self.found.failed
    }

    /// The steps at which threads that wait look first: thread and edge.
    #[getter]
    fn waits(&self) -> Vec<(u32, u32)> {
        self.found.waits.iter().copied().collect()
    }

    /// The steps that close loops which were cut: thread and edge.
    #[getter]
    fn cuts(&self) -> Vec<(u32, u32)> {
        self.found.cuts.iter().copied().collect()
    }

    /// Per relation of `relation_ends` the threads and cells in which it ends; less once the first one has a pair.
    #[getter]
    fn relation_ends(&self) -> Vec<Vec<(u32, u32)>> {
        self.found.relation_ends.iter().map(|ends| ends.iter().copied().collect()).collect()
    }

    /// Number of executions that were kept.
    #[getter]
    fn kept(&self) -> usize {
        self.found.kept.len()
    }

    /// The first execution with the final state at `index` of `states`.
    fn state_witness(&self, index: usize) -> PyResult<Execution> {
        let state = self.states.get(index).and_then(|(state, _)| self.found.states.get(state));
        self.execution_of(state.map(|seen| &seen.first))
    }

    /// The first execution of which check `index` has something to say.
    fn flag_witness(&self, index: u32) -> PyResult<Execution> {
        self.execution_of(self.found.flags.get(&index).map(|seen| &seen.first))
    }

    /// The first execution in which an assertion of `thread` fails.
    fn failure_witness(&self, thread: u32) -> PyResult<Execution> {
        self.execution_of(self.found.failures.get(&thread).map(|seen| &seen.first))
    }

    /// The first execution in which `thread` accesses what is no location.
    fn fault_witness(&self, thread: u32) -> PyResult<Execution> {
        self.execution_of(self.found.faults.get(&thread).map(|seen| &seen.first))
    }

    /// The first execution in which some thread looks at memory in a loop forever.
    fn stuck_witness(&self) -> PyResult<Execution> {
        self.execution_of(self.found.stuck.get(&0).map(|seen| &seen.first))
    }

    /// The first execution in which some thread can never leave a call that blocks.
    fn deadlock_witness(&self) -> PyResult<Execution> {
        self.execution_of(self.found.stuck.get(&1).map(|seen| &seen.first))
    }

    /// The first execution in one of the situations in which some thread is in a call that blocks, and the loop bound
    /// truncated another.
    fn blocked_beside_truncated_witness(&self, index: usize) -> PyResult<Execution> {
        self.execution_of(self.found.stuck.range(2..).nth(index).map(|(_, seen)| &seen.first))
    }

    /// One of the kept executions.
    fn kept_witness(&self, index: usize) -> PyResult<Execution> {
        self.execution_of(self.found.kept.get(index))
    }
}
