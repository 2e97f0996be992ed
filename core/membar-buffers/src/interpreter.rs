//! Steps of threads: the operations of an edge, performed on the memory of a search.

use membar_ir::error::CoreError;
use membar_ir::expr::{Expr, Register};
use membar_ir::program::{CellId, Edge, EdgeId, Operation, Rmw, TagSet, ThreadId};
use membar_step::store_buffers::Waits;
use membar_step::{Access, Source, perform};

use super::system::{
    EXIT, EXITED, End, Local, LocalId, Memory, NOT_STARTED, Partner, Refusals, START, System, ThreadStep,
};

/// What becomes of all attempts at a step.
struct Attempt<'s, M> {
    refusals: Refusals,
    out: &'s mut Vec<ThreadStep<M>>,
}

/// A step in progress: a thread on an edge, with its registers, memory and answers so far.
#[derive(Clone)]
struct Progress<M> {
    thread: usize,
    edge: EdgeId,
    registers: Vec<u64>,
    values: Vec<u64>,
    memory: M,
    meeting: Stage,
}

/// How far a rendezvous is.
#[derive(Clone)]
enum Stage {
    /// There is none.
    Alone,
    /// Before the send: the receiver, its edge and its registers.
    Sending { receiver: usize, edge: EdgeId, registers: Vec<u64> },
    /// The receiver takes its edge; the sender continues from operation `at`.
    Receiving { sender: usize, edge: EdgeId, at: usize, registers: Vec<u64>, values: Vec<u64> },
    /// The receiver is done.
    Met(Partner),
}

/// A thread and where it is.
pub(super) type At = (usize, LocalId);

impl System<'_> {
    /// Every step of `thread` from `local` on `memory`.
    pub fn steps<M: Memory>(
        &mut self,
        world: &mut M::World,
        thread: usize,
        local: LocalId,
        memory: &M,
        out: &mut Vec<ThreadStep<M>>,
    ) -> Result<Refusals, CoreError> {
        self.steps_if(world, thread, local, memory, true, out)
    }

    /// The same; without `may_move` only the beginning and the end of the thread.
    pub(super) fn steps_if<M: Memory>(
        &mut self,
        world: &mut M::World,
        thread: usize,
        local: LocalId,
        memory: &M,
        may_move: bool,
        out: &mut Vec<ThreadStep<M>>,
    ) -> Result<Refusals, CoreError> {
        let Local { point, registers } = self.local(thread, local).clone();
        match point {
            NOT_STARTED => {
                if let Some(cell) = self.start_cells[thread] {
                    let entry = self.intern(thread, self.code(thread).entry, registers)?;
                    for (value, memory) in memory.load(world, cell) {
                        if value == 1 {
                            let end = End::Moved(entry);
                            out.push(ThreadStep { edge: START, values: vec![1], end, memory, partner: None });
                        }
                    }
                }
                Ok(Refusals::default())
            }
            point if point & EXITED != 0 => Ok(Refusals::default()),
            point if !may_move && !self.code(thread).leaving[point as usize].is_empty() => {
                Ok(Refusals::default())
            }
            _ => self.steps_at(world, thread, point, &registers, memory, out),
        }
    }

    fn steps_at<M: Memory>(
        &mut self,
        world: &mut M::World,
        thread: usize,
        point: u32,
        registers: &[u64],
        memory: &M,
        out: &mut Vec<ThreadStep<M>>,
    ) -> Result<Refusals, CoreError> {
        let code = self.code(thread);
        let leaving = &code.leaving[point as usize];
        if let (true, Some(cell)) = (leaving.is_empty(), self.exit_cells[thread]) {
            if let Some(mut memory) = memory.drain(world) {
                memory.write(world, cell, 1);
                let gone = self.intern(thread, point | EXITED, registers.into())?;
                let end = End::Moved(gone);
                out.push(ThreadStep { edge: EXIT, values: Vec::new(), end, memory, partner: None });
            }
            return Ok(Refusals::default());
        }
        let mut attempt = Attempt { refusals: Refusals::default(), out };
        for edge in self.open_edges(thread, point, registers) {
            if self.meetings[thread][edge.index()].is_none() {
                let progress = Progress {
                    thread,
                    edge,
                    registers: registers.to_vec(),
                    values: Vec::new(),
                    memory: memory.clone(),
                    meeting: Stage::Alone,
                };
                self.go(world, &mut attempt, 0, progress, None)?;
            }
        }
        Ok(attempt.refusals)
    }

    /// The edges at `point` whose guards are open.
    fn open_edges(&mut self, thread: usize, point: u32, registers: &[u64]) -> Vec<EdgeId> {
        let code = self.code(thread);
        let leaving = code.leaving[point as usize].iter().copied();
        leaving.filter(|edge| code.edges[edge.index()].is_open(registers, &mut self.stack)).collect()
    }

    /// Every step in which `sender` sends and `receiver` receives, without room in between.
    pub(super) fn meet<M: Memory>(
        &mut self,
        world: &mut M::World,
        sender: At,
        receiver: At,
        memory: &M,
        out: &mut Vec<ThreadStep<M>>,
    ) -> Result<Refusals, CoreError> {
        let mut attempt = Attempt { refusals: Refusals::default(), out };
        let theirs = self.meeting_edges(receiver, false);
        for (edge, channel) in self.meeting_edges(sender, true) {
            for &(other, _) in theirs.iter().filter(|their| their.1 == channel) {
                let registers = self.local(receiver.0, receiver.1).registers.to_vec();
                let progress = Progress {
                    thread: sender.0,
                    edge,
                    registers: self.local(sender.0, sender.1).registers.to_vec(),
                    values: Vec::new(),
                    memory: memory.clone(),
                    meeting: Stage::Sending { receiver: receiver.0, edge: other, registers },
                };
                self.go(world, &mut attempt, 0, progress, None)?;
            }
        }
        Ok(attempt.refusals)
    }

    /// The open edges of a thread that send, or receive, with their channels.
    pub(super) fn meeting_edges(&mut self, (thread, local): At, sends: bool) -> Vec<(EdgeId, u64)> {
        if !self.meets[thread] {
            return Vec::new();
        }
        let Local { point, registers } = self.local(thread, local).clone();
        if point & EXITED != 0 {
            return Vec::new();
        }
        let edges = self.open_edges(thread, point, &registers).into_iter();
        edges
            .filter_map(|edge| {
                let meeting = self.meetings[thread][edge.index()].filter(|meeting| meeting.sends == sends)?;
                Some((edge, meeting.channel))
            })
            .collect()
    }

    /// Performs the operations of the edge from number `at` on; `answer` is for the first of them.
    fn go<M: Memory>(
        &mut self,
        world: &mut M::World,
        attempt: &mut Attempt<'_, M>,
        mut at: usize,
        mut progress: Progress<M>,
        mut answer: Option<u64>,
    ) -> Result<(), CoreError> {
        loop {
            let edge = &self.code(progress.thread).edges[progress.edge.index()];
            let Some(operation) = edge.operations.get(at) else {
                let registers = std::mem::take(&mut progress.registers);
                let to = self.intern(progress.thread, edge.target, registers.into())?;
                match progress.resume_sender(world, to) {
                    Ok(sender) => (at, progress) = sender,
                    Err(progress) => {
                        push(attempt, *progress, End::Moved(to));
                        return Ok(());
                    }
                }
                continue;
            };
            if matches!(operation, Operation::Fence { tags, .. } if self.orders.get(*tags).sends) {
                let Some(receiver) = progress.hand_over(world, at + 1) else { return Ok(()) };
                (at, progress) = (0, receiver);
                continue;
            }
            let mut acting = Acting { system: self, world, progress: &mut progress, edge, answer };
            match perform(&mut acting, operation) {
                Ok(()) => (at, answer) = (at + 1, None),
                Err(Stop::Waits) => return Ok(()),
                Err(Stop::Blocked) => {
                    attempt.refusals.blocked = true;
                    return Ok(());
                }
                Err(Stop::Ended(end)) => {
                    push(attempt, progress, end);
                    return Ok(());
                }
                Err(Stop::Several(alternatives)) => {
                    for (value, memory) in alternatives {
                        self.go(world, attempt, at, progress.with(memory), Some(value))?;
                    }
                    return Ok(());
                }
                Err(Stop::Error(error)) => return Err(error),
            }
        }
    }
}

/// Why an operation does not complete.
enum Stop<M> {
    /// It can perhaps be performed later.
    Waits,
    /// The run stops here.
    Blocked,
    /// The step goes wrong.
    Ended(End),
    /// It can go on with each of these values, in the memory beside it.
    Several(Vec<(u64, M)>),
    Error(CoreError),
}

/// A step in progress, as the stepper sees it.
struct Acting<'a, 'p, M: Memory> {
    system: &'a mut System<'p>,
    world: &'a mut M::World,
    progress: &'a mut Progress<M>,
    edge: &'a Edge,
    /// Which alternative the operation is to go on with; the memory is already its own.
    answer: Option<u64>,
}

impl<M: Memory> Acting<'_, '_, M> {
    /// The value to go on with, if there is only one.
    fn one_of(&mut self, mut alternatives: Vec<(u64, M)>) -> Result<u64, Stop<M>> {
        if alternatives.len() > 1 {
            return Err(Stop::Several(alternatives));
        }
        let (value, memory) = alternatives.pop().ok_or(Stop::Waits)?;
        self.progress.memory = memory;
        Ok(value)
    }

    fn read(&mut self, cell: CellId) -> Result<u64, Stop<M>> {
        let value = if let Some(value) = self.answer {
            value
        } else {
            let alternatives = self.progress.memory.load(self.world, cell);
            self.one_of(alternatives)?
        };
        self.progress.values.push(value);
        Ok(value)
    }

    /// Goes on with the own buffer empty, or with all.
    fn drain(&mut self, all: bool) -> Result<(), Stop<M>> {
        let memory = &self.progress.memory;
        let drained = if all { memory.drain_all(self.world) } else { memory.drain(self.world) };
        self.progress.memory = drained.ok_or(Stop::Waits)?;
        Ok(())
    }

    /// The value of `expr` as the cell holds it.
    fn stored_value(&mut self, cell: CellId, expr: &Expr) -> u64 {
        let mask = self.system.cells[cell.index()].mask();
        expr.evaluate(&self.progress.registers, &mut self.system.stack) & mask
    }
}

impl<M: Memory> membar_step::Memory for Acting<'_, '_, M> {
    type Stop = Stop<M>;

    fn evaluate(&mut self, expr: &Expr) -> u64 {
        expr.evaluate(&self.progress.registers, &mut self.system.stack)
    }

    fn assign(&mut self, register: Register, value: u64, _: Source<'_>) {
        self.progress.registers[register.index()] = value;
    }

    fn cell_at(&self, address: u64, size: u32) -> Option<CellId> {
        self.system.program.cell_at(address, size)
    }

    fn halt(&mut self, halt: membar_step::Halt) -> Stop<M> {
        match halt {
            membar_step::Halt::Assumption(Some(_)) => Stop::Waits,
            membar_step::Halt::Assumption(None) | membar_step::Halt::NoChoice => Stop::Blocked,
            membar_step::Halt::TooWide => {
                Stop::Error(CoreError::TooLarge("a choice among more than 65536 values"))
            }
            membar_step::Halt::Failed => Stop::Ended(End::Failed),
            membar_step::Halt::Fault => Stop::Ended(End::Faulty),
            membar_step::Halt::Unsupported(what) => Stop::Error(CoreError::Unsupported(what)),
        }
    }

    fn load(&mut self, access: Access<'_>) -> Result<u64, Stop<M>> {
        if access.exclusive && self.answer.is_none() {
            if !self.edge.is_instruction {
                return Err(
                    self.halt(membar_step::Halt::Unsupported("an exclusive load has no meaning here"))
                );
            }
            self.drain(false)?;
        }
        self.read(access.cell)
    }

    fn store(&mut self, access: Access<'_>, value: &Expr) -> Result<(), Stop<M>> {
        let value = self.stored_value(access.cell, value);
        let atomic = self.system.orders.get(access.tags).atomic;
        let is_atomic = atomic != Waits::Nothing;
        if is_atomic {
            self.drain(atomic == Waits::All)?;
        }
        if is_atomic || access.exclusive {
            self.progress.memory.write(self.world, access.cell, value);
        } else if !self.progress.memory.store(self.world, access.cell, value) {
            return Err(Stop::Waits);
        }
        Ok(())
    }

    fn update_read(&mut self, cell: CellId, _: &Rmw) -> Result<u64, Stop<M>> {
        self.read(cell)
    }

    fn update_fails(&mut self, rmw: &Rmw) -> Result<(), Stop<M>> {
        if self.system.orders.get(rmw.failed_tags).locked { self.drain(false) } else { Ok(()) }
    }

    fn update_write(&mut self, cell: CellId, rmw: &Rmw, _: u64) -> Result<(), Stop<M>> {
        self.drain(false)?;
        let value = self.stored_value(cell, &rmw.value);
        self.progress.memory.write(self.world, cell, value);
        Ok(())
    }

    fn fence(&mut self, tags: TagSet, _: Option<&Expr>) -> Result<(), Stop<M>> {
        match self.system.orders.get(tags).fence {
            Waits::Nothing => Ok(()),
            Waits::OrderStores => {
                if let Some(mark) = self.system.mark {
                    self.progress.memory.order(self.world, mark);
                }
                Ok(())
            }
            Waits::Own => self.drain(false),
            Waits::All => self.drain(true),
        }
    }

    fn choose(&mut self, low: i64, high: i64, _: bool) -> Result<u64, Stop<M>> {
        let value = if let Some(value) = self.answer {
            value
        } else {
            let memory = &self.progress.memory;
            self.one_of((low..=high).map(|value| (value.cast_unsigned(), memory.clone())).collect())?
        };
        self.progress.values.push(value);
        Ok(value)
    }

    fn spawn(&mut self, thread: ThreadId) -> Result<(), Stop<M>> {
        let Some(cell) = self.system.start_cells[thread.index()] else { return Ok(()) };
        let mut seen = self.progress.memory.load(self.world, cell).into_iter();
        if M::EXACT && seen.any(|(value, _)| value == 1) {
            return Err(self.halt(membar_step::Halt::Unsupported("a thread is started more than once")));
        }
        if self.progress.memory.store(self.world, cell, 1) { Ok(()) } else { Err(Stop::Waits) }
    }

    fn join(&mut self, thread: ThreadId) -> Result<(), Stop<M>> {
        let cell = self.system.exit_cells[thread.index()].ok_or(Stop::Waits)?;
        if self.answer.is_none() {
            let mut ended = self.progress.memory.load(self.world, cell);
            ended.retain(|(value, _)| *value == 1);
            self.one_of(ended)?;
        }
        self.progress.values.push(1);
        Ok(())
    }
}

impl<M: Memory> Progress<M> {
    fn with(&self, memory: M) -> Self {
        Self {
            thread: self.thread,
            edge: self.edge,
            registers: self.registers.clone(),
            values: self.values.clone(),
            memory,
            meeting: self.meeting.clone(),
        }
    }

    /// The sender waits; the receiver begins its edge.
    fn hand_over(self, world: &mut M::World, at: usize) -> Option<Self> {
        let Stage::Sending { receiver, edge, registers } = self.meeting else { return None };
        Some(Self {
            thread: receiver,
            edge,
            registers,
            values: Vec::new(),
            memory: self.memory.seen_by(world, receiver),
            meeting: Stage::Receiving {
                sender: self.thread,
                edge: self.edge,
                at,
                registers: self.registers,
                values: self.values,
            },
        })
    }

    /// At the end of its edge the receiver, which is now at `local`, lets the sender go on; other steps end.
    fn resume_sender(self, world: &mut M::World, local: LocalId) -> Result<(usize, Self), Box<Self>> {
        let Stage::Receiving { sender, edge, at, registers, values } = self.meeting else {
            return Err(Box::new(self));
        };
        let partner =
            Partner { thread: self.thread, edge: self.edge, values: self.values, local: Some(local) };
        let memory = self.memory.seen_by(world, sender);
        let next = Self { thread: sender, edge, registers, values, memory, meeting: Stage::Met(partner) };
        Ok((at, next))
    }
}

fn push<M>(attempt: &mut Attempt<'_, M>, progress: Progress<M>, end: End) {
    let Progress { thread, edge, values, memory, meeting, .. } = progress;
    let step = match meeting {
        Stage::Alone | Stage::Sending { .. } => ThreadStep { edge, values, end, memory, partner: None },
        Stage::Met(partner) => ThreadStep { edge, values, end, memory, partner: Some(partner) },
        Stage::Receiving { edge: sending, values: sent, .. } => {
            let partner = Partner { thread, edge, values, local: None };
            ThreadStep { edge: sending, values: sent, end, memory, partner: Some(partner) }
        }
    };
    attempt.out.push(step);
}
