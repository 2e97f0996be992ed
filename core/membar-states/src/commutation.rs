//! Whether steps of two threads commute under sc although they access the same cells: one puts a message into a queue, say,
//! and the other one takes the oldest.
//!
//! Both orders are computed on symbols: what cells and registers hold at first has no value. A cell of one byte that both
//! edges load, such as the length of a queue, is given each of its values in turn, so that conditions on it and addresses
//! that depend on it are known. The edges commute if, wherever both can be taken, each can still be taken after the other,
//! under the same conditions, and both orders end in the same registers and cells. What cannot be decided in this
//! way does not commute.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use membar_ir::expr::{Code, Expr};
use membar_ir::program::{Address, CellId, Edge, Operation};
use membar_ir::words::narrow;

use super::program::Program;

/// Values of a cell of one byte.
const VALUES: u64 = 256;

/// An edge of a thread.
pub(super) type Step<'p> = (usize, &'p Edge);

/// Whether two edges of different threads commute.
pub(super) fn commute(program: &Program, one: Step<'_>, other: Step<'_>) -> bool {
    for_all_values(program, one, other, |symbols, start| symbols.commute(program, one, other, start))
}

/// Whether an edge that cannot be taken in a state still cannot after a step of another thread, where another edge of its
/// own thread can be taken in both states.
pub(super) fn stays_closed(program: &Program, open: Step<'_>, closed: Step<'_>, other: Step<'_>) -> bool {
    for_all_values(program, closed, other, |symbols, start| {
        symbols.stays_closed(program, open, closed, other, start)
    })
}

/// Whether something is true whatever the cell of one byte holds that both edges load; false if there are several.
fn for_all_values(
    program: &Program,
    one: Step<'_>,
    other: Step<'_>,
    is_true: impl Fn(&mut Symbols, &State) -> bool,
) -> bool {
    let mut common: Vec<CellId> = cells_loaded(program, one.1)
        .filter(|&cell| cells_loaded(program, other.1).any(|it| it == cell))
        .collect();
    common.dedup();
    match *common.as_slice() {
        [] => is_true(&mut Symbols::default(), &State::default()),
        [cell] => (0..VALUES).all(|value| {
            let (mut symbols, mut start) = (Symbols::default(), State::default());
            start.cells.insert(cell, symbols.number(Term::Constant(value)));
            is_true(&mut symbols, &start)
        }),
        _ => false,
    }
}

/// The cells of one byte that an edge loads.
fn cells_loaded<'p>(program: &'p Program, edge: &'p Edge) -> impl Iterator<Item = CellId> {
    edge.operations
        .iter()
        .filter_map(|operation| match operation {
            Operation::Load { address: Address::Cell(cell), .. } => Some(*cell),
            _ => None,
        })
        .filter(|cell| program.cells[cell.index()].size == 1)
}

/// What is known of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Term {
    Constant(u64),
    /// What a cell holds at first.
    Cell(CellId),
    /// What a register of the first or the second thread holds at first.
    Register(usize, u32),
    Applied(Code, Vec<u32>),
}

/// Terms by number: equal terms have equal numbers.
#[derive(Debug, Default)]
struct Symbols {
    terms: Vec<Term>,
    numbers: FxHashMap<Term, u32>,
}

/// Why a step is not computed to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Halt {
    /// It cannot be taken.
    Closed,
    /// That is not known.
    Unknown,
}

/// A state of both threads, with the conditions that each has met.
#[derive(Debug, Clone, Default)]
struct State {
    registers: [BTreeMap<u32, u32>; 2],
    cells: BTreeMap<CellId, u32>,
    conditions: [Vec<u32>; 2],
}

impl Symbols {
    fn number(&mut self, term: Term) -> u32 {
        if let Some(&known) = self.numbers.get(&term) {
            return known;
        }
        let number = narrow(self.terms.len());
        self.terms.push(term.clone());
        self.numbers.insert(term, number);
        number
    }

    fn constant_of(&self, term: u32) -> Option<u64> {
        match self.terms[term as usize] {
            Term::Constant(value) => Some(value),
            _ => None,
        }
    }

    fn apply(&mut self, program: &Program, code: Code, mut operands: Vec<u32>) -> u32 {
        let constants: Option<Vec<u64>> = operands.iter().map(|&operand| self.constant_of(operand)).collect();
        if let Some(constants) = constants {
            return self.number(Term::Constant(code.apply(&constants)));
        }
        if let (Code::Extend { shift, signed }, &[operand]) = (code, operands.as_slice()) {
            match &self.terms[operand as usize] {
                // Of a value that was cut and extended before, no more bits matter than it was cut to.
                Term::Applied(Code::Extend { shift: before, .. }, inner) if shift >= *before => {
                    operands.clone_from(inner);
                    return self.apply(program, code, operands);
                }
                Term::Cell(cell) if !signed && 64 - shift >= 8 * program.cells[cell.index()].size => {
                    return operand;
                }
                _ => {}
            }
        }
        self.number(Term::Applied(code, operands))
    }

    fn value(&mut self, program: &Program, state: &State, who: usize, expr: &Expr) -> u32 {
        let symbols = std::cell::RefCell::new(self);
        let leaf = |code: Code| {
            let mut symbols = symbols.borrow_mut();
            match code {
                Code::Constant(value) => symbols.number(Term::Constant(value)),
                Code::Register(register) => match state.registers[who].get(&register.0) {
                    Some(&known) => known,
                    None => symbols.number(Term::Register(who, register.0)),
                },
                _ => symbols.number(Term::Constant(0)),
            }
        };
        let apply = |code: Code, operands: Vec<u32>| symbols.borrow_mut().apply(program, code, operands);
        let found = expr.interpret(leaf, apply);
        found.unwrap_or_else(|| symbols.borrow_mut().number(Term::Constant(0)))
    }

    fn commute(&mut self, program: &Program, one: Step<'_>, other: Step<'_>, start: &State) -> bool {
        let mut after = Vec::new();
        for (who, step) in [one, other].into_iter().enumerate() {
            match self.run(program, start, who, step) {
                Ok(state) => after.push(state),
                Err(halt) => return halt == Halt::Closed,
            }
        }
        let Ok(first) = self.run(program, &after[0], 1, other) else { return false };
        let Ok(second) = self.run(program, &after[1], 0, one) else { return false };
        first.conditions[1] == after[1].conditions[1]
            && second.conditions[0] == after[0].conditions[0]
            && first.registers == second.registers
            && self.are_equal(&first.cells, &second.cells)
    }

    fn stays_closed(
        &mut self,
        program: &Program,
        open: Step<'_>,
        closed: Step<'_>,
        other: Step<'_>,
        start: &State,
    ) -> bool {
        if let Err(halt) = self.run(program, start, 0, open) {
            return halt == Halt::Closed;
        }
        let after = match self.run(program, start, 1, other) {
            Ok(after) => after,
            Err(halt) => return halt == Halt::Closed,
        };
        match (self.run(program, start, 0, closed), self.run(program, &after, 0, closed)) {
            (Err(Halt::Unknown), _) | (_, Err(Halt::Unknown)) | (Err(Halt::Closed), Ok(_)) => false,
            (_, Err(Halt::Closed)) => true,
            (Ok(before), Ok(after)) => before.conditions[0] == after.conditions[0],
        }
    }

    fn are_equal(&mut self, one: &BTreeMap<CellId, u32>, other: &BTreeMap<CellId, u32>) -> bool {
        let cells: Vec<CellId> = one.keys().chain(other.keys()).copied().collect();
        cells.into_iter().all(|cell| {
            let initial = self.number(Term::Cell(cell));
            one.get(&cell).unwrap_or(&initial) == other.get(&cell).unwrap_or(&initial)
        })
    }

    /// The state after an edge of the first or the second thread.
    fn run(
        &mut self,
        program: &Program,
        start: &State,
        who: usize,
        (thread, edge): Step<'_>,
    ) -> Result<State, Halt> {
        let mut state = start.clone();
        for operation in &edge.operations {
            self.perform(program, &mut state, who, operation)?;
        }
        for register in &program.cleared[thread][edge.target as usize] {
            let nothing = self.number(Term::Constant(0));
            state.registers[who].insert(register.0, nothing);
        }
        Ok(state)
    }

    fn perform(
        &mut self,
        program: &Program,
        state: &mut State,
        who: usize,
        operation: &Operation,
    ) -> Result<(), Halt> {
        match operation {
            Operation::Load { register, address, extension, exclusive: false, .. } => {
                let cell = self.cell(program, state, who, address)?;
                let mut value = match state.cells.get(&cell) {
                    Some(&known) => known,
                    None => self.number(Term::Cell(cell)),
                };
                if *extension > 0 {
                    let code = Code::Extend { shift: 64 - extension, signed: true };
                    value = self.apply(program, code, vec![value]);
                }
                state.registers[who].insert(register.0, value);
            }
            Operation::Store { address, value, exclusive: false, .. } => {
                let cell = self.cell(program, state, who, address)?;
                let value = self.value(program, state, who, value);
                let code = Code::Extend { shift: 64 - 8 * program.cells[cell.index()].size, signed: false };
                let value = self.apply(program, code, vec![value]);
                state.cells.insert(cell, value);
            }
            Operation::Set { register, value } => {
                let value = self.value(program, state, who, value);
                state.registers[who].insert(register.0, value);
            }
            Operation::Assume { condition, .. } => {
                let condition = self.value(program, state, who, condition);
                match self.constant_of(condition) {
                    Some(0) => return Err(Halt::Closed),
                    Some(_) => {}
                    None => state.conditions[who].push(condition),
                }
            }
            Operation::Fence { .. } => {}
            _ => return Err(Halt::Unknown),
        }
        Ok(())
    }

    fn cell(
        &mut self,
        program: &Program,
        state: &State,
        who: usize,
        address: &Address,
    ) -> Result<CellId, Halt> {
        match address {
            Address::Cell(cell) => Ok(*cell),
            Address::Computed(expr, size) => {
                let value = self.value(program, state, who, expr);
                let value = self.constant_of(value).ok_or(Halt::Unknown)?;
                program.cell_at(value, *size).ok_or(Halt::Unknown)
            }
        }
    }
}
