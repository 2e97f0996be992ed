//! Asks a model about a graph, again and again: only the rows that an answer depends on are computed.
//!
//! The meaning is that of `evaluation`, which remains the judge: tests compare the two on random graphs. Here a check
//! asks its slot for rows, and a slot asks its operands: the right side of `a ; b` only for rows that `a` reaches, the
//! second operand of `a & b` only where the first has something, the right side of `a \ b` only while something is
//! left, `[S] ; r` only for members of S. So a program pays for SC fences, release sequences or plain accesses only if
//! it has them. Slots that need no rf and co stay as they are while the events are the same.
//!
//! Events are numbered as they were added, so that most pairs lead from lower to higher numbers.
//! A row is `W` words, for up to `64 * W` events.

use crate::evaluation::Provider;
use crate::plan::{Check, CheckKind, CheckMode, Op, Plan, Primitive, Slot, Sort};
use crate::relation::Shape;
use crate::schedule::Schedule;

/// A set of events, or a row of a relation.
pub(super) type Row<const W: usize> = [u64; W];

fn is_empty<const W: usize>(row: &Row<W>) -> bool {
    row.iter().all(|&word| word == 0)
}

fn members<const W: usize>(row: Row<W>) -> impl Iterator<Item = usize> {
    let mut rest = row;
    let mut word = 0;
    std::iter::from_fn(move || {
        while word < W {
            if rest[word] != 0 {
                let bit = rest[word].trailing_zeros() as usize;
                rest[word] &= rest[word] - 1;
                return Some(64 * word + bit);
            }
            word += 1;
        }
        None
    })
}

fn contains<const W: usize>(row: &Row<W>, member: usize) -> bool {
    row[member / 64] >> (member % 64) & 1 != 0
}

fn insert<const W: usize>(row: &mut Row<W>, member: usize) {
    row[member / 64] |= 1 << (member % 64);
}

fn both<const W: usize>(a: &Row<W>, b: &Row<W>, f: impl Fn(u64, u64) -> u64) -> Row<W> {
    std::array::from_fn(|word| f(a[word], b[word]))
}

fn add<const W: usize>(a: &mut Row<W>, b: &Row<W>) {
    for (a, b) in a.iter_mut().zip(b) {
        *a |= b;
    }
}

/// How a slot is computed here; operands that cost less stand first.
#[derive(Debug, Clone)]
enum Node {
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

/// A plan made ready for graphs that grow; None of it depends on a program.
#[derive(Debug)]
pub(super) struct Questions {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    is_static: Vec<bool>,
    /// Asked of partial graphs.
    growing: Vec<Check>,
    /// Asked of whole graphs, beside those.
    last: Vec<Check>,
    /// No requirements, with their numbers.
    remarks: Vec<(usize, Check)>,
}

impl Questions {
    /// The questions of a plan; None if it has recursive definitions, which are left to `evaluation`.
    pub(super) fn new(plan: &Plan, schedule: &Schedule) -> Option<Self> {
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
        Some(questions)
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
                let mut without = Vec::new();
                self.parts(b.index(), &mut without);
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
                let plus = self.nodes.iter().position(|node| matches!(node, Node::Plus(b) if *b == a.index()));
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

    /// The operands of a union of unions.
    fn parts(&self, slot: usize, out: &mut Vec<usize>) {
        if let Node::Union(a, b) = self.nodes[slot] {
            self.parts(a, out);
            self.parts(b, out);
        } else {
            out.push(slot);
        }
    }
}

/// Rows that have been computed for one graph.
#[derive(Debug)]
pub(super) struct Answers<const W: usize> {
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

impl<const W: usize> Answers<W> {
    pub(super) fn new() -> Self {
        Self {
            events: 0,
            stride: 0,
            rows: Vec::new(),
            done: Vec::new(),
            all: [0; W],
            given: Vec::new(),
        }
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
        self.all = std::array::from_fn(|word| match events.saturating_sub(64 * word) {
            0 => 0,
            left if left >= 64 => u64::MAX,
            left => (1 << left) - 1,
        });
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
        if let (CheckKind::Irreflexive, Node::Sequence(a, b)) = (check.kind, &questions.nodes[slot]) {
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
        members(reached).all(|middle| members(*self.at(b, middle)).all(|end| !contains(self.at(a, end), middle)))
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
            Node::Given(op) => {
                self.given.clear();
                self.given.resize(W, 0);
                self.fill(op, provider);
                std::array::from_fn(|word| self.given[word])
            }
            Node::Universe => self.all,
            Node::Union(a, b) => {
                let a = self.set(questions, a, provider);
                both(&a, &self.set(questions, b, provider), |a, b| a | b)
            }
            Node::Intersection(a, b) => {
                let a = self.set(questions, a, provider);
                if is_empty(&a) { a } else { both(&a, &self.set(questions, b, provider), |a, b| a & b) }
            }
            Node::Difference(a, ref without) => {
                let mut value = self.set(questions, a, provider);
                for &part in without {
                    value = both(&value, &self.set(questions, part, provider), |a, b| a & !b);
                }
                value
            }
            Node::Complement(a) => {
                let a = self.set(questions, a, provider);
                both(&self.all, &a, |all, a| all & !a)
            }
            Node::Domain(a) => {
                self.need(questions, a, self.all, provider);
                self.non_empty(a, self.all)
            }
            Node::Range(a) => {
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
            Node::Given(op) => self.take_given(slot, op, provider),
            Node::Union(a, b) => {
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
            Node::Intersection(a, b) => {
                self.need(questions, a, todo, provider);
                let asked = self.non_empty(a, todo);
                self.need(questions, b, asked, provider);
                if asked == self.all {
                    self.combine(slot, a, b, |a, b| a & b);
                    return;
                }
                for row in members(todo) {
                    let value = *self.at(a, row);
                    let value = if is_empty(&value) { value } else { both(&value, self.at(b, row), |a, b| a & b) };
                    self.put(slot, row, value);
                }
            }
            Node::Difference(a, ref without) => {
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
            Node::From(set, b) => {
                let set = both(&self.set(questions, set, provider), &todo, |set, todo| set & todo);
                self.need(questions, b, set, provider);
                for row in members(todo) {
                    let value = if contains(&set, row) { *self.at(b, row) } else { [0; W] };
                    self.put(slot, row, value);
                }
            }
            Node::To(a, set) => {
                let set = self.set(questions, set, provider);
                let asked = if is_empty(&set) { set } else { todo };
                self.need(questions, a, asked, provider);
                if asked == self.all {
                    self.map(slot, a, |_, row| both(row, &set, |a, set| a & set));
                    return;
                }
                for row in members(todo) {
                    let value = if is_empty(&set) { set } else { both(self.at(a, row), &set, |a, set| a & set) };
                    self.put(slot, row, value);
                }
            }
            Node::Sequence(a, b) => self.sequence(questions, slot, (a, b), todo, provider),
            Node::Inverse(a) => {
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
            Node::Plus(a) | Node::Star(a) => {
                self.need(questions, a, self.all, provider);
                self.close(a, slot);
                if matches!(questions.nodes[slot], Node::Star(_)) {
                    for row in 0..self.events {
                        insert(&mut self.rows[slot * self.stride + row], row);
                    }
                }
                self.done[slot] = self.all;
            }
            Node::Optional(a) => {
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
            Node::Complement(a) => {
                self.need(questions, a, todo, provider);
                for row in members(todo) {
                    self.put(slot, row, both(&self.all, self.at(a, row), |all, a| all & !a));
                }
            }
            Node::Identity(set) => {
                let set = self.set(questions, set, provider);
                for row in members(todo) {
                    let mut value = [0; W];
                    if contains(&set, row) {
                        insert(&mut value, row);
                    }
                    self.put(slot, row, value);
                }
            }
            Node::Product(a, b) => {
                let a = self.set(questions, a, provider);
                let b = self.set(questions, b, provider);
                for row in members(todo) {
                    self.put(slot, row, if contains(&a, row) { b } else { [0; W] });
                }
            }
            Node::Universe => {
                for row in members(todo) {
                    self.put(slot, row, self.all);
                }
            }
            Node::Empty | Node::Domain(_) | Node::Range(_) => {
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
        let rows = &mut self.rows[target..target + self.events];
        let leads_back = rows.iter().enumerate().any(|(a, row)| members(*row).next().is_some_and(|b| b <= a));
        if leads_back {
            for middle in 0..rows.len() {
                let via = rows[middle];
                if is_empty(&via) {
                    continue;
                }
                for row in rows.iter_mut() {
                    // Without a branch: whether a row has the event in the middle is anybody's guess.
                    let mask = (row[middle / 64] >> (middle % 64) & 1).wrapping_neg();
                    for (own, via) in row.iter_mut().zip(&via) {
                        *own |= via & mask;
                    }
                }
            }
            return;
        }
        // All pairs lead from older to newer events: rows are finished from the newest down.
        for a in (0..rows.len()).rev() {
            let mut value = rows[a];
            let mut rest = value;
            while let Some(next) = members(rest).next() {
                let more = rows[next];
                add(&mut value, &more);
                rest = both(&rest, &more, |rest, more| rest & !more);
                rest[next / 64] &= !(1 << (next % 64));
            }
            rows[a] = value;
        }
    }
}

/// Whether the closure is irreflexive: events without successors are removed, the newest first, until none is left.
fn is_acyclic<const W: usize>(rows: &[Row<W>], all: Row<W>) -> bool {
    let mut left = all;
    loop {
        let before = left;
        for (a, row) in rows.iter().enumerate().rev() {
            if contains(&left, a) && is_empty(&both(row, &left, |row, left| row & left)) {
                left[a / 64] &= !(1 << (a % 64));
            }
        }
        if is_empty(&left) {
            return true;
        }
        if left == before {
            return false;
        }
    }
}
