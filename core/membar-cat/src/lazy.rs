//! Lazy evaluation of a model on a growing graph: only the rows that an answer depends on are computed.
//!
//! `evaluation` defines the semantics, and tests compare the two on random graphs. Here a check requests rows of
//! its slot, and a slot requests rows of its operands: of the right side of `a ; b` only rows that `a` reaches, of
//! the second operand of `a & b` only where the first is not empty, of the right side of `a \ b` only while
//! something is left, of `[S] ; r` only for members of S. So a program pays for SC fences, release sequences or
//! plain accesses only if it has them. Slots that do not depend on rf and co are kept while the events are the
//! same.
//!
//! A row is `W` words, for up to `64 * W` events.

use crate::evaluation::Provider;
use crate::lazy_plan::{LazyPlan, Node};
use crate::plan::{Check, CheckKind, CheckMode, Op, Sort};
use crate::relation::Shape;
use crate::rows::{Row, close, combine, first, is_acyclic, members};
use membar_ir::bits::{contains, insert, is_empty, union};

/// Rows that have been computed for one graph.
#[derive(Debug)]
pub struct LazyEvaluator<const W: usize> {
    events: usize,
    stride: usize,
    /// Per slot `stride` rows, or one for a set.
    rows: Vec<Row<W>>,
    /// Per slot the rows that are computed.
    done: Vec<Row<W>>,
    all: Row<W>,
    /// Room for a primitive as it is given.
    given: Vec<u64>,
}

impl<const W: usize> Default for LazyEvaluator<W> {
    fn default() -> Self {
        Self { events: 0, stride: 0, rows: Vec::new(), done: Vec::new(), all: [0; W], given: Vec::new() }
    }
}

impl<const W: usize> LazyEvaluator<W> {
    /// Forgets everything, or all that depends on rf and co if the events are the `same`.
    pub fn reset(&mut self, plan: &LazyPlan, events: usize, same: bool) {
        let slots = plan.nodes.len();
        if same && self.events == events {
            for (done, is_static) in self.done.iter_mut().zip(&plan.is_static) {
                if !is_static {
                    *done = [0; W];
                }
            }
            return;
        }
        self.events = events;
        self.stride = events.max(1).next_multiple_of(8);
        self.done.clear();
        self.done.resize(slots, [0; W]);
        if self.rows.len() < slots * self.stride {
            self.rows.resize(slots * self.stride, [0; W]);
        }
        self.all = first(events);
    }

    /// A relation, all of it.
    pub fn relation(&mut self, plan: &LazyPlan, slot: usize, provider: &impl Provider) -> &[Row<W>] {
        self.demand_rows(plan, slot, self.all, provider);
        &self.rows[slot * self.stride..slot * self.stride + self.events]
    }

    /// Whether a partial graph passes.
    pub fn passes(&mut self, plan: &LazyPlan, provider: &impl Provider) -> bool {
        plan.growing.iter().all(|&check| self.holds(plan, check, provider))
    }

    /// Whether a complete graph passes the checks that were not evaluated on partial ones; then its flags.
    pub fn passes_at_the_end(
        &mut self,
        plan: &LazyPlan,
        provider: &impl Provider,
        flags: &mut Vec<usize>,
    ) -> bool {
        if !plan.last.iter().all(|&check| self.holds(plan, check, provider)) {
            return false;
        }
        for &(index, check) in &plan.flags {
            let holds = self.holds(plan, check, provider);
            if holds == (check.mode == CheckMode::Flag) {
                flags.push(index);
            }
        }
        true
    }

    fn holds(&mut self, plan: &LazyPlan, check: Check, provider: &impl Provider) -> bool {
        let slot = check.slot.index();
        if let (CheckKind::Irreflexive, Node::Sequence(a, b)) = (check.kind, &plan.nodes[slot]) {
            return self.is_sequence_irreflexive(plan, (*a, *b), provider) != check.negated;
        }
        let holds = if plan.sorts[slot] == Sort::Set {
            is_empty(&self.set(plan, slot, provider))
        } else {
            self.demand_rows(plan, slot, self.all, provider);
            let rows = &self.rows[slot * self.stride..slot * self.stride + self.events];
            match check.kind {
                CheckKind::Acyclic => is_acyclic(rows, self.all),
                CheckKind::Irreflexive => rows.iter().enumerate().all(|(a, row)| !contains(row, a)),
                CheckKind::Empty => rows.iter().all(|row| is_empty(row)),
            }
        };
        holds != check.negated
    }

    /// Whether `a ; b` is irreflexive, without computing it.
    fn is_sequence_irreflexive(
        &mut self,
        plan: &LazyPlan,
        (a, b): (usize, usize),
        provider: &impl Provider,
    ) -> bool {
        self.demand_rows(plan, a, self.all, provider);
        let mut reached = [0; W];
        for row in 0..self.events {
            union(&mut reached, self.at(a, row));
        }
        self.demand_rows(plan, b, reached, provider);
        members(reached)
            .all(|middle| members(*self.at(b, middle)).all(|end| !contains(self.at(a, end), middle)))
    }

    fn at(&self, slot: usize, row: usize) -> &Row<W> {
        &self.rows[slot * self.stride + row]
    }

    fn put(&mut self, slot: usize, row: usize, value: Row<W>) {
        self.rows[slot * self.stride + row] = value;
    }

    /// The rows of all slots before `slot`, and those of `slot`.
    fn split(&mut self, slot: usize) -> (&[Row<W>], &mut [Row<W>]) {
        let (before, rest) = self.rows.split_at_mut(slot * self.stride);
        (before, &mut rest[..self.events])
    }

    /// All rows of `slot` from those of `a` and `b`.
    fn combine_all(&mut self, slot: usize, a: usize, b: usize, f: impl Fn(u64, u64) -> u64) {
        let (stride, events) = (self.stride, self.events);
        let (before, out) = self.split(slot);
        let a = &before[a * stride..a * stride + events];
        let b = &before[b * stride..b * stride + events];
        for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
            *out = combine(a, b, &f);
        }
    }

    /// All rows of `slot` from those of `a`.
    fn map(&mut self, slot: usize, a: usize, f: impl Fn(usize, &Row<W>) -> Row<W>) {
        let (stride, events) = (self.stride, self.events);
        let (before, out) = self.split(slot);
        let a = &before[a * stride..a * stride + events];
        for (row, (out, a)) in out.iter_mut().zip(a).enumerate() {
            *out = f(row, a);
        }
    }

    /// Those of `wanted` whose row in `slot` is not empty.
    fn non_empty(&self, slot: usize, wanted: Row<W>) -> Row<W> {
        let mut found = [0; W];
        for row in members(wanted) {
            if !is_empty(self.at(slot, row)) {
                insert(&mut found, row);
            }
        }
        found
    }

    /// The value of a set.
    fn set(&mut self, plan: &LazyPlan, slot: usize, provider: &impl Provider) -> Row<W> {
        if !is_empty(&self.done[slot]) {
            return *self.at(slot, 0);
        }
        let value = match plan.nodes[slot] {
            Node::Given(op) => {
                self.given.clear();
                self.given.resize(W, 0);
                self.fill(op, provider);
                std::array::from_fn(|word| self.given[word])
            }
            Node::Universe => self.all,
            Node::Union(a, b) => {
                let a = self.set(plan, a, provider);
                combine(&a, &self.set(plan, b, provider), |a, b| a | b)
            }
            Node::Intersection(a, b) => {
                let a = self.set(plan, a, provider);
                if is_empty(&a) { a } else { combine(&a, &self.set(plan, b, provider), |a, b| a & b) }
            }
            Node::Difference(a, ref without) => {
                let mut value = self.set(plan, a, provider);
                for &part in without {
                    value = combine(&value, &self.set(plan, part, provider), |a, b| a & !b);
                }
                value
            }
            Node::Complement(a) => {
                let a = self.set(plan, a, provider);
                combine(&self.all, &a, |all, a| all & !a)
            }
            Node::Domain(a) => {
                self.demand_rows(plan, a, self.all, provider);
                self.non_empty(a, self.all)
            }
            Node::Range(a) => {
                self.demand_rows(plan, a, self.all, provider);
                let mut value = [0; W];
                for row in 0..self.events {
                    union(&mut value, self.at(a, row));
                }
                value
            }
            _ => [0; W],
        };
        self.done[slot] = [1; W];
        self.put(slot, 0, value);
        value
    }

    fn fill(&mut self, op: Op, provider: &impl Provider) {
        let shape = Shape::new(self.events);
        let size = if self.given.len() == W { shape.set() } else { shape.relation() };
        match op {
            Op::Primitive(primitive) => provider.primitive(primitive, shape, &mut self.given[..size]),
            Op::Tagged(tag) => provider.tagged(tag, &mut self.given[..size]),
            _ => {}
        }
    }

    /// Computes the rows `wanted` of a relation.
    fn demand_rows(&mut self, plan: &LazyPlan, slot: usize, wanted: Row<W>, provider: &impl Provider) {
        let todo = combine(&wanted, &self.done[slot], |wanted, done| wanted & !done);
        if is_empty(&todo) {
            return;
        }
        union(&mut self.done[slot], &todo);
        match plan.nodes[slot] {
            Node::Given(op) => self.take_given(slot, op, provider),
            Node::Union(a, b) => {
                self.demand_rows(plan, a, todo, provider);
                self.demand_rows(plan, b, todo, provider);
                if todo == self.all {
                    self.combine_all(slot, a, b, |a, b| a | b);
                    return;
                }
                for row in members(todo) {
                    self.put(slot, row, combine(self.at(a, row), self.at(b, row), |a, b| a | b));
                }
            }
            Node::Intersection(a, b) => {
                self.demand_rows(plan, a, todo, provider);
                let asked = self.non_empty(a, todo);
                self.demand_rows(plan, b, asked, provider);
                if asked == self.all {
                    self.combine_all(slot, a, b, |a, b| a & b);
                    return;
                }
                for row in members(todo) {
                    let value = *self.at(a, row);
                    let value =
                        if is_empty(&value) { value } else { combine(&value, self.at(b, row), |a, b| a & b) };
                    self.put(slot, row, value);
                }
            }
            Node::Difference(a, ref without) => {
                self.demand_rows(plan, a, todo, provider);
                if todo == self.all {
                    self.rows.copy_within(a * self.stride..a * self.stride + self.events, slot * self.stride);
                } else {
                    for row in members(todo) {
                        self.put(slot, row, *self.at(a, row));
                    }
                }
                for &part in without {
                    let left = self.non_empty(slot, todo);
                    self.demand_rows(plan, part, left, provider);
                    for row in members(left) {
                        self.put(slot, row, combine(self.at(slot, row), self.at(part, row), |a, b| a & !b));
                    }
                }
            }
            Node::From(set, b) => {
                let set = combine(&self.set(plan, set, provider), &todo, |set, todo| set & todo);
                self.demand_rows(plan, b, set, provider);
                for row in members(todo) {
                    let value = if contains(&set, row) { *self.at(b, row) } else { [0; W] };
                    self.put(slot, row, value);
                }
            }
            Node::To(a, set) => {
                let set = self.set(plan, set, provider);
                let asked = if is_empty(&set) { set } else { todo };
                self.demand_rows(plan, a, asked, provider);
                if asked == self.all {
                    self.map(slot, a, |_, row| combine(row, &set, |a, set| a & set));
                    return;
                }
                for row in members(todo) {
                    let value =
                        if is_empty(&set) { set } else { combine(self.at(a, row), &set, |a, set| a & set) };
                    self.put(slot, row, value);
                }
            }
            Node::Sequence(a, b) => self.sequence(plan, slot, (a, b), todo, provider),
            Node::Inverse(a) => {
                self.demand_rows(plan, a, self.all, provider);
                for row in 0..self.events {
                    self.put(slot, row, [0; W]);
                }
                for from in 0..self.events {
                    for to in members(*self.at(a, from)) {
                        insert(&mut self.rows[slot * self.stride + to], from);
                    }
                }
                self.done[slot] = self.all;
            }
            Node::Plus(a) | Node::Star(a) => {
                self.demand_rows(plan, a, self.all, provider);
                self.close(a, slot);
                if matches!(plan.nodes[slot], Node::Star(_)) {
                    for row in 0..self.events {
                        insert(&mut self.rows[slot * self.stride + row], row);
                    }
                }
                self.done[slot] = self.all;
            }
            _ => self.demand_simple(plan, slot, todo, provider),
        }
    }

    /// Computes the rows `todo` of a slot that is made row by row from one relation, or from sets.
    fn demand_simple(&mut self, plan: &LazyPlan, slot: usize, todo: Row<W>, provider: &impl Provider) {
        match plan.nodes[slot] {
            Node::Optional(a) => {
                self.demand_rows(plan, a, todo, provider);
                if todo == self.all {
                    self.map(slot, a, |row, value| {
                        let mut value = *value;
                        insert(&mut value, row);
                        value
                    });
                    return;
                }
                for row in members(todo) {
                    let mut value = *self.at(a, row);
                    insert(&mut value, row);
                    self.put(slot, row, value);
                }
            }
            Node::Complement(a) => {
                self.demand_rows(plan, a, todo, provider);
                for row in members(todo) {
                    self.put(slot, row, combine(&self.all, self.at(a, row), |all, a| all & !a));
                }
            }
            Node::Identity(set) => {
                let set = self.set(plan, set, provider);
                for row in members(todo) {
                    let mut value = [0; W];
                    if contains(&set, row) {
                        insert(&mut value, row);
                    }
                    self.put(slot, row, value);
                }
            }
            Node::Product(a, b) => {
                let a = self.set(plan, a, provider);
                let b = self.set(plan, b, provider);
                for row in members(todo) {
                    self.put(slot, row, if contains(&a, row) { b } else { [0; W] });
                }
            }
            Node::Universe => {
                for row in members(todo) {
                    self.put(slot, row, self.all);
                }
            }
            _ => {
                for row in members(todo) {
                    self.put(slot, row, [0; W]);
                }
            }
        }
    }

    fn sequence(
        &mut self,
        plan: &LazyPlan,
        slot: usize,
        (a, b): (usize, usize),
        todo: Row<W>,
        provider: &impl Provider,
    ) {
        self.demand_rows(plan, a, todo, provider);
        let mut reached = [0; W];
        for row in members(todo) {
            union(&mut reached, self.at(a, row));
        }
        self.demand_rows(plan, b, reached, provider);
        let stride = self.stride;
        let (before, out) = self.split(slot);
        let (a, b) = (&before[a * stride..], &before[b * stride..]);
        for row in members(todo) {
            let mut value = [0; W];
            for middle in members(a[row]) {
                union(&mut value, &b[middle]);
            }
            out[row] = value;
        }
    }

    fn take_given(&mut self, slot: usize, op: Op, provider: &impl Provider) {
        let shape = Shape::new(self.events);
        let words = shape.set();
        self.given.clear();
        self.given.resize(shape.relation().max(W + 1), 0);
        self.fill(op, provider);
        for (row, given) in self.given[..shape.relation()].chunks_exact(words).enumerate() {
            let value = std::array::from_fn(|word| given.get(word).copied().unwrap_or_default());
            self.rows[slot * self.stride + row] = value;
        }
        self.done[slot] = self.all;
    }

    /// Puts the transitive closure of `from` into `slot`.
    fn close(&mut self, from: usize, slot: usize) {
        let (source, target) = (from * self.stride, slot * self.stride);
        self.rows.copy_within(source..source + self.events, target);
        close(&mut self.rows[target..target + self.events]);
    }
}
