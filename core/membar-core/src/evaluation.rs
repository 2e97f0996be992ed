//! The slots of a plan for one execution, in one piece of memory.
//!
//! A slot's operands lie before it, so the memory is split at the slot that is written. Nothing is undone when the
//! search goes back: what a phase needs is computed again from rf and co.

use crate::plan::{Check, CheckKind, CheckMode, Op, Plan, Primitive, Slot, Sort, Tag};
use crate::relation::{Shape, union_into};
use crate::schedule::{Item, Phase};

/// What the execution itself provides.
pub trait Provider {
    /// Writes the value of a primitive; `out` is all 0.
    fn primitive(&self, primitive: Primitive, shape: Shape, out: &mut [u64]);
    /// Writes the set of events that carry a tag; `out` is all 0.
    fn tagged(&self, tag: Tag, shape: Shape, out: &mut [u64]);
}

/// The values of all slots.
#[derive(Debug)]
pub struct Evaluation {
    shape: Shape,
    /// Where each slot begins; one more for the end.
    starts: Vec<usize>,
    memory: Vec<u64>,
}

impl Default for Evaluation {
    fn default() -> Self {
        Self { shape: Shape::new(0), starts: Vec::new(), memory: Vec::new() }
    }
}

impl Evaluation {
    /// Makes room for `plan` over `events` events; what was there is lost.
    pub fn resize(&mut self, plan: &Plan, events: usize) {
        let shape = Shape::new(events);
        if self.shape == shape && self.starts.len() == plan.instructions.len() + 1 {
            return;
        }
        self.shape = shape;
        self.starts.clear();
        let mut at = 0;
        self.starts.push(at);
        for instruction in &plan.instructions {
            at += match instruction.sort {
                Sort::Set => shape.set(),
                Sort::Relation => shape.relation(),
            };
            self.starts.push(at);
        }
        self.memory.clear();
        self.memory.resize(at, 0);
    }

    /// The value of a slot.
    #[must_use]
    pub fn slot(&self, slot: Slot) -> &[u64] {
        &self.memory[self.starts[slot.index()]..self.starts[slot.index() + 1]]
    }

    /// Computes the slots of a phase, then asks its required checks: the first that fails, if any.
    pub fn run(&mut self, plan: &Plan, phase: &Phase, provider: &impl Provider) -> Option<usize> {
        self.compute(plan, &phase.items, provider);
        phase.required.iter().copied().find(|&index| !self.holds(plan.checks[index]))
    }

    /// Whether a check is true as written.
    #[must_use]
    pub fn holds(&self, check: Check) -> bool {
        let value = self.slot(check.slot);
        let plain = match check.kind {
            CheckKind::Acyclic => self.shape.is_acyclic(value),
            CheckKind::Irreflexive => self.shape.is_irreflexive(value),
            CheckKind::Empty => value.iter().all(|&word| word == 0),
        };
        plain != check.negated
    }

    /// Whether a check that is no requirement has something to say.
    #[must_use]
    pub fn remarks(&self, check: Check) -> bool {
        match check.mode {
            CheckMode::Require => false,
            CheckMode::Flag => self.holds(check),
            CheckMode::UndefinedUnless => !self.holds(check),
        }
    }

    fn compute(&mut self, plan: &Plan, items: &[Item], provider: &impl Provider) {
        for item in items {
            match item {
                Item::Slot(slot) => self.compute_slot(plan.instructions[slot.index()].op, *slot, provider),
                Item::Loop { variables, body } => {
                    for &(variable, _) in variables {
                        let range = self.starts[variable.index()]..self.starts[variable.index() + 1];
                        self.memory[range].fill(0);
                    }
                    loop {
                        self.compute(plan, body, provider);
                        let mut changed = false;
                        for &(variable, result) in variables {
                            changed |= self.slot(variable) != self.slot(result);
                            let from = self.starts[result.index()]..self.starts[result.index() + 1];
                            self.memory.copy_within(from, self.starts[variable.index()]);
                        }
                        if !changed {
                            break;
                        }
                    }
                }
            }
        }
    }

    fn compute_slot(&mut self, op: Op, slot: Slot, provider: &impl Provider) {
        let shape = self.shape;
        let (before, rest) = self.memory.split_at_mut(self.starts[slot.index()]);
        let out = &mut rest[..self.starts[slot.index() + 1] - self.starts[slot.index()]];
        let at = |slot: Slot| &before[self.starts[slot.index()]..self.starts[slot.index() + 1]];
        match op {
            Op::Variable => {}
            Op::Primitive(primitive) => {
                out.fill(0);
                provider.primitive(primitive, shape, out);
            }
            Op::Tagged(tag) => {
                out.fill(0);
                provider.tagged(tag, shape, out);
            }
            Op::Empty => out.fill(0),
            Op::Universe => shape.fill_relation(out),
            Op::Union(a, b) => combine(at(a), at(b), out, |a, b| a | b),
            Op::Intersection(a, b) => combine(at(a), at(b), out, |a, b| a & b),
            Op::Difference(a, b) => combine(at(a), at(b), out, |a, b| a & !b),
            Op::Complement(a) => shape.complement(at(a), out),
            Op::Sequence(a, b) => shape.sequence(at(a), at(b), out),
            Op::Inverse(a) => shape.inverse(at(a), out),
            Op::Plus(a) => {
                out.copy_from_slice(at(a));
                shape.close(out);
            }
            Op::Star(a) => {
                out.copy_from_slice(at(a));
                shape.close(out);
                shape.reflect(out);
            }
            Op::Optional(a) => {
                out.fill(0);
                shape.reflect(out);
                union_into(out, at(a));
            }
            Op::Identity(a) => shape.identity(at(a), out),
            Op::Product(a, b) => shape.product(at(a), at(b), out),
            Op::Domain(a) => shape.domain(at(a), out),
            Op::Range(a) => shape.range(at(a), out),
        }
    }
}

fn combine(a: &[u64], b: &[u64], out: &mut [u64], f: impl Fn(u64, u64) -> u64) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
}
