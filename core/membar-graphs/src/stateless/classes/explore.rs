//! The search: graphs grow forward only; events without a choice are added at once, then some read chooses its
//! source.
//!
//! A read may take the value of an existing write, or *wait*: then it must read from a write that is added later.
//! Exactly one of these alternatives leads to each class, so none is found twice, without a set of visited graphs
//! and with the memory of one graph. None is missed: po, rf and the starting of threads have no cycle together, so
//! as long as a class has reads that are not added yet, one of them reads from an existing write. A read waits only
//! where some other thread may still write its location; if no such write is added, the graph is a *dead end*. For
//! most programs there are few; where most graphs are, the search gives up.

use crate::stateless;
use crate::stateless::classes::Options;
use crate::stateless::classes::coherence::{Finder, Request};
use crate::stateless::classes::futures::Futures;
use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, Move, Place, Places};
use crate::stateless::record::Record;
use crate::stateless::thread_tree::{Next, ThreadTree};
use crate::stateless::view::View;
use crate::thread::Status;
use membar_cat::plan::Plan;
use membar_cat::schedule::Schedule;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::{CellId, Program, TagSet, Term};
use membar_ir::words::narrow;

/// When the threads' trees hold more than this, unused nodes are discarded.
const MOST_HISTORY: usize = 1 << 25;

/// So many dead ends, and so many more for each class, are fine; with more, the exactly-once search is the better one.
const DEAD_ENDS: u64 = 10_000;
const DEAD_ENDS_EACH: u64 = 20;

/// What is still to be tried in a graph of `len` items.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// Items before the one that it is about.
    len: usize,
    /// The thread whose next item it is about.
    thread: usize,
    /// Writes with lower stamps have been refused by its read.
    floor: u32,
    /// What is left.
    left: WorkItem,
}

/// What is left to try.
#[derive(Debug, Clone, Copy)]
enum WorkItem {
    /// Nothing.
    Nothing,
    /// A read may read from writes with stamps below this one; then it may wait, perhaps.
    Sources { place: Place, below: u32, may_wait: bool },
    /// The first so many options of a choice.
    Options(usize),
}

/// The search.
#[derive(Debug)]
pub(super) struct Explorer<'a> {
    program: &'a Program,
    options: Options,
    watch: Watch<'a>,
    thread_tree: ThreadTree<'a>,
    graph: Graph,
    /// Per thread, the stamp from which on its next read takes writes; 0 if it has not waited.
    floors: Vec<u32>,
    frames: Vec<Frame>,
    futures: Futures,
    finder: Finder,
    /// Locations that final states show.
    observed: Vec<CellId>,
    record: Record,
    dead_ends: u64,
    /// Classes of all kinds.
    counted: u64,
    most_history: usize,
}

impl<'a> Explorer<'a> {
    /// At the empty graph.
    pub(super) fn new(
        program: &'a Program,
        plan: &'a Plan,
        schedule: &'a Schedule,
        options: Options,
        watch: Watch<'a>,
    ) -> Result<Self, CoreError> {
        let thread_tree = ThreadTree::new(program, options.bound)?;
        let graph = Graph::new(program, &thread_tree)?;
        let mut observed: Vec<CellId> = Vec::new();
        for term in &program.terms {
            if let Term::Cell(cell) = *term
                && !observed.contains(&cell)
            {
                observed.push(cell);
            }
        }
        let Options { keep_all, verify, .. } = options;
        let of_record = stateless::Options { keep_all, verify, ..stateless::Options::default() };
        Ok(Self {
            program,
            options,
            watch,
            thread_tree,
            floors: vec![0; graph.threads.len()],
            graph,
            frames: Vec::new(),
            futures: Futures::new(program),
            finder: Finder::new(plan, schedule)?,
            observed,
            record: Record::new(program, of_record),
            dead_ends: 0,
            counted: 0,
            most_history: MOST_HISTORY,
        })
    }

    /// What was found.
    pub(super) fn finish(self) -> Record {
        self.record
    }

    /// Everything.
    pub(super) fn run(&mut self) -> Result<(), Failure> {
        self.watch.look()?;
        if !self.add_forced_events(true)? {
            return Ok(());
        }
        loop {
            if let Some(frame) = self.decide()? {
                self.frames.push(frame);
            }
            loop {
                let Some(frame) = self.frames.pop() else { return Ok(()) };
                if self.resume(frame)? {
                    break;
                }
            }
        }
    }

    /// Adds everything that has no choice: false if no order of the writes allows it. `is_open`: whether what is there
    /// is yet to be checked.
    fn add_forced_events(&mut self, mut is_open: bool) -> Result<bool, Failure> {
        while let Some((thread, next)) = self.next_without_choice() {
            match next {
                Move::Fence => self.graph.push_fence(thread, &self.thread_tree)?,
                Move::Join(other) => {
                    let node = self.thread_tree.child(self.graph.threads[thread].node, 1)?;
                    self.graph.push_join(thread, other as usize, node, &self.thread_tree)?;
                }
                _ => match self.write(thread)? {
                    None => return Ok(false),
                    Some(is_free) => is_open |= !is_free,
                },
            }
            self.watch.work(self.graph.threads.len())?;
        }
        if is_open { self.is_consistent(Request::default()) } else { Ok(true) }
    }

    fn next_without_choice(&self) -> Option<(usize, Move)> {
        let mut found = None;
        for thread in 0..self.graph.threads.len() {
            match self.graph.next(thread, &self.thread_tree) {
                next @ Move::Finish => return Some((thread, next)),
                next @ (Move::Fence | Move::Join(_) | Move::Write) => found = found.or(Some((thread, next))),
                Move::Choose | Move::Read(_) | Move::Nothing => {}
            }
        }
        found
    }

    /// Adds the write that is next in `thread`, behind all others or behind what its read-modify-write reads: whether
    /// that is sure to be consistent; None if there is no such place.
    fn write(&mut self, thread: usize) -> Result<Option<bool>, Failure> {
        let Some(cell) = self.graph.pending(thread, &self.thread_tree).event.cell else { return Ok(None) };
        let place = self.graph.touch(cell, self.program.cells[cell.index()].initial);
        let Places { lowest, highest, is_free } = self.graph.places(thread, place, &self.thread_tree);
        if highest < lowest {
            return Ok(None);
        }
        self.graph.push_write(thread, place, highest, &self.thread_tree)?;
        Ok(Some(is_free))
    }

    /// What to try next; None if the graph is complete, which is counted, or a dead end.
    fn decide(&mut self) -> Result<Option<Frame>, Failure> {
        self.watch.step()?;
        if self.is_stuck() {
            self.dead_ends += 1;
            if self.dead_ends > DEAD_ENDS + DEAD_ENDS_EACH * self.counted {
                return Err(Failure::Stopped(Stopped::DeadEnds));
            }
            return Ok(None);
        }
        let mut best: Option<(u8, usize, CellId)> = None;
        for thread in 0..self.graph.threads.len() {
            match self.graph.next(thread, &self.thread_tree) {
                Move::Choose => {
                    let Next::Choice(options) = &self.thread_tree.node(self.graph.threads[thread].node).next
                    else {
                        continue;
                    };
                    let left = WorkItem::Options(options.len());
                    return Ok(Some(Frame { len: self.graph.items.len(), thread, floor: 0, left }));
                }
                Move::Read(cell) => {
                    // Those that nothing more can come for first, those that have waited last.
                    let rank = match self.floors[thread] {
                        0 => u8::from(self.may_be_written(thread, cell)),
                        _ if self.has_new_write(thread, cell) => 2,
                        _ => continue,
                    };
                    if best.is_none_or(|(other, ..)| rank < other) {
                        best = Some((rank, thread, cell));
                    }
                }
                _ => {}
            }
        }
        let Some((_, thread, cell)) = best else {
            self.complete()?;
            return Ok(None);
        };
        let place = self.graph.touch(cell, self.program.cells[cell.index()].initial);
        let may_wait = self.may_be_written(thread, cell);
        let left = WorkItem::Sources { place, below: u32::MAX, may_wait };
        Ok(Some(Frame { len: self.graph.items.len(), thread, floor: self.floors[thread], left }))
    }

    /// Whether a thread other than `reader` may write `cell` later.
    fn may_be_written(&self, reader: usize, cell: CellId) -> bool {
        let mut others = (0..self.graph.threads.len()).filter(|&thread| thread != reader);
        others.any(|thread| self.may_write(thread, cell))
    }

    fn may_write(&self, thread: usize, cell: CellId) -> bool {
        match self.graph.next(thread, &self.thread_tree) {
            Move::Nothing if self.waits_for(thread).is_none() => false,
            _ => {
                let node = self.thread_tree.node(self.graph.threads[thread].node);
                self.futures.contains(thread, node.place, cell)
            }
        }
    }

    /// The thread that `thread` waits for.
    fn waits_for(&self, thread: usize) -> Option<usize> {
        if self.graph.status(thread, &self.thread_tree).is_some() {
            return None;
        }
        match self.thread_tree.node(self.graph.threads[thread].node).next {
            Next::Join(other) => Some(other.index()),
            _ => None,
        }
    }

    fn has_new_write(&self, thread: usize, cell: CellId) -> bool {
        let location = self.graph.locations.iter().find(|location| location.cell == cell);
        location.is_some_and(|location| location.writes.iter().any(|write| write.0 >= self.floors[thread]))
    }

    /// Whether some read waits for a write that cannot come.
    fn is_stuck(&self) -> bool {
        if self.floors.iter().all(|&floor| floor == 0) {
            return false;
        }
        let count = self.graph.threads.len();
        let mut waiting: Vec<(usize, CellId)> = Vec::new();
        let mut moves = vec![false; count];
        for (thread, moves) in moves.iter_mut().enumerate() {
            match self.graph.next(thread, &self.thread_tree) {
                Move::Read(cell) if self.floors[thread] > 0 && !self.has_new_write(thread, cell) => {
                    waiting.push((thread, cell));
                }
                Move::Nothing => {}
                _ => *moves = true,
            }
        }
        loop {
            let mut has_changed = false;
            for thread in (0..count).filter(|&thread| !moves[thread]).collect::<Vec<_>>() {
                let can_join = self.waits_for(thread).is_some_and(|other| moves[other]);
                let can_read = waiting.iter().any(|&(reader, cell)| {
                    reader == thread && (0..count).any(|other| moves[other] && self.may_write(other, cell))
                });
                if can_join || can_read {
                    moves[thread] = true;
                    has_changed = true;
                }
            }
            if !has_changed {
                return waiting.iter().any(|&(thread, _)| !moves[thread]);
            }
        }
    }

    /// Goes on with what is left of `frame`: true if there is a graph to go on from.
    fn resume(&mut self, frame: Frame) -> Result<bool, Failure> {
        let Frame { len, thread, floor, mut left } = frame;
        let mut tags = None;
        loop {
            self.watch.step()?;
            self.graph.truncate(len, &self.thread_tree);
            self.floors[thread] = floor;
            let (rest, goes_on) = match left {
                WorkItem::Nothing | WorkItem::Options(0) => return Ok(false),
                WorkItem::Options(count) => (WorkItem::Options(count - 1), self.choose(thread, count - 1)?),
                WorkItem::Sources { place, below, may_wait } => match self.next_source(place, floor, below) {
                    Some(source) => {
                        let rest = WorkItem::Sources { place, below: source.0, may_wait };
                        (rest, self.read_from(thread, place, source, &mut tags)?)
                    }
                    None if may_wait => {
                        self.floors[thread] = narrow(len);
                        (WorkItem::Nothing, true)
                    }
                    None => return Ok(false),
                },
            };
            if goes_on {
                self.frames.push(Frame { len, thread, floor, left: rest });
                return Ok(true);
            }
            left = rest;
        }
    }

    /// The newest write of a location with a stamp from `floor` to below `below`.
    fn next_source(&self, place: Place, floor: u32, below: u32) -> Option<EventId> {
        let is_open = |write: &EventId| (floor..below).contains(&write.0);
        let sources = self.graph.writes(place).iter().copied().filter(is_open);
        sources.max()
    }

    /// Lets the next read of `thread` read from `source`. `tags`: those of the read in the question before, if it was
    /// about the same events but for this read.
    fn read_from(
        &mut self,
        thread: usize,
        place: Place,
        source: EventId,
        tags: &mut Option<TagSet>,
    ) -> Result<bool, Failure> {
        // Reading what is last is adding maximally, which keeps a graph consistent.
        let is_last = self.graph.writes(place).last() == Some(&source);
        let value = self.graph.item(source).value;
        let node = self.thread_tree.child(self.graph.threads[thread].node, value)?;
        self.graph.push_read(thread, place, source, node, &self.thread_tree)?;
        let own = self.graph.items.last().and_then(|item| item.tags);
        let modifies = self.graph.next(thread, &self.thread_tree) == Move::Finish;
        if modifies && self.write(thread)?.is_none() {
            return Ok(false);
        }
        if !is_last {
            let same = !modifies && own.is_some() && *tags == own;
            *tags = own.filter(|_| !modifies);
            if !self.is_consistent(Request { same, ..Request::default() })? {
                return Ok(false);
            }
        }
        self.floors[thread] = 0;
        self.make_room();
        self.add_forced_events(false)
    }

    /// Lets `thread` take option `at`.
    fn choose(&mut self, thread: usize, at: usize) -> Result<bool, Failure> {
        let node = self.graph.threads[thread].node;
        let Next::Choice(options) = &self.thread_tree.node(node).next else { return Ok(false) };
        let (answer, is_maximal) = (options[at], at + 1 == options.len());
        let node = self.thread_tree.child(node, answer)?;
        self.graph.push_choice(thread, node, at, is_maximal, &self.thread_tree)?;
        self.add_forced_events(false)
    }

    /// Whether some order of the writes makes the graph consistent, which it then gets.
    fn is_consistent(&mut self, request: Request<'_>) -> Result<bool, Failure> {
        self.record.findings.nodes += 1;
        let view = View { graph: &self.graph, thread_tree: &self.thread_tree, program: self.program };
        let found = self.finder.find(view, request, &mut self.watch)?;
        if found {
            self.finder.apply_order(&mut self.graph);
        }
        Ok(found)
    }

    /// Nothing can be added: counts the classes, one for each choice of last writes that can be seen.
    fn complete(&mut self) -> Result<(), Failure> {
        let is_over = |thread| {
            matches!(
                self.graph.status(thread, &self.thread_tree),
                Some(Status::Complete | Status::NotStarted)
            )
        };
        let mut places: Vec<Place> = Vec::new();
        if (0..self.graph.threads.len()).all(is_over) {
            // The initial write is last only where it is the only one.
            let places_of = (0..).zip(&self.graph.locations);
            let is_seen = |cell: CellId| self.observed.contains(&cell);
            let open = places_of.filter(|(_, location)| location.writes.len() > 2 && is_seen(location.cell));
            places.extend(open.map(|(place, _)| Place(place)));
        }
        self.choose_last(&places, &mut Vec::new())
    }

    fn choose_last(&mut self, places: &[Place], last: &mut Vec<EventId>) -> Result<(), Failure> {
        let is_whole = last.len() == places.len();
        if !self.is_consistent(Request { is_whole, last, same: false })? {
            return Ok(());
        }
        let Some(&place) = places.get(last.len()) else { return self.count() };
        let mut writes: Vec<EventId> = self.graph.writes(place)[1..].to_vec();
        writes.sort_unstable();
        for write in writes {
            last.push(write);
            self.choose_last(places, last)?;
            last.pop();
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), Failure> {
        self.counted += 1;
        let flags = self.finder.apply_order(&mut self.graph);
        let (executions, blocked) = (self.record.findings.executions, self.record.findings.blocked);
        self.record.is_full = self.watch.is_full();
        self.record.take(&self.graph, 1, &mut self.thread_tree, flags)?;
        if self.record.is_over {
            return Err(Stopped::Executions.into());
        }
        self.make_room();
        let findings = &self.record.findings;
        self.watch.meter().count(findings.executions - executions, findings.blocked - blocked, 0);
        self.watch.bytes(findings.bytes)?;
        if self.options.stop_at_failure && self.record.has_failure() {
            return Err(Stopped::Found.into());
        }
        Ok(())
    }

    /// Throws cached runs of threads away if there are too many.
    fn make_room(&mut self) {
        if self.thread_tree.bytes() < self.most_history {
            return;
        }
        let moved = self.thread_tree.collect(self.graph.nodes());
        self.graph.move_nodes(&moved);
        self.most_history = MOST_HISTORY.max(2 * self.thread_tree.bytes());
    }
}
