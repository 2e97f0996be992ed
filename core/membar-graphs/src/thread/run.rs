//! A run of one thread in progress.

use std::sync::Arc;

use crate::thread::skeleton::{Event, Kind, Skeleton, SpawnOrJoin};
use crate::waiting::{Control, Effects, Visit};
use membar_ir::bits::SmallSet;
use membar_ir::expr::{Expr, Register};
use membar_ir::origins::Origins;
use membar_ir::program::{CellId, EdgeId, TagSet, ThreadId};
use membar_ir::words::narrow;

/// What a run must choose next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Nothing: it ended.
    Ended,
    /// The value of a read of this cell.
    Read(CellId),
    /// One of these words.
    OneOf(Vec<u64>),
}

/// What to do with the answer, or before the next question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    /// Choose an edge at the control point.
    Point(u32),
    /// Take the edge that is answered.
    Take,
    /// Go on with an operation of the edge.
    Operation,
    /// The operation has asked and gets its answer.
    Answered,
}

/// A run in progress. Cloned where it has several ways to go on.
#[derive(Debug, Clone)]
pub struct Run {
    /// What models can see.
    pub skeleton: Skeleton,
    /// The value of each event; 0 for fences.
    pub values: Vec<u64>,
    /// Current values.
    pub registers: Vec<u64>,
    /// Which registers have been given a value.
    pub defined: SmallSet,
    /// What determines the run.
    pub choices: Vec<u64>,
    /// Whether it waits for something that cannot race.
    pub(crate) may_wait_last: bool,
    pub(super) origins: Vec<Origins>,
    pub(super) control: Control,
    pub(super) iterations: Vec<Iterations>,
    pub(super) open: Vec<(CellId, u32)>,
    pub(super) effects: Effects,
    pub(super) written_back: Option<WrittenBack>,
    pub(super) visits: Vec<Option<Arc<Visit>>>,
    pub(super) edge: EdgeId,
    pub(super) operation: u32,
    pub(super) step: u32,
    pub(super) resume: Resume,
}

impl Run {
    /// Where it stands when it has asked for a value or waits for a thread: the edge, and the operation that asks.
    #[must_use]
    pub fn place(&self) -> (EdgeId, u32) {
        (self.edge, self.operation)
    }

    /// The run, now that it has ended; `same`: its skeleton, if it is known from another run.
    pub(crate) fn finish(self, same: Option<&Arc<Skeleton>>) -> ThreadRun {
        ThreadRun {
            skeleton: same.map_or_else(|| Arc::new(self.skeleton), Arc::clone),
            values: self.values.into(),
            registers: self.registers.into(),
            defined: self.defined,
            choices: self.choices.into(),
        }
    }

    pub(super) fn event(&mut self, kind: Kind, cell: Option<CellId>, value: u64, tags: TagSet) -> usize {
        self.skeleton.events.push(Event {
            kind,
            cell,
            tags,
            step: self.step,
            edge: self.edge,
            address: Origins::default(),
            data: Origins::default(),
            control: self.control.reads(),
        });
        self.values.push(value);
        self.values.len() - 1
    }

    /// The reads that `expr` depends on, `without` one register.
    pub(super) fn origins_of(&self, expr: &Expr, without: Option<Register>) -> Origins {
        expr.origins(&self.origins, &self.registers, without)
    }

    pub(super) fn set(&mut self, register: Register, value: u64, origins: Origins) {
        self.registers[register.index()] = value;
        self.origins[register.index()] = origins;
        self.defined.insert(register.index());
    }

    pub(super) fn spawn_or_join(&mut self, thread: ThreadId, is_spawn: bool) {
        self.effects.actions += 1;
        self.skeleton.spawns_and_joins.push(SpawnOrJoin {
            position: narrow(self.values.len()),
            thread,
            is_spawn,
        });
    }

    pub(super) fn open_exclusive(&mut self, cell: CellId, read: usize) {
        // Loads of one instruction stay open together; an earlier one is forgotten.
        let step = self.step;
        if self.open.iter().any(|&(_, other)| self.skeleton.events[other as usize].step != step) {
            self.open.clear();
        }
        self.open.retain(|(other, _)| *other != cell);
        self.open.push((cell, narrow(read)));
    }

    /// Takes the event `write` and what follows it away: it is the write of the last atomic operation.
    pub(super) fn take_back(&mut self, write: usize) {
        self.skeleton.events.truncate(write);
        self.values.truncate(write);
        self.skeleton.atomic.retain(|pair| (pair.1 as usize) < write);
    }

    /// Read and write of one step are one instruction; else a load-linked and its store.
    pub(super) fn close(&mut self, read: u32, write: usize) {
        let same = self.skeleton.events[read as usize].step == self.skeleton.events[write].step;
        let pair = (read, narrow(write));
        if same {
            self.skeleton.atomic.push(pair);
        } else {
            self.skeleton.exclusive.push(pair);
        }
    }
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadRun {
    /// What models can see, shared by runs that differ only in values.
    pub skeleton: Arc<Skeleton>,
    /// The value of each event; 0 for fences.
    pub values: Box<[u64]>,
    /// Last values of the registers.
    pub registers: Box<[u64]>,
    /// Which registers have been given a value.
    pub defined: SmallSet,
    /// What determines the run.
    pub choices: Box<[u64]>,
}

impl ThreadRun {
    /// The same run of a thread whose registers, and the threads that it starts and joins, have other names.
    pub(crate) fn rename(&self, registers: &[usize], thread: impl Fn(ThreadId) -> ThreadId) -> Self {
        let mut skeleton = (*self.skeleton).clone();
        for step in &mut skeleton.spawns_and_joins {
            step.thread = thread(step.thread);
        }
        skeleton.waits_for = skeleton.waits_for.map(thread);
        let mut renamed = Self { skeleton: Arc::new(skeleton), defined: SmallSet::default(), ..self.clone() };
        renamed.registers = vec![0; registers.iter().max().map_or(0, |&last| last + 1)].into();
        for number in self.defined.iter() {
            renamed.registers[registers[number]] = self.registers[number];
            renamed.defined.insert(registers[number]);
        }
        renamed
    }
}

/// The last write of an atomic operation that left its location as it was.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenBack {
    /// Its position among the events.
    pub(super) write: usize,
    /// How much was answered up to then: the answer before it was the read of the same operation.
    pub(super) choices: usize,
}

/// How often a back edge was taken. An iteration is local if nothing was chosen and no event happened since the last one:
/// such loops only compute, and the bound does not count them; but they may do so forever.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Iterations {
    pub(super) counted: u32,
    pub(super) local: u32,
    /// Choices and events up to the last iteration.
    pub(super) seen: usize,
}
