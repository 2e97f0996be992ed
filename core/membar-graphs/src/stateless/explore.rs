//! Exploration: adds the next event, then tries its forward and backward revisits.
//!
//! A stack of frames holds the remaining work; a stack of graphs holds one more graph for each backward revisit
//! that is being explored. There is no set of visited graphs, and no recursion.

use crate::stateless::checker::ConsistencyChecker;
use crate::stateless::coherence_bounds::CoherenceBounds;
use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, Move, Place, Places};
use crate::stateless::record::Record;
use crate::stateless::relation_ends::RelationEnds;
use crate::stateless::remaining_work::{Frame, WorkItem};
use crate::stateless::thread_order::ThreadOrder;
use crate::stateless::thread_tree::{Next, ThreadTree};
use crate::stateless::view::View;
use crate::stateless::worker::Share;
use crate::stateless::{Options, Symmetry, Verification};
use membar_cat::plan::Plan;
use membar_cat::schedule::Schedule;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::{Program, TagSet};

/// When the threads' trees hold more than this, unused nodes are discarded.
const MOST_HISTORY: usize = 1 << 25;

/// Whether the question before was about the same events but for the newest, and which tags that had.
#[derive(Debug, Clone, Copy, Default)]
struct LastQuestion {
    known: bool,
    tags: Option<TagSet>,
}

impl LastQuestion {
    fn is(self, tags: Option<TagSet>) -> bool {
        self.known && self.tags == tags
    }
}

/// The search.
#[derive(Debug)]
pub(super) struct Explorer<'a> {
    pub(super) program: &'a Program,
    pub(super) options: Options,
    symmetry: Symmetry,
    pub(super) watch: Watch<'a>,
    pub(super) thread_tree: ThreadTree<'a>,
    /// The graphs in use are the first `depth + 1`.
    pub(super) graphs: Vec<Graph>,
    pub(super) depth: usize,
    pub(super) frames: Vec<Frame>,
    /// Per graph what is known to lie before its events.
    pub(super) bounds: Vec<CoherenceBounds>,
    pub(super) checker: ConsistencyChecker<'a>,
    flags: Vec<usize>,
    pub(super) record: Record,
    pub(super) verification: Verification,
    /// What else to tell of whole graphs.
    relation_ends: Option<RelationEnds<'a>>,
    /// What makes the prefix of a write inside its thread; None: all of program order.
    pub(super) order: Option<ThreadOrder<'a>>,
    /// The prefix of the current write: per thread, or per item.
    pub(super) clock: Vec<u32>,
    pub(super) marks: Vec<bool>,
    pub(super) moved: Vec<EventId>,
    most_history: usize,
    /// What is known of the other workers, and of the part of the search that is done here.
    pub(super) share: Share<'a>,
}

impl<'a> Explorer<'a> {
    /// At the empty graph.
    pub(super) fn new(
        program: &'a Program,
        plan: &'a Plan,
        schedule: &'a Schedule,
        options: Options,
        symmetry: &Symmetry,
        watch: Watch<'a>,
        share: Share<'a>,
    ) -> Result<Self, CoreError> {
        let thread_tree = ThreadTree::new(program, options.bound)?;
        let mut graph = Graph::new(program, &thread_tree)?;
        graph.has_clocks = options.order.is_none();
        let (symmetry, symmetric_threads) = symmetry.for_program(&thread_tree, program.threads.len());
        graph.symmetric_threads = symmetric_threads;
        Ok(Self {
            program,
            options,
            symmetry,
            watch,
            thread_tree,
            graphs: vec![graph],
            depth: 0,
            frames: Vec::new(),
            bounds: vec![CoherenceBounds::default()],
            checker: ConsistencyChecker::new(plan, schedule, program, options),
            flags: Vec::new(),
            record: Record::new(program, options),
            verification: Verification::default(),
            relation_ends: options.relation_ends.map(|slots| RelationEnds::new(plan, slots)),
            order: options.order.map(|slot| ThreadOrder::new(program, plan, slot)),
            clock: Vec::new(),
            marks: Vec::new(),
            moved: Vec::new(),
            most_history: MOST_HISTORY,
            share,
        })
    }

    /// Everything.
    pub(super) fn run(&mut self) -> Result<(), Failure> {
        self.watch.look()?;
        if self.is_consistent(false)? { self.go_on(true) } else { Ok(()) }
    }

    /// From the present graph if it `grows`, then all that is left in `frames`.
    pub(super) fn go_on(&mut self, mut grows: bool) -> Result<(), Failure> {
        loop {
            self.step()?;
            // Only with a graph that is new: else workers would hand the same frame around.
            if grows && self.is_called() && !self.share_work()? {
                return Ok(());
            }
            if grows && self.advance()? {
                continue;
            }
            grows = loop {
                let Some(frame) = self.frames.pop() else { return Ok(()) };
                if self.resume(frame)? {
                    break true;
                }
            };
        }
    }

    /// Counts a step; now and then tells how far it is, and looks whether to go on.
    fn step(&mut self) -> Result<(), Stopped> {
        if self.watch.is_due() {
            self.report_progress();
            self.watch.look()?;
        }
        Ok(())
    }

    /// What was found.
    pub(super) fn finish(mut self) -> (Record, Verification) {
        self.record.findings.symmetric = self.symmetry.groups;
        let (duplicates, classes) = (self.record.duplicates, self.record.distinct_classes());
        self.record.findings.waits = self.thread_tree.waits();
        self.record.findings.cuts = self.thread_tree.cuts();
        (self.record, Verification { duplicates, classes, ..self.verification })
    }

    /// Adds the next item maximally; false if there is none, which is counted, or if it must be checked first.
    fn advance(&mut self) -> Result<bool, Failure> {
        let Some((thread, next)) = self.schedule_next()? else {
            self.complete()?;
            return Ok(false);
        };
        let graph = &mut self.graphs[self.depth];
        match next {
            Move::Fence => graph.push_fence(thread, &self.thread_tree)?,
            Move::Join(other) => {
                let node = self.thread_tree.child(graph.threads[thread].node, 1)?;
                graph.push_join(thread, other as usize, node, &self.thread_tree)?;
            }
            Move::Choose => {
                let Next::Choice(options) = &self.thread_tree.node(graph.threads[thread].node).next else {
                    return Ok(false);
                };
                let ways = options.len();
                self.choose(thread, ways - 1, ways)?;
            }
            Move::Read(cell) => {
                let place = graph.touch(cell, self.program.cells[cell.index()].initial);
                let ways = graph.writes(place).len();
                self.read_from(thread, place, ways - 1, ways)?;
            }
            Move::Write | Move::Finish => {
                let Some(cell) = graph.pending(thread, &self.thread_tree).event.cell else {
                    return Ok(false);
                };
                let place = graph.touch(cell, self.program.cells[cell.index()].initial);
                let len = graph.items.len();
                let Places { lowest, highest, is_free } = graph.places(thread, place, &self.thread_tree);
                let lowest = lowest.max(graph.floor(thread));
                let most = if is_free { highest - 1 } else { highest };
                let ways = (highest + 2).saturating_sub(lowest);
                self.frames.push(Frame {
                    len,
                    thread,
                    left: WorkItem::Places(place, lowest, most),
                    ways,
                    floor: 0,
                });
                if !is_free {
                    return Ok(false);
                }
                graph.push_write(thread, place, highest, &self.thread_tree)?;
            }
            Move::Nothing => return Ok(false),
        }
        if !self.is_settled(thread)? {
            return Ok(false);
        }
        if self.options.verify && !self.is_consistent(false)? {
            self.verification.surprises += 1;
        }
        Ok(true)
    }

    /// The thread to go on with: a function of the graph alone. Writes first, reads last, so that reads find many
    /// writes and few revisits are needed; and last of all reads after which their thread would wait.
    fn schedule_next(&mut self) -> Result<Option<(usize, Move)>, CoreError> {
        let mut best = None;
        let mut waiting = None;
        for thread in 0..self.graphs[self.depth].threads.len() {
            match self.graphs[self.depth].next(thread, &self.thread_tree) {
                next @ Move::Finish => return Ok(Some((thread, next))),
                next @ Move::Read(cell) if best.is_none() => {
                    let chosen = if self.would_wait(thread, cell)? { &mut waiting } else { &mut best };
                    *chosen = chosen.or(Some((thread, next)));
                }
                Move::Nothing | Move::Read(_) => {}
                next => {
                    if best.is_none_or(|(_, other)| matches!(other, Move::Read(_))) {
                        best = Some((thread, next));
                    }
                }
            }
        }
        Ok(best.or(waiting))
    }

    /// Goes on with what is left of `frame`: true if there is a graph to go on from.
    pub(super) fn resume(&mut self, frame: Frame) -> Result<bool, Failure> {
        let Frame { len, thread, mut left, ways, .. } = frame;
        let mut same = LastQuestion::default();
        self.graphs[self.depth].truncate(len, &self.thread_tree);
        let floor = self.floor(&frame)?;
        loop {
            self.step()?;
            self.graphs[self.depth].truncate(len, &self.thread_tree);
            match left {
                WorkItem::Sources(_, 0) | WorkItem::Options(0) => return Ok(false),
                WorkItem::Sources(_, count) if count <= floor && !self.options.verify => return Ok(false),
                WorkItem::Sources(_, count) | WorkItem::Options(count)
                    if count <= self.graphs[self.depth].floor(thread) =>
                {
                    return Ok(false);
                }
                WorkItem::Sources(place, count) if self.would_wait_for(thread, place, count - 1)? => {
                    left = WorkItem::Sources(place, count - 1);
                }
                WorkItem::Sources(place, count) => {
                    if self.may_read_from(thread, place, count - 1, &mut same)? {
                        self.graphs[self.depth].truncate(len, &self.thread_tree);
                        self.verification.contradictions += u64::from(count <= floor);
                        self.read_from(thread, place, count - 1, ways)?;
                        return self.is_settled(thread);
                    }
                    left = WorkItem::Sources(place, count - 1);
                }
                WorkItem::Options(count) => {
                    self.choose(thread, count - 1, ways)?;
                    return Ok(true);
                }
                WorkItem::Places(place, lowest, at)
                    if at < lowest || (at <= floor && !self.options.verify) =>
                {
                    left = WorkItem::Reads(place, len);
                }
                WorkItem::RevisitPlacement(_, lowest, at)
                    if at < lowest || (at <= floor && !self.options.verify) =>
                {
                    // What began with another worker has nothing below.
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(false);
                }
                WorkItem::Places(place, lowest, at) | WorkItem::RevisitPlacement(place, lowest, at) => {
                    left = match left {
                        WorkItem::RevisitPlacement(..) => WorkItem::RevisitPlacement(place, lowest, at - 1),
                        _ => WorkItem::Places(place, lowest, at - 1),
                    };
                    self.graphs[self.depth].push_write(thread, place, at, &self.thread_tree)?;
                    let tags = self.newest_tags();
                    let is_consistent = self.is_consistent(same.is(tags))?;
                    same = LastQuestion { known: true, tags };
                    if is_consistent {
                        self.verification.contradictions += u64::from(at <= floor);
                        if self.graphs[self.depth].violates_symmetry_order() {
                            self.verification.is_asymmetric = true;
                            return Err(Failure::Stopped(Stopped::Request));
                        }
                        self.frames.push(Frame { len, thread, left, ways, floor });
                        return self.is_settled(thread);
                    }
                }
                WorkItem::Reads(place, count) => {
                    let Some(read) = self.next_revisit(thread, place, count)? else { return Ok(false) };
                    let more = read.index();
                    self.frames.push(Frame { len, thread, left: WorkItem::Reads(place, more), ways, floor });
                    return self.revisit(thread, place, read);
                }
            }
        }
    }

    /// Whether the next read of `thread` may read from write `at` of co. Adds it for the question; where all values look
    /// the same to the model, the thread is not run for a value that is refused.
    fn may_read_from(
        &mut self,
        thread: usize,
        place: Place,
        at: usize,
        same: &mut LastQuestion,
    ) -> Result<bool, Failure> {
        let graph = &mut self.graphs[self.depth];
        let (source, node) = (graph.writes(place)[at], graph.threads[thread].node);
        let child = match self.thread_tree.some_child(node).filter(|_| !graph.has_spawns()) {
            Some(child) => child,
            None => self.thread_tree.child(node, graph.item(source).value)?,
        };
        graph.push_read(thread, place, source, child, &self.thread_tree)?;
        let tags = self.newest_tags();
        let is_consistent = self.is_consistent(same.is(tags))?;
        *same = LastQuestion { known: true, tags };
        Ok(is_consistent)
    }

    fn newest_tags(&self) -> Option<TagSet> {
        self.graphs[self.depth].items.last().and_then(|item| item.tags)
    }

    /// Lets the next read of `thread` read from write `at` of co, and notes that the earlier ones are left.
    fn read_from(&mut self, thread: usize, place: Place, at: usize, ways: usize) -> Result<(), Failure> {
        let graph = &mut self.graphs[self.depth];
        let source = graph.writes(place)[at];
        let node = self.thread_tree.child(graph.threads[thread].node, graph.item(source).value)?;
        let len = graph.items.len();
        graph.push_read(thread, place, source, node, &self.thread_tree)?;
        self.frames.push(Frame { len, thread, left: WorkItem::Sources(place, at), ways, floor: 0 });
        Ok(())
    }

    /// Lets `thread` take option `at`, and notes that the earlier ones are left.
    fn choose(&mut self, thread: usize, at: usize, ways: usize) -> Result<(), Failure> {
        let graph = &mut self.graphs[self.depth];
        let node = graph.threads[thread].node;
        let Next::Choice(options) = &self.thread_tree.node(node).next else { return Ok(()) };
        // Failure is the maximal step of a store-conditional, and its last option.
        let (answer, is_maximal) = (options[at], at + 1 == options.len());
        let len = graph.items.len();
        let node = self.thread_tree.child(node, answer)?;
        graph.push_choice(thread, node, at, is_maximal, &self.thread_tree)?;
        self.frames.push(Frame { len, thread, left: WorkItem::Options(at), ways, floor: 0 });
        Ok(())
    }

    /// Whether the present graph can be, now that something was added to `thread`. What fills a gap is checked: models
    /// may see in it why what is around it is in order.
    fn is_settled(&mut self, thread: usize) -> Result<bool, Failure> {
        if self.order.is_none() {
            return Ok(true);
        }
        let graph = &mut self.graphs[self.depth];
        let own = &graph.threads[thread];
        let fills = (own.next as usize) < own.items.len();
        Ok(graph.replay_after_gap(thread, &mut self.thread_tree)? && (!fills || self.is_consistent(false)?))
    }

    /// Whether the present graph may become a consistent execution, as far as the model can say now.
    /// `same`: the question before was about the same events.
    fn is_consistent(&mut self, same: bool) -> Result<bool, Failure> {
        self.record.findings.nodes += 1;
        let graph = &self.graphs[self.depth];
        let view = View { graph, thread_tree: &self.thread_tree, program: self.program };
        let passes = self.checker.passes(&view, same, &mut self.watch)?;
        if self.options.verify && passes != self.checker.evaluate(&view, &mut self.watch)? {
            self.verification.contradictions += 1;
        }
        Ok(passes)
    }

    /// Nothing can be added: what was not asked yet, then it counts.
    fn complete(&mut self) -> Result<(), Failure> {
        let graph = &self.graphs[self.depth];
        let view = View { graph, thread_tree: &self.thread_tree, program: self.program };
        if !self.checker.passes_at_the_end(&view, &mut self.flags, &mut self.watch)? {
            return Ok(());
        }
        if let Some(relation_ends) = &mut self.relation_ends {
            relation_ends.look(&view, &mut self.record.findings.relation_ends, &mut self.watch)?;
        }
        let weight = self.symmetry.represented_executions(graph);
        self.record.is_full = self.watch.is_full();
        self.record.take(graph, weight, &mut self.thread_tree, &self.flags)?;
        if self.record.is_over {
            return Err(Stopped::Executions.into());
        }
        self.make_room();
        if self.options.limits.counts() {
            self.report_progress();
            self.watch.counts()?;
        }
        if self.options.stop_at_failure && self.record.has_failure() { self.fail() } else { Ok(()) }
    }

    /// Throws cached runs of threads away if there are too many.
    pub(super) fn make_room(&mut self) {
        if self.thread_tree.bytes() < self.most_history {
            return;
        }
        let live = &self.graphs[..=self.depth];
        let moved = self.thread_tree.collect(live.iter().flat_map(Graph::nodes));
        for graph in &mut self.graphs[..=self.depth] {
            graph.move_nodes(&moved);
        }
        if let Some(order) = &mut self.order {
            order.forget();
        }
        self.most_history = MOST_HISTORY.max(2 * self.thread_tree.bytes());
    }
}
