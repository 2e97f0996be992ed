//! What must stay with an event of a thread when others are deleted, for models that let a thread's later writes
//! become visible before its earlier reads.
//!
//! The *thread order* of an event: everything of its thread that reaches it by
//!
//! - the model's own order inside threads: a relation that the model names, computed on the thread alone,
//! - dependencies: through its value, its address, the branches before it, and the addresses of the accesses before
//!   it. Branches and addresses concern *everything* that follows: whether it happens, and what precedes it,
//! - earlier accesses of the same location,
//! - earlier fences and choices: they determine the run of the thread, and need nothing themselves,
//! - for the write of an RMW its read. Read and write of one instruction stay together.
//!
//! It is a function of what the thread did before the event, so it is computed once per node of the thread's tree.

use crate::enumeration::candidate::Candidate;
use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, Label};
use crate::stateless::thread_tree::{SegmentId, ThreadTree};
use crate::thread::{Event, Kind, Skeleton};
use membar_cat::evaluation::Evaluation;
use membar_cat::plan::{Plan, Slot};
use membar_cat::schedule::Phase;
use membar_ir::bits::SmallSet;
use membar_ir::error::Failure;
use membar_ir::limits::Watch;
use membar_ir::program::Program;

/// The thread orders of all threads of a program.
#[derive(Debug)]
pub(super) struct ThreadOrder<'a> {
    plan: &'a Plan,
    /// The model's own order, and how to compute it.
    slot: Slot,
    phase: Phase,
    evaluation: Evaluation,
    thread: Candidate<'a>,
    /// Per node and step the positions, among the items of the thread, of what must stay with the step.
    nodes: Vec<Option<Box<[SmallSet]>>>,
    /// Items whose prefix is still to be taken in.
    todo: Vec<EventId>,
}

impl<'a> ThreadOrder<'a> {
    pub(super) fn new(program: &'a Program, plan: &'a Plan, slot: Slot) -> Self {
        Self {
            plan,
            slot,
            phase: Phase::of_slot(plan, slot),
            evaluation: Evaluation::default(),
            thread: Candidate::new(program),
            nodes: Vec::new(),
            todo: Vec::new(),
        }
    }

    /// Nodes have moved.
    pub(super) fn forget(&mut self) {
        self.nodes.clear();
    }

    /// Marks the items that reach the next step of `thread` by the order of threads and reads-from.
    pub(super) fn mark_prefix(
        &mut self,
        graph: &Graph,
        thread: usize,
        thread_tree: &mut ThreadTree<'_>,
        marks: &mut Vec<bool>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        marks.clear();
        marks.resize(graph.items.len(), false);
        let own = &graph.threads[thread];
        self.mark(graph, thread, (own.node, own.at), thread_tree, marks, watch)?;
        while let Some(id) = self.todo.pop() {
            let item = graph.item(id);
            let Label::Read(_, source) = item.label else { continue };
            let write = graph.item(source);
            let is_known = marks[source.index()] || matches!(write.label, Label::Initial(_));
            if is_known {
                continue;
            }
            marks[source.index()] = true;
            self.mark(graph, write.thread as usize, (write.node, write.index), thread_tree, marks, watch)?;
        }
        Ok(())
    }

    /// Marks what must stay with a step of `thread`.
    fn mark(
        &mut self,
        graph: &Graph,
        thread: usize,
        (node, at): (SegmentId, u32),
        thread_tree: &mut ThreadTree<'_>,
        marks: &mut [bool],
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        self.compute_prefixes(node, thread_tree, watch)?;
        let Some(sets) = &self.nodes[node.index()] else { return Ok(()) };
        for position in sets[at as usize].iter() {
            let Some(&id) = graph.threads[thread].items.get(position) else { continue };
            if id != EventId::MISSING && !std::mem::replace(&mut marks[id.index()], true) {
                self.todo.push(id);
            }
        }
        Ok(())
    }

    /// Computes what must stay with the steps of a node, if it is not known.
    fn compute_prefixes(
        &mut self,
        node: SegmentId,
        thread_tree: &mut ThreadTree<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        if self.nodes.len() <= node.index() {
            self.nodes.resize_with(node.index() + 1, || None);
        }
        if self.nodes[node.index()].is_some() {
            return Ok(());
        }
        let skeleton = thread_tree.run_to(node, None)?.skeleton;
        let here = thread_tree.node(node);
        let own = here.first as usize..here.first as usize + here.steps.len();
        let path = Path::new(thread_tree.choices_before(node), own.end);
        let orders = self.orders(&skeleton, own.end, watch)?;
        let sets = close_prefixes(&skeleton, &path, &orders);
        self.nodes[node.index()] = Some(sets.into_iter().take(own.end).skip(own.start).collect());
        Ok(())
    }

    /// Per event the events before it by the model's own order.
    fn orders(
        &mut self,
        skeleton: &Skeleton,
        count: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<SmallSet>, Failure> {
        let mut found = vec![SmallSet::default(); count];
        let mut alone = Candidate::new(self.thread.program);
        alone.assemble(std::iter::once(skeleton));
        self.evaluation.resize(self.plan, alone.events.len(), watch)?;
        self.evaluation.passes(self.plan, &self.phase, &alone, watch)?;
        let (relation, first) = (self.evaluation.slot(self.slot), alone.offsets[0]);
        for (later, set) in found.iter_mut().enumerate() {
            for earlier in 0..later {
                if alone.shape.related(relation, first + earlier, first + later) {
                    set.insert(earlier);
                }
            }
            watch.work(later)?;
        }
        Ok(found)
    }
}

/// Where the events and the choices of a thread stand among its items.
struct Path {
    /// Per choice the number of events before it.
    choices: Vec<u32>,
    /// Per event its position.
    positions: Vec<usize>,
}

impl Path {
    fn new(choices: Vec<u32>, events: usize) -> Self {
        let before = |event: usize| choices.iter().filter(|&&at| at as usize <= event).count();
        let positions = (0..events).map(|event| event + before(event)).collect();
        Self { choices, positions }
    }

    /// The positions of the choices before an event.
    fn choices_before(&self, event: usize) -> impl Iterator<Item = usize> + '_ {
        let count = self.positions[event] - event;
        self.choices.iter().take(count).enumerate().map(|(number, &at)| at as usize + number)
    }
}

/// Per event what must stay with it, as positions among the items.
fn close_prefixes(skeleton: &Skeleton, path: &Path, orders: &[SmallSet]) -> Vec<SmallSet> {
    let mut sets: Vec<SmallSet> = Vec::with_capacity(orders.len());
    let mut decisive = SmallSet::default();
    for (number, event) in skeleton.events.iter().enumerate().take(orders.len()) {
        let before = direct(skeleton, number, &orders[number], &decisive);
        let mut set = SmallSet::default();
        for earlier in before.iter().filter(|&earlier| earlier < number) {
            set.insert(path.positions[earlier]);
            set.extend(&sets[earlier]);
        }
        path.choices_before(number).for_each(|choice| set.insert(choice));
        let reads = skeleton.atomic.iter().filter(|pair| pair.1 as usize == number);
        for &(read, _) in reads {
            sets[read as usize].extend(&set);
            sets[read as usize].insert(path.positions[number]);
        }
        sets.push(set);
        decisive.extend(&event.address.data);
        decisive.extend(&event.address.pick);
    }
    sets
}

/// The events that an event needs directly.
fn direct(skeleton: &Skeleton, number: usize, order: &SmallSet, decisive: &SmallSet) -> SmallSet {
    let event = &skeleton.events[number];
    let mut set = SmallSet::default();
    set.extend(&event.control.data);
    set.extend(&event.control.pick);
    set.extend(decisive);
    let earlier = || skeleton.events[..number].iter().enumerate();
    let mut take = |is_needed: &dyn Fn(&Event) -> bool| {
        earlier().filter(|(_, other)| is_needed(other)).for_each(|(other, _)| set.insert(other));
    };
    take(&|other| other.kind == Kind::Fence);
    if event.kind == Kind::Fence {
        return set;
    }
    take(&|other| other.kind != Kind::Fence && other.cell == event.cell);
    set.extend(order);
    set.extend(&event.data.data);
    set.extend(&event.data.pick);
    set.extend(&event.address.data);
    set.extend(&event.address.pick);
    let pairs = skeleton.atomic.iter().chain(&skeleton.exclusive);
    for &(read, _) in pairs.filter(|(_, write)| *write as usize == number) {
        set.insert(read as usize);
    }
    set
}
