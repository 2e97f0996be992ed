//! Searches with store buffers, as Python sees them.

use membar_buffers::bounded::Bounded;
use membar_buffers::buffer_kinds::Discipline;
use membar_buffers::forward::{self, Reductions};
use membar_buffers::load_buffers;
use membar_buffers::question::{self, Question};
use membar_buffers::run::{Act, Move};
use membar_buffers::system::System;
use membar_ir::expr::Expr;
use membar_ir::limits::{Limits, Stopped, Watch};
use membar_ir::program::Program;
use membar_ir::words::Words;
use membar_states::goals;
use membar_step::store_buffers::TAGS;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

use crate::detached::run_detached;
use crate::values::{Cycle, Goal, Step, UnboundedState, points_of};
use crate::{limits_of, to_py, words_of};

/// A program and a question about its states.
#[pyclass(frozen, module = "membar._core")]
pub(crate) struct StoreBuffers {
    program: Program,
    bounded: Bounded,
    question: Question,
    discipline: Discipline,
    /// Per thread, the control points that hold others up.
    committed: Vec<Vec<u32>>,
}

#[pymethods]
impl StoreBuffers {
    /// Reads a program; what its tags mean stands in `store_buffers.rs`.
    ///
    /// `ends` and `committed` have control points per thread, `asserts` threads with edges. `explicit` is the same program
    /// for the explicit-state search: with channels, and with error states as predicates.
    #[new]
    #[pyo3(signature = (
        program, *, explicit, discipline, places=None, predicates=None, looks=None, deadlocks=false, ends=None,
        asserts=None, committed=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        program: &[u8],
        explicit: &[u8],
        discipline: &str,
        places: Option<Vec<Vec<(u32, u32)>>>,
        predicates: Option<Vec<Vec<u8>>>,
        looks: Option<Vec<(u32, Vec<u32>)>>,
        deadlocks: bool,
        ends: Option<Vec<Vec<u32>>>,
        asserts: Option<Vec<(u32, u32)>>,
        committed: Option<Vec<Vec<u32>>>,
    ) -> PyResult<Self> {
        let decoded = |form: &[u8]| Program::decode(&words_of(form)?, TAGS).map_err(|error| to_py(&error));
        let (program, explicit) = (decoded(program)?, decoded(explicit)?);
        let discipline = match discipline {
            "sc" => Discipline::Sc,
            "tso" => Discipline::Tso,
            "pso" => Discipline::Pso,
            "marked" => Discipline::Marked,
            _ => return Err(PyValueError::new_err("there is no such discipline")),
        };
        let places = places.unwrap_or_default();
        let looks = looks.unwrap_or_default();
        let mut named = places.iter().flatten().map(|place| place.0).chain(looks.iter().map(|look| look.0));
        if named.any(|thread| thread as usize >= program.threads.len()) {
            return Err(PyValueError::new_err("there is no such thread"));
        }
        let mut errors = Vec::new();
        for form in predicates.unwrap_or_default() {
            let form = words_of(&form)?;
            let mut words = Words::new(&form);
            let known = program.terms.len() + looks.len();
            let predicate = Expr::decode(&mut words, known).and_then(|expr| words.end().map(|()| expr));
            errors.push(predicate.map_err(|error| to_py(&error))?);
        }
        Ok(Self {
            program,
            bounded: Bounded::new(explicit, discipline),
            question: Question {
                places,
                predicates: errors,
                looks,
                deadlocks,
                ends: ends.unwrap_or_default(),
                asserts: asserts.map(|asserts| asserts.into_iter().collect()),
            },
            discipline,
            committed: committed.unwrap_or_default(),
        })
    }

    /// Depth-first search of sets of buffer contents.
    #[pyo3(signature = (
        *, sleep=true, acceleration=true, only_first=false, seconds=None, states=None, memory=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn forward(
        &self,
        py: Python<'_>,
        sleep: bool,
        acceleration: bool,
        only_first: bool,
        seconds: Option<f64>,
        states: Option<u64>,
        memory: Option<u64>,
    ) -> PyResult<BufferFindings> {
        let limits = Limits { states, ..limits_of(seconds, None, memory)? };
        run_detached(py, None, |stop| {
            let mut watch = Watch::new(stop, limits);
            let mut system = System::new(&self.program, &self.committed)?;
            let reductions = Reductions { sleep, acceleration, only_first };
            let found =
                forward::search(&mut system, &self.question, self.discipline, reductions, &mut watch)?;
            Ok(BufferFindings { found })
        })
    }

    /// Backward reachability in the load-buffer semantics of tso, for each failure and error place.
    #[pyo3(signature = (*, seconds=None, states=None, memory=None))]
    fn backward(
        &self,
        py: Python<'_>,
        seconds: Option<f64>,
        states: Option<u64>,
        memory: Option<u64>,
    ) -> PyResult<BufferFindings> {
        if self.discipline != Discipline::Tso {
            return Err(PyOverflowError::new_err("backwards, store buffers are those of tso"));
        }
        let limits = Limits { states, ..limits_of(seconds, None, memory)? };
        run_detached(py, None, |stop| {
            let mut watch = Watch::new(stop, limits);
            let mut system = System::new(&self.program, &self.committed)?;
            let found = load_buffers::search(&mut system, &self.question, &mut watch)?;
            Ok(BufferFindings { found })
        })
    }

    /// Every state with at most `bound` entries in a buffer.
    #[pyo3(signature = (*, bound, only_first=false, seconds=None, states=None, memory=None))]
    fn bounded(
        &self,
        py: Python<'_>,
        bound: usize,
        only_first: bool,
        seconds: Option<f64>,
        states: Option<u64>,
        memory: Option<u64>,
    ) -> PyResult<BufferFindings> {
        let limits = Limits { states, ..limits_of(seconds, None, memory)? };
        run_detached(py, None, |stop| {
            // What the other searches refuse is refused here too.
            System::new(&self.program, &self.committed)?;
            let found = self.bounded.explore(&self.question, bound, only_first, limits, stop)?;
            Ok(BufferFindings { found })
        })
    }

    /// A run to one of the goals that a search found, with buffers as small as possible.
    #[pyo3(signature = (goal, *, largest=None, seconds=None, states=None, memory=None))]
    fn run_to(
        &self,
        py: Python<'_>,
        goal: &Goal,
        largest: Option<usize>,
        seconds: Option<f64>,
        states: Option<u64>,
        memory: Option<u64>,
    ) -> PyResult<Option<Vec<Step>>> {
        let goal = goals::Goal::from(goal);
        let limits = Limits { states, ..limits_of(seconds, None, memory)? };
        let run = run_detached(py, None, |stop| {
            self.bounded.run_to(&goal, largest.unwrap_or(usize::MAX), limits, stop)
        })?;
        Ok(run.map(|run| run.iter().map(Step::from).collect()))
    }
}

/// What a search with store buffers found.
#[pyclass(frozen, module = "membar._core")]
pub(crate) struct BufferFindings {
    found: question::Findings,
}

#[pymethods]
impl BufferFindings {
    /// Everything found.
    #[getter]
    fn goals(&self) -> Vec<Goal> {
        self.found.goals.iter().map(Goal::from).collect()
    }

    /// A run to one of the goals, one content per buffer, where the search read one off its states.
    fn run_to(&self, goal: &Goal) -> Option<Vec<Step>> {
        let run = self.found.runs.get(&goals::Goal::from(goal))?;
        Some(run.iter().map(Step::from).collect())
    }

    /// States that were kept.
    #[getter]
    fn stored(&self) -> u64 {
        self.found.stored
    }

    /// States that were met.
    #[getter]
    fn visited(&self) -> u64 {
        self.found.visited
    }

    /// Transitions that were followed.
    #[getter]
    fn transitions(&self) -> u64 {
        self.found.transitions
    }

    /// The longest path of a depth-first search.
    #[getter]
    fn depth(&self) -> u64 {
        self.found.depth
    }

    /// States kept that are errors, and failures of assertions met.
    #[getter]
    fn error_states(&self) -> u64 {
        self.found.error_states
    }

    /// Whether a bound held a store back.
    #[getter]
    fn held(&self) -> bool {
        self.found.held
    }

    /// Whether a search that goes backwards reached what the program reaches, and not more.
    #[getter]
    fn is_exact(&self) -> bool {
        self.found.is_exact
    }

    /// Why it did not end, if it did not.
    #[getter]
    fn stopped(&self) -> Option<&'static str> {
        self.found.stopped.map(Stopped::word)
    }

    /// The states kept with the most buffers of infinitely many contents, as far as they are few.
    #[getter]
    fn unbounded(&self) -> Vec<UnboundedState> {
        let shown = |state: &question::Unbounded| UnboundedState {
            buffers: state.buffers,
            points: points_of(&state.points),
            memory: state.memory.clone(),
            contents: state.shown.clone(),
        };
        self.found.unbounded.iter().map(shown).collect()
    }

    /// Cycles that were accelerated.
    #[getter]
    fn cycles(&self) -> Vec<Cycle> {
        let edges = |moves: &[Move]| {
            let taken = moves.iter().filter_map(|step| match &step.act {
                Act::Edge { edge, .. } => Some((step.thread, edge.0)),
                Act::Flush { .. } => None,
            });
            taken.collect()
        };
        let shown = |cycle: &question::Cycle| Cycle {
            thread: cycle.thread,
            edges: edges(&cycle.moves),
            contents: cycle.shown.clone(),
        };
        self.found.cycles.iter().map(shown).collect()
    }
}
