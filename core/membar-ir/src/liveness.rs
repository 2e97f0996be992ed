//! Live registers: those whose values may still be read, per control point.

use crate::expr::Expr;
use crate::program::{Edge, Operation, Thread};

/// A set of registers.
pub type Registers = Vec<bool>;

/// Per control point, the registers that may be read from there on. `always` are read everywhere, `at_end` where the
/// thread ends.
#[must_use]
pub fn live_registers(thread: &Thread, always: &Registers, at_end: &Registers) -> Vec<Registers> {
    let leaving = &thread.leaving;
    let first = |edges: &Vec<_>| if edges.is_empty() { at_end.clone() } else { always.clone() };
    let mut live: Vec<Registers> = leaving.iter().map(first).collect();
    loop {
        let mut changed = false;
        for point in (0..leaving.len()).rev() {
            for edge in &leaving[point] {
                let edge = &thread.edges[edge.index()];
                let before = live_before(edge, &live[edge.target as usize]);
                for (known, new) in live[point].iter_mut().zip(before) {
                    changed |= new && !*known;
                    *known |= new;
                }
            }
        }
        if !changed {
            return live;
        }
    }
}

/// The registers that are live before an edge, given those after it.
fn live_before(edge: &Edge, after: &Registers) -> Registers {
    let mut live = after.clone();
    for operation in edge.operations.iter().rev() {
        if let Operation::Rmw(rmw) = operation {
            for register in rmw.value.registers().iter().chain(rmw.condition.registers()) {
                live[register.index()] = true;
            }
        }
        operation.each_assigned(|register| live[register.index()] = false);
        operation.each_expression(|expr| {
            for register in expr.registers() {
                live[register.index()] = true;
            }
        });
    }
    for register in edge.guard.iter().flat_map(Expr::registers) {
        live[register.index()] = true;
    }
    live
}
