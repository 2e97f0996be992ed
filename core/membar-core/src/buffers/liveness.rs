//! Which registers somebody may still look at, per control point.

use crate::expr::Expr;
use crate::program::{Operation, Program, Term};

/// Per control point, the registers whose values somebody may still look at.
pub(super) fn live_registers(program: &Program, number: usize) -> Vec<Vec<bool>> {
    let thread = &program.threads[number];
    let mut shown = vec![false; thread.registers.len()];
    for term in &program.terms {
        if let Term::Register(owner, register) = term
            && owner.index() == number
        {
            shown[register.index()] = true;
        }
    }
    let mut live = vec![shown; thread.leaving.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (point, edges) in thread.leaving.iter().enumerate() {
            for edge in edges {
                let edge = &thread.edges[edge.index()];
                let mut before = live[edge.target as usize].clone();
                for operation in edge.operations.iter().rev() {
                    looked_at(operation, &mut before);
                }
                mark(&edge.guard, &mut before);
                for (known, now) in live[point].iter_mut().zip(before) {
                    changed |= now && !*known;
                    *known |= now;
                }
            }
        }
    }
    live
}

fn mark(expr: &Expr, live: &mut [bool]) {
    for register in expr.registers() {
        live[register.index()] = true;
    }
}

/// The registers looked at from before an operation on, given those from behind it on.
fn looked_at(operation: &Operation, live: &mut [bool]) {
    match operation {
        Operation::Load { register, address, .. } => {
            live[register.index()] = false;
            mark(address, live);
        }
        Operation::Store { address, value, .. } => {
            mark(address, live);
            mark(value, live);
        }
        Operation::StoreConditional { status, address, value, .. } => {
            live[status.index()] = false;
            mark(address, live);
            mark(value, live);
        }
        Operation::Rmw(rmw) => {
            mark(&rmw.value, live);
            mark(&rmw.condition, live);
            live[rmw.register.index()] = false;
            mark(&rmw.address, live);
        }
        Operation::Set { register, value } => {
            live[register.index()] = false;
            mark(value, live);
        }
        Operation::Assume { condition, .. } | Operation::Assert { condition } => mark(condition, live),
        Operation::Choose { register, low, high, .. } => {
            live[register.index()] = false;
            mark(low, live);
            mark(high, live);
        }
        Operation::Fence { address, .. } => {
            if let Some(address) = address {
                mark(address, live);
            }
        }
        Operation::Spawn { .. } | Operation::Join { .. } => {}
    }
}
