//! Values that searches hand over to Python: plain data with names.

use std::borrow::Cow;

use membar_cat::plan::Primitive;
use membar_graphs::execution::{self, Pairs, Rows};
use membar_graphs::thread::{Kind, Status};
use membar_ir::program::EdgeId;
use membar_states::goals::{self, NOWHERE};
use membar_states::safety::RunStep;
use pyo3::prelude::*;

/// Rows of bits.
type Bytes = Cow<'static, [u8]>;

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

impl From<&execution::Event> for Event {
    fn from(event: &execution::Event) -> Self {
        let kind = match event.kind {
            Kind::Read => 'R',
            Kind::Write => 'W',
            Kind::Fence => 'F',
        };
        let &execution::Event { thread, cell, value, tags, step, edge, .. } = event;
        Self { thread, kind, cell, value, tags, step, edge }
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

impl From<&execution::ThreadRun> for ThreadRun {
    fn from(run: &execution::ThreadRun) -> Self {
        let status = match run.status {
            Status::Complete => "complete",
            Status::Blocked => "blocked",
            Status::Waiting => "waiting",
            Status::Suspended => "suspended",
            Status::Cut => "cut",
            Status::Failed => "failed",
            Status::Fault => "fault",
            Status::Unborn => "unborn",
        };
        Self { status, end: run.end, registers: run.registers.clone(), choices: run.choices.clone() }
    }
}

/// A whole execution; relations are rows of bits, empty for the empty relation.
#[pyclass(frozen, eq, skip_from_py_object, module = "membar._core")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Execution(execution::Execution);

impl From<execution::Execution> for Execution {
    fn from(execution: execution::Execution) -> Self {
        Self(execution)
    }
}

#[pymethods]
impl Execution {
    /// Initial writes, then the events of each thread in program order.
    #[getter]
    fn events(&self) -> Vec<Event> {
        self.0.events.iter().map(Event::from).collect()
    }

    /// How each thread ran.
    #[getter]
    fn threads(&self) -> Vec<ThreadRun> {
        self.0.threads.iter().map(ThreadRun::from).collect()
    }

    /// Reads-from: write and read.
    #[getter]
    fn rf(&self) -> Pairs {
        self.0.rf.clone()
    }

    /// Per location its writes in coherence order.
    #[getter]
    fn co(&self) -> Vec<Vec<usize>> {
        self.0.co.clone()
    }

    /// Program order.
    #[getter]
    fn po(&self) -> Bytes {
        self.rows(Primitive::ProgramOrder)
    }

    /// Address dependencies.
    #[getter]
    fn addr(&self) -> Bytes {
        self.rows(Primitive::Address)
    }

    /// Data dependencies.
    #[getter]
    fn data(&self) -> Bytes {
        self.rows(Primitive::Data)
    }

    /// Control dependencies.
    #[getter]
    fn ctrl(&self) -> Bytes {
        self.rows(Primitive::Control)
    }

    /// Read and write of one instruction.
    #[getter]
    fn amo(&self) -> Bytes {
        self.rows(Primitive::Atomic)
    }

    /// Load-linked and store-conditional.
    #[getter]
    fn lxsx(&self) -> Bytes {
        self.rows(Primitive::Exclusive)
    }

    /// Starts and ends of threads.
    #[getter]
    fn spawn_join(&self) -> Bytes {
        self.rows(Primitive::SpawnJoin)
    }

    /// Address dependencies through the condition of a selection.
    #[getter]
    fn pick_addr(&self) -> Bytes {
        self.rows(Primitive::PickAddress)
    }

    /// Data dependencies through the condition of a selection.
    #[getter]
    fn pick_data(&self) -> Bytes {
        self.rows(Primitive::PickData)
    }

    /// Control dependencies through the condition of a selection.
    #[getter]
    fn pick_ctrl(&self) -> Bytes {
        self.rows(Primitive::PickControl)
    }

    /// The execution in which each thread plays the part of thread `parts[thread]`, whose registers become those in
    /// `registers[thread]`.
    #[expect(clippy::needless_pass_by_value, reason = "Python hands over lists")]
    fn exchanged(&self, parts: Vec<usize>, registers: Vec<Vec<usize>>) -> Self {
        Self(self.0.exchanged(&parts, &registers))
    }
}

impl Execution {
    fn rows(&self, relation: Primitive) -> Bytes {
        Cow::Owned(self.0.relation(relation).map(Rows::bytes).unwrap_or_default())
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

/// A run that goes on for ever: a way in and a cycle; None stands for the program having ended.
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
