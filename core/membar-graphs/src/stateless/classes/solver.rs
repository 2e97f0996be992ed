//! Finds a coherence order for one graph of up to `64 * W` events.
//!
//! The consequences of the model's checks (`CoherenceConstraints`) are propagated until nothing is new; then an
//! order that satisfies them is checked with the model itself. If the model rejects it, two unordered writes are
//! tried both ways. So "yes" is always the model's own answer, and "no" follows from its checks.

use crate::stateless::checker::closure_words;
use crate::stateless::graph_events::{Label, Place};
use crate::stateless::view::View;
use membar_cat::evaluation::Provider;
use membar_cat::lazy::LazyEvaluator;
use membar_cat::lazy_plan::LazyPlan;
use membar_cat::plan::Primitive;
use membar_cat::relation::Shape;
use membar_cat::rows::{Row, close, members};
use membar_cat::shapes::CoherenceConstraints;
use membar_ir::bits::{contains, insert, is_empty, union};
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::Tag;

/// A graph, and the question about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'q, 'v, 'a> {
    pub(super) plan: &'q LazyPlan,
    pub(super) constraints: &'q CoherenceConstraints,
    pub(super) view: View<'v, 'a>,
    /// Whether nothing can be added to the graph: then everything is asked.
    pub(super) is_whole: bool,
    /// Events that must be the last writes of their locations.
    pub(super) last: &'q [usize],
    /// Whether the events are those of the question before.
    pub(super) same: bool,
}

/// A graph with another order of its writes, which need not be complete.
struct Ordered<'v, 'a, const W: usize> {
    view: View<'v, 'a>,
    order: &'v [Row<W>],
}

impl<const W: usize> Provider for Ordered<'_, '_, W> {
    fn primitive(&self, primitive: Primitive, shape: Shape, out: &mut [u64]) {
        let width = shape.set();
        match primitive {
            Primitive::Coherence => {
                for (row, order) in out.chunks_exact_mut(width).zip(self.order) {
                    row.copy_from_slice(&order[..width]);
                }
            }
            Primitive::FinalWrites => {
                for (event, id) in self.view.graph.events.iter().enumerate() {
                    let is_write =
                        matches!(self.view.graph.item(*id).label, Label::Write(_) | Label::Initial(_));
                    if is_write && is_empty(&self.order[event]) {
                        insert(out, event);
                    }
                }
            }
            other => self.view.primitive(other, shape, out),
        }
    }

    fn tagged(&self, tag: Tag, out: &mut [u64]) {
        self.view.tagged(tag, out);
    }
}

/// Two writes would have to be before one another.
struct Contradiction;

/// An access of a graph.
#[derive(Debug, Clone, Copy)]
struct Access {
    place: Place,
    /// The write that it is or reads from.
    source: usize,
    is_write: bool,
}

/// Room for the work, and the order that was found.
#[derive(Debug)]
pub(super) struct Solver<const W: usize> {
    answers: LazyEvaluator<W>,
    accesses: Vec<Option<Access>>,
    /// Per place its accesses.
    located: Vec<Row<W>>,
    /// RMWs: the write that is read, and the write that immediately follows it.
    halves: Vec<(usize, usize)>,
    /// What is known of co.
    known: Vec<Row<W>>,
    has_grown: bool,
    /// A whole co.
    order: Vec<Row<W>>,
    /// The same, place by place; before anything is found, as the graph has it.
    pub(super) lists: Vec<Vec<usize>>,
    closed: Vec<Row<W>>,
    /// What was known where the search branched.
    saved: Vec<Row<W>>,
    /// What the model says of whole graphs that is no requirement.
    pub(super) flags: Vec<usize>,
}

impl<const W: usize> Solver<W> {
    pub(super) fn new() -> Self {
        Self {
            answers: LazyEvaluator::default(),
            accesses: Vec::new(),
            located: Vec::new(),
            halves: Vec::new(),
            known: Vec::new(),
            has_grown: false,
            order: Vec::new(),
            lists: Vec::new(),
            closed: Vec::new(),
            saved: Vec::new(),
            flags: Vec::new(),
        }
    }

    /// Looks for an order of the writes; if there is one it is in `lists`.
    pub(super) fn find(
        &mut self,
        question: &Question<'_, '_, '_>,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        self.take_lists(question);
        let is_last = |&event: &usize| self.lists.iter().any(|list| list.last() == Some(&event));
        let mut same = question.same;
        watch.work(closure_words(question.view.graph.events.len()))?;
        if question.last.iter().all(is_last) {
            if self.accepts(question, same) {
                return Ok(true);
            }
            same = true;
        }
        self.take_accesses(question);
        self.answers.reset(question.plan, question.view.graph.events.len(), same);
        if self.begin(question).is_err() {
            return Ok(false);
        }
        self.saved.clear();
        self.search(question, watch)
    }

    /// The writes as the graph has them.
    fn take_lists(&mut self, question: &Question<'_, '_, '_>) {
        let graph = question.view.graph;
        self.lists.truncate(graph.locations.len());
        self.lists.resize_with(graph.locations.len(), Vec::new);
        for (list, location) in self.lists.iter_mut().zip(&graph.locations) {
            list.clear();
            list.extend(location.writes.iter().map(|&write| graph.item(write).event as usize));
        }
    }

    fn take_accesses(&mut self, question: &Question<'_, '_, '_>) {
        let View { graph, thread_tree, .. } = question.view;
        self.accesses.clear();
        self.located.clear();
        self.located.resize(graph.locations.len(), [0; W]);
        self.halves.clear();
        for (event, &id) in graph.events.iter().enumerate() {
            let item = graph.item(id);
            let (place, source, is_write) = match item.label {
                Label::Initial(place) | Label::Write(place) => (place, event, true),
                Label::Read(place, source) => (place, graph.item(source).event as usize, false),
                _ => {
                    self.accesses.push(None);
                    continue;
                }
            };
            self.accesses.push(Some(Access { place, source, is_write }));
            insert(&mut self.located[place.index()], event);
            if item.has_pair
                && let Some(pair) = graph.step(item, thread_tree).pair
                && !pair.is_exclusive
                && let Label::Read(_, source) =
                    graph.item(graph.threads[item.thread as usize].events[pair.read as usize]).label
            {
                self.halves.push((graph.item(source).event as usize, event));
            }
        }
    }

    /// Whether the model accepts the order in `lists`.
    fn accepts(&mut self, question: &Question<'_, '_, '_>, same: bool) -> bool {
        let Question { plan, view, .. } = *question;
        let events = view.graph.events.len();
        self.order.clear();
        self.order.resize(events, [0; W]);
        for list in &self.lists {
            let mut later = [0; W];
            for &write in list.iter().rev() {
                self.order[write] = later;
                insert(&mut later, write);
            }
        }
        self.answers.reset(plan, events, same);
        let provider = Ordered { view, order: &self.order };
        self.flags.clear();
        self.answers.passes(plan, &provider)
            && (!question.is_whole || self.answers.passes_at_the_end(plan, &provider, &mut self.flags))
    }

    /// What is known before any order is tried.
    fn begin(&mut self, question: &Question<'_, '_, '_>) -> Result<(), Contradiction> {
        self.known.clear();
        self.known.resize(self.accesses.len(), [0; W]);
        self.has_grown = true;
        for place in 0..self.lists.len() {
            let last = self.lists[place].iter().copied().find(|write| question.last.contains(write));
            for at in 0..self.lists[place].len() {
                let write = self.lists[place][at];
                if at > 0 {
                    self.force(self.lists[place][0], write)?;
                }
                if let Some(last) = last.filter(|&last| last != write) {
                    self.force(write, last)?;
                }
            }
        }
        for at in 0..self.halves.len() {
            let (read, written) = self.halves[at];
            self.force(read, written)?;
        }
        let provider = Ordered { view: question.view, order: &self.known };
        let mut pairs = Vec::new();
        for &slot in &question.constraints.irreflexive {
            let rows = self.answers.relation(question.plan, slot, &provider);
            for (first, row) in rows.iter().enumerate() {
                let Some(from) = self.accesses[first] else { continue };
                let located = self.located[from.place.index()];
                for second in members(*row).filter(|&second| contains(&located, second)) {
                    let Some(to) = self.accesses[second] else { continue };
                    pairs.push((from, to));
                }
            }
        }
        for (from, to) in pairs {
            if from.source != to.source {
                self.force(from.source, to.source)?;
            } else if to.is_write && !from.is_write {
                return Err(Contradiction);
            }
        }
        Ok(())
    }

    fn force(&mut self, before: usize, after: usize) -> Result<(), Contradiction> {
        if contains(&self.known[before], after) {
            return Ok(());
        }
        if contains(&self.known[after], before) {
            return Err(Contradiction);
        }
        insert(&mut self.known[before], after);
        self.has_grown = true;
        Ok(())
    }

    /// Adds everything that follows from what is known; false if that is a contradiction.
    fn saturate(&mut self, question: &Question<'_, '_, '_>, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        loop {
            if self.close_known().is_err() {
                return Ok(false);
            }
            if question.constraints.acyclic.is_empty() || !self.has_grown {
                return Ok(true);
            }
            watch.work(closure_words(self.accesses.len()))?;
            self.has_grown = false;
            self.answers.reset(question.plan, self.accesses.len(), true);
            for &slot in &question.constraints.acyclic {
                let provider = Ordered { view: question.view, order: &self.known };
                self.closed.clear();
                self.closed.extend_from_slice(self.answers.relation(question.plan, slot, &provider));
                close(&mut self.closed);
                if self.follow_closed().is_err() {
                    return Ok(false);
                }
            }
        }
    }

    fn follow_closed(&mut self) -> Result<(), Contradiction> {
        for first in 0..self.accesses.len() {
            if contains(&self.closed[first], first) {
                return Err(Contradiction);
            }
            let Some(Access { place, is_write: true, .. }) = self.accesses[first] else { continue };
            let located = self.located[place.index()];
            let followers: Row<W> = std::array::from_fn(|word| self.closed[first][word] & located[word]);
            for second in members(followers) {
                let Some(to) = self.accesses[second] else { continue };
                if to.source != first {
                    self.force(first, to.source)?;
                }
            }
        }
        Ok(())
    }

    /// Transitivity, and nothing between the halves of a read-modify-write.
    fn close_known(&mut self) -> Result<(), Contradiction> {
        loop {
            for list in &self.lists {
                for &middle in list {
                    let via = self.known[middle];
                    for &write in list {
                        if contains(&self.known[write], middle) {
                            union(&mut self.known[write], &via);
                        }
                    }
                }
                if list.iter().any(|&write| contains(&self.known[write], write)) {
                    return Err(Contradiction);
                }
            }
            if !self.keep_halves_together()? {
                return Ok(());
            }
        }
    }

    fn keep_halves_together(&mut self) -> Result<bool, Contradiction> {
        let mut has_changed = false;
        for at in 0..self.halves.len() {
            let (read, written) = self.halves[at];
            let Some(Access { place, .. }) = self.accesses[read] else { continue };
            for other in 0..self.lists[place.index()].len() {
                let write = self.lists[place.index()][other];
                if write == read || write == written {
                    continue;
                }
                if contains(&self.known[read], write) && !contains(&self.known[written], write) {
                    self.force(written, write)?;
                    has_changed = true;
                }
                if contains(&self.known[write], written) && !contains(&self.known[write], read) {
                    self.force(write, read)?;
                    has_changed = true;
                }
            }
        }
        Ok(has_changed)
    }

    /// Puts into `lists` an order that keeps to what is known, and is otherwise as it was.
    fn list_known_order(&mut self) {
        for list in &mut self.lists {
            for at in 0..list.len() {
                // The first that none of the others must precede; behind one half of a read-modify-write the other.
                let is_free =
                    |&write: &usize| !list[at..].iter().any(|&other| contains(&self.known[other], write));
                let half = at.checked_sub(1).and_then(|before| {
                    let other = self.halves.iter().find(|(read, _)| *read == list[before]);
                    other.map(|&(_, written)| written)
                });
                let chosen = half
                    .and_then(|half| list[at..].iter().position(|&write| write == half))
                    .or_else(|| list[at..].iter().position(is_free))
                    .unwrap_or(0);
                list[at..=at + chosen].rotate_right(1);
            }
        }
    }

    fn first_open(&self) -> Option<(usize, usize)> {
        self.lists.iter().find_map(|list| {
            list.iter().enumerate().find_map(|(at, &later)| {
                let is_open = |&&write: &&usize| !contains(&self.known[write], later);
                list[..at].iter().find(is_open).map(|&write| (write, later))
            })
        })
    }

    fn search(&mut self, question: &Question<'_, '_, '_>, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        watch.step()?;
        if !self.saturate(question, watch)? {
            return Ok(false);
        }
        self.list_known_order();
        if self.accepts(question, true) {
            return Ok(true);
        }
        let Some((one, other)) = self.first_open() else {
            return Ok(false);
        };
        let start = self.saved.len();
        self.saved.extend_from_slice(&self.known);
        for (before, after) in [(one, other), (other, one)] {
            if self.force(before, after).is_ok() && self.search(question, watch)? {
                return Ok(true);
            }
            self.known.clear();
            self.known.extend_from_slice(&self.saved[start..]);
        }
        self.saved.truncate(start);
        Ok(false)
    }
}
