//! A plan prepared for lazy evaluation: the cheaper operand comes first, and slots that are empty for a program are
//! removed.

use crate::event_kinds::EventKinds;
use crate::plan::{Check, CheckMode, Op, Plan, Primitive, Slot, Sort};
use crate::schedule::Schedule;
use crate::shapes::{CoherenceRule, Shapes, Step};

/// How a slot is computed; operands that cost less stand first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
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

impl Node {
    /// The same with operands elsewhere.
    pub(crate) fn with_operands(&self, to: &[usize]) -> Self {
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

/// A plan prepared for graphs that grow.
#[derive(Debug)]
pub struct LazyPlan {
    pub(crate) nodes: Vec<Node>,
    pub(crate) sorts: Vec<Sort>,
    pub(crate) is_static: Vec<bool>,
    /// Whether a slot depends on co.
    pub(crate) needs_coherence: Vec<bool>,
    /// Asked of partial graphs.
    pub(crate) growing: Vec<Check>,
    /// Asked of whole graphs, beside those.
    pub last: Vec<Check>,
    /// Flags and undefined behaviour, with their numbers.
    pub flags: Vec<(usize, Check)>,
    /// The slot of what precedes an event whatever it reads, and which earlier events of its thread that takes in.
    pub before: Option<(usize, Step)>,
}

impl LazyPlan {
    /// Prepares a plan for programs with certain kinds of events; None if it has recursive definitions, which are left
    /// to `evaluation`. `has_holes`: events need not be added in program order.
    #[must_use]
    pub fn new(
        plan: &Plan,
        schedule: &Schedule,
        kinds: Option<&EventKinds<'_>>,
        has_holes: bool,
    ) -> Option<Self> {
        if !plan.fixpoints.is_empty() {
            return None;
        }
        let growing = &schedule.growing_reads.required;
        let is_required = |index: &usize| plan.checks[*index].mode == CheckMode::Require;
        let rest = (0..plan.checks.len()).filter(|index| is_required(index) && !growing.contains(index));
        let mut lazy = Self {
            nodes: Vec::new(),
            sorts: plan.instructions.iter().map(|instruction| instruction.sort).collect(),
            is_static: Vec::new(),
            needs_coherence: Vec::new(),
            growing: growing.iter().map(|&index| plan.checks[index]).collect(),
            last: rest.map(|index| plan.checks[index]).collect(),
            flags: schedule.flags.iter().map(|&index| (index, plan.checks[index])).collect(),
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
            let is_static = instruction.op.operands().all(|slot| lazy.is_static[slot.index()])
                && !matches!(
                    instruction.op,
                    Op::Primitive(Primitive::ReadsFrom | Primitive::Coherence | Primitive::FinalWrites)
                );
            let needs_coherence =
                matches!(instruction.op, Op::Primitive(Primitive::Coherence | Primitive::FinalWrites))
                    || instruction.op.operands().any(|slot| lazy.needs_coherence[slot.index()]);
            let node = lazy.node(instruction.op, &costs);
            lazy.nodes.push(node);
            lazy.is_static.push(is_static);
            lazy.needs_coherence.push(needs_coherence);
            costs.push(own.saturating_add(below));
        }
        if let Some(kinds) = kinds {
            kinds.simplify(&mut lazy);
        }
        if has_holes {
            return Some(lazy);
        }
        // The search makes no graph in which what lies in prefixes has a cycle.
        let shapes = Shapes(&lazy.nodes);
        lazy.growing.retain(|&check| !shapes.is_given(check));
        let rule = shapes.coherence_rule(&lazy.growing);
        lazy.before = rule.and_then(|CoherenceRule { parts, step }| Some((lazy.closure(parts)?, step)));
        Some(lazy)
    }

    /// The slot of the transitive closure of a union; a new one where the model has none.
    fn closure(&mut self, parts: Vec<usize>) -> Option<usize> {
        let union = parts.into_iter().reduce(|a, b| self.find_or_add(Node::Union(a, b)))?;
        Some(self.find_or_add(Node::Plus(union)))
    }

    fn find_or_add(&mut self, node: Node) -> usize {
        if let Some(found) = self.nodes.iter().position(|other| *other == node) {
            return found;
        }
        self.nodes.push(node);
        self.sorts.push(Sort::Relation);
        self.is_static.push(false);
        self.needs_coherence.push(false);
        self.nodes.len() - 1
    }

    fn node(&self, op: Op, costs: &[usize]) -> Node {
        let ordered = |a: Slot, b: Slot| {
            if costs[b.index()] < costs[a.index()] { (b.index(), a.index()) } else { (a.index(), b.index()) }
        };
        match op {
            Op::Empty | Op::Variable => Node::Empty,
            Op::Universe => Node::Universe,
            Op::Union(a, b) => {
                let (a, b) = ordered(a, b);
                Node::Union(a, b)
            }
            Op::Intersection(a, b) => {
                let (a, b) = ordered(a, b);
                Node::Intersection(a, b)
            }
            Op::Difference(a, b) => {
                let mut without = Shapes(&self.nodes).parts(b.index());
                without.sort_by_key(|&part| costs[part]);
                Node::Difference(a.index(), without.into())
            }
            Op::Sequence(a, b) => match (&self.nodes[a.index()], &self.nodes[b.index()]) {
                (Node::Identity(set), _) => Node::From(*set, b.index()),
                (_, Node::Identity(set)) => Node::To(a.index(), *set),
                _ => Node::Sequence(a.index(), b.index()),
            },
            Op::Complement(a) => Node::Complement(a.index()),
            Op::Inverse(a) => Node::Inverse(a.index()),
            Op::Plus(a) => Node::Plus(a.index()),
            Op::Star(a) => {
                // The closure may be there already.
                let plus =
                    self.nodes.iter().position(|node| matches!(node, Node::Plus(b) if *b == a.index()));
                plus.map_or(Node::Star(a.index()), Node::Optional)
            }
            Op::Optional(a) => Node::Optional(a.index()),
            Op::Identity(a) => Node::Identity(a.index()),
            Op::Product(a, b) => Node::Product(a.index(), b.index()),
            Op::Domain(a) => Node::Domain(a.index()),
            Op::Range(a) => Node::Range(a.index()),
            given => Node::Given(given),
        }
    }
}
