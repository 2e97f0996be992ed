//! A tree of thread runs: a thread is determined by what it read and chose, so each segment runs once.
//!
//! There is a tree per thread. An edge is an answer (the value of a read, a choice, a completed join); a node is
//! what the thread does from there to its next question. Children are computed on demand, by running the thread
//! from its saved state, or from the start. The tree is only a cache: when it has grown too large, `collect`
//! discards all nodes that no graph refers to, so that memory does not grow with the number of executions.

use std::collections::BTreeSet;

use crate::stateless::work_queue::Path;
use crate::thread::{Event, Question, Run, SpawnOrJoin, Status, ThreadRunner};
use membar_ir::error::CoreError;
use membar_ir::program::{CellId, EdgeId, Operation, Program, ThreadId};

/// A node of a thread's tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentId(pub u32);

impl SegmentId {
    /// As an index into the table of nodes.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The read that a write belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Position of the read among the events of the thread.
    pub read: u32,
    /// A load-linked and its store, not one instruction.
    pub is_exclusive: bool,
}

/// An event as the thread does it.
#[derive(Debug, Clone)]
pub struct Step {
    /// What models see.
    pub event: Event,
    /// What is read or written.
    pub value: u64,
    /// For the write of a read-modify-write its read.
    pub pair: Option<Pair>,
    /// Whether it is not in program order with the other events of its step.
    pub is_unordered: bool,
}

/// What a thread waits for after the events of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The value of a read.
    Read(CellId),
    /// One of several words.
    Choice(Box<[u64]>),
    /// The end of another thread.
    Join(ThreadId),
    /// Nothing: it has ended, and these are its registers.
    Ended(Status, Box<[u64]>),
}

/// What a thread does between two questions.
#[derive(Debug)]
pub struct Segment {
    /// Where it comes from, and by which answer.
    parent: Option<(SegmentId, u64)>,
    thread: ThreadId,
    /// Number of events before its own.
    pub first: u32,
    /// Its events; the first is the read that was answered, if it was one.
    pub steps: Box<[Step]>,
    /// Threads it starts, with the number of events before that.
    pub spawns: Box<[SpawnOrJoin]>,
    /// What comes then.
    pub next: Next,
    /// Where the thread stands then; of no meaning at a choice.
    pub place: (EdgeId, u32),
    /// Whether it waits there for something that cannot race.
    pub may_wait_last: bool,
    /// If it waits there: the first of the thread's events that belongs to its last iteration.
    pub looks_from: Option<u32>,
    /// Whether the thread ends there, and the process with it.
    pub ends_process: bool,
    children: Vec<(u64, SegmentId)>,
}

impl Segment {
    fn bytes(&self) -> usize {
        let own = size_of::<Self>() + 4 * size_of::<(u64, SegmentId)>();
        let registers = if let Next::Ended(_, registers) = &self.next { registers.len() } else { 0 };
        own + self.steps.len() * size_of::<Step>() + 8 * registers
    }
}

/// The trees of all threads.
#[derive(Debug)]
pub struct ThreadTree<'a> {
    program: &'a Program,
    machines: Vec<ThreadRunner<'a>>,
    nodes: Vec<Segment>,
    roots: Vec<SegmentId>,
    /// Per thread the run that was made last, with the node it stands at.
    standing: Vec<Option<(SegmentId, Run)>>,
    bytes: usize,
    /// Room for the answers of a run.
    answers: Vec<u64>,
}

impl<'a> ThreadTree<'a> {
    /// Every thread at its beginning.
    pub fn new(program: &'a Program, bound: u32) -> Result<Self, CoreError> {
        let machine = |thread| ThreadRunner::new(program, thread, bound);
        let mut thread_tree = Self {
            program,
            machines: program.threads.iter().map(machine).collect(),
            nodes: Vec::new(),
            roots: Vec::new(),
            standing: Vec::new(),
            bytes: 0,
            answers: Vec::new(),
        };
        for thread in 0..program.threads.len() {
            let mut run = thread_tree.machines[thread].begin();
            let question = thread_tree.machines[thread].advance(&mut run)?;
            let root = thread_tree.add(None, thread, &run, question, Done::default())?;
            thread_tree.roots.push(root);
            thread_tree.standing.push(Some((root, run)));
        }
        Ok(thread_tree)
    }

    /// The node at which a thread begins.
    #[must_use]
    pub fn root(&self, thread: usize) -> SegmentId {
        self.roots[thread]
    }

    /// What a node says.
    #[must_use]
    pub fn node(&self, node: SegmentId) -> &Segment {
        &self.nodes[node.index()]
    }

    /// The node before.
    #[must_use]
    pub fn before(&self, node: SegmentId) -> Option<SegmentId> {
        self.nodes[node.index()].parent.map(|(parent, _)| parent)
    }

    /// The answer that leads to a node.
    #[must_use]
    pub fn answer(&self, node: SegmentId) -> Option<u64> {
        self.nodes[node.index()].parent.map(|(_, answer)| answer)
    }

    /// The choices on the way to a node: each by the number of events before it.
    #[must_use]
    pub fn choices_before(&self, node: SegmentId) -> Vec<u32> {
        let mut choices = Vec::new();
        let mut at = node;
        while let Some(before) = self.before(at) {
            if !matches!(self.node(before).next, Next::Read(_)) {
                choices.push(self.node(at).first);
            }
            at = before;
        }
        choices.reverse();
        choices
    }

    /// Where the thread goes from `node` with some answer that was tried before, if the read that it answers looks the
    /// same to models whatever is read. A read-modify-write does not: it may write or not, and its tags may differ.
    #[must_use]
    pub fn some_child(&self, node: SegmentId) -> Option<SegmentId> {
        let &(_, child) = self.nodes[node.index()].children.first()?;
        let edge = self.nodes[child.index()].steps.first()?.event.edge;
        let thread = self.nodes[node.index()].thread;
        let operations = &self.program.threads[thread.index()].edges[edge.index()].operations;
        let is_plain = !operations.iter().any(|operation| matches!(operation, Operation::Rmw(_)));
        is_plain.then_some(child)
    }

    /// The steps at which threads that wait look first, by thread.
    #[must_use]
    pub fn waits(&self) -> BTreeSet<(u32, u32)> {
        let machines = (0..).zip(&self.machines);
        machines
            .flat_map(|(thread, machine)| machine.waits.iter().map(move |edge| (thread, edge.0)))
            .collect()
    }

    /// The steps that close loops which were cut, by thread.
    #[must_use]
    pub fn cuts(&self) -> BTreeSet<(u32, u32)> {
        let machines = (0..).zip(&self.machines);
        machines.flat_map(|(thread, machine)| machine.cuts.iter().map(move |edge| (thread, edge.0))).collect()
    }

    /// Rough number of bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where the thread goes from `node` with `answer`.
    pub fn child(&mut self, node: SegmentId, answer: u64) -> Result<SegmentId, CoreError> {
        let known = self.nodes[node.index()].children.iter().find(|(other, _)| *other == answer);
        if let Some(&(_, child)) = known {
            return Ok(child);
        }
        let thread = self.nodes[node.index()].thread.index();
        let standing = self.standing[thread].take().filter(|(at, _)| *at == node);
        let mut run = match standing {
            Some((_, run)) => run,
            None => self.run_to(node, None)?,
        };
        let done = Done::of(&run);
        let question = self.machines[thread].answer(&mut run, answer)?;
        let child = self.add(Some((node, answer)), thread, &run, question, done)?;
        self.standing[thread] = Some((child, run));
        self.nodes[node.index()].children.push((answer, child));
        Ok(child)
    }

    /// The answers that lead to `node`.
    pub(super) fn path(&self, node: SegmentId) -> Path {
        let mut answers = Vec::new();
        let mut at = node;
        while let Some((parent, answer)) = self.nodes[at.index()].parent {
            answers.push(answer);
            at = parent;
        }
        answers.reverse();
        Path { thread: self.nodes[node.index()].thread.index(), answers }
    }

    /// Where a path leads.
    pub(super) fn follow(&mut self, path: &Path) -> Result<SegmentId, CoreError> {
        path.answers.iter().try_fold(self.roots[path.thread], |node, &answer| self.child(node, answer))
    }

    /// A run of the thread up to `node`, and on with the answer `last`.
    pub fn run_to(&mut self, node: SegmentId, last: Option<u64>) -> Result<Run, CoreError> {
        let thread = self.nodes[node.index()].thread.index();
        let mut answers = std::mem::take(&mut self.answers);
        answers.clear();
        answers.extend(last);
        let mut at = node;
        while let Some((parent, answer)) = self.nodes[at.index()].parent {
            answers.push(answer);
            at = parent;
        }
        let machine = &mut self.machines[thread];
        let mut run = machine.begin();
        machine.advance(&mut run)?;
        for &answer in answers.iter().rev() {
            machine.answer(&mut run, answer)?;
        }
        self.answers = answers;
        Ok(run)
    }

    /// The run of a thread that was not started.
    #[must_use]
    pub fn not_started(&self, thread: usize) -> Run {
        self.machines[thread].not_started()
    }

    fn add(
        &mut self,
        parent: Option<(SegmentId, u64)>,
        thread: usize,
        run: &Run,
        question: Question,
        done: Done,
    ) -> Result<SegmentId, CoreError> {
        let next = match question {
            Question::Ended => Next::Ended(run.skeleton.status, run.registers.as_slice().into()),
            Question::Read(cell) => Next::Read(cell),
            // Only a join asks so: its thread is part of a run that waits forever.
            Question::OneOf(options) if options == [1, 0] => {
                let mut waiting = run.clone();
                self.machines[thread].answer(&mut waiting, 0)?;
                match waiting.skeleton.waits_for {
                    Some(other) => Next::Join(other),
                    None => Next::Choice(options.into()),
                }
            }
            Question::OneOf(options) => Next::Choice(options.into()),
        };
        let number = |index: usize| u32::try_from(index).map_err(|_| CoreError::TooLarge("a thread"));
        let skeleton = &run.skeleton;
        let step = |position: usize| Step {
            event: skeleton.events[position].clone(),
            value: run.values[position],
            pair: pair_of(&skeleton.atomic, position, false)
                .or_else(|| pair_of(&skeleton.exclusive, position, true)),
            is_unordered: skeleton.unordered.contains(&skeleton.events[position].step),
        };
        let node = Segment {
            parent,
            thread: ThreadId(number(thread)?),
            first: number(done.events)?,
            steps: (done.events..skeleton.events.len()).map(step).collect(),
            spawns: skeleton.spawns_and_joins[done.spawns_and_joins..]
                .iter()
                .filter(|step| step.is_spawn)
                .copied()
                .collect(),
            next,
            place: run.place(),
            may_wait_last: run.may_wait_last,
            looks_from: skeleton.looks_from,
            ends_process: skeleton.ends_process,
            children: Vec::new(),
        };
        self.bytes += node.bytes();
        let id = SegmentId(number(self.nodes.len())?);
        self.nodes.push(node);
        Ok(id)
    }

    /// Throws away all nodes but the `live` ones and those before them; tells where each node went.
    pub fn collect(&mut self, live: impl Iterator<Item = SegmentId>) -> Vec<Option<SegmentId>> {
        let mut kept = vec![false; self.nodes.len()];
        for node in live.chain(self.roots.iter().copied()) {
            let mut at = Some(node);
            while let Some(node) = at.filter(|node| !kept[node.index()]) {
                kept[node.index()] = true;
                at = self.before(node);
            }
        }
        let mut moved = Vec::with_capacity(kept.len());
        let mut count = 0;
        for &is_kept in &kept {
            moved.push(is_kept.then_some(SegmentId(count)));
            count += u32::from(is_kept);
        }
        let mut keep = kept.iter();
        self.nodes.retain(|_| keep.next().copied().unwrap_or_default());
        self.bytes = 0;
        for node in &mut self.nodes {
            node.parent =
                node.parent.and_then(|(parent, answer)| moved[parent.index()].map(|new| (new, answer)));
            node.children
                .retain_mut(|(_, child)| moved[child.index()].inspect(|&new| *child = new).is_some());
            self.bytes += node.bytes();
        }
        for root in &mut self.roots {
            *root = moved[root.index()].unwrap_or(*root);
        }
        for standing in &mut self.standing {
            let node = standing.as_ref().and_then(|(node, _)| moved[node.index()]);
            *standing = standing.take().and_then(|(_, run)| node.map(|node| (node, run)));
        }
        moved
    }
}

/// How much of a run belongs to earlier nodes.
#[derive(Debug, Clone, Copy, Default)]
struct Done {
    events: usize,
    spawns_and_joins: usize,
}

impl Done {
    fn of(run: &Run) -> Self {
        Self { events: run.skeleton.events.len(), spawns_and_joins: run.skeleton.spawns_and_joins.len() }
    }
}

/// The pair of `pairs` whose write is at `position`; the newest pairs stand last.
fn pair_of(pairs: &[(u32, u32)], position: usize, is_exclusive: bool) -> Option<Pair> {
    let found = pairs.iter().rev().find(|pair| pair.1 as usize == position);
    found.map(|&(read, _)| Pair { read, is_exclusive })
}
