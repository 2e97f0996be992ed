//! Compact forms written by hand, for the tests of the search.

use membar_cat::plan::Plan;
use membar_cat::schedule::Schedule;
use membar_graphs::enumeration::{Options, search};
use membar_graphs::findings::Findings;
use membar_ir::decoder::VERSION;
use membar_ir::limits::{Limits, Stop};
use membar_ir::program::Program;

pub(crate) type Words = Vec<u64>;

pub(crate) const X: u64 = 0x1000;
pub(crate) const Y: u64 = 0x2000;

pub(crate) fn list(items: &[Words]) -> Words {
    std::iter::once(items.len() as u64).chain(items.iter().flatten().copied()).collect()
}

pub(crate) fn constant(value: u64) -> Words {
    vec![2, 0, value]
}

pub(crate) fn register(number: u64) -> Words {
    vec![2, 1, number]
}

/// A register plus a constant.
pub(crate) fn plus(number: u64, value: u64) -> Words {
    vec![5, 1, number, 0, value, 16]
}

fn joined(parts: &[&[u64]]) -> Words {
    parts.concat()
}

pub(crate) fn load(register: u64, address: u64) -> Words {
    load_from(register, &constant(address))
}

pub(crate) fn load_from(register: u64, address: &[u64]) -> Words {
    joined(&[&[0, register], address, &[4, 0, 0, 0]])
}

pub(crate) fn load_exclusive(register: u64, address: u64) -> Words {
    joined(&[&[0, register], &constant(address), &[4, 0, 0, 1]])
}

pub(crate) fn store(address: u64, value: &[u64]) -> Words {
    joined(&[&[1], &constant(address), value, &[4, 0, 0]])
}

pub(crate) fn store_conditional(status: u64, address: u64, value: u64) -> Words {
    joined(&[&[2, status], &constant(address), &constant(value), &[4, 0, 0]])
}

/// Fetch-and-add of 1.
pub(crate) fn increment(register: u64, address: u64) -> Words {
    joined(&[&[3, register], &constant(address), &plus(register, 1), &constant(1), &[4, 0, 0, 0, 0]])
}

pub(crate) fn fence() -> Words {
    vec![4, 1, 0]
}

pub(crate) fn assume(condition: &[u64]) -> Words {
    joined(&[&[6], condition, &[0]])
}

pub(crate) fn assertion(condition: &[u64]) -> Words {
    joined(&[&[7], condition])
}

pub(crate) fn choose(register: u64, low: u64, high: u64) -> Words {
    joined(&[&[8, register], &constant(low), &constant(high), &[0]])
}

pub(crate) fn spawn(thread: u64) -> Words {
    vec![9, thread]
}

pub(crate) fn join(thread: u64) -> Words {
    vec![10, thread]
}

/// An edge with one operation, or none.
pub(crate) fn edge(source: u64, target: u64, is_back: bool, guard: &[u64], operations: &[Words]) -> Words {
    joined(&[&[source, target, u64::from(is_back), 0, 0, 0], guard, &list(operations)])
}

/// A straight line of operations on four registers.
pub(crate) fn thread(operations: &[Words]) -> Words {
    thread_with(true, operations)
}

pub(crate) fn thread_with(started: bool, operations: &[Words]) -> Words {
    let edges: Vec<Words> = operations
        .iter()
        .zip(0..)
        .map(|(op, at)| edge(at, at + 1, false, &constant(1), std::slice::from_ref(op)))
        .collect();
    automaton(started, operations.len() as u64 + 1, &edges)
}

pub(crate) fn automaton(started: bool, points: u64, edges: &[Words]) -> Words {
    let registers = list(&[vec![1, 0], vec![0, 0], vec![0, 0], vec![0, 0]]);
    joined(&[&[u64::from(started)], &registers, &[0, points, 0, 0, 0, 0, 0, 0], &list(edges)])
}

/// Cells `X` and `Y`, tag set 0 empty and 1 with tag 0, and all that final states show: register 0 of each thread, then
/// the cells.
pub(crate) fn program(threads: &[Words]) -> Words {
    let objects = list(&[vec![X, 4, 0, 1, 0], vec![Y, 4, 0, 1, 0]]);
    let tag_sets = list(&[vec![0], vec![1, 0]]);
    let mut terms: Vec<Words> = (0..threads.len() as u64).map(|thread| vec![0, thread, 0]).collect();
    terms.extend([vec![1, 0], vec![1, 1]]);
    joined(&[&[VERSION], &objects, &[0], &tag_sets, &list(threads), &list(&terms), &[0, 0]])
}

/// A model with one tag: these slots and these checks.
pub(crate) fn model(slots: &[Words], checks: &[Words]) -> Words {
    joined(&[&[1, 1], &list(slots), &[0], &list(checks)])
}

// Slots 0 to 4: po, rf, co, fr = rf^-1 ; co, and the union of the last three.
fn communication() -> Vec<Words> {
    vec![
        vec![0, 1, 8],
        vec![0, 1, 15],
        vec![0, 1, 16],
        vec![9, 1, 1],
        vec![8, 1, 3, 2],
        vec![4, 1, 1, 2],
        vec![4, 1, 5, 4],
    ]
}

/// acyclic po | rf | co | fr, and atomicity.
pub(crate) fn sc() -> Words {
    let mut slots = communication();
    slots.extend([vec![4, 1, 0, 6], vec![0, 1, 12], vec![8, 1, 4, 2], vec![5, 1, 8, 9]]);
    model(&slots, &[vec![0, 7, 0, 0], vec![2, 10, 0, 0]])
}

/// acyclic (po & loc) | rf | co | fr.
pub(crate) fn coherence() -> Words {
    let mut slots = communication();
    slots.extend([vec![0, 1, 5], vec![5, 1, 0, 7], vec![4, 1, 8, 6]]);
    model(&slots, &[vec![0, 9, 0, 0]])
}

/// No check at all.
pub(crate) fn anything() -> Words {
    model(&[], &[])
}

pub(crate) fn options() -> Options {
    Options { bound: 2, limits: Limits::default(), keep_all: false }
}

pub(crate) fn run_with(model: &[u64], program: &[u64], options: Options, prune: bool) -> Findings {
    let plan = Plan::decode(model).expect("a valid plan");
    let program = Program::decode(program, plan.tags).expect("a valid program");
    let schedule = if prune { Schedule::of_forced(&plan) } else { Schedule::new(&plan, false) };
    search(&program, &plan, &schedule, options, &Stop::default()).expect("within the core's limits")
}

/// Searches with and without pruning, which must find the same.
pub(crate) fn run(model: &[u64], program: &[u64]) -> Findings {
    let pruned = run_with(model, program, options(), true);
    let plain = run_with(model, program, options(), false);
    let counts = |found: &Findings| {
        let states: Vec<_> = found.states.iter().map(|(state, seen)| (state.clone(), seen.count)).collect();
        (found.executions, found.blocked, states)
    };
    assert_eq!(counts(&pruned), counts(&plain), "pruning changes nothing");
    pruned
}

/// The final states.
pub(crate) fn states(found: &Findings) -> Vec<Vec<u64>> {
    found.states.keys().map(|state| state.to_vec()).collect()
}
