//! Which cells the edges of a program may access: addresses that are computed lie between bounds.
//!
//! Objects are far apart in memory, so bounds on an index are enough to know which object an access goes to. Bounds of
//! registers hold at all points of their thread; inside an edge they follow its operations.

use membar_ir::bits::SmallSet;
use membar_ir::expr::{Binary, Code, Expr, Register, Unary};
use membar_ir::program::{Address, Operation, Thread};

use super::program::Program;

/// Rounds after which bounds that still grow are given up.
const ROUNDS: usize = 6;

/// All values from the one to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    low: u64,
    high: u64,
}

impl Range {
    const ANY: Self = Self { low: 0, high: u64::MAX };

    fn one(value: u64) -> Self {
        Self { low: value, high: value }
    }

    /// All values below a power of two.
    fn of_bits(bits: u32) -> Self {
        Self { low: 0, high: 1_u64.checked_shl(bits).map_or(u64::MAX, |end| end - 1) }
    }

    fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What lies between two bounds, if both were computed without overflow.
    fn between(low: Option<u64>, high: Option<u64>) -> Self {
        match (low, high) {
            (Some(low), Some(high)) => Self { low, high },
            _ => Self::ANY,
        }
    }

    /// Whether its values are the same numbers with a sign.
    fn is_natural(self) -> bool {
        self.high <= u64::MAX >> 1
    }

    fn of(expr: &Expr, registers: &[Self]) -> Self {
        let leaf = |code: Code| match code {
            Code::Constant(value) => Self::one(value),
            Code::Register(register) => registers[register.index()],
            _ => Self::ANY,
        };
        expr.interpret(leaf, |code, operands| Self::apply(code, &operands)).unwrap_or(Self::ANY)
    }

    fn apply(code: Code, operands: &[Self]) -> Self {
        match (code, operands) {
            (Code::Unary(Unary::Not), _) => Self::of_bits(1),
            (Code::Extend { shift, signed }, &[operand]) => {
                let whole = Self::of_bits(64 - shift);
                let natural = Self::of_bits(64 - shift - u32::from(signed));
                match signed {
                    _ if operand.high <= natural.high => operand,
                    true => Self::ANY,
                    false => whole,
                }
            }
            (Code::Select, &[_, then, otherwise]) => then.with(otherwise),
            (Code::Binary(op), &[left, right]) => Self::binary(op, left, right),
            _ => Self::ANY,
        }
    }

    fn binary(op: Binary, left: Self, right: Self) -> Self {
        match op {
            Binary::Add => Self::between(left.low.checked_add(right.low), left.high.checked_add(right.high)),
            Binary::Sub => Self::between(left.low.checked_sub(right.high), left.high.checked_sub(right.low)),
            Binary::Mul => Self::between(left.low.checked_mul(right.low), left.high.checked_mul(right.high)),
            Binary::And => Self { low: 0, high: left.high.min(right.high) },
            Binary::Rem if right.low > 0 => Self { low: 0, high: left.high.min(right.high - 1) },
            Binary::Srem if right.low > 0 && left.is_natural() && right.is_natural() => {
                Self { low: 0, high: left.high.min(right.high - 1) }
            }
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Slt | Binary::Sle => Self::of_bits(1),
            _ => Self::ANY,
        }
    }
}

/// What an edge may access. Behind the cells come two for each channel with room: its end, where messages are put, and
/// its beginning, where they are taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Footprint {
    pub(super) reads: SmallSet,
    pub(super) writes: SmallSet,
}

/// What each edge of a thread may access.
pub(super) fn footprints(program: &Program, thread: &Thread) -> Vec<Footprint> {
    let mut bounds = Bounds { program, registers: registers(program, thread) };
    let known = bounds.registers.clone();
    let mut found = Vec::new();
    for edge in &thread.edges {
        bounds.registers.clone_from(&known);
        let mut footprint = Footprint::default();
        for operation in &edge.operations {
            bounds.add(operation, &mut footprint);
            bounds.follow(operation);
        }
        found.push(footprint);
    }
    found
}

/// Bounds of the registers of a thread, wherever it is.
fn registers(program: &Program, thread: &Thread) -> Vec<Range> {
    let initial = thread.initial_registers();
    let mut known: Vec<Range> = initial.iter().map(|&value| Range { low: 0, high: value }).collect();
    for round in 0.. {
        let mut grown = known.clone();
        for edge in &thread.edges {
            let mut bounds = Bounds { program, registers: known.clone() };
            for operation in &edge.operations {
                bounds.follow(operation);
                operation.each_assigned(|Register(number)| {
                    let place = number as usize;
                    grown[place] = grown[place].with(bounds.registers[place]);
                });
            }
        }
        if grown == known {
            break;
        }
        for (grown, known) in grown.iter_mut().zip(&known) {
            if round >= ROUNDS && grown != known {
                *grown = Range::ANY;
            }
        }
        known = grown;
    }
    known
}

/// Bounds of registers between two operations of an edge.
struct Bounds<'p> {
    program: &'p Program,
    registers: Vec<Range>,
}

impl Bounds<'_> {
    /// What registers are after an operation.
    fn follow(&mut self, operation: &Operation) {
        let known = match operation {
            Operation::Set { value, .. } => Range::of(value, &self.registers),
            Operation::Load { address, extension: 0, .. } => self.range_of_load(address),
            Operation::Choose { low, high, .. } => {
                let (low, high) = (Range::of(low, &self.registers), Range::of(high, &self.registers));
                if high.is_natural() && low.is_natural() { low.with(high) } else { Range::ANY }
            }
            Operation::StoreConditional { .. } => Range::of_bits(1),
            _ => Range::ANY,
        };
        operation.each_assigned(|register| self.registers[register.index()] = known);
    }

    fn range_of_load(&self, address: &Address) -> Range {
        let size = match address {
            Address::Cell(cell) => self.program.cells[cell.index()].size,
            Address::Computed(_, size) => *size,
        };
        Range::of_bits(8 * size)
    }

    /// Adds what an operation accesses.
    fn add(&self, operation: &Operation, footprint: &mut Footprint) {
        let cells = &self.program.cells;
        match operation {
            Operation::Send { channel, .. } => footprint.writes.insert(cells.len() + 2 * channel),
            Operation::Receive { channel, .. } => footprint.writes.insert(cells.len() + 2 * channel + 1),
            _ => {}
        }
        let Some(access) = operation.footprint() else { return };
        let range = match access.address {
            Address::Cell(cell) => Range::one(cells[cell.index()].address),
            Address::Computed(expr, _) => Range::of(expr, &self.registers),
        };
        for (number, cell) in cells.iter().enumerate() {
            if range.low <= cell.address && cell.address <= range.high {
                if access.reads {
                    footprint.reads.insert(number);
                }
                if access.writes {
                    footprint.writes.insert(number);
                }
            }
        }
    }
}
