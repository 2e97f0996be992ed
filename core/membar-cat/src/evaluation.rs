//! The slots of a plan for one execution, in one piece of memory.
//!
//! A slot's operands lie before it, so the memory is split at the slot that is written. Nothing is undone when the
//! search backtracks: each phase recomputes what it needs from rf and co.
//!
//! Models define much that a given program does not use. So it is known of each slot whether it is empty, and once the
//! static slots are computed, `restrict_to_needed` determines which slots stay empty whatever rf and co are, and which
//! then matter.

use crate::plan::{Check, CheckKind, CheckMode, Op, Plan, Primitive, Slot, Sort};
use crate::relation::Shape;
use crate::schedule::{Item, Phase, Schedule};
use membar_ir::bits::union;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::Tag;

/// What the execution itself provides.
pub trait Provider {
    /// Writes the value of a primitive; `out` is all 0.
    fn primitive(&self, primitive: Primitive, shape: Shape, out: &mut [u64]);
    /// Writes the set of events that carry a tag; `out` is all 0.
    fn tagged(&self, tag: Tag, out: &mut [u64]);
}

/// The values of all slots.
#[derive(Debug)]
pub struct Evaluation {
    shape: Shape,
    /// Where each slot begins; one more for the end.
    starts: Vec<usize>,
    memory: Vec<u64>,
    /// Slots known to have no members; their memory is 0.
    empty: Vec<bool>,
    /// Slots that need not be computed.
    idle: Vec<bool>,
}

impl Default for Evaluation {
    fn default() -> Self {
        Self {
            shape: Shape::new(0),
            starts: Vec::new(),
            memory: Vec::new(),
            empty: Vec::new(),
            idle: Vec::new(),
        }
    }
}

impl Evaluation {
    /// Makes room for `plan` over `events` events; what was there is lost.
    pub fn resize(&mut self, plan: &Plan, events: usize, watch: &mut Watch<'_>) -> Result<(), Failure> {
        let shape = Shape::new(events);
        self.idle.clear();
        self.idle.resize(plan.instructions.len(), false);
        if self.shape == shape && self.starts.len() == plan.instructions.len() + 1 {
            return Ok(());
        }
        for slot in 0..self.empty.len() {
            self.clear(slot);
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
        self.empty.clear();
        self.empty.resize(plan.instructions.len(), true);
        watch.bytes(at.saturating_mul(size_of::<u64>()))?;
        if self.memory.len() < at {
            self.memory = Vec::new();
            self.memory = zeros(at + at / 2)?;
        }
        Ok(())
    }

    /// To be called when the static slots are computed: from now on only what can matter to a check is computed.
    pub fn restrict_to_needed(&mut self, plan: &Plan, schedule: &Schedule) {
        let count = plan.instructions.len();
        // What stays empty: assumed of every slot that is not static, and taken back where it does not follow.
        let mut stays: Vec<bool> =
            (0..count).map(|slot| !schedule.is_static[slot] || self.empty[slot]).collect();
        loop {
            let mut changed = false;
            for (slot, instruction) in plan.instructions.iter().enumerate() {
                if !stays[slot] || schedule.is_static[slot] {
                    continue;
                }
                stays[slot] = match instruction.op {
                    Op::Variable => result_of(plan, slot).is_some_and(|result| stays[result.index()]),
                    op => is_empty_if(op, |operand| stays[operand.index()]),
                };
                changed |= !stays[slot];
            }
            if !changed {
                break;
            }
        }
        self.idle.fill(true);
        for check in &plan.checks {
            self.idle[check.slot.index()] = stays[check.slot.index()];
        }
        loop {
            let mut changed = false;
            for slot in (0..count).rev() {
                if self.idle[slot] {
                    continue;
                }
                let op = plan.instructions[slot].op;
                let result = if op == Op::Variable { result_of(plan, slot) } else { None };
                for operand in op.operands().chain(result).map(Slot::index) {
                    changed |= self.idle[operand] && !stays[operand];
                    self.idle[operand] &= stays[operand];
                }
            }
            if !changed {
                break;
            }
        }
        for slot in (0..count).filter(|&slot| stays[slot]) {
            self.clear(slot);
        }
    }

    /// Makes a slot empty; memory that was never written is not touched.
    fn clear(&mut self, slot: usize) {
        if !self.empty[slot] {
            self.memory[self.starts[slot]..self.starts[slot + 1]].fill(0);
            self.empty[slot] = true;
        }
    }

    /// The value of a slot.
    #[must_use]
    pub fn slot(&self, slot: Slot) -> &[u64] {
        &self.memory[self.starts[slot.index()]..self.starts[slot.index() + 1]]
    }

    /// Computes the slots of a phase and asks its required checks on the way: whether all of them hold.
    pub fn passes(
        &mut self,
        plan: &Plan,
        phase: &Phase,
        provider: &impl Provider,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        let mut tiers = phase.tiers.iter();
        for (&index, items) in phase.required.iter().zip(&mut tiers) {
            self.compute(plan, items, provider, watch)?;
            if !self.holds(plan.checks[index]) {
                return Ok(false);
            }
        }
        for items in tiers {
            self.compute(plan, items, provider, watch)?;
        }
        Ok(true)
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
    pub fn raises_flag(&self, check: Check) -> bool {
        match check.mode {
            CheckMode::Require => false,
            CheckMode::Flag => self.holds(check),
            CheckMode::UndefinedUnless => !self.holds(check),
        }
    }

    fn compute(
        &mut self,
        plan: &Plan,
        items: &[Item],
        provider: &impl Provider,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        for item in items {
            match item {
                Item::Slot(slot) => {
                    if !self.idle[slot.index()] {
                        self.compute_slot(plan, *slot, provider, watch)?;
                    }
                }
                Item::Loop { variables, body } => {
                    self.compute_loop(plan, variables, body, provider, watch)?;
                }
            }
        }
        Ok(())
    }

    fn compute_loop(
        &mut self,
        plan: &Plan,
        variables: &[(Slot, Slot)],
        body: &[Item],
        provider: &impl Provider,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        if variables.iter().all(|(variable, _)| self.idle[variable.index()]) {
            return Ok(());
        }
        for (variable, _) in variables {
            self.clear(variable.index());
        }
        loop {
            self.compute(plan, body, provider, watch)?;
            let mut changed = false;
            for &(variable, result) in variables {
                if self.idle[variable.index()] || self.slot(variable) == self.slot(result) {
                    continue;
                }
                changed = true;
                let from = self.starts[result.index()]..self.starts[result.index() + 1];
                self.memory.copy_within(from, self.starts[variable.index()]);
                self.empty[variable.index()] = self.empty[result.index()];
            }
            if !changed {
                return Ok(());
            }
        }
    }

    fn compute_slot(
        &mut self,
        plan: &Plan,
        slot: Slot,
        provider: &impl Provider,
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        let op = plan.instructions[slot.index()].op;
        if op == Op::Variable {
            return Ok(());
        }
        if is_empty_if(op, |operand| self.empty[operand.index()]) {
            self.clear(slot.index());
            return Ok(());
        }
        watch.work(self.starts[slot.index() + 1] - self.starts[slot.index()])?;
        self.empty[slot.index()] = false;
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
                provider.tagged(tag, out);
            }
            Op::Empty => out.fill(0),
            Op::Universe => shape.fill_relation(out),
            Op::Union(a, b) => combine(at(a), at(b), out, |a, b| a | b),
            Op::Intersection(a, b) => combine(at(a), at(b), out, |a, b| a & b),
            Op::Difference(a, b) => combine(at(a), at(b), out, |a, b| a & !b),
            Op::Complement(a) => shape.complement(at(a), out),
            Op::Sequence(a, b) => match (plan.instructions[a.index()].op, plan.instructions[b.index()].op) {
                (Op::Identity(set), _) => shape.restrict_domain(at(set), at(b), out),
                (_, Op::Identity(set)) => shape.restrict_range(at(a), at(set), out),
                _ => shape.sequence(at(a), at(b), out, watch)?,
            },
            Op::Inverse(a) => shape.inverse(at(a), out),
            Op::Plus(a) => {
                out.copy_from_slice(at(a));
                shape.close(out, watch)?;
            }
            Op::Star(a) => {
                out.copy_from_slice(at(a));
                shape.close(out, watch)?;
                shape.add_identity(out);
            }
            Op::Optional(a) => {
                out.fill(0);
                shape.add_identity(out);
                union(out, at(a));
            }
            Op::Identity(a) => shape.identity(at(a), out),
            Op::Product(a, b) => shape.product(at(a), at(b), out),
            Op::Domain(a) => shape.domain(at(a), out),
            Op::Range(a) => shape.range(at(a), out),
        }
        self.empty[slot.index()] = out.iter().all(|&word| word == 0);
        Ok(())
    }
}

/// Memory of so many words, all 0. The system gives pages of a large piece out when they are written, so the slots that
/// stay empty cost nothing.
fn zeros(words: usize) -> Result<Vec<u64>, CoreError> {
    let mut trial: Vec<u64> = Vec::new();
    let fits = trial.try_reserve_exact(words).is_ok();
    // Otherwise the compiler may remove an allocation that is not used.
    std::hint::black_box(&trial);
    drop(trial);
    if fits { Ok(vec![0; words]) } else { Err(CoreError::TooLarge("the relations of so many events")) }
}

/// Whether a slot has no members because of operands that have none.
fn is_empty_if(op: Op, is_empty: impl Fn(Slot) -> bool) -> bool {
    match op {
        Op::Empty => true,
        Op::Union(a, b) => is_empty(a) && is_empty(b),
        Op::Intersection(a, b) | Op::Sequence(a, b) | Op::Product(a, b) => is_empty(a) || is_empty(b),
        Op::Difference(a, _)
        | Op::Inverse(a)
        | Op::Plus(a)
        | Op::Identity(a)
        | Op::Domain(a)
        | Op::Range(a) => is_empty(a),
        Op::Primitive(_)
        | Op::Tagged(_)
        | Op::Universe
        | Op::Variable
        | Op::Complement(_)
        | Op::Star(_)
        | Op::Optional(_) => false,
    }
}

/// The slot that a variable takes its value from.
fn result_of(plan: &Plan, variable: usize) -> Option<Slot> {
    let mut all = plan.fixpoints.iter().flat_map(|fixpoint| fixpoint.variables.iter());
    all.find(|(slot, _)| slot.index() == variable).map(|&(_, result)| result)
}

fn combine(a: &[u64], b: &[u64], out: &mut [u64], f: impl Fn(u64, u64) -> u64) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use membar_ir::bits::insert;
    use membar_ir::limits::{Limits, Stop};

    /// Four events in a row; events 1 and 3 are reads and carry every tag.
    struct Row;

    impl Provider for Row {
        fn primitive(&self, primitive: Primitive, shape: Shape, out: &mut [u64]) {
            match primitive {
                Primitive::ProgramOrder => (0..3).for_each(|a| shape.relate(out, a, a + 1)),
                Primitive::Reads => self.tagged(Tag(0), out),
                _ => {}
            }
        }

        fn tagged(&self, _: Tag, out: &mut [u64]) {
            for read in [1, 3] {
                insert(out, read);
            }
        }
    }

    /// The rows (or the one word) of the last of these slots.
    fn last(slots: &[&[u64]], fixpoints: &[&[u64]]) -> Vec<u64> {
        let mut form = vec![1, 1];
        let check: &[u64] = &[2, slots.len() as u64 - 1, 0, 0];
        for list in [slots, fixpoints, &[check]] {
            form.push(list.len() as u64);
            form.extend(list.iter().copied().flatten());
        }
        let plan = Plan::decode(&form).unwrap();
        let stop = Stop::default();
        let mut watch = Watch::new(&stop, Limits::default());
        let mut evaluation = Evaluation::default();
        evaluation.resize(&plan, 4, &mut watch).unwrap();
        evaluation.passes(&plan, &Schedule::new(&plan, true).statics, &Row, &mut watch).unwrap();
        evaluation.slot(plan.checks[0].slot).to_vec()
    }

    const PO: &[u64] = &[0, 1, 8];
    const R: &[u64] = &[0, 0, 0];

    #[test]
    fn operators_have_their_meaning() {
        assert_eq!(last(&[PO], &[]), [0b0010, 0b0100, 0b1000, 0]);
        assert_eq!(last(&[PO, &[9, 1, 0]], &[]), [0, 0b0001, 0b0010, 0b0100]);
        assert_eq!(last(&[PO, &[10, 1, 0]], &[]), [0b1110, 0b1100, 0b1000, 0]);
        assert_eq!(last(&[PO, &[11, 1, 0]], &[]), [0b1111, 0b1110, 0b1100, 0b1000]);
        assert_eq!(last(&[PO, &[12, 1, 0]], &[]), [0b0011, 0b0110, 0b1100, 0b1000]);
        assert_eq!(last(&[PO, &[8, 1, 0, 0]], &[]), [0b0100, 0b1000, 0, 0]);
        assert_eq!(last(&[PO, &[7, 1, 0]], &[]), [0b1101, 0b1011, 0b0111, 0b1111]);
        assert_eq!(last(&[PO, &[15, 0, 0]], &[]), [0b0111]);
        assert_eq!(last(&[PO, &[16, 0, 0]], &[]), [0b1110]);
        assert_eq!(last(&[R, &[7, 0, 0]], &[]), [0b0101]);
        assert_eq!(last(&[&[1, 0, 0]], &[]), [0b1010]);
        assert_eq!(last(&[R, &[13, 1, 0]], &[]), [0, 0b0010, 0, 0b1000]);
        assert_eq!(last(&[R, &[14, 1, 0, 0]], &[]), [0, 0b1010, 0, 0b1010]);
        assert_eq!(last(&[&[3, 1], PO, &[6, 1, 0, 1], &[5, 1, 2, 1]], &[]), [0; 4]);
        assert_eq!(last(&[&[2, 0], R, &[4, 0, 0, 1]], &[]), [0b1010]);
    }

    #[test]
    fn a_least_fixpoint_is_the_transitive_closure() {
        // let rec v = po | (v ; po)
        let slots: &[&[u64]] = &[PO, &[17, 1], &[8, 1, 1, 0], &[4, 1, 0, 2]];
        assert_eq!(last(slots, &[&[1, 3, 1, 1, 3]]), last(&[PO, &[10, 1, 0]], &[]));
    }
}
