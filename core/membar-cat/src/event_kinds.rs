//! Simplifies a model for one program: slots that are empty in all its executions are removed.
//!
//! The sets of a model cannot distinguish events of one kind (read, write, fence or initial write, and the tags).
//! For each slot the pairs of kinds between which it can have edges in any execution are computed. So a program
//! without fences, plain accesses or spawned threads does not pay for what the model says about them.

use crate::lazy_plan::{LazyPlan, Node};
use crate::plan::{Check, CheckMode, Op, Primitive, Slot, Sort};
use membar_ir::program::{Operation, Program, TagSet};
use membar_ir::words::narrow;

/// What an event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Read,
    Write,
    Fence,
}

/// The kinds of events that a program has, at most 64.
#[derive(Debug)]
pub struct EventKinds<'a> {
    program: &'a Program,
    /// All but initial writes, which are number 0.
    list: Vec<(Kind, TagSet)>,
    /// Whether there may be two events that are one instruction.
    has_pairs: bool,
    has_spawns: bool,
}

/// Between which kinds a slot can have pairs, or which kinds can be in it.
#[derive(Debug, Clone)]
struct Bound {
    /// A row per kind; for sets only the first.
    rows: Vec<u64>,
    /// Whether it has all pairs of events of these kinds, not only some.
    is_exact: bool,
}

impl<'a> EventKinds<'a> {
    /// The kinds of a program; None if there are too many.
    #[must_use]
    pub fn of(program: &'a Program) -> Option<Self> {
        let mut kinds = Self { program, list: Vec::new(), has_pairs: false, has_spawns: false };
        for thread in &program.threads {
            kinds.has_spawns |= !thread.started;
            for operation in thread.edges.iter().flat_map(|edge| &edge.operations) {
                kinds.take(operation);
            }
        }
        (kinds.list.len() < 64).then_some(kinds)
    }

    fn take(&mut self, operation: &Operation) {
        match operation {
            Operation::Load { tags, exclusive, .. } => {
                self.has_pairs |= exclusive;
                self.add(Kind::Read, *tags);
            }
            Operation::Store { tags, exclusive, .. } => {
                self.has_pairs |= exclusive;
                self.add(Kind::Write, *tags);
            }
            Operation::StoreConditional { tags, .. } => {
                self.has_pairs = true;
                self.add(Kind::Write, *tags);
            }
            Operation::Rmw(rmw) => {
                self.has_pairs = true;
                self.add(Kind::Read, rmw.read_tags);
                self.add(Kind::Read, rmw.failed_tags);
                self.add(Kind::Write, rmw.write_tags);
            }
            Operation::Fence { tags, .. } => self.add(Kind::Fence, *tags),
            Operation::Spawn { .. } | Operation::Join { .. } => self.has_spawns = true,
            // Programs for graphs have no locks and channels.
            Operation::Set { .. }
            | Operation::Assume { .. }
            | Operation::Assert { .. }
            | Operation::Choose { .. }
            | Operation::Lock { .. }
            | Operation::Unlock { .. }
            | Operation::Send { .. }
            | Operation::Receive { .. } => {}
        }
    }

    fn add(&mut self, kind: Kind, tags: TagSet) {
        if !self.list.contains(&(kind, tags)) {
            self.list.push((kind, tags));
        }
    }

    fn count(&self) -> usize {
        self.list.len() + 1
    }

    fn all(&self) -> u64 {
        u64::MAX >> (64 - self.count())
    }

    fn with(&self, is_member: impl Fn(Kind, TagSet) -> bool) -> u64 {
        let members = self.list.iter().enumerate().filter(|(_, (kind, tags))| is_member(*kind, *tags));
        members.fold(0, |set, (number, _)| set | 1 << (number + 1))
    }

    fn product(&self, from: u64, to: u64) -> Vec<u64> {
        (0..self.count()).map(|kind| if from >> kind & 1 == 0 { 0 } else { to }).collect()
    }

    fn kinds_of(&self, op: Op) -> Bound {
        let (reads, fences) =
            (self.with(|kind, _| kind == Kind::Read), self.with(|kind, _| kind == Kind::Fence));
        let stores = self.with(|kind, _| kind == Kind::Write);
        let (writes, events) = (stores | 1, self.all() & !1);
        let set = |members: u64| Bound { rows: vec![members], is_exact: true };
        let pairs = |from: u64, to: u64| Bound { rows: self.product(from, to), is_exact: false };
        let Op::Primitive(primitive) = op else {
            let Op::Tagged(tag) = op else { return pairs(self.all(), self.all()) };
            let has = |_, tags: TagSet| self.program.tag_sets[tags.index()].contains(&tag);
            return set(self.with(has));
        };
        match primitive {
            Primitive::Reads => set(reads),
            Primitive::Writes => set(writes),
            Primitive::Fences => set(fences),
            Primitive::InitialWrites => set(1),
            Primitive::FinalWrites => Bound { is_exact: false, ..set(writes) },
            Primitive::SameLocation => pairs(reads | writes, reads | writes),
            Primitive::Internal | Primitive::External => pairs(self.all(), self.all()),
            Primitive::SpawnJoin if !self.has_spawns => pairs(0, 0),
            Primitive::Atomic | Primitive::Exclusive if !self.has_pairs => pairs(0, 0),
            Primitive::Atomic | Primitive::Exclusive => pairs(reads, stores),
            Primitive::ReadsFrom => pairs(writes, reads),
            Primitive::Coherence => pairs(writes, stores),
            _ => pairs(events, events),
        }
    }

    /// The bound of a node from those of its operands.
    fn bound(&self, node: &Node, sort: Sort, of: &[Bound]) -> Bound {
        let rows = |a: usize, b: usize, f: fn(u64, u64) -> u64| {
            of[a].rows.iter().zip(&of[b].rows).map(|(a, b)| f(*a, *b)).collect()
        };
        let some = |rows: Vec<u64>| Bound { rows, is_exact: false };
        let size = if sort == Sort::Set { 1 } else { self.count() };
        match node {
            Node::Given(op) => self.kinds_of(*op),
            Node::Empty => Bound { rows: vec![0; size], is_exact: true },
            Node::Universe => Bound { rows: vec![self.all(); size], is_exact: true },
            Node::Union(a, b) => {
                Bound { rows: rows(*a, *b, |a, b| a | b), is_exact: of[*a].is_exact && of[*b].is_exact }
            }
            Node::Intersection(a, b) => {
                Bound { rows: rows(*a, *b, |a, b| a & b), is_exact: of[*a].is_exact && of[*b].is_exact }
            }
            Node::Difference(a, without) => {
                let mut left = of[*a].clone();
                for part in without.iter().map(|&part| &of[part]) {
                    left.is_exact &= part.is_exact;
                    if part.is_exact {
                        left.rows.iter_mut().zip(&part.rows).for_each(|(row, part)| *row &= !part);
                    }
                }
                left
            }
            Node::Complement(a) if of[*a].is_exact => {
                Bound { rows: of[*a].rows.iter().map(|row| self.all() & !row).collect(), is_exact: true }
            }
            Node::Complement(_) => some(vec![self.all(); size]),
            Node::From(set, r) => {
                let members = of[*set].rows[0];
                let row = |(kind, row): (usize, &u64)| if members >> kind & 1 == 0 { 0 } else { *row };
                some(of[*r].rows.iter().enumerate().map(row).collect())
            }
            Node::To(r, set) => some(of[*r].rows.iter().map(|row| row & of[*set].rows[0]).collect()),
            Node::Sequence(a, b) => {
                some(of[*a].rows.iter().map(|&row| union_of(row, &of[*b].rows)).collect())
            }
            Node::Inverse(a) => some((0..self.count()).map(|to| sources(&of[*a].rows, 1 << to)).collect()),
            Node::Plus(a) | Node::Star(a) => {
                let mut closed = of[*a].rows.clone();
                for middle in 0..closed.len() {
                    let via = closed[middle];
                    closed.iter_mut().filter(|row| **row >> middle & 1 != 0).for_each(|row| *row |= via);
                }
                if matches!(node, Node::Star(_)) {
                    closed.iter_mut().enumerate().for_each(|(kind, row)| *row |= 1 << kind);
                }
                some(closed)
            }
            Node::Optional(a) => {
                some(of[*a].rows.iter().enumerate().map(|(kind, row)| row | 1 << kind).collect())
            }
            Node::Identity(set) => some((0..self.count()).map(|kind| of[*set].rows[0] & 1 << kind).collect()),
            Node::Product(a, b) => Bound {
                rows: self.product(of[*a].rows[0], of[*b].rows[0]),
                is_exact: of[*a].is_exact && of[*b].is_exact,
            },
            Node::Domain(a) => some(vec![sources(&of[*a].rows, u64::MAX)]),
            Node::Range(a) => some(vec![union_of(u64::MAX, &of[*a].rows)]),
        }
    }

    /// Leaves out of `plan` what this program cannot have.
    pub(crate) fn simplify(&self, plan: &mut LazyPlan) {
        let mut bounds: Vec<Bound> = Vec::with_capacity(plan.nodes.len());
        // Where the value of each slot is to be found.
        let mut found: Vec<usize> = Vec::with_capacity(plan.nodes.len());
        for slot in 0..plan.nodes.len() {
            let node = plan.nodes[slot].with_operands(&found);
            let bound = self.bound(&node, plan.sorts[slot], &bounds);
            let node = if bound.rows.iter().all(|&row| row == 0) { Node::Empty } else { node };
            found.push(same_as(&node, &bounds).unwrap_or(slot));
            plan.nodes[slot] = node;
            bounds.push(bound);
        }
        let moved = |check: &mut Check| {
            check.slot = Slot(narrow(found[check.slot.index()]));
        };
        let nodes = &plan.nodes;
        // Nothing has a cycle, a loop or a member if there is nothing.
        let is_idle = |check: &Check| matches!(nodes[check.slot.index()], Node::Empty) && !check.negated;
        plan.growing.iter_mut().chain(&mut plan.last).for_each(moved);
        plan.flags.iter_mut().for_each(|(_, check)| moved(check));
        plan.growing.retain(|check| !is_idle(check));
        plan.last.retain(|check| !is_idle(check));
        plan.flags.retain(|(_, check)| check.mode == CheckMode::Flag || !is_idle(check));
    }
}

/// All kinds that the kinds of `from` lead to.
fn union_of(from: u64, rows: &[u64]) -> u64 {
    let all = rows.iter().enumerate().filter(|(kind, _)| from >> kind & 1 != 0);
    all.fold(0, |set, (_, row)| set | row)
}

/// All kinds that lead to one of `to`.
fn sources(rows: &[u64], to: u64) -> u64 {
    let all = rows.iter().enumerate().filter(|(_, row)| **row & to != 0);
    all.fold(0, |set, (kind, _)| set | 1 << kind)
}

/// An operand that has the same value as the node, whatever the execution.
fn same_as(node: &Node, of: &[Bound]) -> Option<usize> {
    let is_empty = |slot: usize| of[slot].rows.iter().all(|&row| row == 0);
    let covers = |large: usize, small: usize| {
        let pairs = of[large].rows.iter().zip(&of[small].rows);
        of[large].is_exact && pairs.into_iter().all(|(large, small)| small & !large == 0)
    };
    match node {
        Node::Union(a, b) if is_empty(*b) => Some(*a),
        Node::Union(a, b) if is_empty(*a) => Some(*b),
        Node::Intersection(a, b) if covers(*b, *a) => Some(*a),
        Node::Intersection(a, b) if covers(*a, *b) => Some(*b),
        Node::From(set, r)
            if of[*set].is_exact && sources(&of[*r].rows, u64::MAX) & !of[*set].rows[0] == 0 =>
        {
            Some(*r)
        }
        Node::To(r, set)
            if of[*set].is_exact && union_of(u64::MAX, &of[*r].rows) & !of[*set].rows[0] == 0 =>
        {
            Some(*r)
        }
        Node::Difference(a, without) if without.is_empty() => Some(*a),
        _ => None,
    }
}
