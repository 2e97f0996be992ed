//! The Python face of the core: convert in, detach, convert out, map errors. No algorithm lives here.

mod buffers;
mod cube_values;
mod cubes;
mod detached;
mod findings;
mod states;
mod values;

use std::sync::OnceLock;
use std::time::Duration;

use membar_cat::plan::{self, Slot, Sort};
use membar_cat::schedule::Schedule;
use membar_graphs::enumeration;
use membar_graphs::stateless;
use membar_graphs::stateless::classes;
use membar_graphs::stateless::{Symmetry, Verification};
use membar_ir::error::CoreError;
use membar_ir::expr::Expr;
use membar_ir::limits::Limits;
use membar_ir::program::{CellId, Program};
use membar_ir::words::Words;
use pyo3::exceptions::{PyOSError, PyOverflowError, PyValueError};
use pyo3::prelude::*;

use crate::detached::run_keeping;
use crate::findings::Findings;

/// The one place where errors of the core become Python's.
fn to_py(error: &CoreError) -> PyErr {
    match error {
        CoreError::TooLarge(_) | CoreError::Unsupported(_) => PyOverflowError::new_err(error.to_string()),
        CoreError::Disk(_) => PyOSError::new_err(error.to_string()),
        CoreError::Malformed { .. } => PyValueError::new_err(error.to_string()),
    }
}

/// A form as words: eight bytes each, lowest first.
fn words_of(form: &[u8]) -> PyResult<Vec<u64>> {
    let (chunks, rest) = form.as_chunks::<8>();
    if rest.is_empty() {
        Ok(chunks.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
    } else {
        Err(PyValueError::new_err("a compact form is made of whole words"))
    }
}

/// A memory model; it outlives many searches, and has a schedule for each kind of search that was asked for.
#[pyclass(frozen, module = "membar._core")]
struct Plan {
    model: plan::Plan,
    pruning: OnceLock<Schedule>,
    forced: OnceLock<Schedule>,
    unpruned: OnceLock<Schedule>,
    graphs: OnceLock<Schedule>,
}

#[pymethods]
impl Plan {
    #[new]
    fn new(form: &[u8]) -> PyResult<Self> {
        let model = plan::Plan::decode(&words_of(form)?).map_err(|error| to_py(&error))?;
        let [pruning, forced, unpruned, graphs] = [const { OnceLock::new() }; 4];
        Ok(Self { model, pruning, forced, unpruned, graphs })
    }

    /// Every consistent execution of a program, each back edge taken at most `bound` times. `guesses`: cells with
    /// values that a read may return although nobody is known to write them. `steps`: how much work it may be.
    #[pyo3(signature = (
        program, *, bound, guesses=None, seconds=None, executions=None, memory=None, steps=None, keep_all=false,
        prune=true, progress=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only on the Python side")]
    fn search(
        &self,
        py: Python<'_>,
        program: &[u8],
        bound: u32,
        guesses: Option<Vec<(u32, u64)>>,
        seconds: Option<f64>,
        executions: Option<u64>,
        memory: Option<u64>,
        steps: Option<u64>,
        keep_all: bool,
        prune: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Findings> {
        let mut program = self.decode(program)?;
        for (cell, value) in guesses.unwrap_or_default() {
            if cell as usize >= program.cells.len() {
                return Err(PyValueError::new_err("there is no such cell"));
            }
            program.guesses.push((CellId(cell), value));
        }
        let limits = Limits { steps, ..limits_of(seconds, executions, memory)? };
        let options = enumeration::Options { bound, limits, keep_all };
        let schedule = if prune {
            self.forced.get_or_init(|| Schedule::of_forced(&self.model))
        } else {
            self.unpruned.get_or_init(|| Schedule::new(&self.model, false))
        };
        let found = run_keeping(py, progress.map(Bound::unbind).as_ref(), |stop| {
            enumeration::search(&program, &self.model, schedule, options, stop)
        })?;
        Ok(Findings::new(program, found, Verification::default()))
    }

    /// As `search`, by the exactly-once search: only for models that have the properties it needs. With `order`, the
    /// slot of what the model orders inside threads, by its dependency-aware variant, for programs that it is for.
    /// `symmetric`: groups of interchangeable threads, and whether the model has a global order
    /// (`stateless::Symmetry`); not with `order`. `relation_ends`: slots of relations; where they end is told. `verify` is for tests: count what must not happen.
    #[pyo3(signature = (
        program, *, bound, order=None, seconds=None, executions=None, memory=None, keep_all=false,
        stop_at_failure=false, jobs=1, in_place=false, progress=None, symmetric=None, relation_ends=None,
        verify=false
    ))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "keyword-only on the Python side"
    )]
    fn search_exactly_once(
        &self,
        py: Python<'_>,
        program: &[u8],
        bound: u32,
        order: Option<u32>,
        seconds: Option<f64>,
        executions: Option<u64>,
        memory: Option<u64>,
        keep_all: bool,
        stop_at_failure: bool,
        jobs: usize,
        in_place: bool,
        progress: Option<Bound<'_, PyAny>>,
        symmetric: Option<(Vec<Vec<usize>>, bool)>,
        relation_ends: Option<[u32; 3]>,
        verify: bool,
    ) -> PyResult<Findings> {
        let program = self.decode(program)?;
        let limits = limits_of(seconds, executions, memory)?;
        let relation_ends = match relation_ends {
            None => None,
            Some([a, b, c]) => Some([self.order_of(a)?, self.order_of(b)?, self.order_of(c)?]),
        };
        let order = order.map(|slot| self.order_of(slot)).transpose()?;
        let schedule = if order.is_some() {
            self.graphs.get_or_init(|| Schedule::of_graphs(&self.model))
        } else {
            self.pruning_schedule()
        };
        let options = stateless::Options {
            bound,
            limits,
            keep_all,
            stop_at_failure,
            jobs,
            in_place,
            order,
            relation_ends,
            verify,
        };
        let (groups, is_global) = symmetric.unwrap_or_default();
        let symmetry = Symmetry { groups, is_global };
        let (found, verification) = run_keeping(py, progress.map(Bound::unbind).as_ref(), |stop| {
            stateless::search(&program, &self.model, schedule, options, &symmetry, stop)
        })?;
        Ok(Findings::new(program, found, verification))
    }

    /// As `search_exactly_once`, but executions that differ only in coherence are one, and counted as one; the last
    /// write of a location tells them apart only where final states show the location. `verify` is for tests:
    /// count classes.
    #[pyo3(signature = (
        program, *, bound, seconds=None, executions=None, memory=None, keep_all=false, stop_at_failure=false,
        progress=None, verify=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only on the Python side")]
    fn search_classes(
        &self,
        py: Python<'_>,
        program: &[u8],
        bound: u32,
        seconds: Option<f64>,
        executions: Option<u64>,
        memory: Option<u64>,
        keep_all: bool,
        stop_at_failure: bool,
        progress: Option<Bound<'_, PyAny>>,
        verify: bool,
    ) -> PyResult<Findings> {
        let program = self.decode(program)?;
        let limits = limits_of(seconds, executions, memory)?;
        let options = classes::Options { bound, limits, keep_all, stop_at_failure, verify };
        let (found, verification) = run_keeping(py, progress.map(Bound::unbind).as_ref(), |stop| {
            classes::search(&program, &self.model, self.pruning_schedule(), options, stop)
        })?;
        Ok(Findings::new(program, found, verification))
    }
}

impl Plan {
    fn decode(&self, program: &[u8]) -> PyResult<Program> {
        Program::decode(&words_of(program)?, self.model.tags).map_err(|error| to_py(&error))
    }

    fn pruning_schedule(&self) -> &Schedule {
        self.pruning.get_or_init(|| Schedule::new(&self.model, true))
    }

    /// The slot of an order inside threads.
    fn order_of(&self, slot: u32) -> PyResult<Slot> {
        match self.model.instructions.get(slot as usize) {
            Some(instruction) if instruction.sort == Sort::Relation => Ok(Slot(slot)),
            _ => Err(PyValueError::new_err("there is no such relation")),
        }
    }
}

fn limits_of(seconds: Option<f64>, executions: Option<u64>, memory: Option<u64>) -> PyResult<Limits> {
    let time = match seconds.map(Duration::try_from_secs_f64) {
        None => None,
        Some(Ok(time)) => Some(time),
        Some(Err(error)) => return Err(PyValueError::new_err(error.to_string())),
    };
    Ok(Limits { time, executions, bytes: memory, ..Limits::default() })
}

/// The value of an expression in its compact form, for tests.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python hands over a list")]
fn evaluate(form: &[u8], registers: Vec<u64>) -> PyResult<u64> {
    let form = words_of(form)?;
    let mut words = Words::new(&form);
    let decoded = Expr::decode(&mut words, registers.len()).and_then(|expr| words.end().map(|()| expr));
    let expr = decoded.map_err(|error| to_py(&error))?;
    Ok(expr.evaluate(&registers, &mut Vec::new()))
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Plan>()?;
    module.add_class::<Findings>()?;
    module.add_class::<buffers::StoreBuffers>()?;
    module.add_class::<buffers::BufferFindings>()?;
    module.add_class::<cubes::CubeSystem>()?;
    module.add_class::<cubes::CubeFindings>()?;
    module.add_class::<cube_values::Cube>()?;
    module.add_class::<cube_values::CubeComparison>()?;
    module.add_class::<cube_values::CubeEvents>()?;
    module.add_class::<cube_values::CubePlace>()?;
    module.add_class::<cube_values::CubeSum>()?;
    module.add_class::<cube_values::CubeTrace>()?;
    module.add_class::<states::StateSpace>()?;
    module.add_class::<states::VisitedStates>()?;
    module.add_class::<states::RunAnswer>()?;
    module.add_class::<values::Cycle>()?;
    module.add_class::<values::Ending>()?;
    module.add_class::<values::Event>()?;
    module.add_class::<values::Execution>()?;
    module.add_class::<values::Goal>()?;
    module.add_class::<values::Lasso>()?;
    module.add_class::<values::Partner>()?;
    module.add_class::<values::Step>()?;
    module.add_class::<values::ThreadRun>()?;
    module.add_class::<values::UnboundedState>()?;
    module.add_function(wrap_pyfunction!(evaluate, module)?)
}
