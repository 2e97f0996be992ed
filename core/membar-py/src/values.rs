//! Values that searches hand over to Python: plain data with names.

use std::borrow::Cow;
use std::sync::Arc;

use membar_cat::plan::Primitive;
use membar_graphs::execution;
use membar_graphs::thread::{self, Kind, Status};
use membar_ir::bits::is_empty;
use membar_ir::program::{CellId, EdgeId, Program};
use membar_states::goals::{self, NOWHERE};
use membar_states::safety::RunStep;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An event of an execution.
#[pyclass(frozen, get_all, eq, hash, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Event {
    /// Index of its thread; None for initial writes.
    thread: Option<usize>,
    /// `R`, `W` or `F`.
    kind: char,
    /// Its location; None for fences that name none.
    cell: Option<u32>,
    /// What is read or written.
    value: u64,
    /// Its tag set; None for initial writes.
    tags: Option<u32>,
    /// Which edge occurrence of its thread it belongs to.
    step: u32,
    /// The edge itself.
    edge: u32,
}

impl Event {
    fn initial(cell: CellId, value: u64) -> Self {
        Self { thread: None, kind: 'W', cell: Some(cell.0), value, tags: None, step: 0, edge: 0 }
    }

    fn new(thread: usize, event: &thread::Event, value: u64) -> Self {
        let kind = match event.kind {
            Kind::Read => 'R',
            Kind::Write => 'W',
            Kind::Fence => 'F',
        };
        let (cell, tags) = (event.cell.map(|cell| cell.0), Some(event.tags.0));
        Self { thread: Some(thread), kind, cell, value, tags, step: event.step, edge: event.edge.0 }
    }
}

/// How one thread ran in an execution.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ThreadRun {
    /// How it ended.
    status: &'static str,
    /// Where it ended early: edge and operation.
    end: Option<(u32, u32)>,
    /// Last values of the registers that have been given one.
    registers: Vec<(usize, u64)>,
    /// What determines the run.
    choices: Vec<u64>,
}

impl From<&thread::ThreadRun> for ThreadRun {
    fn from(run: &thread::ThreadRun) -> Self {
        let status = match run.skeleton.status {
            Status::Complete => "complete",
            Status::Blocked => "blocked",
            Status::Waiting => "waiting",
            Status::Suspended => "suspended",
            Status::Cut => "cut",
            Status::Failed => "failed",
            Status::Fault => "fault",
            Status::NotStarted => "unborn",
        };
        let end = run.skeleton.end.map(|(edge, operation)| (edge.0, operation));
        let registers = run.defined.iter().map(|number| (number, run.registers[number])).collect();
        Self { status, end, registers, choices: run.choices.to_vec() }
    }
}

/// A whole execution.
#[pyclass(frozen, eq, skip_from_py_object, module = "membar._core")]
pub(crate) struct Execution {
    program: Arc<Program>,
    found: execution::Execution,
}

impl PartialEq for Execution {
    fn eq(&self, other: &Self) -> bool {
        self.found == other.found
    }
}

impl Execution {
    pub(crate) fn new(program: &Arc<Program>, found: execution::Execution) -> Self {
        Self { program: Arc::clone(program), found }
    }
}

#[pymethods]
impl Execution {
    /// Initial writes, then the events of each thread in program order.
    #[getter]
    fn events(&self) -> Vec<Event> {
        let cells = self.found.co.iter().map(|(cell, _)| *cell);
        let initial = cells.map(|cell| Event::initial(cell, self.program.cells[cell.index()].initial));
        let threads = self.found.threads.iter().enumerate().flat_map(|(thread, run)| {
            let events = run.skeleton.events.iter().zip(&run.values);
            events.map(move |(event, &value)| Event::new(thread, event, value))
        });
        initial.chain(threads).collect()
    }

    /// How each thread ran.
    #[getter]
    fn threads(&self) -> Vec<ThreadRun> {
        self.found.threads.iter().map(|run| ThreadRun::from(&**run)).collect()
    }

    /// Reads-from: write and read.
    #[getter]
    fn rf(&self) -> Vec<(u32, u32)> {
        self.found.rf.clone()
    }

    /// Per accessed location its writes in coherence order.
    #[getter]
    fn co(&self) -> Vec<Vec<u32>> {
        self.found.co.iter().map(|(_, writes)| writes.clone()).collect()
    }

    /// A relation that does not depend on rf and co: per event a row of bits, the lowest byte first; nothing for the
    /// empty relation.
    fn relation(&self, name: &str) -> PyResult<Cow<'static, [u8]>> {
        let primitive = match name {
            "po" => Primitive::ProgramOrder,
            "addr" => Primitive::Address,
            "data" => Primitive::Data,
            "ctrl" => Primitive::Control,
            "amo" => Primitive::Atomic,
            "lxsx" => Primitive::Exclusive,
            "spawn_join" => Primitive::SpawnJoin,
            "pick_addr" => Primitive::PickAddress,
            "pick_data" => Primitive::PickData,
            "pick_ctrl" => Primitive::PickControl,
            _ => return Err(PyValueError::new_err("there is no such relation")),
        };
        let rows = self.found.relation(&self.program, primitive);
        let bytes = if is_empty(&rows) {
            Vec::new()
        } else {
            rows.iter().flat_map(|row| row.to_le_bytes()).collect()
        };
        Ok(Cow::Owned(bytes))
    }

    /// The execution in which each thread plays the part of thread `parts[thread]`, whose registers become those in
    /// `registers[thread]`.
    #[expect(clippy::needless_pass_by_value, reason = "Python hands over lists")]
    fn exchange_threads(&self, parts: Vec<usize>, registers: Vec<Vec<usize>>) -> PyResult<Self> {
        let threads = &self.found.threads;
        let mut sorted = parts.clone();
        sorted.sort_unstable();
        let names_all = |(&part, names): (&usize, &Vec<usize>)| names.len() >= threads[part].registers.len();
        if !sorted.into_iter().eq(0..threads.len())
            || registers.len() != parts.len()
            || !parts.iter().zip(&registers).all(names_all)
        {
            return Err(PyValueError::new_err("these threads cannot be exchanged"));
        }
        Ok(Self::new(&self.program, self.found.exchange_threads(&parts, &registers)))
    }
}

/// The receiving side of a step in which two threads meet.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Partner {
    /// Which thread.
    pub(crate) thread: usize,
    /// Along which edge.
    pub(crate) edge: u32,
    /// The values read and chosen, in order.
    pub(crate) values: Vec<u64>,
}

/// One step of a run: a thread takes an edge, or an entry of its buffer reaches memory.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// Whose.
    pub(crate) thread: usize,
    /// The edge; None for a flush.
    pub(crate) edge: Option<u32>,
    /// The values read and chosen, in order; of a flush, the cell and the value.
    pub(crate) values: Vec<u64>,
    /// The receiver, if the step is a rendezvous.
    pub(crate) partner: Option<Partner>,
}

#[pymethods]
impl Step {
    /// The same step with these values, and these of the partner.
    #[pyo3(signature = (values, partner_values=None))]
    fn showing(&self, values: Vec<u64>, partner_values: Option<Vec<u64>>) -> Self {
        let partner = self.partner.clone().map(|partner| match partner_values {
            Some(values) => Partner { values, ..partner },
            None => partner,
        });
        Self { values, partner, ..self.clone() }
    }
}

impl From<&RunStep> for Step {
    fn from(step: &RunStep) -> Self {
        let partner = step.partner.as_ref();
        let partner = partner.map(|(thread, edge, values)| Partner {
            thread: *thread,
            edge: edge.0,
            values: values.clone(),
        });
        Self { thread: step.thread, edge: step.edge.map(|edge| edge.0), values: step.values.clone(), partner }
    }
}

/// A run that goes on forever: a way in and a cycle; None stands for the program having ended.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Lasso {
    /// The way in.
    pub(crate) prefix: Vec<Option<Step>>,
    /// The cycle; empty where the way in is wrong as it is.
    pub(crate) cycle: Vec<Option<Step>>,
}

/// Final states that show the same.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The values of the terms.
    pub(crate) values: Vec<u64>,
    /// How many states show them.
    pub(crate) count: u64,
    /// The first of these.
    pub(crate) first: u32,
}

/// Something that a program with store buffers can reach.
#[pyclass(frozen, get_all, eq, hash, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Goal {
    /// `failure` of an assertion, `fault` (an access that hits no location), `ending`, `deadlock` or `error` state.
    kind: &'static str,
    /// Of a failure or fault, whose it is, and on which edge.
    thread: usize,
    edge: u32,
    /// Of an ending, the values of the terms.
    values: Vec<u64>,
    /// Of a deadlock or error state, the control point of each thread; None before it begins, or wherever it is.
    points: Vec<Option<u32>>,
}

impl From<&goals::Goal> for Goal {
    fn from(goal: &goals::Goal) -> Self {
        let of = |kind| Self { kind, thread: 0, edge: 0, values: Vec::new(), points: Vec::new() };
        match goal {
            goals::Goal::Failure { thread, edge } => Self { thread: *thread, edge: edge.0, ..of("failure") },
            goals::Goal::Fault { thread, edge } => Self { thread: *thread, edge: edge.0, ..of("fault") },
            goals::Goal::Ending(values) => Self { values: values.to_vec(), ..of("ending") },
            goals::Goal::Deadlock(points) => Self { points: points_of(points), ..of("deadlock") },
            goals::Goal::Error(points) => Self { points: points_of(points), ..of("error") },
        }
    }
}

impl From<&Goal> for goals::Goal {
    fn from(goal: &Goal) -> Self {
        let (thread, edge) = (goal.thread, EdgeId(goal.edge));
        let points = || goal.points.iter().map(|point| point.unwrap_or(NOWHERE)).collect();
        match goal.kind {
            "failure" => Self::Failure { thread, edge },
            "fault" => Self::Fault { thread, edge },
            "ending" => Self::Ending(goal.values.as_slice().into()),
            "deadlock" => Self::Deadlock(points()),
            _ => Self::Error(points()),
        }
    }
}

/// Control points of threads; None before a thread begins.
pub(crate) fn points_of(points: &[u32]) -> Vec<Option<u32>> {
    points.iter().map(|&point| (point != NOWHERE).then_some(point)).collect()
}

/// A loop that fills a buffer without bound.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Cycle {
    /// The thread whose buffer grows.
    pub(crate) thread: usize,
    /// The edges taken: thread and edge.
    pub(crate) edges: Vec<(usize, u32)>,
    /// The contents, as a regular expression over (cell,value).
    pub(crate) contents: String,
}

/// A symbolic state with buffers of infinitely many contents.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct UnboundedState {
    /// Number of such buffers.
    pub(crate) buffers: usize,
    /// The control point of each thread; None before it begins.
    pub(crate) points: Vec<Option<u32>>,
    /// What memory holds.
    pub(crate) memory: Vec<u64>,
    /// The contents of each buffer.
    pub(crate) contents: Vec<String>,
}
