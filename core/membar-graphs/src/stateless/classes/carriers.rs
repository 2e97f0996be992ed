//! Constraints on coherence order, read off a model's checks.
//!
//! Two shapes of required checks force pairs of co. Both must only get worse while rf and co grow.
//! - `acyclic X`, where X takes in co and fr: for a write `w` and an event `e` of its location with `(w, e)` in X+, `w`
//!   comes before the write that `e` is or reads from. Otherwise there were `(e, w)` in co or in fr, and a cycle.
//! - `irreflexive A ; eco?`, where A does not need co and eco is the closure of rf, co and fr: for events `d`, `e` of one
//!   location with `(d, e)` in A, what `d` is or reads from comes before what `e` is or reads from, unless they are the
//!   same. Otherwise `(e, d)` were in eco.

use membar_cat::plan::{CheckKind, Op, Plan, Primitive, Slot};
use membar_cat::schedule::Schedule;

/// Slots whose pairs force pairs of co.
#[derive(Debug, Default)]
pub(super) struct Carriers {
    /// The X of `acyclic X`.
    pub(super) acyclic: Vec<usize>,
    /// The A of `irreflexive A ; eco?`.
    pub(super) irreflexive: Vec<usize>,
}

impl Carriers {
    /// Those of a plan.
    pub(super) fn new(plan: &Plan, schedule: &Schedule) -> Self {
        let shapes = Shapes { plan };
        let mut carriers = Self::default();
        for &index in &schedule.growing_reads.required {
            let check = plan.checks[index];
            match check.kind {
                CheckKind::Acyclic => {
                    let mut parts = Vec::new();
                    shapes.parts(check.slot, &mut parts);
                    if shapes.has_coherence_and_from_reads(&parts) {
                        carriers.acyclic.push(check.slot.index());
                    }
                }
                CheckKind::Irreflexive => {
                    carriers.irreflexive.extend(shapes.before_communication(check.slot).map(Slot::index));
                }
                CheckKind::Empty => {}
            }
        }
        carriers
    }
}

struct Shapes<'a> {
    plan: &'a Plan,
}

impl Shapes<'_> {
    fn op(&self, slot: Slot) -> Op {
        self.plan.instructions[slot.index()].op
    }

    fn is(&self, slot: Slot, primitive: Primitive) -> bool {
        matches!(self.op(slot), Op::Primitive(found) if found == primitive)
    }

    /// `rf^-1 ; co`
    fn is_from_reads(&self, slot: Slot) -> bool {
        let Op::Sequence(first, second) = self.op(slot) else { return false };
        let Op::Inverse(read) = self.op(first) else { return false };
        self.is(read, Primitive::ReadsFrom) && self.is(second, Primitive::Coherence)
    }

    /// The operands of a union of unions.
    fn parts(&self, slot: Slot, out: &mut Vec<Slot>) {
        if let Op::Union(a, b) = self.op(slot) {
            self.parts(a, out);
            self.parts(b, out);
        } else {
            out.push(slot);
        }
    }

    fn has_coherence_and_from_reads(&self, parts: &[Slot]) -> bool {
        parts.iter().any(|&part| self.is(part, Primitive::Coherence))
            && parts.iter().any(|&part| self.is_from_reads(part))
    }

    /// The A of `A ; (rf | co | fr)*`.
    fn before_communication(&self, slot: Slot) -> Option<Slot> {
        let Op::Sequence(before, rest) = self.op(slot) else { return None };
        let step = match self.op(rest) {
            Op::Star(step) => step,
            Op::Optional(plus) => match self.op(plus) {
                Op::Plus(step) => step,
                _ => return None,
            },
            _ => return None,
        };
        let mut parts = Vec::new();
        self.parts(step, &mut parts);
        let is_communication = self.has_coherence_and_from_reads(&parts)
            && parts.iter().any(|&part| self.is(part, Primitive::ReadsFrom));
        (is_communication && !self.needs_coherence(before)).then_some(before)
    }

    fn needs_coherence(&self, slot: Slot) -> bool {
        match self.op(slot) {
            Op::Primitive(primitive) => {
                matches!(primitive, Primitive::Coherence | Primitive::FinalWrites)
            }
            Op::Variable => true,
            op => op.operands().any(|operand| self.needs_coherence(operand)),
        }
    }
}
