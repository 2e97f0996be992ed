//! Symmetric threads: one execution represents all that differ from it only in the names of these threads.
//!
//! A thread's *key* is what it did from its start up to and including its first write: for each read the position
//! in co of the write that it reads from, for each choice the option, for the write its position in co. Of all
//! executions that differ only in the names of symmetric threads the search keeps the one whose keys increase from
//! each thread to the next of its group. Threads with equal keys only read, and their order does not matter: so an
//! execution represents n! / (k1! k2! ...) of them, where the k are the sizes of the classes with equal keys.
//!
//! For the revisits to fit, the actions of a thread are part of the prefix of those of the next symmetric one at
//! the same position, as long as both have done the same before (after Kokologiannakis, Marmanis, Vafeiadis,
//! "SPORE: combining symmetry and partial order reduction", PLDI 2024). Then the earlier thread is always ahead,
//! what is added maximally never falls below it, and every graph on the way to an execution with increasing keys
//! has increasing keys.
//!
//! This requires that program order, reads-from and this order of threads have no cycle together. They have none if
//! the model has one order that contains co, fr, rfe, and program order after reads (`is_global`). Otherwise keys
//! end at the first access to a location other than the one that threads begin with, and there is no cycle unless
//! some write is in co before a write that a symmetric thread in its prefix has seen (`violates_symmetry_order`):
//! if that happens, the search starts again without symmetry. See docs/decisions/0012-symmetry.md for the argument.

use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, Label, Place};
use crate::stateless::thread_tree::{Next, ThreadTree};
use crate::thread::Kind;
use membar_ir::program::CellId;
use membar_ir::words::narrow;

/// Which threads are interchangeable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// Groups of them, each in rising order, none in two groups.
    pub groups: Vec<Vec<usize>>,
    /// Whether co, fr, rfe, program order after reads, and starting and joining threads never form a cycle.
    pub is_global: bool,
}

/// What graphs must know of it.
#[derive(Debug, Clone, Default)]
pub(super) struct SymmetricThreads {
    /// Per thread the one before it in its group; empty if there are no groups.
    before: Vec<Option<usize>>,
    /// The only location that keys mention; None if they mention all.
    only: Option<CellId>,
}

impl Symmetry {
    /// What of it can be used for a program, and what graphs must know of it.
    pub(super) fn for_program(
        &self,
        thread_tree: &ThreadTree<'_>,
        threads: usize,
    ) -> (Self, SymmetricThreads) {
        let mut used = self.clone();
        used.groups.retain(|group| group.len() > 1 && group.iter().all(|&thread| thread < threads));
        let mut only = None;
        if !used.is_global {
            let first = |group: &[usize]| first_cell(thread_tree, group[0]);
            let most =
                used.groups.iter().filter(|group| first(group).is_some()).max_by_key(|group| group.len());
            only = most.and_then(|group| first(group));
            used.groups.retain(|group| only.is_some() && first(group) == only);
        }
        let mut before = vec![None; if used.groups.is_empty() { 0 } else { threads }];
        for pair in used.groups.iter().flat_map(|group| group.windows(2)) {
            before[pair[1]] = Some(pair[0]);
        }
        (used, SymmetricThreads { before, only })
    }

    /// For how many executions a graph to which nothing can be added stands.
    pub(super) fn represented_executions(&self, graph: &Graph) -> u64 {
        let mut weight = 1_u64;
        for group in &self.groups {
            let mut equal = 1;
            for (done, pair) in (1..).zip(group.windows(2)) {
                equal = if graph.have_equal_keys(pair[0], pair[1]) { equal + 1 } else { 1 };
                // (n + 1)! / (... (k + 1)!) from n! / (... k!): exact at every step.
                weight = weight.saturating_mul(done + 1) / equal;
            }
        }
        weight
    }
}

/// The location that a thread accesses first, if it makes no choice before.
fn first_cell(thread_tree: &ThreadTree<'_>, thread: usize) -> Option<CellId> {
    let node = thread_tree.node(thread_tree.root(thread));
    let accesses = node.steps.iter().filter(|step| step.event.kind != Kind::Fence);
    match (accesses.map(|step| step.event.cell).next(), &node.next) {
        (Some(cell), _) => cell,
        (None, Next::Read(cell)) => Some(*cell),
        _ => None,
    }
}

impl Graph {
    /// What the symmetric thread before `thread` did at `position`, if both did the same until there and it belongs to
    /// the key.
    pub(super) fn counterpart(&self, thread: usize, position: usize) -> Option<EventId> {
        let before = self.symmetric_threads.before.get(thread).copied().flatten()?;
        let same = (0..position).all(|at| self.is_same(before, thread, at));
        let counterpart = *self.threads[before].items.get(position)?;
        (same && self.is_in_key(counterpart)).then_some(counterpart)
    }

    /// Whether two threads have done the same at `position`, and the key continues after it.
    fn is_same(&self, one: usize, other: usize, position: usize) -> bool {
        let item = |thread: usize| self.threads[thread].items.get(position).map(|&id| (id, self.item(id)));
        let (Some((id, one)), Some((_, other))) = (item(one), item(other)) else { return false };
        let is_same = match (one.label, other.label) {
            (Label::Read(_, one), Label::Read(_, other)) => one == other,
            (Label::Choice(_), Label::Choice(_)) => one.value == other.value,
            (Label::Fence, Label::Fence) => true,
            _ => false,
        };
        is_same && self.is_in_key(id)
    }

    fn is_in_key(&self, id: EventId) -> bool {
        match self.item(id).label {
            Label::Read(place, _) | Label::Write(place) => {
                self.symmetric_threads.only.is_none_or(|cell| cell == self.locations[place.index()].cell)
            }
            Label::Fence | Label::Choice(_) => true,
            Label::Initial(_) | Label::Join => false,
        }
    }

    fn have_equal_keys(&self, one: usize, other: usize) -> bool {
        let (one_items, other_items) = (&self.threads[one].items, &self.threads[other].items);
        let shared = (0..one_items.len()).take_while(|&at| self.is_same(one, other, at)).count();
        match (one_items.get(shared), other_items.get(shared)) {
            (None, None) => true,
            (Some(&id), Some(_)) => !self.is_in_key(id),
            _ => false,
        }
    }

    /// The least that the next item of `thread` may have in its key: the place in co of the write it reads from or
    /// that it is, or the number of an option.
    pub(super) fn floor(&self, thread: usize) -> usize {
        self.floor_at(thread, self.threads[thread].items.len())
    }

    /// The least place in co of a new write that revisits `read`.
    pub(super) fn floor_of_revisit(&self, read: EventId) -> usize {
        let item = self.item(read);
        let (thread, position) = (item.thread as usize, item.position as usize);
        self.counterpart(thread, position).map_or(0, |_| self.floor_at(thread, position) + 1)
    }

    fn floor_at(&self, thread: usize, position: usize) -> usize {
        let Some(counterpart) = self.counterpart(thread, position) else { return 0 };
        let place_of = |place: Place, write: EventId| {
            self.writes(place).iter().position(|&other| other == write).unwrap_or_default()
        };
        match self.item(counterpart).label {
            Label::Read(place, source) => place_of(place, source),
            Label::Write(place) => place_of(place, counterpart) + 1,
            Label::Choice(_) => usize::try_from(self.item(counterpart).value).unwrap_or(usize::MAX),
            _ => 0,
        }
    }

    /// What of the symmetric thread before belongs to the prefix of the item at `position` of `thread`: what it did there, and
    /// with the read of a read-modify-write its write, for the two are one.
    pub(super) fn counterpart_in_prefix(&self, thread: usize, position: usize) -> Option<EventId> {
        let counterpart = self.counterpart(thread, position)?;
        let next = self.threads[self.item(counterpart).thread as usize].items.get(position + 1).copied();
        let write = next.filter(|&id| self.item(id).has_pair);
        Some(write.unwrap_or(counterpart))
    }

    /// Whether the newest item is a write that is in co before what a symmetric thread in its prefix has seen or written.
    pub(super) fn violates_symmetry_order(&self) -> bool {
        if self.symmetric_threads.only.is_none() {
            return false;
        }
        let Some((newest, Label::Write(place))) =
            self.items.last().map(|item| (self.items.len() - 1, item.label))
        else {
            return false;
        };
        let (writes, newest) = (self.writes(place), EventId(narrow(newest)));
        let later = || writes.iter().rev().take_while(|&&write| write != newest);
        if later().next().is_none() {
            return false;
        }
        let clock = self.clock(newest);
        let symmetric_threads = (0..self.threads.len()).filter(|&thread| self.has_twin(thread));
        let seen = symmetric_threads.flat_map(|thread| {
            let items = self.threads[thread].items.iter().take(clock[thread] as usize);
            let first = items.clone().position(|&id| matches!(self.item(id).label, Label::Write(_)));
            let key = items.take(first.map_or(usize::MAX, |at| at + 1)).take_while(|&&id| self.is_in_key(id));
            key.map(|&id| match self.item(id).label {
                Label::Read(_, source) => source,
                _ => id,
            })
        });
        seen.into_iter().any(|write| write != newest && later().any(|&other| other == write))
    }

    fn has_twin(&self, thread: usize) -> bool {
        let before = &self.symmetric_threads.before;
        before.get(thread).is_some_and(|earlier| earlier.is_some() || before.contains(&Some(thread)))
    }
}
