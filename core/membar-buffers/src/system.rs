//! A program as threads that step on some memory: control points and registers here, stores and loads there.
//!
//! One interpreter (`interpreter.rs`) serves every search: it is generic over the memory that a step acts on (one
//! buffer content, a set of them, or "any value"). All operations of an edge are one step. Local states are
//! numbered in order of appearance; dead registers are 0 in them, so that states with the same future have the same
//! number.
//!
//! `Spawn` and `Join` become memory: starting thread t stores 1 to a cell of its own, on which t waits; a thread
//! that is joined ends by writing 1 to a second cell once its buffer is empty, and the joining thread waits for
//! that. A rendezvous is one step of two threads (`meet`): fences mark where the one sends and the other receives,
//! messages go through cells. While some thread is at a committed point, only threads at such points step; buffers
//! are still flushed.

use membar_ir::error::CoreError;
use membar_ir::liveness::live_registers;
use membar_ir::program::{Cell, CellId, EdgeId, Operation, Program, Term, Thread};
use membar_step::store_buffers::{Orders, Waits};

use membar_ir::interner::Interner;

/// The step by which a spawned thread begins.
pub const START: EdgeId = EdgeId(u32::MAX);
/// The step by which a joined thread says that it has ended.
pub const EXIT: EdgeId = EdgeId(u32::MAX - 1);

/// Control point of a thread that has not begun.
pub(super) const NOT_STARTED: u32 = u32::MAX;
/// Beside its control point: a joined thread has said that it ended.
pub(super) const EXITED: u32 = 1 << 31;

/// Local states of one thread beyond which its data does not count as finite.
const MOST_LOCALS: usize = 1 << 20;

/// A local state of one thread, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

impl LocalId {
    /// As an index into the thread's table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a thread is, and what its registers hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Local {
    /// The control point.
    pub point: u32,
    /// Values; 0 where they are not live.
    pub registers: Box<[u64]>,
}

/// What a thread's step acts on, as that thread sees it.
pub trait Memory: Clone {
    /// What all of them share.
    type World;

    /// Whether its answers are those of one run, or only what some run might see.
    const EXACT: bool = true;

    /// Every value that a load of `cell` can return, with the memory in which it does.
    fn load(&self, world: &mut Self::World, cell: CellId) -> Vec<(u64, Self)>;

    /// A store that may wait in the buffer; false if there is no room.
    fn store(&mut self, world: &mut Self::World, cell: CellId, value: u64) -> bool;

    /// Goes on with the own buffer empty (what this very step stored goes to memory); None if it cannot be.
    fn drain(&self, world: &mut Self::World) -> Option<Self>;

    /// Goes on with all buffers empty; None if they cannot be.
    fn drain_all(&self, world: &mut Self::World) -> Option<Self>;

    /// A store that reaches memory at once; the own buffer is empty.
    fn write(&mut self, world: &mut Self::World, cell: CellId, value: u64);

    /// Appends `mark` to the thread's own buffer, so that later stores stay after it.
    fn order(&mut self, world: &mut Self::World, mark: CellId);

    /// The same as another thread sees it, in the middle of a step of both.
    #[must_use]
    fn seen_by(&self, world: &mut Self::World, thread: usize) -> Self;
}

/// How a step ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// In a local state.
    Moved(LocalId),
    /// At an assertion that fails.
    Failed,
    /// At an access to what is no location.
    Faulty,
}

/// A step that a thread can take.
#[derive(Debug, Clone)]
pub struct ThreadStep<M> {
    /// Along which edge.
    pub edge: EdgeId,
    /// The values read and chosen, in order.
    pub values: Vec<u64>,
    /// Where it leads.
    pub end: End,
    /// What it makes of memory.
    pub memory: M,
    /// The receiver, if the step is a rendezvous.
    pub partner: Option<Partner>,
}

/// The other side of a rendezvous.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Partner {
    /// The receiver.
    pub thread: usize,
    /// Along which edge.
    pub edge: EdgeId,
    /// The values that it read and chose, in order.
    pub values: Vec<u64>,
    /// Where that leads; None if the step goes wrong before.
    pub local: Option<LocalId>,
}

/// What an edge has to do with a rendezvous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) sends: bool,
    pub(super) channel: u64,
}

/// Why an edge was not taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refusals {
    /// An assumption failed that stops the run for good.
    pub blocked: bool,
}

/// The threads of a program and their local states found so far.
#[derive(Debug)]
pub struct System<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its cells, then those for starts and exits of threads.
    pub cells: Vec<Cell>,
    /// What tags mean.
    pub(super) orders: Orders,
    locals: Vec<Interner<Local>>,
    live: Vec<Vec<Vec<bool>>>,
    pub(super) start_cells: Vec<Option<CellId>>,
    pub(super) exit_cells: Vec<Option<CellId>>,
    /// The mark that a fence of stores puts into a buffer: it never changes what its cell holds.
    pub(super) mark: Option<CellId>,
    /// Per thread and edge, what it has to do with a rendezvous.
    pub(super) meetings: Vec<Vec<Option<Meeting>>>,
    committed: Vec<Vec<u32>>,
    has_committed: bool,
    /// Per thread, whether it ever meets another.
    pub(super) meets: Vec<bool>,
    /// For the evaluation of expressions.
    pub(super) stack: Vec<u64>,
}

impl<'a> System<'a> {
    /// The threads in their initial states; `committed` has the points of each thread that hold others up.
    pub fn new(program: &'a Program, committed: &[Vec<u32>]) -> Result<Self, CoreError> {
        let threads = program.threads.len();
        let mut system = Self {
            program,
            cells: program.cells.clone(),
            orders: Orders::of(program),
            locals: vec![Interner::default(); threads],
            live: Vec::new(),
            start_cells: vec![None; threads],
            exit_cells: vec![None; threads],
            mark: None,
            meetings: Vec::new(),
            committed: committed.to_vec(),
            has_committed: committed.iter().any(|points| !points.is_empty()),
            meets: Vec::new(),
            stack: Vec::new(),
        };
        system.committed.resize(threads, Vec::new());
        for (number, thread) in program.threads.iter().enumerate() {
            let shown = shown_registers(program, number);
            system.live.push(live_registers(thread, &shown, &shown));
            if !thread.started {
                system.start_cells[number] = Some(system.extra_cell()?);
            }
        }
        for edge in program.threads.iter().flat_map(|thread| &thread.edges) {
            for operation in &edge.operations {
                match operation {
                    Operation::Join { thread } if system.exit_cells[thread.index()].is_none() => {
                        system.exit_cells[thread.index()] = Some(system.extra_cell()?);
                    }
                    Operation::Spawn { thread } if system.start_cells[thread.index()].is_none() => {
                        return Err(CoreError::Unsupported("a thread is started more than once"));
                    }
                    Operation::StoreConditional { .. } => {
                        return Err(CoreError::Unsupported("a store-conditional has no meaning here"));
                    }
                    Operation::Fence { tags, .. }
                        if system.mark.is_none() && system.orders.get(*tags).fence == Waits::OrderStores =>
                    {
                        system.mark = Some(system.extra_cell()?);
                    }
                    _ => {}
                }
            }
        }
        for thread in &program.threads {
            let mut meetings = Vec::new();
            for edge in &thread.edges {
                meetings.push(system.meeting_of(&edge.operations)?);
            }
            system.meets.push(meetings.iter().any(Option::is_some));
            system.meetings.push(meetings);
        }
        for (number, thread) in program.threads.iter().enumerate() {
            let point = if thread.started { thread.entry } else { NOT_STARTED };
            system.intern(number, point, thread.initial_registers().into())?;
        }
        Ok(system)
    }

    fn meeting_of(&mut self, operations: &[Operation]) -> Result<Option<Meeting>, CoreError> {
        let mut found = None;
        for operation in operations {
            let Operation::Fence { tags, address: Some(address) } = operation else { continue };
            let order = self.orders.get(*tags);
            let sends = order.sends;
            if !sends && !order.receives {
                continue;
            }
            let channel = address.evaluate(&[], &mut self.stack);
            if found.replace(Meeting { sends, channel }).is_some() {
                return Err(CoreError::Unsupported("one step with several rendezvous is not supported"));
            }
        }
        Ok(found)
    }

    /// Whether some control point holds other threads up.
    #[must_use]
    pub fn has_committed(&self) -> bool {
        self.has_committed
    }

    /// Whether a thread is at a point that holds others up, even if it has ended there.
    #[must_use]
    pub fn is_committed(&self, thread: usize, local: LocalId) -> bool {
        self.point(thread, local).is_some_and(|point| self.committed[thread].contains(&point))
    }

    /// Per thread, whether it may take an edge: those at committed points, if there are any, else all.
    #[must_use]
    pub fn movers(&self, locals: &[LocalId]) -> Vec<bool> {
        if !self.has_committed {
            return vec![true; locals.len()];
        }
        let committed: Vec<bool> =
            locals.iter().enumerate().map(|(thread, &local)| self.is_committed(thread, local)).collect();
        if committed.contains(&true) { committed } else { vec![true; locals.len()] }
    }

    fn extra_cell(&mut self) -> Result<CellId, CoreError> {
        let number = u32::try_from(self.cells.len()).map_err(|_| CoreError::TooLarge("cells"))?;
        self.cells.push(Cell { address: u64::MAX, size: 1, signed: false, initial: 0 });
        Ok(CellId(number))
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.program.threads.len()
    }

    /// Number of local states found, of all threads.
    #[must_use]
    pub fn count_locals(&self) -> usize {
        self.locals.iter().map(Interner::len).sum()
    }

    /// The local states of a thread found so far.
    #[must_use]
    pub fn locals(&self, thread: usize) -> &Interner<Local> {
        &self.locals[thread]
    }

    /// A local state.
    #[must_use]
    pub fn local(&self, thread: usize, local: LocalId) -> &Local {
        self.locals[thread].get(local.0)
    }

    /// The control point as the program numbers it; None before a thread begins. Ended threads stay where they ended.
    #[must_use]
    pub fn point(&self, thread: usize, local: LocalId) -> Option<u32> {
        Some(self.local(thread, local).point)
            .filter(|&point| point != NOT_STARTED)
            .map(|point| point & !EXITED)
    }

    /// The control point; a thread whose start is in memory is at its entry, whether it has begun or not.
    #[must_use]
    pub fn point_in(&self, thread: usize, local: LocalId, memory: &[u64]) -> Option<u32> {
        self.point(thread, local)
            .or_else(|| self.is_due(thread, local, memory).then(|| self.code(thread).entry))
    }

    /// Whether a thread has not begun although its start is in memory.
    fn is_due(&self, thread: usize, local: LocalId, memory: &[u64]) -> bool {
        let is_started = self.start_cells[thread].is_some_and(|cell| memory[cell.index()] == 1);
        is_started && self.is_not_started(thread, local)
    }

    /// Whether all threads have ended or will never begin, apart from what buffers hold.
    #[must_use]
    pub fn is_at_rest(&self, locals: &[LocalId], memory: &[u64]) -> bool {
        let rests = |(thread, &local): (usize, &LocalId)| {
            self.is_over(thread, local) && !self.is_due(thread, local, memory)
        };
        locals.iter().enumerate().all(rests)
    }

    /// Whether a thread has ended or not begun, apart from what its buffer holds.
    #[must_use]
    pub fn is_over(&self, thread: usize, local: LocalId) -> bool {
        match self.local(thread, local).point {
            NOT_STARTED => true,
            point if point & EXITED != 0 => true,
            point => {
                self.exit_cells[thread].is_none() && self.code(thread).leaving[point as usize].is_empty()
            }
        }
    }

    /// Whether a thread has not begun.
    #[must_use]
    pub fn is_not_started(&self, thread: usize, local: LocalId) -> bool {
        self.local(thread, local).point == NOT_STARTED
    }

    pub(super) fn code(&self, thread: usize) -> &'a Thread {
        &self.program.threads[thread]
    }

    pub(super) fn intern(
        &mut self,
        thread: usize,
        point: u32,
        mut registers: Box<[u64]>,
    ) -> Result<LocalId, CoreError> {
        if let Some(live) = self.live[thread].get(point as usize) {
            for (value, live) in registers.iter_mut().zip(live) {
                if !live {
                    *value = 0;
                }
            }
        }
        let local = Local { point, registers };
        let (number, is_new) = self.locals[thread].intern(local);
        if is_new && number as usize >= MOST_LOCALS {
            return Err(CoreError::TooLarge("a million states of one thread: its data does not look finite"));
        }
        Ok(LocalId(number))
    }
}

/// The registers of a thread that final states show.
fn shown_registers(program: &Program, number: usize) -> Vec<bool> {
    let mut shown = vec![false; program.threads[number].registers.len()];
    for term in &program.terms {
        if let Term::Register(owner, register) = term
            && owner.index() == number
        {
            shown[register.index()] = true;
        }
    }
    shown
}
