//! What the checks of a model say about coherence order, recognised by their shape in a prepared plan.

use crate::lazy_plan::{LazyPlan, Node};
use crate::plan::{Check, CheckKind, Op, Primitive};

/// A check that refuses `before ; (rf | co | fr)+` loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoherenceRule {
    /// `before` is the transitive closure of the union of these slots.
    pub(crate) parts: Vec<usize>,
    /// Which earlier event of its thread surely lies before an event.
    pub(crate) step: Step,
}

/// A part of program order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Every earlier event of the same location.
    SameLocation,
    /// Every earlier event.
    Any,
}

/// Slots whose pairs force pairs of co. Both must only get worse while rf and co grow.
#[derive(Debug, Default)]
pub struct CoherenceConstraints {
    /// The X of `acyclic X`, where X takes in co and fr: for a write `w` and an event `e` of its location with `(w, e)` in
    /// X+, `w` comes before the write that `e` is or reads from. Otherwise there were `(e, w)` in co or in fr, and a cycle.
    pub acyclic: Vec<usize>,
    /// The A of `irreflexive A ; eco?`, where A does not need co and eco is the closure of rf, co and fr: for events `d`,
    /// `e` of one location with `(d, e)` in A, what `d` is or reads from comes before what `e` is or reads from, unless
    /// they are the same. Otherwise `(e, d)` were in eco.
    pub irreflexive: Vec<usize>,
}

impl CoherenceConstraints {
    /// Those of a plan for programs of all kinds.
    #[must_use]
    pub fn of(plan: &LazyPlan) -> Self {
        let shapes = Shapes(&plan.nodes);
        let mut found = Self::default();
        for check in plan.growing.iter().filter(|check| !check.negated) {
            let slot = check.slot.index();
            match check.kind {
                CheckKind::Acyclic if shapes.are_co_and_fr(&shapes.parts(slot)) => found.acyclic.push(slot),
                CheckKind::Irreflexive => {
                    let before = shapes.before_communications(slot);
                    found.irreflexive.extend(before.filter(|&before| !plan.needs_coherence[before]));
                }
                _ => {}
            }
        }
        found
    }
}

/// Recognises shapes among the slots of a prepared plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shapes<'n>(pub(crate) &'n [Node]);

impl Shapes<'_> {
    /// The strongest rule among `checks`, which all must hold of every graph.
    pub(crate) fn coherence_rule(&self, checks: &[Check]) -> Option<CoherenceRule> {
        let all = checks.iter().filter(|check| !check.negated);
        all.filter_map(|&check| self.rule(check)).max_by_key(|rule| rule.step)
    }

    /// Whether a check holds of every graph of the search: prefixes have no cycles.
    pub(crate) fn is_given(&self, check: Check) -> bool {
        let slot = check.slot.index();
        check.kind == CheckKind::Acyclic && !check.negated && self.is_forward(slot) && self.is_strict(slot)
    }

    /// The A of `A ; (rf | co | fr)*`.
    fn before_communications(&self, slot: usize) -> Option<usize> {
        let Node::Sequence(before, rest) = self.0[slot] else { return None };
        let steps = match self.0[rest] {
            Node::Star(steps) => steps,
            Node::Optional(plus) => match self.0[plus] {
                Node::Plus(steps) => steps,
                _ => return None,
            },
            _ => return None,
        };
        self.are_communications(&self.parts(steps)).then_some(before)
    }

    fn rule(&self, check: Check) -> Option<CoherenceRule> {
        let slot = check.slot.index();
        match (check.kind, &self.0[slot]) {
            (CheckKind::Acyclic, _) => {
                let parts = self.parts(slot);
                self.are_communications(&parts).then(|| self.rule_of(parts))?
            }
            (CheckKind::Irreflexive, &Node::Sequence(a, b)) => {
                [(a, b), (b, a)].into_iter().find_map(|(before, after)| self.rule_of_sequence(before, after))
            }
            _ => None,
        }
    }

    fn rule_of_sequence(&self, before: usize, after: usize) -> Option<CoherenceRule> {
        let Node::Plus(inner) = self.0[before] else { return None };
        let after = if let Node::Optional(inner) = self.0[after] { inner } else { after };
        let reaches = match self.0[after] {
            Node::Plus(steps) | Node::Star(steps) => self.are_communications(&self.parts(steps)),
            _ => self.are_closed(&self.parts(after)),
        };
        if reaches { self.rule_of(self.parts(inner)) } else { None }
    }

    fn rule_of(&self, parts: Vec<usize>) -> Option<CoherenceRule> {
        let step = parts.iter().filter_map(|&part| self.step(part)).max()?;
        let parts = parts.into_iter().filter(|&part| self.is_forward(part)).collect();
        Some(CoherenceRule { parts, step })
    }

    /// The operands of a union of unions.
    pub(crate) fn parts(&self, slot: usize) -> Vec<usize> {
        match self.0[slot] {
            Node::Union(a, b) => [self.parts(a), self.parts(b)].concat(),
            _ => vec![slot],
        }
    }

    fn is(&self, slot: usize, primitive: Primitive) -> bool {
        matches!(self.0[slot], Node::Given(Op::Primitive(other)) if other == primitive)
    }

    /// Whether rf, co and fr are among `parts`.
    fn are_communications(&self, parts: &[usize]) -> bool {
        parts.iter().any(|&part| self.is(part, Primitive::ReadsFrom)) && self.are_co_and_fr(parts)
    }

    /// Whether co and fr are among `parts`.
    fn are_co_and_fr(&self, parts: &[usize]) -> bool {
        parts.iter().any(|&part| self.is(part, Primitive::Coherence))
            && parts.iter().any(|&part| self.is_from_reads(part))
    }

    /// Whether `co ; rf?` and `fr ; rf?` are among `parts`.
    fn are_closed(&self, parts: &[usize]) -> bool {
        let first = |part: usize| match self.0[part] {
            Node::Sequence(first, last) => match self.0[last] {
                Node::Optional(rf) if self.is(rf, Primitive::ReadsFrom) => Some(first),
                _ => None,
            },
            _ => None,
        };
        let has = |test: &dyn Fn(usize) -> bool| parts.iter().filter_map(|&part| first(part)).any(test);
        has(&|first| self.is(first, Primitive::Coherence)) && has(&|first| self.is_from_reads(first))
    }

    fn is_from_reads(&self, slot: usize) -> bool {
        let Node::Sequence(a, co) = self.0[slot] else { return false };
        self.is(co, Primitive::Coherence)
            && matches!(self.0[a], Node::Inverse(rf) if self.is(rf, Primitive::ReadsFrom))
    }

    fn step(&self, part: usize) -> Option<Step> {
        match self.0[part] {
            Node::Intersection(a, b) => {
                let is = |po: usize, loc: usize| {
                    self.is(po, Primitive::ProgramOrder) && self.is(loc, Primitive::SameLocation)
                };
                (is(a, b) || is(b, a)).then_some(Step::SameLocation)
            }
            _ => self.is(part, Primitive::ProgramOrder).then_some(Step::Any),
        }
    }

    /// Whether a pair only leads from the prefix of an event to that event, or to itself, and depends on nothing else.
    fn is_forward(&self, slot: usize) -> bool {
        match &self.0[slot] {
            Node::Given(Op::Primitive(primitive)) => matches!(
                primitive,
                Primitive::ProgramOrder
                    | Primitive::ReadsFrom
                    | Primitive::SpawnJoin
                    | Primitive::Atomic
                    | Primitive::Exclusive
                    | Primitive::Address
                    | Primitive::Data
                    | Primitive::Control
            ),
            Node::Empty => true,
            Node::Union(a, b) | Node::Sequence(a, b) => self.is_forward(*a) && self.is_forward(*b),
            Node::Intersection(a, b) => {
                let is_pairwise = |slot: usize| self.is_forward(slot) || self.is_pairwise(slot);
                (self.is_forward(*a) && is_pairwise(*b)) || (self.is_forward(*b) && is_pairwise(*a))
            }
            Node::Difference(a, without) => {
                self.is_forward(*a) && without.iter().all(|&part| self.is_pairwise(part))
            }
            Node::From(set, relation) | Node::To(relation, set) => {
                self.is_set(*set) && self.is_forward(*relation)
            }
            Node::Plus(a) | Node::Star(a) | Node::Optional(a) => self.is_forward(*a),
            Node::Identity(set) => self.is_set(*set),
            _ => false,
        }
    }

    /// Of what leads forward: whether it never leads to the event itself.
    fn is_strict(&self, slot: usize) -> bool {
        match &self.0[slot] {
            Node::Given(_) | Node::Empty => true,
            Node::Union(a, b) => self.is_strict(*a) && self.is_strict(*b),
            Node::Sequence(a, b) | Node::Intersection(a, b) => self.is_strict(*a) || self.is_strict(*b),
            Node::Difference(a, _) | Node::From(_, a) | Node::To(a, _) | Node::Plus(a) => self.is_strict(*a),
            _ => false,
        }
    }

    /// Whether it depends on nothing but the two events.
    fn is_pairwise(&self, slot: usize) -> bool {
        match &self.0[slot] {
            Node::Given(Op::Primitive(primitive)) => matches!(
                primitive,
                Primitive::SameLocation
                    | Primitive::Internal
                    | Primitive::External
                    | Primitive::ProgramOrder
                    | Primitive::Address
                    | Primitive::Data
                    | Primitive::Control
            ),
            Node::Empty | Node::Universe => true,
            Node::Union(a, b) | Node::Intersection(a, b) => self.is_pairwise(*a) && self.is_pairwise(*b),
            Node::Difference(a, without) => {
                self.is_pairwise(*a) && without.iter().all(|&part| self.is_pairwise(part))
            }
            Node::Complement(a) => self.is_pairwise(*a),
            Node::Product(a, b) => self.is_set(*a) && self.is_set(*b),
            Node::Identity(set) => self.is_set(*set),
            _ => false,
        }
    }

    /// Whether membership depends on nothing but the event.
    fn is_set(&self, slot: usize) -> bool {
        match &self.0[slot] {
            Node::Given(Op::Tagged(_)) | Node::Empty | Node::Universe => true,
            Node::Given(Op::Primitive(primitive)) => matches!(
                primitive,
                Primitive::Reads | Primitive::Writes | Primitive::Fences | Primitive::InitialWrites
            ),
            Node::Union(a, b) | Node::Intersection(a, b) => self.is_set(*a) && self.is_set(*b),
            Node::Difference(a, without) => self.is_set(*a) && without.iter().all(|&part| self.is_set(part)),
            Node::Complement(a) => self.is_set(*a),
            _ => false,
        }
    }
}
