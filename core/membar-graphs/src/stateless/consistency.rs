//! Lazy evaluation of a model on a growing graph: only the rows that an answer depends on are computed.
//!
//! The meaning is that of `evaluation`, which remains the judge: tests compare the two on random graphs. Here a check
//! asks its slot for rows, and a slot asks its operands: the right side of `a ; b` only for rows that `a` reaches, the
//! second operand of `a & b` only where the first has something, the right side of `a \ b` only while something is
//! left, `[S] ; r` only for members of S. So a program pays for SC fences, release sequences or plain accesses only if
//! it has them. Slots that need no rf and co stay as they are while the events are the same.
//!
//! A row is `W` words, for up to `64 * W` events.

use crate::stateless::questions::{Questions, Segment};
use crate::stateless::rows::{Row, add, both, close, contains, first, insert, is_acyclic, is_empty, members};
use membar_cat::evaluation::Provider;
use membar_cat::plan::{Check, CheckKind, CheckMode, Op, Sort};
use membar_cat::relation::Shape;

/// Rows that have been computed for one graph.
#[derive(Debug)]
pub(super) struct LazyEvaluator<const W: usize> {
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

impl<const W: usize> LazyEvaluator<W> {
    pub(super) fn new() -> Self {
        Self { events: 0, stride: 0, rows: Vec::new(), done: Vec::new(), all: [0; W], given: Vec::new() }
    }

    /// Forgets everything, or all that depends on rf and co if the events are the `same`.
    pub(super) fn reset(&mut self, questions: &Questions, events: usize, same: bool) {
        let slots = questions.nodes.len();
        if same && self.events == events {
            for (done, is_static) in self.done.iter_mut().zip(&questions.is_static) {
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
    pub(super) fn relation(
        &mut self,
        questions: &Questions,
        slot: usize,
        provider: &impl Provider,
    ) -> &[Row<W>] {
        self.need(questions, slot, self.all, provider);
        &self.rows[slot * self.stride..slot * self.stride + self.events]
    }

    /// Whether a partial graph passes.
    pub(super) fn passes(&mut self, questions: &Questions, provider: &impl Provider) -> bool {
        questions.growing.iter().all(|&check| self.holds(questions, check, provider))
    }

    /// Whether a whole graph passes what was not asked of it as a partial one; then the remarks about it.
    pub(super) fn passes_at_the_end(
        &mut self,
        questions: &Questions,
        provider: &impl Provider,
        remarks: &mut Vec<usize>,
    ) -> bool {
        if !questions.last.iter().all(|&check| self.holds(questions, check, provider)) {
            return false;
        }
        for &(index, check) in &questions.remarks {
            let holds = self.holds(questions, check, provider);
            if holds == (check.mode == CheckMode::Flag) {
                remarks.push(index);
            }
        }
        true
    }

    fn holds(&mut self, questions: &Questions, check: Check, provider: &impl Provider) -> bool {
        let slot = check.slot.index();
        if let (CheckKind::Irreflexive, Segment::Sequence(a, b)) = (check.kind, &questions.nodes[slot]) {
            return self.is_sequence_irreflexive(questions, (*a, *b), provider) != check.negated;
        }
        let plain = if questions.sorts[slot] == Sort::Set {
            is_empty(&self.set(questions, slot, provider))
        } else {
            self.need(questions, slot, self.all, provider);
            let rows = &self.rows[slot * self.stride..slot * self.stride + self.events];
            match check.kind {
                CheckKind::Acyclic => is_acyclic(rows, self.all),
                CheckKind::Irreflexive => rows.iter().enumerate().all(|(a, row)| !contains(row, a)),
                CheckKind::Empty => rows.iter().all(is_empty),
            }
        };
        plain != check.negated
    }

    /// Whether `a ; b` is irreflexive, without computing it.
    fn is_sequence_irreflexive(
        &mut self,
        questions: &Questions,
        (a, b): (usize, usize),
        provider: &impl Provider,
    ) -> bool {
        self.need(questions, a, self.all, provider);
        let mut reached = [0; W];
        for row in 0..self.events {
            add(&mut reached, self.at(a, row));
        }
        self.need(questions, b, reached, provider);
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
    fn combine(&mut self, slot: usize, a: usize, b: usize, f: impl Fn(u64, u64) -> u64) {
        let (stride, events) = (self.stride, self.events);
        let (before, out) = self.split(slot);
        let a = &before[a * stride..a * stride + events];
        let b = &before[b * stride..b * stride + events];
        for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
            *out = both(a, b, &f);
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
    fn set(&mut self, questions: &Questions, slot: usize, provider: &impl Provider) -> Row<W> {
        if !is_empty(&self.done[slot]) {
            return *self.at(slot, 0);
        }
        let value = match questions.nodes[slot] {
            Segment::Given(op) => {
                self.given.clear();
                self.given.resize(W, 0);
                self.fill(op, provider);
                std::array::from_fn(|word| self.given[word])
            }
            Segment::Universe => self.all,
            Segment::Union(a, b) => {
                let a = self.set(questions, a, provider);
                both(&a, &self.set(questions, b, provider), |a, b| a | b)
            }
            Segment::Intersection(a, b) => {
                let a = self.set(questions, a, provider);
                if is_empty(&a) { a } else { both(&a, &self.set(questions, b, provider), |a, b| a & b) }
            }
            Segment::Difference(a, ref without) => {
                let mut value = self.set(questions, a, provider);
                for &part in without {
                    value = both(&value, &self.set(questions, part, provider), |a, b| a & !b);
                }
                value
            }
            Segment::Complement(a) => {
                let a = self.set(questions, a, provider);
                both(&self.all, &a, |all, a| all & !a)
            }
            Segment::Domain(a) => {
                self.need(questions, a, self.all, provider);
                self.non_empty(a, self.all)
            }
            Segment::Range(a) => {
                self.need(questions, a, self.all, provider);
                let mut value = [0; W];
                for row in 0..self.events {
                    add(&mut value, self.at(a, row));
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
            Op::Tagged(tag) => provider.tagged(tag, shape, &mut self.given[..size]),
            _ => {}
        }
    }

    /// Computes the rows `wanted` of a relation.
    fn need(&mut self, questions: &Questions, slot: usize, wanted: Row<W>, provider: &impl Provider) {
        let todo = both(&wanted, &self.done[slot], |wanted, done| wanted & !done);
        if is_empty(&todo) {
            return;
        }
        add(&mut self.done[slot], &todo);
        match questions.nodes[slot] {
            Segment::Given(op) => self.take_given(slot, op, provider),
            Segment::Union(a, b) => {
                self.need(questions, a, todo, provider);
                self.need(questions, b, todo, provider);
                if todo == self.all {
                    self.combine(slot, a, b, |a, b| a | b);
                    return;
                }
                for row in members(todo) {
                    self.put(slot, row, both(self.at(a, row), self.at(b, row), |a, b| a | b));
                }
            }
            Segment::Intersection(a, b) => {
                self.need(questions, a, todo, provider);
                let asked = self.non_empty(a, todo);
                self.need(questions, b, asked, provider);
                if asked == self.all {
                    self.combine(slot, a, b, |a, b| a & b);
                    return;
                }
                for row in members(todo) {
                    let value = *self.at(a, row);
                    let value =
                        if is_empty(&value) { value } else { both(&value, self.at(b, row), |a, b| a & b) };
                    self.put(slot, row, value);
                }
            }
            Segment::Difference(a, ref without) => {
                self.need(questions, a, todo, provider);
                if todo == self.all {
                    self.rows.copy_within(a * self.stride..a * self.stride + self.events, slot * self.stride);
                } else {
                    for row in members(todo) {
                        self.put(slot, row, *self.at(a, row));
                    }
                }
                for &part in without {
                    let left = self.non_empty(slot, todo);
                    self.need(questions, part, left, provider);
                    for row in members(left) {
                        self.put(slot, row, both(self.at(slot, row), self.at(part, row), |a, b| a & !b));
                    }
                }
            }
            Segment::From(set, b) => {
                let set = both(&self.set(questions, set, provider), &todo, |set, todo| set & todo);
                self.need(questions, b, set, provider);
                for row in members(todo) {
                    let value = if contains(&set, row) { *self.at(b, row) } else { [0; W] };
                    self.put(slot, row, value);
                }
            }
            Segment::To(a, set) => {
                let set = self.set(questions, set, provider);
                let asked = if is_empty(&set) { set } else { todo };
                self.need(questions, a, asked, provider);
                if asked == self.all {
                    self.map(slot, a, |_, row| both(row, &set, |a, set| a & set));
                    return;
                }
                for row in members(todo) {
                    let value =
                        if is_empty(&set) { set } else { both(self.at(a, row), &set, |a, set| a & set) };
                    self.put(slot, row, value);
                }
            }
            Segment::Sequence(a, b) => self.sequence(questions, slot, (a, b), todo, provider),
            Segment::Inverse(a) => {
                self.need(questions, a, self.all, provider);
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
            Segment::Plus(a) | Segment::Star(a) => {
                self.need(questions, a, self.all, provider);
                self.close(a, slot);
                if matches!(questions.nodes[slot], Segment::Star(_)) {
                    for row in 0..self.events {
                        insert(&mut self.rows[slot * self.stride + row], row);
                    }
                }
                self.done[slot] = self.all;
            }
            _ => self.need_simple(questions, slot, todo, provider),
        }
    }

    /// Computes the rows `todo` of a slot that is made row by row from one relation, or from sets.
    fn need_simple(&mut self, questions: &Questions, slot: usize, todo: Row<W>, provider: &impl Provider) {
        match questions.nodes[slot] {
            Segment::Optional(a) => {
                self.need(questions, a, todo, provider);
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
            Segment::Complement(a) => {
                self.need(questions, a, todo, provider);
                for row in members(todo) {
                    self.put(slot, row, both(&self.all, self.at(a, row), |all, a| all & !a));
                }
            }
            Segment::Identity(set) => {
                let set = self.set(questions, set, provider);
                for row in members(todo) {
                    let mut value = [0; W];
                    if contains(&set, row) {
                        insert(&mut value, row);
                    }
                    self.put(slot, row, value);
                }
            }
            Segment::Product(a, b) => {
                let a = self.set(questions, a, provider);
                let b = self.set(questions, b, provider);
                for row in members(todo) {
                    self.put(slot, row, if contains(&a, row) { b } else { [0; W] });
                }
            }
            Segment::Universe => {
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
        questions: &Questions,
        slot: usize,
        (a, b): (usize, usize),
        todo: Row<W>,
        provider: &impl Provider,
    ) {
        self.need(questions, a, todo, provider);
        let mut reached = [0; W];
        for row in members(todo) {
            add(&mut reached, self.at(a, row));
        }
        self.need(questions, b, reached, provider);
        let stride = self.stride;
        let (before, out) = self.split(slot);
        let (a, b) = (&before[a * stride..], &before[b * stride..]);
        for row in members(todo) {
            let mut value = [0; W];
            for middle in members(a[row]) {
                add(&mut value, &b[middle]);
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
