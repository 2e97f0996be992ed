//! Symmetry of identical threads, for claims about runs: states that differ only in which of the threads is in which
//! local state are one. Of each class the state is kept in which the local states of the threads are sorted.
//!
//! Threads are identical if their code is the same, word for word, and no predicate of the claim tells them apart.

use membar_ir::error::CoreError;
use membar_ir::program::{Observable, Operation, Predicate};

use super::program::Program;
use super::successors::too_many;
use super::system::System;

/// Most control points of which a predicate may speak: all combinations of their truth are tried.
const MOST_POINTS: usize = 12;

/// Threads that may be exchanged.
#[derive(Debug)]
pub(super) struct Symmetry {
    pub(super) groups: Vec<Vec<usize>>,
}

impl Symmetry {
    /// The identical threads of a program of which only `predicates` are asked; None if there are none.
    pub(super) fn new(program: &Program, predicates: &[usize]) -> Option<Self> {
        let names_threads =
            |operation: &Operation| matches!(operation, Operation::Spawn { .. } | Operation::Join { .. });
        if program.operations().any(names_threads) {
            return None;
        }
        let predicates: Vec<&Predicate> =
            predicates.iter().map(|&predicate| &program.predicates[predicate]).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for thread in 0..program.threads.len() {
            let is_like = |group: &&mut Vec<usize>| {
                program.threads[group[0]] == program.threads[thread]
                    && program.cleared[group[0]] == program.cleared[thread]
            };
            match groups.iter_mut().find(is_like) {
                Some(group) => group.push(thread),
                None => groups.push(vec![thread]),
            }
        }
        for group in &mut groups {
            let exchanges = group.windows(2).map(|pair| (pair[0], pair[1]));
            let are_alike = exchanges
                .clone()
                .all(|pair| predicates.iter().all(|predicate| is_unchanged(predicate, pair)));
            if !are_alike {
                group.retain(|&thread| !predicates.iter().any(|predicate| reads(predicate, thread)));
            }
        }
        groups.retain(|group| group.len() > 1);
        (!groups.is_empty()).then_some(Self { groups })
    }

    /// Makes a state the one that is kept of its class.
    pub(super) fn normalize(&self, system: &mut System, leaves: &mut [u32]) -> Result<(), CoreError> {
        let words = system.program.words;
        let locals = &mut system.stepper.locals;
        for group in &self.groups {
            let part = |thread: usize| locals[thread].get(leaves[words + thread]);
            if group.windows(2).all(|pair| part(pair[0]) <= part(pair[1])) {
                continue;
            }
            let mut parts: Vec<Vec<u8>> = group.iter().map(|&thread| part(thread).to_vec()).collect();
            parts.sort_unstable();
            for (&thread, part) in group.iter().zip(&parts) {
                leaves[words + thread] = locals[thread].number(part).ok_or_else(too_many)?;
            }
        }
        Ok(())
    }
}

/// Whether a predicate looks at a thread.
fn reads(predicate: &Predicate, thread: usize) -> bool {
    predicate.reads.iter().any(|read| match read {
        Observable::Cell(_) => false,
        Observable::Register(who, _) | Observable::At(who, _) => who.index() == thread,
    })
}

/// Whether exchanging two threads never changes a predicate: it does not look at them or, if it is about control points
/// alone, no combination of their truth tells the threads apart.
fn is_unchanged(predicate: &Predicate, (one, other): (usize, usize)) -> bool {
    if !reads(predicate, one) && !reads(predicate, other) {
        return true;
    }
    let exchanged = |thread: usize| match thread {
        _ if thread == one => other,
        _ if thread == other => one,
        _ => thread,
    };
    // Where what is read after the exchange stands among what is read.
    let place = |read: &Observable| {
        let Observable::At(who, points) = read else { return None };
        let is_it = |candidate: &Observable| {
            matches!(candidate, Observable::At(whose, others)
                if whose.index() == exchanged(who.index()) && others == points)
        };
        predicate.reads.iter().position(is_it)
    };
    let places: Option<Vec<usize>> = predicate.reads.iter().map(place).collect();
    let Some(places) = places.filter(|places| places.len() <= MOST_POINTS) else { return false };
    let mut stack = Vec::new();
    (0..1_u64 << places.len()).all(|bits| {
        let before: Vec<u64> = (0..places.len()).map(|place| bits >> place & 1).collect();
        let after: Vec<u64> = places.iter().map(|&place| before[place]).collect();
        let truth = |values: &[u64], stack: &mut Vec<u64>| predicate.expression.evaluate(values, stack) != 0;
        truth(&before, &mut stack) == truth(&after, &mut stack)
    })
}
