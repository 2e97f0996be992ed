//! A candidate execution: the events of one skeleton per thread, with rf and co as far as they are chosen.
//!
//! Events are numbered as in `Execution`.

use crate::final_status::{FinalStatus, Stuck, situation};
use crate::thread::{Kind, Skeleton, SpawnOrJoin};
use membar_cat::evaluation::Provider;
use membar_cat::plan::Primitive;
use membar_cat::relation::Shape;
use membar_ir::bits::{bits, insert};
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::{CellId, EdgeId, Program, Tag, TagSet};
use membar_ir::words::narrow;

/// Where an event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Index of its thread; None for initial writes.
    pub(crate) thread: Option<usize>,
    /// Position in its thread.
    pub(crate) position: usize,
    /// What it does.
    pub(crate) kind: Kind,
    /// Where.
    pub(crate) cell: Option<CellId>,
    tags: Option<TagSet>,
}

/// Events with rf and co.
#[derive(Debug)]
pub(crate) struct Candidate<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// What each thread does.
    pub(crate) skeletons: Vec<&'a Skeleton>,
    /// All events.
    pub(crate) events: Vec<Place>,
    /// The first event of each thread.
    pub(crate) offsets: Vec<usize>,
    /// The accessed cells, each with its writes, the initial one first.
    pub(crate) cells: Vec<(CellId, Vec<usize>)>,
    /// All reads.
    pub(crate) reads: Vec<usize>,
    /// For each event that is a read with a source: the write it reads from.
    pub(crate) source: Vec<Option<usize>>,
    /// Coherence, transitive, as far as it is chosen.
    pub(crate) coherence: Vec<u64>,
    /// The size of relations.
    pub(crate) shape: Shape,
}

impl<'a> Candidate<'a> {
    /// No thread yet.
    pub(crate) fn new(program: &'a Program) -> Self {
        Self {
            program,
            skeletons: Vec::new(),
            events: Vec::new(),
            offsets: Vec::new(),
            cells: Vec::new(),
            reads: Vec::new(),
            source: Vec::new(),
            coherence: Vec::new(),
            shape: Shape::new(0),
        }
    }

    /// Puts the events of all threads together; rf is empty and co has only the initial writes before all others.
    pub(crate) fn assemble(&mut self, skeletons: impl Iterator<Item = &'a Skeleton>) {
        self.skeletons.clear();
        self.skeletons.extend(skeletons);
        self.events.clear();
        self.offsets.clear();
        self.reads.clear();
        self.cells.clear();
        let mut accessed: Vec<CellId> = self
            .skeletons
            .iter()
            .flat_map(|skeleton| skeleton.events.iter().filter_map(|e| e.cell))
            .collect();
        accessed.sort_unstable();
        accessed.dedup();
        for (position, &cell) in accessed.iter().enumerate() {
            self.cells.push((cell, vec![position]));
            let place = Place { thread: None, position, kind: Kind::Write, cell: Some(cell), tags: None };
            self.events.push(place);
        }
        for (thread, skeleton) in self.skeletons.iter().enumerate() {
            self.offsets.push(self.events.len());
            for (position, event) in skeleton.events.iter().enumerate() {
                let id = self.events.len();
                match (event.kind, event.cell) {
                    (Kind::Read, _) => self.reads.push(id),
                    (Kind::Write, Some(cell)) => {
                        if let Ok(found) = accessed.binary_search(&cell) {
                            self.cells[found].1.push(id);
                        }
                    }
                    _ => {}
                }
                self.events.push(Place {
                    thread: Some(thread),
                    position,
                    kind: event.kind,
                    cell: event.cell,
                    tags: Some(event.tags),
                });
            }
        }
        self.shape = Shape::new(self.events.len());
        self.source.clear();
        self.source.resize(self.events.len(), None);
        self.coherence.clear();
        self.coherence.resize(self.shape.relation(), 0);
        for (_, writes) in &self.cells {
            for &later in &writes[1..] {
                self.shape.relate(&mut self.coherence, writes[0], later);
            }
        }
    }

    /// Whether threads run exactly if started, and joins pass exactly if the joined thread has ended.
    pub(crate) fn respects_spawns_and_joins(&self) -> bool {
        use crate::thread::Status::{Complete, NotStarted};
        let status = |thread: usize| self.skeletons[thread].status;
        self.skeletons.iter().enumerate().all(|(thread, skeleton)| {
            let started = self.program.threads[thread].started || self.spawns(thread) > 0;
            let waits_rightly = skeleton.waits_for.is_none_or(|other| status(other.index()) != Complete);
            let mut joins = skeleton.spawns_and_joins.iter().filter(|step| !step.is_spawn);
            started == (skeleton.status != NotStarted)
                && waits_rightly
                && joins.all(|step| status(step.thread.index()) == Complete)
        }) && self.happen_in_some_order()
    }

    /// Whether no join comes before the spawn of the thread that it waits for, directly or by way of others.
    fn happen_in_some_order(&self) -> bool {
        let mut started: Vec<bool> = self.program.threads.iter().map(|thread| thread.started).collect();
        let mut left: Vec<&[SpawnOrJoin]> =
            self.skeletons.iter().map(|skeleton| &skeleton.spawns_and_joins[..]).collect();
        let mut is_moving = true;
        while is_moving {
            is_moving = false;
            for thread in 0..left.len() {
                while started[thread]
                    && let Some((step, rest)) = left[thread].split_first()
                    && (step.is_spawn
                        || (started[step.thread.index()] && left[step.thread.index()].is_empty()))
                {
                    left[thread] = rest;
                    started[step.thread.index()] = true;
                    is_moving = true;
                }
            }
        }
        left.iter().all(|steps| steps.is_empty())
    }

    /// Who is stuck in a whole execution, if everybody has ended, waits for a thread that does not end, or waits and sees
    /// the last write of all that it looks at.
    pub(crate) fn stuck(&self) -> Stuck {
        let sees_last = |read: usize| {
            let width = self.shape.set();
            let later = self.source[read].map(|write| &self.coherence[write * width..(write + 1) * width]);
            later.is_some_and(|later| later.iter().all(|&word| word == 0))
        };
        let sees_all = |thread: usize, from: usize| {
            let mut looks = self.events.iter().enumerate().filter(|(_, event)| {
                event.thread == Some(thread) && event.kind == Kind::Read && event.position >= from
            });
            looks.all(|(number, _)| sees_last(number))
        };
        let stay = |(thread, skeleton): (usize, &&Skeleton)| {
            let from = skeleton.looks_from.unwrap_or_default() as usize;
            FinalStatus::of(skeleton).filter(|stay| {
                !matches!(stay, FinalStatus::Looks | FinalStatus::Blocks) || sees_all(thread, from)
            })
        };
        let threads: Option<Vec<FinalStatus>> = self.skeletons.iter().enumerate().map(stay).collect();
        let Some(threads) = threads else { return Stuck::default() };
        let places = self.skeletons.iter().map(|skeleton| skeleton.end.unwrap_or((EdgeId(0), 0)));
        let looks = self.skeletons.iter().filter_map(|own| Some(&own.events[own.looks_from? as usize..]));
        let cells = looks.flatten().filter(|event| event.kind == Kind::Read).filter_map(|event| event.cell);
        Stuck { situation: situation(&threads, places, cells), ..Stuck::of(&threads) }
    }

    /// Whether some thread is started more than once.
    pub(crate) fn is_spawned_twice(&self) -> bool {
        (0..self.skeletons.len()).any(|thread| self.spawns(thread) > 1)
    }

    fn spawns(&self, thread: usize) -> usize {
        let is_it = |step: &&SpawnOrJoin| step.is_spawn && step.thread.index() == thread;
        self.skeletons.iter().flat_map(|skeleton| &skeleton.spawns_and_joins).filter(is_it).count()
    }

    /// Puts write `a` before write `b` of the same cell, and keeps co transitive; false if `b` is before `a`.
    pub(crate) fn order(&mut self, a: usize, b: usize, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        if a == b || self.shape.related(&self.coherence, b, a) {
            return Ok(false);
        }
        if self.shape.related(&self.coherence, a, b) {
            return Ok(true);
        }
        let width = self.shape.set();
        let Some(cell) = self.events[a].cell else { return Ok(false) };
        let Some((_, writes)) = self.cells.iter().find(|(other, _)| *other == cell) else { return Ok(false) };
        watch.work(writes.len())?;
        for &earlier in writes {
            if earlier == a || self.shape.related(&self.coherence, earlier, a) {
                self.shape.relate(&mut self.coherence, earlier, b);
                for word in 0..width {
                    self.coherence[earlier * width + word] |= self.coherence[b * width + word];
                }
                watch.work(width)?;
            }
        }
        Ok(true)
    }

    /// The next two writes of one cell that co does not order, looking from `cursor` on.
    pub(crate) fn unordered(&self, cursor: Cursor) -> Option<(Cursor, usize, usize)> {
        let Cursor { mut cell, mut second, mut first } = cursor;
        while let Some((_, writes)) = self.cells.get(cell) {
            while second < writes.len() {
                while first < second {
                    let (a, b) = (writes[first], writes[second]);
                    let ordered = self.shape.related(&self.coherence, a, b)
                        || self.shape.related(&self.coherence, b, a);
                    if !ordered {
                        return Some((Cursor { cell, second, first }, a, b));
                    }
                    first += 1;
                }
                first = 1;
                second += 1;
            }
            (cell, second, first) = (cell + 1, 2, 1);
        }
        None
    }

    /// The accessed cells, each with its writes in the order of co, which must be complete.
    pub(crate) fn orders(&self) -> Vec<(CellId, Vec<u32>)> {
        let width = self.shape.set();
        let later = |&&w: &&usize| bits(&self.coherence[w * width..(w + 1) * width]).count();
        let sort = |(cell, writes): &(CellId, Vec<usize>)| {
            let mut order: Vec<&usize> = writes.iter().collect();
            order.sort_by_key(|write| std::cmp::Reverse(later(write)));
            (*cell, order.into_iter().map(|&write| narrow(write)).collect())
        };
        self.cells.iter().map(sort).collect()
    }

    /// The co-last write of a list of writes of one cell, if co is complete for it.
    pub(crate) fn last(&self, writes: &[usize]) -> Option<usize> {
        let width = self.shape.set();
        let is_last = |&&w: &&usize| self.coherence[w * width..(w + 1) * width].iter().all(|&word| word == 0);
        writes.iter().find(is_last).copied()
    }

    /// Program order.
    fn program_order(&self, out: &mut [u64]) {
        for (skeleton, &offset) in self.skeletons.iter().zip(&self.offsets) {
            let events = &skeleton.events;
            for b in 0..events.len() {
                for a in (0..b).filter(|&a| skeleton.orders(a, b)) {
                    self.shape.relate(out, offset + a, offset + b);
                }
            }
        }
    }

    fn dependency(&self, primitive: Primitive, out: &mut [u64]) {
        for (skeleton, &offset) in self.skeletons.iter().zip(&self.offsets) {
            for (target, event) in skeleton.events.iter().enumerate() {
                for source in event.sources(primitive).iter() {
                    self.shape.relate(out, offset + source, offset + target);
                }
            }
        }
    }

    fn pairs(&self, primitive: Primitive, out: &mut [u64]) {
        for (skeleton, &offset) in self.skeletons.iter().zip(&self.offsets) {
            let pairs = match primitive {
                Primitive::Atomic => &skeleton.atomic,
                _ => &skeleton.exclusive,
            };
            for &(read, write) in pairs {
                self.shape.relate(out, offset + read as usize, offset + write as usize);
            }
        }
    }

    fn internal(&self, out: &mut [u64]) {
        for (a, event) in self.events.iter().enumerate() {
            match event.thread {
                None => self.shape.relate(out, a, a),
                Some(thread) => {
                    let first = self.offsets[thread];
                    for b in first..first + self.skeletons[thread].events.len() {
                        self.shape.relate(out, a, b);
                    }
                }
            }
        }
    }

    /// What precedes a spawn before the whole thread, the whole thread before what follows its join; transitive.
    fn spawn_join(&self, out: &mut [u64]) {
        if self.skeletons.iter().all(|skeleton| skeleton.spawns_and_joins.is_empty()) {
            return;
        }
        // Each thread is a chain of nodes: its start, its events, spawns and joins in order, its end.
        let mut event_of: Vec<Option<usize>> = Vec::new();
        let mut next: Vec<Vec<usize>> = Vec::new();
        let mut ends = Vec::new();
        let mut steps: Vec<(usize, SpawnOrJoin)> = Vec::new();
        for (skeleton, &offset) in self.skeletons.iter().zip(&self.offsets) {
            let start = event_of.len();
            event_of.push(None);
            for position in 0..=skeleton.events.len() {
                for step in skeleton.spawns_and_joins.iter().filter(|step| step.position as usize == position)
                {
                    steps.push((event_of.len(), *step));
                    event_of.push(None);
                }
                event_of.push((position < skeleton.events.len()).then_some(offset + position));
            }
            ends.push((start, event_of.len() - 1));
            next.extend((start..event_of.len()).map(|node| vec![node + 1]));
            next[event_of.len() - 1].clear();
        }
        for (node, step) in steps {
            let (start, end) = ends[step.thread.index()];
            if step.is_spawn {
                next[node].push(start);
            } else {
                next[end].push(node);
            }
        }
        for (start, event) in event_of.iter().enumerate() {
            let Some(a) = *event else { continue };
            let mut seen = vec![false; next.len()];
            let mut todo = next[start].clone();
            while let Some(node) = todo.pop() {
                if std::mem::replace(&mut seen[node], true) {
                    continue;
                }
                if let Some(b) = event_of[node].filter(|&b| self.events[a].thread != self.events[b].thread) {
                    self.shape.relate(out, a, b);
                }
                todo.extend(&next[node]);
            }
        }
    }

    fn insert_where(&self, out: &mut [u64], member: impl Fn(&Place) -> bool) {
        for (id, _) in self.events.iter().enumerate().filter(|(_, event)| member(event)) {
            insert(out, id);
        }
    }
}

/// A pair of writes of one cell: where the search for unordered pairs continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    cell: usize,
    second: usize,
    first: usize,
}

impl Default for Cursor {
    fn default() -> Self {
        Self { cell: 0, second: 2, first: 1 }
    }
}

impl Provider for Candidate<'_> {
    fn primitive(&self, primitive: Primitive, shape: Shape, out: &mut [u64]) {
        match primitive {
            Primitive::Reads => self.insert_where(out, |event| event.kind == Kind::Read),
            Primitive::Writes => self.insert_where(out, |event| event.kind == Kind::Write),
            Primitive::Fences => self.insert_where(out, |event| event.kind == Kind::Fence),
            Primitive::InitialWrites => self.insert_where(out, |event| event.thread.is_none()),
            Primitive::FinalWrites => {
                for (_, writes) in &self.cells {
                    if let Some(last) = self.last(writes) {
                        insert(out, last);
                    }
                }
            }
            Primitive::SameLocation => {
                for (a, event) in self.events.iter().enumerate().filter(|(_, event)| event.cell.is_some()) {
                    for (b, _) in self.events.iter().enumerate().filter(|(_, other)| other.cell == event.cell)
                    {
                        shape.relate(out, a, b);
                    }
                }
            }
            Primitive::Internal => self.internal(out),
            Primitive::External => {
                let mut internal = vec![0; out.len()];
                self.internal(&mut internal);
                shape.complement(&internal, out);
            }
            Primitive::ProgramOrder => self.program_order(out),
            Primitive::Address
            | Primitive::Data
            | Primitive::Control
            | Primitive::PickAddress
            | Primitive::PickData
            | Primitive::PickControl => self.dependency(primitive, out),
            Primitive::Atomic | Primitive::Exclusive => self.pairs(primitive, out),
            Primitive::SpawnJoin => self.spawn_join(out),
            Primitive::ReadsFrom => {
                for &read in &self.reads {
                    if let Some(write) = self.source[read] {
                        shape.relate(out, write, read);
                    }
                }
            }
            Primitive::Coherence => out.copy_from_slice(&self.coherence),
        }
    }

    fn tagged(&self, tag: Tag, out: &mut [u64]) {
        for (id, event) in self.events.iter().enumerate() {
            if event.tags.is_some_and(|tags| self.program.tag_sets[tags.index()].contains(&tag)) {
                insert(out, id);
            }
        }
    }
}
