//! What a model is asked, made ready once per program: which slot is computed how, cheap operands first.

use crate::stateless::coherence_bounds::{Rule, Step, is_given, rule};
use crate::stateless::kinds::Kinds;
use membar_cat::plan::{Check, CheckMode, Op, Plan, Primitive, Slot, Sort};
use membar_cat::schedule::Schedule;

/// How a slot is computed here; operands that cost less stand first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    /// From the graph.
    Given(Op),
    Empty,
    Universe,
    Union(usize, usize),
    Intersection(usize, usize),
    /// The first without all others.
    Difference(usize, Box<[usize]>),
    Complement(usize),
    /// `[S] ; r`
    From(usize, usize),
    /// `r ; [S]`
    To(usize, usize),
    Sequence(usize, usize),
    Inverse(usize),
    Plus(usize),
    Star(usize),
    Optional(usize),
    Identity(usize),
    Product(usize, usize),
    Domain(usize),
    Range(usize),
}

impl Segment {
    /// The same with operands elsewhere.
    pub(super) fn moved(&self, to: &[usize]) -> Self {
        match self {
            Self::Given(op) => Self::Given(*op),
            Self::Empty => Self::Empty,
            Self::Universe => Self::Universe,
            Self::Union(a, b) => Self::Union(to[*a], to[*b]),
            Self::Intersection(a, b) => Self::Intersection(to[*a], to[*b]),
            Self::Difference(a, without) => {
                Self::Difference(to[*a], without.iter().map(|&part| to[part]).collect())
            }
            Self::Complement(a) => Self::Complement(to[*a]),
            Self::From(set, r) => Self::From(to[*set], to[*r]),
            Self::To(r, set) => Self::To(to[*r], to[*set]),
            Self::Sequence(a, b) => Self::Sequence(to[*a], to[*b]),
            Self::Inverse(a) => Self::Inverse(to[*a]),
            Self::Plus(a) => Self::Plus(to[*a]),
            Self::Star(a) => Self::Star(to[*a]),
            Self::Optional(a) => Self::Optional(to[*a]),
            Self::Identity(a) => Self::Identity(to[*a]),
            Self::Product(a, b) => Self::Product(to[*a], to[*b]),
            Self::Domain(a) => Self::Domain(to[*a]),
            Self::Range(a) => Self::Range(to[*a]),
        }
    }
}

/// A plan made ready for graphs that grow.
#[derive(Debug)]
pub(super) struct Questions {
    pub(super) nodes: Vec<Segment>,
    pub(super) sorts: Vec<Sort>,
    pub(super) is_static: Vec<bool>,
    /// Asked of partial graphs.
    pub(super) growing: Vec<Check>,
    /// Asked of whole graphs, beside those.
    pub(super) last: Vec<Check>,
    /// No requirements, with their numbers.
    pub(super) remarks: Vec<(usize, Check)>,
    /// What surely lies before an event: the slot, and how an event follows on earlier ones of its thread.
    pub(super) before: Option<(usize, Step)>,
}

impl Questions {
    /// The questions of a plan about programs with certain kinds of events; None if it has recursive definitions, which
    /// are left to `evaluation`. `has_holes`: events need not come in program order.
    pub(super) fn new(
        plan: &Plan,
        schedule: &Schedule,
        kinds: Option<&Kinds<'_>>,
        has_holes: bool,
    ) -> Option<Self> {
        if !plan.fixpoints.is_empty() {
            return None;
        }
        let growing = &schedule.growing_reads.required;
        let is_required = |index: &usize| plan.checks[*index].mode == CheckMode::Require;
        let rest = (0..plan.checks.len()).filter(|index| is_required(index) && !growing.contains(index));
        let mut questions = Self {
            nodes: Vec::new(),
            sorts: plan.instructions.iter().map(|instruction| instruction.sort).collect(),
            is_static: Vec::new(),
            growing: growing.iter().map(|&index| plan.checks[index]).collect(),
            last: rest.map(|index| plan.checks[index]).collect(),
            remarks: schedule.remarks.iter().map(|&index| (index, plan.checks[index])).collect(),
            before: None,
        };
        let mut costs: Vec<usize> = Vec::new();
        for instruction in &plan.instructions {
            let own: usize = match instruction.op {
                Op::Primitive(Primitive::ReadsFrom | Primitive::Coherence | Primitive::FinalWrites) => 1000,
                Op::Plus(_) | Op::Star(_) | Op::Inverse(_) => 10_000,
                Op::Sequence(..) => 10,
                _ => 1,
            };
            let below: usize = instruction.op.operands().map(|slot| costs[slot.index()]).sum();
            let is_static = instruction.op.operands().all(|slot| questions.is_static[slot.index()])
                && !matches!(
                    instruction.op,
                    Op::Primitive(Primitive::ReadsFrom | Primitive::Coherence | Primitive::FinalWrites)
                );
            let node = questions.node(instruction.op, &costs);
            questions.nodes.push(node);
            questions.is_static.push(is_static);
            costs.push(own.saturating_add(below));
        }
        if let Some(kinds) = kinds {
            kinds.simplify(&mut questions);
        }
        if has_holes {
            return Some(questions);
        }
        // The search makes no graph in which what lies in prefixes has a cycle.
        let nodes = &questions.nodes;
        questions.growing.retain(|&check| !is_given(nodes, check));
        questions.before = rule(&questions.nodes, &questions.growing)
            .and_then(|Rule { parts, step }| Some((questions.closure(parts)?, step)));
        Some(questions)
    }

    /// The slot of the transitive closure of a union; a new one where the model has none.
    fn closure(&mut self, parts: Vec<usize>) -> Option<usize> {
        let union = parts.into_iter().reduce(|a, b| self.find_or_add(Segment::Union(a, b)))?;
        Some(self.find_or_add(Segment::Plus(union)))
    }

    fn find_or_add(&mut self, node: Segment) -> usize {
        if let Some(found) = self.nodes.iter().position(|other| *other == node) {
            return found;
        }
        self.nodes.push(node);
        self.sorts.push(Sort::Relation);
        self.is_static.push(false);
        self.nodes.len() - 1
    }

    fn node(&self, op: Op, costs: &[usize]) -> Segment {
        let ordered = |a: Slot, b: Slot| {
            if costs[b.index()] < costs[a.index()] { (b.index(), a.index()) } else { (a.index(), b.index()) }
        };
        match op {
            Op::Empty | Op::Variable => Segment::Empty,
            Op::Universe => Segment::Universe,
            Op::Union(a, b) => {
                let (a, b) = ordered(a, b);
                Segment::Union(a, b)
            }
            Op::Intersection(a, b) => {
                let (a, b) = ordered(a, b);
                Segment::Intersection(a, b)
            }
            Op::Difference(a, b) => {
                let mut without = Vec::new();
                self.parts(b.index(), &mut without);
                without.sort_by_key(|&part| costs[part]);
                Segment::Difference(a.index(), without.into())
            }
            Op::Sequence(a, b) => match (&self.nodes[a.index()], &self.nodes[b.index()]) {
                (Segment::Identity(set), _) => Segment::From(*set, b.index()),
                (_, Segment::Identity(set)) => Segment::To(a.index(), *set),
                _ => Segment::Sequence(a.index(), b.index()),
            },
            Op::Complement(a) => Segment::Complement(a.index()),
            Op::Inverse(a) => Segment::Inverse(a.index()),
            Op::Plus(a) => Segment::Plus(a.index()),
            Op::Star(a) => {
                // The closure may be there already.
                let plus =
                    self.nodes.iter().position(|node| matches!(node, Segment::Plus(b) if *b == a.index()));
                plus.map_or(Segment::Star(a.index()), Segment::Optional)
            }
            Op::Optional(a) => Segment::Optional(a.index()),
            Op::Identity(a) => Segment::Identity(a.index()),
            Op::Product(a, b) => Segment::Product(a.index(), b.index()),
            Op::Domain(a) => Segment::Domain(a.index()),
            Op::Range(a) => Segment::Range(a.index()),
            given => Segment::Given(given),
        }
    }

    /// The operands of a union of unions.
    fn parts(&self, slot: usize, out: &mut Vec<usize>) {
        if let Segment::Union(a, b) = self.nodes[slot] {
            self.parts(a, out);
            self.parts(b, out);
        } else {
            out.push(slot);
        }
    }
}
