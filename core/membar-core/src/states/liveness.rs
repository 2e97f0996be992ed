//! Which registers somebody may still look at, per control point; the others are set to 0 on arrival.

use crate::expr::{Expr, Register};
use crate::program::Term;

use super::program::{Address, Edge, Operation, Program, Registers, Seen, Thread};

type Set = Vec<bool>;

/// Fills in what each control point clears.
pub(super) fn find(program: &mut Program) {
    if program.registers == Registers::All {
        return;
    }
    for number in 0..program.threads.len() {
        let thread = &program.threads[number];
        let mut always = vec![false; thread.registers.len()];
        for seen in program.predicates.iter().flat_map(|predicate| &predicate.seen) {
            if let Seen::Register(owner, register) = seen
                && owner.index() == number
            {
                always[register.index()] = true;
            }
        }
        if program.registers == Registers::Declared {
            for (keep, &declared) in always.iter_mut().zip(&program.declared[number]) {
                *keep |= declared;
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
        let live = live(thread, &always, &at_end);
        let cleared = |set: &Set| {
            let dead = set.iter().enumerate().filter(|&(_, &alive)| !alive);
            dead.map(|(index, _)| Register(u32::try_from(index).unwrap_or(u32::MAX))).collect()
        };
        program.threads[number].cleared = live.iter().map(cleared).collect();
    }
}

/// Per control point, what may be looked at from there on.
fn live(thread: &Thread, always: &Set, at_end: &Set) -> Vec<Set> {
    let leaving = &thread.leaving;
    let first = |edges: &Vec<_>| if edges.is_empty() { at_end.clone() } else { always.clone() };
    let mut live: Vec<Set> = leaving.iter().map(first).collect();
    loop {
        let mut changed = false;
        for point in (0..leaving.len()).rev() {
            for edge in &leaving[point] {
                let edge = &thread.edges[edge.index()];
                let before = before(edge, &live[edge.target as usize]);
                for (mine, new) in live[point].iter_mut().zip(before) {
                    changed |= new && !*mine;
                    *mine |= new;
                }
            }
        }
        if !changed {
            return live;
        }
    }
}

/// What may be looked at before an edge, given what may be after it.
fn before(edge: &Edge, after: &Set) -> Set {
    let mut set = after.clone();
    for operation in edge.operations.iter().rev() {
        for register in written(operation) {
            set[register.index()] = false;
        }
        for expr in read(operation) {
            for register in expr.registers() {
                set[register.index()] = true;
            }
        }
        if let Operation::Rmw(rmw) = operation {
            // Its value and its condition see what it has just read, which is no look at what was there before.
            if !of_address(&rmw.address).iter().any(|expr| expr.registers().contains(&rmw.register)) {
                set[rmw.register.index()] = false;
            }
        }
    }
    for register in edge.guard.iter().flat_map(Expr::registers) {
        set[register.index()] = true;
    }
    set
}

fn written(operation: &Operation) -> Vec<Register> {
    match operation {
        Operation::Load { register, .. }
        | Operation::Set { register, .. }
        | Operation::Choose { register, .. }
        | Operation::StoreConditional { status: register, .. } => vec![*register],
        Operation::Rmw(rmw) => vec![rmw.register],
        Operation::Receive { registers, .. } => registers.clone(),
        _ => Vec::new(),
    }
}

fn of_address(address: &Address) -> Vec<&Expr> {
    match address {
        Address::Cell(_) => Vec::new(),
        Address::Computed(expr, _) => vec![expr],
    }
}

fn read(operation: &Operation) -> Vec<&Expr> {
    match operation {
        Operation::Load { address, .. } | Operation::Lock { address } | Operation::Unlock { address } => {
            of_address(address)
        }
        Operation::Store { address, value, .. } | Operation::StoreConditional { address, value, .. } => {
            let mut all = of_address(address);
            all.push(value);
            all
        }
        Operation::Rmw(rmw) => {
            let mut all = of_address(&rmw.address);
            all.extend([&rmw.value, &rmw.condition]);
            all
        }
        Operation::Set { value, .. } => vec![value],
        Operation::Assume { condition, .. } | Operation::Assert { condition } => vec![condition],
        Operation::Choose { low, high, .. } => vec![low, high],
        Operation::Send { values, .. } => values.iter().collect(),
        Operation::Fence { .. }
        | Operation::Spawn { .. }
        | Operation::Join { .. }
        | Operation::Receive { .. } => Vec::new(),
    }
}
