//! Explicit states, as Python sees them.

use std::sync::{Arc, Mutex, PoisonError};

use membar_ir::limits::{Stopped, Watch};
use membar_ir::program;
use membar_states::automaton::Automaton;
use membar_states::fairness::Fair;
use membar_states::findings::{self, Options};
use membar_states::program::{BufferKind, Program, Registers};
use membar_states::runs::{self, Answer};
use membar_states::safety::{self, Exploration, RunStep};
use membar_states::symmetry;
use membar_states::system::System;
use membar_step::store_buffers::TAGS;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::detached::run_keeping;
use crate::values::{Ending, Lasso, Step};
use crate::{limits_of, to_py, words_of};

/// A program whose states can be visited.
#[pyclass(frozen, module = "membar._core")]
pub(crate) struct StateSpace {
    program: Arc<Program>,
}

#[pymethods]
impl StateSpace {
    /// Reads a program whose buffers have room for `bound` entries; `registers` says which registers tell states
    /// apart: `all`, those `declared` with an initial value and others while they may be read, or those `live`.
    #[new]
    #[pyo3(signature = (program, *, discipline, bound, registers))]
    fn new(program: &[u8], discipline: &str, bound: usize, registers: &str) -> PyResult<Self> {
        let code = program::Program::decode(&words_of(program)?, TAGS).map_err(|error| to_py(&error))?;
        let discipline = match discipline {
            "sc" => BufferKind::Sc,
            "tso" => BufferKind::Tso,
            "pso" => BufferKind::Pso,
            "cam" => BufferKind::Cam,
            _ => return Err(PyValueError::new_err("there is no such discipline")),
        };
        let registers = match registers {
            "all" => Registers::All,
            "declared" => Registers::Declared,
            "live" => Registers::Live,
            _ => return Err(PyValueError::new_err("there is no such choice of registers")),
        };
        let program = Arc::new(Program::new(Arc::new(code), discipline, bound, registers));
        Ok(Self { program })
    }

    /// Visits every state, breadth-first, with `jobs` threads; `round_size` states at a time, for tests of these. With
    /// `bitstate` bytes for what was visited, depth-first, as many states as can be told apart in these. With `disk`, so many
    /// bytes of states move to disk where memory is full or, for tests, holds `recent` states.
    #[pyo3(signature = (
        *, stop_at_failure=false, stop_at_deadlock=false, keep_finals=false, reduced=false, symmetric=false, jobs=1,
        round_size=None, bitstate=None, disk=None, recent=None, seconds=None, states=None, memory=None, progress=None
    ))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "keyword-only on the Python side"
    )]
    fn explore(
        &self,
        py: Python<'_>,
        stop_at_failure: bool,
        stop_at_deadlock: bool,
        keep_finals: bool,
        reduced: bool,
        symmetric: bool,
        jobs: usize,
        round_size: Option<u32>,
        bitstate: Option<usize>,
        disk: Option<u64>,
        recent: Option<usize>,
        seconds: Option<f64>,
        states: Option<u64>,
        memory: Option<u64>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<VisitedStates> {
        let limits = limits_of(seconds, None, memory)?;
        let options = Options {
            states,
            stop_at_failure,
            stop_at_deadlock,
            keep_finals,
            reduced,
            symmetric,
            jobs,
            round: round_size,
            bitstate,
            disk,
            recent,
            ..Options::default()
        };
        let visited = run_keeping(py, progress.map(Bound::unbind).as_ref(), |stop| {
            let system = System::new(Arc::clone(&self.program));
            safety::explore(system, options, &mut Watch::new(stop, limits))
        })?;
        Ok(VisitedStates { visited: Mutex::new(visited) })
    }

    /// Why these threads cannot be exchanged when the errors of the program and what an automaton reads, in the form of
    /// `claim_form`, are asked about: a thread, its edge, and what distinguishes it. None if they can be exchanged.
    #[pyo3(signature = (threads, automata))]
    #[expect(clippy::needless_pass_by_value, reason = "Python hands it over")]
    fn distinction(
        &self,
        threads: Vec<usize>,
        automata: Vec<Vec<u8>>,
    ) -> PyResult<Option<(usize, Option<usize>, &'static str)>> {
        if threads.is_empty() || threads.iter().any(|&thread| thread >= self.program.threads.len()) {
            return Err(PyValueError::new_err("there is no such thread"));
        }
        let mut predicates = self.program.errors.clone();
        for form in automata {
            let automaton = Automaton::decode(&words_of(&form)?, self.program.predicates.len())
                .map_err(|error| to_py(&error))?;
            predicates.extend(&automaton.predicates);
        }
        let found = symmetry::distinction(&self.program, &threads, &predicates);
        Ok(found.map(|found| (found.thread, found.edge, found.why)))
    }

    /// Looks for a fair run that the automaton, in the form of `claim_form` in `engines/states`, accepts, with `jobs` threads;
    /// `round_size` states at a time, for tests of these. It may be `reduced` if repeating states makes no difference to it.
    #[pyo3(signature = (
        automaton, *, fair_buffers=false, fair_processes=false, shortest=false, reduced=false, symmetric=false, jobs=1,
        round_size=None, seconds=None, states=None, memory=None, progress=None
    ))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "keyword-only on the Python side"
    )]
    fn find_run(
        &self,
        py: Python<'_>,
        automaton: &[u8],
        fair_buffers: bool,
        fair_processes: bool,
        shortest: bool,
        reduced: bool,
        symmetric: bool,
        jobs: usize,
        round_size: Option<u32>,
        seconds: Option<f64>,
        states: Option<u64>,
        memory: Option<u64>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<RunAnswer> {
        let form = words_of(automaton)?;
        let automaton =
            Automaton::decode(&form, self.program.predicates.len()).map_err(|error| to_py(&error))?;
        let limits = limits_of(seconds, None, memory)?;
        let fair = Fair { buffers: fair_buffers, processes: fair_processes };
        let options =
            Options { states, shortest, reduced, symmetric, jobs, round: round_size, ..Options::default() };
        let answer = run_keeping(py, progress.map(Bound::unbind).as_ref(), |stop| {
            let system = System::new(Arc::clone(&self.program));
            runs::find(system, &automaton, fair, options, &mut Watch::new(stop, limits))
        })?;
        Ok(RunAnswer { answer })
    }
}

/// What a visit to all states found. States are named by their numbers.
#[pyclass(frozen, module = "membar._core")]
pub(crate) struct VisitedStates {
    visited: Mutex<Exploration>,
}

impl VisitedStates {
    fn with<T>(&self, what: impl FnOnce(&mut Exploration) -> T) -> T {
        what(&mut self.visited.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl VisitedStates {
    /// How many there are.
    #[getter]
    fn states(&self) -> u64 {
        self.with(|visited| visited.found.states)
    }

    /// Groups of threads up to whose exchange states were counted.
    #[getter]
    fn symmetric(&self) -> Vec<Vec<usize>> {
        self.with(|visited| visited.symmetric())
    }

    /// Moves that were followed.
    #[getter]
    fn transitions(&self) -> u64 {
        self.with(|visited| visited.found.transitions)
    }

    /// With states on disk, at most how many bytes were there.
    #[getter]
    fn disk(&self) -> Option<u64> {
        self.with(|visited| visited.found.disk)
    }

    /// About how many states a bit-state search left out because others have the same bits.
    #[getter]
    fn omitted(&self) -> Option<f64> {
        self.with(|visited| visited.found.omitted)
    }

    /// States in which nothing moves because an assumption fails.
    #[getter]
    fn blocked(&self) -> u64 {
        self.with(|visited| visited.found.blocked)
    }

    /// Whether the bound held a store back.
    #[getter]
    fn held(&self) -> bool {
        self.with(|visited| visited.found.held)
    }

    /// A thread and its edge whose stores do not fit into an empty buffer, so that it is never taken.
    #[getter]
    fn unfit(&self) -> Option<(usize, u32)> {
        self.with(|visited| visited.found.unfit.map(|(thread, edge)| (thread, edge.0)))
    }

    /// Bytes held by states.
    #[getter]
    fn bytes(&self) -> u64 {
        self.with(|visited| visited.found.bytes)
    }

    /// The state before an assertion that fails, and which of its moves that is.
    #[getter]
    fn failure(&self) -> Option<(u32, usize)> {
        self.with(|visited| visited.found.failure)
    }

    /// Per kind of error state the first one, if any.
    #[getter]
    fn errors(&self) -> Vec<Option<u32>> {
        self.with(|visited| visited.found.errors.clone())
    }

    /// The first deadlock.
    #[getter]
    fn deadlock(&self) -> Option<u32> {
        self.with(|visited| visited.found.deadlock)
    }

    /// Whether a run ends: with all threads, or where each may stay.
    #[getter]
    fn run_ends(&self) -> bool {
        self.with(|visited| visited.found.run_ends)
    }

    /// The first state with an access that hits no location.
    #[getter]
    fn fault(&self) -> Option<u32> {
        self.with(|visited| visited.found.fault.map(|fault| fault.0))
    }

    /// What final states show.
    #[getter]
    fn endings(&self) -> Vec<Ending> {
        self.with(|visited| {
            let endings = visited.found.endings.iter();
            let ending = |(values, ending): (&Vec<u64>, &findings::Ending)| Ending {
                values: values.clone(),
                count: ending.count,
                first: ending.first,
            };
            endings.map(ending).collect()
        })
    }

    /// All final states, if they were asked for.
    #[getter]
    fn finals(&self) -> Vec<u32> {
        self.with(|visited| visited.found.finals.clone())
    }

    /// Why it did not end, if it did not.
    #[getter]
    fn stopped(&self) -> Option<&'static str> {
        self.with(|visited| visited.found.stopped.map(Stopped::word))
    }

    /// A shortest run to a state, and one of the moves possible there.
    #[pyo3(signature = (state, last=None))]
    fn run_to(&self, state: u32, last: Option<usize>) -> PyResult<Vec<Step>> {
        self.with(|visited| {
            let run = visited.run_to(state, last).map_err(|error| to_py(&error))?;
            Ok(run.iter().map(Step::from).collect())
        })
    }
}

/// What a search for an accepted run found.
#[pyclass(frozen, module = "membar._core")]
pub(crate) struct RunAnswer {
    answer: Answer,
}

#[pymethods]
impl RunAnswer {
    /// Groups of threads up to whose exchange states were counted.
    #[getter]
    fn symmetric(&self) -> Vec<Vec<usize>> {
        self.answer.symmetric.clone()
    }

    /// An accepted run, if there is one; its cycle is empty where the way in is wrong as it is.
    #[getter]
    fn lasso(&self) -> Option<Lasso> {
        let steps =
            |steps: &[Option<RunStep>]| steps.iter().map(|step| step.as_ref().map(Step::from)).collect();
        let lasso = self.answer.lasso.as_ref()?;
        Some(Lasso { prefix: steps(&lasso.prefix), cycle: steps(&lasso.cycle) })
    }

    /// Whether an access hit no location: then nothing else was looked for.
    #[getter]
    fn fault(&self) -> bool {
        self.answer.fault
    }

    /// Whether an assertion failed, which ends a run, where the automaton might still have accepted it.
    #[getter]
    fn failed(&self) -> bool {
        self.answer.failed
    }

    /// Whether a run may stay inside an atomic block forever, where the automaton does not see it.
    #[getter]
    fn unseen(&self) -> bool {
        self.answer.unseen
    }

    /// States of the product that were met.
    #[getter]
    fn states(&self) -> u64 {
        self.answer.states
    }

    /// Steps of the product that were followed.
    #[getter]
    fn transitions(&self) -> u64 {
        self.answer.transitions
    }

    /// Whether the bound held a store back.
    #[getter]
    fn held(&self) -> bool {
        self.answer.held
    }

    /// A thread and its edge whose stores do not fit into an empty buffer, so that it is never taken.
    #[getter]
    fn unfit(&self) -> Option<(usize, u32)> {
        self.answer.unfit.map(|(thread, edge)| (thread, edge.0))
    }

    /// Bytes held by states.
    #[getter]
    fn bytes(&self) -> u64 {
        self.answer.bytes
    }

    /// Why it did not end, if it did not.
    #[getter]
    fn stopped(&self) -> Option<&'static str> {
        self.answer.stopped.map(Stopped::word)
    }
}
