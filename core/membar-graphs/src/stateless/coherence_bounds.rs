//! Bounds of coherence positions: what precedes an event whatever it reads, and how early in co it can be.
//!
//! Most of what a search tries is refused for coherence, and the model need not be asked each time. Let `before` be a
//! transitive relation of the model that is made of program order, reads-from and their like, so that it only leads
//! from what is in the prefix of an event to that event. If the model refuses `before ; (rf | co | fr)+` loops, then a
//! new event e must not reach back behind what lies before it: for y before e, of e's location, e cannot read from a
//! write that comes earlier in co than y (or than what y reads), and as a write it cannot stand earlier.
//!
//! Such a rule is looked for in the model's plan (`rule`); there may be none. `before` of a graph, restricted to a
//! part with all prefixes, is `before` of that part. So it is computed once for the longest graph, and serves all
//! frames of that graph. What passes is still asked of the model in full; `verify` asks about what was refused too.

use crate::stateless::explore::Explorer;
use crate::stateless::fault::Fault;
use crate::stateless::frame::{Frame, WorkItem};
use crate::stateless::graph::Graph;
use crate::stateless::item::{ItemId, Place, What};
use crate::stateless::questions::Segment;
use crate::stateless::rows::Row;
use crate::stateless::view::View;
use membar_cat::plan::{Check, CheckKind, Op, Primitive};

/// A check that refuses `before ; (rf | co | fr)+` loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// `before` is the transitive closure of the union of these slots.
    pub(super) parts: Vec<usize>,
    /// Which earlier event of its thread surely lies before an event.
    pub(super) step: Step,
}

/// A part of program order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// Every earlier event of the same location.
    SameLocation,
    /// Every earlier event.
    Any,
}

/// The strongest rule among `checks`, which all must hold of every graph.
pub(super) fn rule(nodes: &[Segment], checks: &[Check]) -> Option<Rule> {
    let plan = Nodes(nodes);
    let all = checks.iter().filter(|check| !check.negated);
    all.filter_map(|&check| plan.rule(check)).max_by_key(|rule| rule.step)
}

/// Whether a check holds of every graph of the search: prefixes have no cycles.
pub(super) fn is_given(nodes: &[Segment], check: Check) -> bool {
    let plan = Nodes(nodes);
    let slot = check.slot.index();
    check.kind == CheckKind::Acyclic && !check.negated && plan.is_forward(slot) && plan.is_strict(slot)
}

struct Nodes<'n>(&'n [Segment]);

impl Nodes<'_> {
    fn rule(&self, check: Check) -> Option<Rule> {
        let slot = check.slot.index();
        match (check.kind, &self.0[slot]) {
            (CheckKind::Acyclic, _) => {
                let parts = self.parts(slot);
                self.are_communications(&parts).then(|| self.rule_of(parts))?
            }
            (CheckKind::Irreflexive, &Segment::Sequence(a, b)) => {
                [(a, b), (b, a)].into_iter().find_map(|(before, after)| self.rule_of_sequence(before, after))
            }
            _ => None,
        }
    }

    fn rule_of_sequence(&self, before: usize, after: usize) -> Option<Rule> {
        let Segment::Plus(inner) = self.0[before] else { return None };
        let after = if let Segment::Optional(inner) = self.0[after] { inner } else { after };
        let reaches = match self.0[after] {
            Segment::Plus(steps) | Segment::Star(steps) => self.are_communications(&self.parts(steps)),
            _ => self.are_closed(&self.parts(after)),
        };
        if reaches { self.rule_of(self.parts(inner)) } else { None }
    }

    fn rule_of(&self, parts: Vec<usize>) -> Option<Rule> {
        let step = parts.iter().filter_map(|&part| self.step(part)).max()?;
        let parts = parts.into_iter().filter(|&part| self.is_forward(part)).collect();
        Some(Rule { parts, step })
    }

    /// The operands of a union of unions.
    fn parts(&self, slot: usize) -> Vec<usize> {
        match self.0[slot] {
            Segment::Union(a, b) => [self.parts(a), self.parts(b)].concat(),
            _ => vec![slot],
        }
    }

    fn is(&self, slot: usize, primitive: Primitive) -> bool {
        matches!(self.0[slot], Segment::Given(Op::Primitive(other)) if other == primitive)
    }

    /// Whether rf, co and fr are among `parts`.
    fn are_communications(&self, parts: &[usize]) -> bool {
        let has = |test: &dyn Fn(usize) -> bool| parts.iter().any(|&part| test(part));
        has(&|part| self.is(part, Primitive::ReadsFrom))
            && has(&|part| self.is(part, Primitive::Coherence))
            && has(&|part| self.is_from_reads(part))
    }

    /// Whether `co ; rf?` and `fr ; rf?` are among `parts`.
    fn are_closed(&self, parts: &[usize]) -> bool {
        let first = |part: usize| match self.0[part] {
            Segment::Sequence(first, last) => match self.0[last] {
                Segment::Optional(rf) if self.is(rf, Primitive::ReadsFrom) => Some(first),
                _ => None,
            },
            _ => None,
        };
        let has = |test: &dyn Fn(usize) -> bool| parts.iter().filter_map(|&part| first(part)).any(test);
        has(&|first| self.is(first, Primitive::Coherence)) && has(&|first| self.is_from_reads(first))
    }

    fn is_from_reads(&self, slot: usize) -> bool {
        let Segment::Sequence(a, co) = self.0[slot] else { return false };
        self.is(co, Primitive::Coherence)
            && matches!(self.0[a], Segment::Inverse(rf) if self.is(rf, Primitive::ReadsFrom))
    }

    fn step(&self, part: usize) -> Option<Step> {
        match self.0[part] {
            Segment::Intersection(a, b) => {
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
            Segment::Given(Op::Primitive(primitive)) => matches!(
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
            Segment::Empty => true,
            Segment::Union(a, b) | Segment::Sequence(a, b) => self.is_forward(*a) && self.is_forward(*b),
            Segment::Intersection(a, b) => {
                let is_pairwise = |slot: usize| self.is_forward(slot) || self.is_pairwise(slot);
                (self.is_forward(*a) && is_pairwise(*b)) || (self.is_forward(*b) && is_pairwise(*a))
            }
            Segment::Difference(a, without) => {
                self.is_forward(*a) && without.iter().all(|&part| self.is_pairwise(part))
            }
            Segment::From(set, relation) | Segment::To(relation, set) => {
                self.is_set(*set) && self.is_forward(*relation)
            }
            Segment::Plus(a) | Segment::Star(a) | Segment::Optional(a) => self.is_forward(*a),
            Segment::Identity(set) => self.is_set(*set),
            _ => false,
        }
    }

    /// Of what leads forward: whether it never leads to the event itself.
    fn is_strict(&self, slot: usize) -> bool {
        match &self.0[slot] {
            Segment::Given(_) | Segment::Empty => true,
            Segment::Union(a, b) => self.is_strict(*a) && self.is_strict(*b),
            Segment::Sequence(a, b) | Segment::Intersection(a, b) => self.is_strict(*a) || self.is_strict(*b),
            Segment::Difference(a, _) | Segment::From(_, a) | Segment::To(a, _) | Segment::Plus(a) => {
                self.is_strict(*a)
            }
            _ => false,
        }
    }

    /// Whether it depends on nothing but the two events.
    fn is_pairwise(&self, slot: usize) -> bool {
        match &self.0[slot] {
            Segment::Given(Op::Primitive(primitive)) => matches!(
                primitive,
                Primitive::SameLocation
                    | Primitive::Internal
                    | Primitive::External
                    | Primitive::ProgramOrder
                    | Primitive::Address
                    | Primitive::Data
                    | Primitive::Control
            ),
            Segment::Empty | Segment::Universe => true,
            Segment::Union(a, b) | Segment::Intersection(a, b) => {
                self.is_pairwise(*a) && self.is_pairwise(*b)
            }
            Segment::Difference(a, without) => {
                self.is_pairwise(*a) && without.iter().all(|&part| self.is_pairwise(part))
            }
            Segment::Complement(a) => self.is_pairwise(*a),
            Segment::Product(a, b) => self.is_set(*a) && self.is_set(*b),
            Segment::Identity(set) => self.is_set(*set),
            _ => false,
        }
    }

    /// Whether membership depends on nothing but the event.
    fn is_set(&self, slot: usize) -> bool {
        match &self.0[slot] {
            Segment::Given(Op::Tagged(_)) | Segment::Empty | Segment::Universe => true,
            Segment::Given(Op::Primitive(primitive)) => matches!(
                primitive,
                Primitive::Reads | Primitive::Writes | Primitive::Fences | Primitive::InitialWrites
            ),
            Segment::Union(a, b) | Segment::Intersection(a, b) => self.is_set(*a) && self.is_set(*b),
            Segment::Difference(a, without) => {
                self.is_set(*a) && without.iter().all(|&part| self.is_set(part))
            }
            Segment::Complement(a) => self.is_set(*a),
            _ => false,
        }
    }
}

/// `before` of the first items of a graph.
#[derive(Debug, Clone, Default)]
pub(super) struct CoherenceBounds {
    /// How many items it is about.
    pub(super) items: usize,
    /// Words per row.
    words: usize,
    /// Per event a row: what it lies before.
    rows: Vec<u64>,
}

impl CoherenceBounds {
    /// Takes new rows.
    pub(super) fn take<const W: usize>(&mut self, rows: &[Row<W>]) {
        self.words = W;
        self.rows.clear();
        self.rows.extend(rows.iter().flatten());
    }

    /// Whether event `a` lies before event `b`.
    fn has(&self, a: usize, b: usize) -> bool {
        self.rows[a * self.words + b / 64] >> (b % 64) & 1 != 0
    }

    /// The place in co behind which an access of `place` stays, if it follows directly on the first `events` events of
    /// `thread`.
    pub(super) fn floor(
        &self,
        graph: &Graph,
        step: Step,
        thread: usize,
        events: usize,
        place: Place,
    ) -> usize {
        let is_here =
            |what: What| matches!(what, What::Read(other, _) | What::Write(other) if other == place);
        let earlier = &graph.lanes[thread].events[..events];
        let last = match step {
            Step::Any => earlier.last(),
            Step::SameLocation => earlier.iter().rev().find(|&&id| is_here(graph.item(id).what)),
        };
        let Some(last) = last.map(|&id| graph.item(id)) else { return 0 };
        if last.is_unordered {
            return 0;
        }
        let writes = graph.writes(place);
        let position = |write: ItemId| writes.iter().rposition(|&other| other == write).unwrap_or(0);
        let mut floor = 0;
        for (event, &id) in graph.events.iter().enumerate() {
            let what = graph.item(id).what;
            if is_here(what) && (event == last.event as usize || self.has(event, last.event as usize)) {
                let write = if let What::Read(_, source) = what { source } else { id };
                floor = floor.max(position(write));
            }
        }
        floor
    }

    /// The write behind which the next write of `thread` stays if it is to be read by `read`.
    pub(super) fn landing_floor(
        &self,
        graph: &Graph,
        step: Step,
        thread: usize,
        read: ItemId,
        place: Place,
    ) -> ItemId {
        let reader = graph.item(read).thread as usize;
        let lane = &graph.lanes[reader];
        let earlier = lane.events.iter().position(|&id| id == read).unwrap_or(0);
        let of_write = self.floor(graph, step, thread, graph.lanes[thread].events.len(), place);
        graph.writes(place)[of_write.max(self.floor(graph, step, reader, earlier, place))]
    }
}

impl Explorer<'_> {
    /// The place in co at or before which nothing of `frame` is worth a question: an earlier one cannot be read, this
    /// and earlier ones cannot be taken. Graph and frame are of one length.
    pub(super) fn floor(&mut self, frame: &Frame) -> usize {
        let past = &mut self.pasts[self.depth];
        past.items = past.items.min(frame.len);
        let place = match frame.left {
            WorkItem::RevisitPlacement(..) => return frame.floor,
            WorkItem::Sources(place, count) if count > 0 => place,
            WorkItem::Places(place, lowest, at) if at >= lowest => place,
            _ => return 0,
        };
        let Some(step) = self.update_bounds() else { return 0 };
        let graph = &self.graphs[self.depth];
        let events = graph.lanes[frame.thread].events.len();
        let floor = self.pasts[self.depth].floor(graph, step, frame.thread, events, place);
        if self.options.fault == Fault::FloorTooHigh { floor + 1 } else { floor }
    }

    /// Brings what is known of the past of the present graph up to date; None if nothing can be known.
    pub(super) fn update_bounds(&mut self) -> Option<Step> {
        let step = self.judge.step()?;
        let graph = &self.graphs[self.depth];
        if self.pasts[self.depth].items < graph.items.len() {
            let view = View {
                graph,
                thread_tree: &self.thread_tree,
                program: self.program,
                fault: self.options.fault,
            };
            if !self.judge.take_past(&view, &mut self.pasts[self.depth]) {
                return None;
            }
        }
        Some(step)
    }
}
