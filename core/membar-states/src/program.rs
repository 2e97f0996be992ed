//! A program prepared for this search: cells packed into words, and what is known of it before it runs.

use std::ops::Deref;
use std::sync::Arc;

use membar_ir::expr::Register;
use membar_ir::liveness::live_registers;
use membar_ir::program::{self, Cell, Observable, Operation, Term, Thread};
use membar_ir::words::narrow;
use membar_step::store_buffers::{Orders, Waits};

/// How stores wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferKind {
    /// Not at all.
    Sc,
    /// In one queue per thread.
    Tso,
    /// In one queue per thread and cell.
    Pso,
    /// In one queue per thread, with few slots per cell.
    Cam,
}

/// Which registers tell states apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registers {
    /// All, whether they may be read again or not.
    All,
    /// Those declared with an initial value, and others while they may be read.
    Declared,
    /// Only while they may be read.
    Live,
}

/// Where a cell is among the words of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellLayout {
    /// The word.
    word: usize,
    /// How far up in it; cells of eight bytes take this word and the next.
    shift: u32,
    /// Bytes: 1, 2, 4 or 8.
    size: u32,
}

impl CellLayout {
    /// The bits of a value that the cell holds.
    #[must_use]
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.size)
    }

    /// How many bits these are.
    pub(super) fn bits(self) -> u32 {
        8 * self.size
    }

    /// Where it begins, counted in bits.
    pub(super) fn bit(self) -> (usize, u32) {
        (self.word, self.shift)
    }

    /// A whole word.
    #[must_use]
    pub fn of_leaf(word: usize) -> Self {
        Self { word, shift: 0, size: 4 }
    }

    /// Both, if another one of its word comes right behind it.
    pub(super) fn followed_by(self, other: Self) -> Option<Self> {
        let is_next = self.word == other.word && self.shift + self.bits() == other.shift;
        is_next.then_some(Self { size: self.size + other.size, ..self })
    }

    /// The words that it is in, its bits there, and what they are if it holds `value`.
    #[expect(clippy::cast_possible_truncation, reason = "the words of memory have 32 bits each")]
    pub fn masked(self, value: u64) -> impl Iterator<Item = (u32, u32, u32)> {
        let (word, mask) = (narrow(self.word), (self.mask() as u32) << self.shift);
        let first = (word, mask, ((value as u32) << self.shift) & mask);
        let second = (self.size == 8).then_some((word + 1, u32::MAX, (value >> 32) as u32));
        std::iter::once(first).chain(second)
    }

    /// Its value in `memory`.
    #[must_use]
    pub fn get(self, memory: &[u32]) -> u64 {
        if self.size == 8 {
            return u64::from(memory[self.word]) | u64::from(memory[self.word + 1]) << 32;
        }
        (u64::from(memory[self.word]) >> self.shift) & self.mask()
    }

    /// Changes its value in `memory`.
    #[expect(clippy::cast_possible_truncation, reason = "the words of memory have 32 bits each")]
    pub fn set(self, memory: &mut [u32], value: u64) {
        if self.size == 8 {
            memory[self.word] = value as u32;
            memory[self.word + 1] = (value >> 32) as u32;
        } else {
            let mask = (self.mask() as u32) << self.shift;
            memory[self.word] = (memory[self.word] & !mask) | (((value as u32) << self.shift) & mask);
        }
    }
}

/// A program prepared for this search; it also is the program.
#[derive(Debug)]
pub struct Program {
    code: Arc<program::Program>,
    /// How stores wait.
    pub discipline: BufferKind,
    /// Most entries of a buffer, or of a cell in it.
    pub bound: usize,
    /// Per cell, where it is.
    pub layout: Vec<CellLayout>,
    /// Words of memory.
    pub words: usize,
    /// What tags mean.
    pub orders: Orders,
    /// Per thread and edge, whether what its steps do is worth remembering: they choose nothing, and look at few others.
    pub is_remembered: Vec<Vec<bool>>,
    /// Per thread and control point, the registers that are set to 0 on arrival.
    pub cleared: Vec<Vec<Vec<Register>>>,
}

impl Deref for Program {
    type Target = program::Program;

    fn deref(&self) -> &program::Program {
        &self.code
    }
}

impl Program {
    /// The words of a state in an order in which those are near to each other that are likely to change together: threads,
    /// memory and channels side by side, from their first to their last.
    #[must_use]
    pub fn leaf_order(&self) -> Vec<usize> {
        let kinds = [self.words, self.threads.len(), self.channels.len()];
        let mut order = Vec::new();
        let mut start = 0;
        for count in kinds {
            order.extend((0..count).map(|place| ((2 * place + 1) * 1000 / (2 * count), start + place)));
            start += count;
        }
        order.sort_unstable();
        order.into_iter().map(|(_, leaf)| leaf).collect()
    }

    /// Where the part of a thread is in a state.
    #[must_use]
    pub fn part_of(&self, thread: usize) -> CellLayout {
        CellLayout::of_leaf(self.words + thread)
    }

    /// Where the contents of a channel are in a state.
    #[must_use]
    pub fn contents_of(&self, channel: usize) -> CellLayout {
        CellLayout::of_leaf(self.words + self.threads.len() + channel)
    }

    /// Prepares a program whose buffers have room for `bound` entries.
    #[must_use]
    pub fn new(
        code: Arc<program::Program>,
        discipline: BufferKind,
        bound: usize,
        registers: Registers,
    ) -> Self {
        let (layout, words) = layout_of(&code.cells);
        let orders = Orders::of(&code);
        let is_remembered = |thread: &Thread| {
            thread
                .edges
                .iter()
                .map(|edge| edge.operations.iter().all(|op| is_worth_remembering(op, &orders)))
                .collect()
        };
        let is_remembered = code.threads.iter().map(is_remembered).collect();
        let cleared =
            (0..code.threads.len()).map(|thread| dead_registers(&code, thread, registers)).collect();
        Self { code, discipline, bound, layout, words, orders, is_remembered, cleared }
    }
}

/// Packs cells into words of 32 bits; the number of words comes with it.
fn layout_of(cells: &[Cell]) -> (Vec<CellLayout>, usize) {
    let mut layout = Vec::new();
    let mut bit = 0_usize;
    for cell in cells {
        let bits = 8 * cell.size as usize;
        bit = bit.next_multiple_of(bits.min(32));
        layout.push(CellLayout { word: bit / 32, shift: narrow(bit % 32), size: cell.size });
        bit += bits;
    }
    (layout, bit.div_ceil(32))
}

/// Whether an operation chooses nothing, and does not look at all other threads.
fn is_worth_remembering(operation: &Operation, orders: &Orders) -> bool {
    match operation {
        Operation::Load { exclusive, .. } => !exclusive,
        Operation::Store { exclusive, tags, .. } => !exclusive && orders.get(*tags).atomic != Waits::All,
        Operation::Fence { tags, .. } => orders.get(*tags).fence != Waits::All,
        Operation::Unlock { .. }
        | Operation::Rmw(_)
        | Operation::Lock { .. }
        | Operation::Set { .. }
        | Operation::Assume { .. }
        | Operation::Assert { .. }
        | Operation::Spawn { .. }
        | Operation::Join { .. }
        | Operation::Send { .. }
        | Operation::Receive { .. } => true,
        Operation::StoreConditional { .. } | Operation::Choose { .. } => false,
    }
}

/// Per control point of a thread, the registers that nothing reads any more.
fn dead_registers(program: &program::Program, number: usize, registers: Registers) -> Vec<Vec<Register>> {
    let thread = &program.threads[number];
    if registers == Registers::All {
        return vec![Vec::new(); thread.leaving.len()];
    }
    let mut always = vec![false; thread.registers.len()];
    for read in program.predicates.iter().flat_map(|predicate| &predicate.reads) {
        if let Observable::Register(owner, register) = read
            && owner.index() == number
        {
            always[register.index()] = true;
        }
    }
    if registers == Registers::Declared {
        for (keep, initial) in always.iter_mut().zip(&thread.registers) {
            *keep |= initial.is_some();
        }
    }
    let mut at_end = always.clone();
    for term in &program.terms {
        if let Term::Register(owner, register) = term
            && owner.index() == number
        {
            at_end[register.index()] = true;
        }
    }
    let dead = |live: &Vec<bool>| {
        let dead = live.iter().enumerate().filter(|&(_, &is_live)| !is_live);
        dead.map(|(index, _)| Register(narrow(index))).collect()
    };
    live_registers(thread, &always, &at_end).iter().map(dead).collect()
}
